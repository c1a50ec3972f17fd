#include "paper/scaling.hpp"

#include "paper/band.hpp"

namespace skua::paper {
namespace {

double ratio(double part, double all) { return all > 0 ? part / all : 0; }

}  // namespace

scaled scaled_at(const scaling_curve& curve, const scaling_point& point) {
  const scaling_point& one = curve.points.front();
  const auto ns = [&](activity what) { return static_cast<double>(point.times.of(what)); };
  const double all = static_cast<double>(point.times.sum()),
               work = static_cast<double>(one.times.of(activity::user));
  scaled to;
  to.seconds = median_of(point.seconds);
  to.speedup = ratio(median_of(one.seconds), to.seconds);
  to.efficiency = to.speedup / static_cast<double>(point.workers);
  for (std::size_t i = 0; i < activity_count; ++i) {
    const auto spent = static_cast<double>(point.times.ns[i]);
    to.share[i] = ratio(spent, all);
    to.of_work[i] = ratio(spent, work);
  }
  to.inflation = work > 0 ? ns(activity::user) / work : 1;  // of a simulated program that declares nothing
  const double library = all - ns(activity::user) - ns(activity::asleep);
  const double stealing =
      ns(activity::looking) + ns(activity::claiming) + ns(activity::taking) + ns(activity::waiting);
  to.library = ratio(library, all);
  to.stealing = ratio(stealing, library);
  to.waiting = ratio(ns(activity::waiting), stealing);
  return to;
}

}  // namespace skua::paper
