// canneal: places the elements of a circuit on a grid so that the wires are short, by simulated annealing.
//
// Tasks: a step has 15000 moves. A move swaps two elements if that makes wires shorter, or at random with a probability
// that falls from step to step. A move reads about twenty words all over the placement, so no cache and no order of
// stealing helps. mode=det judges all moves of a step by the placement at its beginning. It then makes the moves that
// are the first to claim both of their elements, so every schedule gives the same answer. mode=racy makes each move at
// once while other tasks judge by what they happen to see, in chains of 64 moves.
// Paper: ADM, PARSEC's "native" input cut to 100 steps (2.5 million elements, 15000 moves a step); mode=racy is
// PARSEC's.
#include <atomic>
#include <thread>

#include <skua/skua.hpp>

#include "workloads/common/workload.hpp"
#include "workloads/kernels/canneal.hpp"
#include "workloads/kernels/canneal_input.hpp"

namespace workloads {
namespace {

constexpr double cycles_to_make = 9;  // to make a move that was judged; one worker, 1000 elements: 8 to 10

/// Declares what a move reads: two lists of wires, and the places of the elements at their other ends. Those lie
/// anywhere; the declaration uses words that are spread evenly over all places.
void declare_move(const canneal_circuit& c, const std::vector<canneal_place>& places, std::uint32_t a,
                  std::uint32_t b) {
  if (!skua::has_listener()) return;
  const auto of_a = c.wired(a), of_b = c.wired(b);
  const std::size_t ends = of_a.size() + of_b.size(), apart = places.size() / (ends + 1);
  skua::reads(of_a.data(), of_a.size());
  skua::reads(of_b.data(), of_b.size());
  skua::reads(&places[a], 1);
  skua::reads(&places[b], 1);
  skua::reads(&places[a % (apart + 1)], 1, ends, apart);
  // Calibrated on one worker, 1000 elements: 70 to 100 cycles for 17 ends.
  skua::costs(30 + 3.0 * static_cast<double>(ends));
}

/// Declares a chain of moves. The moves that it judges follow from their numbers alone. The moves that it makes do not,
/// so the declaration assumes that it makes none.
void declare_chain(const canneal_circuit& c, const std::vector<canneal_place>& places,
                   const canneal_plan& plan, int step, std::uint32_t first, std::uint32_t last) {
  if (!skua::has_listener()) return;
  std::optional<std::uint32_t> chained;
  for (std::uint32_t m = first; m < last; ++m) {
    const canneal_move move = canneal_draw(plan.seed, plan.number(step, m), c.places(), chained);
    declare_move(c, places, move.a, move.b);
    chained = move.b;
  }
}

/// The deterministic mode.
class annealer {
 public:
  annealer(const canneal_circuit& circuit, std::vector<canneal_place>& places, const canneal_plan& plan,
           bool by_phases, run_share& share)
      : c_(circuit),
        places_(places),
        plan_(plan),
        by_phases_(by_phases),
        share_(share),
        moves_(plan.moves),
        wanted_(circuit.places()) {}

  canneal_tally run() {
    canneal_tally all;
    for (step_ = 1; step_ <= plan_.steps; ++step_) {
      share_.set(step_ - 1, plan_.steps);
      temperature_ /= 1.5;
      const auto reduce = [&](auto leaf) {
        return by_phases_ ? reduce_by_phase(leaf)
                          : skua::parallel_reduce(std::uint32_t{0}, plan_.moves, std::int64_t{0}, leaf,
                                                  std::plus<>{});
      };
      all.accepted += reduce([this](std::uint32_t m) { return judge(m); });
      all.applied += reduce([this](std::uint32_t m) { return make(m); });
      all.judged += plan_.moves;
    }
    return all;
  }

 private:
  struct accepted_move {
    std::uint32_t a, b;  // equal: not accepted
  };

  /// One task for each move, as in the paper.
  template <class Leaf>
  std::int64_t reduce_by_phase(Leaf leaf) {
    skua::phase<std::uint32_t> moves;
    moves.enqueue_range(0, plan_.moves);
    return moves.run([&](std::uint32_t m, std::int64_t& sum) { sum += leaf(m); }, std::int64_t{0},
                     std::plus<>{});
  }

  /// Claims both elements of the move if the move is accepted.
  std::int64_t judge(std::uint32_t m) {
    const canneal_move move = canneal_draw(plan_.seed, plan_.number(step_, m), c_.places());
    declare_move(c_, places_, move.a, move.b);
    const auto place_of = [this](std::uint32_t id) { return places_[id]; };
    const std::int64_t change = canneal_evaluate(c_, move.a, move.b, place_of).judged;
    const bool accepted = canneal_accepts(change, temperature_, move.luck);
    moves_[m] = accepted ? accepted_move{move.a, move.b} : accepted_move{};
    skua::writes(&moves_[m], 1);
    if (accepted) want(move.a, m), want(move.b, m);
    return accepted;
  }

  /// Makes the move if it holds both elements. No other task reads them then.
  std::int64_t make(std::uint32_t m) {
    const auto [a, b] = moves_[m];
    skua::reads(&moves_[m], 1);
    skua::costs(cycles_to_make);
    if (a != b) skua::reads(&wanted_[a], 1), skua::reads(&wanted_[b], 1);
    if (a == b || wanted_[a] != ticket(m) || wanted_[b] != ticket(m)) return 0;
    skua::writes(&places_[a], 1);
    skua::writes(&places_[b], 1);
    std::swap(places_[a], places_[b]);
    return 1;
  }

  /// Greater for an earlier move, and for any move of a later step, so nothing has to be cleared between steps.
  std::uint64_t ticket(std::uint32_t m) const { return static_cast<std::uint64_t>(step_) << 32 | ~m; }

  void want(std::uint32_t id, std::uint32_t m) {
    skua::writes(&wanted_[id], 1);
    const std::uint64_t mine = ticket(m);
    std::uint64_t best = wanted_[id].load(std::memory_order_relaxed);
    while (best < mine && !wanted_[id].compare_exchange_weak(best, mine, std::memory_order_relaxed)) {
    }
  }

  const canneal_circuit& c_;
  std::vector<canneal_place>& places_;
  const canneal_plan& plan_;
  const bool by_phases_;
  run_share& share_;
  std::vector<accepted_move> moves_;
  std::vector<std::atomic<std::uint64_t>> wanted_;
  int step_ = 0;
  double temperature_ = plan_.temperature;
};

/// Sets `alone` to whether all chains of each step ran on one thread.
canneal_tally anneal_racy(const canneal_circuit& c, std::vector<canneal_place>& places,
                          const canneal_plan& plan, bool& alone, run_share& share) {
  canneal_tally all;
  std::atomic<bool> others = false;
  double temperature = plan.temperature;
  for (int step = 1; step <= plan.steps; ++step) {
    share.set(step - 1, plan.steps);
    temperature /= 1.5;
    std::atomic<std::thread::id> runner = std::thread::id();
    const auto chain = [&](std::uint32_t number) {
      std::thread::id first_one;
      if (const auto me = std::this_thread::get_id();
          !runner.compare_exchange_strong(first_one, me) && first_one != me)
        others = true;
      const std::uint32_t first = number * canneal_chain, last = std::min(first + canneal_chain, plan.moves);
      declare_chain(c, places, plan, step, first, last);
      canneal_shared_places shared(places);
      return canneal_moves(c, shared, plan, step, temperature, first, last);
    };
    all = all + skua::parallel_reduce(std::uint32_t{0}, (plan.moves + canneal_chain - 1) / canneal_chain,
                                      canneal_tally{}, chain, std::plus<>{});
  }
  alone = !others;
  return all;
}

class canneal_program : public program {
 public:
  explicit canneal_program(const parameters& asked)
      : racy_(asked.choice("mode", {"det", "racy"}) == "racy"),
        by_phases_(asked.choice("form", {"loops", "phases"}) == "phases"),
        seed_(asked.seed.value_or(42)) {
    const std::string input = asked.text("input", "");
    const auto n = static_cast<std::uint32_t>(
        asked.number("n", asked.pick(1000, 100000, 2500000), 1, canneal_max_elements));
    plan_ = {.seed = seed_ + 1,
             .steps = static_cast<int>(asked.number("steps", asked.pick(20, 100, 100), 1, 1000)),
             .moves = static_cast<std::uint32_t>(
                 asked.number("moves", asked.pick(1000, 15000, 15000), 1, 10000000)),
             .temperature =
                 static_cast<double>(asked.number("temperature", asked.pick(300, 2000, 2000), 1, 1000000))};
    circuit_ = input.empty() ? canneal_random(seed_, n) : canneal_reader(input).read();
    if (input.empty() && seed_ == 42)
      known_ = canneal_published(n, plan_.steps, plan_.moves, static_cast<int>(plan_.temperature));
  }

  void prepare() override {
    places_ = canneal_in_order(circuit_);
    before_ = cost();
    tally_ = {};
  }
  void sequential() override {
    alone_ = true;
    tally_ = racy_ ? canneal_racy_sequential(circuit_, places_, plan_)
                   : canneal_sequential(circuit_, places_, plan_);
  }
  void parallel() override {
    tally_ = racy_ ? anneal_racy(circuit_, places_, plan_, alone_, share())
                   : annealer(circuit_, places_, plan_, by_phases_, share()).run();
  }
  answer_check verify() override;
  void flip_one() override { places_[0] = places_[1]; }

 private:
  std::int64_t cost() const {
    return canneal_cost(circuit_, [this](std::uint32_t id) { return places_[id]; });
  }
  bool everything_somewhere() const;
  std::string compared(std::int64_t after) const;

  bool racy_, by_phases_;
  std::uint64_t seed_;
  canneal_plan plan_;
  canneal_circuit circuit_;
  const canneal_known* known_ = nullptr;
  std::vector<canneal_place> places_;
  std::int64_t before_ = 0;
  canneal_tally tally_;
  bool alone_ = false;  // no other thread changed what a chain of the racy mode saw
  // For the deterministic mode; computed when first needed.
  std::optional<canneal_tally> sequential_tally_;
  std::vector<canneal_place> sequential_places_;
};

/// Whether each place is taken by exactly one element.
bool canneal_program::everything_somewhere() const {
  std::vector<bool> taken(places_.size());
  for (const canneal_place place : places_) {
    const std::uint32_t index = canneal_index_of(circuit_, place);
    if (index >= taken.size() || taken[index]) return false;
    taken[index] = true;
  }
  return true;
}

/// What is wrong with an answer of the deterministic mode; empty if it is correct.
std::string canneal_program::compared(std::int64_t after) const {
  if (known_) {
    std::vector<std::uint32_t> indices;
    for (const canneal_place place : places_) indices.push_back(canneal_index_of(circuit_, place));
    if (known_->before != before_ || known_->accepted != tally_.accepted ||
        known_->applied != tally_.applied || known_->after != after ||
        known_->places != hash_sequence(indices))
      return "not the published answer";
  }
  return tally_ == *sequential_tally_ && places_ == sequential_places_ ? "" : "not the sequential answer";
}

answer_check canneal_program::verify() {
  const std::int64_t after = cost();
  std::string text = "wire length " + std::to_string(before_) + " before, " + std::to_string(after) +
                     " after; of " + std::to_string(tally_.judged) + " moves " +
                     std::to_string(tally_.accepted) + " accepted";
  if (tally_.judged != std::int64_t{plan_.steps} * plan_.moves)
    return {false, text + "; some moves are missing"};
  if (!everything_somewhere()) return {false, text + "; a place is taken twice or does not exist"};
  if (racy_) {
    if (known_ && known_->n == 1000 && after * 10 >= before_ * 9)
      return {false, text + "; the wires should be shorter"};
    const std::int64_t drift = before_ + tally_.change - after;
    if (alone_ && drift != 0)
      return {false,
              text + "; the length kept up to date by a single thread is off by " + std::to_string(drift)};
    return {true, text + "; length kept up to date: " +
                      (drift == 0 ? "the same" : std::to_string(drift) + " more")};
  }
  if (!sequential_tally_) {
    sequential_places_ = canneal_in_order(circuit_);
    sequential_tally_ = canneal_sequential(circuit_, sequential_places_, plan_);
  }
  const std::string wrong = compared(after);
  return {wrong.empty(),
          text + ", " + std::to_string(tally_.applied) + " made" + (wrong.empty() ? "" : "; " + wrong)};
}

}  // namespace

extern const workload canneal_workload{
    .name = "canneal",
    .summary = "place the elements of a circuit by simulated annealing: short phases of scattered reads",
    .ci = "1000 elements, 20 steps of 1000 moves",
    .med = "100000 elements, 100 steps of 15000 moves",
    .paper = "2.5 million elements, 100 steps of 15000 moves (500 MB)",
    .options = {{"form", "loops|phases",
                 "with mode=det: parallel loops, or phases with one task for each move"},
                {"mode", "det|racy",
                 "judge moves by the placement at the beginning of the step, or by the current one while "
                 "others change it"},
                {"n", "1 .. 10000000", "elements, unless input is given"},
                {"steps", "1 .. 1000", "steps; each lowers the temperature by a factor of 1.5"},
                {"moves", "1 .. 10000000", "moves in each step"},
                {"temperature", "1 .. 1000000", "temperature before the first step"},
                {"input", "FILE", "read a circuit in PARSEC's .nets format"}},
    .make = [](const parameters& asked) -> std::unique_ptr<program> {
      return std::make_unique<canneal_program>(asked);
    }};

}  // namespace workloads
