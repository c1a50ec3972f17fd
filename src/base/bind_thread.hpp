// Sets of CPUs, as the kernel takes them, and binding a thread to one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace skua::base {

/// A set of CPUs by the system's numbers. It uses no heap memory, so any thread may use it, also in the child of
/// fork().
class cpu_mask {
 public:
  cpu_mask() noexcept = default;
  explicit cpu_mask(std::uint32_t cpu) noexcept { add(cpu); }
  explicit cpu_mask(std::span<const std::uint32_t> cpus) noexcept { add(cpus); }
  /// Numbers that Linux cannot have are left out.
  void add(std::uint32_t cpu) noexcept;
  void add(std::span<const std::uint32_t> cpus) noexcept;
  bool contains(std::uint32_t cpu) const noexcept;
  std::size_t count() const noexcept;
  friend bool operator==(const cpu_mask&, const cpu_mask&) = default;

  /// Binds the calling thread to these CPUs. False when the system refuses.
  bool bind_this_thread() const noexcept;

 private:
  using word = unsigned long;
  static constexpr std::size_t max_cpus = 8192;  // the maximum for which Linux can be built
  static constexpr std::size_t bits = 8 * sizeof(word);
  std::array<word, max_cpus / bits> words_{};
};

/// Binds the calling thread to the CPU that the system calls `cpu`. False when the system refuses.
bool bind_this_thread(std::uint32_t cpu) noexcept;

}  // namespace skua::base
