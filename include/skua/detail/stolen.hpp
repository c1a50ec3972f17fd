// The result of try_steal: empty, or exactly one task, which must be run.
#pragma once

#include <utility>

namespace skua {

class stolen {
 public:
  stolen() = default;
  stolen(stolen&& other) noexcept
      : run_(std::exchange(other.run_, nullptr)), frame_(other.frame_), side_(other.side_) {}
  stolen& operator=(stolen&& other) noexcept {
    run_ = std::exchange(other.run_, nullptr);
    frame_ = other.frame_;
    side_ = other.side_;
    return *this;
  }
  explicit operator bool() const noexcept { return run_ != nullptr; }

  /// For the core, the simulator and fakes in tests. `run` must not be null.
  stolen(void* run, void* frame, void* side) noexcept : run_(run), frame_(frame), side_(side) {}
  void* run() const noexcept { return run_; }
  void* frame() const noexcept { return frame_; }
  void* side() const noexcept { return side_; }

 private:
  void* run_ = nullptr;
  void* frame_ = nullptr;
  void* side_ = nullptr;
};

}  // namespace skua
