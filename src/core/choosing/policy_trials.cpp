#include "core/choosing/policy_trials.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace skua::core {

// ---- episodes and samples

double policy_trials::limit_ns(double iterations) const noexcept {
  if (!rival_runs_) return std::numeric_limits<double>::infinity();
  return std::max(episodes_together::least_ns, longest(may_drop_ != 0) * std::max(iterations, 1.0));
}

/// Of a sample of a rival that is not given up.
double policy_trials::longest(bool dropped) const noexcept {
  if (!dropped && stage_ == stage::screening) return no_better_than();
  return much * of_best().mean() * (dropped ? cold_ : 1);
}

void policy_trials::ended(double ns, double iterations) noexcept {
  note(ns, iterations);
  if (together_.make_sample()) sampled(std::exchange(together_, {}));
}

void policy_trials::ended_after_limit(double ns, double iterations) noexcept {
  note(ns, iterations);
  const episodes_together it = std::exchange(together_, {});
  budget_.took(it.ns, it.episodes);
  count_lost(it.ns - of_best().mean() * it.iterations);
  give_up_rival(it.each());
}

void policy_trials::note(double ns, double iterations) noexcept {
  ++episodes_;
  total_ns_ += ns;
  together_.add(ns, iterations);
}

void policy_trials::sampled(const episodes_together& it) noexcept {
  budget_.took(it.ns, it.episodes);
  const double each = it.each();
  if (stage_ == stage::warm_up) {
    budget_.expect(it.ns, it.episodes);
    return warmed_up(each);
  }
  const bool switched = may_drop_ != 0;
  const double by_best = of_best().mean();
  // The best policy, too, pays for a switch.
  if ((rival_runs_ || switched) && by_best > 0) count_lost(it.ns - by_best * it.iterations);
  if (is_dropped(each)) {
    if (rival_runs_ && each > longest(true)) give_up_rival(each);
  } else if (rival_runs_) {
    rival_sampled(each);
  } else {
    budget_.expect(it.ns, it.episodes);
    best_sampled(each);
  }
}

void policy_trials::warmed_up(double each) noexcept {
  if (!warm_up_.ends_with(each, steady_)) return;
  const double warm = steady_.last().mean();
  cold_ = warm_up_.cold(warm);
  budget_.warm_up_cost(warm_up_.cost(warm));
  if (!unscreened_.empty()) of_best() = steady_.last();  // else it is what an earlier process has measured
  note_expected_time();
  next_rival();
}

/// The first sample after a switch, and more of the best policy while they are slower than before.
bool policy_trials::is_dropped(double each) noexcept {
  if (may_drop_ == 0) return false;
  const bool first = rival_runs_ || may_drop_ == max_dropped;
  if (!first && !steady_.is_slow(each)) {
    may_drop_ = 0;
    return false;
  }
  --may_drop_;
  return true;
}

void policy_trials::count_lost(double ns) noexcept {
  if (ns <= 0) return;
  lost_ns_ += ns;
  budget_.lost(ns);
}

void policy_trials::best_sampled(double each) noexcept {
  steady_.add(each);
  if (steady_.has_changed()) {
    ++reopened_;
    budget_.program_changed();
    return try_all_again();
  }
  if (stage_ != stage::decided || !steady_.expects()) of_best().add(each);
  if (!steady_.expects()) note_expected_time();
  if (stage_ != stage::decided) return go_on();
  next_tries_.sampled();
  if (!budget_.allows_trial()) return;
  if (next_tries_.of_all()) return try_all_again();
  if (next_tries_.of_default() && best_ != 0) try_default_again();
}

void policy_trials::rival_sampled(double each) noexcept {
  of_rival().add(each);
  if (each > much * of_best().mean()) return give_up_rival(each);
  if (stage_ == stage::screening && each > no_better_than()) return rival_loses();
  if (of_best().are_clearly_below(of_rival())) return rival_loses();
  if (of_rival().are_clearly_below(of_best())) return rival_wins();
  go_on();
}

/// One longer sample shows that a rival is not much better, which is what screening is for.
double policy_trials::no_better_than() const noexcept {
  const samples& best = of_best();
  return best.mean() * (1 + samples::clear) + 2 * best.deviation();
}

// ---- turns

/// There is one more sample, of the policy whose turn it is or of the best one in place of the rival.
void policy_trials::go_on() noexcept {
  if (turns_.end_with(rival_runs_)) return plan_ended();
  run_whose_turn_it_is();
}

void policy_trials::begin_turn(std::span<const turn> plan, std::size_t at, std::uint32_t samples) noexcept {
  turns_.begin(plan, at, samples);
  run_whose_turn_it_is();
}

void policy_trials::run_whose_turn_it_is() noexcept {
  let_run(turns_.is_of_rival() && (rival_runs_ ? budget_.allows_more() : budget_.allows_trial()));
}

void policy_trials::let_run(bool rival) noexcept {
  if (rival == rival_runs_) return;
  rival_runs_ = rival;
  may_drop_ = rival ? 1 : max_dropped;
  if (rival) budget_.trial_begins();
}

// ---- the end of a rival's trial

void policy_trials::plan_ended() noexcept {
  const samples &best = of_best(), &rival = of_rival();
  if (stage_ == stage::screening) {
    if (rival.mean() * (1 + samples::clear) < best.mean())
      return compare_with(rival_);  // at once: it saves time, too
    unsure_.add(rival_);
    return rival_loses();  // for now
  }
  if (rival.are_below(best)) return rival_wins();
  // One that seems better but is not yet told apart gets another round.
  if (!best.are_below(rival) && rival.mean() < best.mean() && ++rounds_ < max_rounds)
    return begin_turn(blocks, 1, blocks[1].samples);
  rival_loses();
}

void policy_trials::give_up_rival(double each) noexcept {
  if (of_rival().number() == 0) of_rival().add(each);  // the evidence, although it was to be dropped
  given_up_.add(rival_);
  returns_first_ = true;
  rival_loses();
}

void policy_trials::rival_loses() noexcept {
  let_run(false);
  next_rival();
}

void policy_trials::rival_wins() noexcept {
  if (!rival_runs_) may_drop_ = max_dropped;  // the old best policy ran last
  if (best_ == 0) next_tries_.default_is_replaced();
  if (std::exchange(retries_default_, false)) {  // something has changed, for the others, too
    ++reopened_;
    budget_.program_changed();
    unscreened_ = eligible_.without(0).without(best_);
  }
  best_ = rival_;
  rival_runs_ = false;
  steady_.forget();
  next_rival();
}

// ---- the next trial

void policy_trials::next_rival() noexcept {
  if (!unscreened_.empty()) return screen(unscreened_.take_first());
  while (!unsure_.empty())
    if (const std::size_t rival = unsure_.take_first(); !of_best().are_clearly_below(measured_[rival]))
      return compare_with(rival);
  decide();
}

/// Samples of the best policy that are there already count. After a rival that was given up the best policy runs first, which
/// shows what the trial has cost.
void policy_trials::screen(std::size_t rival) noexcept {
  stage_ = stage::screening;
  rival_ = static_cast<std::uint8_t>(rival);
  given_up_.remove(rival);
  measured_[rival] = {};
  const std::uint32_t has = of_best().number();
  const bool returns = std::exchange(returns_first_, false);
  if (has < block || returns)
    begin_turn(screening, 0, has < block ? block - has : 1);
  else
    begin_turn(screening, 1, screening[1].samples);
}

/// Where the best policy has run last, its last samples are the first block. While the rival runs, its samples begin the second
/// block.
void policy_trials::compare_with(std::size_t rival) noexcept {
  stage_ = stage::comparing;
  rounds_ = 0;
  if (rival_runs_) return begin_turn(blocks, 1, blocks[1].samples - measured_[rival].number());
  rival_ = static_cast<std::uint8_t>(rival);
  measured_[rival] = {};
  const bool has_block = may_drop_ == 0 && steady_.has_seen_enough();
  of_best() = has_block ? steady_.last() : samples();
  begin_turn(blocks, has_block ? 1 : 0, blocks[has_block ? 1 : 0].samples);
}

void policy_trials::decide() noexcept {
  retries_default_ = false;
  stage_ = stage::decided;
  note_expected_time();
}

/// The program has changed, or may have.
void policy_trials::try_all_again() noexcept {
  next_tries_.all_begin();
  retries_default_ = false;
  try_again(eligible_.without(best_));
}

void policy_trials::try_default_again() noexcept {
  next_tries_.default_begins();
  retries_default_ = true;
  try_again(policy_set::of(0));
}

/// The last samples are the evidence for the best policy.
void policy_trials::try_again(policy_set rivals) noexcept {
  of_best() = steady_.last();
  note_expected_time();
  steady_.forget_last();
  unscreened_ = rivals;
  unsure_ = {};
  next_rival();
}

void policy_trials::note_expected_time() noexcept {
  if (of_best().number() >= block) steady_.expect(of_best());
}

}  // namespace skua::core
