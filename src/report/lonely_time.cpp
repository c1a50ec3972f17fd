#include "report/lonely_time.hpp"

#include <algorithm>
#include <vector>

#include "report/thresholds.hpp"

namespace skua::reports {

namespace {

/// What of an interval a worker worked.
double work_in(const worker_times& times, double interval_ns) {
  const std::uint64_t idle = times.of(activity::looking) + times.of(activity::claiming) +
                             times.of(activity::waiting) + times.of(activity::asleep);
  return static_cast<double>(times.sum() - idle) / interval_ns;
}

struct interval {
  std::vector<bool> working;
  std::size_t number = 0;  // of them
  double of_others = 0;    // what each of the others worked, on average

  interval(const observe::timeline_record& line, std::size_t i) : working(line.workers.size()) {
    for (std::size_t w = 0; w < working.size(); ++w) {
      const auto& all = line.workers[w];
      const double work = i < all.size() ? work_in(all[i], static_cast<double>(line.interval_ns)) : 0;
      working[w] = work >= thresholds::works;
      if (working[w])
        ++number;
      else
        of_others += work;
    }
    if (number < working.size()) of_others /= static_cast<double>(working.size() - number);
  }
  bool lonely() const {
    const std::size_t few = std::max<std::size_t>(1, working.size() / 4);
    return number > 0 && number <= few && of_others < thresholds::nothing_to_do;
  }
  bool most_work() const { return 2 * number > working.size(); }
};

/// For how long up to now each worker has worked while few did; and the longest of these stretches.
class stretches {
 public:
  explicit stretches(std::size_t workers) : lengths_(workers) {}

  void add(const interval& here, double interval_ns, lonely_time& found) {
    for (std::size_t w = 0; w < lengths_.size(); ++w) {
      lengths_[w] = here.lonely() && here.working[w] ? lengths_[w] + interval_ns : 0;
      if (lengths_[w] <= found.longest_ns) continue;
      found.longest_ns = lengths_[w];
      found.worker = static_cast<std::uint32_t>(w);
      found.after_company = company_;
    }
    company_ = company_ || here.most_work();
  }

 private:
  std::vector<double> lengths_;
  bool company_ = false;
};

}  // namespace

lonely_time find_lonely_time(const observe::run_record& run) {
  lonely_time found;
  const observe::timeline_record& line = run.timeline;
  if (line.workers.size() < 2 || line.interval_ns == 0) return found;
  const auto interval_ns = static_cast<double>(line.interval_ns);
  std::size_t intervals = 0;
  for (const auto& one : line.workers) intervals = std::max(intervals, one.size());

  stretches all(line.workers.size());
  double lonely_workers = 0;
  for (std::size_t i = 0; i < intervals; ++i) {
    const interval here(line, i);
    all.add(here, interval_ns, found);
    if (!here.lonely()) continue;
    found.ns += interval_ns;
    lonely_workers += static_cast<double>(here.number) * interval_ns;
  }
  if (found.ns > 0) found.workers = lonely_workers / found.ns;
  return found;
}

}  // namespace skua::reports
