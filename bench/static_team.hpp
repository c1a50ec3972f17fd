// A yardstick for loops: a team of all workers with a static schedule, as OpenMP's `parallel` with `for schedule(static)`
// in it. One member runs the serial code and the others wait for its loops. A loop begins and ends in a tree of flags, each
// on a line of its own. The flags declare what they read and write, so the team takes time on a simulated machine, too.
//
//   static_team team(workers);
//   team.run([&] { team.loop(0, n, [&](std::size_t first, std::size_t last) { ... }); });
//
// There must be a free worker for each member.
#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

#include <skua/skua.hpp>

namespace bench {

class static_team {
 public:
  explicit static_team(std::size_t workers) : members_(workers) {}

  /// serial() runs on one worker and may call loop(). Returns when it has returned.
  template <class Serial>
  void run(Serial serial) {
    over_ = false;
    skua::parallel_for(std::size_t{0}, members_.size(), [&](std::size_t) {
      const auto me = static_cast<std::size_t>(skua::worker_index());
      if (me != 0) return serve(me);
      serial();
      over_ = true;
      begin(me);
    });
  }

  /// body(first, last) for one part of the range on each member.
  template <class Body>
  void loop(std::size_t first, std::size_t last, const Body& body) {
    first_ = first, last_ = last, body_ = &body;
    call_ = [](const void* of, std::size_t from, std::size_t to) {
      (*static_cast<const Body*>(of))(from, to);
    };
    begin(0);
    part_of(0);
    end(0);
  }

 private:
  static constexpr std::size_t radix = 8;  // members of a node of the tree
  static constexpr double pause_cycles = 40;

  struct flag {
    alignas(64) std::atomic<unsigned> number = 0;
    void set(unsigned to) {
      skua::writes(&number, 1);
      number.store(to, std::memory_order_release);  // partner: await()
    }
    void await(unsigned wanted) {
      for (;; skua::costs(pause_cycles)) {
        skua::reads(&number, 1);
        if (number.load(std::memory_order_acquire) == wanted) return;  // partner: set()
      }
    }
  };
  struct member {
    flag begins, has_ended;
    unsigned loops = 0;
  };

  void serve(std::size_t me) {
    for (;;) {
      begin(me);
      if (over_) return;
      part_of(me);
      end(me);
    }
  }

  // The first member of each node of the tree is its parent.
  static std::size_t parent_of(std::size_t me) {
    std::size_t step = radix;
    while (me % step == 0) step *= radix;
    return me / step * step;
  }
  /// Calls act(child) for the children of a member, those with large subtrees first.
  template <class Act>
  void each_child(std::size_t me, Act act) {
    std::size_t step = 1;
    while (me % (step * radix) == 0 && step < members_.size()) step *= radix;
    for (step /= radix; step != 0; step /= radix)
      for (std::size_t child = me + step; child < me + radix * step && child < members_.size(); child += step)
        act(child);
  }

  /// Waits until the loop begins, and tells its children. They look at one flag.
  void begin(std::size_t me) {
    const unsigned number = ++members_[me].loops;
    if (me != 0) members_[parent_of(me)].begins.await(number);
    if (me % radix == 0) members_[me].begins.set(number);
  }
  void end(std::size_t me) {
    each_child(me, [&](std::size_t child) { members_[child].has_ended.await(members_[me].loops); });
    if (me != 0) members_[me].has_ended.set(members_[me].loops);
  }
  void part_of(std::size_t me) {
    const std::size_t n = last_ - first_, parts = members_.size();
    const std::size_t from = first_ + n * me / parts, to = first_ + n * (me + 1) / parts;
    if (from < to) call_(body_, from, to);
  }

  std::vector<member> members_;
  bool over_ = false;
  std::size_t first_ = 0, last_ = 0;
  const void* body_ = nullptr;
  void (*call_)(const void*, std::size_t, std::size_t) = nullptr;
};

}  // namespace bench
