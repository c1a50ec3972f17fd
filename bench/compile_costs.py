#!/usr/bin/env python3
"""What loops and sorts cost to compile: compile_costs.py COMPILER [--rounds N]

Compiles files of 16 loops or one sort each, for skua, oneTBB and OpenMP, and prints the CPU time of the compiler and the size
of the object file (its text, as `size` prints it). A runtime that the compiler does not find is left out.

compile_costs.py COMPILER --check compiles skua's files only and fails if one is larger than its bound."""
import argparse, os, pathlib, resource, statistics, subprocess, sys, tempfile

LOOPS = 16
FLAGS = ["-std=c++20", "-O2", "-I" + str(pathlib.Path(__file__).resolve().parent.parent / "include")]

# A file is the first text, and then the second one for each loop. Each loop has a body of its own type. A file of a sort has
# one, because each further one of the same type adds next to nothing.
AXPY = "void loop@(double* a, const double* b, std::size_t n) { %s }\n"
TILES = "void tiles@(double* a, const double* b, int rows, int cols) { %s }\n"
SUM = "double sum@(const double* a, std::size_t n) { %s }\n"
FILES = {
    "parallel_for": {
        "skua": ("#include <skua/parallel_for.hpp>\n#include <cstddef>\n", AXPY %
                 "skua::parallel_for(std::size_t{0}, n, [=](std::size_t i) { a[i] += b[i] * @.5; });"),
        "oneTBB": ("#include <tbb/parallel_for.h>\n#include <cstddef>\n", AXPY %
                   "tbb::parallel_for(std::size_t{0}, n, [=](std::size_t i) { a[i] += b[i] * @.5; });"),
        "OpenMP": ("#include <cstddef>\n", AXPY %
                   "\n#pragma omp parallel for\nfor (std::size_t i = 0; i < n; ++i) a[i] += b[i] * @.5;"),
    },
    "blocked2d": {
        "skua": ("#include <skua/parallel_for.hpp>\n#include <cstddef>\n", TILES %
                 """skua::parallel_for(skua::blocked2d(0, rows, 0, cols), [=](auto r, auto c) {
                   for (int i : r) for (int j : c) a[i] += b[j] * @.5; });"""),
        "oneTBB": ("#include <tbb/parallel_for.h>\n#include <tbb/blocked_range2d.h>\n#include <cstddef>\n", TILES %
                   """tbb::parallel_for(tbb::blocked_range2d<int>(0, rows, 0, cols), [=](const auto& r) {
                     for (int i = r.rows().begin(); i < r.rows().end(); ++i)
                       for (int j = r.cols().begin(); j < r.cols().end(); ++j) a[i] += b[j] * @.5; });"""),
        "OpenMP": ("", TILES %
                   """\n#pragma omp parallel for
                   for (int i = 0; i < rows; ++i) for (int j = 0; j < cols; ++j) a[i] += b[j] * @.5;"""),
    },
    "parallel_reduce": {
        "skua": ("#include <skua/parallel_reduce.hpp>\n#include <cstddef>\n", SUM %
                 """return skua::parallel_reduce(std::size_t{0}, n, 0.0, [=](std::size_t i) { return a[i] * @.5; },
                   [](double x, double y) { return x + y; });"""),
        "oneTBB": ("#include <tbb/parallel_reduce.h>\n#include <tbb/blocked_range.h>\n#include <cstddef>\n", SUM %
                   """return tbb::parallel_reduce(tbb::blocked_range<std::size_t>(0, n), 0.0,
                     [=](const tbb::blocked_range<std::size_t>& r, double x) {
                       for (std::size_t i = r.begin(); i != r.end(); ++i) x += a[i] * @.5;
                       return x; }, [](double x, double y) { return x + y; });"""),
        "OpenMP": ("#include <cstddef>\n", SUM % """double x = 0;
                   \n#pragma omp parallel for reduction(+ : x)
                   for (std::size_t i = 0; i < n; ++i) x += a[i] * @.5;
                   return x;"""),
    },
}
ELEMENTS = {
    "u64": "#include <cstdint>\nusing T = std::uint64_t;\n",
    "record": """#include <cstdint>
              struct T { std::uint64_t key, a, b; };
              inline bool operator<(const T& a, const T& b) { return a.key < b.key; }\n""",
    "string": "#include <string>\nusing T = std::string;\n",
}
SORT = "void sort@(T* a, std::size_t n) { %s::%s(a, a + n); }\n"
for element, declared in ELEMENTS.items():
    FILES[f"sort, {element}"] = {
        "skua": ("#include <skua/parallel_sort.hpp>\n#include <cstddef>\n" + declared, SORT % ("skua", "parallel_sort")),
        "oneTBB": ("#include <tbb/parallel_sort.h>\n#include <cstddef>\n" + declared, SORT % ("tbb", "parallel_sort")),
    }
FILES["stable, string"] = {
    "skua": ("#include <skua/parallel_sort.hpp>\n#include <cstddef>\n" + ELEMENTS["string"],
             SORT % ("skua", "parallel_stable_sort")),
}

# Bytes of 16 loops or one sort: what gcc 12 and clang 19 needed when the bounds were written, and 15 percent.
BOUNDS = {
    "parallel_for": {"gcc": 23700, "clang": 29700},
    "blocked2d": {"gcc": 38700, "clang": 46800},
    "parallel_reduce": {"gcc": 24100, "clang": 27900},
    "sort, u64": {"gcc": 12600, "clang": 14800},
    "sort, record": {"gcc": 13600, "clang": 15600},
    "sort, string": {"gcc": 20200, "clang": 18500},
    "stable, string": {"gcc": 26100, "clang": 25800},
}


def copies(kind):
    return 1 if kind.startswith(("sort", "stable")) else LOOPS


def source_of(kind, runtime):
    begin, one = FILES[kind][runtime]
    return begin + "".join(one.replace("@", str(i)) for i in range(copies(kind)))


def compile_file(compiler, kind, runtime, folder):
    """Returns seconds of CPU time and bytes, or None if there is no such file or it does not compile here."""
    if runtime not in FILES[kind]:
        return None
    source, output = folder / "loops.cpp", folder / "loops.o"
    source.write_text(source_of(kind, runtime))
    flags = FLAGS + (["-fopenmp"] if runtime == "OpenMP" else [])
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run([compiler, *flags, "-c", source, "-o", output], capture_output=True, text=True,
                         env=os.environ | {"CCACHE_DISABLE": "1"})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if run.returncode:
        if runtime == "skua":
            sys.exit(run.stderr)
        return None
    sizes = subprocess.run(["size", output], capture_output=True, text=True, check=True).stdout
    seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return seconds, int(sizes.splitlines()[1].split()[0])


def check(compiler, folder):
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout
    family = "clang" if "clang" in version else "gcc"
    failed = False
    for kind, bounds in BOUNDS.items():
        size = compile_file(compiler, kind, "skua", folder)[1]
        print(f"{copies(kind)} {kind}: {size} bytes, allowed {bounds[family]}")
        failed |= size > bounds[family]
    return failed


def compare(compiler, folder, rounds):
    runtimes = ["skua", "oneTBB", "OpenMP"]
    print(f"{LOOPS} loops or one sort in one file, {compiler} -O2: CPU seconds of the compiler, bytes of the object file")
    print(f"{'':16}" + "".join(f"{runtime:>20}" for runtime in runtimes))
    for kind in FILES:
        results = {runtime: [] for runtime in runtimes}
        for _ in range(rounds):
            for runtime in runtimes:
                results[runtime].append(compile_file(compiler, kind, runtime, folder))
        cells = []
        for of_one in results.values():
            if None in of_one:
                cells.append(f"{'-':>20}")
            else:
                cells.append(f"{statistics.median(s for s, _ in of_one):10.2f} s{of_one[0][1]:8d}")
        print(f"{kind:16}" + "".join(cells))


def main():
    parser = argparse.ArgumentParser(usage="compile_costs.py COMPILER [--rounds N] [--check]")
    parser.add_argument("compiler")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--check", action="store_true")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if wanted.check:
            sys.exit(check(wanted.compiler, pathlib.Path(folder)))
        compare(wanted.compiler, pathlib.Path(folder), wanted.rounds)


main()
