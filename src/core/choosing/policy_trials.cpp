#include "core/choosing/policy_trials.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace skua::core {

// ---- episodes and samples

void policy_trials::ended(double ns, double iterations) noexcept {
  ++episodes_;
  total_ns_ += ns;
  together_.ns += ns;
  together_.iterations += std::max(iterations, 1.0);
  if (together_.ns < together_ns) return;
  const auto all = std::exchange(together_, {});
  sampled(all.ns, all.iterations);
}

void policy_trials::sampled(double ns, double iterations) noexcept {
  budget_.took(ns);
  if (stage_ == stage::warm_up) {
    if (--left_ == 0) next_rival();
    return;
  }
  const bool dropped = std::exchange(after_switch_, false);
  const double by_best = measured_[best_].mean() * iterations;
  if ((rival_runs_ || dropped) && by_best > 0) count_lost(ns - by_best);  // the best policy, too, pays for a switch
  if (dropped) {
    if (rival_runs_ && ns > hopeless * by_best) give_up_rival();
  } else if (rival_runs_) {
    rival_sampled(ns / iterations);
  } else {
    sample_of_best_ns_ = ns;
    best_sampled(ns / iterations);
  }
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
  if (stage_ != stage::decided || !steady_.expects()) measured_[best_].add(each);
  if (!steady_.expects()) note_expected_time();
  if (stage_ != stage::decided) return go_on();
  if (++since_decision_ >= tries_again && budget_.allows_more(sample_of_best_ns_)) try_all_again();
}

void policy_trials::rival_sampled(double each) noexcept {
  measured_[rival_].add(each);
  const samples& best = measured_[best_];
  if (each > much * best.mean()) return give_up_rival();
  // One sample shows that it is not much better, which is what screening is for.
  const bool is_no_better = each > best.mean() * (1 + clear) + 2 * best.deviation();
  if ((stage_ == stage::screening && is_no_better) || clearly_loses(rival_)) return rival_loses();
  if (clearly_wins(rival_)) return rival_wins();
  go_on();
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
  let_run(plan_[turn_].of_rival && budget_.allows_more(sample_of_best_ns_));
}

void policy_trials::let_run(bool rival) noexcept {
  if (rival == rival_runs_) return;
  rival_runs_ = rival;
  after_switch_ = true;
}

// ---- the end of a rival's trial

void policy_trials::plan_ended() noexcept {
  if (stage_ == stage::screening) {
    unsure_ |= 1u << rival_;
    return rival_loses();  // for now
  }
  const samples &best = measured_[best_], &rival = measured_[rival_];
  if (rival.are_below(best)) return rival_wins();
  // One that seems better but is not yet told apart gets another round.
  if (!best.are_below(rival) && rival.mean() < best.mean() && ++rounds_ < max_rounds)
    return begin_turn(1, blocks[1].samples);
  rival_loses();
}

void policy_trials::give_up_rival() noexcept {
  given_up_ |= 1u << rival_;
  rival_loses();
}

void policy_trials::rival_loses() noexcept {
  let_run(false);
  next_rival();
}

void policy_trials::rival_wins() noexcept {
  if (!rival_runs_) after_switch_ = true;  // the old best policy ran last
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

/// Samples of the best policy that are there already count.
void policy_trials::screen(std::size_t rival) noexcept {
  stage_ = stage::screening;
  plan_ = screening;
  rival_ = static_cast<std::uint8_t>(rival);
  given_up_ &= ~(1u << rival);
  measured_[rival] = {};
  const std::uint32_t has = measured_[best_].number();
  if (has < block)
    begin_turn(0, block - has);
  else
    begin_turn(1, screening[1].samples);
}

/// Where the best policy has run last, its last samples are the first block.
void policy_trials::compare_with(std::size_t rival) noexcept {
  stage_ = stage::comparing;
  plan_ = blocks;
  rounds_ = 0;
  rival_ = static_cast<std::uint8_t>(rival);
  measured_[rival] = {};
  const bool has_block = !after_switch_ && steady_.has_seen_enough();
  measured_[best_] = has_block ? steady_.last() : samples();
  begin_turn(has_block ? 1 : 0, blocks[has_block ? 1 : 0].samples);
}

void policy_trials::decide() noexcept {
  stage_ = stage::decided;
  since_decision_ = 0;
  note_expected_time();
}

/// The program has changed, or may have. The last samples are the evidence for the best policy.
void policy_trials::try_all_again() noexcept {
  measured_[best_] = steady_.last();
  note_expected_time();
  steady_.forget_last();
  unscreened_ = eligible_ & ~(1u << best_);
  unsure_ = 0;
  next_rival();
}

void policy_trials::note_expected_time() noexcept {
  if (measured_[best_].number() >= block) steady_.expect(measured_[best_]);
}

}  // namespace skua::core
