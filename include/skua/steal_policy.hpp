// Who steals what from whom: the contract of a stealing policy.
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
// A worker that has run out of its own work asks its policy for a task. `acquire` makes one
// bounded round and returns empty when it found nothing; the core owns back-off, sleep and the end.
// There is one policy object a worker, called by that worker only: members need no protection.
// A policy has no atomics, threads or clocks, allocates in on_start at most, and never knows whether its machine is real.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <skua/detail/stolen.hpp>
#include <skua/hint.hpp>
#include <skua/region_shape.hpp>
#include <skua/topology.hpp>

namespace skua {

/// How much a steal takes: one task, or half of what the victim has published.
enum class amount { one, half };

/// A predicate on the hint of the task that is about to be stolen, and which stays where it is when refused. Refers to
/// the callable it was made of; empty: every task will do. Must not throw.
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

/// What a peek saw: the hint of a task, or nothing. On nothing, peeked->as<T>() has no value either.
class peeked : public std::optional<hint> {
 public:
  using std::optional<hint>::optional;
  const hint& operator*() const noexcept {
    return has_value() ? std::optional<hint>::operator*() : nothing();
  }
  const hint* operator->() const noexcept { return &**this; }

 private:
  static const hint& nothing() noexcept {
    static const hint none;
    return none;
  }
};

/// An idle worker, as a policy sees it. Looking at a victim costs a remote read.
class SKUA_API thief {
 public:
  virtual ~thief() = default;
  virtual worker_id id() const = 0;
  virtual std::size_t workers() const = 0;
  virtual const placement& machine() const = 0;
  /// A uniform number in 0 .. bound-1 from this worker's own generator (bound at least 1).
  virtual std::size_t random(std::size_t bound) = 0;
  /// Tasks the victim has, private ones included; a guess by the time it is read.
  virtual std::size_t load(worker_id victim) const = 0;
  /// A copy of the hint of the task that a steal from this victim would take; an empty hint for a task without one. None
  /// when there is no such task, or it was taken just now; a victim with private tasks only is asked to publish.
  virtual peeked peek(worker_id victim) = 0;
  /// One attempt. On a victim with private tasks only it leaves a request, counts one miss and returns
  /// empty without waiting. Stealing from oneself is a miss. `confirm` judges exactly the task that is then taken (of
  /// half: the oldest), before it is moved; refused is a miss.
  virtual stolen try_steal(worker_id victim, amount how_much = amount::one, confirmation confirm = {}) = 0;

  /// A worker of the domain that has announced itself, other than this one: the next in ring order. One remote read.
  virtual std::optional<worker_id> announced_in(domain_id domain) const = 0;
  /// Whether the program is in a region with a boundary (shaped.hpp) now, or in a join of inter-domain tasks.
  virtual bool tiered() const = 0;
  /// Whether the domain runs an inter-domain task.
  virtual bool busy(domain_id domain) const = 0;
  /// Takes an inter-domain task from a domain's pool: the own domain's newest, another one's oldest. A miss while the own
  /// domain is busy; it becomes busy with what is taken.
  virtual stolen try_take(domain_id domain) = 0;
  /// Where the policy manages: tells this worker's manager once that it has nothing to do, acts on the messages that have
  /// arrived, and lets its managers look at the clock. Tasks that have come are this worker's own from then on (load(id())),
  /// and it finds them when acquire has returned.
  virtual void act_on_messages() = 0;

  stolen try_steal(worker_id victim, confirmation confirm) { return try_steal(victim, amount::one, confirm); }
  /// The hint as a value of a type; none as well when it is of another type.
  template <class T>
  std::optional<T> peek(worker_id victim) {
    return peek(victim)->template as<T>();
  }
  /// Up to `count` distinct workers other than this one, drawn anew. Good until the next call.
  std::span<const worker_id> random_workers(std::size_t count);

  /// There is work, but this policy has found none of it for so long that its worker sleeps between its rounds: time for
  /// whatever it leaves for the last.
  virtual bool forces() const { return false; }
  [[deprecated("use forces()")]] bool insists() const { return forces(); }

  /// Bytes of the cache that makes a domain; 0 where domains are not made by a cache.
  virtual std::size_t domain_cache_bytes() const = 0;

  std::size_t levels() const { return machine().levels(); }
  std::span<const worker_id> at_distance(std::size_t level) const {
    return machine().at_distance(id(), level);
  }
  bool is_head() const { return machine()[id()].head; }

 private:
  std::vector<worker_id> others_;  // shuffled from the front as needed
};

/// How fast a worker's queue fills and empties.
struct queue_rates {
  double push_ns = 0, pop_ns = 0;  // of one task; measured at start
  double arrivals_per_s = 0;       // tasks pushed; measured while it runs, 0 until then
  double services_per_s = 0;       // tasks that left the queue
};
/// In tasks: announced from the upper one on, withdrawn at the lower one.
struct announce_thresholds {
  std::size_t upper = 0, lower = 0;
};

/// How workers steal by messages only (steal_policy::managed).
struct management_options {
  std::uint32_t radix = 8;         // of the tree of managers; 2 to 4096
  amount how_much = amount::half;  // of what the fullest has more than the thief
  std::uint64_t underflow = 1;     // a worker is fed while it has fewer tasks, the running one included
  bool rescue = true;              // no: nobody may try_steal, and only owners ever write to their queues
  std::uint32_t dedicated = 0;  // so many of the last workers run managers and ask for no tasks; one is left
};

/// Where the joins of a scheduler wait for thieves.
enum class queue_kind {
  split,     ///< private until a worker is idle: a fork needs no fence
  chase_lev  ///< public at once: every fork and every join is a call, and a fence
};

class SKUA_API steal_policy {
 public:
  virtual ~steal_policy() = default;
  virtual stolen acquire(thief& self) = 0;
  virtual void on_start(const thief&) {}
  /// When a worker announces itself to thieves; none: never. Called at start and now and then while it runs.
  virtual std::optional<announce_thresholds> announce_at(const queue_rates&) const { return std::nullopt; }
  /// Whether it serves the domains' pools. If not, no join makes inter-domain tasks.
  virtual bool has_tiers() const { return false; }
  /// The boundary level of a region that is entered, 0 for none. May be called by any worker of its scheduler.
  virtual std::uint32_t boundary_level(const thief&, const region_shape&) const { return 0; }
  /// Asked once, when a scheduler starts: its workers tell managers how much they have, and feed each other as these say.
  virtual std::optional<management_options> managed() const { return std::nullopt; }
  /// Asked once, when a scheduler starts. For baselines.
  virtual queue_kind queue() const { return queue_kind::split; }
};

/// One option of a policy, as it may stand in the parentheses of its name.
struct policy_option {
  enum kinds { flag, choice, whole, fraction, policy } kind;
  std::string_view name;
  std::string_view default_value;  // its value when it is not given; a flag is "yes" or "no"
  std::string_view about;
  std::span<const std::string_view> allowed = {};  // of a choice
  double min = 0, max = 0;                         // of a number
};

/// The values an option takes, in words: "yes or no", "whole numbers from 1 to 1000".
SKUA_API std::string allowed_values(const policy_option& option);

/// What there is to know of a built-in policy; `skua explain` and the pages in docs/policies/ say it.
struct policy_info {
  std::string_view name;
  std::string_view summary;  // one line
  std::string_view what = {};
  std::string_view helps = {};
  std::string_view hurts = {};
  std::string_view cost = {};  // to a fork
  std::string_view paper = {};
  std::span<const policy_option> options = {};
  std::string_view drawing = {};  // of who steals from whom: at most 12 lines of 78 columns
};

/// All policies, the default first, then the other built-in ones, then the registered ones. Any thread.
SKUA_API std::vector<const policy_info*> policies();

/// Makes a policy known by name to schedulers, SKUA_POLICY and policies(). `info` must outlive all use, as a static
/// does. Throws bad_input for a name that is taken or that could not be written. Any thread.
SKUA_API void register_policy(const policy_info& info, std::unique_ptr<steal_policy> (*make)());

/// A policy by its name, with options in parentheses: "nearest", "most_loaded(list, refresh=5, scope=domain)". Throws
/// bad_input, naming what is wrong, what is allowed and the nearest match.
SKUA_API std::unique_ptr<steal_policy> make_policy(std::string_view text);

}  // namespace skua

/// At namespace scope: SKUA_POLICY(mine, "mine", "steals from whoever is loudest"); registers the class `mine`.
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
