#include "simulator/adm/message_handlers.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "simulator/adm/message_carrier.hpp"

namespace skua::simulator {

using managers::envelope;
using managers::outbox;

namespace {

bool holds_steal(const outbox& out) {
  return std::ranges::any_of(out, [](const envelope& e) {
    const auto* asked = std::get_if<managers::steal>(&e.content);
    return asked && asked->tasks_to_transfer != 0;
  });
}

/// The operation as which a handler of this message is counted; null: Table 5 does not name it.
simulated_operation simulated_operations::* operation_of(const envelope& e, bool matches) {
  if (matches) return &simulated_operations::match_steal;
  if (std::holds_alternative<managers::task>(e.content)) return &simulated_operations::receive_task;
  if (std::holds_alternative<managers::unblock>(e.content)) return nullptr;
  if (!std::holds_alternative<managers::steal>(e.content)) return &simulated_operations::receive_update;
  return e.to.height == 0 ? &simulated_operations::send_tasks : nullptr;
}

}  // namespace

message_handlers::message_handlers(const adm_hardware& chip, std::unique_ptr<message_carrier> carrier,
                                   const std::vector<context_number>& contexts)
    : chip_(chip), carrier_(std::move(carrier)), threads_(contexts.size()), worker_at_(chip.threads()) {
  for (std::uint32_t worker = 0; worker < contexts.size(); ++worker) {
    threads_[worker].context = contexts[worker];
    worker_at_[contexts[worker]] = worker;
  }
}

void message_handlers::begin_run(const managers::manager_tree& tree, message_reader& reader) {
  tree_ = &tree;
  reader_ = &reader;
}

void message_handlers::end_run() noexcept {
  ++run_;
  tree_ = nullptr;
  reader_ = nullptr;
  reserved_ = false;
  for (thread_state& t : threads_) t.answers.clear();
}

std::uint32_t message_handlers::thread_of(managers::party p) const { return tree_->thread_of(p, 0); }

// ---- letters

std::uint64_t message_handlers::put_letter(envelope content) {
  if (unused_.empty()) {
    letters_.push_back({run_, std::move(content)});
    return letters_.size() - 1;
  }
  const std::uint64_t which = unused_.back();
  unused_.pop_back();
  letters_[which] = {run_, std::move(content)};
  return which;
}

message_handlers::letter message_handlers::take_letter(std::uint64_t which) {
  unused_.push_back(which);
  return std::move(letters_[which]);
}

// ---- sending

message_handlers::posting message_handlers::post(std::uint32_t worker, outbox& out, cycles now) {
  thread_state& mine = threads_[worker];
  std::deque<envelope> all(std::make_move_iterator(out.begin()), std::make_move_iterator(out.end()));
  out.clear();
  posting took;
  for (; !all.empty(); all.pop_front()) {
    reader_->posted(worker, all.front(), now);
    if (thread_of(all.front().to) != worker) {
      mine.to_send.push_back(put_letter(std::move(all.front())));
      continue;
    }
    outbox more;
    receive(all.front(), more);
    if (const cycles match = matching(all.front(), more); match != 0) {
      took.matching += match;
      reader_->carried_out(&simulated_operations::match_steal, match);
    }
    std::ranges::move(more, std::back_inserter(all));
  }
  took.sending = send(worker, now);
  return took;
}

cycles message_handlers::send(std::uint32_t worker, cycles now) {
  thread_state& mine = threads_[worker];
  cycles busy = 0;
  for (; !mine.to_send.empty(); mine.to_send.pop_front()) {
    const std::uint64_t which = mine.to_send.front();
    if (letters_[which].run != run_) {
      take_letter(which);
      continue;
    }
    const envelope& e = letters_[which].content;
    const auto sent =
        carrier_->send({mine.context, threads_[thread_of(e.to)].context, words_of(e), which}, now + busy);
    if (!sent) break;
    busy += *sent;
  }
  if (busy != 0) mine.busy_until = std::max(mine.busy_until, now + busy);
  return busy;
}

// ---- handlers

/// The time of handling a message, without the match that may follow; this is known only when it has been found.
cycles message_handlers::handling(const envelope& e) const {
  const scheduler_operations& known = chip_.messages.operations;
  if (std::holds_alternative<managers::task>(e.content)) return known.receive_task.average;
  if (std::holds_alternative<managers::steal>(e.content))
    return e.to.height == 0 ? known.send_tasks.average : chip_.messages.handler;
  if (std::holds_alternative<managers::unblock>(e.content)) return chip_.messages.handler;
  return known.receive_update.average;
}

/// The additional time of a match: 0 if the manager has not asked for tasks in answer to the message.
cycles message_handlers::matching(const envelope& e, const outbox& answers) const {
  const scheduler_operations& known = chip_.messages.operations;
  const bool passed_on = std::holds_alternative<managers::steal>(e.content);
  if (e.to.height == 0 || passed_on || !holds_steal(answers)) return 0;
  return known.match_steal.average - std::min(known.match_steal.average, known.receive_update.average);
}

void message_handlers::receive(const envelope& e, outbox& out) { reader_->receive(e, out); }

cycles message_handlers::charge(std::uint32_t worker, cycles begins, cycles alone) {
  const cycles busy = reader_ ? reader_->handler_time(worker, alone) : alone;
  threads_[worker].busy_until = std::max(threads_[worker].busy_until, begins) + busy;
  if (reader_) reader_->interrupt(worker, busy);
  return busy;
}

void message_handlers::start_handler(std::uint32_t worker, cycles now) {
  if (std::exchange(threads_[worker].in_handler, true)) return;
  timeline_.put(std::max(now, threads_[worker].busy_until), {event::kind::begin, worker});
}

void message_handlers::begin_handler(std::uint32_t worker, cycles now) {
  thread_state& mine = threads_[worker];
  const auto m = carrier_->receive(mine.context, now);
  if (!m) {
    mine.in_handler = false;
    return;
  }
  mine.operation = nullptr;
  mine.taken = charge(worker, now, m->busy + handling(letters_[m->content].content));
  timeline_.put(mine.busy_until, {event::kind::act, worker, m->content});
}

void message_handlers::act(std::uint32_t worker, std::uint64_t which, cycles now) {
  const letter read = take_letter(which);
  thread_state& mine = threads_[worker];
  if (read.run != run_) return end_handler(worker, now);
  receive(read.content, mine.answers);
  const cycles more = matching(read.content, mine.answers);
  mine.operation = operation_of(read.content, more != 0);
  if (more == 0) return end_handler(worker, now);
  ++pending_;
  mine.taken += charge(worker, now, more);
  timeline_.put(mine.busy_until, {event::kind::end, worker});
}

void message_handlers::end_handler(std::uint32_t worker, cycles now) {
  thread_state& mine = threads_[worker];
  if (reader_) {
    const posting took = post(worker, mine.answers, now);
    if (took.busy() != 0) reader_->interrupt(worker, took.busy());
    if (mine.operation) reader_->carried_out(mine.operation, mine.taken + took.sending);
  }
  mine.answers.clear();
  mine.in_handler = false;
  start_handler(worker, now);  // there may be more
}

// ---- time

std::optional<cycles> message_handlers::next() const {
  const std::optional<cycles> mine = timeline_.next(), theirs = carrier_->next();
  return !mine || (theirs && *theirs < *mine) ? theirs : mine;
}

void message_handlers::handle(const adm_event& e) {
  const std::uint32_t worker = worker_at_[e.thread];
  if (e.type == adm_event::kind::arrived) start_handler(worker, e.at);
  if (e.type == adm_event::kind::handler) charge(worker, e.at, e.busy);
  if (e.type == adm_event::kind::room) {
    const cycles busy = send(worker, e.at);
    if (busy != 0 && reader_) reader_->interrupt(worker, busy);
  }
}

void message_handlers::advance(cycles now) {
  for (std::optional<cycles> at = next(); at && *at <= now; at = next()) {
    if (carrier_->next() == at) {
      events_.clear();
      carrier_->advance(*at, events_);
      for (const adm_event& e : events_) handle(e);
      continue;
    }
    const event due = timeline_.take().second;
    if (due.type == event::kind::begin) begin_handler(due.worker, *at);
    if (due.type == event::kind::act) act(due.worker, due.letter, *at);
    if (due.type == event::kind::end) {
      --pending_;
      end_handler(due.worker, *at);
    }
  }
}

}  // namespace skua::simulator
