#include "observe/trace_text.hpp"

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

namespace skua::observe {

namespace {

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// The two lines of a worker. Perfetto takes thread 0 for the idle thread of the machine and gives it no name.
enum class line : std::uint32_t { runs = 1, scheduler };
std::uint32_t thread_of(std::size_t worker, line which) noexcept {
  return static_cast<std::uint32_t>(2 * worker) + static_cast<std::uint32_t>(which);
}

class writer {
 public:
  writer(const traced_run& run, int process) : run_(run), process_(process) {}

  void name(const char* what, std::uint32_t thread, const std::string& value) {
    begin("M", what, thread);
    text_ += ",\"args\":{\"name\":" + quoted(value) + "}}";
  }
  void sort(std::uint32_t thread) {
    begin("M", "thread_sort_index", thread);
    text_ += ",\"args\":{\"sort_index\":" + std::to_string(thread) + "}}";
  }
  void slice(const char* category, const std::string& name, std::uint32_t thread, std::uint64_t from,
             std::uint64_t to, const std::string& arguments = "{}") {
    begin("X", name, thread);
    // Both ends are rounded, not the length, so that parts with the same end keep the same end in the file.
    text_ += std::string(",\"cat\":\"") + category + "\",\"ts\":" + microseconds(ns(from)) +
             ",\"dur\":" + microseconds(ns(to) - ns(from)) + ",\"args\":" + arguments + "}";
  }
  void flow(bool ends, std::uint64_t id, std::uint32_t thread, std::uint64_t at) {
    begin(ends ? "f" : "s", "steal", thread);
    // A number, unique among all processes: Perfetto drops arrows with other identifiers.
    text_ +=
        ",\"cat\":\"steal\",\"id\":" + std::to_string((static_cast<std::uint64_t>(process_) << 32) + id) +
        ",\"ts\":" + microseconds(ns(at)) + (ends ? ",\"bp\":\"e\"}" : "}");
  }
  void instant(const std::string& name, std::uint32_t thread, std::uint64_t at,
               const std::string& arguments) {
    begin("i", name, thread);
    text_ +=
        ",\"cat\":\"message\",\"s\":\"t\",\"ts\":" + microseconds(ns(at)) + ",\"args\":" + arguments + "}";
  }

  std::string take() { return std::move(text_); }

 private:
  void begin(const char* phase, const std::string& name, std::uint32_t thread) {
    if (!text_.empty()) text_ += ",\n";
    text_ += std::string("{\"ph\":\"") + phase + "\",\"name\":" + quoted(name) +
             ",\"pid\":" + std::to_string(process_) + ",\"tid\":" + std::to_string(thread);
  }
  /// Since the run began.
  std::uint64_t ns(std::uint64_t ticks) const {
    const std::uint64_t passed = ticks - std::min(ticks, run_.began);
    return static_cast<std::uint64_t>(std::llround(static_cast<double>(passed) * run_.ns_a_tick));
  }
  // The unit of the format.
  static std::string microseconds(std::uint64_t ns) {
    char text[40];
    std::snprintf(text, sizeof text, "%" PRIu64 ".%03u", ns / 1000, static_cast<unsigned>(ns % 1000));
    return text;
  }

  const traced_run& run_;
  int process_;
  std::string text_;
};

struct part {
  std::uint64_t since, until;
  trace_kind kind;
  std::uint64_t name;
};

std::string party(std::uint8_t height, std::uint16_t number) {
  return height == 0 ? "worker " + std::to_string(number)
                     : "manager " + std::to_string(height) + "." + std::to_string(number);
}

/// Draws the lines of one worker from its events.
class drawn_worker {
 public:
  drawn_worker(const traced_run& run, std::size_t worker, writer& to, std::uint64_t& flows)
      : run_(run), worker_(worker), to_(to), flows_(flows), now_(run.began), since_(run.began) {}

  void draw() {
    for (const trace_event& event : run_.workers[worker_].events) {
      now_ = std::max(now_, event.ticks);  // clocks of two CPUs may differ a little
      add(event);
    }
    // If later events are missing, the ends of the open ones are not known.
    if (run_.workers[worker_].lost == 0) now_ = std::max(now_, run_.ended);
    while (!open_.empty()) close();
    change(trace_state::busy);
    for (const part& one : parts_) write(one);
  }

 private:
  void add(const trace_event& event) {
    switch (event.kind) {
      case trace_kind::call:
      case trace_kind::task:
      case trace_kind::span:
        return open(event);
      case trace_kind::end:
        return open_.empty() ? void() : close();
      case trace_kind::next:
        if (!open_.empty()) close();
        return open({event.ticks, event.name, trace_kind::task});
      case trace_kind::state:
        return change(static_cast<trace_state>(event.name));
      case trace_kind::steal:
        return steal(event.name);
      case trace_kind::message:
        return message(trace_message::unpack(event.name));
    }
  }

  void open(const trace_event& event) {
    open_.push_back(parts_.size());
    parts_.push_back({now_, now_, event.kind, event.name});
    if (event.kind != trace_kind::task || !stolen_from_) return;
    // An arrow must begin in a slice; a slice without length works whatever the victim runs.
    const std::uint64_t id = ++flows_;
    const std::uint32_t victims = thread_of(*stolen_from_, line::runs);
    to_.slice("steal", "taken by worker " + std::to_string(worker_), victims, stolen_at_, stolen_at_);
    to_.flow(false, id, victims, stolen_at_);
    to_.flow(true, id, thread_of(worker_, line::runs), now_);
    stolen_from_.reset();
  }

  void close() {
    parts_[open_.back()].until = now_;
    open_.pop_back();
  }

  void write(const part& one) {
    static constexpr const char* categories[] = {"call", "task", "span"};
    to_.slice(categories[static_cast<std::size_t>(one.kind)], name_of(one), thread_of(worker_, line::runs),
              one.since, one.until);
  }

  std::string name_of(const part& one) const {
    if (one.kind == trace_kind::call) return "call from outside";
    if (one.kind == trace_kind::span) return one.name < run_.spans.size() ? run_.spans[one.name] : "span";
    return run_.name_of_code ? run_.name_of_code(one.name) : "task";
  }

  void change(trace_state next) {
    static constexpr const char* names[] = {"busy", "searching", "asleep"};
    if (state_ != trace_state::busy && now_ > since_)
      to_.slice("state", names[static_cast<std::size_t>(state_)], thread_of(worker_, line::scheduler), since_,
                now_);
    state_ = next;
    since_ = now_;
  }

  void steal(std::uint64_t victim) {
    if (victim >= run_.workers.size()) return;
    stolen_from_ = static_cast<std::size_t>(victim);
    stolen_at_ = now_;
  }

  void message(trace_message sent) {
    const std::string type = sent.type < run_.messages.size() ? run_.messages[sent.type] : "message";
    to_.instant(type, thread_of(worker_, line::scheduler), now_,
                "{\"from\":" + quoted(party(sent.from_height, sent.from)) +
                    ",\"to\":" + quoted(party(sent.to_height, sent.to)) + "}");
  }

  const traced_run& run_;
  std::size_t worker_;
  writer& to_;
  std::uint64_t& flows_;
  std::uint64_t now_;
  std::vector<part> parts_;  // ordered by beginning; of two with the same beginning, the outer one is first
  std::vector<std::size_t> open_;  // indices of open parts, the innermost last
  trace_state state_ = trace_state::busy;
  std::uint64_t since_;
  std::optional<std::size_t> stolen_from_;
  std::uint64_t stolen_at_ = 0;
};

}  // namespace

std::string trace_events(const traced_run& run, int process) {
  writer to(run, process);
  to.name("process_name", thread_of(0, line::runs), run.name);
  std::uint64_t flows = 0;
  for (std::size_t w = 0; w < run.workers.size(); ++w) {
    const traced_worker& one = run.workers[w];
    const std::string lost =
        one.lost == 0 ? ""
                      : " (" + std::to_string(one.lost) + " later events had no room: SKUA_TRACE_EVENTS)";
    to.name("thread_name", thread_of(w, line::runs), one.name + lost);
    to.name("thread_name", thread_of(w, line::scheduler), one.name + ": scheduler");
    to.sort(thread_of(w, line::runs));
    to.sort(thread_of(w, line::scheduler));
    drawn_worker(run, w, to, flows).draw();
  }
  return to.take();
}

std::string trace_file(const std::vector<std::string>& events_of_runs) {
  std::string text = "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"made by\":\"skua\"},\"traceEvents\":[\n";
  for (std::size_t i = 0; i < events_of_runs.size(); ++i) text += (i == 0 ? "" : ",\n") + events_of_runs[i];
  return text + "\n]}\n";
}

}  // namespace skua::observe
