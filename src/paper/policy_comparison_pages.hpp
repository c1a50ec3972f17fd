// A comparison of policies as text for a terminal and as Markdown: a row of ratios with their bands for each workload, and the
// facts that explain them.
#pragma once

#include <string>
#include <vector>

#include "paper/policy_comparison.hpp"

namespace skua::paper {

std::string text_of(const compared_block& block);
std::string markdown_of(const compared_block& block);
/// One line for each run that is missing; empty if none is.
std::string complaints_of(const std::vector<compared_block>& blocks);
/// The command that prints the block: "skua compare --machines ..."
std::string command_of(const compared_block& block);
/// "epyc-9654-2s, 192 workers, bandwidth, pages first_touch, 5 seeds"
std::string heading_of(const compared_block& block);
/// "heat n=1024: bitier takes 0.82 [0.78, 0.85] of random's time", or that no policy is faster.
std::string sentence_of(const compared_row& row);

}  // namespace skua::paper
