"""A report of a program that was compiled with -g must name the lines of the program, not those of skua's headers.

lines_test.py PROGRAM SOURCE TOOL"""
import json
import os
import subprocess
import sys
import tempfile

program, source, tool = sys.argv[1:]
with open(source, encoding="utf-8") as text:
    lines = text.read().splitlines()


def line_of(mark):
    [number] = [number for number, line in enumerate(lines, 1) if f"// {mark}" in line]
    return number


clean = {name: value for name, value in os.environ.items() if not name.startswith("SKUA_")}


def report(change=lambda record: None, **environment):
    """Runs the program. What the tool says about its record, the same for a person, and the record."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "run.json")
        subprocess.run([program], env=clean | {"SKUA_REPORT": path, "SKUA_WORKERS": "2"} | environment, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(path, encoding="utf-8") as file:
            record = json.load(file)
        change(record)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(record, file)
        told = subprocess.run([tool, "report", path, "--json"], env=clean, check=True, capture_output=True, text=True).stdout
        shown = subprocess.run([tool, "report", path], env=clean, check=True, capture_output=True, text=True).stdout
    return json.loads(told), shown, record


told, shown, record = report()
# The parts of a loop that thieves take are forked in skua's headers, and belong to the loop.
stolen = report(PROGRAM_SIZE="1000", SKUA_WORKERS="4", SKUA_SIMULATE="opteron-8380-4s")[0]
all_stolen = report(SKUA_WORKERS="16", SKUA_SIMULATE="opteron-8380-4s")[0]
# A record that is older than the program file: the program may have been rebuilt with other lines.
later = report(lambda record: record.update(when="2001-01-01 00:00:00"))[0]

sites = [site for site in told["work_span"]["sites"] if site["kind"] != "serial"]
if not any(site["line"] for site in sites):
    if not any("libdw" in library for library in subprocess.run(["ldd", tool], capture_output=True, text=True).stdout.split()):
        print("[  SKIPPED ] the tool was built without libdw")
        sys.exit(0)
name = os.path.basename(source)
by_kind = {}
for site in sites:
    assert site["address"].startswith(os.path.basename(program) + "+0x"), site
    by_kind.setdefault(site["kind"], set()).add(site["line"])
assert f"{name}:{line_of('join')}" in by_kind["join"], sites
wanted = {f"{name}:{line_of('loop')}", f"{name}:{line_of('pair')}"}
assert wanted <= by_kind["loop"], sites
begin = line_of("reduction")
assert by_kind["loop"] - wanted and by_kind["loop"] - wanted <= {f"{name}:{line}" for line in range(begin - 2, begin + 5)}, sites
assert all(line.startswith(name + ":") for kind in by_kind.values() for line in kind), sites
assert f"main at {name}:{line_of('loop')}" in shown, shown
in_stolen = {(site["kind"], site["line"]) for site in stolen["work_span"]["sites"]}
of_loops = [site for site in all_stolen["work_span"]["sites"] if site["kind"] == "loop"]
assert {f"{name}:{line_of('loop')}", f"{name}:{line_of('pair')}"} <= {site["line"] for site in of_loops}, of_loops
assert all(site["line"] and site["work_ns"] > 1e6 for site in of_loops), of_loops  # each has at least 99 positions of 20 us
assert in_stolen == {("serial", ""), ("loop", f"{name}:{line_of('step')}")}, stolen["work_span"]["sites"]
# Two calls in one line are one row to a reader.
rows = [(site["name"], site["line"], site["kind"]) for site in sites]
assert len(rows) == len(set(rows)), sites
raw = record["work_span"]["sites"]
if "unoptimised" not in program:  # there both calls have one return address, which lies in skua's header
    assert len(raw) > len(told["work_span"]["sites"]), (raw, sites)
for value in ("span_ns", "work_ns", "times", "calls", "positions"):
    told_sum = sum(site[value] for site in told["work_span"]["sites"])
    assert told_sum == sum(site[value] for site in raw), (value, raw, sites)
# Without optimisation, functions of the standard library and of skua's headers call the library. On a busy machine a task may
# meet no other one at a mutex, hence several runs.
ways = {f"{name}:{line_of(way)}" for way in ("guard", "unique_lock", "scoped_lock", "by hand")}
waited = set()
for run in range(30):
    of_locks = {lock["line"] for lock in told["locks"]}
    assert of_locks <= ways, told["locks"]
    waited |= of_locks
    if waited == ways:
        break
    told = report()[0]
assert waited == ways, waited
assert not any(site["line"] for site in later["work_span"]["sites"]), later
print(f"{len(sites)} call sites with their lines")
