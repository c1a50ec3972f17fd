#!/usr/bin/env python3
"""Checks the instruction counts of a fork, a loop iteration, a group task and per_worker, and of a join, a loop of two
iterations and a group task that `main` calls: fork_instructions.py BINARY

The tasks of a long group do not fit into a worker's queue, so each one moves to the backlog and back once. With another order
than lifo, a task of a long group must take at most 1.3 times the instructions of one of a short group.

A fork costs the same under all policies except chase_lev, whose forks are out of line.

The bounds are the counts of gcc 12 -O3 without -march when this test was written, plus 5 percent."""
import os, re, shutil, subprocess, sys, tempfile

BOUNDS = {"fork": 44.8, "loop": 17.1, "group": 87.9, "long_group": 130.0, "local": 15.8,
          "call_join": 376, "call_loop": 686, "call_group": 470}

MOST_GROWTH = 1.3

if not shutil.which("valgrind"):
    print("[  SKIPPED ] there is no valgrind here")
    sys.exit(0)

OTHERS = ["random", "most_loaded", "announced", "bitier", "depth_aware", "affinity", "managers", "deal_at_start",
          "auto"]


def count(what, policy="", order="lifo"):
    with tempfile.NamedTemporaryFile() as out:
        run = subprocess.run(["valgrind", "--tool=callgrind", "--toggle-collect=counted_part",
                              "--callgrind-out-file=" + out.name, sys.argv[1], what, order],
                             capture_output=True, text=True, timeout=600, env=os.environ | {"SKUA_POLICY": policy})
    collected = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode or not collected:
        sys.exit(f"callgrind failed on {what}:\n{run.stderr}")
    return int(collected[1]) / int(run.stdout)


failed = False
for what, bound in BOUNDS.items():
    each = count(what)
    # Between two calls the worker's own thread may look after it, more often if other programs delay the calls.
    for _ in range(4 if what.startswith("call_") and each > bound else 0):
        each = min(each, count(what))
    print(f"{what}: {each:.2f} instructions, allowed {bound}")
    failed |= each > bound
for policy in OTHERS:
    each = count("fork", policy)
    print(f"fork under {policy}: {each:.2f} instructions, allowed {BOUNDS['fork']}")
    failed |= each > BOUNDS["fork"]
for order in ("fifo", "priority"):
    short, long = count("group", order=order), count("long_group", order=order)
    print(f"group, {order}: {short:.0f} instructions, in a long one {long:.0f}, allowed {MOST_GROWTH} times")
    failed |= long > MOST_GROWTH * short
sys.exit(failed)
