#include "paper/markup.hpp"

#include <stdexcept>

#include "base/escaped.hpp"

namespace skua::paper {

void markup::start(std::string_view element, attributes with) {
  written_ += '<';
  written_ += element;
  for (const auto& [name, value] : with) {
    written_ += ' ';
    written_ += name;
    written_ += "=\"" + base::escaped(value) + '"';
  }
}

markup& markup::open(std::string_view element, attributes with) {
  start(element, with);
  written_ += '>';
  open_.emplace_back(element);
  return *this;
}

markup& markup::close() {
  if (open_.empty()) throw std::logic_error("markup: nothing is open");
  written_ += "</" + open_.back() + '>';
  open_.pop_back();
  return *this;
}

markup& markup::leaf(std::string_view element, attributes with) {
  start(element, with);
  written_ += "/>";
  return *this;
}

markup& markup::text(std::string_view content) { return raw(base::escaped(content)); }

markup& markup::element(std::string_view name, std::string_view content, attributes with) {
  return open(name, with).text(content).close();
}

markup& markup::raw(std::string_view content) {
  written_ += content;
  return *this;
}

std::string markup::done() {
  if (!open_.empty()) throw std::logic_error("markup: <" + open_.back() + "> is open");
  return std::move(written_);
}

}  // namespace skua::paper
