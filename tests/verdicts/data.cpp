// Programs that are limited by data: read far from where they were written, from saturated memories, or all from one memory.
#include <memory>
#include <vector>

#include "program.hpp"

namespace limited {

namespace {

constexpr std::size_t block = 64 * 1024;

/// The constructor does not touch the memory, so each page is placed near the first thread that uses it.
class area {
 public:
  explicit area(std::size_t blocks) : bytes_(new unsigned char[blocks * block]) {}
  unsigned char* at(std::size_t number) const { return bytes_.get() + number * block; }
  void touch(std::size_t number) const {
    skua::writes(at(number), block);
    if (!skua::default_scheduler().is_simulated()) __builtin_memset(at(number), 1, block);
  }

 private:
  std::unique_ptr<unsigned char[]> bytes_;
};

void halves(std::size_t first, std::size_t last, const auto& leaf) {
  if (last - first == 1) return leaf(first);
  const std::size_t middle = first + (last - first) / 2;
  skua::join([&] { halves(first, middle, leaf); }, [&] { halves(middle, last, leaf); });
}

}  // namespace

namespace {

// Lines of each block that are read, and their distance in bytes. The distance is large, so they are not fetched together.
constexpr std::size_t lines = 120, apart = 512;

/// Reads from the last line to the first and waits for each, so no memory and no link is saturated.
void read_lines(const unsigned char* data) {
  for (std::size_t line = lines; line-- > 0;) skua::reads(data + apart * line, 64);
  compute(1);
}

// The blocks of one task. Two make its time large compared with the cost of a steal.
constexpr std::size_t blocks_a_task = 2;

void sweep_often(const area& data, std::size_t first, std::size_t last, std::size_t sweeps) {
  for (std::size_t sweep = 0; sweep < sweeps; ++sweep)
    halves(first / blocks_a_task, last / blocks_a_task, [&](std::size_t task) {
      for (std::size_t i = task * blocks_a_task; i < (task + 1) * blocks_a_task; ++i) {
        for (std::size_t line = 0; sweep == 0 && line < lines; ++line)
          skua::writes(data.at(i) + apart * line, 64);
        read_lines(data.at(i));
      }
    });
}

/// Divides the parts. A policy with two tiers gives one part to each domain.
void in_domains(std::size_t first, std::size_t last, const auto& part) {
  if (last - first == 1) return part(first);
  const std::size_t middle = first + (last - first) / 2;
  skua::join(skua::inter([&] { in_domains(first, middle, part); }),
             skua::inter([&] { in_domains(middle, last, part); }));
}

}  // namespace

/// There is one part for each domain. Its tasks sweep over the same data repeatedly. The data stay in the domain's cache if
/// only workers of that domain steal from each other, as under bitier.
void data_from_afar(std::size_t size) {
  skua::scheduler& pool = skua::default_scheduler();
  const std::size_t parts = pool.machine().domains();
  const std::size_t blocks = 16 * blocks_a_task * (workers() / parts);
  const area data(parts * blocks);
  pool.run([&] {
    in_domains(0, parts,
               [&](std::size_t part) { sweep_often(data, part * blocks, (part + 1) * blocks, 10 * size); });
  });
}

/// Each worker reads its own data from its own memory. They are larger than the caches. On a real machine the amount does
/// not depend on the number of workers, because the run is compared with a run on one worker.
void full_memories(std::size_t size) {
  const std::size_t blocks = skua::default_scheduler().is_simulated() ? 64 * workers() : 1024;
  const area data(blocks);
  skua::loop_memo memo;
  const skua::loop where{.placement = skua::same_as_last(memo)};
  skua::default_scheduler().run([&] {
    skua::parallel_for(std::size_t{0}, blocks, [&](std::size_t i) { data.touch(i); }, where);
    for (std::size_t sweep = 0; sweep < 2 * size; ++sweep)
      skua::parallel_for(std::size_t{0}, blocks, [&](std::size_t i) { read_all(data.at(i), block); }, where);
  });
}

/// One worker has written all data.
void one_memory_for_all(std::size_t size) {
  const std::size_t blocks = 64 * workers();
  const area data(blocks);
  skua::default_scheduler().run([&] {
    for (std::size_t i = 0; i < blocks; ++i) data.touch(i);
  });
  skua::default_scheduler().reset_report();
  skua::default_scheduler().run([&] {
    for (std::size_t sweep = 0; sweep < 2 * size; ++sweep)
      halves(0, blocks, [&](std::size_t i) { read_all(data.at(i), block); });
  });
}

}  // namespace limited
