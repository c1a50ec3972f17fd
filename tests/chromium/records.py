"""Made-up records of runs, in the format of src/observe/run_record.cpp, for the tests of the page.

    python3 records.py KIND FILE      writes one record: small, other, simulated, many, serial, bare, hostile

They are as large and as uneven as real records, and are always the same.
"""
import json
import math
import random
import sys

ACTIVITIES = ["user", "spawning", "own queue", "looking", "claiming", "taking", "waiting", "suspending", "resuming",
          "asleep"]
HOSTILE = "</script><script>window.broken = 1</script>\"'><img src=x onerror=\"window.broken = 1\">&amp;\u2028{{data}}"


def distribution(middle, spread, number, dice):
    """A distribution of `number` values around 2**middle."""
    counts, total, values = [0] * 48, 0, []
    for _ in range(min(number, 2000)):
        value = max(1, int(2 ** dice.gauss(middle, spread)))
        values.append(value)
        counts[min(47, value.bit_length())] += 1
    scale = number / max(1, len(values))
    counts = [round(one * scale) for one in counts]
    while counts and counts[-1] == 0:
        counts.pop()
    total = sum(counts)
    return {"counts": counts, "number": total, "sum": int(sum(values) * scale), "min": min(values, default=0),
            "max": max(values, default=0)}


def share_of(worker, workers, moment, dice):
    """Shares of an interval by activity: a worker begins without work, then computes, and ends early or late."""
    busy = 0.93 - 0.05 * dice.random()
    if moment < 0.05:
        busy = 0.2 + 0.5 * dice.random()
    if moment > 0.82 + 0.17 * (worker % 7) / 7:
        busy = 0.04
    rest = 1 - busy
    idle = 0.0 if moment < 0.85 else 0.7 * rest
    parts = [0.10, 0.08, 0.22, 0.16, 0.05, 0.30, 0.05, 0.04]
    return [busy] + [part * (rest - idle) for part in parts] + [idle]


def timeline(workers, intervals, interval_ns, dice):
    return {"interval_ns": interval_ns, "workers": [
        [{name: int(share * interval_ns) for name, share in
          zip(ACTIVITIES, share_of(worker, workers, i / intervals, dice)) if share > 0}
         for i in range(intervals)] for worker in range(workers)]}


def pairs(workers, domain_of, every, dice):
    """Workers of one domain steal more from each other. Only one in `every` of the other pairs has an entry."""
    met = []
    for thief in range(workers):
        for victim in range(workers):
            near = domain_of(thief) == domain_of(victim)
            if thief == victim or not near and dice.randrange(every):
                continue
            steals = dice.randrange(40, 160) if near else dice.randrange(0, 9)
            met.append({"thief": thief, "victim": victim, "steals": steals, "misses": dice.randrange(0, 60),
                        "looks": dice.randrange(100, 400), "bytes": steals * 4096, "distance": 0 if near else 1})
    return met


def counters(thief, met, domain_of, asleep_ns):
    mine = [pair for pair in met if pair["thief"] == thief]
    near = sum(pair["steals"] for pair in mine if domain_of(pair["victim"]) == domain_of(thief))
    steals, misses = sum(pair["steals"] for pair in mine), sum(pair["misses"] for pair in mine)
    return {"forks": 120000 + 321 * thief, "group_tasks": 12, "own_tasks": 340 + thief, "attempts": steals + misses,
            "steals": steals, "steal_misses": misses, "remote_attempts": steals - near, "remote_steals": steals - near,
            "suspensions": 20 + thief, "stacks": 3, "sleeps": 5, "asleep_ns": asleep_ns,
            "steals_by_distance": [near, steals - near]}


# Demangled names: long words in which no line can break.
NAMES = ["workloads::detail::blocked_multiplication_of_matrices<std::experimental::parallelism_v2::simd<float>>::operator()",
         "sort_part(double*, long) [clone .isra.0]",
         "workloads::(anonymous namespace)::heat_step::rows(unsigned long, unsigned long, std::vector<double, std::allocator<double> >&)"]


def work_span(work_ns, span_ns):
    sites = [{"name": f"{NAMES[i % 3]} [clone .{i}]", "kind": ["join", "loop", "group"][i % 3],
              "span_ns": int(span_ns * 0.5 ** (i + 1)), "work_ns": int(work_ns * 0.5 ** (i + 1)), "times": 1000 * (i + 1)}
             for i in range(10)]
    return {"work_ns": work_ns, "span_ns": span_ns, "burdened_span_ns": int(span_ns * 1.6), "burden_ns": 2500,
            "forks": 960000, "loops": 12, "group_tasks": 96, "exact": False, "grain_ns": 1000, "sites": sites}


def machine(workers, domains, packages, simulated):
    tree = [f"machine: {packages} packages, {domains} domains (L3), {workers} cores"]
    for domain in range(domains):
        tree += [f"  domain {domain} (L3 32 MB)"] + [f"    core {w}, CPU {w}: worker {w}" for w in range(workers)
                                                    if w * domains // workers == domain]
    return {"source": "made-up-machine" if simulated else "this machine", "simulated": simulated,
            "level": "bandwidth" if simulated else "", "domain_kind": "L3", "packages": packages, "domains": domains,
            "cores": workers, "pus": workers, "tree": "\n".join(tree) + "\n",
            "distance_names": ["same domain", "same machine"]}


def hardware(workers, dice):
    def event(name, each):
        return {"event": name, "workers": [{kind: int(each * (1 if kind == "user" else 0.02) * (1 + dice.random() / 5))
                                            for kind in ACTIVITIES} for _ in range(workers)]}
    return [event("cycles", 3.1e9), event("instructions", 5.2e9), event("last-level misses", 4.1e6)]


def simulated_part(domains):
    return {"cycles": 3_120_000_000, "times": {"computing": 20_000_000_000, "data": 3_000_000_000, "sharing": 900_000_000,
                                               "spinning": 400_000_000, "asleep": 100_000_000},
            "caches": [{"level": level, "hits": 10 ** (10 - level), "demand_misses": 10 ** (8 - level), "prefetches": 5000,
                        "evictions": 4000, "write_backs": 900} for level in (1, 2, 3)],
            "nodes": [{"bytes_read": 4_000_000_000 + node * 10 ** 8, "bytes_written": 10 ** 9, "waiting_cycles": 12345678,
                       "bytes_read_remotely": 10 ** 9} for node in range(domains)],
            "transfers": [{"distance": "same domain", "words": 120000, "data": 4000},
                          {"distance": "same machine", "words": 9000, "data": 70000}]}


def record(workers=8, domains=2, packages=1, simulated=False, intervals=200, every=2, seed=1, slower=1.0):
    dice = random.Random(seed)
    interval_ns = int(5_000_000 * slower)
    domain_of = lambda worker: worker * domains // workers
    drawn, met = timeline(workers, intervals, interval_ns, dice), pairs(workers, domain_of, every, dice)
    times = [{name: sum(moment.get(name, 0) for moment in drawn["workers"][w]) for name in ACTIVITIES}
             for w in range(workers)]
    by_thief = {w: [pair for pair in met if pair["thief"] == w] for w in range(workers)}
    kernel = None if simulated else {"on_cpu_ns": 960_000_000, "waiting_ns": 30_000_000, "blocked_ns": 1_000_000,
                                     "preemptions": 17}
    work = sum(one["user"] for one in times)
    seconds = interval_ns * intervals / 1e9
    return {
        "format": "skua report 1", "program": "./build/release/examples/programs/sort_doubles_by_parallel_merges_of_their_halves --size 100000000", "when": "2026-01-31 23:59:59",
        "policy": "nearest", "seed": seed, "machine": machine(workers, domains, packages, simulated),
        "seconds": seconds * 1.1, "inside_seconds": seconds,
        "process_cpu_seconds": 0 if simulated else seconds * workers * 0.9, "other_cpu_seconds": 0,
        "workers": [{"seat": {"cpu": w, "domain": domain_of(w), "package": w * packages // workers}, "times": times[w],
                     "counts": counters(w, by_thief[w], domain_of, times[w]["asleep"]), "kernel": kernel}
                    for w in range(workers)],
        "pairs": met, "bytes_stolen": sum(pair["bytes"] for pair in met),
        "steal_latency": distribution(11, 1.6, 5000, dice), "steal_duration": distribution(9, 1, 5000, dice),
        "search_time": distribution(12, 2, 7000, dice), "task_size": distribution(17, 3, 5000, dice),
        "timeline": drawn, "work_span": work_span(work, work // (workers * 3)),
        "hardware": [] if simulated else hardware(workers, dice),
        "simulated": simulated_part(domains) if simulated else None,
        "baseline": None if simulated else {"seconds": seconds * workers * 0.8, "parallel_seconds": seconds},
        "curve": [{"workers": 2 ** i, "seconds": seconds * workers * 0.8 / 2 ** i * 1.06 ** i}
                  for i in range(int(math.log2(workers)) + 1)],
        "notes": ["Forks are counted, and 1.4 ns each are taken for them: a clock at each would cost more than the fork."]}


def small():
    return record()


def other():
    return record(seed=2, slower=1.3, every=4) | {"policy": "random"}


def simulated():
    """Its span allows a speedup of 6 for any number of workers. Its baseline ran on one worker. It has no other runs."""
    full = record(workers=24, domains=4, packages=4, simulated=True, seed=3, slower=0.9876)
    work = full["work_span"]["work_ns"]
    seconds = full["inside_seconds"]
    return full | {"work_span": work_span(work, work // 6), "curve": [],
                   "baseline": {"seconds": 4 * seconds, "parallel_seconds": seconds}}


def many():
    """256 workers; each has stolen from all others."""
    return record(workers=256, domains=32, packages=4, simulated=True, every=1, seed=4)


def serial():
    """One worker computes and the others wait, so the verdict names the code on the span."""
    full = record(seed=6)
    for worker in full["workers"][1:]:
        times = worker["times"]
        times["waiting"] += times["user"] * 9 // 10
        times["user"] -= times["user"] * 9 // 10
    work = sum(worker["times"]["user"] for worker in full["workers"])
    return full | {"work_span": work_span(work, work * 3 // 4), "baseline": None, "curve": [], "seconds": full["inside_seconds"],
                   "notes": [f"{NAMES[0]} has no symbol: {full['program']}"]}


def bare():
    """A record without all optional parts."""
    full = record(workers=2, domains=1)
    full |= {"work_span": None, "hardware": [], "baseline": None, "curve": [], "pairs": [], "timeline": {"interval_ns": 0, "workers": []},
             "notes": ["No hardware counts: the kernel refuses perf_event_open here."]}
    for name in ("steal_latency", "steal_duration", "search_time", "task_size"):
        full[name] = {"counts": [], "number": 0, "sum": 0, "min": 0, "max": 0}
    return full


def hostile():
    full = simulated()
    full |= {"program": HOSTILE, "policy": HOSTILE, "when": HOSTILE, "notes": [HOSTILE]}
    for key in ("source", "level", "domain_kind", "tree"):
        full["machine"][key] = HOSTILE
    full["machine"]["distance_names"] = [HOSTILE, HOSTILE]
    for site in full["work_span"]["sites"]:
        site["name"] = site["kind"] = HOSTILE
    full["simulated"]["transfers"][0]["distance"] = HOSTILE
    full["hardware"] = [one | {"event": HOSTILE} for one in hardware(24, random.Random(5))]
    return full


KINDS = {one.__name__: one for one in (small, other, simulated, many, serial, bare, hostile)}

if __name__ == "__main__":
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        json.dump(KINDS[sys.argv[1]](), file)
