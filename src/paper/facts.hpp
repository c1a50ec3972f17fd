// The facts of a figure as text, the same for all kinds of pages.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "paper/experiment.hpp"
#include "paper/tables.hpp"

namespace skua::paper {

/// Names and values, such as "machine"; unknown ones are left out.
std::vector<std::pair<std::string, std::string>> facts_of(const result&);

struct list_of_sentences {
  std::string title;
  std::vector<std::string> sentences;
};
/// Remarks, needs, assumptions and tuned constants, without empty lists. If nothing was tuned, the list says so.
std::vector<list_of_sentences> lists_of(const result&);

/// Published numbers, comparisons and inputs, without empty tables.
std::vector<table> tables_of(const result&);
/// Figures, their levels and verdicts; the first cell is the name for the command line.
table contents_of(const std::vector<result>&);

/// The number of each verdict: "3 reproduced, 1 different".
std::string tally_of(const std::vector<result>&);
/// With a sign in front: "= same sign and order".
std::string marked(judgement);
/// "cab-fig8"
std::string anchor_of(const figure&);

}  // namespace skua::paper
