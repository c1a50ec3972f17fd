"""`skua scale`: its runs, results and drawings; and `skua run --times`."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

import tool
from tool import ToolTest, main

ACTIVITIES = ["user", "spawning", "own queue", "looking", "claiming", "taking", "waiting", "suspending", "resuming",
         "asleep"]
LIBRARY = ACTIVITIES[1:-1]
SIMULATED = ("--simulate", "opteron-8380-4s", "--level", "lines")


class Scale(ToolTest):
    def scale_json(self, *arguments):
        return json.loads(self.succeed("scale", *arguments, "--json"))

    def workers_of(self, *arguments):
        [curve] = self.scale_json("fib", "n=10", *SIMULATED, *arguments)["curves"]
        return [point["workers"] for point in curve["points"]]

    def test_numbers_of_workers(self):
        self.assertEqual(self.workers_of("--workers", "1..4"), [1, 2, 3, 4])
        self.assertEqual(self.workers_of("--workers", "8,2,1,2"), [1, 2, 8])
        self.assertEqual(self.workers_of("--workers", "1..8:3"), [1, 4, 7, 8])
        self.assertEqual(self.workers_of("--workers", "2..3,N"), [1, 2, 3, 16])
        self.assertEqual(self.workers_of(), [1, 2, 4, 8, 16])

    def test_refuses_invalid_lists(self):
        numbers = {"0": "1", "4097": "4096", "3x": "3", "1.5": "1"}
        lists = dict.fromkeys(("8..1", "1..", "1,,2", "1..8:0", "1;2"), "1..16")
        for wrong, nearest in (numbers | lists).items():
            with self.subTest(wrong=wrong):
                self.refuse("scale", "fib", *SIMULATED, "--workers", wrong,
                            naming=[f"'{wrong}'", "1..8", f"1..24:4; nearest: {nearest}\n"])
        for wrong in ("1G", "64k", "1..8G", "1,2k", "0x10", "a", "many"):
            with self.subTest(wrong=wrong):
                self.refuse("scale", "fib", *SIMULATED, "--workers", wrong, naming=[f"'{wrong}'", "1..8", "1..24:4\n"])

    def test_a_point_is_what_skua_run_says(self):
        """On a simulated machine, where all runs are the same."""
        of = ("queens", "n=8", *SIMULATED, "--seed", "3")
        [curve] = self.scale_json(*of, "--workers", "1,4", "--policies", "random")["curves"]
        one, four = curve["points"]
        run = json.loads(self.succeed("run", *of, "--workers", "4", "--policy", "random", "--times", "--json"))
        self.assertEqual(four["seconds"], run["seconds"])
        self.assertEqual(four["ns"], run["times"]["ns"])
        self.assertEqual(list(four["ns"]), ACTIVITIES)
        self.assertEqual((one["speedup"], one["efficiency"], one["work_inflation"]), (1, 1, 1))
        self.assertAlmostEqual(four["speedup"], one["seconds"] / four["seconds"])
        self.assertAlmostEqual(four["efficiency"], four["speedup"] / 4)
        self.assertAlmostEqual(four["work_inflation"], four["ns"]["user"] / one["ns"]["user"])

    # `skua run` serves as the program here, because it uses skua too.
    def test_any_program(self):
        options = (*SIMULATED, "--workers", "1,4", "--policies", "random, nearest", "--json")
        arguments = ("--", "run", "queens", "n=7", "--repeat", "2")
        told = json.loads(self.succeed("scale", tool.TOOL, *options, *arguments))
        self.assertEqual(told["program"], " ".join((tool.TOOL, *arguments[1:])))
        self.assertTrue(told["simulated"])
        self.assertEqual([curve["policy"] for curve in told["curves"]], ["random", "nearest"])
        for curve in told["curves"]:
            self.assertEqual([point["workers"] for point in curve["points"]], [1, 4])
            one, four = curve["points"]
            self.assertEqual(len(four["seconds_of_runs"]), 1)
            self.assertAlmostEqual(sum(four["ns"].values()) / (4e9 * four["seconds"]), 1, delta=0.02)
            self.assertAlmostEqual(four["speedup"], one["seconds"] / four["seconds"])

    def test_runs_of_a_program_that_waited_for_cpus(self):
        """The program leaves a record whose workers waited for CPUs, as beside other programs."""
        with tempfile.TemporaryDirectory() as folder:
            program = tool.program_that_waits(folder)
            options = ("--workers", "1", "--policies", "random", "--repeat", "3")
            for share, disturbed in ((0.05, 0), (0.4, 3)):
                program.waits(share)
                told = self.scale_json(program.path, *options)
                self.assertEqual(told["disturbed_runs"], disturbed)
                for of_run in told["curves"][0]["points"][0]["waiting_for_cpu_of_runs"]:
                    self.assertAlmostEqual(of_run, share, delta=0.01)
                text = self.succeed("scale", program.path, *options)
                self.assertEqual("Noise: in 3 of 3 runs the workers waited for CPUs" in text, disturbed > 0, text)
                noise = text.partition("Noise: ")[2]
                self.assertLessEqual(max(map(len, ("Noise: " + noise).splitlines())), 100, noise)
                self.assertEqual("These times are too long, and vary." in " ".join(noise.split()), disturbed > 0, noise)

    def test_runs_of_a_workload_beside_other_programs(self):
        """Two busy loops for each CPU leave the worker less than half of one. The kernel may favour a thread for some tenths of
        a second, so not each run must be disturbed."""
        loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2 * len(os.sched_getaffinity(0)))]
        try:
            told = self.scale_json("fib", "n=39", "--workers", "1", "--repeat", "3")
        finally:
            for loop in loops:
                loop.kill()
                loop.wait()
        shares = told["curves"][0]["points"][0]["waiting_for_cpu_of_runs"]
        if not pathlib.Path("/proc/self/schedstat").exists():
            self.skipTest("this kernel does not say how long a thread waited")
        self.assertTrue(all(0 <= share <= 1 for share in shares), shares)
        self.assertEqual(told["disturbed_runs"], sum(share > 0.1 for share in shares), shares)
        self.assertGreater(told["disturbed_runs"], 0, shares)

    def test_a_program_leaves_its_report(self):
        with tempfile.TemporaryDirectory() as folder:
            file = f"{folder}/run.json"
            self.succeed("scale", tool.TOOL, *SIMULATED, "--workers", "1,4", "--report", file, "--", "run", "queens", "n=7")
            with open(file, encoding="utf-8") as report:
                record = json.load(report)
        self.assertEqual(len(record["workers"]), 4)
        self.assertEqual([point["workers"] for point in record["curve"]], [1, 4])

    def test_refuses_invalid_programs(self):
        self.refuse("scale", "./none", naming=["'./none'", "cannot be run", "allowed"])
        self.refuse("scale", tool.TOOL, "--size", "med", naming=["--size", tool.TOOL, "allowed"])
        for options in ((), SIMULATED):
            self.refuse("scale", "/bin/true", "--workers", "1,2", *options,
                        naming=["program '/bin/true' left no report, so it does not use skua", "allowed"])
        self.refuse("scale", "/bin", naming=["'/bin'", "cannot be run"])
        code, out, err = tool.skua("scale", tool.TOOL, "--workers", "1", "--", "run", "none")
        self.assertEqual(code, 1)
        self.assertIn("exited with code 2", err)

    def test_shares_add_up_and_are_of_all_workers(self):
        [curve] = self.scale_json("strassen", "times=1", "n=128", *SIMULATED, "--workers", "1,8",
                                  "--policies", "random")["curves"]
        for point in curve["points"]:
            self.assertAlmostEqual(sum(point["shares"].values()), 1)
            self.assertAlmostEqual(point["user"] + point["library"] + point["asleep"], 1)
            self.assertAlmostEqual(point["library"], sum(point["shares"][name] for name in LIBRARY))
            of_all = point["workers"] * point["seconds"] * 1e9
            self.assertAlmostEqual(sum(point["ns"].values()) / of_all, 1, delta=0.02)
            work = curve["points"][0]["ns"]["user"]
            for name in ACTIVITIES:
                self.assertAlmostEqual(point["over_work_of_one"][name], point["ns"][name] / work)
        ns = curve["points"][1]["ns"]
        stealing = ns["looking"] + ns["claiming"] + ns["taking"] + ns["waiting"]
        self.assertAlmostEqual(curve["points"][1]["stealing_of_library"], stealing / sum(ns[name] for name in LIBRARY))
        self.assertAlmostEqual(curve["points"][1]["waiting_of_stealing"], ns["waiting"] / stealing)
        self.assertGreater(ns["claiming"], 0)

    def test_policies_each_have_a_curve(self):
        said = self.scale_json("fib", "n=12", *SIMULATED, "--workers", "1,2",
                               "--policies", "random, nearest(half), random")
        self.assertEqual([curve["policy"] for curve in said["curves"]], ["random", "nearest(half)"])
        self.assertEqual((said["program"], said["simulated"]), ("fib ci, n=12", True))
        self.refuse("scale", "fib", "--policies", "rondom", naming=["rondom", "nearest: random"])

    def test_on_this_machine_beside_the_program_without_skua(self):
        said = self.scale_json("heat", "n=64", "steps=4", "--workers", "1,2", "--repeat", "3", "--serial")
        self.assertGreater(said["serial_seconds"], 0)
        self.assertFalse(said["simulated"])
        [curve] = said["curves"]
        for point in curve["points"]:
            self.assertEqual(len(point["seconds_of_runs"]), 3)
            self.assertGreater(point["ns"]["user"], 0)
        text = self.succeed("scale", "heat", "n=64", "steps=4", "--workers", "1", "--repeat", "1", "--serial")
        self.assertIn("over serial", text)

    def test_text_has_all_tables_and_bars(self):
        text = self.succeed("scale", "heat", "n=64", "steps=2", *SIMULATED, "--workers", "1,8", "--policies", "random")
        for words in ("Policy random", "speedup", "inflation", "Shares of the time of all workers (random)",
                      "Growth: the same times divided by the user time of one worker (random)"):
            self.assertIn(words, text)
        bars = text[text.index("Time of all workers by activity"):].splitlines()[1:3]
        for bar in bars:
            self.assertEqual(len(bar.split()[1]), 60, bar)  # the bar covers all of the time
        self.assertGreater(bars[0].count("#"), bars[1].count("#"))  # share of computing

    def test_writes_plots(self):
        with tempfile.TemporaryDirectory() as folder:
            for ending, title in ((".svg", "{http://www.w3.org/2000/svg}title"), (".html", "h1")):
                file = pathlib.Path(folder, "drawn" + ending)
                self.succeed("scale", "fib", "n=16", *SIMULATED, "--workers", "1,4", "--policies", "random,nearest",
                             "--plot", str(file))
                text = file.read_text().removeprefix("<!DOCTYPE html>\n")
                root = xml.fromstring(text)
                self.assertIn("fib ci, n=16 on opteron-8380-4s", next(root.iter(title)).text)
                for heading in ("Speedup over one worker", "Work inflation: user time over one worker's",
                                "User and library, random", "Library, nearest", "Growth of the library, nearest"):
                    self.assertIn(heading, {each.text for each in root.iter() if each.get("class") == "heading"})
                if ending == ".html":
                    self.assertEqual(len(list(root.iter("table"))), 6)
                self.assertNotIn("http://", text.replace("http://www.w3.org/2000/svg", ""))
        self.refuse("scale", "fib", "--plot", "drawn.png", naming=["'drawn.png'", ".svg or .html", "nearest: drawn.svg\n"])
        self.refuse("scale", "fib", "--plot", "drawn", naming=["'drawn'", ".svg or .html", "nearest: drawn.svg\n"])

    def test_a_report_has_the_speedups_of_all_numbers_of_workers(self):
        with tempfile.TemporaryDirectory() as folder:
            file, page = pathlib.Path(folder, "run.json"), pathlib.Path(folder, "run.html")
            said = self.scale_json("heat", "n=64", "steps=2", *SIMULATED, "--workers", "1,2,4", "--policies", "random,nearest",
                                   "--report", str(file))
            points = said["curves"][0]["points"]
            self.assertEqual([path.name for path in file.parent.iterdir()], ["run.json"])
            record = json.loads(file.read_text())
            self.assertEqual((len(record["workers"]), record["policy"]), (4, "random"))
            self.assertRegex(record["program"], r"skua scale heat n=64 .*--report ")
            self.assertEqual(record["curve"], [{"workers": point["workers"], "seconds": point["seconds"]} for point in points])
            self.assertEqual(record["baseline"], {"seconds": points[0]["seconds"], "parallel_seconds": points[2]["seconds"]})
            told = json.loads(self.succeed("report", str(file), "--json"))
            measured = {at["workers"]: at["measured"] for at in told["prediction"] if at["measured"] is not None}
            self.assertEqual(measured, {point["workers"]: point["speedup"] for point in points})
            self.succeed("report", str(file), "-o", str(page))
            drawn = json.loads(page.read_text().split('"speedups":{"measured":')[1].split(',"predicted"')[0])
            self.assertEqual(drawn, [[point["workers"], point["speedup"]] for point in points])

    def test_a_report_on_this_machine(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "run.json")
            for workers, points in (("1", 1), ("1,2", 2)):
                self.succeed("scale", "heat", "n=64", "steps=4", "--workers", workers, "--repeat", "3", "--report", str(file))
                record = json.loads(file.read_text())
                self.assertEqual((len(record["workers"]), len(record["curve"])), (points, points))
                self.assertEqual(record["baseline"] is None, points == 1)

    def test_refuses_invalid_options(self):
        self.refuse("scale", "fib", "--report", "/nowhere/run.json", naming=["--report", "/nowhere/run.json", "a folder that exists"])
        self.refuse("scale", "fib", "--report", "a.html", "--plot", "a.html", naming=["--report and --plot", "'a.html'", "two files"])
        self.refuse("scale", "fib", "--serial", *SIMULATED, naming=["--serial", "--simulate", "nearest"])
        self.refuse("scale", "fib", "--level", "lines", naming=["--level", "--simulate"])
        self.refuse("scale", "fob", naming=["fob", "nearest: fib"])
        self.refuse("scale", "fib", "n=x", naming=["x"])
        self.refuse("scale", "fib", "--pin", "grupped", naming=["--pin", "nearest: grouped"])
        self.refuse("scale", "fib", *SIMULATED, "--pages", "interlaced", naming=["'interlaced'", "nearest: interleave"])
        self.refuse("scale", "fib", "--distances", "/nowhere", naming=["'/nowhere'"])
        self.refuse("scale", "heat", "--output", "plate.pgm", naming=["--output", "plate.pgm", "skua run"])
        for refused in ("--output TEXT", "--record TEXT"):
            self.assertNotIn(refused, self.succeed("scale", "--help"))

    def test_a_run_prints_its_times(self):
        of = ("run", "fib", "n=16", *SIMULATED, "--workers", "4")
        said = json.loads(self.succeed(*of, "--times", "--json"))["times"]
        self.assertEqual(len(said["ns_of_workers"]), 4)
        for name in ACTIVITIES:
            self.assertEqual(said["ns"][name], sum(worker[name] for worker in said["ns_of_workers"]))
        self.assertAlmostEqual(sum(said["ns"].values()) / (4e9 * said["seconds"]), 1, delta=0.02)
        text = self.succeed(*of, "--times")
        for name in ACTIVITIES:
            self.assertRegex(text, name + r" \d+\.\d%")
        self.assertNotIn("times", json.loads(self.succeed(*of, "--json")))


if __name__ == "__main__":
    main()
