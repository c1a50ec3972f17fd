// How far a simulated run is, on a terminal, every half second until the object ends. Nothing without a terminal, or where
// nothing is simulated.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include <skua/scheduler.hpp>

namespace skua::cli {

class simulated_progress {
 public:
  simulated_progress(const scheduler& pool, std::string what);
  ~simulated_progress();
  simulated_progress(const simulated_progress&) = delete;
  simulated_progress& operator=(const simulated_progress&) = delete;

 private:
  void show();

  const scheduler& pool_;
  const std::string what_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread shows_;
};

}  // namespace skua::cli
