// How long the managers' messages (Table 2) are as direct messages.
//
// Where the paper is silent: what a message is, its level and whether a task is the last one fit into the unused bits of
// its first word, as does a thief; so a task takes the four words of its descriptor, as the paper's sizes of buffers
// ("sixteen messages of four words") want. A part of a reduction rides along as one word more.
#pragma once

#include <cstdint>
#include <variant>

#include "managers/messages.hpp"

namespace skua::simulator {

inline std::uint32_t words_of(const managers::envelope& sent) {
  struct length {
    std::uint32_t operator()(const managers::update&) const { return 1; }
    std::uint32_t operator()(const managers::steal&) const { return 2; }
    std::uint32_t operator()(const managers::task& t) const { return t.descriptor ? 4 : 1; }
    std::uint32_t operator()(const managers::victim_update&) const { return 2; }
    std::uint32_t operator()(const managers::stealer_update&) const { return 1; }
    std::uint32_t operator()(const managers::unblock&) const { return 1; }
  };
  return std::visit(length{}, sent.content) + (sent.value ? 1 : 0);
}

}  // namespace skua::simulator
