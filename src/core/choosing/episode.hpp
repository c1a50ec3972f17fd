// An episode of the scheduler's chooser of policies (policy_chooser.hpp), while this lives. Where nothing is chosen it costs a
// look at one pointer.
#pragma once

#include <bit>
#include <cstdint>
#include <exception>

#include "core/choosing/policy_chooser.hpp"
#include "core/scheduler_core.hpp"

namespace skua::core {

class episode {
 public:
  /// A call of an external thread, from this place.
  static episode of_call(task_context& w, const void* place) noexcept {
    return {w, episode_kind::call, place, 0, w.own_top()};
  }
  /// A loop with so many positions. If its record has been pushed already, it is at `record`.
  static episode of_loop(task_context& w, const void* place, std::uint64_t size,
                         const detail::slot* record = nullptr) noexcept {
    return {w, episode_kind::loop, place, size, record ? record : w.own_top()};
  }
  static episode of_region(task_context& w, const void* place, const region_shape& shape) noexcept {
    return {w, episode_kind::region, place, shape.input_bytes, w.own_top(), &shape};
  }
  ~episode() {
    if (as_ != policy_chooser::role::none) [[unlikely]]
      end();
  }
  episode(const episode&) = delete;
  episode& operator=(const episode&) = delete;
  /// It did not run to its end, so its time says nothing.
  void drop() noexcept { dropped_ = true; }
  explicit operator bool() const noexcept { return as_ != policy_chooser::role::none; }

 private:
  episode(task_context& w, episode_kind kind, const void* place, std::uint64_t size, const detail::slot* top,
          const region_shape* shape = nullptr) noexcept
      : chooser_(w.worker->pool->choices.get()) {
    // Beside open forks of this stack it would measure those, too.
    if (chooser_ && top == w.first_slot) [[unlikely]]
      begin(static_cast<stack&>(w), {kind, reinterpret_cast<std::uintptr_t>(place), bits_of(size)}, size,
            shape);
  }
  static std::uint32_t bits_of(std::uint64_t size) noexcept {
    return static_cast<std::uint32_t>(std::bit_width(size));
  }
  void begin(stack& on, const episode_key& key, std::uint64_t size, const region_shape* shape) noexcept;
  void end() noexcept;

  policy_chooser* const chooser_;
  double iterations_ = 1;
  policy_chooser::role as_ = policy_chooser::role::none;
  bool dropped_ = false;
  int thrown_before_ = 0;
};

/// The place of an episode whose call site is unknown. Names are found by the byte before a return address.
inline const void* place_of_code(const void* code) noexcept { return static_cast<const char*>(code) + 1; }

/// The chooser of a scheduler with this policy on so many domains; null if there is nothing to choose.
std::unique_ptr<policy_chooser> make_chooser(const steal_policy& policy, const settings& options,
                                             std::size_t domains, bool may_deal);

}  // namespace skua::core
