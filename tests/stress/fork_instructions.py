#!/usr/bin/env python3
"""Guards the instructions of a fork, of a loop's iteration and of a group's task: fork_instructions.py BINARY

The bounds are what gcc 12 -O3 without -march needed when they were written, and 5 percent."""
import re, shutil, subprocess, sys, tempfile

BOUNDS = {"fork": 44.8, "loop": 17.1, "group": 87.9}

if not shutil.which("valgrind"):
    print("[  SKIPPED ] there is no valgrind here")
    sys.exit(0)

failed = False
for what, bound in BOUNDS.items():
    with tempfile.NamedTemporaryFile() as out:
        run = subprocess.run(["valgrind", "--tool=callgrind", "--toggle-collect=counted_part",
                              "--callgrind-out-file=" + out.name, sys.argv[1], what],
                             capture_output=True, text=True, timeout=120)
    collected = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode or not collected:
        sys.exit(f"callgrind failed on {what}:\n{run.stderr}")
    each = int(collected[1]) / int(run.stdout)
    print(f"{what}: {each:.2f} instructions, allowed {bound}")
    failed |= each > bound
sys.exit(failed)
