// streamcluster: finds between kmin and kmax centres for a stream of points, chunk by chunk (online k-median).
//
// Tasks: a local search. It tests whether a point should become a centre, and which centres are then no longer worth
// their price. Each test is five short parallel loops over all points, with a task for each of 64 divisions and a few
// sums in between. The result is nearly always no. Thousands of tests follow each other, so the time to begin and end
// loops limits scaling. Sums are kept for each division and added in order: the same bits on any number of workers.
// Paper: the TBB thesis, after PARSEC (16384 points of 128 dimensions), where stealing takes most of the time.
#include <skua/skua.hpp>

#include <cstdio>

#include "workloads/common/workload.hpp"
#include "workloads/streamcluster_search.hpp"

namespace workloads {
namespace {

struct clustering {
  cluster_points centres;
  double cost = 0;      // of all points, when their chunk was finished
  cluster_points last;  // the last chunk at that time
  bool found = true;

  bool operator==(const clustering& other) const {
    return centres.id == other.centres.id && centres.weight == other.centres.weight &&
           centres.coordinates == other.centres.coordinates && cost == other.cost;
  }
};

class streamcluster_program : public program {
 public:
  explicit streamcluster_program(const parameters& asked)
      : n_(static_cast<std::size_t>(asked.number("n", asked.pick(512, 8192, 16384), 1, 10'000'000))),
        dimensions_(static_cast<std::size_t>(asked.number("d", asked.pick(16, 64, 128), 1, 1024))),
        chunk_(static_cast<std::size_t>(asked.number("chunk", static_cast<std::int64_t>(n_), 1, 10'000'000))),
        draw_(static_cast<std::uint32_t>(asked.seed.value_or(1))) {
    const std::int64_t kmin = asked.number("kmin", 10, 2, 10000);
    wanted_ = {static_cast<std::size_t>(kmin),
               static_cast<std::size_t>(asked.number("kmax", std::max<std::int64_t>(20, kmin), kmin, 10000))};
    if (asked.seed.value_or(1) == 1 && chunk_ >= n_ && wanted_.min == 10 && wanted_.max == 20)
      published_ = cluster_published(dimensions_, n_);
    input_.resize(n_ * dimensions_);
    for (float& x : input_) x = draw_.uniform();
  }

  void prepare() override { answer_ = {}; }
  void sequential() override { answer_ = cluster<cluster_in_turn>(); }
  void parallel() override { answer_ = cluster<cluster_in_parallel>(); }
  answer_check verify() override;
  void flip_one() override {
    if (answer_.centres.size() != 0)
      answer_.centres.weight[0] = std::nextafter(answer_.centres.weight[0], 1e9F);
  }

 private:
  template <class How>
  clustering cluster();

  std::size_t n_, dimensions_, chunk_;
  cluster_bounds wanted_;
  posix_random draw_;  // its state after making the input
  const cluster_known* published_ = nullptr;
  std::vector<float> input_;
  clustering answer_;
  std::optional<clustering> sequential_;
};

template <class How>
clustering streamcluster_program::cluster() {
  posix_random draw = draw_;
  clustering result;
  cluster_points of_chunks{.dimensions = dimensions_};
  for (std::size_t first = 0; first < n_; first += chunk_) {
    share().set(first, n_);
    cluster_points chunk{.dimensions = dimensions_};
    for (std::size_t i = first; i < std::min(n_, first + chunk_); ++i)
      chunk.add(&input_[i * dimensions_], 1, static_cast<std::uint32_t>(i));
    cluster_search<How> search(chunk, wanted_, draw);
    search.run();
    result.cost += search.sum_of_costs();
    result.found = result.found && search.found();
    std::iota(chunk.id.begin(), chunk.id.end(), static_cast<std::uint32_t>(first));  // numbered as in PARSEC
    cluster_collect(chunk, of_chunks);
    result.last = std::move(chunk);
  }
  cluster_search<How> search(of_chunks, wanted_, draw);
  search.run();
  result.found = result.found && search.found();
  result.centres.dimensions = dimensions_;
  cluster_collect(of_chunks, result.centres);
  return result;
}

answer_check streamcluster_program::verify() {
  const cluster_points& centres = answer_.centres;
  const std::size_t k = centres.size();
  if (std::accumulate(centres.weight.begin(), centres.weight.end(), 0.0) != static_cast<double>(n_))
    return {false, "the weights of the centres do not match the points"};
  if (answer_.found && (k < std::min(wanted_.min, n_) || k > wanted_.max))
    return {false, std::to_string(k) + " centres are too few or too many"};
  const cluster_costs costs = cluster_recompute(answer_.last);
  const double total = std::accumulate(answer_.last.cost.begin(), answer_.last.cost.end(), 0.0);
  if (!(std::abs(costs.assigned - total) <= 1e-5 * total) || !(costs.nearest <= 1.00001 * total))
    return {false, "the costs of the points are not their distances"};
  if (!sequential_) sequential_ = cluster<cluster_in_turn>();
  if (!(answer_ == *sequential_)) return {false, "some bits differ from the sequential answer"};
  if (published_ && (centres.id != published_->ids || centres.weight != published_->weights))
    return {false, "the centres differ from PARSEC's"};
  char text[120];
  std::snprintf(text, sizeof text, "%zu centres, cost %.6g, every bit equals the sequential answer%s", k,
                answer_.cost, published_ ? ", the same as PARSEC's" : "");
  return {true, text};
}

}  // namespace

extern const workload streamcluster_workload{
    .name = "streamcluster",
    .summary = "find centres for a stream of points: thousands of short loops, one after another",
    .ci = "512 points of 16 dimensions",
    .med = "8192 points of 64 dimensions",
    .paper = "16384 points of 128 dimensions (25 MB)",
    .options = {{"n", "1 .. 10000000", "points"},
                {"d", "1 .. 1024", "dimensions"},
                {"kmin", "2 .. 10000", "minimum number of centres"},
                {"kmax", "kmin .. 10000", "maximum number of centres"},
                {"chunk", "1 .. 10000000",
                 "points clustered at a time; their centres are clustered at the end"}},
    .make = [](const parameters& asked) -> std::unique_ptr<program> {
      return std::make_unique<streamcluster_program>(asked);
    }};

}  // namespace workloads
