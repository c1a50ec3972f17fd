"""Reports of runs: `skua run --report`, and SKUA_REPORT with any program (here the tool itself)."""
import json
import os
import pathlib
import tempfile

from tool import ToolTest, main, skua


class RunReport(ToolTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.file = self.folder / "run.json"

    def read(self, file=None):
        report = json.loads((file or self.file).read_text())
        self.assertEqual(report["format"], "skua report 1")
        return report

    def attributed(self, report):
        """The attributed share of the time of all workers."""
        times = sum(sum(worker["times"].values()) for worker in report["workers"])
        return times / (1e9 * report["seconds"] * len(report["workers"]))

    def test_a_run_with_a_baseline_on_one_worker(self):
        self.succeed("run", "matmul", "--workers", "2", "--repeat", "3", "--report", str(self.file))
        report = self.read()
        self.assertEqual(len(report["workers"]), 2)
        self.assertIn("run matmul --workers 2", report["program"])
        self.assertGreater(report["baseline"]["seconds"], 0)
        self.assertGreater(report["baseline"]["parallel_seconds"], 0)
        self.assertLessEqual(report["inside_seconds"], report["seconds"])

    def test_the_median_run_is_reported(self):
        out = json.loads(self.succeed("run", "heat", "--repeat", "5", "--no-baseline", "--json", "--report", str(self.file)))
        report = self.read()
        self.assertEqual(sum(worker["counts"]["forks"] for worker in report["workers"]), out["counters"]["forks"])
        self.assertEqual(sum(worker["counts"]["steals"] for worker in report["workers"]), out["counters"]["steals"])
        self.assertIsNone(report["baseline"])

    def test_a_run_on_one_worker_has_no_baseline(self):
        self.succeed("run", "fib", "--workers", "1", "--repeat", "1", "--report", str(self.file))
        self.assertIsNone(self.read()["baseline"])

    def test_no_baseline_is_refused_without_a_report(self):
        for more in ({}, {"SKUA_REPORT": str(self.file)}):
            self.refuse("run", "fib", "--no-baseline", naming=["--no-baseline", "allowed: with --report", "nearest: "], **more)

    def test_a_simulated_run(self):
        # mode=count visits all solutions. The time of a search for one solution depends on chance.
        arguments = ("run", "queens", "mode=count", "n=12", "--simulate", "opteron-8380-4s", "--workers", "8")
        self.succeed(*arguments, "--report", str(self.file))
        report = self.read()
        self.assertTrue(report["machine"]["simulated"])
        self.assertEqual(len(report["workers"]), 8)
        self.assertAlmostEqual(self.attributed(report), 1, delta=0.001)
        self.assertGreater(report["baseline"]["seconds"], 2 * report["baseline"]["parallel_seconds"])
        self.assertGreater(len(report["simulated"]["caches"]), 0)
        self.assertGreater(sum(node["bytes_read"] for node in report["simulated"]["nodes"]), 0)
        self.assertGreater(report["bytes_stolen"], 0)

    def test_a_simulated_run_is_the_same_with_a_report(self):
        # fib declares no data. Otherwise the cache lines of small arrays would depend on their addresses in the heap.
        arguments = ("run", "fib", "--simulate", "opteron-8380-4s", "--workers", "8", "--json")
        streams = [json.loads(self.succeed(*arguments, *more))["simulated"]["stream"]
                   for more in ((), ("--report", str(self.file)))]
        self.assertEqual(streams[0], streams[1])

    def test_a_report_by_environment(self):
        for more in ({}, {"SKUA_SIMULATE": "opteron-8380-4s"}):
            with self.subTest(**more):
                code, _, err = skua("run", "fib", "--repeat", "1", SKUA_WORKERS="3", SKUA_REPORT=str(self.file), **more)
                self.assertEqual(code, 0, err)
                report = self.read()
                self.assertEqual(len(report["workers"]), 3)
                self.assertEqual(report["machine"]["simulated"], bool(more))
                self.assertGreater(report["inside_seconds"], 0)

    def test_the_process_number_in_the_file_name(self):
        self.succeed("run", "fib", "--repeat", "1", SKUA_REPORT=str(self.folder / "run.%p.json"))
        [file] = self.folder.iterdir()
        self.assertRegex(file.name, r"^run\.\d+\.json$")
        self.read(file)

    def test_several_schedulers_are_noted(self):
        self.succeed("run", "fib", "--repeat", "2", "--workers", "2", "--report", str(self.folder / "other.json"),
                     SKUA_REPORT=str(self.file))
        self.assertIn("the process had 2 schedulers", " ".join(self.read()["notes"]))

    def test_arguments_that_are_not_utf_8(self):
        self.succeed("run", "fib", "--repeat", "1", "--report", str(self.folder / "M\udcfcller.json"),
                     SKUA_REPORT=str(self.file))
        self.assertIn("M\ufffdller.json", self.read()["program"])

    def test_a_refused_run_leaves_no_file(self):
        trace = str(self.folder / "run.trace")
        for more in ({}, {"SKUA_REPORT": str(self.folder / "other.json"), "SKUA_TRACE": str(self.folder / "other.trace")}):
            self.refuse("run", "fib", "--report", str(self.file), "--trace", trace, naming=["SKUA_TRACE_EVENTS"],
                        SKUA_TRACE_EVENTS="9", **more)
            self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_report_into_a_pipe_or_the_output(self):
        for words, more in ((("--report", "/dev/stdout"), {}), ((), {"SKUA_REPORT": "/dev/stdout"})):
            out = self.succeed("run", "fib", "--repeat", "1", "--workers", "1", *words, **more)
            self.assertIn('"format": "skua report 1"', out)

    def test_files_that_cannot_be_written(self):
        for option in ("--report", "--trace"):
            self.refuse("run", "fib", option, "-", naming=[option, "'-'", f"nearest: {option} /dev/stdout"])
        self.assertFalse(os.path.exists("-"))
        nowhere = str(self.folder / "no" / "run.json")
        self.refuse("run", "fib", "--report", nowhere, naming=["--report", nowhere, "a folder that exists"])
        self.refuse("run", "fib", SKUA_REPORT=nowhere, naming=["SKUA_REPORT", nowhere, "a folder that exists"])
        self.assertFalse(os.path.exists(nowhere))


main()
