"""`skua paper`: the list, computed figures, a figure with runs, pages, and refusals."""
import json
import os
import pathlib
import re
import tempfile

import tool
from tool import ToolTest, skua

PROJECT = pathlib.Path(__file__).resolve().parents[2]
PUBLISHED = PROJECT / "published"
TINY = ("paper", "tatl", "table3", "--size", "quick")


class Paper(ToolTest):
    def figure(self, *arguments):
        return json.loads(self.succeed("paper", *arguments, "--json"))

    def test_list(self):
        files = {(f["paper"], f["id"]): f for f in (json.loads(p.read_text()) for p in PUBLISHED.glob("*.json"))}
        listed = json.loads(self.succeed("paper", "--json"))
        self.assertEqual({(one["paper"], one["id"]) for one in listed}, set(files))
        text = self.succeed("paper")
        for one in listed:
            self.assertEqual(one["level"], files[one["paper"], one["id"]]["level"])
            self.assertEqual(one["runs"] in ("all", "inputs"), one["needs"] == [], one)
            self.assertRegex(text, rf"(?m)^{one['paper']} {one['id']} +{one['level']} +{one['runs']} +{re.escape(one['title'])}$")
        runs = {one["paper"] + " " + one["id"]: one["runs"] for one in listed}
        self.assertEqual((runs["cab fig8"], runs["adm table3"]), ("all", "inputs"))

    def test_list_of_a_paper(self):
        names = [one["paper"] for one in json.loads(self.succeed("paper", "tatl", "--json"))]
        self.assertEqual(set(names), {"tatl"})

    def test_computed(self):
        for name in ("eq4", "fig2"):
            self.assertEqual(self.figure("cab", name)["verdict"], "reproduced")
        tries = {one["x"]: one["samples"][0] for one in self.figure("tbb-thesis", "fig59-60")["points"]
                 if one["panel"] == "tries"}
        self.assertEqual(tries, {"L2": 50, "L3": 3, "other": 1})

    def test_threads_of_the_managers_tree_communicate_with_few_others(self):
        # There are 512 threads in a tree of degree eight. Each communicates with seven others on each level.
        of = self.figure("adm", "fig2-4")
        entries = {one["series"]: one["samples"][0] for one in of["points"]}
        self.assertEqual(entries, {"adm": 29, "anywhere": 31, "core": 44})
        self.assertEqual(of["verdict"], "reproduced")

    def test_operations_are_counted(self):
        run = json.loads(self.succeed("run", "mergesort", "n=20000", "form=phase", "leaf=256", "--simulate",
                                      "adm-cmp-64c", "--substrate", "adm", "--workers", "128", "--level", "lines",
                                      "--json"))["simulated"]
        for name in ("enqueue", "dequeue", "receive_update", "match_steal", "send_tasks", "receive_task"):
            self.assertGreater(run["operations"][name]["times"], 0, name)
        self.assertEqual(run["operations"]["reduction"], {"times": 0, "cycles": 0})
        self.assertEqual(run["tasks"], {"run": 0, "stolen": 0}, "Carbon counts them")
        # The counts are those of the timed run, without the warm-up run before it.
        self.assertEqual(run["operations"]["enqueue"]["times"], run["operations"]["dequeue"]["times"])

    def test_run(self):
        of = self.figure(*TINY[1:])
        self.assertEqual((of["paper"], of["id"], of["level"], of["size"]), ("tatl", "table3", "L0", "quick"))
        self.assertEqual(of["seeds"], [1, 2, 3, 4, 5])
        points = {(one["panel"], one["series"], one["x"]): one["samples"] for one in of["points"]}
        for (panel, series, x), samples in points.items():
            self.assertEqual(len(samples), 5)
            most = float("inf") if panel.startswith("missed") else 1  # "missed" panels show counts, others shares
            self.assertTrue(all(0 <= one <= most for one in samples), panel)
        run = json.loads(self.succeed("run", "matmul", "form=divide", "n=512", "--simulate", "xeon-x5550-2s-nehalem",
                                      "--level", "steps", "--workers", "8", "--policy", "random", "--seed", "4",
                                      "--json"))["counters"]
        self.assertEqual(points["remote", "random", "8"][3], run["remote_attempts"] / run["attempts"])
        self.assertEqual(points["misses", "random", "8"][3], run["steal_misses"] / run["attempts"])
        self.assertEqual(len({tuple(samples) for samples in points.values()}), len(points))
        for value in of["values"]:
            self.assertEqual("ours" in value, value["verdict"] != "not run")

    def test_the_same_seeds_give_the_same_text(self):
        first = self.succeed(*TINY, "--json")
        self.assertEqual(self.succeed(*TINY, "--json", SKUA_WORKERS="3", SKUA_POLICY="random"), first)
        self.assertEqual(len(self.figure(*TINY[1:], "--seeds", "6")["points"][0]["samples"]), 6)

    def test_caches_are_counted_as_a_run_reports_them(self):
        run = json.loads(self.succeed("run", "heat", "n=200", "steps=2", "--simulate", "opteron-8380-4s", "--workers",
                                      "4", "--json"))["simulated"]
        self.assertEqual([one["level"] for one in run["caches"]], [1, 2, 3])
        self.assertGreaterEqual(run["caches"][0]["demand_misses"], run["caches"][1]["demand_misses"])
        # Two plates of 200 x 200 doubles are read from memory once, by demand or by a prefetch.
        lines = 2 * 200 * 200 * 8 // 64
        self.assertGreaterEqual(run["caches"][2]["demand_misses"] + run["caches"][2]["prefetches"], 0.9 * lines)
        self.assertEqual(len(run["nodes"]), 4)

    def test_what_cannot_be_run_says_what_it_needs(self):
        of = self.figure("cab", "fig9")
        self.assertEqual((of["verdict"], of["reason"], of["points"]),
                         ("not run", "needs timed runs on a real machine", []))
        self.assertIn("not run: needs timed runs on a real machine", self.succeed("paper", "cab", "fig9"))

    def test_pages(self):
        with tempfile.TemporaryDirectory() as folder:
            files = [os.path.join(folder, name) for name in ("page.md", "page.html", "plot.svg")]
            text = self.succeed(*TINY, "--markdown", files[0], "--html", files[1], "--plot", files[2])
            page, html, plot = (pathlib.Path(file).read_text(encoding="utf-8") for file in files)
            verdict = re.search(r"(?m)^[+=x] (reproduced|same sign and order|different)", text)[1]
            for one in (page, html):
                self.assertIn(verdict, one)
                self.assertIn("in at least 4 of 5 seeds", one, "how it is judged")
                self.assertRegex(one, r"time of the runs\W.*\d s in total")
                self.assertIn("skua paper tatl table3 --size quick", one)
                self.assertIn("package:2 l3:2 core:2 pu:2, xeon-x5550-2s-nehalem", one, "what it was run on")
            self.assertTrue(html.startswith("<!DOCTYPE html>"))
            self.assertTrue(plot.startswith("<svg"))

    def test_the_pages_in_docs_have_every_figure(self):
        """Each figure that can be run must have a result. Write the pages again after you add or repair a figure."""
        page, html = ((PROJECT / "docs" / f"fidelity.{kind}").read_text(encoding="utf-8") for kind in ("md", "html"))
        listed = json.loads(self.succeed("paper", "--json"))
        sections = dict(re.findall(r"(?ms)^## ([^\n]+)\n(.*?)(?=^## |\Z)", page))
        self.assertEqual(list(sections), [f"{one['paper']} {one['id']}" for one in listed])
        for one in listed:
            name = f"{one['paper']} {one['id']}"
            verdict = re.search(r"(?m)^\*\*([a-z ]+)\*\*:", sections[name])[1]
            if one["runs"] == "all":
                self.assertNotEqual(verdict, "not run", name)
            self.assertIn(f'id="{one["paper"]}-{one["id"]}"', html)

    def test_the_page_lists_what_is_tuned(self):
        page = (PROJECT / "docs" / "fidelity.md").read_text(encoding="utf-8")
        self.assertRegex(page, r"(?m)^- slowdown of maxflow = 6: ")

    def test_kept_results_are_not_run_again(self):
        with tempfile.TemporaryDirectory() as folder:
            kept = pathlib.Path(folder) / "runs.jsonl"
            keep = (*TINY, "--seeds", "5", "--json", "--keep", str(kept))
            first = self.succeed(*keep)
            lines = kept.read_text().splitlines(keepends=True)
            kept.write_text("".join(lines[:-1]) + lines[-1][:40])  # as if the program had been stopped
            self.assertEqual(self.succeed(*keep), first)
            self.assertEqual(sorted(json.loads(line)["command"] for line in kept.read_text().splitlines()),
                             sorted(json.loads(line)["command"] for line in lines))
            # The page shows the results that were read from the file.
            changed = [json.loads(line) for line in lines]
            for line in changed:
                report = json.loads(line["output"])
                report["counters"]["attempts"] *= 2
                line["output"] = json.dumps(report)
            kept.write_text("".join(json.dumps(line) + "\n" for line in changed))
            self.assertNotEqual(json.loads(self.succeed(*keep))["points"], json.loads(first)["points"])
            for other in ("{}\n", "not ours, without an end"):
                kept.write_text(other)
                self.refuse(*keep, naming=["line 1 of", "--keep"])
                self.assertEqual(kept.read_text(), other)
            self.refuse(*TINY, "--keep", folder, naming=["cannot write", "Is a directory"])
            self.refuse("paper", "--keep", str(kept), naming=["--keep", "--all"])

    def test_the_time_of_a_run_counts_once(self):
        """A figure reads several numbers from one run; the time of that run counts once."""
        with tempfile.TemporaryDirectory() as folder:
            kept = pathlib.Path(folder) / "runs.jsonl"
            text = self.succeed(*TINY, "--keep", str(kept))
            took = sum(json.loads(line)["seconds"] for line in kept.read_text().splitlines())
            said = float(re.search(r"time of the runs: ([\d.]+) s", text)[1])
            self.assertAlmostEqual(said / took, 1, delta=0.01)

    def test_quiet_in_a_pipe(self):
        self.assertEqual(skua(*TINY)[2], "")

    def test_refusals(self):
        self.refuse("paper", "cba", naming=["'cba'", "tbb-thesis", "nearest: cab"])
        self.refuse("paper", "cab", "fig88", naming=["'fig88'", "nearest: fig8"])
        self.refuse("paper", "cab", "fig8", "--seeds", "4", naming=["'4'", "nearest: 5"])
        self.refuse("paper", "cab", "fig8", "--size", "quik", naming=["'quik'", "nearest: quick"])
        self.refuse("paper", "cab", "fig8", "--all", naming=["'fig8'", "--all"])
        self.refuse("paper", "--plot", "x.svg", naming=["--plot", "PAPER FIGURE"])
        self.refuse("paper", "--html", "x.html", naming=["skua paper --all"])
        self.refuse("paper", "cab", "fig8", "--html", "/nowhere/x.html", naming=["'/nowhere/x.html'"])


if __name__ == "__main__":
    tool.main()
