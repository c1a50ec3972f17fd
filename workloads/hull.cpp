// hull: finds the convex hull of n points in the plane.
//
// Tasks: quickhull. Two parallel loops go over all points. The first finds the leftmost and the rightmost point. The
// second finds which points lie below and above the line between them, and the farthest point on each side, which is a
// corner. Another parallel loop finds the points beyond the two edges to that corner, and the two new sides are done in
// parallel. Each loop moves the points that it keeps together within its block of `grain` points, and points never
// leave their block; so a side is a list of runs. Soon few points are left; fewer than `grain` are one task.
// Paper: the TBB thesis, 40 million points; after quickhull in TBB's examples, grain 25000.
#include <skua/skua.hpp>

#include "workloads/common/output.hpp"
#include "workloads/common/workload.hpp"
#include "workloads/kernels/hull.hpp"

namespace workloads {
namespace {

constexpr double cycles_of_extreme = 1.7, cycles_of_split = 8;  // for one point; calibrated on one worker

/// The points beyond an edge, in runs, and the farthest of them.
struct far_side {
  std::vector<hull_points> runs;
  hull_farthest farthest;
};
struct far_sides {
  far_side first, second;
};

/// The loops over runs, in parallel or one after another.
struct in_parallel {
  template <class T, class Map, class Combine>
  static T reduce(std::size_t n, T identity, Map map, Combine combine) {
    return skua::parallel_reduce(std::size_t{0}, n, identity, map, combine, skua::loop{.grain = 1});
  }
  template <class F, class G>
  static void both(F f, G g) {
    skua::join(f, g);
  }
};
struct in_turn {
  template <class T, class Map, class Combine>
  static T reduce(std::size_t n, T identity, Map map, Combine combine) {
    for (std::size_t i = 0; i < n; ++i) identity = combine(std::move(identity), map(i));
    return identity;
  }
  template <class F, class G>
  static void both(F f, G g) {
    f(), g();
  }
};

template <class How>
class quickhull {
 public:
  explicit quickhull(std::size_t grain) : grain_(grain) {}

  std::vector<hull_point> of(hull_points points) const {
    std::vector<hull_points> blocks;
    for (std::size_t i = 0; i < points.size(); i += grain_)
      blocks.push_back(points.subspan(i, std::min(grain_, points.size() - i)));
    const auto [a, b] = extremes(blocks);
    std::vector<hull_point> corners{a};
    if (a == b) return corners;
    const far_sides sides = split(blocks, a, b, a);
    std::vector<hull_point> above{b};
    How::both([&] { between(sides.first, a, b, corners); }, [&] { between(sides.second, b, a, above); });
    corners.insert(corners.end(), above.begin(), above.end());
    return corners;
  }

 private:
  hull_extremes extremes(const std::vector<hull_points>& blocks) const {
    return How::reduce(
        blocks.size(), hull_extremes{blocks[0][0], blocks[0][0]},
        [&](std::size_t i) {
          skua::reads(blocks[i].data(), blocks[i].size());
          skua::costs(cycles_of_extreme * static_cast<double>(blocks[i].size()));
          return hull_find_extremes(blocks[i]);
        },
        [](hull_extremes a, hull_extremes b) {
          return hull_extremes{std::min(a.min, b.min), std::max(a.max, b.max)};
        });
  }

  /// The points beyond a b, and beyond b c.
  far_sides split(const std::vector<hull_points>& runs, hull_point a, hull_point b, hull_point c) const {
    struct farthest {
      hull_farthest first, second;
    };
    far_sides sides{{std::vector<hull_points>(runs.size()), {}}, {std::vector<hull_points>(runs.size()), {}}};
    const farthest points = How::reduce(
        runs.size(), farthest{},
        [&](std::size_t i) {
          const hull_split s = hull_split_run(runs[i], a, b, c);
          skua::reads(runs[i].data(), runs[i].size());
          skua::writes(runs[i].data(), s.first.size() + s.second.size());
          skua::costs(cycles_of_split * static_cast<double>(runs[i].size()));
          sides.first.runs[i] = s.first;
          sides.second.runs[i] = s.second;
          return farthest{s.first_farthest, s.second_farthest};
        },
        [](farthest x, const farthest& y) {
          x.first.see(y.first);
          x.second.see(y.second);
          return x;
        });
    sides.first.farthest = points.first;
    sides.second.farthest = points.second;
    for (far_side* side : {&sides.first, &sides.second}) std::erase_if(side->runs, &hull_points::empty);
    return sides;
  }

  /// Appends the corners between a and b.
  void between(const far_side& side, hull_point a, hull_point b, std::vector<hull_point>& corners) const {
    std::size_t count = 0;
    for (const hull_points run : side.runs) count += run.size();
    if (count <= grain_) return between_few(side, a, b, corners);
    const hull_point farthest = side.farthest.point;
    const far_sides sides = split(side.runs, a, farthest, b);
    std::vector<hull_point> others{farthest};
    How::both([&] { between(sides.first, a, farthest, corners); },
              [&] { between(sides.second, farthest, b, others); });
    corners.insert(corners.end(), others.begin(), others.end());
  }

  static void between_few(const far_side& side, hull_point a, hull_point b,
                          std::vector<hull_point>& corners) {
    std::vector<hull_point> points;
    for (const hull_points run : side.runs) {
      skua::reads(run.data(), run.size());
      points.insert(points.end(), run.begin(), run.end());
    }
    skua::costs(2 * cycles_of_split * static_cast<double>(points.size()));
    hull_between(points, a, b, side.farthest.point, corners);
  }

  std::size_t grain_;
};

class hull_program : public program {
 public:
  explicit hull_program(const parameters& asked)
      : n_(static_cast<std::size_t>(
            asked.number("n", asked.pick(100'000, 20'000'000, 40'000'000), 1, 1 << 30))),
        grain_(static_cast<std::size_t>(asked.number("grain", 25000, 1, 1 << 30))),
        seed_(asked.seed.value_or(42)),
        disk_(asked.choice("shape", {"disk", "square"}) == "disk"),
        output_(checked_output(asked)) {}

  void prepare() override {
    points_.resize(n_);
    for (std::size_t i = 0; i < n_; ++i) points_[i] = point(i);
    corners_.clear();
  }
  void sequential() override { corners_ = quickhull<in_turn>(grain_).of(points_); }
  void parallel() override { corners_ = quickhull<in_parallel>(grain_).of(points_); }
  answer_check verify() override {
    const auto point_at = [this](std::size_t i) { return point(i); };
    const hull_known* known = seed_ == 42 ? hull_published(n_, disk_) : nullptr;
    if (known) {
      if (corners_.size() != known->corners || hull_double_area(corners_) != known->double_area ||
          corners_[0] != known->first || hull_hash(corners_) != known->hash)
        return {false, "the corners differ from the published ones"};
    } else if (const char* wrong = hull_wrong(corners_, n_, point_at)) {
      return {false, wrong};
    }
    if (!output_.empty()) write_output(output_, hull_drawing(corners_, n_, point_at));
    return {true, std::to_string(corners_.size()) + " corners around " + std::to_string(n_) + " points" +
                      (known ? ", as published" : "") + (output_.empty() ? "" : "; drawing in " + output_)};
  }
  void flip_one() override {
    if (!corners_.empty()) corners_[corners_.size() / 2].y ^= 1;
  }

 private:
  hull_point point(std::size_t i) const { return disk_ ? hull_in_disk(seed_, i) : hull_in_square(seed_, i); }

  std::size_t n_, grain_;
  std::uint64_t seed_;
  bool disk_;
  std::string output_;
  std::vector<hull_point> points_;  // in the order in which the loops moved them
  std::vector<hull_point> corners_;
};

}  // namespace

extern const workload hull_workload{
    .name = "hull",
    .summary = "convex hull by quickhull: parallel filters over fewer and fewer points",
    .ci = "100 000 points in a disk",
    .med = "20 million points (160 MB)",
    .paper = "40 million points (320 MB)",
    .options = {{"n", "1 .. 1073741824", "points"},
                {"grain", "1 .. 1073741824", "points of one task"},
                {"shape", "disk|square", "the shape that the points fill"},
                {"output", "FILE", "write an SVG drawing of the hull and some of the points to this file"}},
    .make = [](const parameters& asked) -> std::unique_ptr<program> {
      return std::make_unique<hull_program>(asked);
    }};

}  // namespace workloads
