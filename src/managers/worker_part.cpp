#include "managers/worker_part.hpp"

#include <algorithm>
#include <utility>

namespace skua::managers {

worker_part::worker_part(const manager_tree& tree, std::uint32_t index, task_queue& queue)
    : tree_(tree), self_(worker_party(index)), manager_(tree.parent(self_)), queue_(queue) {}

std::uint64_t worker_part::tasks() const {
  const std::uint64_t queued = queue_.size();
  if (present_) return queued + (awake_ ? 1 : 0);
  // At least two: a manager asks no party with a single task, because that party is about to run it. Here no worker would.
  return queued == 0 ? no_worker : vacant + std::max<std::uint64_t>(queued, 2);
}

// Read once: a thief may take by force between two reads, and then the worker and its manager would use different
// numbers.
std::uint64_t worker_part::tell() {
  const std::uint64_t now = tasks();
  told_.told(now);
  return now;
}

void worker_part::send_update(rider value, outbox& out) {
  out.push_back({self_, manager_, update{0, tell()}, std::move(value)});
}

void worker_part::begin(outbox& out) {
  present_ = awake_ = true;
  send_update({}, out);
}

bool worker_part::arrive(outbox& out) {
  if (ended_) return false;
  present_ = true;
  send_update({}, out);
  return true;
}

void worker_part::queue_changed(outbox& out) {
  if (told_.passed(tasks())) send_update({}, out);
}

void worker_part::block(rider value, outbox& out) {
  awake_ = false;
  send_update(std::move(value), out);
}

void worker_part::leave(outbox& out) {
  present_ = false;
  send_update({}, out);
}

void worker_part::receive(const envelope& sent, outbox& out) {
  if (const auto* s = std::get_if<steal>(&sent.content)) {
    receive_steal(*s);
  } else if (const auto* t = std::get_if<task>(&sent.content)) {
    receive_task(*t, sent.from, out);
  } else if (std::holds_alternative<unblock>(sent.content)) {
    ended_ = true;
    result_ = sent.value;
  }
}

// A withdrawn STEAL gets an answer without tasks, so that each STEAL has one answer. A STEAL that is answered already
// cannot be withdrawn.
void worker_part::receive_steal(const steal& m) {
  if (m.tasks_to_transfer != 0) {
    asked_.push_back({m.level, m.tasks_to_transfer, m.thief.index});
    return;
  }
  for (asked& one : asked_)
    if (one.level == m.level && one.thief == m.thief.index) one.tasks = 0;
}

void worker_part::receive_task(const task& m, party victim, outbox& out) {
  if (m.descriptor) queue_.put(*m.descriptor);
  if (!m.is_last) return;
  // The sender tells which steal the task belongs to.
  const level_id level = tree_.common_level(victim, self_);
  const party victims = tree_.ancestor(victim, level);
  auto at = std::find_if(incoming_.begin(), incoming_.end(),
                         [&](const incoming& i) { return i.victims == victims; });
  if (at == incoming_.end())
    at = incoming_.insert(at, {victims, parts_from(victims, tree_.ancestor(self_, level))});
  if (--at->parts_missing != 0) return;
  incoming_.erase(at);
  out.push_back({self_, manager_, stealer_update{level, tell()}});
}

void worker_part::answer(outbox& out) {
  for (const asked& one : std::exchange(asked_, {})) answer_one(one, out);
}

void worker_part::answer_one(const asked& one, outbox& out) {
  const base::sure_vector<std::uint32_t> thieves = thieves_of(one);
  std::uint64_t wanted = std::min(one.tasks, can_give());
  std::uint64_t transferred = 0;
  // Each thief gets a last message of this steal, and the burst leaves room for it.
  std::size_t burst = std::max(max_tasks_in_burst, thieves.size());
  for (std::size_t i = 0; i < thieves.size(); ++i) {
    const std::uint64_t share = (wanted + thieves.size() - i - 1) / (thieves.size() - i);
    burst -= thieves.size() - i - 1;
    const std::uint64_t given = give(share, thieves[i], burst, out);
    burst += thieves.size() - i - 1;
    transferred += given;
    wanted -= given;
  }
  const std::uint64_t left = tell();
  if (transferred == 0) told_.next_growth_matters();
  out.push_back({self_, manager_, victim_update{one.level, transferred, left}});
}

// The number of tasks that thieves may have: never the task that this worker continues with.
std::uint64_t worker_part::can_give() const {
  const std::uint64_t queued = queue_.size();
  if (!present_ || awake_ || queued == 0) return queued;
  return queued - 1;
}

std::uint64_t worker_part::give(std::uint64_t tasks, std::uint32_t thief, std::size_t& burst, outbox& out) {
  std::uint64_t given = 0;
  std::optional<task_descriptor> last;
  while (given < tasks && burst > 0) {
    std::uint64_t taken = 0;
    const task_descriptor next = queue_.take(tasks - given, taken);
    if (taken == 0) break;
    if (last) out.push_back({self_, worker_party(thief), task{last, false}});
    last = next;
    given += taken;
    --burst;
  }
  out.push_back({self_, worker_party(thief), task{last, true}});
  return given;
}

// The i-th worker of the victim part feeds the i-th of the thief part. If one part is smaller, its workers take several
// turns, so that all workers of both parts take part.
base::sure_vector<std::uint32_t> worker_part::thieves_of(const asked& one) const {
  const worker_range mine = tree_.workers_below(tree_.ancestor(self_, one.level));
  const worker_range theirs = tree_.workers_below(tree_.ancestor(worker_party(one.thief), one.level));
  base::sure_vector<std::uint32_t> thieves;
  for (std::uint32_t k = self_.index - mine.first; k < std::max(mine.size(), theirs.size()); k += mine.size())
    thieves.push_back(theirs.first + k % theirs.size());
  return thieves;
}

std::uint32_t worker_part::parts_from(party victims, party thieves) const {
  const std::uint32_t from = tree_.workers_below(victims).size();
  const worker_range to = tree_.workers_below(thieves);
  const std::uint32_t first = self_.index - to.first;
  return (std::max(from, to.size()) - first + to.size() - 1) / to.size();
}

}  // namespace skua::managers
