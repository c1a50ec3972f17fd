// What a thread does between two looks at a word that another thread will change within a few instructions.
#pragma once

namespace skua::core {

/// One object for one wait. Only reads should lie between its calls: if many threads try to change a word without a
/// pause, they can keep the word's holder from changing it.
template <class P>
class spin_pause {
 public:
  // The other thread may wait for a CPU.
  void operator()() noexcept {
    if (++rounds_ % rounds_a_yield == 0 && !P::threads_take_turns())
      P::yield_thread();
    else
      P::relax();
  }
  /// Pauses once, and on until a look at the word shows that an attempt to change it may succeed. Where the threads take
  /// turns, the other thread has run during the pause, and no look is needed.
  template <class Look>
  void until(Look may_succeed) noexcept {
    do (*this)();
    while (!P::threads_take_turns() && !may_succeed());
  }

 private:
  static constexpr unsigned rounds_a_yield = 64;
  unsigned rounds_ = 0;
};

}  // namespace skua::core
