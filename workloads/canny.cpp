// canny: finds the edge pixels of a grey picture.
//
// Tasks: two phases. The first finds candidates. The second follows edges from the pixels that are certainly edges; a
// task claims each candidate on its way, and the first task to reach one gets it. The length of an edge is unknown
// until it has been followed. With `task=pixel`, as in the paper, a task is one pixel in both phases, and the pixels
// that a task claims become tasks. With `task=rows` a task of the first phase marks some rows, which computes every
// gradient about once instead of up to three times. A task of the second phase searches a row and follows its edges,
// and makes a new task only where an edge forks.
// Paper: ADM's ced, after OpenCV (Canny, 1986): a million tasks a phase, about 400 cycles each, few of them stolen. The
// paper's picture of New York is not available; this workload uses a disk on a chessboard with noise, or a file.
#include <atomic>
#include <optional>

#include <skua/skua.hpp>

#include "workloads/common/output.hpp"
#include "workloads/common/workload.hpp"
#include "workloads/kernels/canny.hpp"

namespace workloads {
namespace {

// Calibrated on one worker.
constexpr double cycles_of_row_pixel = 2.3, cycles_of_lone_pixel = 11, cycles_of_edge_pixel = 35;

class canny_search {
 public:
  canny_search(const grey_picture& picture, canny_limits limits, std::vector<std::uint8_t>& marks,
               std::vector<std::uint8_t>& edges, bool by_pixel)
      : picture_(picture), limits_(limits), by_pixel_(by_pixel), marks_(marks.data()), edges_(edges.data()) {}

  void mark_by_rows(std::size_t rows) {
    skua::phase<std::size_t> blocks;
    blocks.enqueue_range(0, (height_ + rows - 1) / rows);
    blocks.run([&](std::size_t block) { mark_rows(block * rows, std::min(height_, (block + 1) * rows)); });
  }
  void mark_by_pixel() {
    skua::phase<std::size_t> pixels;
    pixels.enqueue_range(0, width_ * height_);
    pixels.run([&](std::size_t at) { mark_pixel(at); });
  }

  /// A task is a claimed pixel, given by its position, or a row to search for strong pixels, given as -1 - row. Rows
  /// come first.
  void connect() {
    skua::phase<std::int64_t> edges;
    const auto run_later = [&](std::size_t at) { edges.enqueue(static_cast<std::int64_t>(at)); };
    edges.enqueue_range(-static_cast<std::int64_t>(height_), 0);
    edges.run([&](std::int64_t task) {
      if (task < 0)
        begin_edges(static_cast<std::size_t>(-1 - task), run_later);
      else
        follow(static_cast<std::size_t>(task), run_later);
    });
  }

 private:
  void mark_rows(std::size_t first, std::size_t last) {
    canny_marker(picture_, limits_, marks_).mark(first, last);
    const std::size_t above = first < 2 ? 0 : first - 2, below = std::min(height_, last + 2);
    const std::size_t at = first * width_, size = (last - first) * width_;
    std::fill_n(edges_ + at, size, std::uint8_t{0});
    skua::reads(pixels_ + above * width_, (below - above) * width_);
    skua::writes(marks_ + at, size);
    skua::writes(edges_ + at, size);
    skua::costs(cycles_of_row_pixel * static_cast<double>(size));
  }

  void mark_pixel(std::size_t at) {
    marks_[at] = canny_mark_of(picture_, limits_, at);
    edges_[at] = 0;
    declare_around(pixels_, at, 2);
    skua::writes(marks_ + at, 1);
    skua::writes(edges_ + at, 1);
    skua::costs(cycles_of_lone_pixel);
  }

  template <class RunLater>
  void begin_edges(std::size_t row, RunLater run_later) {
    skua::reads(marks_ + row * width_, width_);
    canny_each_strong(marks_, width_, row, [&](std::size_t at) {
      if (!claim(at)) return;
      if (by_pixel_)
        run_later(at);
      else
        follow(at, run_later);
    });
  }

  template <class RunLater>
  void follow(std::size_t at, RunLater run_later) {
    constexpr auto nowhere = ~std::size_t{0};
    while (at != nowhere) {
      declare_around(static_cast<const std::uint8_t*>(marks_), at, 1);
      declare_around(edges_, at, 1);
      skua::costs(cycles_of_edge_pixel);
      std::size_t next = nowhere;
      canny_each_near(marks_, width_, height_, at, [&](std::size_t near) {
        if (!claim(near)) return;
        if (by_pixel_ || next != nowhere)
          run_later(near);
        else
          next = near;
      });
      at = next;
    }
  }

  /// Returns whether the pixel was not claimed before.
  bool claim(std::size_t at) {
    const std::atomic_ref<std::uint8_t> edge(edges_[at]);
    return edge.load(std::memory_order_relaxed) == 0 && edge.exchange(255, std::memory_order_relaxed) == 0;
  }

  /// Declares the square of pixels at most `reach` away: written if it is not const, else read.
  template <class Byte>
  void declare_around(Byte* bytes, std::size_t at, std::size_t reach) const {
    const std::size_t x = at % width_, y = at / width_;
    const std::size_t left = x < reach ? 0 : x - reach, right = std::min(width_ - 1, x + reach);
    const std::size_t top = y < reach ? 0 : y - reach, bottom = std::min(height_ - 1, y + reach);
    Byte* const first = bytes + top * width_ + left;
    skua::reads(first, right - left + 1, bottom - top + 1, width_);
    if constexpr (!std::is_const_v<Byte>) skua::writes(first, right - left + 1, bottom - top + 1, width_);
  }

  const grey_picture& picture_;
  const canny_limits limits_;
  const bool by_pixel_;
  const std::size_t width_ = picture_.width, height_ = picture_.height;
  const std::uint8_t* const pixels_ = picture_.pixels.data();
  std::uint8_t* const marks_;
  std::uint8_t* const edges_;
};

class canny_program : public program {
 public:
  explicit canny_program(const parameters& asked)
      : times_(asked.number("times", asked.pick(1, 5, 1), 1, 1000)), output_(checked_output(asked)) {
    const std::string task = asked.choice("task", {"default", "rows", "pixel"});
    by_pixel_ = task == "pixel" || (task == "default" && asked.size == size_class::paper);
    rows_ = static_cast<std::size_t>(asked.number("rows", asked.pick(16, 64, 64), 1, pgm_longest_side));
    limits_.low = static_cast<int>(asked.number("low", 100, 0, 2040));
    limits_.high = static_cast<int>(asked.number("high", std::max(200, limits_.low), limits_.low, 2040));
    const auto side = static_cast<std::size_t>(asked.number("n", asked.pick(256, 4096, 1024), 1, 16384));
    const std::string input = asked.text("input", "");
    picture_ = input.empty() ? canny_picture(side, side, asked.seed.value_or(42)) : read_pgm(input);
    published_ = canny_published(hash_sequence(picture_.pixels), limits_);
  }

  void prepare() override {
    marks_.assign(picture_.pixels.size(), canny_out);
    edges_.assign(picture_.pixels.size(), 1);  // no pixel has this value at the end
  }
  void sequential() override {
    for (std::int64_t i = 0; i < times_; ++i) {
      std::ranges::fill(edges_, std::uint8_t{0});
      canny_marker(picture_, limits_, marks_.data()).mark(0, picture_.height);
      canny_connect(marks_.data(), picture_.width, picture_.height, edges_.data());
    }
  }
  void parallel() override {
    canny_search search(picture_, limits_, marks_, edges_, by_pixel_);
    for (std::int64_t i = 0; i < times_; ++i) {
      share().set(i, times_);
      if (by_pixel_)
        search.mark_by_pixel();
      else
        search.mark_by_rows(rows_);
      search.connect();
    }
  }
  answer_check verify() override;
  void flip_one() override { edges_[edges_.size() / 2] ^= 255; }

 private:
  /// Computes the edges pixel by pixel, following the definition.
  std::uint64_t hash_by_definition() const {
    std::vector<std::uint8_t> marks(edges_.size()), edges(edges_.size());
    for (std::size_t at = 0; at < marks.size(); ++at) marks[at] = canny_mark_of(picture_, limits_, at);
    canny_connect(marks.data(), picture_.width, picture_.height, edges.data());
    return hash_sequence(edges);
  }

  grey_picture picture_;
  canny_limits limits_;
  bool by_pixel_ = false;
  std::size_t rows_ = 0;
  std::int64_t times_;
  std::string output_;
  std::vector<std::uint8_t> marks_, edges_;
  const canny_known* published_ = nullptr;
  std::optional<std::uint64_t> expected_;
};

answer_check canny_program::verify() {
  if (!expected_) expected_ = published_ ? published_->edges : hash_by_definition();
  const std::int64_t count = std::ranges::count(edges_, 255);
  const std::string text = std::to_string(count) + " edge pixels of " + std::to_string(edges_.size());
  if (hash_sequence(edges_) != expected_ || (published_ && count != published_->count))
    return {false, text + (published_ ? ", not the published ones" : ", not those of the definition")};
  if (!output_.empty()) write_output(output_, pgm_text({picture_.width, picture_.height, edges_}));
  return {true, text + (published_ ? ", as published" : ", as defined")};
}

}  // namespace

extern const workload canny_workload{
    .name = "canny",
    .summary = "find the edges of a picture: a phase of small tasks, then a phase that follows the edges",
    .ci = "256 x 256",
    .med = "4096 x 4096, 5 times",
    .paper = "1024 x 1024, one task for each pixel (3 MB)",
    .options = {{"n", "1 .. 16384", "side of the generated picture in pixels"},
                {"input", "FILE", "read a picture in PGM format instead"},
                {"output", "FILE", "write the edges to this PGM file"},
                {"low", "0 .. 2040", "an edge continues where the brightness changes by more than this"},
                {"high", "low .. 2040", "an edge begins where the brightness changes by more than this"},
                {"task", "default|rows|pixel", "work of one task in the first phase"},
                {"rows", "1 .. 65536", "rows of one task"},
                {"times", "1 .. 1000", "number of repetitions"}},
    .make = [](const parameters& asked) -> std::unique_ptr<program> {
      return std::make_unique<canny_program>(asked);
    }};

}  // namespace workloads
