#include "core/choosing/policy_trials.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace skua::core {

void policy_trials::ended(double ns, double iterations) noexcept {
  ++episodes_;
  total_ns_ += ns;
  together_ns_ += ns;
  together_iterations_ += std::max(iterations, 1.0);
  if (together_ns_ < together_ns) return;
  sampled(together_ns_, together_iterations_);
  together_ns_ = together_iterations_ = 0;
}

void policy_trials::sampled(double ns, double iterations) noexcept {
  const double each = ns / iterations;
  ++phase_.samples;
  phase_.total_ns += ns;
  if (stage_ == stage::warm_up) {
    if (--left_of_warm_up_ != 0) return;
    stage_ = stage::exploring;
    return next_rival();
  }
  const double by_best = measured_[best_].mean() * iterations;
  if (by_best > 0 && (tries_rival_ || drops_next_)) {  // the best policy, too, pays for a switch
    const double lost = std::max(0.0, ns - by_best);
    lost_ns_ += lost;
    phase_.lost_ns += lost;
  }
  if (tries_rival_) {
    if (std::exchange(drops_next_, false)) {
      if (ns > hopeless * by_best) give_up_rival();
    } else {
      rival_sampled(each);
    }
  } else if (!std::exchange(drops_next_, false)) {
    sample_of_best_ns_ = ns;
    best_sampled(each);
  }
}

void policy_trials::best_sampled(double each) noexcept {
  recent_[recent_number_++ % block] = each;
  if (has_drifted()) {
    ++reopened_;
    if (phase_.samples >= settled) {  // before, it is no change of the program but its beginning
      // This phase may be as short as that one.
      life_ = std::min(assumed_life, static_cast<double>(phase_.samples));
      phase_ = {};
    }
    return try_all_again();
  }
  if (stage_ == stage::exploring || reference_ == 0) measured_[best_].add(each);
  if (reference_ == 0) note_reference();
  if (stage_ == stage::decided) {
    if (++since_decision_ >= tries_again && may_explore()) try_all_again();
    return;
  }
  if (left_of_best_ > 0) --left_of_best_;
  if (left_of_best_ > 0) return;
  if (left_of_rival_ > 0) {
    if (may_explore()) switch_to(true);
  } else {
    compare();
  }
}

void policy_trials::rival_sampled(double each) noexcept {
  measured_[rival_].add(each);
  if (each > much * measured_[best_].mean()) return give_up_rival();
  // One sample shows that it is not much better, which is what screening is for.
  if (screens_ && each > measured_[best_].mean() * (1 + drift) + 2 * measured_[best_].deviation())
    return rival_loses();
  if (is_decided_soon()) return;
  if (--left_of_rival_ == 0) {
    if (screens_) {
      unsure_ |= 1u << rival_;
      return rival_loses();  // for now
    }
    left_of_best_ = block;  // the last block of A B B A
    switch_to(false);
  } else if (!may_explore()) {
    left_of_best_ = 1;  // goes on when the site has run for longer
    switch_to(false);
  }
}

/// Whether the rival wins or loses by more than any drift of its block could explain.
bool policy_trials::is_decided_soon() noexcept {
  const samples &best = measured_[best_], &rival = measured_[rival_];
  if (rival.mean() * (1 + drift) < best.mean() && rival.are_below(best)) {
    rival_wins();
    return true;
  }
  if (loses_as_it_is(rival_)) {
    rival_loses();
    return true;
  }
  return false;
}

bool policy_trials::loses_as_it_is(std::size_t rival) const noexcept {
  const samples &best = measured_[best_], &its = measured_[rival];
  return best.mean() * (1 + drift) < its.mean() && best.are_below(its);
}

// Both have run their blocks. A rival that seems better but is not yet told apart gets another round.
void policy_trials::compare() noexcept {
  const samples &best = measured_[best_], &rival = measured_[rival_];
  if (rival.are_below(best)) return rival_wins();
  if (!best.are_below(rival) && rival.mean() < best.mean() && ++rounds_ < max_rounds) {
    left_of_rival_ = 2 * block;
    if (may_explore()) switch_to(true);
    return;
  }
  rival_loses();
}

void policy_trials::give_up_rival() noexcept {
  given_up_ |= 1u << rival_;
  rival_loses();
}

void policy_trials::next_rival() noexcept {
  const auto take_first = [](std::uint32_t& of) {
    const auto first = static_cast<std::size_t>(std::countr_zero(of));
    of &= of - 1;
    return first;
  };
  if (unscreened_ != 0) return begin_screening(take_first(unscreened_));
  while (unsure_ != 0)
    if (const std::size_t rival = take_first(unsure_); !loses_as_it_is(rival)) return begin_blocks(rival);
  stage_ = stage::decided;
  since_decision_ = 0;
  left_of_rival_ = left_of_best_ = 0;
  note_reference();
}

void policy_trials::begin_screening(std::size_t rival) noexcept {
  rival_ = static_cast<std::uint8_t>(rival);
  given_up_ &= ~(1u << rival);
  measured_[rival] = {};
  screens_ = true;
  left_of_rival_ = screened;
  const std::uint32_t has = measured_[best_].number();
  left_of_best_ = has < block ? block - has : 0;
  if (left_of_best_ == 0 && may_explore()) switch_to(true);
}

/// Where the best policy has run last, its last samples are the first block.
void policy_trials::begin_blocks(std::size_t rival) noexcept {
  rival_ = static_cast<std::uint8_t>(rival);
  measured_[rival] = {};
  screens_ = false;
  rounds_ = 0;
  left_of_rival_ = 2 * block;
  const bool has_block = !drops_next_ && recent_number_ >= block;
  measured_[best_] = {};
  left_of_best_ = has_block ? 0 : block;
  if (!has_block) return;
  for (const double each : recent_) measured_[best_].add(each);
  if (may_explore()) switch_to(true);
}

void policy_trials::rival_loses() noexcept {
  if (tries_rival_) switch_to(false);
  next_rival();
}

void policy_trials::rival_wins() noexcept {
  if (!tries_rival_) drops_next_ = true;  // the old best policy ran last
  best_ = rival_;
  tries_rival_ = false;
  reference_ = 0;
  recent_number_ = 0;
  next_rival();
}

/// All policies are measured anew: the program has changed, or may have. The last samples are the evidence for the best one.
void policy_trials::try_all_again() noexcept {
  measured_[best_] = {};
  for (const double each : recent_) measured_[best_].add(each);
  note_reference();
  recent_number_ = 0;
  unscreened_ = eligible_ & ~(1u << best_);
  unsure_ = 0;
  stage_ = stage::exploring;
  next_rival();
}

void policy_trials::switch_to(bool rival) noexcept {
  tries_rival_ = rival;
  drops_next_ = true;
}

/// From now on the program has changed if the best policy takes another time than this.
void policy_trials::note_reference() noexcept {
  const samples& best = measured_[best_];
  if (best.number() < block) return;
  reference_ = best.mean();
  scatter_ = best.deviation();
}

/// Whether the last samples of the best policy all lie on the same side of its reference, farther than they scatter.
bool policy_trials::has_drifted() const noexcept {
  if (reference_ == 0 || recent_number_ < block) return false;
  const double far = std::max(drift * reference_, 2 * scatter_);
  const auto [min, max] = std::ranges::minmax(recent_);
  return min > reference_ + far || max < reference_ - far;
}

/// Whether rivals have lost little enough since the program changed last. It is assumed to stay as it is for `life_` samples of
/// the best policy, or a new site could never explore.
bool policy_trials::may_explore() const noexcept {
  return phase_.lost_ns <= may_lose * std::max(phase_.total_ns, life_ * sample_of_best_ns_);
}

}  // namespace skua::core
