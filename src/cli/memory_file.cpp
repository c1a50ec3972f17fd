#include "cli/memory_file.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <system_error>

namespace skua::cli {

memory_file::memory_file() : memory_(memfd_create("record of a run", 0)) {  // inherited by other processes
  if (memory_ < 0) throw std::system_error(errno, std::generic_category(), "there is no memory for a record");
}

memory_file::~memory_file() { close(memory_); }

std::string memory_file::name() const { return "/proc/self/fd/" + std::to_string(memory_); }

std::string memory_file::text() const {
  std::string text;
  char part[65536];
  for (;;) {
    const ssize_t got = pread(memory_, part, sizeof part, static_cast<off_t>(text.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(part, static_cast<std::size_t>(got));
  }
}

}  // namespace skua::cli
