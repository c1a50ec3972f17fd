// The sizes of the types that a program and the library exchange. This file is compiled with and without -D_GLIBCXX_DEBUG.
#include <skua/skua.hpp>

#include <cstddef>

extern const std::size_t SKUA_SIZES[];
const std::size_t SKUA_SIZES[] = {sizeof(skua::best_workers_options),
                                  sizeof(skua::counters),
                                  sizeof(skua::core_info),
                                  sizeof(skua::detail::scope),
                                  sizeof(skua::detail::task_pool),
                                  sizeof(skua::hint),
                                  sizeof(skua::learnt_region),
                                  sizeof(skua::learnt_shape),
                                  sizeof(skua::loop_hint),
                                  sizeof(skua::loop_memo),
                                  sizeof(skua::mutex),
                                  sizeof(skua::peeked),
                                  sizeof(skua::phase_options),
                                  sizeof(skua::placement),
                                  sizeof(skua::policy_info),
                                  sizeof(skua::policy_option),
                                  sizeof(skua::report),
                                  sizeof(skua::scheduler),
                                  sizeof(skua::scheduler_options),
                                  sizeof(skua::simulation),
                                  sizeof(skua::simulation_report),
                                  sizeof(skua::steal_policy),
                                  sizeof(skua::stolen),
                                  sizeof(skua::task_context),
                                  sizeof(skua::task_group),
                                  sizeof(skua::thief),
                                  sizeof(skua::topology),
                                  sizeof(skua::with::mix),
                                  sizeof(skua::workers_trial),
                                  0};
