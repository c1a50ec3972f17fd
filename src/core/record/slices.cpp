#include "core/record/slices.hpp"

#include <cstdio>
#include <exception>

#include "core/scheduler_core.hpp"

namespace skua {

namespace core {

namespace {

void draw(const stack& self, observe::trace_kind kind, std::uint64_t name, std::uint64_t at) noexcept {
  if (self.worker->observer.events) self.worker->observer.events->add({at, name, kind});
}
void draw(const stack& self, observe::trace_kind kind, std::uint64_t name) noexcept {
  if (self.worker->observer.events) draw(self, kind, name, host_platform::ticks());
}

void draw_from_outermost(const stack& self, const detail::open_slice* slice) noexcept {
  if (!slice) return;
  draw_from_outermost(self, slice->outer);
  draw(self, static_cast<observe::trace_kind>(slice->kind), slice->name);
}

}  // namespace

void open_slice(stack& self, detail::open_slice& slice, observe::trace_kind kind,
                std::uint64_t name) noexcept {
  slice = {.outer = self.slices, .of = &self, .name = name, .kind = static_cast<std::uint8_t>(kind)};
  self.slices = &slice;
  draw(self, kind, name);
}

void close_slice(detail::open_slice& slice, std::uint64_t at) noexcept {
  auto& self = static_cast<stack&>(*slice.of);
  self.slices = slice.outer;
  draw(self, observe::trace_kind::end, 0, at);
}
void close_slice(detail::open_slice& slice) noexcept { close_slice(slice, host_platform::ticks()); }

void traced_row::begin_next(const void* code) noexcept {
  const auto name = reinterpret_cast<std::uint64_t>(code);
  if (!slice_.of) return open_slice(self_, slice_, observe::trace_kind::task, name);
  slice_.name = name;
  draw(self_, observe::trace_kind::next, name);
}

void interrupt_slices(const stack& self) noexcept {
  for (const detail::open_slice* s = self.slices; s; s = s->outer) draw(self, observe::trace_kind::end, 0);
}

void resume_slices(const stack& self) noexcept { draw_from_outermost(self, self.slices); }

}  // namespace core

namespace detail {

constinit std::atomic<int> tracers{0};

void begin_trace_span(open_slice& slice, std::string_view name) noexcept {
  core::stack* const self = core::current_stack();
  if (!self || !self->worker->observer.events) return;
  // A name that will not be drawn is not kept. If the stack continues on a worker with room, it is "span" there.
  const std::uint64_t number =
      self->worker->observer.events->full() ? 0 : self->pool->tracing->name_of_trace_span(name);
  core::open_slice(*self, slice, observe::trace_kind::span, number);
}

// Both conditions read only what belongs to this thread: the scheduler of the span may be gone.
void end_trace_span(open_slice& slice) noexcept {
  core::stack* const self = core::current_stack();
  if (self == slice.of && self->slices == &slice) [[likely]]
    return core::close_slice(slice);
  std::fputs(
      "skua: a trace_span must end in the task in which it began, before the task and its scheduler end, and "
      "after "
      "the spans that began inside it\n",
      stderr);
  std::terminate();
}

}  // namespace detail
}  // namespace skua
