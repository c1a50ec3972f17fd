#include "simulator/engine/leaf_times.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <exception>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <skua/topology.hpp>

#include "base/list_text.hpp"
#include "core/platform/platform.hpp"
#include "core/platform/process_fork.hpp"

namespace skua::simulator {

namespace {

constexpr std::string_view heading = "skua recording 1";
constexpr char step_word[] = "step", loop_word[] = "loop", end_word[] = "end";

std::uint64_t key_of(std::uint64_t task, std::uint64_t step) noexcept {
  return detail::strand::mix(detail::strand::mix(task) + step);
}

std::uint64_t summed(std::uint64_t sum, std::uint64_t number) noexcept {
  return detail::strand::mix(sum ^ number);
}

}  // namespace

// ---- writing

recording_writer::recording_writer(std::string file)
    : name_(std::move(file)),
      process_(core::exported_process_generation()),
      file_(std::make_unique<std::ofstream>(name_)) {
  if (!*file_)
    throw bad_input("cannot write the recording '" + name_ + "': " + std::strerror(errno) +
                    "; allowed: a file in an existing folder");
  *file_ << heading << '\n';
}

bool recording_writer::is_ours() const noexcept { return process_ == core::exported_process_generation(); }

void recording_writer::write(const detail::strand& of, bool last, std::uint64_t ns) {
  if (last && of.only_positions())
    add(loop_word, {of.loop, of.first, of.count, ns});
  else
    add(step_word, {of.task, of.step, ns});
}

void recording_writer::add(const char* kind, std::initializer_list<std::uint64_t> numbers) {
  if (!is_ours()) return;
  *file_ << kind;
  for (const std::uint64_t number : numbers) {
    *file_ << ' ' << number;
    sum_ = summed(sum_, number);
  }
  *file_ << '\n';
  ++lines_;
}

void recording_writer::finish() noexcept try {
  if (!is_ours()) return static_cast<void>(file_.release());  // its buffer would go into the parent's file
  if (!file_->is_open()) return;
  *file_ << end_word << ' ' << lines_ << ' ' << sum_ << '\n';
  file_->close();
  if (!*file_) std::fprintf(stderr, "skua: the recording '%s' could not be written\n", name_.c_str());
} catch (const std::exception& thrown) {
  std::fprintf(stderr, "skua: the recording '%s' could not be written: %s\n", name_.c_str(), thrown.what());
}

// ---- reading

class recording::reader {
 public:
  explicit reader(const std::string& name) : name_(name), file_(name) {
    if (!file_)
      throw bad_input("cannot read the recording '" + name_ + "': " + std::strerror(errno) +
                      "; allowed: a file written by --record or SKUA_SIMULATE_RECORD");
  }

  void read() {
    std::string line;
    if (!std::getline(file_, line) || line != heading)
      refuse("is not a recording: its first line is not '" + std::string(heading) + "'");
    while (std::getline(file_, line)) {
      ++number_;
      if (take(line)) return;
    }
    refuse("is damaged: its last line is missing, so the run did not end");
  }

  std::vector<time_of_step> steps;  // in the order of the file
  loops_of_file loops;

 private:
  /// True for the last line.
  bool take(const std::string& line) {
    std::string_view rest = line;
    const std::string_view kind = rest.substr(0, rest.find(' '));
    rest.remove_prefix(kind.size());
    const bool of_loop = kind == loop_word, ends = kind == end_word;
    if (!of_loop && !ends && kind != step_word) damaged();
    std::uint64_t n[4] = {};
    for (int i = 0; i < (of_loop ? 4 : ends ? 2 : 3); ++i) {
      n[i] = number_of(rest);
      if (!ends) sum_ = summed(sum_, n[i]);
    }
    if (!rest.empty()) damaged();
    if (ends) {
      if (n[0] + 1 != number_ || n[1] != sum_) refuse("is damaged: its checksum is wrong");
      return true;
    }
    if (of_loop)
      loops[n[0]].push_back({n[1], n[2], n[3]});
    else
      steps.emplace_back(key_of(n[0], n[1]), n[2]);
    return false;
  }

  std::uint64_t number_of(std::string_view& rest) {
    std::uint64_t value = 0;
    if (!rest.starts_with(' ')) damaged();
    const auto [end, error] = std::from_chars(rest.data() + 1, rest.data() + rest.size(), value);
    if (error != std::errc()) damaged();
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    return value;
  }

  [[noreturn]] void damaged() const { refuse("is damaged in line " + std::to_string(number_ + 1)); }
  [[noreturn]] void refuse(const std::string& why) const {
    throw bad_input("recording '" + name_ + "' " + why +
                    "; allowed: a file written by --record or SKUA_SIMULATE_RECORD");
  }

  const std::string name_;
  std::ifstream file_;
  std::uint64_t number_ = 0, sum_ = 0;
};

recording::recording(const std::string& files) {
  for (const std::string_view file : base::split_at_commas(files)) {
    reader source{std::string(file)};
    source.read();
    add_steps(std::move(source.steps));
    for (auto& [loop, pieces] : source.loops) std::ranges::stable_sort(pieces, {}, &piece::first);
    loops_.push_back(std::move(source.loops));
  }
}

// Of two recordings of a step it takes the one that is shorter as a whole, since they may have been interrupted in different
// places.
void recording::add_steps(std::vector<time_of_step> steps) {
  std::ranges::stable_sort(steps, {}, &time_of_step::first);
  for (auto first = steps.begin(); first != steps.end();) {
    const auto end =
        std::ranges::find_if(first, steps.end(), [&](const auto& one) { return one.first != first->first; });
    range& known = steps_.try_emplace(first->first, range{0, 0}).first->second;
    range found{times_.size(), times_.size()};
    for (; first != end; ++first, ++found.end) times_.push_back(first->second);
    if (known.end == 0 || total(found) < total(known)) known = found;
  }
}

std::uint64_t recording::total(const range& of) const noexcept {
  std::uint64_t ns = 0;
  for (std::size_t i = of.first; i < of.end; ++i) ns += times_[i];
  return ns;
}

std::uint64_t recording::next(const detail::strand& of, bool last) {
  return last && of.only_positions() ? of_positions(of) : of_step(of, last);
}

// The total time of a step does not depend on how often the strand leaves it for the core.
std::uint64_t recording::of_step(const detail::strand& of, bool last) {
  const auto found = steps_.find(key_of(of.task, of.step));
  if (found == steps_.end()) {
    missing_ += last;
    return 0;
  }
  std::size_t at = found->second.first + of.part;
  if (at >= found->second.end) return 0;
  std::uint64_t ns = times_[at];
  while (last && ++at < found->second.end) ns += times_[at];
  return ns;
}

// The times of the recorded pieces of the loop, in proportion to the positions in common.
recording::part_of_loop recording::find_positions(const loops_of_file& loops, const detail::strand& wanted) {
  const std::uint64_t begin = wanted.first, end = wanted.first + wanted.count;
  part_of_loop found{0, 0};
  const auto loop = loops.find(wanted.loop);
  if (loop == loops.end()) return found;
  const std::vector<piece>& pieces = loop->second;
  auto at = std::ranges::upper_bound(pieces, begin, {}, &piece::first);
  if (at != pieces.begin()) --at;
  for (; at != pieces.end() && at->first < end; ++at) {
    const std::uint64_t from = std::max(begin, at->first), to = std::min(end, at->first + at->count);
    if (from >= to) continue;
    const auto until = [&](std::uint64_t position) {
      const std::uint64_t before = position - at->first;
      return at->ns / at->count * before + at->ns % at->count * before / at->count;
    };
    found.ns += until(to) - until(from);
    found.positions += to - from;
  }
  return found;
}

// The shortest time among the recordings that have the most of these positions.
std::uint64_t recording::of_positions(const detail::strand& wanted) {
  part_of_loop best{0, 0};
  for (const loops_of_file& loops : loops_) {
    const part_of_loop found = find_positions(loops, wanted);
    if (found.positions > best.positions || (found.positions == best.positions && found.ns < best.ns))
      best = found;
  }
  missing_ += best.positions < wanted.count;
  return best.ns;
}

using core::host_platform;

leaf_clock::leaf_clock() noexcept : leaf_clock(&host_platform::kept_waiting_ns) {}

leaf_clock::leaf_clock(waits_of_thread waits) noexcept
    : kept_waiting_(waits), reading_ns_(std::numeric_limits<std::int64_t>::max()) {
  for (int i = 0; i < 100; ++i) {
    const std::int64_t from = host_platform::real_now_ns();
    reading_ns_ = std::min(reading_ns_, host_platform::real_now_ns() - from);
  }
}

// The kernel likes to give the CPU away at the end of a system call. Then the wait is missing in what was read, though it is
// over when the clock is read. So this reads the waits until there was no time for that between the two readings of the
// clock. Sets seen_ns_ to the time to which waited_ns_ belongs, and returns the time after it.
std::int64_t leaf_clock::read_waits(std::int64_t now) noexcept {
  constexpr int most = 10;  // so many slow readings in a row are no waits, but for example an emulated kernel
  for (int i = 0; i < most; ++i) {
    seen_ns_ = now;
    waited_ns_ = kept_waiting_();
    now = host_platform::real_now_ns();
    const std::int64_t took = now - seen_ns_, limit = std::max(brief_ns, 2 * reading_waits_ns_);
    reading_waits_ns_ = reading_waits_ns_ == 0 ? took : std::min(reading_waits_ns_, took);
    if (took < limit || waited_ns_ < 0) break;
  }
  return now;
}

void leaf_clock::start() noexcept {
  started_ns_ = host_platform::real_now_ns();
  const int thread = host_platform::thread_number();
  if (thread != thread_ || started_ns_ - seen_ns_ >= brief_ns) started_ns_ = read_waits(started_ns_);
  thread_ = thread;
  seen_ns_ = started_ns_;
}

void leaf_clock::start_warm() noexcept {
  const std::int64_t before = seen_ns_;
  start();
  if (started_ns_ - before < warm_ns) return;
  stop();
  start();
}

std::uint64_t leaf_clock::stop() noexcept {
  const std::int64_t now = host_platform::real_now_ns();
  std::int64_t took = now - started_ns_ - reading_ns_;
  if (took >= brief_ns) {
    const std::int64_t waited_before = waited_ns_;
    read_waits(now);
    // Where a reading was repeated, the wait during the first one is among the waits.
    const std::int64_t later = seen_ns_ == now ? 0 : seen_ns_ - now - reading_waits_ns_;
    if (waited_ns_ >= 0 && waited_before >= 0)
      took = std::min(took, took + later - (waited_ns_ - waited_before));
  } else {
    seen_ns_ = now;
  }
  return took > 0 ? static_cast<std::uint64_t>(took) : 0;
}

}  // namespace skua::simulator
