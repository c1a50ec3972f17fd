// Of several numbers the least, the one in the middle and the greatest.
#pragma once

namespace skua::paper {

struct band {
  double min = 0, median = 0, greatest = 0;
};

}  // namespace skua::paper
