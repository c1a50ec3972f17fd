// The contract of a stealing policy: it chooses what a thief steals and from which victim.
//
//   struct ring : skua::steal_policy {                       // a whole policy
//     skua::stolen acquire(skua::thief& t) override {
//       for (std::size_t level = 0; level < t.levels(); ++level)
//         for (skua::worker_id victim : t.at_distance(level))
//           if (skua::stolen task = t.try_steal(victim)) return task;
//       return {};
//     }
//   };
//
// A worker that has no work of its own asks its policy for a task. `acquire` makes one bounded round. It returns an
// empty result when it found no task. The core handles back-off, sleep and termination.
// Thread-safety: each worker has its own policy object, and only this worker calls it, except for functions whose comment says
// otherwise. So members need no synchronisation.
// A policy uses no atomics, threads or clocks. It allocates only in on_start. It cannot detect whether its machine is
// simulated.
// Cost: a look at a victim is one remote read.
// Throws: make_policy, check_policy and register_policy throw bad_input. When `acquire` throws, its worker uses the policy
// nearest from then on, and one line on stderr reports this.
// Paper: the thief's view of victims follows user-defined stealing (MassiveThreads); `skua explain NAME` lists the
// paper of each policy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include <skua/detail/stolen.hpp>
#include <skua/hint.hpp>
#include <skua/region_shape.hpp>
#include <skua/sequence.hpp>
#include <skua/topology.hpp>

namespace skua {

/// How much a steal takes: one task, or half of the victim's public tasks. Where a scheduler has more workers than CPUs,
/// `one` takes up to 64 tasks from a worker whose queue has 256 or more group tasks. The thief runs one of them and queues the
/// others.
enum class amount { one, half };

/// A predicate on the hint of the task that is about to be stolen. A task that it refuses stays in its queue. The
/// object refers to the callable from which it was made. An empty one accepts every task. The callable must not throw,
/// and must not call the thief, because the tasks of the victim may be locked during the call.
class confirmation {
 public:
  confirmation() = default;
  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, confirmation> &&
             std::is_invocable_r_v<bool, F&, const hint&>)
  confirmation(F&& judge) noexcept
      : judge_(const_cast<void*>(static_cast<const void*>(std::addressof(judge)))),
        call_([](void* f, const hint& of_task) -> bool {
          return (*static_cast<std::remove_reference_t<F>*>(f))(of_task);
        }) {}
  explicit operator bool() const noexcept { return call_ != nullptr; }
  bool operator()(const hint& of_task) const { return call_(judge_, of_task); }

 private:
  void* judge_ = nullptr;
  bool (*call_)(void*, const hint&) = nullptr;
};

/// The result of a peek: the hint of a task, or nothing. When there is nothing, peeked->as<T>() has no value either.
class peeked : public std::optional<hint> {
 public:
  using std::optional<hint>::optional;
  const hint& operator*() const noexcept {
    return has_value() ? std::optional<hint>::operator*() : nothing();
  }
  const hint* operator->() const noexcept { return &**this; }

 private:
  static const hint& nothing() noexcept {
    static const hint& none = *new hint;  // never destroyed: workers look for tasks until the process ends
    return none;
  }
};

/// An idle worker as its policy sees it. A look at a victim costs a remote read.
class SKUA_API thief {
 public:
  virtual ~thief() = default;
  /// The number of this worker.
  virtual worker_id id() const = 0;
  /// The number of workers of the scheduler.
  virtual std::size_t workers() const = 0;
  /// The placement of the workers, with distances.
  virtual const placement& machine() const = 0;
  /// A uniform number in 0 .. bound-1 from this worker's own generator (bound at least 1).
  virtual std::size_t random(std::size_t bound) = 0;
  /// The number of tasks of the victim, including private ones. It may have changed by the time it is read.
  virtual std::size_t load(worker_id victim) const = 0;
  /// A copy of the hint of the task that a steal from this victim would take; an empty hint for a task without one.
  /// Nothing when there is no such task or it was taken meanwhile. A victim with only private tasks receives a request
  /// to publish.
  virtual peeked peek(worker_id victim) = 0;
  /// One attempt to steal. If the victim has only private tasks, it leaves a request there, counts one miss and returns
  /// empty without waiting. Stealing from oneself is a miss. `confirm` is called for the task that is taken (for half:
  /// the oldest one) before it is moved. A refused task is a miss.
  virtual stolen try_steal(worker_id victim, amount how_much = amount::one, confirmation confirm = {}) = 0;

  /// The next worker of the domain, in ring order after this one, that has announced itself. Never this worker itself.
  /// One remote read.
  virtual std::optional<worker_id> announced_in(domain_id domain) const = 0;
  /// Whether the program is now in a region with a boundary (shaped.hpp) or in a join of inter-domain tasks.
  virtual bool tiered() const = 0;
  /// Whether the domain runs an inter-domain task.
  virtual bool busy(domain_id domain) const = 0;
  /// Takes an inter-domain task from a domain's pool: the newest of the own domain, the oldest of another domain. It is
  /// a miss while the own domain is busy. The task makes the own domain busy.
  virtual stolen try_take(domain_id domain) = 0;
  /// For a policy with managers (managed()). Reports once to this worker's manager that it is idle, processes the
  /// messages that have arrived, and lets its managers check their timeouts. Tasks that have arrived belong to this
  /// worker (load(id())). It finds them after acquire has returned.
  virtual void act_on_messages() = 0;

  /// One attempt to steal one task that `confirm` accepts.
  stolen try_steal(worker_id victim, confirmation confirm) { return try_steal(victim, amount::one, confirm); }
  /// The hint as a value of type T. No value when there is no task or its hint has another type.
  template <class T>
  std::optional<T> peek(worker_id victim) {
    return peek(victim)->template as<T>();
  }
  /// Up to `count` distinct random workers other than this one. The span is valid until the next call.
  std::span<const worker_id> random_workers(std::size_t count);

  /// Whether the policy should use its last resort. This is so when there is work, but the policy has found none of it
  /// for so long that its worker sleeps between rounds.
  virtual bool forces() const { return false; }
  /// For a policy with candidates(): the number of the candidate that all workers use now. One read of a word that hardly
  /// ever changes.
  virtual std::size_t chosen() const { return 0; }
  [[deprecated("use forces()")]] bool insists() const { return forces(); }

  /// Bytes of the cache that defines a domain; 0 when a cache does not define the domains.
  virtual std::size_t domain_cache_bytes() const = 0;

  /// The number of distance levels, see placement::levels().
  std::size_t levels() const { return machine().levels(); }
  /// The workers at a distance level, see placement::at_distance().
  std::span<const worker_id> at_distance(std::size_t level) const {
    return machine().at_distance(id(), level);
  }
  /// Whether this worker is the head of its domain: the worker of the domain with the lowest number.
  bool is_head() const { return machine()[id()].head; }

 private:
  sequence<worker_id> others_;  // shuffled from the front as needed
};

/// How fast a worker's queue fills and empties.
struct queue_rates {
  double push_ns = 0, pop_ns = 0;  // nanoseconds for one task, measured at start
  double arrivals_per_s = 0;       // tasks pushed per second, measured during the run; 0 until then
  double services_per_s = 0;       // tasks per second that left the queue
};
/// Queue lengths in tasks. A worker announces itself at `upper` tasks or more, and withdraws at `lower` tasks.
struct announce_thresholds {
  std::size_t upper = 0, lower = 0;
};

/// How workers steal by messages only (steal_policy::managed).
struct management_options {
  std::uint32_t radix = 8;         // of the tree of managers; 2 to 4096
  amount how_much = amount::half;  // of the difference between the fullest worker and the thief
  std::uint64_t underflow = 1;     // a worker is sent tasks while it has fewer, including the running one
  bool rescue = true;              // false: try_steal is not allowed, and only owners write to their queues
  std::uint32_t dedicated = 0;     // how many of the last workers run managers and no tasks; one is left
};

/// The kind of queue in which the joins of a scheduler wait for thieves.
enum class queue_kind {
  split,     ///< private until a worker is idle: a fork needs no fence
  chase_lev  ///< public at once: every fork and every join is a call with a fence
};

/// When workers hand new joins, loops and group tasks directly to idle workers (steal_policy::deals).
enum class dealing {
  never,   ///< all tasks are stolen
  large,   ///< in schedulers of 8 workers or more, unless workers share CPUs
  always,  ///< in every scheduler; for tests
};

class steal_policy;
/// One of the policies among which the scheduler chooses (steal_policy::candidates).
struct candidate_policy {
  std::string_view name;
  const steal_policy* policy = nullptr;
};

/// The base class of stealing policies; see the top of this file.
class SKUA_API steal_policy {
 public:
  virtual ~steal_policy() = default;
  /// Makes one bounded round of attempts. Returns a task, or empty when it found none.
  virtual stolen acquire(thief& self) = 0;
  /// Called once, before the first acquire(). It may allocate.
  virtual void on_start(const thief&) {}
  /// The queue lengths at which a worker announces itself to thieves and withdraws. None: never. Called at the start
  /// and from time to time during the run.
  virtual std::optional<announce_thresholds> announce_at(const queue_rates&) const { return std::nullopt; }
  /// Whether the policy takes tasks from the domains' pools. If not, no join creates inter-domain tasks.
  virtual bool has_tiers() const { return false; }
  /// The boundary level of a region that is being entered, 0 for none. Any worker of the scheduler may call it.
  virtual std::uint32_t boundary_level(const thief&, const region_shape&) const { return 0; }
  /// Whether a new inter-domain task lies in the pool of the domain that its place in the recursion gives: each domain gets the
  /// same part of a region in each run. If not, it lies in the pool of the domain that creates it.
  virtual bool spreads() const { return false; }
  /// Called once, when a scheduler starts. With a value, workers report their loads to managers and send each other
  /// tasks on request of the managers.
  virtual std::optional<management_options> managed() const { return std::nullopt; }
  /// The kind of queue. Called once, when a scheduler starts. For baselines.
  virtual queue_kind queue() const { return queue_kind::split; }
  /// When workers hand new work directly to idle workers. The policy does not see such a steal. A short loop reaches all
  /// workers of a large machine sooner that way. Called once, when a scheduler starts.
  virtual dealing deals() const { return dealing::never; }
  /// Policies among which the scheduler chooses for each call site, by measured times; thief::chosen() says which one all
  /// workers use now. The first one is the default. They belong to this policy, and exist from its construction on. None:
  /// the scheduler chooses nothing. Workers deal and announce only while they use a candidate that does.
  virtual std::span<const candidate_policy> candidates() const { return {}; }
};

/// One option of a policy, as it may appear in the parentheses after the policy's name.
struct policy_option {
  enum kinds { flag, choice, whole, fraction, policy, bytes } kind;  // bytes: also with a unit, "64k", "8M"
  std::string_view name;
  std::string_view default_value;  // a flag is "yes" or "no"
  std::string_view about;
  std::span<const std::string_view> allowed = {};  // values of a choice
  double min = 0, max = 0;                         // range of a number
};

/// Describes the values of an option: "yes or no", "whole numbers from 1 to 1000".
SKUA_API std::string allowed_values(const policy_option& option);

/// The description of a policy; `skua explain` and the pages in docs/policies/ show it.
struct policy_info {
  std::string_view name;
  std::string_view summary;  // one line
  std::string_view what = {};
  std::string_view helps = {};
  std::string_view hurts = {};
  std::string_view cost = {};  // of a fork
  std::string_view paper = {};
  std::span<const policy_option> options = {};
  std::string_view drawing = {};  // of thieves and victims: at most 12 lines of 78 columns
};

/// All policies: the default one, then the other built-in ones, then the registered ones. Any thread may call it.
SKUA_API sequence<const policy_info*> policies();

/// Registers a policy by name for schedulers, SKUA_POLICY and policies(). `info` must outlive all its uses; a static
/// object does. A library that is loaded by dlopen() and registers a policy stays loaded after dlclose(), since schedulers
/// and lists of policies go on using it. Throws bad_input for a name that is in use or contains characters that a name may
/// not have. Any thread may call it.
SKUA_API void register_policy(const policy_info& info, std::unique_ptr<steal_policy> (*make)());

/// Makes a policy from its name and options in parentheses: "nearest", "most_loaded(list, refresh=5, scope=domain)".
/// Throws bad_input with the wrong part, the allowed values and the nearest match. Any thread may call it.
SKUA_API std::unique_ptr<steal_policy> make_policy(std::string_view text);
/// Throws bad_input as make_policy does, and makes no policy. Any thread may call it.
SKUA_API void check_policy(std::string_view text);

}  // namespace skua

/// Registers the class `mine`, at namespace scope: SKUA_POLICY(mine, "mine", "steals from the loudest worker");
#define SKUA_POLICY(type, policy_name, policy_summary) \
  SKUA_POLICY_NUMBERED(type, policy_name, policy_summary, __COUNTER__)
#define SKUA_POLICY_NUMBERED(type, policy_name, policy_summary, number) \
  SKUA_POLICY_NAMED(type, policy_name, policy_summary, number)
#define SKUA_POLICY_NAMED(type, policy_name, policy_summary, number)                                   \
  namespace {                                                                                          \
  const ::skua::policy_info skua_policy_info_##number{.name = policy_name, .summary = policy_summary}; \
  const bool skua_policy_registered_##number =                                                         \
      (::skua::register_policy(                                                                        \
           skua_policy_info_##number,                                                                  \
           +[]() -> ::std::unique_ptr<::skua::steal_policy> { return ::std::make_unique<type>(); }),   \
       true);                                                                                          \
  }                                                                                                    \
  static_assert(true)
