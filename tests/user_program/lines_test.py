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
with tempfile.TemporaryDirectory() as folder:
    record = os.path.join(folder, "run.json")
    subprocess.run([program], env=clean | {"SKUA_REPORT": record, "SKUA_WORKERS": "2"}, check=True, stdout=subprocess.DEVNULL)
    told = subprocess.run([tool, "report", record, "--json"], env=clean, check=True, capture_output=True, text=True).stdout
    shown = subprocess.run([tool, "report", record], env=clean, check=True, capture_output=True, text=True).stdout
    # The same record, but older than the program file: the program may have been rebuilt with other lines.
    with open(record, encoding="utf-8") as file:
        old = json.load(file)
    old["when"] = "2001-01-01 00:00:00"
    with open(record, "w", encoding="utf-8") as file:
        json.dump(old, file)
    later = subprocess.run([tool, "report", record, "--json"], env=clean, check=True, capture_output=True, text=True).stdout

sites = [site for site in json.loads(told)["structure"]["sites"] if site["kind"] != "serial"]
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
wanted = {f"{name}:{line_of('loop')}"}
assert wanted <= by_kind["loop"], sites
begin = line_of("reduction")
assert by_kind["loop"] - wanted and by_kind["loop"] - wanted <= {f"{name}:{line}" for line in range(begin - 2, begin + 5)}, sites
assert all(line.startswith(name + ":") for kind in by_kind.values() for line in kind), sites
assert f"main at {name}:{line_of('loop')}" in shown, shown
if "locked()" in shown:  # a task waited; without optimisation, a function of skua's headers calls the library
    assert f"locked() at {name}:{line_of('lock')}" in shown, shown
assert not any(site["line"] for site in json.loads(later)["structure"]["sites"]), later
print(f"{len(sites)} call sites with their lines")
