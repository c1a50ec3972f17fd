"""`skua run`: all workloads verified, all policies, made-up machines, JSON, and exit codes 0 and 1."""
import json

from tool import ToolTest, main, skua

COUNTERS = ("forks", "attempts", "steals", "steal_misses", "remote_steals", "remote_attempts", "suspensions",
            "group_tasks", "own_tasks", "stacks", "sleeps", "asleep_ns")


def workloads():
    return [w["name"] for w in json.loads(skua("list", "workloads", "--json")[1])]


class Run(ToolTest):
    def run_json(self, *arguments):
        return json.loads(self.succeed("run", *arguments, "--json"))

    def test_every_workload_is_verified(self):
        for name in workloads():
            for policy in ("nearest", "random"):
                with self.subTest(name=name, policy=policy):
                    out = self.run_json(name, "--repeat", "2", "--workers", "2", "--policy", policy)
                    self.assertEqual((out["name"], out["size"], out["workers"], out["policy"], out["verified"]),
                                     (name, "ci", 2, policy, True))
                    self.assertGreater(out["seconds"], 0)
                    self.assertEqual(len(out["seconds_of_runs"]), 2)
                    for counter in COUNTERS:
                        self.assertIsInstance(out["counters"][counter], int)

    def test_continuations(self):
        for continuation in ("home", "free"):
            out = self.run_json("mergesort", "--repeat", "1", "--workers", "3", "--continuation", continuation)
            self.assertEqual((out["continuation"], out["verified"]), (continuation, True))

    def test_corrupt_result_is_noticed(self):
        for name in workloads():
            with self.subTest(name=name):
                code, out, _ = skua("run", name, "--corrupt-result", "--repeat", "1", "--json")
                self.assertEqual(code, 1)
                self.assertIs(json.loads(out)["verified"], False)
        code, out, _ = skua("run", "fib", "--corrupt-result", "--repeat", "1")
        self.assertEqual(code, 1)
        self.assertIn("verified  NO", out)

    def test_old_names_of_options(self):
        """Old names still work. A line on stderr tells the new name, and --help lists only new names."""
        for old, new in ((["--damage"], "--corrupt-result"), (["--own", "fifo"], "--own-order"),
                         (["--own=fifo"], "--own-order")):
            code, out, err = skua("run", "fib", "n=10", *old, "--repeat", "1", "--json")
            self.assertEqual(code, 1 if new == "--corrupt-result" else 0)
            self.assertEqual(err, f"skua: {old[0].split('=')[0]} is now called {new}\n")
            self.assertEqual(json.loads(out)["own"], "lifo" if new == "--corrupt-result" else "fifo")
            shown = self.succeed("run", "--help")
            self.assertIn(new, shown)
            self.assertNotRegex(shown, old[0].split("=")[0] + r"\b(?!-)")

    def test_counters_add_up(self):
        out = self.run_json("fib", "--topology", "package:4 core:4 pu:1", "--repeat", "1")
        counters = out["counters"]
        self.assertEqual(out["workers"], 16)
        self.assertIs(out["real_machine"], False)
        self.assertEqual(counters["forks"], 317810)  # calls of fib(27) with n >= 2
        self.assertEqual(counters["attempts"], counters["steals"] + counters["steal_misses"])
        self.assertLessEqual(counters["remote_steals"], counters["remote_attempts"])
        self.assertEqual(sum(counters["steals_by_distance"].values()), counters["steals"])

    def test_one_domain_has_no_far_steals(self):
        counters = self.run_json("fib", "--topology", "package:1 core:4 pu:1", "--repeat", "1")["counters"]
        self.assertEqual((counters["remote_attempts"], counters["remote_steals"]), (0, 0))

    def test_options_of_workloads(self):
        self.assertIn("92 solutions", self.run_json("queens", "mode=count", "n=8", "cutoff=none")["answer"])
        # The default mode also searches for one solution for 20 queens. That search has no forks. It does not change the cutoff
        # of the count for 10 queens.
        self.assertEqual(self.run_json("queens")["counters"]["forks"],
                         self.run_json("queens", "mode=count")["counters"]["forks"])
        self.assertIn("= 4950", self.run_json("skynet", "k=2", "form=group")["answer"])
        self.assertIn("1000 keys", self.run_json("mergesort", "n=1000", "--seed", "7")["answer"])

    def test_environment(self):
        out = json.loads(self.succeed("run", "fib", "--json", "--repeat", "1", SKUA_WORKERS="3", SKUA_POLICY="random",
                                      SKUA_TOPOLOGY="package:2 core:2 pu:1"))
        self.assertEqual((out["workers"], out["policy"], out["topology"]), (3, "random", "package:2 core:2 pu:1"))

    def test_workers_by_measurement(self):
        out = self.run_json("fib", "n=20", "--repeat", "2", "--workers", "measure", "--topology", "package:1 core:3 pu:1")
        tried = out["workers_tried"]
        self.assertEqual([t["workers"] for t in tried], [1, 2, 3])
        least = min(t["seconds"] for t in tried)
        self.assertEqual(out["workers"], min(t["workers"] for t in tried if t["seconds"] <= 1.03 * least))
        self.assertIs(out["verified"], True)
        self.assertNotIn("workers_tried", self.run_json("fib", "n=20", "--repeat", "1"))
        text = self.succeed("run", "fib", "n=20", "--repeat", "1", "--workers", "measure")
        self.assertRegex(text, r"\n            fewest workers within 3% of the fastest time: \S+ s with 1")

    def test_paper_sizes_print_first_what_they_need(self):
        said = {w["name"]: w["sizes"]["paper"] for w in json.loads(skua("list", "workloads", "--json")[1])}
        for name, needs in said.items():
            self.assertRegex(needs, r"\d [MG]B|memory", name)
        code, out, err = skua("run", "maxflow", "--size", "paper", "--repeat", "1")
        self.assertEqual((code, err), (0, f"maxflow paper: {said['maxflow']}\n"))
        self.assertEqual(skua("run", "maxflow", "--size", "paper", "--repeat", "1", "--json")[2], "")

    def test_text(self):
        out = self.succeed("run", "fib", "--workers", "2", "--repeat", "3")
        for part in ("fib ci", "2, policy nearest", "the median of 3", "yes: fib(27) = 196418", "near", "far",
                     "real CPU"):
            self.assertIn(part, out)
        number = r"(?:0|[1-9]\d*)"
        counted = lambda noun, of=number: rf"(?:1 {noun}|(?!1 ){of} {noun}s)"
        for line in (rf"steals    {number} near, {number} far, from {counted('attempt')} \({number} far\)",
                     rf"tasks     317810 forks, 0 in groups, {number} from own queues, {counted('suspension')}",
                     rf"stacks    at most {number} in use",
                     rf"sleep     {counted('time', '[1-9]?[0-9]?[0-9](?: [0-9]{3})*')}, \S+ ms in total"):
            self.assertRegex(out, rf"\n  {line}\n")
        made_up = self.succeed("run", "fib", "--topology", "package:2 core:2 pu:1", "--repeat", "1")
        self.assertIn("not real, its 4 workers share", made_up)
        self.assertRegex(made_up, r"\n            \d+ from the same domain; \d+ from the same machine\n")
        self.assertNotIn("real CPU", made_up)

    def test_text_counts_in_singular_and_plural(self):
        for n, forks in ((1, "0 forks"), (2, "1 fork"), (3, "2 forks")):
            out = self.succeed("run", "fib", f"n={n}", "--workers", "1", "--repeat", "1")
            for line in ("steals    0 near, 0 far, from 0 attempts (0 far)",
                         f"tasks     {forks}, 0 in groups, 0 from own queues, 0 suspensions",
                         "sleep     0 times, 0 ms in total"):
                self.assertIn(f"\n  {line}\n", out)


main()
