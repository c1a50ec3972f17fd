"""`skua compare`: its numbers equal those of `skua run`; a difference counts only if it exceeds the spread; refusals."""
import json
import os
import pathlib
import statistics
import tempfile
import xml.etree.ElementTree as xml

import tool
from tool import ToolTest, skua

MACHINE = "xeon-x5550-2s-nehalem"
WORKLOADS = "heat n=64 steps=3 leaf=4, fib n=14"
TINY = ("compare", "--machines", MACHINE, "--workloads", WORKLOADS, "--policies", "nearest, bitier", "--level", "caches")


class Compare(ToolTest):
    def compare(self, *arguments):
        return json.loads(self.succeed(*arguments, "--json"))

    def test_numbers_are_those_of_runs(self):
        blocks = self.compare(*TINY, "--seeds", "4")
        self.assertEqual([(b["machine"], b["workers"], b["level"], b["seeds"]) for b in blocks], [(MACHINE, 8, "caches", 4)])
        rows = blocks[0]["workloads"]
        self.assertEqual([row["workload"] for row in rows], ["heat n=64 steps=3 leaf=4", "fib n=14"])
        cells = {cell["policy"]: cell for cell in rows[0]["policies"]}
        self.assertEqual(list(cells), ["random", "nearest", "bitier"])
        # The arguments are the same as in `skua compare`, because they decide where malloc puts such small data.
        run = json.loads(self.succeed("run", "heat", "n=64", "steps=3", "leaf=4", "--size", "ci", "--simulate", MACHINE,
                                      "--policy", "nearest", "--policy-seed", "3", "--level", "caches", "--workers", "8", "--json"))
        ours, simulated = cells["nearest"]["runs"][2], run["simulated"]
        self.assertEqual((ours["seed"], ours["seconds"]), (3, simulated["seconds"]))
        self.assertEqual(ours["facts"]["remote steals"], run["counters"]["remote_steals"])
        self.assertEqual(ours["facts"]["memory bytes read"], sum(n["bytes_read"] for n in simulated["nodes"]))
        self.assertEqual(ours["facts"]["memory bytes read remotely"], sum(n["bytes_read_remotely"] for n in simulated["nodes"]))
        self.assertEqual(ours["facts"]["demand misses L3"], simulated["caches"][2]["demand_misses"])
        self.assertAlmostEqual(sum(ours["facts"]["share " + s] for s in ("computing", "data", "looking", "asleep")), 1)
        seconds = {p: [r["seconds"] for r in c["runs"]] for p, c in cells.items()}
        unit = statistics.median(seconds["random"])
        for policy, cell in cells.items():
            self.assertAlmostEqual(cell["relative"]["median"], statistics.median(seconds[policy]) / unit)
            self.assertAlmostEqual(cell["relative"]["max"], max(seconds[policy]) / unit)
            differs = min(len(set(seconds[p])) for p in (policy, "random")) >= 4
            self.assertEqual(cell["standing"] == "slower", differs and min(seconds[policy]) > max(seconds["random"]))
            self.assertEqual(cell["standing"] in ("best", "faster"),
                             differs and max(seconds[policy]) < min(seconds["random"]))

    def test_seeds_vary_the_policies_and_not_the_input(self):
        """The input decides how often quicksort forks, whichever workers run the parts."""
        def forks(*options):
            [block] = self.compare("compare", "--machines", MACHINE, "--workloads", "quicksort n=50000", "--policies",
                                   "nearest", "--level", "steps", "--seeds", "4", *options)
            cells = block["workloads"][0]["policies"]
            self.assertGreater(len({run["seconds"] for cell in cells for run in cell["runs"]}), 4, "the policies' seeds matter")
            return {run["facts"]["forks"] for cell in cells for run in cell["runs"]}, block["command"]
        same, _ = forks()
        self.assertEqual(len(same), 1)
        varied, command = forks("--vary-input")
        self.assertGreater(len(varied), 1)
        self.assertIn(" --vary-input", command)

    def test_nothing_wins_against_itself(self):
        text = self.succeed("compare", "--machines", MACHINE, "--workloads", "fib n=12", "--policies", "random", "--level",
                            "steps", "--seeds", "4")
        self.assertIn("no policy is faster than random", text)
        self.assertNotIn("*1.00", text)

    def test_all_policies(self):
        cells = self.compare("compare", "--machines", "package:2 core:2 pu:1", "--workloads", "fib n=8", "--level", "steps",
                             "--seeds", "1")[0]["workloads"][0]["policies"]
        names = [one["name"] for one in json.loads(self.succeed("list", "policies", "--json"))]
        self.assertEqual(cells[0]["policy"], "random")
        self.assertEqual({cell["policy"] for cell in cells}, set(names) - {"chaos", "chase_lev"})
        self.assertIn("all but chaos and chase_lev", self.succeed("compare", "--help"))
        self.assertTrue(all(cell["standing"] == "same" for cell in cells), "one seed says nothing")

    def test_repeated_runs_are_those_of_run(self):
        """Each seed is one scheduler that runs the workload again and again; auto says what it has chosen."""
        options = ("heat", "n=64", "steps=3", "leaf=4", "--size", "ci", "--simulate", MACHINE)
        command = ("compare", "--machines", MACHINE, "--workloads", "heat n=64 steps=3 leaf=4", "--policies", "auto",
                   "--seeds", "1", "--first-seed", "2", "--repeat", "12")
        [block] = self.compare(*command)
        self.assertEqual((block["first_seed"], block["repeat"]), (2, 12))
        cells = {cell["policy"]: cell["runs"] for cell in block["workloads"][0]["policies"]}
        for policy in ("random", "auto"):
            run = json.loads(self.succeed("run", *options, "--policy", policy, "--policy-seed", "2", "--level", "bandwidth",
                                          "--workers", "8", "--repeat", "12", "--json"))
            [ours] = cells[policy]
            self.assertEqual((ours["seed"], ours["seconds_of_runs"]), (2, run["seconds_of_runs"]))
            self.assertAlmostEqual(ours["seconds"], sum(run["seconds_of_runs"]))
            self.assertGreater(len(set(ours["seconds_of_runs"])), 1)
            self.assertEqual(ours.get("choices"), run.get("choices"))
        self.assertNotIn("choices", cells["random"][0])
        chosen = cells["auto"][0]["choices"][0]
        self.assertEqual((chosen["kind"], chosen["episodes"]), ("region", 12))
        self.assertIn(chosen["policy"], ("nearest", "bitier(spread)", "announced", "random"))
        self.assertIn(chosen["stage"], ("warm-up", "exploring", "decided"))
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump([block], file)
            file.flush()
            self.assertEqual(self.compare("compare", "--from", file.name), [block])
            self.assertIn("first and last runs", self.succeed("compare", "--from", file.name))

    # `skua run` serves as the program here, because it uses skua too.
    PROGRAM = ("run", "queens", "n=7", "--repeat", "1")

    def test_a_program_on_a_simulated_machine(self):
        """The numbers equal those of the program alone, simulated with environment variables."""
        [block] = json.loads(self.succeed("compare", "--machines", MACHINE, "--policies", "nearest", "--level", "steps",
                                          "--workers", "4", "--seeds", "4", "--json", "--", tool.TOOL, *self.PROGRAM))
        command = " ".join((tool.TOOL, *self.PROGRAM))
        self.assertEqual((block["machine"], block["workers"], block["level"], block["program"]), (MACHINE, 4, "steps", True))
        self.assertEqual(block["command"], f'skua compare --machines {MACHINE} --policies "nearest" --workers 4 --seeds 4 '
                                           f"--level steps -- {command}")
        [row] = block["workloads"]
        self.assertEqual(row["workload"], command)
        cells = {cell["policy"]: cell["runs"] for cell in row["policies"]}
        self.assertEqual(list(cells), ["random", "nearest"])
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "run.json")
            self.succeed(*self.PROGRAM, SKUA_SIMULATE=MACHINE, SKUA_SIMULATE_LEVEL="steps", SKUA_SIMULATE_COSTS="declared",
                         SKUA_WORKERS="4", SKUA_POLICY="random", SKUA_SEED="3", SKUA_REPORT=file)
            record = json.loads(pathlib.Path(file).read_text())
        third = cells["random"][2]
        self.assertEqual((third["seed"], third["seconds"]), (3, record["seconds"]))
        self.assertEqual(third["facts"]["cycles"], record["simulated"]["cycles"])
        self.assertEqual(third["facts"]["steals"], sum(worker["counts"]["steals"] for worker in record["workers"]))
        self.assertGreater(len({run["seconds"] for run in cells["random"]}), 1, "seeds matter")

    def test_simulate_is_the_word_of_skua_run(self):
        options = ("--policies", "nearest", "--level", "steps", "--workers", "2", "--seeds", "1", "--json", "--", tool.TOOL, *self.PROGRAM)
        self.assertEqual(self.succeed("compare", "--simulate", MACHINE, *options), self.succeed("compare", "--machines", MACHINE, *options))
        self.assertIn("--machines,--simulate", self.succeed("compare", "--help"))
        both = ("compare", "--simulate", MACHINE, "--machines", MACHINE, "--policies", "nearest", "--workloads", "fib n=8")
        self.refuse(*both, naming=["--machines"])

    def test_runs_that_waited_for_cpus(self):
        """The program leaves a record whose workers waited for CPUs, as beside other programs."""
        with tempfile.TemporaryDirectory() as folder:
            program = tool.program_that_waits(folder)
            options = ("--policies", "random", "--workers", "2", "--seeds", "4")
            for share, disturbed in ((0.05, 0), (0.4, 4)):
                program.waits(share)
                [block] = self.compare("compare", *options, program.path)
                self.assertEqual(block["disturbed_runs"], disturbed)
                for run in block["workloads"][0]["policies"][0]["runs"]:
                    self.assertAlmostEqual(run["facts"]["share waiting for CPUs"], share, delta=0.01)
                text = self.succeed("compare", *options, program.path)
                self.assertEqual("Noise: in 4 of 4 runs the workers waited for CPUs for more than 10% of their time (at most 40%)" in " ".join(text.split()),
                                 disturbed > 0, text)
                if disturbed:
                    noise = "Noise: " + text.partition("Noise: ")[2].partition("\n\n")[0]
                    self.assertTrue(noise.endswith("vary."), noise)
                    self.assertLessEqual(max(map(len, noise.splitlines())), 100, noise)

    def test_a_program_on_this_machine(self):
        options = ("--policies", "nearest", "--workers", "2", "--seeds", "1")
        [block] = json.loads(self.succeed("compare", *options, "--json", "--", tool.TOOL, *self.PROGRAM))
        self.assertEqual((block["machine"], block["workers"], block["size"], block["level"]), ("this machine", 2, "", ""))
        for cell in block["workloads"][0]["policies"]:
            [run] = cell["runs"]
            self.assertGreater(run["seconds"], 0)
            self.assertAlmostEqual(sum(run["facts"]["share " + s] for s in ("computing", "looking", "asleep")), 1)
            self.assertGreater(run["facts"]["forks"], 0)
        text = self.succeed("compare", *options, "--", tool.TOOL, *self.PROGRAM)
        self.assertTrue(text.startswith("this machine, 2 workers, 1 seed\n"), text)
        self.assertNotIn("L2 misses", text)

    def test_programs_that_cannot_be_compared(self):
        for arguments, complaint in (((tool.TOOL, "run", "none"), "on 1 worker exited with code 2"),
                                     ((tool.TOOL, *self.PROGRAM, "--workers", "2"), "which it chose itself; needed"),
                                     ((tool.TOOL, *self.PROGRAM, "--policy", "bitier"), "the policy bitier, which it chose itself")):
            with self.subTest(arguments=arguments):
                code, out, err = skua("compare", "--policies", "random", "--workers", "1", "--seeds", "1", "--", *arguments)
                self.assertEqual((code, out.count("no result"), err.count("\n")), (1, 1, 1), err)
                self.assertIn(complaint, err)
        for options in (("--seeds", "2"), ("--machines", MACHINE, "--measured"), ("--machines", MACHINE)):
            code, out, err = skua("compare", *options, "--policies", "random", "--workers", "1", "--", "/bin/true")
            self.assertEqual((code, out), (2, ""), err)
            self.assertRegex(err, r"(?m)^skua: program '/bin/true' left no report, so it does not use skua, .*; allowed: ")
        self.refuse("compare", "./none", naming=["'./none'", "cannot be run"])
        self.refuse("compare", "heat", naming=["'heat'", "--workloads heat"])
        self.refuse("compare", tool.TOOL, "--size", "med", naming=["--size", tool.TOOL])
        self.refuse("compare", tool.TOOL, "--repeat", "2", naming=["--repeat", tool.TOOL])
        self.refuse("compare", tool.TOOL, "--pages", "interleave", naming=["--pages", "--simulate", "--machines"])

    def test_measured_times_are_announced_before_the_first_run(self):
        code, _, err = skua("compare", "--machines", MACHINE, "--measured", "--policies", "nearest", "--seeds", "1", "--workers", "2",
                            "--", "/bin/false")
        self.assertEqual(code, 1)
        said, *failed = err.splitlines()
        self.assertRegex(said, r"\Askua: the tasks take as long as on this machine, so each run differs; without --measured")
        self.assertEqual(["exited with code 1" in line for line in failed], [True], err)

    def test_a_program_without_costs_runs_once(self):
        """The other runs would be in vain."""
        with tempfile.TemporaryDirectory() as folder:
            script, runs = pathlib.Path(folder, "program"), pathlib.Path(folder, "runs")
            script.write_text(f"#!/bin/sh\necho run >> {runs}\nexec {tool.TOOL} run fib n=8 --repeat 1\n")
            script.chmod(0o755)
            for arguments in (("compare", "--policies", "nearest", "--machines", MACHINE), ("scale", "--simulate", MACHINE)):
                runs.write_text("")
                self.refuse(*arguments, "--workers", "2", "--", str(script), naming=["declares no costs", "--measured"])
                self.assertEqual(runs.read_text(), "run\n", arguments)

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            plot, page, kept = (os.path.join(folder, name) for name in ("map.svg", "page.md", "kept.json"))
            args = ("--seeds", "1", "-j", "1")
            text = self.succeed(*TINY, *args, "--plot", plot, "--markdown", page)
            root = xml.parse(plot).getroot()
            shown = {t.text for t in root.iter("{http://www.w3.org/2000/svg}text")}
            self.assertTrue({MACHINE + ", fib n=14", "bitier", "1.00"} <= shown, shown)
            self.assertIn("| `fib n=14` | 1.00 |", pathlib.Path(page).read_text())
            self.assertIn(f'skua compare --machines {MACHINE} --workloads "{WORKLOADS}" --policies "nearest, bitier" '
                          "--workers 8 --seeds 1 --level caches", pathlib.Path(page).read_text())
            pathlib.Path(kept).write_text(self.succeed(*TINY, *args, "--json"))
            self.assertEqual(self.succeed("compare", "--from", kept), text)
            twice = self.compare("compare", "--from", kept, "--from", kept)
            self.assertEqual([len(block["workloads"]) for block in twice], [4])  # rows of one table
            self.refuse("compare", "--from", page, naming=["page.md' is not a comparison", "--json"])

    def test_quiet_in_a_pipe(self):
        self.assertEqual(skua(*TINY, "--seeds", "1")[2], "")

    def test_a_failed_run_is_reported(self):
        code, out, err = skua("compare", "--machines", MACHINE, "--workloads", "fib n=10, mergesort n=200000000", "--policies",
                              "nearest", "--seeds", "1", "--level", "steps", "-j", "1", address_space=1 << 30)
        self.assertEqual(code, 1, out + err)
        self.assertRegex(err, r"\A(`skua run mergesort n=200000000 .* needs more memory than there is.*\n){2}\Z")
        self.assertIn("mergesort n=200000000: no result", out)

    def test_refusals(self):
        self.refuse("compare", naming=["--machines", "--from"])
        self.refuse(*TINY, "--plot", "map.png", naming=["'map.png'", ".svg", "nearest: map.svg"])
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write("[]")
            file.flush()
            self.refuse("compare", "--from", file.name, naming=["contains no comparison"])
        self.refuse(*TINY[:2], "xeon-x5550", "--workloads", "fib", naming=["'xeon-x5550'", "nearest: " + MACHINE])
        self.refuse(*TINY[:3], "--workloads", "heet", naming=["'heet'", "nearest: heat"])
        self.refuse(*TINY[:3], "--workloads", "heat leef=3", naming=["'leef'", "nearest: leaf"])
        self.refuse(*TINY[:3], "--workloads", "heat n=2", naming=["'2'", "from 3 to 16384"])
        self.refuse(*TINY[:3], "--workloads", ",", naming=["--workloads is an empty list"])
        self.refuse(*TINY[:5], "--policies", "nearst", naming=["'nearst'", "nearest: nearest"])
        self.refuse(*TINY[:5], "--policies", "nearest(haf)", naming=["haf", "half"])
        self.refuse(*TINY, "--seeds", "0", naming=["'0'", "nearest: 1"])
        self.refuse(*TINY, "--repeat", "0", naming=["'0'", "nearest: 1"])
        self.refuse(*TINY, "--pages", "first", naming=["'first'", "nearest: first_touch"])
        self.refuse(*TINY, "--plot", "/nowhere/x.svg", naming=["'/nowhere/x.svg'"])
        self.refuse(*TINY, "--from", "x.json", naming=["--from"])
        for file in ("/nowhere.json", "/"):
            self.refuse("compare", "--from", file, naming=[f"'{file}'", "cannot be read"])


if __name__ == "__main__":
    tool.main()
