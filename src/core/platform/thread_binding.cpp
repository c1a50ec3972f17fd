#include "core/platform/thread_binding.hpp"

#include <pthread.h>

#include "base/made_once.hpp"
#include "topology/affinity.hpp"

namespace skua::core {

namespace {

constinit thread_local bool is_bound = false;  // the calling thread, to less than the process

// Not inlined, so that no compiler keeps a thread's address over a switch of stacks.
[[gnu::noinline]] bool& bound_here() noexcept { return is_bound; }

/// Never destroyed: threads may run during static destruction.
const base::cpu_mask& cpus_of_process() {
  static constinit base::made_once<const base::cpu_mask> all;
  return all.get([] { return base::cpu_mask(detail::cpus_at_start()); });
}

// Runs in the child of fork(), so it only calls the kernel.
void release_child() noexcept {
  if (bound_here()) release_this_thread();
}

}  // namespace

void prepare_binding() {
  cpus_of_process();
  static const int error = pthread_atfork(nullptr, nullptr, release_child);
  static_cast<void>(error);  // no memory: the children keep the worker's CPUs
}

bool bind_worker_thread(const base::cpu_mask& to) noexcept {
  if (!to.bind_this_thread()) return false;
  bound_here() = to != cpus_of_process();
  return true;
}

bool starts_bound_threads() noexcept { return bound_here() || detail::openmp_has_bound_this_process(); }

void release_this_thread() noexcept {
  cpus_of_process().bind_this_thread();
  bound_here() = false;
}

}  // namespace skua::core
