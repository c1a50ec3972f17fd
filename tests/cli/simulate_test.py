"""Programs on simulated machines, selected by an option or by the environment."""
import json
import os
import shutil
import subprocess
import tempfile

import tool
from tool import main, open_terminal, skua, ToolTest

MACHINE = "opteron-8380-4s"


class Simulated(ToolTest):
    def heat(self, *words):
        return json.loads(self.succeed("run", "heat", "--simulate", MACHINE, "--json", *words))

    def test_reports_the_run_and_is_repeatable(self):
        one, again = self.heat(), self.heat()
        self.assertTrue(one["verified"])
        self.assertEqual(one["workers"], 16)
        self.assertEqual(one["simulated"]["stream"], again["simulated"]["stream"])
        self.assertEqual(len(one["simulated"]["caches"]), 3)
        self.assertGreater(one["simulated"]["cycles"], 1_000_000)

    def test_levels_and_pages_change_it(self):
        streams = {self.heat("--level", level)["simulated"]["stream"] for level in ("steps", "lines", "caches")}
        streams.add(self.heat("--pages", "interleave")["simulated"]["stream"])
        self.assertEqual(len(streams), 4)

    def test_a_program_that_is_simulated_by_environment(self):
        code, out, err = skua("run", "heat", "--json", SKUA_SIMULATE=MACHINE, SKUA_SIMULATE_COSTS="declared")
        self.assertEqual(code, 0, err)
        for what in ("cycles", "machine", "level"):
            self.assertEqual(json.loads(out)["simulated"][what], self.heat()["simulated"][what])
        self.assertRegex(err, rf"\Askua: simulated {MACHINE}: 0\.00\d+ s, \d+ cycles; computing [\d.]+%, .*\n\Z")

    def test_a_run_that_measures_says_how_to_repeat_it(self):
        how = "skua: the times of leaves were measured"
        with tempfile.TemporaryDirectory() as folder:
            times = os.path.join(folder, "times")

            def said(**environment):
                code, _, err = skua("run", "heat", SKUA_SIMULATE=MACHINE, SKUA_SIMULATE_LEVEL="steps", **environment)
                self.assertEqual(code, 0, err)
                return [line for line in err.splitlines() if line.startswith(how)]

            self.assertRegex(" ".join(said()), f"^{how}, so the next run differs; SKUA_SIMULATE_RECORD=FILE keeps them, .*$")
            self.assertEqual(said(SKUA_SIMULATE_RECORD=times), [f"{how}; SKUA_SIMULATE_REPLAY={times} repeats them"])
            self.assertEqual(said(SKUA_SIMULATE_REPLAY=times), [])
            self.assertEqual(said(SKUA_SIMULATE_COSTS="declared"), [])

    def test_skua_run_says_that_measured_times_differ(self):
        how = "the times of leaves were measured, so the next run differs; "
        simulated = ("run", "heat", "--simulate", MACHINE, "--level", "steps")
        with tempfile.TemporaryDirectory() as folder:
            times = os.path.join(folder, "times")
            self.assertIn(how + "--record FILE keeps them for --replay FILE\n", self.succeed(*simulated, "--measured"))
            self.assertIn(f"{how}--replay {times} repeats them\n",
                          self.succeed(*simulated, "--measured", "--record", times))
            self.assertNotIn(how, self.succeed(*simulated, "--replay", times))
            self.assertNotIn(how, self.succeed(*simulated))

    def test_phases_on_substrates(self):
        for substrate in ("software", "carbon", "uli", "adm"):
            out = self.succeed("run", "maxflow", "--simulate", "adm-cmp-64c", "--workers", "16", "--substrate",
                               substrate)
            self.assertIn("verified  yes", out)

    def test_phases_do_not_depend_on_where_malloc_puts_them(self):
        heaps = ("", "glibc.malloc.tcache_count=0", "glibc.malloc.mmap_threshold=4096",
                 "glibc.malloc.mxfast=0:glibc.malloc.tcache_count=1")
        by_hardware = ("--simulate", "adm-cmp-64c", "--level", "lines", "--workers", "32", "--substrate")
        plain = ("--simulate", "xeon-8480plus-2s", "--level", "lines", "--workers", "32")
        cg = ("cg16", "form=phases", "iterations=1")
        for words in [(*cg, *by_hardware, substrate) for substrate in ("software", "carbon", "uli", "adm")] + [
                (*cg, *plain), ("hashjoin", *plain), ("maxflow", *plain, "--policy", "chase_lev")]:
            streams = {json.loads(self.succeed("run", *words, "--json", GLIBC_TUNABLES=heap))["simulated"]["stream"]
                       for heap in heaps}
            self.assertEqual(len(streams), 1, words)

    # Large arrays begin at page boundaries, and hints have cache lines of their own.
    def test_large_arrays_and_hints_do_not_depend_on_where_malloc_puts_them(self):
        heaps = ("glibc.malloc.mmap_threshold=33554432", "glibc.malloc.mmap_threshold=65536:glibc.malloc.top_pad=777777")
        for words in (("heat",), ("matmul",), ("sgemm", "--policy", "depth_aware"), ("triad", "--policy", "affinity")):
            runs = [json.loads(self.succeed("run", *words, "--simulate", MACHINE, "--json", GLIBC_TUNABLES=heap))
                    for heap in heaps]
            self.assertEqual(*(run["simulated"]["stream"] for run in runs), words)

    def test_times_of_leaves_are_recorded_and_replayed(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "times")
            measured = self.heat("--record", file)["simulated"]
            again = self.heat("--replay", file)["simulated"]
            self.assertEqual(measured["stream"], again["stream"])
            self.assertEqual(again["measured"]["not_recorded"], 0)
            self.assertGreater(measured["measured"]["times"], 100)
            by_random = self.heat("--replay", file, "--policy", "random", "--workers", "5")["simulated"]
            self.assertAlmostEqual(by_random["times"]["computing"] / measured["times"]["computing"], 1, delta=0.05)
            code, _, err = skua("run", "heat", SKUA_SIMULATE=MACHINE, SKUA_SIMULATE_REPLAY=file)
            self.assertEqual(code, 0, err)
            with open(file, "a") as damaged:
                damaged.write("step 1\n")
            self.heat("--replay", file)  # the program stops reading before the damaged end
            with open(file, "w") as damaged:
                damaged.write("skua recording 1\nstep 1\n")
            self.refuse("run", "heat", "--simulate", MACHINE, "--replay", file, naming=[file, "is damaged in line 2"])
            self.refuse("run", "heat", "--simulate", MACHINE, "--replay", __file__, naming=["is not a recording"])
            self.refuse("run", "heat", "--simulate", MACHINE, "--replay", folder + "/none", naming=["cannot read"])
            self.refuse("run", "heat", "--simulate", MACHINE, "--record", folder + "/a/b", naming=["cannot write"])

    def test_own_threads_change_nothing(self):
        self.assertEqual(self.heat("--workers", "4")["simulated"]["stream"],
                         self.heat("--workers", "4", "--own-threads")["simulated"]["stream"])

    def on_a_terminal(self, run):
        """Returns the output on stderr, which is a terminal."""
        ours, theirs = open_terminal()
        process = subprocess.Popen(run, stdout=subprocess.DEVNULL, stderr=theirs)
        os.close(theirs)
        shown = b""
        try:
            while part := os.read(ours, 4096):
                shown += part
        except OSError:  # the other end is closed
            pass
        os.close(ours)
        self.assertEqual(process.wait(), 0)
        return shown

    def test_progress_is_shown_on_a_terminal_only(self):
        for repeat in (12, 120, 1200):  # until a run takes long enough to show progress
            run = (tool.TOOL, "run", "heat", "--simulate", MACHINE, "--repeat", str(repeat))
            if shown := self.on_a_terminal(run):
                break
        self.assertRegex(shown.decode(), r"heat ci: .*[\d.e-]+ s simulated, [\d.e-]+ million events a second")
        self.assertTrue(shown.endswith(b"\r\x1b[K"), shown[-80:])
        self.assertEqual(skua(*run[1:])[2], "")

    def test_text_has_the_times_and_the_cache_counts(self):
        out = self.succeed("run", "heat", "--simulate", MACHINE)
        self.assertRegex(out, r"\n  time      computing \d+\.\d%, data \d+\.\d%, ")
        for level in (1, 2, 3):
            self.assertRegex(out, rf"\n  L{level} caches \d+ hits, [1-9]\d* misses \(\d+\.\d%\), \d+ lines prefetched\n")
        self.assertRegex(out, r"\n  memory    [\d.]+ MB read, [\d.]+ of them from another package; [\d.]+ MB written\n")

    def test_a_model_of_the_host_is_marked_as_simulated(self):
        self.assertRegex(self.succeed("run", "fib", "--simulate", "host"), r"\n  machine   host: .*; simulated\n")

    def test_levels_have_the_names_of_the_pages_too(self):
        run = ("run", "fib", "--simulate", MACHINE, "n=12", "--json")
        lines, also_lines = (json.loads(self.succeed(*run, "--level", level)) for level in ("lines", "L1"))
        self.assertEqual(also_lines["simulated"]["level"], "lines")
        self.assertEqual(also_lines["simulated"]["stream"], lines["simulated"]["stream"])

    def test_names_of_files_may_be_any_bytes(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(os.fsencode(folder), b"\xff.xml")
            shutil.copyfile(os.path.join(os.path.dirname(__file__), "../data/hybrid.xml"), file)
            out = self.succeed("run", "fib", "--simulate", os.fsdecode(file), "n=10", "--json")
            self.assertGreater(json.loads(out)["simulated"]["cycles"], 0)

    def test_refusals_name_what_is_allowed(self):
        on = ("run", "fib", "--simulate")
        for option in (["--level", "lines"], ["--free-looks"], ["--record", "/none/x"], ["--watchdog", "1"]):
            self.refuse("run", "fib", *option, naming=[option[0], "allowed: with --simulate"])
        self.refuse(*on, MACHINE, "--topology", "host", naming=["--topology", "allowed: one of them"])
        self.refuse(*on, MACHINE, "--slowdown", "0", naming=["'0'", "from 0.01 to 10000; nearest: 0.01"])
        self.refuse(*on, MACHINE, "--substrate", "carbon", naming=[MACHINE, "allowed: adm-cmp-128c, adm-cmp-32c or adm-cmp-64c"])
        with tempfile.TemporaryDirectory(suffix=".json") as folder:
            self.refuse(*on, folder, naming=[folder, "does not exist"])
        self.refuse(*on, "", naming=["--simulate", "is empty"])
        self.refuse(*on, MACHINE, "--workers", "measure", naming=["--workers measure", "allowed: a number"])
        self.refuse("run", "fib", "--topology", "host", SKUA_SIMULATE=MACHINE,
                    naming=["SKUA_SIMULATE and --topology", "allowed: one of them"])
        self.refuse(*on, "opteron-8380", naming=["opteron-8380", MACHINE])
        self.refuse(*on, MACHINE, "--level", "cache", naming=["nearest: caches"])
        self.refuse(*on, MACHINE, "--pages", "interleaved", naming=["nearest: interleave"])
        self.refuse(*on, "adm-cmp-64c", "--substrate", "carbone", naming=["nearest: carbon"])
        self.refuse("run", "fib", SKUA_SIMULATE="epyc", naming=["SKUA_SIMULATE", "epyc-9654-2s"])
        for name, value, nearest in (("LEVEL", "bandwith", "bandwidth"), ("COSTS", "measure", "measured"),
                                     ("FREE_LOOKS", "yess", "yes"), ("THREADS", "of", "off"), ("WATCHDOG_S", "-1", "0")):
            self.refuse("run", "fib", SKUA_SIMULATE=MACHINE, **{f"SKUA_SIMULATE_{name}": value},
                        naming=[f"SKUA_SIMULATE_{name}", f"nearest: {nearest}"])


if __name__ == "__main__":
    main()
