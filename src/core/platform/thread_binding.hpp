// Workers' threads are bound to CPUs. The children of fork(), and the threads that skua starts for other purposes,
// would inherit that for life. These get the CPUs of the process back.
//
// Two cases cannot be caught and keep the CPUs of the worker: a thread that a task starts itself, and a program that it
// starts without fork() (posix_spawn, popen, system, vfork). scheduler_options::bind says how to avoid it.
#pragma once

#include "base/bind_thread.hpp"

namespace skua::core {

/// Once in a process, by any thread, before the first worker is bound. Allocates, as bind_worker_thread() may not.
void prepare_binding();
/// Binds the calling thread, which is a worker's own. False when the system refuses.
bool bind_worker_thread(const base::cpu_mask& to) noexcept;
/// Whether a thread that the calling thread starts would inherit fewer CPUs than the process has, because skua or an
/// OpenMP runtime has bound the calling thread.
bool starts_bound_threads() noexcept;
/// Lets the calling thread run on all CPUs of the process.
void release_this_thread() noexcept;

}  // namespace skua::core
