// All of skua, a work-stealing runtime for C++20.
//
//   long fib(long n) {
//     if (n < 2) return n;
//     auto [a, b] = skua::join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
//     return a + b;
//   }
//
// Start with join.hpp (fork and join), parallel_for.hpp (loops), task_group.hpp (tasks) and scheduler.hpp.
#pragma once

#include <skua/best_workers.hpp>
#include <skua/declare.hpp>
#include <skua/hint.hpp>
#include <skua/join.hpp>
#include <skua/order.hpp>
#include <skua/parallel_for.hpp>
#include <skua/parallel_invoke.hpp>
#include <skua/parallel_reduce.hpp>
#include <skua/parallel_scan.hpp>
#include <skua/parallel_sort.hpp>
#include <skua/phase.hpp>
#include <skua/policies.hpp>
#include <skua/report.hpp>
#include <skua/scheduler.hpp>
#include <skua/sequence.hpp>
#include <skua/shaped.hpp>
#include <skua/steal_policy.hpp>
#include <skua/sync.hpp>
#include <skua/task_group.hpp>
#include <skua/topology.hpp>
#include <skua/trace_span.hpp>

// Included last, so that an old name is not declared before the parameters of the same name above.
#include <skua/deprecated.hpp>
