// Canny edge detection: the gradients, which pixels may be edges, and which of those are edges. No scheduling.
//
// The result is the same as OpenCV's with a 3 x 3 Sobel operator and the magnitude |gx| + |gy|, bit for bit. The
// picture is not smoothed first. A pixel is a candidate if its magnitude is above `low` and not smaller than that of
// its two neighbours across the edge. It is strong if the magnitude is also above `high`. Edges are the strong pixels
// and all candidates connected to one through candidates.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "workloads/common/hash.hpp"
#include "workloads/common/pgm.hpp"
#include "workloads/common/random.hpp"
#include "workloads/common/vectorised.hpp"

namespace workloads {

struct canny_limits {
  int low = 100, high = 200;
};

enum canny_mark : std::uint8_t { canny_out, canny_weak, canny_strong };

/// A disk on a chessboard, with a brightness gradient from left to right and noise.
inline grey_picture canny_picture(std::size_t width, std::size_t height, std::uint64_t seed = 42) {
  grey_picture picture{width, height, std::vector<std::uint8_t>(width * height)};
  const auto w = static_cast<std::int64_t>(width), h = static_cast<std::int64_t>(height);
  const std::int64_t radius = 7 * std::min(w, h) / 10;
  for (std::int64_t y = 0; y < h; ++y)
    for (std::int64_t x = 0; x < w; ++x) {
      const std::int64_t dx = 2 * x - w, dy = 2 * y - h;
      const auto at = static_cast<std::size_t>(y * w + x);
      std::int64_t grey = 40 + 60 * (((x >> 6) + (y >> 6)) & 1) + 32 * x / w - 8;
      if (dx * dx + dy * dy < radius * radius) grey += 80;
      grey += static_cast<std::int64_t>(below_at(seed, at, 17));
      picture.pixels[at] = static_cast<std::uint8_t>(std::clamp<std::int64_t>(grey, 0, 255));
    }
  return picture;
}

/// Whether the magnitude of a pixel with this gradient is not smaller than that of its neighbours across the edge.
/// `magnitude(dx, dy)` is that of a neighbour.
template <class Magnitude>
bool canny_is_ridge(int gx, int gy, Magnitude magnitude) {
  constexpr int tangent = 13573;  // of 22.5 degrees, times 2^15
  const int here = std::abs(gx) + std::abs(gy), flat = std::abs(gx) * tangent, steep = std::abs(gy) << 15;
  if (steep < flat) return here > magnitude(-1, 0) && here >= magnitude(1, 0);
  if (steep > flat + (std::abs(gx) << 16)) return here > magnitude(0, -1) && here >= magnitude(0, 1);
  const int side = (gx ^ gy) < 0 ? -1 : 1;
  return here > magnitude(-side, -1) && here > magnitude(side, 1);
}

/// The gradients of one row, and their magnitudes with a 0 at both ends.
struct canny_row {
  std::vector<std::int16_t> gx, gy, magnitude;
  explicit canny_row(std::size_t width) : gx(width), gy(width), magnitude(width + 2) {}
};

/// Computes them from a row and its neighbours. All rows have their end pixels twice, since there are no pixels outside
/// of the picture.
WORKLOADS_VECTORISED inline void canny_gradients(const std::uint8_t* __restrict up,
                                                 const std::uint8_t* __restrict middle,
                                                 const std::uint8_t* __restrict down, std::size_t width,
                                                 std::int16_t* __restrict gx, std::int16_t* __restrict gy,
                                                 std::int16_t* __restrict magnitude) {
  for (std::size_t x = 0; x < width; ++x) {
    const int across = (up[x + 2] + 2 * middle[x + 2] + down[x + 2]) - (up[x] + 2 * middle[x] + down[x]);
    const int along = (down[x] + 2 * down[x + 1] + down[x + 2]) - (up[x] + 2 * up[x + 1] + up[x + 2]);
    gx[x] = static_cast<std::int16_t>(across);
    gy[x] = static_cast<std::int16_t>(along);
    magnitude[x] = static_cast<std::int16_t>(std::abs(across) + std::abs(along));
  }
}

/// Marks the pixels of rows [first, last).
class canny_marker {
 public:
  canny_marker(const grey_picture& picture, canny_limits limits, std::uint8_t* marks)
      : picture_(picture), limits_(limits), marks_(marks), padded_{row(), row(), row()} {}

  void mark(std::size_t first, std::size_t last) {
    canny_row above(picture_.width), here = above, below = above;
    if (first > 0) gradients(first - 1, above);
    gradients(first, here);
    for (std::size_t y = first; y < last; ++y) {
      if (y + 1 < picture_.height)
        gradients(y + 1, below);
      else
        std::ranges::fill(below.magnitude, std::int16_t{0});
      mark_row(above, here, below, marks_ + y * picture_.width);
      std::swap(above, here);
      std::swap(here, below);
    }
  }

 private:
  using padded_row = std::vector<std::uint8_t>;
  padded_row row() const { return padded_row(picture_.width + 2); }

  void gradients(std::size_t y, canny_row& to) {
    const std::size_t width = picture_.width;
    const std::size_t from[] = {y == 0 ? 0 : y - 1, y, std::min(y + 1, picture_.height - 1)};
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint8_t* const pixels = picture_.pixels.data() + from[i] * width;
      std::memcpy(padded_[i].data() + 1, pixels, width);
      padded_[i].front() = pixels[0];
      padded_[i].back() = pixels[width - 1];
    }
    canny_gradients(padded_[0].data(), padded_[1].data(), padded_[2].data(), width, to.gx.data(),
                    to.gy.data(), to.magnitude.data() + 1);
  }

  void mark_row(const canny_row& above, const canny_row& here, const canny_row& below,
                std::uint8_t* marks) const {
    const std::int16_t* const magnitudes[] = {above.magnitude.data() + 1, here.magnitude.data() + 1,
                                              below.magnitude.data() + 1};
    for (std::ptrdiff_t x = 0; x < static_cast<std::ptrdiff_t>(picture_.width); ++x) {
      const int magnitude = magnitudes[1][x];
      const auto at = static_cast<std::size_t>(x);
      marks[at] = canny_out;
      if (magnitude > limits_.low && canny_is_ridge(here.gx[at], here.gy[at], [&](int dx, int dy) {
            return magnitudes[1 + dy][x + dx];
          }))
        marks[at] = magnitude > limits_.high ? canny_strong : canny_weak;
    }
  }

  const grey_picture& picture_;
  canny_limits limits_;
  std::uint8_t* marks_;
  std::array<padded_row, 3> padded_;
};

/// The same for a single pixel.
inline canny_mark canny_mark_of(const grey_picture& picture, canny_limits limits, std::size_t at) {
  const auto w = static_cast<std::ptrdiff_t>(picture.width), h = static_cast<std::ptrdiff_t>(picture.height);
  const auto x = static_cast<std::ptrdiff_t>(at) % w, y = static_cast<std::ptrdiff_t>(at) / w;
  const auto gradient = [&](std::ptrdiff_t cx, std::ptrdiff_t cy) {
    const std::ptrdiff_t left = std::max<std::ptrdiff_t>(cx - 1, 0), right = std::min(cx + 1, w - 1);
    const std::uint8_t* const middle = picture.pixels.data() + cy * w;
    const std::uint8_t* const up = cy > 0 ? middle - w : middle;
    const std::uint8_t* const down = cy + 1 < h ? middle + w : middle;
    return std::pair(
        (up[right] + 2 * middle[right] + down[right]) - (up[left] + 2 * middle[left] + down[left]),
        (down[left] + 2 * down[cx] + down[right]) - (up[left] + 2 * up[cx] + up[right]));
  };
  const auto magnitude = [&](int dx, int dy) {
    if (x + dx < 0 || x + dx >= w || y + dy < 0 || y + dy >= h) return 0;
    const auto [gx, gy] = gradient(x + dx, y + dy);
    return std::abs(gx) + std::abs(gy);
  };
  const auto [gx, gy] = gradient(x, y);
  const int here = std::abs(gx) + std::abs(gy);
  if (here <= limits.low || !canny_is_ridge(gx, gy, magnitude)) return canny_out;
  return here > limits.high ? canny_strong : canny_weak;
}

/// Calls visit(position) for the strong pixels of a row.
template <class Visit>
void canny_each_strong(const std::uint8_t* marks, std::size_t width, std::size_t y, Visit visit) {
  const std::uint8_t* const end = marks + (y + 1) * width;
  for (const std::uint8_t* at = marks + y * width; at != end; ++at) {
    at = static_cast<const std::uint8_t*>(std::memchr(at, canny_strong, static_cast<std::size_t>(end - at)));
    if (!at) return;
    visit(static_cast<std::size_t>(at - marks));
  }
}

/// Calls visit(position) for the candidates around a pixel.
template <class Visit>
void canny_each_near(const std::uint8_t* marks, std::size_t width, std::size_t height, std::size_t at,
                     Visit visit) {
  const std::size_t x = at % width, y = at / width;
  const std::size_t left = x == 0 ? 0 : x - 1, right = std::min(x + 1, width - 1);
  for (std::size_t i = y == 0 ? 0 : y - 1; i <= std::min(y + 1, height - 1); ++i)
    for (std::size_t j = left; j <= right; ++j)
      if (marks[i * width + j] != canny_out) visit(i * width + j);
}

/// Finds the edges among marked pixels and sets them to 255. `edges` must be all 0 before.
inline void canny_connect(const std::uint8_t* marks, std::size_t width, std::size_t height,
                          std::uint8_t* edges) {
  std::vector<std::size_t> found;
  const auto claim = [&](std::size_t at) {
    if (edges[at] != 0) return;
    edges[at] = 255;
    found.push_back(at);
  };
  for (std::size_t y = 0; y < height; ++y) {
    canny_each_strong(marks, width, y, claim);
    while (!found.empty()) {
      const std::size_t at = found.back();
      found.pop_back();
      canny_each_near(marks, width, height, at, claim);
    }
  }
}

struct canny_known {
  std::uint64_t picture;  // hash_sequence of its pixels
  canny_limits limits;
  std::int64_t count;
  std::uint64_t edges;  // hash_sequence of 0 or 255
};
/// The published answer for a picture, or nullptr. Known are canny_picture with 256 to 4096 pixels a side, then camera,
/// coins and moon of scikit-image.
inline const canny_known* canny_published(std::uint64_t picture, const canny_limits& limits) {
  static constexpr canny_known known[] = {{0x42782545a77ab267, {100, 200}, 2103, 0x76f01217dc237840},
                                          {0x1c2568c70f7a6919, {100, 200}, 8234, 0x01ed2af03ad1ee36},
                                          {0x11fe9719bd8e290f, {100, 200}, 32571, 0x98ddf2bc1c6f2df0},
                                          {0x5e550727c444aa09, {100, 200}, 129561, 0xa132171959d2adb0},
                                          {0x231edd6e302b30f9, {100, 200}, 517035, 0x7525d84191239f90},
                                          {0xe4ffde8fbc954974, {50, 150}, 30980, 0x19efc40950ba9960},
                                          {0xe4ffde8fbc954974, {100, 200}, 19686, 0x56e0217def205522},
                                          {0x8e1652c81e8f6cb0, {50, 150}, 14955, 0xc57c2d32f4f9de5f},
                                          {0x92937e23db11abd1, {100, 200}, 1145, 0x7161d3f5e4f5f72a}};
  for (const canny_known& k : known)
    if (k.picture == picture && k.limits.low == limits.low && k.limits.high == limits.high) return &k;
  return nullptr;
}

}  // namespace workloads
