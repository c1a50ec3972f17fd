#!/usr/bin/env python3
"""Checks which files may include which headers. Each complaint says what to write instead.

    tools/check_layers.py                the whole project
    tools/check_layers.py --public DIR   installed headers may include only the standard library and skua's headers
    tools/check_layers.py --self-test    plants one violation of each rule and expects its complaint

A layer is a folder. It sees the standard library, the public headers <skua/...>, itself with the folders inside it, and
what LAYERS lists. A folder inside a layer that has a row of its own is a layer of its own. The drawing in ARCHITECTURE.md
must say the same about the outer folders.
"""
import argparse
import dataclasses
import pathlib
import re
import sys

import planted_files

ROOT = pathlib.Path(__file__).resolve().parent.parent

STANDARD = set("""
algorithm any array atomic barrier bit bitset cassert cctype cerrno cfenv cfloat charconv chrono cinttypes climits
clocale cmath codecvt compare complex concepts condition_variable coroutine csetjmp csignal cstdarg cstddef cstdint
cstdio cstdlib cstring ctime cuchar cwchar cwctype deque exception execution filesystem format forward_list fstream
functional future initializer_list iomanip ios iosfwd iostream istream iterator latch limits list locale map memory
memory_resource mutex new numbers numeric optional ostream queue random ranges ratio regex scoped_allocator semaphore
set shared_mutex source_location span sstream stack stdexcept stop_token streambuf string string_view strstream
syncstream system_error thread tuple type_traits typeindex typeinfo unordered_map unordered_set utility valarray
variant vector version
""".split())

LIBRARIES = {  # the name used below -> its headers
    "hwloc": r"hwloc(\.h|/.*)",
    "boost": r"boost/.*",
    "CLI11": r"CLI/.*",
    "fmt": r"fmt/.*",
    "json": r"nlohmann/.*",
    "elfutils": r"elfutils/.*|dwarf\.h",
    "peers": r"(oneapi|tbb)/.*|omp\.h",
    "sanitizer": r"sanitizer/.*",
    "system": r"(sys|linux|asm|arpa|netinet)/.*|[a-z_0-9]+\.h",  # after hwloc.h and omp.h
}
HEAVY = ("CLI11", "fmt", "json")  # seconds for each file: never in a header, except their forward declarations (_fwd)

CLOCKS_AND_THREADS = ("atomic", "barrier", "chrono", "condition_variable", "ctime", "future", "latch", "mutex",
                      "semaphore", "shared_mutex", "stop_token", "thread")


@dataclasses.dataclass
class Layer:
    sees: tuple = ()        # other private folders
    libraries: tuple = ()   # keys of LIBRARIES
    bans: tuple = ()        # standard headers
    instead: str = ""       # what to write instead of an include that is not allowed


BELOW_CORE = ("base", "topology", "observe", "policies", "managers")
CORE_INSTEAD = "the core asks src/core/platform for threads, time, waiting and stack switches"
LAYERS = {
    "include/skua": Layer(
        bans=("iostream",),
        instead="a public header includes only the standard library and <skua/...>; declare here, include in src/"),
    "src/base": Layer(
        libraries=("json", "system"),
        instead="base knows texts, files, processes and numbers, but no tasks or machines"),
    "src/topology": Layer(
        sees=("base",), libraries=("hwloc", "system"),
        instead="topology is a low layer; let the caller pass in what it needs"),
    "src/observe": Layer(
        sees=("base", "topology"), libraries=("fmt", "json"),
        instead="observe is a low layer; let the caller pass in what it needs"),
    "src/policies": Layer(
        sees=("base", "topology"), bans=CLOCKS_AND_THREADS + ("random",),
        instead="a policy asks its skua::thief (random(), load(), try_steal()); the core owns threads and time"),
    "src/managers": Layer(
        sees=("base", "topology"), bans=CLOCKS_AND_THREADS + ("random",),
        instead="a manager takes a message and returns messages; the core owns threads and time"),
    "src/core": Layer(sees=BELOW_CORE, instead=CORE_INSTEAD),
    "src/core/queue": Layer(sees=BELOW_CORE + ("core",), instead=CORE_INSTEAD),
    "src/core/loops": Layer(sees=BELOW_CORE + ("core",), instead=CORE_INSTEAD),
    "src/core/idle": Layer(sees=BELOW_CORE + ("core",), instead=CORE_INSTEAD),
    "src/core/choosing": Layer(sees=BELOW_CORE + ("core",), instead=CORE_INSTEAD),
    "src/core/dealing": Layer(sees=BELOW_CORE + ("core",), instead=CORE_INSTEAD),
    "src/core/group": Layer(sees=BELOW_CORE + ("core",), instead=CORE_INSTEAD),
    "src/core/locks": Layer(sees=BELOW_CORE + ("core",), instead=CORE_INSTEAD),
    "src/core/external": Layer(sees=BELOW_CORE + ("core",), instead=CORE_INSTEAD),
    "src/core/start": Layer(sees=BELOW_CORE + ("core",), instead=CORE_INSTEAD),
    "src/core/phase": Layer(sees=BELOW_CORE + ("core",), instead=CORE_INSTEAD),
    "src/core/work_span": Layer(sees=BELOW_CORE + ("core",), instead=CORE_INSTEAD),
    "src/core/record": Layer(sees=BELOW_CORE + ("core",), instead=CORE_INSTEAD),
    "src/core/learning": Layer(sees=BELOW_CORE + ("core",), instead=CORE_INSTEAD),
    "src/core/platform": Layer(
        sees=("base", "topology", "observe", "core"), libraries=("hwloc", "boost", "system", "sanitizer"),
        instead="the platform runs real threads for the core; it sees neither policies, managers nor the simulator"),
    "src/simulator": Layer(
        sees=BELOW_CORE + ("core",), libraries=("boost", "json", "sanitizer"), bans=CLOCKS_AND_THREADS,
        instead="the simulator is the platform of virtual time; it sees the core, not the tool"),
    "src/simulator/machine": Layer(
        sees=("base", "topology"), libraries=("json",), bans=CLOCKS_AND_THREADS,
        instead="the model of a machine is a value; engine, memory and adm use it"),
    "src/simulator/memory": Layer(
        sees=("base", "simulator/machine"), bans=CLOCKS_AND_THREADS,
        instead="the memory model sees the machine model but not the engine"),
    "src/simulator/engine": Layer(
        sees=("base", "core", "simulator/machine"), libraries=("boost", "json", "sanitizer"), bans=CLOCKS_AND_THREADS,
        instead="the engine of virtual time sees machine models, not memories or chips; src/simulator combines them"),
    "src/simulator/adm": Layer(
        sees=BELOW_CORE + ("core", "simulator"), libraries=("json",), bans=CLOCKS_AND_THREADS,
        instead="the hardware of the ADM paper sees the engine and the machine model"),
    "src/paper": Layer(
        sees=("base", "topology"), libraries=("fmt", "json"), bans=CLOCKS_AND_THREADS,
        instead="paper sees the topology and <skua/...>; the tool passes in what it has simulated"),
    "src/report": Layer(
        sees=("base", "topology", "observe"), libraries=("fmt", "json"), bans=CLOCKS_AND_THREADS,
        instead="a report knows only the record of a run; add missing data to src/observe/run_record.hpp"),
    "src/cli": Layer(
        sees=BELOW_CORE + ("core", "simulator", "paper", "report", "workloads", "bench"),
        libraries=("CLI11", "elfutils", "fmt", "json", "system"), instead="write it here, or move it into a layer of src/"),
    "workloads": Layer(
        instead="a workload is a user's program: include <skua/...>, the standard library and files in its folder"),
    "bench": Layer(
        sees=("workloads", "base"), libraries=("peers", "fmt", "json", "system"),
        instead="a benchmark is a user's program: include <skua/...>, the compared runtimes, src/base and files in its folder"),
}
ALGORITHMS = re.compile(r"include/skua/parallel_\w+\.hpp")
NOT_FOR_ALGORITHMS = ("skua/scheduler.hpp", "skua/steal_policy.hpp", "skua/topology.hpp", "skua/report.hpp")

BANNED_WORDS = {  # layer -> (pattern, what to write instead)
    "src/policies": (r"\bstd::(atomic|thread|mutex|chrono)\b|\bmemory_order|\b(clock_gettime|rand|time)\s*\(",
                     LAYERS["src/policies"].instead),
    "src/managers": (r"\bstd::(atomic|thread|mutex|chrono)\b|\bmemory_order|\b(clock_gettime|rand|time)\s*\(",
                     LAYERS["src/managers"].instead),
    "include/skua": (r"\busing namespace\b", "write qualified names; a header must not open a namespace for its user"),
}
INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')


def layer_of(file):
    """The layer of the innermost folder that has a row in LAYERS."""
    return next((str(folder) for folder in file.parents if str(folder) in LAYERS), None)


def library_of(header):
    return next((name for name, pattern in LIBRARIES.items() if re.fullmatch(pattern, header)), None)


def without_comments(line):
    return line.split("//", 1)[0]


class Checker:
    def __init__(self, root):
        self.root = root
        self.complaints = []

    def complain(self, file, number, what, instead):
        self.complaints.append(f"{file}:{number}: {what}: {instead}")

    @staticmethod
    def may_see(name, layer, header):
        """Whether files of layer `name` may include the private header, written without src/."""
        own = name.removeprefix("src/")
        return any(header.startswith(folder + "/") for folder in (own, *layer.sees))

    def check_private(self, file, number, name, layer, header):
        if ".." in header.split("/"):
            self.complain(file, number, f'"{header}" contains ".."',
                          "write the path from src/, as in \"core/queue.hpp\"")
            return
        beside = (self.root / file).parent / header
        if "/" not in header or beside.is_file():
            if name.startswith("src/"):
                self.complain(file, number, f'"{header}" has no folder', f'write "{name[4:]}/{header}"')
            elif not beside.is_file():
                self.complain(file, number, f'"{header}" is not in the folder of this file', layer.instead)
            elif name == "include/skua":
                self.complain(file, number, f'"{header}" is quoted', "write <skua/...>")
            return
        base = self.root if header.split("/", 1)[0] in ("workloads", "bench") else self.root / "src"
        if not self.may_see(name, layer, header):
            self.complain(file, number, f'{name} may not see "{header}"', layer.instead)
        elif not (base / header).is_file():
            self.complain(file, number, f'"{header}" does not exist', "write the path from src/")

    def check_angled(self, file, number, name, layer, header):
        if header.startswith("skua/"):
            if ALGORITHMS.fullmatch(str(file)) and header in NOT_FOR_ALGORITHMS:
                self.complain(file, number, f"an algorithm may not see <{header}>",
                              "build it from <skua/join.hpp> and <skua/task_group.hpp>")
        elif header in STANDARD:
            if header in layer.bans:
                self.complain(file, number, f"<{header}> is banned in {name}", layer.instead)
        elif (library := library_of(header)) not in layer.libraries:
            self.complain(file, number, f"{name} may not see <{header}>", layer.instead)
        elif library in HEAVY and file.suffix == ".hpp" and not header.endswith("_fwd.hpp"):
            self.complain(file, number, f"<{header}> costs seconds for each file", "include it in the .cpp only")

    def check_file(self, file, name):
        layer = LAYERS[name]
        lines = (self.root / file).read_text(encoding="utf-8").splitlines()
        if file.suffix == ".hpp" and "#pragma once" not in lines:
            self.complain(file, 1, "no #pragma once", "write it after the opening comment")
        if name == "include/skua" and not (lines and lines[0].startswith("//")):
            self.complain(file, 1, "no documentation", "begin a public header with its purpose and an example")
        banned, instead = BANNED_WORDS.get(name, (r"(?!)", ""))
        for number, line in enumerate(lines, 1):
            if include := INCLUDE.match(line):
                check = self.check_private if include[1] == '"' else self.check_angled
                check(file, number, name, layer, include[2])
            elif word := re.search(banned, without_comments(line)):
                self.complain(file, number, f"`{word[0]}` is banned in {name}", instead)

    def check_project(self):
        files = 0
        for name in LAYERS:
            for path in sorted((self.root / name).rglob("*.[ch]pp")):
                file = path.relative_to(self.root)
                if layer_of(file) != name:
                    continue  # an inner folder is its own layer
                self.check_file(file, name)
                files += 1
        for path in sorted((self.root / "src").glob("*")):
            if path.is_dir() and f"src/{path.name}" not in LAYERS:
                self.complain(path.relative_to(self.root), 0, "no layer", "add it to LAYERS in tools/check_layers.py")
        return files


def check_public(include):
    """Checks installed headers in any folder: they may include only the standard library and skua's headers."""
    headers = sorted(include.rglob("*.hpp"))
    complaints = [] if headers else [f"{include}: no headers"]
    for path in headers:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if not (match := INCLUDE.match(line)):
                continue
            header = match[2]
            if header.startswith("skua/") and not (include / header).is_file():
                complaints.append(f"{path}:{number}: <{header}> is not installed: add it to include/skua")
            elif match[1] == '"' or not (header.startswith("skua/") or header in STANDARD):
                complaints.append(f"{path}:{number}: <{header}>: {LAYERS['include/skua'].instead}")
    return complaints, len(headers)


HEADER = "// A header.\n#pragma once\n"
PLANTED = [  # (file, text, a part of the complaint; None: no complaint is expected)
    ("include/skua/fine.hpp", HEADER + "#include <vector>\n#include <skua/join.hpp>\n", None),
    ("src/core/fine.cpp", '#include "core/fine.hpp"\n#include "topology/fine.hpp"\n#include <atomic>\n', None),
    ("src/core/fine.hpp", HEADER, None),
    ("src/topology/fine.hpp", HEADER + "#include <hwloc.h>\n#include <sched.h>\n", None),
    ("src/policies/fine.cpp", "// std::atomic in a comment is fine\n#include <skua/steal_policy.hpp>\n", None),
    ("src/cli/fine.cpp", '#include <elfutils/libdw.h>\n#include <fmt/format.h>\n#include "workloads/fine.hpp"\n', None),
    ("workloads/fine.hpp", HEADER, None),
    ("workloads/fine.cpp", '#include "fine.hpp"\n#include <skua/skua.hpp>\n', None),
    ("bench/fine.cpp", "#include <omp.h>\n#include <oneapi/tbb.h>\n", None),
    ("src/base/fine.hpp", HEADER, None),
    ("bench/runs.cpp", '#include "base/fine.hpp"\n', None),
    ("include/skua/library.hpp", HEADER + "#include <hwloc.h>\n", "include/skua may not see <hwloc.h>"),
    ("include/skua/system.hpp", HEADER + "#include <sched.h>\n", "include/skua may not see <sched.h>"),
    ("include/skua/stream.hpp", HEADER + "#include <iostream>\n", "<iostream> is banned"),
    ("include/skua/silent.hpp", "#pragma once\n", "no documentation"),
    ("include/skua/twice.hpp", "// A header.\n", "no #pragma once"),
    ("include/skua/private.hpp", HEADER + '#include "core/fine.hpp"\n', 'may not see "core/fine.hpp"'),
    ("include/skua/parallel_x.hpp", HEADER + "#include <skua/scheduler.hpp>\n", "an algorithm may not see"),
    ("include/skua/open.hpp", HEADER + "using namespace std;\n", "`using namespace` is banned"),
    ("src/topology/up.cpp", '#include "core/fine.hpp"\n', 'src/topology may not see "core/fine.hpp"'),
    ("src/observe/up.cpp", '#include "core/fine.hpp"\n', 'src/observe may not see "core/fine.hpp"'),
    ("src/observe/heavy.hpp", HEADER + "#include <fmt/format.h>\n", "include it in the .cpp only"),
    ("src/policies/up.cpp", '#include "core/fine.hpp"\n', 'src/policies may not see "core/fine.hpp"'),
    ("src/policies/clock.cpp", "#include <chrono>\n", "<chrono> is banned in src/policies"),
    ("src/policies/word.cpp", "std::atomic<int> shared;\n", "`std::atomic` is banned in src/policies"),
    ("src/managers/threads.cpp", "#include <thread>\n", "<thread> is banned in src/managers"),
    ("src/core/system.cpp", "#include <sys/mman.h>\n", "src/core may not see <sys/mman.h>"),
    ("src/core/platform/fine.hpp", HEADER + "#include <sys/mman.h>\n", None),
    ("src/core/inner.cpp", '#include "core/platform/fine.hpp"\n', None),
    ("src/base/up.cpp", '#include "topology/fine.hpp"\n', 'src/base may not see "topology/fine.hpp"'),
    ("src/core/platform/up.cpp", '#include "policies/fine.hpp"\n', 'src/core/platform may not see "policies/fine.hpp"'),
    ("src/simulator/machine/up.cpp", '#include "simulator/fine.hpp"\n', 'src/simulator/machine may not see'),
    ("src/simulator/memory/up.cpp", '#include "core/fine.hpp"\n', 'src/simulator/memory may not see "core/fine.hpp"'),
    ("src/core/boost.cpp", "#include <boost/context/fiber.hpp>\n", "src/core may not see <boost/context/fiber.hpp>"),
    ("src/core/short.cpp", '#include "fine.hpp"\n', 'write "core/fine.hpp"'),
    ("src/core/climb.cpp", '#include "../topology/fine.hpp"\n', 'contains ".."'),
    ("src/core/ghost.cpp", '#include "core/ghost.hpp"\n', "does not exist"),
    ("src/core/platform/simulator.cpp", '#include "simulator/fine.hpp"\n', 'may not see "simulator/fine.hpp"'),
    ("src/simulator/fine.hpp", HEADER + "#include <nlohmann/json_fwd.hpp>\n", None),
    ("src/simulator/tool.cpp", '#include "cli/fine.hpp"\n', 'src/simulator may not see "cli/fine.hpp"'),
    ("src/paper/fine.hpp", HEADER + '#include "topology/fine.hpp"\n', None),
    ("src/paper/simulator.cpp", '#include "simulator/fine.hpp"\n', 'src/paper may not see "simulator/fine.hpp"'),
    ("src/paper/core.cpp", '#include "core/fine.hpp"\n', 'src/paper may not see "core/fine.hpp"'),
    ("src/paper/clock.cpp", "#include <chrono>\n", "<chrono> is banned in src/paper"),
    ("src/report/fine.hpp", HEADER + '#include "observe/fine.hpp"\n', None),
    ("src/observe/fine.hpp", HEADER, None),
    ("src/report/core.cpp", '#include "core/fine.hpp"\n', 'src/report may not see "core/fine.hpp"'),
    ("src/simulator/paper.cpp", '#include "paper/fine.hpp"\n', 'src/simulator may not see "paper/fine.hpp"'),
    ("src/cli/heavy.hpp", HEADER + "#include <CLI/CLI.hpp>\n", "include it in the .cpp only"),
    ("src/extra/new.cpp", "", "no layer"),
    ("workloads/inside.cpp", '#include "core/fine.hpp"\n', 'workloads may not see "core/fine.hpp"'),
    ("workloads/library.cpp", "#include <tbb/tbb.h>\n", "workloads may not see <tbb/tbb.h>"),
    ("workloads/ghost.cpp", '#include "ghost.hpp"\n', "is not in the folder of this file"),
    ("bench/inside.cpp", '#include "core/fine.hpp"\n', 'bench may not see "core/fine.hpp"'),
]


def drawn_layers(text):
    """What each folder may include by the drawing in ARCHITECTURE.md, over any number of steps."""
    rows = [line for line in text.split("```")[1].splitlines() if line.strip()]
    arrows = {line.split()[0].rstrip("/"): line.partition("──►")[2].strip() for line in rows}
    names = list(arrows)
    reached = {}
    for name in reversed(names):
        below = names[names.index(name) + 1:]
        direct = below if arrows[name] == "all below" else [one.strip().rstrip("/") for one in arrows[name].split(",") if one]
        if not set(direct) <= set(below):
            raise ValueError(f"{name}: an arrow leads upwards or to no layer")
        reached[name] = set(direct).union(*(reached[one] for one in direct)) - {"include/skua"}
    return reached


def compare_with_drawing(text):
    complaints = []
    drawn = drawn_layers(text)
    for name, layer in LAYERS.items():
        seen = {one if one in LAYERS else f"src/{one}" for one in layer.sees}
        if name in drawn and seen != drawn[name]:
            different = ", ".join(sorted(seen ^ drawn[name]))
            complaints.append(f"ARCHITECTURE.md: the drawing and LAYERS differ in what {name} may see: {different}")
        if name not in drawn and not any(name.startswith(outer + "/") for outer in drawn):
            complaints.append(f"ARCHITECTURE.md: the drawing lacks {name}")
    return complaints


def self_test():
    with planted_files.written(PLANTED) as root:
        checker = Checker(root)
        checker.check_project()
        public, _ = check_public(root / "include")

    def place_of(file, expected):
        return file if expected != "no layer" else pathlib.Path(file).parent

    wrong = planted_files.wrong_complaints(PLANTED, checker.complaints, place_of)
    for bad in ("hwloc.h", "core/fine.hpp", "skua/join.hpp"):  # the last is not in the planted folder
        if not any(bad in line for line in public):
            wrong.append(f"--public did not complain about {bad}")
    drawing = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    for before, after, expected in (("──► src/observe/", "──► src/core/", "src/report may see"),
                                    ("──► workloads/, src/base/", "", "bench may see"),
                                    ("   src/paper/ ", "   src/pages/ ", "lacks src/paper")):
        if not any(expected in line for line in compare_with_drawing(drawing.replace(before, after, 1))):
            wrong.append(f"{expected}: no complaint about a drawing with {after.strip() or 'nothing'} instead of {before.strip()}")
    if any("<vector>" in line for line in public):
        wrong.append("--public complained about <vector>")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--public", type=pathlib.Path, metavar="DIR")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.self_test:
        complaints, done = self_test(), f"{len(PLANTED)} planted files checked correctly"
    elif options.public:
        complaints, files = check_public(options.public)
        done = f"{files} public headers need only the standard library"
    else:
        checker = Checker(ROOT)
        files = checker.check_project()
        drawing = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
        complaints = checker.complaints + compare_with_drawing(drawing)
        done = f"{files} files respect their layers"
    print("\n".join(complaints) if complaints else done)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
