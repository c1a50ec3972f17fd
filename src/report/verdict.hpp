// What limits a run, in one sentence with its evidence.
//
//   verdict v = judge(run);
//   v.sentence    // "Load imbalance limits it: for 38% of the time one worker computed while 7 found nothing."
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "observe/run_record.hpp"

namespace skua::reports {

enum class limit : std::uint8_t {
  nothing,           // it is about as fast as so many workers can be
  parallelism,       // the span, or what is outside of skua
  task_size,         // forking and stealing cost a share of the tasks themselves
  remote_steals,     // tasks run far from their data, where near ones would have been possible
  memory_bandwidth,  // user time grows with the workers: memories or links are full
  imbalance,         // few long tasks end late
  sleeping,          // tasks block: locks, files, sleep
  other_programs     // the machine was busy otherwise
};
inline constexpr std::string_view limit_names[] = {
    "nothing",          "too little parallelism", "too small tasks", "remote steals",
    "memory bandwidth", "load imbalance",         "sleeping",        "other programs"};

struct verdict {
  limit what = limit::nothing;
  std::string sentence;               // for people; names the numbers it rests on
  std::string advice;                 // what to do about it; empty where there is nothing to say
  std::vector<std::string> evidence;  // one line each, the strongest first
};

verdict judge(const observe::run_record& run);

}  // namespace skua::reports
