// The files of published/, which the build embeds in the tool (cmake/paper.cmake).
#pragma once

#include <span>
#include <string_view>

namespace skua::paper {

struct known_figure {
  std::string_view name, text;
};
extern const std::span<const known_figure> all_known_figures;  // in the order of their names

}  // namespace skua::paper
