#include "cli/counting_thief.hpp"

#include <skua/steal_policy.hpp>

namespace skua::cli {
namespace {

class counting_thief final : public thief {
 public:
  counting_thief(worker_id id, const placement& seats) : tries(seats.workers()), id_(id), seats_(seats) {}

  worker_id id() const override { return id_; }
  std::size_t workers() const override { return seats_.workers(); }
  const placement& machine() const override { return seats_; }
  std::size_t random(std::size_t) override { return 0; }
  std::size_t load(worker_id) const override { return 0; }
  peeked peek(worker_id) override { return std::nullopt; }
  stolen try_steal(worker_id victim, amount, confirmation) override {
    ++tries.at(victim);
    return {};
  }
  std::optional<worker_id> announced_in(domain_id) const override { return std::nullopt; }
  bool tiered() const override { return false; }
  bool busy(domain_id) const override { return false; }
  stolen try_take(domain_id) override { return {}; }
  void act_on_messages() override {}
  std::size_t domain_cache_bytes() const override { return 0; }

  std::vector<std::size_t> tries;

 private:
  const worker_id id_;
  const placement& seats_;
};

}  // namespace

std::vector<std::size_t> tries_in_a_round(const std::string& policy, const placement& seats, worker_id id) {
  counting_thief thief(id, seats);
  const std::unique_ptr<steal_policy> asks = make_policy(policy);
  asks->on_start(thief);
  asks->acquire(thief);
  return std::move(thief.tries);
}

}  // namespace skua::cli
