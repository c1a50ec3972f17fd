#include "cli/paper/paper_words.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "cli/paper/paper_exact.hpp"

namespace skua::cli {

std::string_view runs_word(const paper::figure& of, const paper::coverage& can) {
  if (of.level == paper::level::inputs) return "inputs";
  if (can.nothing()) return "not yet";
  return can.complete() ? "all" : "some points";
}

std::string list_of(const std::vector<const paper::figure*>& figures, paper::size how_much) {
  std::size_t widest = 0;
  for (const paper::figure* of : figures) widest = std::max(widest, of->name().size());
  std::string text = fmt::format("{:<{}}  {:<6}  {:<11}  {}\n", "figure", widest, "level", "runs", "what");
  for (const paper::figure* of : figures) {
    const paper::coverage can = paper::coverage_of(*of, how_much, exact_value);
    text += fmt::format("{:<{}}  {:<6}  {:<11}  {}\n", of->name(), widest, paper::name_of(of->level),
                        runs_word(*of, can), of->title);
    if (!can.needs.empty()) text += fmt::format("{:<{}}  {:<6}  {}\n", "", widest, "", can.needs_words());
  }
  return text;
}

}  // namespace skua::cli
