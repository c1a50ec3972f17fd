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
