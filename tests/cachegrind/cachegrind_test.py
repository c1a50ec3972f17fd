#!/usr/bin/env python3
"""Compares the model's cache misses on one worker with those that cachegrind counts: cachegrind_test.py BINARY

Both have a first cache of 32 KB and a last cache of 256 KB with LRU replacement. Cachegrind counts all loads and stores of
the real program. The model counts what the leaves declare. The misses of making the input are subtracted."""
import json, os, re, shutil, subprocess, sys, tempfile

ALLOWED = 0.10
LINE = 64
# Size in bytes, and number of ways. Each way has the size of a page, so the addresses of pages do not matter. Cachegrind
# uses virtual addresses; the model numbers the pages in the order of their first use.
FIRST, LAST = (32 * 1024, 8), (256 * 1024, 64)
RUNS = [("heat", ["n=512", "steps=6"]), ("gauss", ["n=256"]), ("mergesort", ["n=262144"])]
ROUNDS = "2"

MACHINE = {
    "name": "cachegrind", "title": "as cachegrind has it", "freq_ghz": 1, "sockets": 1, "cores_per_socket": 1, "smt": 1,
    "numa_nodes": 1, "synthetic": "package:1 [numa] l2:1 l1d:1 core:1 pu:1",
    "caches": [{"level": level, "size_kb": size // 1024, "line": LINE, "ways": ways, "latency_cycles": level,
                "shared_by_cores": 1, "policy": "independent"} for level, (size, ways) in ((1, FIRST), (2, LAST))],
    "line_transfer_cycles": {}, "memory": {"latency_cycles_by_hop": [10], "sustained_bytes_per_cycle": 64},
}


def call(command, **environment):
    return subprocess.run(command, capture_output=True, text=True, timeout=600, env=os.environ | environment)


def cachegrind(*arguments):
    """Misses of the first and the last cache."""
    geometry = ["--%s=%d,%d,%d" % (name, size, ways, LINE)
                for name, (size, ways) in (("I1", FIRST), ("D1", FIRST), ("LL", LAST))]
    run = call(["valgrind", "--tool=cachegrind", "--cache-sim=yes", "--cachegrind-out-file=/dev/null", *geometry,
                sys.argv[1], *arguments])
    found = [re.search(name + r" +misses: +([\d,]+)", run.stderr) for name in ("D1", "LLd")]
    if run.returncode or not all(found):
        sys.exit("cachegrind failed:\n" + run.stderr)
    return [int(one[1].replace(",", "")) for one in found]


def simulated(machine, *arguments):
    run = call([sys.argv[1], *arguments], SKUA_SIMULATE=machine, SKUA_SIMULATE_LEVEL="caches",
               SKUA_SIMULATE_COSTS="declared")
    if run.returncode:
        sys.exit("the simulation failed:\n" + run.stderr)
    return [int(line) for line in run.stdout.split()]


def main():
    if not shutil.which("valgrind"):
        print("[  SKIPPED ] there is no valgrind here")
        return 0
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        machine = os.path.join(folder, "cachegrind.json")
        with open(machine, "w", encoding="utf-8") as file:
            json.dump(MACHINE, file)
        for name, options in RUNS:
            both, input_only = (cachegrind(what, ROUNDS, name, *options) for what in ("run", "prepare"))
            model = simulated(machine, "run", ROUNDS, name, *options)
            for cache, of_both, of_input, ours in zip(("first", "last"), both, input_only, model):
                theirs = of_both - of_input
                error = ours / theirs - 1
                bad = abs(error) > ALLOWED
                failed |= bad
                print(f"{name:10} {cache:5} cache: cachegrind {theirs:9}, simulated {ours:9}, {error:+.1%}"
                      + ("  TOO FAR" if bad else ""))
    return failed


sys.exit(main())
