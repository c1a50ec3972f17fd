// How a point of a figure is run: the words of a command, or what skua lacks for it.
//
//   const plan how = plan_for(figure, where, size::quick);
//   if (how.needs.empty()) execute(how.command(seed));   // skua run heat n=512 ... --simulate ... --seed 1 --json
//
// A point is run by what the user could type, in a process of its own: what a run does then depends on nothing that was
// run before it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "paper/figure.hpp"

namespace skua::paper {

struct measure;

struct plan {
  std::vector<std::string> words;        // without workers and seed
  std::vector<std::string> words_alone;  // of the run with one worker
  unsigned workers = 0;                  // 0: as many as the machine has cores
  const measure* looked_at = nullptr;
  std::vector<std::string> assumptions;  // what is taken for what the figure wants
  std::string needs;                     // of skua; nothing is run then

  /// `alone`: with one worker.
  std::vector<std::string> command(std::uint64_t seed, bool alone = false) const;
};

/// Of one that is simulated.
plan plan_for(const figure&, const point&, size);

}  // namespace skua::paper
