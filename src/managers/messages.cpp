// Messages as text, for golden tests and for debugging.
#include "managers/messages.hpp"

namespace skua::managers {

namespace {

std::string number(std::uint64_t n) {
  return n == no_worker ? "nobody" : std::to_string(count_of(n)) + (is_vacant(n) ? " vacant" : "");
}

struct content_text {
  std::string operator()(const update& m) const {
    return "UPDATE<" + number(m.level) + ", " + number(m.tasks) + ">";
  }
  std::string operator()(const steal& m) const {
    return "STEAL<" + number(m.level) + ", " + number(m.tasks_to_transfer) + ", " + to_string(m.thief) + ">";
  }
  std::string operator()(const task& m) const {
    const std::string what = m.descriptor ? number((*m.descriptor)[0]) : "none";
    return "TASK<" + what + (m.is_last ? ", last>" : ", more follow>");
  }
  std::string operator()(const victim_update& m) const {
    return "VICTIM_UPDATE<" + number(m.level) + ", " + number(m.transferred) + ", " + number(m.left) + ">";
  }
  std::string operator()(const stealer_update& m) const {
    return "STEALER_UPDATE<" + number(m.level) + ", " + number(m.tasks) + ">";
  }
  std::string operator()(const unblock& m) const { return "UNBLOCK<" + number(m.level) + ">"; }
};

}  // namespace

std::string to_string(const envelope& sent) {
  return to_string(sent.from) + " -> " + to_string(sent.to) + "  " + std::visit(content_text{}, sent.content);
}

}  // namespace skua::managers
