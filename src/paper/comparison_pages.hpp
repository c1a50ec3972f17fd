// A comparison as text for a terminal, and as Markdown: for every workload a row of ratios with their bands, and then why.
#pragma once

#include <string>
#include <vector>

#include "paper/comparison.hpp"

namespace skua::paper {

std::string text_of(const compared_block& block);
std::string markdown_of(const compared_block& block);
/// What was not run, one line each; empty where everything was.
std::string complaints_of(const std::vector<compared_block>& blocks);
/// That which prints the block: "skua compare --machines ..."
std::string command_of(const compared_block& block);
/// "epyc-9654-2s, 192 workers, bandwidth, pages first_touch, 5 seeds"
std::string heading_of(const compared_block& block);
/// One sentence: "heat n=1024: bitier is the fastest, 0.82 [0.78, 0.85] of random's time", or that nothing wins.
std::string sentence_of(const compared_row& row);

}  // namespace skua::paper
