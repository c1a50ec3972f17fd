// What every page says of a figure, as words: so that all pages say the same.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "paper/experiment.hpp"

namespace skua::paper {

/// "machine" and what it is, and so on; what is not known is left out.
std::vector<std::pair<std::string, std::string>> facts_of(const result&);

struct list_of_sentences {
  std::string title;
  std::vector<std::string> sentences;
};
/// Remarks, needs, assumptions, tuned constants: those that there are. That nothing was tuned is said, too.
std::vector<list_of_sentences> lists_of(const result&);

struct table {
  std::string caption;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  // the first cell of each is its heading
};
/// Published numbers, comparisons, inputs: those that there are.
std::vector<table> tables_of(const result&);
/// Figures, their levels and verdicts; the first cell is what the user types.
table contents_of(const std::vector<result>&);

/// How many of each verdict: "3 reproduced, 1 different".
std::string tally_of(const std::vector<result>&);
/// Also by shape: "= same sign and order".
std::string marked(verdict);
/// "cab-fig8"
std::string anchor_of(const figure&);

}  // namespace skua::paper
