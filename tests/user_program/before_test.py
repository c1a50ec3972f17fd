"""A report tells how long the process computed before its first call of skua, if that is much.

before_test.py PROGRAM TOOL"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

program, tool = sys.argv[1:]
clean = {name: value for name, value in os.environ.items() if not name.startswith(("SKUA_", "PROGRAM_"))}


def told(**environment):
    """The milliseconds that the report of a run tells, or None."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder, "run.json")
        subprocess.run([program], env=clean | environment | {"SKUA_REPORT": str(report), "SKUA_WORKERS": "2"}, check=True)
        text = subprocess.run([tool, "report", report], env=clean, check=True, capture_output=True, text=True).stdout
    found = re.search(r"the process had computed for (\d+) ms before", " ".join(text.split()))
    return found and int(found[1])


# About 10 and 200 ms in the loop.
before = told(PROGRAM_BEFORE="150", PROGRAM_SIZE="1000")
assert before is not None and 150 <= before < 250, before
assert told(PROGRAM_SIZE="20000") is None
print(f"{before} ms before the first call")
