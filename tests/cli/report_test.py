"""`skua report` on the terminal: real and simulated records, two records, JSON, and refusals."""
import json
import os
import tempfile

from tool import ToolTest, main


class Report(ToolTest):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def file(self, name, text=None):
        path = os.path.join(self.folder.name, name)
        if text is not None:
            with open(path, "w", encoding="utf-8") as out:
                out.write(text)
        return path

    def record(self, name, *arguments):
        path = self.file(name)
        self.succeed("run", *arguments, "--report", path)
        return path

    def changed(self, name, record, **members):
        with open(record, encoding="utf-8") as read:
            return self.file(name, json.dumps(json.load(read) | members))

    def without(self, member, record):
        with open(record, encoding="utf-8") as read:
            kept = json.load(read)
        del kept[member]
        return self.file(f"without-{member}.json", json.dumps(kept))

    def simulated(self):
        return self.record("simulated.json", "heat", "--simulate", "opteron-8380-4s", "--workers", "8")

    def test_help(self):
        out = self.succeed("report", "--help")
        self.assertRegex(out, r"Examples?:\n  skua ")
        for option in ("--json", "--workers", "--baseline", "--output"):
            self.assertIn(option, out)

    def test_text(self):
        out = self.succeed("report", self.simulated())
        for part in ("8 workers", "opteron-8380-4s", "speedup", "efficiency", "Time of all workers", "own queue", "Steals",
                     "same domain", "Simulated machine", "lines between caches", "\n  7 on CPU "):
            self.assertIn(part, out)
        self.assertRegex(out, r"(limits? the run|fewer CPUs)")
        self.assertLessEqual(max(map(len, out.splitlines())), 100)

    def test_real_machine(self):
        out = self.succeed("report", self.record("real.json", "mergesort", "--workers", "2", "--repeat", "3"))
        for part in ("2 workers", "over one worker, measured", "inflation", "user"):
            self.assertIn(part, out)

    def test_json(self):
        told = json.loads(self.succeed("report", self.simulated(), "--json"))
        self.assertIn(told["verdict"]["limit"], ("nothing", "too little parallelism", "too small tasks", "remote steals",
                                                 "memory bandwidth", "load imbalance", "sleeping", "other programs"))
        self.assertTrue(told["verdict"]["sentence"].endswith("."))
        self.assertIsInstance(told["verdict"]["evidence"], list)
        self.assertEqual(told["summary"]["workers"], 8)
        self.assertAlmostEqual(sum(told["summary"]["share"].values()), 1, places=6)
        self.assertAlmostEqual(sum(told["account"].values()), 1, places=6)
        self.assertIs(told["machine"]["simulated"], True)

    def test_json_has_the_record_s_numbers(self):
        file = self.simulated()
        told = json.loads(self.succeed("report", file, "--json"))
        with open(file, encoding="utf-8") as read:
            record = json.load(read)
        for part in ("workers", "pairs", "hardware", "simulated", "baseline", "curve", "bytes_stolen", "seed"):
            self.assertEqual(told[part], record[part], part)
        self.assertGreater(len(told["pairs"]), 0)
        self.assertGreater(told["bytes_stolen"], 0)
        for level, row in enumerate(told["distances"]):
            pairs = [pair for pair in told["pairs"] if pair["distance"] == level]
            self.assertEqual(row["distance"], record["machine"]["distance_names"][level])
            self.assertEqual((row["steals"], row["bytes"]),
                             (sum(pair["steals"] for pair in pairs), sum(pair["bytes"] for pair in pairs)))

    def test_two(self):
        one = self.simulated()
        other = self.changed("other.json", one, program="./another")
        out = self.succeed("report", one, other)
        for part in ("./another", "B / A", "1.00", "time in the scheduler", "share of time: user"):
            self.assertIn(part, out)
        self.assertLessEqual(max(map(len, out.splitlines())), 100)
        both = json.loads(self.succeed("report", one, other, "--json"))
        self.assertEqual([one["program"] for one in both][1], "./another")

    def test_workers(self):
        record = self.record("many.json", "fib", "--simulate", "xeon-x5650-2s-westmere", "--workers", "20")
        self.assertNotIn("\n  19 on CPU", self.succeed("report", record))
        self.assertIn("\n  19 on CPU", self.succeed("report", record, "--workers"))

    def test_baseline(self):
        several = self.changed("several.json", self.simulated(), baseline=None, inside_seconds=0.5, seconds=0.5)
        one = self.changed("one.json", self.record("one_worker.json", "heat", "--simulate", "opteron-8380-4s", "--workers", "1"),
                           inside_seconds=2.0)
        summary = json.loads(self.succeed("report", several, "--baseline", one, "--json"))["summary"]
        self.assertEqual((summary["speedup"], summary["speedup_measured"]), (4, True))
        self.refuse("report", one, "--baseline", several, naming=["--baseline", "8 workers", "allowed"])

    def test_a_baseline_of_another_input_is_refused(self):
        several = self.changed("several.json", self.simulated(), baseline=None, program="./solve 1000 in.txt 8")
        with open(several, encoding="utf-8") as read:
            worker = json.load(read)["workers"][0]

        def one(program, **more):
            counts = worker["counts"] | more
            return self.changed("one.json", several, program=program, workers=[worker | {"counts": counts}], pairs=[],
                                timeline={"interval_ns": 0, "workers": []}, hardware=[])
        alike = {"group_tasks": 10_000}
        many = self.changed("many.json", several, workers=[worker | {"counts": worker["counts"] | alike}] * 8)
        self.succeed("report", many, "--baseline", one("./solve 1000 other.txt 1", **alike))  # they may differ
        self.refuse("report", many, "--baseline", one("./solve 10 in.txt 1", **alike),
                    naming=["--baseline", "./solve 10 in.txt 1", "argument 10", "allowed", "./solve 1000 in.txt 8"])
        self.refuse("report", many, "--baseline", one("./solve 1000 in.txt 1", group_tasks=100, forks=0),
                    naming=["--baseline", "different number of tasks", "allowed", "same input"])

    def made(self, name, workers, seconds=1.0, sites=(), waited_s=0, **counts):
        """A record of so many workers, which differs from a real one in what is given here."""
        record = self.simulated()
        with open(record, encoding="utf-8") as read:
            run = json.load(read)
        worker, work_span = run["workers"][0], run["work_span"]
        site = work_span["sites"][0] | {"kind": "loop"}
        loops = [site | {"times": one["calls"], "address": f"solve+{i}"} | one for i, one in enumerate(sites)]
        one = worker | {"counts": worker["counts"] | {"forks": 0, "group_tasks": 0} | counts,
                        "times": {"user": int(seconds * 1e9)},
                        "kernel": {"on_cpu_ns": 0, "waiting_ns": int(waited_s * 1e9), "blocked_ns": 0, "preemptions": 0}}
        return self.changed(name, record, workers=[one] * workers, pairs=[], hardware=[], seconds=seconds, inside_seconds=seconds,
                            timeline={"interval_ns": 0, "workers": []}, baseline=None, simulated=None,
                            machine=run["machine"] | {"simulated": False},
                            work_span=work_span | {"loops": len(loops), "sites": loops})

    def accept(self, several, one):
        """Returns the notes on the baseline."""
        told = json.loads(self.succeed("report", several, "--baseline", one, "--json"))
        return [note for note in told["notes"] if "baseline" in note]

    def test_loops_with_other_positions_are_another_input(self):
        def loop(calls, low, high=None, **more):
            high = low if high is None else high
            return {"calls": calls, "positions": calls * (low + high) // 2, "min_positions": low, "max_positions": high} | more

        other_input = "unless that depends on chance or on the number of workers, the baseline is of another input"
        for here, there, expected in (
                (loop(1, 10_000), loop(1, 10_000), None),
                (loop(1, 10_000), loop(1, 10_400), None),
                (loop(1, 10_000), loop(1, 11_000), "had 10000 positions a call of the loop in"),
                (loop(1, 10_000), loop(1, 5000), "had 10000 positions a call of the loop in"),
                (loop(1, 20), loop(1, 80), 1),  # perhaps blocks for each worker
                (loop(9, 1000, 5000), loop(9, 1000, 6000), 1),  # sizes that depend on results
                (loop(9, 1000, 5000), loop(9, 1000, 16_000), "had 3000 positions a call of the loop in"),
                (loop(100, 1000), loop(103, 1000), None),
                (loop(100, 1000), loop(130, 1000), 1),  # until something has converged
                (loop(100, 1000), loop(210, 1000), "had 100 calls of the loop in"),
                (loop(1, 1000), loop(4, 1000), 1),  # perhaps once for each worker
                (loop(100, 1000), loop(400, 1000), "had 100 calls of the loop in"),
                (loop(9, 1000, times=900), loop(9, 3000), 1),  # most calls were not counted
                (loop(9, 1000), loop(9, 3000, address="solve+x"), None),  # built anew
                (loop(9, 1000), loop(9, 3000, name="skua::core::run_as_last(int)"), None)):  # of several loops of the program
            with self.subTest(here=here, there=there):
                one, several = self.made("one.json", 1, sites=[here]), self.made("several.json", 4, seconds=0.4, sites=[there])
                if isinstance(expected, str):
                    self.refuse("report", several, "--baseline", one,
                                naming=["--baseline", expected, "solve+0", "allowed: ", "with the same input"])
                else:
                    notes = self.accept(several, one)
                    self.assertEqual(len(notes), expected or 0, notes)
                    self.assertTrue(all(other_input in note for note in notes), notes)

    def test_other_numbers_of_tasks_are_noted(self):
        one = self.made("one.json", 1, group_tasks=100_000)
        self.assertEqual(self.accept(self.made("several.json", 4, seconds=0.4, group_tasks=25_000), one), [])
        [note] = self.accept(self.made("several.json", 4, seconds=0.4, group_tasks=40_000), one)
        self.assertIn("the baseline made 100000 tasks and this run 160000", note)

    def test_longer_leaves_are_noted_where_they_show(self):
        """As many tasks and positions, but more in each: in the bytes that they declare or the instructions that were counted."""
        def made(name, workers, bytes_declared=0, instructions=0, notes=()):
            counted = {"event": "instructions", "workers": [{"user": instructions // workers}] * workers}
            return self.changed(name, self.made(name, workers, seconds=1 / workers), bytes_declared=bytes_declared,
                                hardware=[counted] if instructions else [], notes=list(notes))
        for value, few, many, words in (("bytes_declared", 10**8, 10**9, "the tasks of the baseline declared 100 MB, and those of this run 1.0 GB"),
                                        ("instructions", 10**9, 4 * 10**9, "the tasks of the baseline executed 1 000 000 000 instructions, and those of this run 4 000 000 000")):
            one = made("one.json", 1, **{value: few})
            self.assertEqual(self.accept(made("several.json", 4, **{value: few + few // 4}), one), [])
            [note] = self.accept(made("several.json", 4, **{value: many}), one)
            self.assertIn(words, note)
            self.assertIn("the baseline is of another input", note)
        one = made("one.json", 1, instructions=10**9)
        turns = self.changed("several.json", made("several.json", 4, instructions=4 * 10**9), counters_took_turns=True)
        self.assertEqual(self.accept(turns, one), [])
        some = ["hardware counters: the processor has too few, so they took turns and counted 50% of the time; the report shows the counts of that time"]
        old = self.without("counters_took_turns", made("several.json", 4, instructions=4 * 10**9, notes=some))
        self.assertEqual(self.accept(old, one), [], "records that were written before this field only have a note")

    def test_impossible_speedups_are_another_input(self):
        one = self.made("one.json", 1)
        self.assertEqual(self.accept(self.made("several.json", 4, seconds=0.22), one), [])
        self.assertEqual(self.accept(self.made("several.json", 4, seconds=75), one), [])
        [note] = self.accept(self.made("several.json", 4, seconds=0.19), one)  # more caches, or a disturbed run
        self.assertIn("the baseline took 1.0 s in skua, 5.3 times as long as the run on 4 workers", note)
        self.accept(self.made("several.json", 4, seconds=0.126), one)
        self.refuse("report", self.made("several.json", 4, seconds=0.12), "--baseline", one,
                    naming=["took 1.0 s in skua, 8.3 times as long as the run on 4 workers", "same input"])
        self.refuse("report", self.made("several.json", 4, seconds=85), "--baseline", one, naming=["took 1.0 s in skua, and the run on 4 workers 85 times as long", "same input"])
        self.accept(self.made("several.json", 4, seconds=85, waited_s=60), one)  # other programs had the CPUs
        self.accept(self.made("several.json", 4, seconds=0.009), self.made("one.json", 1, seconds=0.0001))  # the workers begin

    def test_parts_of_loops_are_no_other_input(self):
        """With two workers, parts of a loop fork thousands of times, most of them without a thief. One worker runs it as a whole."""
        record = self.simulated()
        with open(record, encoding="utf-8") as read:
            run = json.load(read)
        worker, work_span = run["workers"][0], run["work_span"]

        def made(name, workers, loops, forks):
            counts = worker["counts"] | {"forks": forks, "group_tasks": 0, "steals": 3 * (workers - 1)}
            site = work_span["sites"][0] | {"kind": "loop", "times": loops, "inside": forks // 4}
            return self.changed(name, record, workers=[worker | {"counts": counts}] * workers, pairs=[], hardware=[],
                                timeline={"interval_ns": 0, "workers": []}, baseline=None,
                                work_span=work_span | {"forks": forks // 2, "loops": forks - forks // 2, "sites": [site]})
        self.succeed("report", made("two.json", 2, 1, 5000), "--baseline", made("one.json", 1, 1, 1))
        self.refuse("report", made("two.json", 2, 6000, 20_000), "--baseline", made("one.json", 1, 600, 600),
                    naming=["different number of tasks"])

    def test_bad_files(self):
        self.refuse("report", self.file("none.json"), naming=["none.json", "cannot be read", "allowed"])
        self.refuse("report", self.folder.name, naming=["cannot be read"])
        for name, text, why in (("text.json", "hello", "not JSON"), ("empty.json", "", "not JSON"),
                                ("list.json", "[1]", "format"), ("other_format.json", '{"format": "skua report 99"}', "99"),
                                ("no_workers.json", '{"format": "skua report 1", "workers": []}', "no workers"),
                                ("wrong.json", '{"format": "skua report 1", "workers": 7}', "not a report")):
            self.refuse("report", self.file(name, text), naming=[name, why, "allowed"])
        good = self.simulated()
        self.refuse("report", self.changed("negative.json", good, seconds=-1), naming=["negative.json", "its seconds is -1", "allowed"])
        self.refuse("report", self.changed("words.json", good, pairs=[{"thief": "0"}]),
                    naming=["words.json", "its pairs[0].thief is a text", "allowed"])
        self.refuse("report", good, self.file("text.json", "hello"), naming=["text.json"])
        self.refuse("report", naming=["RUN"])
        self.refuse("report", good, "--jsn", naming=["--jsn", "nearest: --json"])


main()
