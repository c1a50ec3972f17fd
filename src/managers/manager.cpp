#include "managers/manager.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace skua::managers {

manager::manager(const manager_tree& tree, party self, manager_options options, reduction* reductions)
    : tree_(tree),
      self_(self),
      options_(options),
      reductions_(reductions),
      children_(tree.children(self)),
      arrived_(tree.levels(), std::vector<std::uint32_t>(children_.size())) {
  for (std::uint32_t i = 0; i < children_.size(); ++i)
    children_[i].workers = tree.workers_below(child(i)).size();
}

std::uint64_t manager::know(const std::vector<std::uint64_t>& tasks_of_children, bool all_stay) {
  all_stay_ = all_stay;
  for (std::size_t i = 0; i < children_.size(); ++i) set_tasks(children_[i], tasks_of_children[i]);
  told_.told(total());
  return total();
}

void manager::receive(envelope sent, outbox& out) {
  if (ended_) return;
  const std::uint32_t which = tree_.which_child(sent.from);  // unless it comes from above
  if (const auto* u = std::get_if<update>(&sent.content))
    receive_update(children_[which], *u, std::move(sent.value));
  else if (const auto* v = std::get_if<victim_update>(&sent.content))
    receive_victim_update(which, *v, out);
  else if (const auto* s = std::get_if<stealer_update>(&sent.content))
    receive_stealer_update(which, *s, out);
  else if (const auto* steal_from_above = std::get_if<steal>(&sent.content))
    return receive_steal(*steal_from_above, out);
  else if (std::holds_alternative<unblock>(sent.content))
    return end(sent.value, out);
  match(out);
  report(out);
}

void manager::set_tasks(child_state& c, std::uint64_t told) {
  c.tasks = count_of(told);
  c.vacant = is_vacant(told);
}

void manager::receive_update(child_state& c, const update& m, rider value) {
  set_tasks(c, m.tasks);
  c.silent = false;
  if (!value) return;
  value_ = value_ ? reductions_->combine(std::move(value_), std::move(value)) : std::move(value);
}

void manager::receive_victim_update(std::uint32_t which, const victim_update& m, outbox& out) {
  child_state& c = children_[which];
  set_tasks(c, m.left);
  if (m.level != level()) return answer_above(which, m, out);
  // A child that gave nothing because the STEAL was withdrawn may still have tasks.
  c.silent = m.transferred == 0 && !c.steals.front().withdrawn;
  c.steals.pop_front();
}

// Each child answers in the order of the STEALs it got, so this answers the first STEAL without an answer from it.
void manager::answer_above(std::uint32_t which, const victim_update& m, outbox& out) {
  const auto at = std::find_if(passed_on_.begin(), passed_on_.end(),
                               [&](const passed_on& p) { return p.level == m.level && !p.answered[which]; });
  at->answered[which] = true;
  children_[which].silent = m.transferred == 0 && !at->withdrawn;
  at->transferred += m.transferred;
  if (--at->missing != 0) return;
  send_value_if_idle(out);
  told_.told(total());
  if (at->transferred == 0) told_.next_growth_matters();
  out.push_back({self_, tree_.parent(self_), victim_update{m.level, at->transferred, told_.last_told()}});
  passed_on_.erase(at);
}

void manager::receive_stealer_update(std::uint32_t which, const stealer_update& m, outbox& out) {
  child_state& c = children_[which];
  set_tasks(c, m.tasks);
  c.silent = false;
  if (m.level == level()) {
    // The message does not say which of several steals it ends. Most withdrawn steals bring nothing, so this is a
    // guess; time_passed() corrects a wrong one.
    const bool was_withdrawn = c.withdrawn != 0 && (c.tasks == 0 || c.withdrawn == c.arriving);
    --c.arriving;
    if (was_withdrawn) --c.withdrawn;
    return;
  }
  // A steal for all workers below this manager is over when each child has received its part.
  std::vector<std::uint32_t>& arrived = arrived_[m.level];
  ++arrived[which];
  if (std::find(arrived.begin(), arrived.end(), 0U) != arrived.end()) return;
  for (std::uint32_t& n : arrived) --n;
  intervals_of_parts_ = 0;
  send_value_if_idle(out);
  told_.told(total());
  out.push_back({self_, tree_.parent(self_), stealer_update{m.level, told_.last_told()}});
}

// Every child gets a STEAL, even one without tasks: its thief needs the message that nothing comes.
void manager::receive_steal(const steal& m, outbox& out) {
  if (m.tasks_to_transfer == 0) return withdraw_passed_on(m, out);
  const auto children = static_cast<std::uint32_t>(children_.size());
  passed_on_.push_back({m.level, m.thief, base::sure_vector<bool>(children), children});
  std::uint64_t all = 0;
  for (const child_state& c : children_) all += available(c);
  for (std::uint32_t i = 0; i < children; ++i) {
    const double part =
        all == 0 ? 0 : static_cast<double>(available(children_[i])) / static_cast<double>(all);
    const double share = std::ceil(part * static_cast<double>(m.tasks_to_transfer));
    const std::uint64_t tasks = std::max<std::uint64_t>(static_cast<std::uint64_t>(share), 1);
    out.push_back({self_, child(i), steal{m.level, tasks, thief_below(m, i)}});
  }
}

void manager::withdraw_passed_on(const steal& m, outbox& out) {
  for (passed_on& p : passed_on_) {
    if (p.level != m.level || p.thief != m.thief) continue;
    p.withdrawn = true;
    for (std::uint32_t i = 0; i < children_.size(); ++i)
      if (!p.answered[i]) out.push_back({self_, child(i), steal{m.level, 0, thief_below(m, i)}});
  }
}

/// For a worker the thief is its counterpart, for a manager the whole part.
party manager::thief_below(const steal& m, std::uint32_t which) const {
  return level() == 0 ? tree_.counterpart(child(which), tree_.ancestor(self_, m.level), m.thief) : m.thief;
}

void manager::end(const rider& value, outbox& out) {
  ended_ = true;
  for (std::uint32_t i = 0; i < children_.size(); ++i)
    out.push_back({self_, child(i), unblock{level()}, value});
}

// ---- matching thieves with victims

void manager::match(outbox& out) {
  for (std::uint32_t i = 0; i < children_.size(); ++i) {
    child_state& thief = children_[i];
    if (!wants(thief)) continue;
    const child_state* const found = fullest_for(thief);
    if (!found) continue;
    const auto which = static_cast<std::uint32_t>(found - children_.data());
    const std::uint64_t tasks = amount(thief, *found);
    children_[which].steals.push_back({i, tasks});
    ++thief.arriving;
    out.push_back({self_, child(which), steal{level(), tasks, child(i)}});
  }
}

bool manager::wants(const child_state& c) const {
  // Two parts without workers, or almost without, would exchange the same tasks for ever.
  if (c.tasks == no_worker || c.vacant || c.tasks >= options_.underflow * c.workers ||
      c.arriving != c.withdrawn)
    return false;
  return !expects_part(static_cast<std::uint32_t>(&c - children_.data()));
}

/// Its part of a steal from above is on its way: parts of other children have arrived.
bool manager::expects_part(std::uint32_t which) const {
  if (intervals_of_parts_ > 1) return false;
  return std::any_of(arrived_.begin(), arrived_.end(), [&](const std::vector<std::uint32_t>& parts) {
    return parts[which] == 0 && any_part(parts);
  });
}
bool manager::expects_parts() const { return std::any_of(arrived_.begin(), arrived_.end(), any_part); }
bool manager::any_part(const std::vector<std::uint32_t>& parts) {
  return std::any_of(parts.begin(), parts.end(), [](std::uint32_t n) { return n != 0; });
}

/// The tasks of a victim that are not promised yet.
std::uint64_t manager::available(const child_state& c) const {
  if (c.tasks == no_worker) return 0;
  std::uint64_t promised = 0;
  for (const asked& s : c.steals)
    if (!s.withdrawn) promised += s.tasks;
  return c.tasks - std::min(c.tasks, promised);
}

/// A victim needs at least two tasks, since the last one is its own. A part of the tree runs one task at each of its
/// workers. Only a part in which all workers are blocked may steal from a part that has no more than those.
const manager::child_state* manager::fullest_for(const child_state& thief) const {
  const child_state* fullest = nullptr;
  for (const child_state& c : children_) {
    const std::uint64_t has = available(c);
    if (&c == &thief || c.silent || has < 2 || has <= thief.tasks + 1) continue;
    if ((thief.tasks != 0 || all_stay_) && has <= c.workers && c.workers > 1) continue;
    const auto for_thief = static_cast<std::uint32_t>(&thief - children_.data());
    const bool already =
        std::any_of(c.steals.begin(), c.steals.end(), [&](const asked& s) { return s.thief == for_thief; });
    if (!already && (!fullest || has > available(*fullest))) fullest = &c;
  }
  return fullest;
}

std::uint64_t manager::amount(const child_state& thief, const child_state& victim) const {
  if (options_.amount == steal_amount::one) return thief.workers;  // one for each
  return std::max<std::uint64_t>((available(victim) - thief.tasks) / 2, 1);
}

void manager::time_passed(outbox& out) {
  if (ended_) return;
  base::sure_vector<bool> answer_due(children_.size());
  // Counted once for all steals: usually no other child has any.
  const auto may_give = [&](const child_state& c) { return !c.silent && available(c) >= 2; };
  auto givers = std::count_if(children_.begin(), children_.end(), may_give);
  for (std::uint32_t i = 0; i < children_.size(); ++i)
    for (asked& s : children_[i].steals) {
      if (s.withdrawn) continue;
      answer_due[s.thief] = true;
      const bool is_giver = may_give(children_[i]);
      // Without another child to ask, the manager waits for the late answer.
      if (++s.intervals < 2 || givers == is_giver || !fullest_for(children_[s.thief])) continue;
      givers -= is_giver;
      s.withdrawn = true;
      ++children_[s.thief].withdrawn;
      children_[i].silent = true;
      out.push_back({self_, child(i), steal{level(), 0, child(s.thief)}});
    }
  for (std::uint32_t i = 0; i < children_.size(); ++i)
    if (!answer_due[i]) children_[i].withdrawn = children_[i].arriving;
  if (expects_parts()) ++intervals_of_parts_;
  match(out);
}

bool manager::waits_for_answer() const { return !ended_ && (!nothing_on_its_way() || expects_parts()); }

// ---- messages to the manager above

bool manager::nothing_on_its_way() const {
  return std::all_of(children_.begin(), children_.end(),
                     [](const child_state& c) { return c.steals.empty() && c.arriving == 0; });
}

/// When nothing is on its way between the children: 0 if all workers below are blocked, `no_worker` if there is none.
std::uint64_t manager::total() const {
  std::uint64_t sum = 0;
  bool any_present = false;
  for (const child_state& c : children_) {
    if (c.tasks == no_worker) continue;
    any_present = any_present || !c.vacant;
    sum += c.tasks;
  }
  if (sum != 0 || !nothing_on_its_way()) return std::max<std::uint64_t>(sum, 1) + (any_present ? 0 : vacant);
  return any_present ? 0 : no_worker;
}

bool manager::idle() const { return total() == 0 || total() == no_worker; }

void manager::report(outbox& out) {
  if (is_root()) {
    if (idle() && !options_.endless) end(value_, out);
    return;
  }
  if (expects_parts() && intervals_of_parts_ < 2) return;  // a STEALER_UPDATE will carry it
  send_value_if_idle(out);
  const std::uint64_t now = total();
  if (!told_.passed(now)) return;
  told_.told(now);
  out.push_back({self_, tree_.parent(self_), update{level() + 1, now}});
}

/// Must precede any other message that says that all are blocked. Otherwise the phase could end without the value.
void manager::send_value_if_idle(outbox& out) {
  if (!value_ || !idle()) return;
  told_.told(total());
  out.push_back({self_, tree_.parent(self_), update{level() + 1, total()}, std::exchange(value_, {})});
}

}  // namespace skua::managers
