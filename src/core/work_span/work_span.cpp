// Strands and paths of one stack, and the tasks that it runs one on top of the other.
#include "core/work_span/work_span.hpp"

#include <algorithm>
#include <new>

#include "core/scheduler_core.hpp"

namespace skua::core {

stack_work_span::stack_work_span(work_span_totals& book, stack& of)
    : book_(book), of_(of), entry_(&sites.of(0)), children_(nullptr) {
  // The system gives pages of zeros, when they are touched.
  children_ = static_cast<child_work_span*>(std::calloc(join_capacity, sizeof(child_work_span)));
  if (!children_) throw std::bad_alloc();
  parts_.reserve(256);
  frames_.reserve(64);
  of.work_span = this;
  if (!book.exact()) set_watched(true);
}

stack_work_span::~stack_work_span() { std::free(children_); }

child_work_span* stack_work_span::child(const detail::slot* s) noexcept {
  return s && s < of_.last ? children_ + (s - of_.slots) : nullptr;
}

// ---- strands

void stack_work_span::stop(std::uint64_t now) noexcept {
  open_ = false;
  const std::uint64_t ticks = now > mark_ ? now - mark_ : 0;  // another CPU's clock may show less
  own_work.add(ticks);
  work_ += ticks;
  entry_->work.add(ticks);
  if (pathless_) return;
  path_.span += ticks;
  path_.burdened += ticks;
  add_part(where_, ticks);
}

void stack_work_span::go_to(site where) noexcept {
  if (where == where_) return;
  where_ = where;
  entry_ = &sites.of(where);
}

void stack_work_span::add_part(site where, std::uint64_t ticks) {
  for (std::size_t i = parts_.size(); i-- > base_;)
    if (parts_[i].where == where) {
      parts_[i].ticks += ticks;
      return;
    }
  try {
    parts_.push_back({where, ticks});
  } catch (const std::bad_alloc&) {  // then nobody learns where these were spent
  }
}

void stack_work_span::keep_parts(std::uint32_t base, std::uint32_t from, std::uint32_t to) {
  std::array<call_site_part, 64> kept;
  const std::size_t n = std::min<std::size_t>(to - from, kept.size());
  std::copy_n(parts_.begin() + from, n, kept.begin());
  parts_.resize(std::min<std::size_t>(from, frames_.back().first_base));
  base_ = base;
  for (std::size_t i = 0; i < n; ++i) add_part(kept[i].where, kept[i].ticks);
}

void stack_work_span::add_parts(const path_end& end) {
  for (std::uint32_t i = 0; i < end.parts; ++i)
    add_part(end.part[i].where == 0 ? where_ : end.part[i].where, end.part[i].ticks);
}

// ---- tasks

stack_work_span::outer_task stack_work_span::begin_task(const path_point& at, site where,
                                                        std::uint32_t depth) noexcept {
  const outer_task outer{open_,  pathless_,   of_.watched, work_,         path_,    where_, base_,
                         depth_, asked_from_, serial_,     serial_guess_, untold(), little_};
  stop();
  if (!of_.watched && !book_.exact()) set_watched(true);
  pathless_ = false;
  work_ = 0;
  path_ = at;
  go_to(where);
  base_ = static_cast<std::uint32_t>(parts_.size());
  depth_ = depth;
  asked_from_ = nullptr;
  serial_ = nullptr;
  serial_guess_ = nullptr;
  little_ = {};
  resume();
  return outer;
}

void stack_work_span::end_task(const outer_task& outer, path_end* end) noexcept {
  stop();
  if (end) {
    end->at = path_;
    end->work = work_;
    const auto first = parts_.begin() + base_;
    const auto n = std::min<std::ptrdiff_t>(parts_.end() - first, path_end::max_parts);
    std::partial_sort(first, first + n, parts_.end(),
                      [](const call_site_part& a, const call_site_part& b) { return a.ticks > b.ticks; });
    std::copy_n(first, n, end->part);
    end->parts = static_cast<std::uint32_t>(n);
  }
  parts_.resize(base_);
  of_.watched = outer.watched;  // where it was open, the next push opens it
  pathless_ = outer.pathless;
  work_ = outer.work;
  path_ = outer.path;
  go_to(outer.where);
  base_ = outer.base;
  depth_ = outer.depth;
  asked_from_ = outer.asked_from;
  serial_ = outer.serial;
  serial_guess_ = outer.serial_guess;
  little_ = outer.little;
  told_ += untold() - outer.untold;
  if (outer.open) resume();
}

}  // namespace skua::core
