// Explores all states that a system of small parts can reach. It takes all steps from each state, and repeats this for
// each new state.
//
//   struct system {                              // a value
//     std::vector<step> steps() const;           // all possible next steps
//     void take(const step&);                    // throws violation
//     bool is_quiet() const;                     // everything is done, so the system may end here
//     std::string key() const;                   // equal for equal states only
//   };
//
// Three things are errors: a step that throws, a state without steps that is not quiet, and a state from which no quiet
// state can be reached. The last one detects endless loops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace skua::model {

struct violation : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct exploration {
  std::size_t states = 0, steps = 0, quiet_ends = 0;
  std::optional<std::string> wrong;  // the first error, and the steps that lead to it
};

template <class System>
class explorer {
 public:
  exploration explore(const System& start) {
    visit(start, ~0U, "");
    while (!stack_.empty() && !result_.wrong) {
      frame& top = stack_.back();
      if (top.next == top.steps.size()) {
        stack_.pop_back();
        continue;
      }
      const auto step = top.steps[top.next++];
      System then = top.system;
      const std::uint32_t from = top.number;
      ++result_.steps;
      try {
        then.take(step);
      } catch (const violation& v) {
        result_.wrong = std::string(v.what()) + " after" + way_to(from) + "; " + to_string(step);
        break;
      }
      visit(then, from, to_string(step));
    }
    if (!result_.wrong) check_all_can_end();
    result_.states = nodes_.size();
    return result_;
  }

 private:
  struct frame {
    System system;
    decltype(std::declval<System>().steps()) steps;
    std::size_t next;
    std::uint32_t number;
  };
  struct node {
    std::uint32_t from;  // one predecessor
    std::string step;
    bool quiet = false;
  };

  void visit(const System& system, std::uint32_t from, std::string step) {
    const auto [at, is_new] = seen_.try_emplace(system.key(), static_cast<std::uint32_t>(nodes_.size()));
    if (from != ~0U) edges_.emplace_back(from, at->second);
    if (!is_new) return;
    nodes_.push_back({from, std::move(step)});
    auto steps = system.steps();
    if (steps.empty()) {
      nodes_.back().quiet = system.is_quiet();
      ++result_.quiet_ends;
      if (!nodes_.back().quiet)
        result_.wrong = "no step is possible, and not everything is done, after" + way_to(at->second);
    }
    stack_.push_back({system, std::move(steps), 0, at->second});
  }

  void check_all_can_end() {
    std::vector<std::vector<std::uint32_t>> before(nodes_.size());
    for (const auto& [from, to] : edges_) before[to].push_back(from);
    std::vector<bool> can(nodes_.size());
    std::vector<std::uint32_t> todo;
    for (std::uint32_t i = 0; i < nodes_.size(); ++i)
      if (nodes_[i].quiet) {
        can[i] = true;
        todo.push_back(i);
      }
    while (!todo.empty()) {
      const std::uint32_t i = todo.back();
      todo.pop_back();
      for (const std::uint32_t b : before[i])
        if (!can[b]) {
          can[b] = true;
          todo.push_back(b);
        }
    }
    for (std::uint32_t i = 0; i < nodes_.size() && !result_.wrong; ++i)
      if (!can[i]) result_.wrong = "never ends after" + way_to(i);
  }

  std::string way_to(std::uint32_t at) const {
    std::vector<std::uint32_t> way;
    for (; at != ~0U; at = nodes_[at].from) way.push_back(at);
    std::string text;
    for (auto i = way.rbegin() + 1; i < way.rend(); ++i)
      text += (text.empty() ? " " : "; ") + nodes_[*i].step;
    return text.empty() ? " nothing" : text;
  }

  std::unordered_map<std::string, std::uint32_t> seen_;  // never iterated
  std::vector<node> nodes_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges_;
  std::vector<frame> stack_;
  exploration result_;
};

}  // namespace skua::model
