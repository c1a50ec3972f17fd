"""A simulated run that measures the leaves of a program must not read a file at each leaf.

reads_test.py PROGRAM"""
import os
import pathlib
import subprocess
import sys
import tempfile

environment = {name: value for name, value in os.environ.items() if not name.startswith("SKUA_")}
environment |= {"SKUA_SIMULATE": "opteron-8380-4s", "SKUA_SIMULATE_LEVEL": "steps"}

with tempfile.TemporaryDirectory() as folder:
    recording = pathlib.Path(folder, "leaves")
    run = subprocess.Popen([sys.argv[1], "1"], env=environment | {"SKUA_SIMULATE_RECORD": str(recording)},
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.waitid(os.P_PID, run.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and its counts are still there
    try:
        counts = dict(line.split(": ") for line in pathlib.Path(f"/proc/{run.pid}/io").read_text().splitlines())
    except OSError as refused:
        counts = {}
        print(f"[  SKIPPED ] the kernel does not tell the reads of a process: {refused}")
    assert run.wait() == 0, run.returncode
    leaves = len(recording.read_text().splitlines())
if counts:
    reads = int(counts["syscr"])
    print(f"{reads} reads in a run of {leaves} leaves")
    # Reads for the clock are limited by time, and the libraries and the machine's file take some.
    assert leaves > 5000 and reads < leaves / 20, (reads, leaves)
