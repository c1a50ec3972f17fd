// The slow half of the split queue: publishing, taking back, stealing, taking by force.
//
// Every change of `split` happens under `guard`, and outside of it `split` is the slot of `range.end`.
// Thieves' claims take no lock. `range` is changed by compare-and-swap only; the owner's changes bump
// its version, so a thief that read a record before the change fails its claim.
//
// `Records` is told of every record that becomes public, while the record cannot be popped:
//   bool interrupt(slot*)   before a published-by-force record is used: true asks for one more fence
//   void publish(slot*)     write beside the record what a thief needs (its context)
//   void before_force()     what must be public before records are that their owner did not publish itself
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include <skua/detail/split_queue.hpp>

namespace skua::core {

using detail::public_range;

/// P is a platform: its atomics, relax() and both fences.
template <class P>
using queue_of = detail::split_queue<typename P::atomics>;
template <class P>
using slot_of = typename queue_of<P>::slot;

/// Holds a queue's guard.
template <class P>
class guard_lock {
 public:
  explicit guard_lock(queue_of<P>& q) : queue_(q) {
    while (!try_lock(q)) P::relax();
  }
  ~guard_lock() { unlock(queue_); }
  guard_lock(const guard_lock&) = delete;
  guard_lock& operator=(const guard_lock&) = delete;

  static bool try_lock(queue_of<P>& q) {
    // acquire: partner of unlock's release; the holder sees the last holder's `split`.
    return q.guard.load(std::memory_order_relaxed) == 0 &&
           q.guard.exchange(1, std::memory_order_acquire) == 0;
  }
  static void unlock(queue_of<P>& q) { q.guard.store(0, std::memory_order_release); }

 private:
  queue_of<P>& queue_;
};

template <class P>
void initialise(queue_of<P>& q, slot_of<P>* slots, std::uint16_t capacity) {
  q.slots = slots;
  q.last = slots + capacity;  // the caller provides capacity + 1 slots
  q.armed = q.last;
  q.top.store(slots, std::memory_order_relaxed);
  q.limit.store(q.last, std::memory_order_relaxed);
  q.split.store(slots, std::memory_order_relaxed);
  q.range.store(0, std::memory_order_relaxed);
  q.guard.store(0, std::memory_order_relaxed);
}

/// Changes `range` by `change` (public_range -> public_range) and bumps the version; returns the new one.
template <class P, class Change>
public_range update_range(queue_of<P>& q, Change change) {
  std::uint64_t word = q.range.load(std::memory_order_relaxed);
  for (;;) {
    public_range next = change(public_range::unpack(word));
    ++next.version;
    // release: partner of claim's acquire load; a thief that sees the record's place sees the record.
    // acquire: partner of claim's release; what the owner writes into the slots later was not yet there for a
    // thief to read.
    if (q.range.compare_exchange_weak(word, next.pack(), std::memory_order_acq_rel,
                                      std::memory_order_relaxed))
      return next;
  }
}

/// Owner: makes the oldest private records public, `most` of them.
template <class P, class Records>
void publish_oldest(queue_of<P>& q, Records&& records, std::ptrdiff_t max) {
  guard_lock<P> lock(q);
  slot_of<P>* const end = std::min(q.top.load(std::memory_order_relaxed), q.last);
  slot_of<P>* const old_split = q.split.load(std::memory_order_relaxed);
  if (end <= old_split) return;
  slot_of<P>* const top = old_split + std::min(end - old_split, max);
  for (slot_of<P>* s = old_split; s != top; ++s) records.publish(s);
  q.split.store(top, std::memory_order_relaxed);
  update_range<P>(q, [&](public_range r) { return public_range{r.version, r.first, q.index(top)}; });
}

/// Owner: makes every record below `top` public.
template <class P, class Records>
void publish_all(queue_of<P>& q, Records&& records) {
  publish_oldest<P>(q, records, q.last - q.slots);
}

/// Owner: returns when every record is public and its `publish` has ended, whoever called it. `split` does not say so: one
/// who uses force raises it first.
template <class P, class Records>
void publish_leftovers(queue_of<P>& q, Records&& records) {
  // acquire: partner of update_range in force_publish.
  const public_range r = public_range::unpack(P::quietly(q.range).load(std::memory_order_acquire));
  if (q.own_top() > q.slots + r.end) publish_all<P>(q, records);
}

inline constexpr std::uint16_t max_taken_back = 64;

/// Owner, after a pop of `s` that failed (`top` is at `s`): true when the record is the owner's again; false
/// when a thief has it, and then `top` lies above `s` until retire(). `keep_public` leaves older records
/// to the thieves, else some come back: enough for many pops, few enough to be published again when somebody is hungry the
/// next moment (with all of them a queue of thousands was published anew for every steal).
template <class P>
bool reclaim(queue_of<P>& q, slot_of<P>* s, bool keep_public) {
  guard_lock<P> lock(q);
  const std::uint16_t at = q.index(s);
  std::uint64_t word = q.range.load(std::memory_order_relaxed);
  for (;;) {
    const public_range r = public_range::unpack(word);
    if (r.end <= at) return true;  // a thief had raised the split by force and let it down again
    if (r.first > at) {
      q.top.store(s + 1, std::memory_order_relaxed);
      return false;
    }
    const bool all = at - r.first <= max_taken_back;
    const auto end = static_cast<std::uint16_t>(keep_public ? at : all ? r.first : at - max_taken_back);
    const public_range next{r.version + 1, r.first, end};
    // relaxed: it publishes nothing, and who claims what stays public still meets the release that published
    // it, since a compare-and-swap continues its sequence.
    if (q.range.compare_exchange_weak(word, next.pack(), std::memory_order_relaxed,
                                      std::memory_order_relaxed)) {
      q.split.store(q.slots + end, std::memory_order_relaxed);
      return true;
    }
  }
}

/// Owner: forgets the stolen record at `s`, the newest one, once its thief has finished.
template <class P>
void retire(queue_of<P>& q, slot_of<P>* s) {
  guard_lock<P> lock(q);
  const std::uint16_t at = q.index(s);
  q.top.store(s, std::memory_order_relaxed);
  q.split.store(s, std::memory_order_relaxed);
  update_range<P>(q, [&](public_range r) { return public_range{r.version, at, at}; });
}

/// Owner, holding the guard: everything is private, and stays so while the guard is held. Returns the oldest slot.
template <class P>
slot_of<P>* make_private(queue_of<P>& q) {
  const public_range r =
      update_range<P>(q, [](public_range now) { return public_range{now.version, now.first, now.first}; });
  slot_of<P>* const oldest = q.slots + r.first;
  q.split.store(oldest, std::memory_order_relaxed);
  return oldest;
}

/// Owner, while all is private: a record moves to another slot.
template <class P>
void move_record(slot_of<P>& to, const slot_of<P>& from) {
  to.run.store(from.run.load(std::memory_order_relaxed), std::memory_order_relaxed);
  // release: as in push, which this store replaces for a thief.
  to.frame.store(from.frame.load(std::memory_order_relaxed), std::memory_order_release);
}

/// Owner, while all is private: closes the gap that the record at `s` leaves.
template <class P>
void close_gap(queue_of<P>& q, slot_of<P>* s, slot_of<P>* top) {
  for (; s + 1 < top; ++s) move_record<P>(*s, *(s + 1));
  q.top.store(top - 1, std::memory_order_relaxed);
}

/// Owner: takes the newest record that `accept(frame)` likes out of the middle; null if there is none.
/// O(records).
template <class P, class Accept>
void* extract(queue_of<P>& q, Accept accept) {
  guard_lock<P> lock(q);
  slot_of<P>* const oldest = make_private<P>(q);
  slot_of<P>* const top = q.top.load(std::memory_order_relaxed);
  for (slot_of<P>* s = top; s-- > oldest;) {
    void* const frame = s->frame.load(std::memory_order_relaxed);
    if (!accept(frame)) continue;
    close_gap<P>(q, s, top);
    return frame;
  }
  return nullptr;
}

/// Owner: takes the record that `choose(oldest, top)` names out of the middle, a slot or null. O(records).
template <class P, class Choose>
void* take_out(queue_of<P>& q, Choose choose) {
  guard_lock<P> lock(q);
  slot_of<P>* const oldest = make_private<P>(q);
  slot_of<P>* const top = q.top.load(std::memory_order_relaxed);
  slot_of<P>* const s = choose(oldest, top);
  if (!s) return nullptr;
  void* const frame = s->frame.load(std::memory_order_relaxed);
  if (s == oldest) {
    // As if a thief had taken it.
    const public_range r = update_range<P>(q, [](public_range now) {
      const auto next = static_cast<std::uint16_t>(now.first + 1);
      return public_range{now.version, next, next};
    });
    q.split.store(q.slots + r.first, std::memory_order_relaxed);
  } else {
    close_gap<P>(q, s, top);
  }
  return frame;
}

/// Owner: moves all records to the front, where thieves, or the owner itself at the oldest end, have left room. False
/// when there is none. O(records).
template <class P>
bool compact(queue_of<P>& q) {
  if (public_range::unpack(q.range.load(std::memory_order_relaxed)).first == 0) return false;
  guard_lock<P> lock(q);
  slot_of<P>* const oldest = make_private<P>(q);
  slot_of<P>* const top = q.top.load(std::memory_order_relaxed);
  slot_of<P>* to = q.slots;
  for (slot_of<P>* from = oldest; from < top; ++from, ++to) move_record<P>(*to, *from);
  q.split.store(q.slots, std::memory_order_relaxed);
  q.top.store(to, std::memory_order_relaxed);
  update_range<P>(q, [](public_range now) { return public_range{now.version, 0, 0}; });
  return true;
}

struct claimed {
  void* run;
  void* frame;
  std::uint16_t index;
};

/// Thief: takes up to `most` of the oldest public records, in order; how many it took. `accept(frame, index)`
/// judges the oldest before anything is moved.
template <class P, class Accept>
std::size_t claim(queue_of<P>& q, claimed* out, std::size_t max, Accept accept) {
  // acquire: partner of the releases in update_range; the slots below are then the published ones.
  std::uint64_t word = q.range.load(std::memory_order_acquire);
  for (;;) {
    const public_range r = public_range::unpack(word);
    if (r.empty()) return 0;
    const std::size_t available = static_cast<std::size_t>(r.end - r.first);
    const std::size_t take = std::min(max, max > 1 ? (available + 1) / 2 : available);
    for (std::size_t i = 0; i < take; ++i) {
      const std::uint16_t at = static_cast<std::uint16_t>(r.first + i);
      // acquire: partner of push; `accept` may look into a frame pushed after `range` was read.
      out[i] = {q.slots[at].run.load(std::memory_order_relaxed),
                q.slots[at].frame.load(std::memory_order_acquire), at};
    }
    if (!accept(out[0].frame, out[0].index)) return 0;
    const public_range next{r.version, static_cast<std::uint16_t>(r.first + take), r.end};
    // release: partner of update_range; the owner, who reuses a slot only after retire(), cannot have
    // overwritten what was read above. acquire for the next round.
    if (q.range.compare_exchange_weak(word, next.pack(), std::memory_order_release,
                                      std::memory_order_acquire))
      return take;
  }
}

template <class P>
bool has_public(const queue_of<P>& q) {
  return !public_range::unpack(q.range.load(std::memory_order_relaxed)).empty();
}

/// Thief: makes public what an owner that does not answer holds privately. True when something is public.
/// Somebody else may be at it: then, without `wait`, it is left to them.
template <class P, class Records>
bool force_publish(queue_of<P>& q, Records&& records, bool wait = false) {
  if (!P::heavy_fence_works()) return has_public<P>(q);  // nothing would keep the owner and a thief apart
  while (!guard_lock<P>::try_lock(q)) {
    if (!wait) return false;
    P::relax();
  }
  slot_of<P>* const old_split = q.split.load(std::memory_order_relaxed);
  slot_of<P>* const wanted = std::min(q.top.load(std::memory_order_relaxed), q.last);
  slot_of<P>* reached = old_split;
  if (wanted > old_split) {
    q.split.store(wanted, std::memory_order_relaxed);
    P::heavy_fence();
    // From here on the owner's pops at or above old_split and below `wanted` come to the guard. acquire:
    // partner of push's release of `top`; the records below it can be read.
    reached = std::max(old_split, std::min(wanted, q.top.load(std::memory_order_acquire)));
    if (reached != wanted) q.split.store(reached, std::memory_order_relaxed);
  }
  if (reached != old_split) {
    bool fence_again = false;
    for (slot_of<P>* s = old_split; s != reached; ++s) fence_again |= records.interrupt(s);
    if (fence_again) P::heavy_fence();
    for (slot_of<P>* s = old_split; s != reached; ++s) records.publish(s);
    records.before_force();
    update_range<P>(q, [&](public_range r) { return public_range{r.version, r.first, q.index(reached)}; });
  }
  const bool any = !public_range::unpack(q.range.load(std::memory_order_relaxed)).empty();
  guard_lock<P>::unlock(q);
  return any;
}

/// Anybody: how many records there are, and whether only private ones; a guess by the time it is used.
template <class P>
std::size_t load_of(const queue_of<P>& q) {
  const public_range r = public_range::unpack(q.range.load(std::memory_order_relaxed));
  const std::ptrdiff_t top = q.top.load(std::memory_order_relaxed) - q.slots;
  return top > r.first ? static_cast<std::size_t>(top - r.first) : 0;
}

/// Anybody: asks the owner to come by at its next push, between two heavy fences: before the first one writes
/// why, and after the second one looks for what was pushed before. Tests before it writes: the line is the
/// owner's.
template <class P>
void request(queue_of<P>& q) {
  if (q.limit.load(std::memory_order_relaxed) != q.lowered)
    q.limit.store(q.lowered, std::memory_order_relaxed);
}

/// Owner: from now on the fast path, where it is open, is so for `more` pushes.
template <class P>
void arm(queue_of<P>& q, std::uint64_t more) {
  slot_of<P>* const top = std::min(q.top.load(std::memory_order_relaxed), q.last);
  const auto room = static_cast<std::uint64_t>(q.last - top);
  q.armed = top + static_cast<std::ptrdiff_t>(std::min(more, room));
}

/// Whether every push comes to the slow path: for its time to pass, or to be watched.
template <class P>
bool sees_every_push(const queue_of<P>& q) {
  return P::in_virtual_time() || q.watched;
}

/// Where the limit lies while nobody wants attention.
template <class P>
slot_of<P>* open_limit(const queue_of<P>& q) {
  return sees_every_push<P>(q) ? q.slots : q.armed;
}

/// Owner, after a push of `s` that came to the slow path: whether it came only because every push does.
template <class P>
bool no_request(const queue_of<P>& q, const slot_of<P>* s) {
  return sees_every_push<P>(q) && s < q.armed &&
         P::quietly(q.limit).load(std::memory_order_relaxed) == q.slots;
}

/// Owner: opens the fast path again. The caller then reads the reasons.
template <class P>
void rearm(queue_of<P>& q) {
  q.limit.store(open_limit<P>(q), std::memory_order_relaxed);
  P::light_fence();  // whose reason cannot be read from here on will find the limit open, and lower it
}

}  // namespace skua::core
