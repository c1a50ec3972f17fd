#include "core/choosing/policy_trials.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace skua::core {

// ---- episodes and samples

double policy_trials::limit_ns(double iterations) const noexcept {
  if (!rival_runs_) return std::numeric_limits<double>::infinity();
  return std::max(together_ns, longest(may_drop_ != 0) * std::max(iterations, 1.0));
}

/// Of a sample of a rival that is not given up.
double policy_trials::longest(bool dropped) const noexcept {
  if (!dropped && stage_ == stage::screening) return no_better_than();
  return much * measured_[best_].mean() * (dropped ? cold_ : 1);
}

void policy_trials::ended(double ns, double iterations) noexcept {
  add(ns, iterations);
  if (together_.ns >= together_ns) sampled(std::exchange(together_, {}));
}

void policy_trials::ended_after_limit(double ns, double iterations) noexcept {
  add(ns, iterations);
  const episodes_together all = std::exchange(together_, {});
  budget_.took(all.ns, all.episodes);
  count_lost(all.with_others() - measured_[best_].mean() * all.iterations);
  give_up_rival(all.ns / all.iterations);
}

/// The best policy gets the same episodes to become as fast as before as after a switch of this site.
double policy_trials::ended_beside(double ns, double iterations) noexcept {
  add(ns, iterations);
  const episodes_together all = std::exchange(together_, {});
  budget_.took(all.ns, all.episodes);
  if (stage_ != stage::warm_up) {
    may_drop_ = max_dropped;
    beside_ = true;
  }
  const samples& usual = measured_[best_].number() != 0 ? measured_[best_] : warm_ups_;
  return usual.number() != 0 ? ns - usual.mean() * std::max(iterations, 1.0) : 0;
}

void policy_trials::interrupt() noexcept {
  const episodes_together all = std::exchange(together_, {});
  budget_.took(all.ns, all.episodes);
  count_lost(all.with_others() - measured_[best_].mean() * all.iterations);
  let_run(false);
}

void policy_trials::add(double ns, double iterations) noexcept {
  ++episodes_;
  total_ns_ += ns;
  together_.ns += ns;
  together_.iterations += std::max(iterations, 1.0);
  ++together_.episodes;
}

void policy_trials::sampled(const episodes_together& it) noexcept {
  budget_.took(it.ns, it.episodes);
  const double each = (rival_runs_ ? it.with_others() : it.ns) / it.iterations;
  if (stage_ == stage::warm_up) {
    budget_.expect(it.ns, it.episodes);
    return warmed_up(each);
  }
  const bool switched = may_drop_ != 0 && !beside_;
  const double by_best = measured_[best_].mean();
  // The best policy, too, pays for a switch.
  if ((rival_runs_ || switched) && by_best > 0) count_lost(it.with_others() - by_best * it.iterations);
  if (is_dropped(each)) {
    if (rival_runs_ && each > longest(true)) give_up_rival(each);
  } else if (rival_runs_) {
    rival_sampled(each);
  } else {
    budget_.expect(it.ns, it.episodes);
    best_sampled(it);
  }
}

void policy_trials::warmed_up(double each) noexcept {
  if (warm_ups_.number() == 0) first_ = each;
  warm_ups_.add(each);
  if (warm_ups_.number() <= min_warm_ups) return;
  steady_.add(each);
  if (!steady_.is_steady() && warm_ups_.number() < max_warm_ups) return;
  const double warm = steady_.last().mean();
  cold_ = std::clamp(first_ / warm, min_cold, max_cold);
  budget_.warm_up_cost(std::max(0.0, warm_ups_.number() * (warm_ups_.mean() / warm - 1)));
  if (unscreened_ != 0) measured_[best_] = steady_.last();
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

void policy_trials::best_sampled(const episodes_together& it) noexcept {
  const double each = it.ns / it.iterations;
  steady_.add(each);
  probation_.add(each, it.ns, it.iterations);
  if (probation_.has_failed()) return go_back();
  if (steady_.has_changed()) return changed();
  if (stage_ != stage::decided || !steady_.expects()) measured_[best_].add(each);
  if (!steady_.expects()) note_expected_time();
  if (stage_ != stage::decided) return go_on();
  decided_sampled();
}

/// Now and then all rivals are tried again, also one that has won although it is slower.
void policy_trials::decided_sampled() noexcept {
  const std::uint32_t wait =
      distrusted_ ? std::min(tries_again, tries_loser_again << std::min(went_back_, 3u)) : tries_again;
  if (++since_decision_ < wait || !budget_.allows_trial()) return;
  distrusted_ = 0;
  try_all_again();
}

void policy_trials::rival_sampled(double each) noexcept {
  measured_[rival_].add(each);
  const samples& best = measured_[best_];
  if (each > much * best.mean()) return give_up_rival(each);
  if ((stage_ == stage::screening && each > no_better_than()) || clearly_loses(rival_)) return rival_loses();
  if (clearly_wins(rival_)) return rival_wins();
  go_on();
}

/// One longer sample shows that a rival is not much better, which is what screening is for.
double policy_trials::no_better_than() const noexcept {
  const samples& best = measured_[best_];
  return best.mean() * (1 + clear) + 2 * best.deviation();
}

// Wins or loses by more than any drift of its block could explain.

bool policy_trials::clearly_wins(std::size_t rival) const noexcept {
  const samples &best = measured_[best_], &its = measured_[rival];
  return its.mean() * (1 + clear) < best.mean() && its.are_below(best);
}

bool policy_trials::clearly_loses(std::size_t rival) const noexcept {
  const samples &best = measured_[best_], &its = measured_[rival];
  return best.mean() * (1 + clear) < its.mean() && best.are_below(its);
}

// ---- turns

/// There is one more sample, of the policy whose turn it is or of the best one in place of the rival.
void policy_trials::go_on() noexcept {
  if (rival_runs_ == plan_[turn_].of_rival && --left_ == 0) {
    if (turn_ + 1 == plan_.size()) return plan_ended();
    ++turn_;
    left_ = plan_[turn_].samples;
  }
  run_whose_turn_it_is();
}

void policy_trials::begin_turn(std::size_t at, std::uint32_t samples) noexcept {
  turn_ = at;
  left_ = samples;
  run_whose_turn_it_is();
}

void policy_trials::run_whose_turn_it_is() noexcept {
  let_run(plan_[turn_].of_rival && (rival_runs_ ? budget_.allows_more() : budget_.allows_trial()));
}

void policy_trials::let_run(bool rival) noexcept {
  if (rival == rival_runs_) return;
  rival_runs_ = rival;
  may_drop_ = rival ? 1 : max_dropped;
  beside_ = false;
  if (rival) budget_.trial_begins();
}

// ---- the end of a rival's trial

void policy_trials::plan_ended() noexcept {
  const samples &best = measured_[best_], &rival = measured_[rival_];
  if (stage_ == stage::screening) {
    if (rival.mean() * (1 + clear) < best.mean()) return compare_with(rival_);  // at once: it saves time, too
    unsure_ |= 1u << rival_;
    return rival_loses();  // for now
  }
  if (rival.are_below(best)) return rival_wins();
  // One that seems better but is not yet told apart gets another round.
  if (!best.are_below(rival) && rival.mean() < best.mean() && ++rounds_ < max_rounds)
    return begin_turn(1, blocks[1].samples);
  rival_loses();
}

void policy_trials::give_up_rival(double each) noexcept {
  if (measured_[rival_].number() == 0)
    measured_[rival_].add(each);  // the evidence, although it was to be dropped
  given_up_ |= 1u << rival_;
  first_by_best_ = 1;
  rival_loses();
}

void policy_trials::rival_loses() noexcept {
  let_run(false);
  next_rival();
}

void policy_trials::rival_wins() noexcept {
  if (!rival_runs_) may_drop_ = max_dropped;  // the old best policy ran last
  beside_ = false;
  probation_.begin(best_, measured_[best_]);
  best_ = rival_;
  rival_runs_ = false;
  steady_.forget();
  next_rival();
}

// ---- the next trial

void policy_trials::next_rival() noexcept {
  const auto take_first = [](std::uint32_t& of) {
    const auto first = static_cast<std::size_t>(std::countr_zero(of));
    of &= of - 1;
    return first;
  };
  if (unscreened_ != 0) return screen(take_first(unscreened_));
  while (unsure_ != 0)
    if (const std::size_t rival = take_first(unsure_); !clearly_loses(rival)) return compare_with(rival);
  decide();
}

/// Samples of the best policy that are there already count. After a rival that was given up the best policy runs first, which
/// shows what the trial has cost.
void policy_trials::screen(std::size_t rival) noexcept {
  stage_ = stage::screening;
  plan_ = screening;
  rival_ = static_cast<std::uint8_t>(rival);
  given_up_ &= ~(1u << rival);
  measured_[rival] = {};
  const std::uint32_t has = measured_[best_].number();
  const std::uint32_t first = std::max(std::exchange(first_by_best_, 0), has < block ? block - has : 0);
  if (first != 0)
    begin_turn(0, first);
  else
    begin_turn(1, screening[1].samples);
}

/// Where the best policy has run last, its last samples are the first block. While the rival runs, its samples begin the second
/// block.
void policy_trials::compare_with(std::size_t rival) noexcept {
  stage_ = stage::comparing;
  plan_ = blocks;
  rounds_ = 0;
  if (rival_runs_) return begin_turn(1, blocks[1].samples - measured_[rival].number());
  rival_ = static_cast<std::uint8_t>(rival);
  measured_[rival] = {};
  const bool has_block = may_drop_ == 0 && steady_.has_seen_enough();
  measured_[best_] = has_block ? steady_.last() : samples();
  begin_turn(has_block ? 1 : 0, blocks[has_block ? 1 : 0].samples);
}

void policy_trials::decide() noexcept {
  stage_ = stage::decided;
  since_decision_ = 0;
  note_expected_time();
}

/// The site takes another time than it did. If a policy that was replaced had been faster than this, that policy is looked at first.
void policy_trials::changed() noexcept {
  if (probation_.was_faster_than(steady_.last())) return go_back();
  ++reopened_;
  budget_.program_changed();
  try_all_again();
}

/// The rival should not have won. What it took more is a cost of its trial. If the replaced policy, too, takes longer than it did,
/// the program has changed.
void policy_trials::go_back() noexcept {
  ++reopened_;
  ++went_back_;
  count_lost(probation_.lost_ns());
  distrusted_ |= 1u << best_;
  best_ = static_cast<std::uint8_t>(probation_.replaced());
  distrusted_ &= ~(1u << best_);
  measured_[best_] = probation_.before();
  steady_.forget();
  note_expected_time();
  probation_.end();
  rival_runs_ = beside_ = false;
  may_drop_ = max_dropped;
  first_by_best_ = block;
  unscreened_ = rivals();
  unsure_ = 0;
  next_rival();
}

/// The program has changed, or may have. The last samples are the evidence for the best policy.
void policy_trials::try_all_again() noexcept {
  measured_[best_] = steady_.last();
  note_expected_time();
  steady_.forget_last();
  unscreened_ = rivals();
  unsure_ = 0;
  next_rival();
}

void policy_trials::note_expected_time() noexcept {
  if (measured_[best_].number() >= block) steady_.expect(measured_[best_]);
}

}  // namespace skua::core
