// gtfold: folds an RNA: finds the structure of minimum energy among all structures whose pairs of bases nest.
//
// Tasks: cell (i, j) of the table needs (i, j - 1) and (i + 1, j), and so all cells inside. The loop form goes by
// diagonals: all cells of one distance j - i in parallel, then the next distance. The task form has no such barriers:
// each cell is a task, and the task that completes the second of the two cells that a cell needs enqueues it. First in,
// first out keeps to the diagonals. Last in, first out (order=lifo) works into a corner and leaves little work for
// other workers. Cells whose bases cannot pair are short, the others take several times longer.
// Paper: ADM, which folds X54252, 697 bases in 693 phases, with the energies of GTfold. This workload uses the model
// SEM-1.
#include <atomic>
#include <memory>

#include <skua/skua.hpp>

#include "workloads/common/hash.hpp"
#include "workloads/common/output.hpp"
#include "workloads/common/workload.hpp"
#include "workloads/kernels/gtfold.hpp"
#include "workloads/kernels/gtfold_input.hpp"
#include "workloads/kernels/gtfold_structure.hpp"

namespace workloads {
namespace {

constexpr std::int64_t longest_molecule = 10000;

/// Computes one cell: the leaf of all forms.
void run_cell(fold_tables& t, std::size_t i, std::size_t j) {
  const std::size_t distance = j - i, row = i * t.pitch, column = j * t.pitch;
  const std::size_t window = t.pair(i, j) == rna_no_pair ? 0 : std::min(rna_loop_max + 1, distance - 1);
  skua::reads(&t.parts[row + i], distance);
  skua::reads(&t.parts[column + i + 1], distance);
  if (window != 0) {
    skua::reads(&t.closed[row + t.pitch + j - window], window, window, t.pitch);
    skua::writes(&t.closed[row + j], 1);
  }
  skua::writes(&t.closed[column + i], 1);
  skua::writes(&t.parts[row + j], 1);
  skua::writes(&t.parts[column + i], 1);
  // Calibrated on one worker, 400 bases: 15 to 72 cycles without a pair, 310 to 350 with one and a whole window.
  skua::costs(20 + 0.15 * static_cast<double>(distance) + 9.0 * static_cast<double>(window));
  fold_cell(t, i, j);
}

void fold_by_diagonals(fold_tables& t) {
  for (std::size_t distance = fold_nearest; distance < t.n; ++distance)
    skua::parallel_for(std::size_t{0}, t.n - distance, [&](std::size_t i) { run_cell(t, i, i + distance); });
}

/// The same as phases, one range of tasks for each diagonal: the loop-parallel form of the ADM paper.
void fold_by_phases(fold_tables& t) {
  for (std::size_t distance = fold_nearest; distance < t.n; ++distance) {
    skua::phase<std::size_t> cells;
    cells.enqueue_range(0, t.n - distance);
    cells.run([&](std::size_t i) { run_cell(t, i, i + distance); });
  }
}

/// One task for each cell. The later of the two cells that it needs enqueues it.
class fold_by_tasks {
 public:
  fold_by_tasks(fold_tables& tables, skua::order order)
      : t_(tables), half_ready_(new std::atomic<bool>[tables.n * tables.n] {}), cells_(order) {}

  void run() {
    // Enqueued as a range, which a thief halves: neighbouring cells, which read the same data, stay together.
    if (t_.n > fold_nearest)
      cells_.enqueue_range(cell(fold_nearest, 0), cell(fold_nearest, t_.n - fold_nearest));
    cells_.run([this](std::uint64_t cell) {
      const std::size_t distance = cell >> 32, i = cell & 0xffffffff, j = i + distance;
      run_cell(t_, i, j);
      if (j + 1 < t_.n) needed_by(distance + 1, i);
      if (i > 0) needed_by(distance + 1, i - 1);
    });
  }

 private:
  static std::uint64_t cell(std::size_t distance, std::size_t i) { return distance << 32 | i; }

  void needed_by(std::size_t distance, std::size_t i) {
    // acq_rel: the second task sees what the first one wrote, and enqueues the cell.
    if (half_ready_[distance * t_.n + i].exchange(true, std::memory_order_acq_rel))
      cells_.enqueue(cell(distance, i));
  }

  fold_tables& t_;
  std::unique_ptr<std::atomic<bool>[]> half_ready_;  // indexed by distance and i
  skua::phase<std::uint64_t> cells_;
};

class gtfold_program : public program {
 public:
  explicit gtfold_program(const parameters& asked)
      : form_(asked.choice("form", {"loop", "tasks", "phases"})),
        order_(asked.choice("order", {"fifo", "lifo"}) == "lifo" ? skua::order::lifo : skua::order::fifo),
        times_(static_cast<int>(asked.number("times", asked.pick(1, 12, 1), 1, 1000))),
        output_(checked_output(asked)) {
    const std::string input = asked.text("input", "");
    const std::int64_t n = asked.number("n", asked.pick(200, 1000, 697), 1, longest_molecule);
    molecule_ = input.empty() ? rna_molecule{"random " + std::to_string(n),
                                             rna_random(asked.seed.value_or(42), static_cast<std::size_t>(n))}
                              : read_rna(input, longest_molecule);
  }

  void prepare() override { tables_ = fold_tables(rna_numbers(molecule_.letters)); }
  void sequential() override {
    for (int time = 0; time < times_; ++time) {
      tables_.clear();
      fold_sequential(tables_);
    }
  }
  void parallel() override {
    for (int time = 0; time < times_; ++time) {
      share().set(time, times_);
      tables_.clear();
      if (form_ == "phases")
        fold_by_phases(tables_);
      else if (form_ == "tasks")
        fold_by_tasks(tables_, order_).run();
      else
        fold_by_diagonals(tables_);
      fold_fronts(tables_);
    }
  }
  answer_check verify() override;
  void flip_one() override { tables_.front.back() += 10; }

 private:
  std::uint64_t sequential_hash() {
    if (!sequential_hash_) {
      fold_tables tables(tables_.bases);
      fold_sequential(tables);
      sequential_hash_ = hash_of(tables);
    }
    return *sequential_hash_;
  }
  static std::uint64_t hash_of(const fold_tables& t) {
    return hash_sequence(t.parts) + mix(hash_sequence(t.closed)) + mix(hash_sequence(t.front) + 1);
  }

  std::string form_;
  skua::order order_;
  int times_;
  std::string output_;
  rna_molecule molecule_;
  fold_tables tables_;
  std::optional<std::uint64_t> sequential_hash_;
};

/// Formats an energy in kcal/mol.
std::string kcal(rna_energy energy) {
  const rna_energy positive = std::abs(energy);
  const std::string cents = std::to_string(100 + positive % 100).substr(1);
  return (energy < 0 ? "-" : "") + std::to_string(positive / 100) + "." + cents;
}

answer_check gtfold_program::verify() {
  const rna_energy energy = tables_.front.back();
  const std::optional<rna_energy> published = rna_published_energy(molecule_.letters);
  if (energy != published.value_or(energy))
    return {false, "the minimum energy is " + kcal(energy) + ", not the published one"};
  const std::optional<std::string> structure = fold_traceback(tables_).find();
  if (!structure) return {false, "no structure has the energy " + kcal(energy)};
  if (rna_structure_energy(tables_.bases, *structure) != energy)
    return {false, "the energy of the structure found is not " + kcal(energy)};
  const auto pairs = std::ranges::count(*structure, '(');
  if (tables_.n <= 500 && pairs > rna_max_pairs(tables_.bases))
    return {false, "the structure has more pairs than any nested structure"};
  if (hash_of(tables_) != sequential_hash()) return {false, "some cells differ from the sequential answer"};
  if (!output_.empty())
    write_output(output_, ">" + molecule_.name + "\n" + molecule_.letters + "\n" + *structure + " (" +
                              kcal(energy) + ")\n");
  return {true, std::to_string(tables_.n) + " bases, " + std::to_string(pairs) + " pairs, " + kcal(energy) +
                    " kcal/mol" + (published ? ", as published" : "") + ", every cell as sequential"};
}

}  // namespace

extern const workload gtfold_workload{
    .name = "gtfold",
    .summary = "fold an RNA: fill a table diagonal by diagonal, or with one task for each cell",
    .ci = "200 random bases",
    .med = "1000 random bases, 12 times",
    .paper = "697 random bases (4 MB); for the paper's X54252, also 697 bases, use input=FILE",
    .options = {{"form", "loop|tasks|phases",
                 "a loop for each diagonal, a task for each cell, or a phase for each diagonal"},
                {"order", "fifo|lifo", "which of its tasks a worker runs next"},
                {"n", "1 .. 10000", "random bases, unless input is given (8 n^2 bytes)"},
                {"times", "1 .. 1000", "number of repetitions"},
                {"input", "FILE", "read a molecule: FASTA, or the letters alone"},
                {"output", "FILE", "write the structure (dots and brackets) and its energy to this file"}},
    .make = [](const parameters& asked) -> std::unique_ptr<program> {
      return std::make_unique<gtfold_program>(asked);
    }};

}  // namespace workloads
