// A thief for scripted tests of policies. The test sets the machine, the workers' tasks and the random numbers. The thief
// records each look and each steal attempt.
#pragma once

#include <skua/steal_policy.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

class fake_thief final : public skua::thief {
 public:
  fake_thief(skua::worker_id id, skua::placement placed) : id_(id), placed_(std::move(placed)) {}

  std::map<skua::worker_id, std::size_t> tasks;         // number of tasks of each victim
  std::map<skua::worker_id, skua::hint> hints;          // hint of the next task of each victim
  std::function<void(skua::worker_id)> before_confirm;  // called between a peek and a steal
  std::vector<std::size_t> dice;                        // the results of random(), in order; then zeros

  /// The calls in their order: "random 3" with its bound, "load 2", "peek 2", "try 5", "half 5", "refused".
  std::vector<std::string> script;

  skua::worker_id id() const override { return id_; }
  std::size_t workers() const override { return placed_.workers(); }
  const skua::placement& machine() const override { return placed_; }
  std::size_t random(std::size_t bound) override {
    script.push_back("random " + std::to_string(bound));
    const std::size_t drawn = thrown_ < dice.size() ? dice[thrown_] : 0;
    ++thrown_;
    if (drawn >= bound) throw std::logic_error("the script's dice show more than the policy asked for");
    return drawn;
  }
  std::size_t load(skua::worker_id victim) const override {
    const_cast<fake_thief*>(this)->script.push_back("load " + std::to_string(victim));
    const auto found = tasks.find(victim);
    return found == tasks.end() ? 0 : found->second;
  }
  skua::peeked peek(skua::worker_id victim) override {
    script.push_back("peek " + std::to_string(victim));
    if (tasks[victim] == 0) return std::nullopt;
    return hints[victim];
  }
  skua::stolen try_steal(skua::worker_id victim, skua::amount how_much, skua::confirmation confirm) override {
    if (victim >= workers()) throw std::logic_error("a victim that does not exist");
    script.push_back((how_much == skua::amount::half ? "half " : "try ") + std::to_string(victim));
    std::size_t& left = tasks[victim];
    if (victim == id_ || left == 0) return {};
    if (before_confirm) before_confirm(victim);
    if (confirm && !confirm(hints[victim])) {
      script.push_back("refused");
      return {};
    }
    --left;
    return skua::stolen(&stolen_from[victim], nullptr, nullptr);
  }

  std::size_t chosen_now = 0;  // of the candidates of a policy
  std::size_t chosen() const override { return chosen_now; }
  std::set<skua::worker_id> announcing;
  std::optional<skua::worker_id> announced_in(skua::domain_id domain) const override {
    const_cast<fake_thief*>(this)->script.push_back("announced " + std::to_string(domain));
    for (const skua::worker_id w : announcing)
      if (w != id_ && placed_[w].domain == domain) return w;
    return std::nullopt;
  }
  bool in_tiers = false;
  std::size_t cache_bytes = 6 << 20;
  std::size_t domain_cache_bytes() const override { return cache_bytes; }
  std::set<skua::domain_id> busy_domains;
  std::map<skua::domain_id, std::size_t> pooled;  // number of inter-domain tasks in each domain's pool
  bool tiered() const override { return in_tiers; }
  bool busy(skua::domain_id domain) const override {
    const_cast<fake_thief*>(this)->script.push_back("busy " + std::to_string(domain));
    return busy_domains.contains(domain);
  }
  skua::stolen try_take(skua::domain_id domain) override {
    script.push_back("take " + std::to_string(domain));
    if (busy_domains.contains(placed_[id_].domain) || pooled[domain] == 0) return {};
    --pooled[domain];
    return skua::stolen(&taken_from[domain], nullptr, nullptr);
  }
  skua::domain_id domain_of(const skua::stolen& task) const {
    for (const auto& [domain, mark] : taken_from)
      if (&mark == task.run()) return domain;
    throw std::logic_error("a task that no domain had");
  }

  std::function<void()> bring;  // the effect of messages
  void act_on_messages() override {
    script.push_back("messages");
    if (bring) bring();
  }

  /// Returns the victim of a stolen task.
  skua::worker_id victim_of(const skua::stolen& task) const {
    for (const auto& [victim, mark] : stolen_from)
      if (&mark == task.run()) return victim;
    throw std::logic_error("a task that no worker had");
  }

 private:
  skua::worker_id id_;
  skua::placement placed_;
  std::size_t thrown_ = 0;
  std::map<skua::worker_id, int> stolen_from;
  std::map<skua::domain_id, int> taken_from;
};
