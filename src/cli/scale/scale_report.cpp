#include "cli/scale/scale_report.hpp"

#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>

#include "cli/run/run_report_file.hpp"
#include "observe/run_record.hpp"
#include "base/this_process.hpp"

namespace skua::cli {
namespace {

std::string text_in(int memory) {
  std::string text;
  char part[65536];
  for (;;) {
    const ssize_t got = pread(memory, part, sizeof part, static_cast<off_t>(text.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(part, static_cast<std::size_t>(got));
  }
}

}  // namespace

scale_report::scale_report(const std::string& path) : path_(path) {
  if (path.empty()) return;
  check_can_write("--report", path);
  memory_ = memfd_create("record of a run", 0);  // that processes of runs inherit
  if (memory_ < 0) throw std::system_error(errno, std::generic_category(), "there is no memory for a record");
}

scale_report::~scale_report() {
  if (memory_ >= 0) close(memory_);
}

arguments scale_report::words() const {
  if (path_.empty()) return {};
  return {"--report", fmt::format("/proc/self/fd/{}", memory_), "--no-baseline"};
}

void scale_report::write(const paper::scaling_curve& curve) const {
  if (path_.empty()) return;
  observe::run_record record = observe::read_run_record(text_in(memory_), "the run's record");
  record.program = observe::command_line();
  for (const paper::scaling_point& point : curve.points)
    record.curve.push_back({.workers = point.workers, .seconds = scaled_at(curve, point).seconds});
  if (record.curve.size() > 1)
    record.baseline = observe::baseline_record{.seconds = record.curve.front().seconds,
                                               .parallel_seconds = record.curve.back().seconds};
  write_run_report(path_, record);
}

}  // namespace skua::cli
