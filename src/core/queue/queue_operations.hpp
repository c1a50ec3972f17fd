// The slow paths of the split queue: publishing, reclaiming, stealing, and publishing by force.
//
// Every change of `split` happens under `guard`; while the guard is free, `split` is the slot of `range.end`. Thieves
// claim without a lock. `range` changes by compare-and-swap only. Each change by the owner increments its version, so a
// thief that read a record before the change fails to claim it.
//
// `Records` is called for every record that becomes public, while the record cannot be popped:
//   bool interrupt(slot*)   before a record that was published by force is used; true requests one more fence
//   void resume(slot*)      takes interrupt() back, where that fence was refused
//   void publish(slot*)     writes beside the record what a thief needs (its context)
//   bool before_force()     publishes what must be public before records that their owner did not publish itself; false
//                           when that cannot be done
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include <skua/detail/split_queue.hpp>

#include "core/locks/spin_pause.hpp"

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
    for (spin_pause<P> pause; !try_lock(q);) pause();
  }
  ~guard_lock() { unlock(queue_); }
  guard_lock(const guard_lock&) = delete;
  guard_lock& operator=(const guard_lock&) = delete;

  static bool try_lock(queue_of<P>& q) {
    // acquire: partner of unlock's release; this holder sees the last holder's `split`.
    return q.guard.load(std::memory_order_relaxed) == 0 &&
           q.guard.exchange(1, std::memory_order_acquire) == 0;
  }
  static void unlock(queue_of<P>& q) { q.guard.store(0, std::memory_order_release); }

 private:
  queue_of<P>& queue_;
};

template <class P>
void initialise(queue_of<P>& q, slot_of<P>* slots, std::uint16_t capacity) {
  q.first_slot = slots;
  q.last = slots + capacity;  // the caller provides capacity + 1 slots
  q.armed = q.last;
  q.top.store(slots, std::memory_order_relaxed);
  q.limit.store(q.last, std::memory_order_relaxed);
  q.split.store(slots, std::memory_order_relaxed);
  q.range.store(0, std::memory_order_relaxed);
  q.guard.store(0, std::memory_order_relaxed);
}

/// Changes `range` by `change` (public_range -> public_range), increments the version, and returns the new range.
template <class P, class Change>
public_range update_range(queue_of<P>& q, Change change) {
  std::uint64_t word = q.range.load(std::memory_order_relaxed);
  for (;;) {
    public_range next = change(public_range::unpack(word));
    ++next.version;
    // release: partner of claim's acquire load; a thief that sees a slot in the range sees the record in it.
    // acquire: partner of claim's release; a thief has read the slots before the owner writes to them again.
    if (q.range.compare_exchange_weak(word, next.pack(), std::memory_order_acq_rel,
                                      std::memory_order_relaxed))
      return next;
  }
}

/// Owner: makes the oldest private records public, at most `max` of them.
template <class P, class Records>
void publish_oldest(queue_of<P>& q, Records&& records, std::ptrdiff_t max) {
  guard_lock<P> lock(q);
  slot_of<P>* const end = std::min(q.top.load(std::memory_order_relaxed), q.last);
  slot_of<P>* const old_split = q.split.load(std::memory_order_relaxed);
  if (end <= old_split) return;
  slot_of<P>* const top = old_split + std::min(end - old_split, max);
  for (slot_of<P>* s = old_split; s != top; ++s) records.publish(s);
  q.split.store(top, std::memory_order_relaxed);
  update_range<P>(q, [&](public_range r) { return public_range{r.version, r.first, q.index_of(top)}; });
}

/// Owner: makes every record below `top` public.
template <class P, class Records>
void publish_all(queue_of<P>& q, Records&& records) {
  publish_oldest<P>(q, records, q.last - q.first_slot);
}

/// Owner: returns when every record is public and its `publish` has returned, on whichever thread. `split` alone does
/// not show this, because force_publish raises it first.
template <class P, class Records>
void publish_leftovers(queue_of<P>& q, Records&& records) {
  // acquire: partner of update_range in force_publish.
  const public_range r = public_range::unpack(P::quietly(q.range).load(std::memory_order_acquire));
  if (q.own_top() > q.first_slot + r.end) publish_all<P>(q, records);
}

/// Owner: takes back a pop of `s`, also a failed one.
template <class P>
void push_again(queue_of<P>& q, slot_of<P>* s) {
  P::quietly(q.top).store(s + 1, std::memory_order_release);  // as in push
  P::light_fence();
}

/// What an owner leaves to thieves when it takes a public record back. With `half`, thieves find some records without a
/// fence: if none stayed, each steal would have to publish by force, which takes longer than a steal.
enum class stay_public { none, half, all };
/// At most so many older records become private again: enough for many pops, and few enough to be published again
/// cheaply when a worker becomes idle (with all of them, a queue of thousands was published anew for every steal).
inline constexpr std::uint16_t max_taken_back = 64;

/// Owner, after a failed pop of `s` (`top` is at `s`). True when the record belongs to the owner again; false when a
/// thief has it, and then `top` lies above `s` until retire(). `stay` says which older records stay public.
template <class P>
bool reclaim(queue_of<P>& q, slot_of<P>* s, stay_public stay) {
  guard_lock<P> lock(q);
  const std::uint16_t at = q.index_of(s);
  std::uint64_t word = q.range.load(std::memory_order_relaxed);
  for (;;) {
    const public_range r = public_range::unpack(word);
    if (r.end <= at) return true;  // a thief had raised the split by force and lowered it again
    if (r.first > at) {
      q.top.store(s + 1, std::memory_order_relaxed);
      return false;
    }
    const int older = at - r.first;
    const int back = stay == stay_public::all ? 0 : stay == stay_public::none ? older : (older + 1) / 2;
    const auto end = static_cast<std::uint16_t>(at - std::min<int>(back, max_taken_back));
    const public_range next{r.version + 1, r.first, end};
    // relaxed: it publishes nothing. A thief that claims what stays public still synchronises with the release that
    // published it, because a compare-and-swap continues the release sequence.
    if (q.range.compare_exchange_weak(word, next.pack(), std::memory_order_relaxed,
                                      std::memory_order_relaxed)) {
      q.split.store(q.first_slot + end, std::memory_order_relaxed);
      return true;
    }
  }
}

/// Owner: removes the stolen record at `s`, the newest one, once its thief has finished.
template <class P>
void retire(queue_of<P>& q, slot_of<P>* s) {
  guard_lock<P> lock(q);
  const std::uint16_t at = q.index_of(s);
  q.top.store(s, std::memory_order_relaxed);
  q.split.store(s, std::memory_order_relaxed);
  update_range<P>(q, [&](public_range r) { return public_range{r.version, at, at}; });
}

/// Owner, holding the guard: makes every record private until the guard is released. Returns the oldest slot.
template <class P>
slot_of<P>* make_private(queue_of<P>& q) {
  const public_range r =
      update_range<P>(q, [](public_range now) { return public_range{now.version, now.first, now.first}; });
  slot_of<P>* const oldest = q.first_slot + r.first;
  q.split.store(oldest, std::memory_order_relaxed);
  return oldest;
}

/// Owner, while all records are private: moves a record to another slot.
template <class P>
void move_record(slot_of<P>& to, const slot_of<P>& from) {
  to.run.store(from.run.load(std::memory_order_relaxed), std::memory_order_relaxed);
  // release: as in push; a thief reads this store instead of the push's.
  to.frame.store(from.frame.load(std::memory_order_relaxed), std::memory_order_release);
}

enum class queue_end { oldest, newest };
inline constexpr std::size_t most_gathered = 512;

/// Owner of group tasks: moves records whose frame `accept(frame)` accepts to an end of the queue: up to `most_gathered`, those
/// that lie nearest to the end. They and the others keep their order. Returns how many lie there now. Makes all records private.
/// O(records).
template <queue_end End, class P, class Accept>
std::size_t gather(queue_of<P>& q, Accept accept) {
  guard_lock<P> lock(q);
  slot_of<P>* const oldest = make_private<P>(q);
  const std::ptrdiff_t records = q.top.load(std::memory_order_relaxed) - oldest;
  // Counted from the end, inwards.
  const auto at = [&](std::ptrdiff_t i) -> slot_of<P>& {
    return oldest[End == queue_end::newest ? records - 1 - i : i];
  };
  void* found[most_gathered];
  std::size_t n = 0;
  std::ptrdiff_t searched = 0;
  for (; searched < records && n < most_gathered; ++searched) {
    void* const frame = at(searched).frame.load(std::memory_order_relaxed);
    if (accept(frame)) found[n++] = frame;
  }
  if (n == 0) return 0;
  std::size_t left = n;
  for (std::ptrdiff_t from = searched, to = searched; from-- > 0;) {
    if (left != 0 && at(from).frame.load(std::memory_order_relaxed) == found[left - 1])
      --left;
    else
      move_record<P>(at(--to), at(from));
  }
  for (std::size_t k = 0; k < n; ++k)
    at(static_cast<std::ptrdiff_t>(k)).frame.store(found[k], std::memory_order_release);  // as in push
  return n;
}

/// Owner of a full queue: hands all records but the newest `keep` to `move_out(from, to)`, which takes them oldest first and
/// returns how many it has taken, and moves the rest to the front of the slots. False when no slot came free. O(records).
template <class P, class MoveOut>
bool make_room(queue_of<P>& q, std::ptrdiff_t keep, MoveOut move_out) {
  guard_lock<P> lock(q);
  slot_of<P>* from = make_private<P>(q);
  slot_of<P>* const top = q.top.load(std::memory_order_relaxed);
  if (top - from > keep) from += move_out(from, top - keep);
  const bool moves = from != q.first_slot;
  slot_of<P>* to = q.first_slot;
  if (moves)
    for (; from < top; ++from, ++to) move_record<P>(*to, *from);
  else
    to = top;
  q.split.store(q.first_slot, std::memory_order_relaxed);
  q.top.store(to, std::memory_order_relaxed);
  update_range<P>(q, [](public_range now) { return public_range{now.version, 0, 0}; });
  return moves;
}

/// Owner: pushes `n` records. Their `run` is the one that every slot already holds. There must be room. The records
/// stay private even if another thread has lowered the limit: the caller checks that.
template <class P, class Frame>
void push_all(queue_of<P>& q, Frame* const* frames, std::size_t n) {
  slot_of<P>* s = q.own_top();
  // release, twice: as in push.
  for (std::size_t i = 0; i < n; ++i, ++s) P::quietly(s->frame).store(frames[i], std::memory_order_release);
  P::quietly(q.top).store(s, std::memory_order_release);
}

struct claimed {
  void* run;
  void* frame;
  std::uint16_t index;
};

/// For claim() and the like: every record after the oldest one may be taken too.
struct any_further {
  bool operator()(const auto&, std::size_t) const noexcept { return true; }
};

/// Thief: takes up to `max` of the oldest public records, in order, and returns how many it took. Before any is taken,
/// `accept(frame, index)` decides about the oldest one, and `also(frame, n)` about the n-th one after it. A record that
/// `also` refuses stays, and so do all newer ones.
template <class P, class Accept, class Also = any_further>
std::size_t claim(queue_of<P>& q, claimed* out, std::size_t max, Accept accept, Also also = {}) {
  // acquire: partner of the releases in update_range; the slots read below hold the published records.
  std::uint64_t word = q.range.load(std::memory_order_acquire);
  for (;;) {
    const public_range r = public_range::unpack(word);
    if (r.empty()) return 0;
    const std::size_t available = static_cast<std::size_t>(r.end - r.first);
    const std::size_t most = std::min(max, max > 1 ? (available + 1) / 2 : available);
    for (std::size_t i = 0; i < most; ++i) {
      const std::uint16_t at = static_cast<std::uint16_t>(r.first + i);
      // acquire: partner of push; `accept` may read a frame that was pushed after `range` was read.
      out[i] = {q.first_slot[at].run.load(std::memory_order_relaxed),
                q.first_slot[at].frame.load(std::memory_order_acquire), at};
    }
    if (!accept(out[0].frame, out[0].index)) return 0;
    std::size_t take = 1;
    while (take < most && also(out[take].frame, take)) ++take;
    const public_range next{r.version, static_cast<std::uint16_t>(r.first + take), r.end};
    // release: partner of update_range; the owner reuses a slot only after retire(), so it cannot have overwritten what
    // was read above. acquire, on failure: for the next round, as above.
    if (q.range.compare_exchange_weak(word, next.pack(), std::memory_order_release,
                                      std::memory_order_acquire))
      return take;
  }
}

/// Owner: the number of the oldest record that no thief has taken.
template <class Q>
std::uint16_t oldest_public(const Q& q) {
  return public_range::unpack(q.range.load(std::memory_order_relaxed)).first;
}

/// Owner: whether thieves find at least half of the records.
template <class P>
bool half_is_public(const queue_of<P>& q) {
  const public_range r = public_range::unpack(q.range.load(std::memory_order_relaxed));
  return 2 * (r.end - r.first) >= q.own_top() - q.first_slot - r.first;
}

template <class P>
bool has_public(const queue_of<P>& q) {
  return !public_range::unpack(q.range.load(std::memory_order_relaxed)).empty();
}

/// Any thread: whether every record is public whose push this thread knows of. Takes the guard, because `top` and
/// `range` change one after the other while records move; so this thread also sees what `publish` wrote under the
/// guard.
template <class P>
bool all_public(queue_of<P>& q) {
  guard_lock<P> lock(q);
  const public_range r = public_range::unpack(q.range.load(std::memory_order_relaxed));
  return q.top.load(std::memory_order_acquire) <= q.first_slot + r.end;  // as in force_publish
}

/// Thief: publishes the private records of an owner that does not answer. True when some record is public. When another
/// thread holds the guard, it returns false, or waits if `wait`. Where the kernel refuses a fence in the middle, all
/// records stay as they were: nothing is public before the last fence has succeeded.
template <class P, class Records>
bool force_publish(queue_of<P>& q, Records&& records, bool wait = false) {
  if (!P::heavy_fence_works())
    return has_public<P>(q);  // without a heavy fence the owner could pop what a thief takes
  for (spin_pause<P> pause; !guard_lock<P>::try_lock(q); pause())
    if (!wait) return false;
  slot_of<P>* const old_split = q.split.load(std::memory_order_relaxed);
  // acquire: partner of pop's release; a thread that takes records out counts them before.
  slot_of<P>* const wanted = std::min(q.top.load(std::memory_order_acquire), q.last);
  slot_of<P>* reached = old_split;
  const auto give_up = [&] {
    q.split.store(old_split, std::memory_order_relaxed);
    guard_lock<P>::unlock(q);
    return has_public<P>(q);
  };
  if (wanted > old_split) {
    q.split.store(wanted, std::memory_order_relaxed);
    if (!P::heavy_fence()) return give_up();
    // From here on the owner's pops from old_split up to `wanted` have to take the guard. acquire: partner of push's
    // release of `top`; the records below it can be read.
    reached = std::max(old_split, std::min(wanted, q.top.load(std::memory_order_acquire)));
    if (reached != wanted) q.split.store(reached, std::memory_order_relaxed);
  }
  if (reached != old_split) {
    bool fence_again = false;
    for (slot_of<P>* s = old_split; s != reached; ++s) fence_again |= records.interrupt(s);
    if (fence_again && !P::heavy_fence()) {
      for (slot_of<P>* s = old_split; s != reached; ++s) records.resume(s);
      return give_up();
    }
    for (slot_of<P>* s = old_split; s != reached; ++s) records.publish(s);
    if (!records.before_force()) return give_up();
    update_range<P>(q, [&](public_range r) { return public_range{r.version, r.first, q.index_of(reached)}; });
  }
  const bool any = !public_range::unpack(q.range.load(std::memory_order_relaxed)).empty();
  guard_lock<P>::unlock(q);
  return any;
}

/// Any thread: the number of records, private ones included; an estimate, since it may change at once.
template <class P>
std::size_t load_of(const queue_of<P>& q) {
  const public_range r = public_range::unpack(q.range.load(std::memory_order_relaxed));
  const std::ptrdiff_t top = q.top.load(std::memory_order_relaxed) - q.first_slot;
  return top > r.first ? static_cast<std::size_t>(top - r.first) : 0;
}

/// Any thread: makes the owner's next push take the slow path. The caller writes its reason, runs a heavy fence, calls
/// this, runs a second heavy fence, and then looks for what was pushed before. It tests before it writes, because the
/// cache line belongs to the owner.
template <class P>
void request(queue_of<P>& q) {
  if (q.limit.load(std::memory_order_relaxed) != q.lowered)
    q.limit.store(q.lowered, std::memory_order_relaxed);
}

/// Thief: publishes private records by force with `force`, else asks their owner. True when some are public now.
template <class P, class Records>
bool uncover(queue_of<P>& q, Records&& records, bool force) {
  if (load_of<P>(q) == 0) return false;
  if (force) return force_publish<P>(q, records);
  request<P>(q);
  return false;
}

/// Thief: claims the oldest record, if accept(frame, index) allows it. Private ones: as uncover().
template <class P, class Records, class Accept>
bool claim_oldest(queue_of<P>& q, claimed& one, Records&& records, bool force, Accept accept) {
  return claim<P>(q, &one, 1, accept) != 0 ||
         (uncover<P>(q, records, force) && claim<P>(q, &one, 1, accept) != 0);
}

/// Owner: the next `more` pushes may use the fast path, where it is open.
template <class P>
void arm(queue_of<P>& q, std::uint64_t more) {
  slot_of<P>* const top = std::min(q.top.load(std::memory_order_relaxed), q.last);
  const auto room = static_cast<std::uint64_t>(q.last - top);
  q.armed = top + static_cast<std::ptrdiff_t>(std::min(more, room));
}

/// Whether every push takes the slow path: to be charged, or to be watched.
template <class P>
bool sees_every_push(const queue_of<P>& q) {
  return P::charges_code() || q.watched;
}

/// The limit while no thread has made a request.
template <class P>
slot_of<P>* open_limit(const queue_of<P>& q) {
  return sees_every_push<P>(q) ? q.first_slot : q.armed;
}

/// Owner, after a push of `s` that took the slow path: true when it did so only to let virtual time pass or to be
/// watched.
template <class P>
bool no_request(const queue_of<P>& q, const slot_of<P>* s) {
  return sees_every_push<P>(q) && s < q.armed &&
         P::quietly(q.limit).load(std::memory_order_relaxed) == q.first_slot;
}

/// Owner: opens the fast path again. The caller then reads the reasons for requests.
template <class P>
void rearm(queue_of<P>& q) {
  q.limit.store(open_limit<P>(q), std::memory_order_relaxed);
  P::light_fence();  // a thread that writes a reason too late for the owner finds an open limit, and lowers it
}

/// Owner, which watched every push until now and does so no longer (`watched` is false): opens the fast path unless a request
/// waits for the next push. No request is lost, so the reasons need not be read.
template <class P>
void end_watch(queue_of<P>& q) {
  // relaxed: the limit is the only word. Partner: request(), whose store comes before (it stays) or after (the limit is lowered).
  slot_of<P>* no_request = q.first_slot;
  q.limit.compare_exchange_strong(no_request, q.armed, std::memory_order_relaxed, std::memory_order_relaxed);
}

}  // namespace skua::core
