"""Traces: `skua run --trace`, SKUA_TRACE with any program, and the rules of the Trace Event Format for the files."""
import json
import pathlib
import tempfile

from tool import ToolTest, main, skua

PHASES = {"M": {"name", "pid", "tid", "args"}, "X": {"name", "cat", "pid", "tid", "ts", "dur", "args"},
          "s": {"name", "cat", "pid", "tid", "ts", "id"}, "f": {"name", "cat", "pid", "tid", "ts", "id", "bp"},
          "i": {"name", "cat", "pid", "tid", "ts", "s", "args"}}

def ns(microseconds):
    return round(1000 * microseconds)


def no_repeated_names(pairs):
    names = [name for name, _ in pairs]
    assert len(names) == len(set(names)), f"a name twice in {names}"
    return dict(pairs)


class Trace(ToolTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name) / "run.trace"

    def valid(self):
        """Returns the events of the file; checks each event alone and together with the others."""
        trace = json.loads(self.file.read_text(), object_pairs_hook=no_repeated_names)
        self.assertEqual(set(trace), {"displayTimeUnit", "otherData", "traceEvents"})
        self.assertIn(trace["displayTimeUnit"], ("ms", "ns"))
        events = trace["traceEvents"]
        for event in events:
            self.check_event(event)
        self.check_lines(events)
        self.check_nesting(events)
        self.check_arrows(events)
        return events

    def check_event(self, event):
        self.assertIn(event.get("ph"), PHASES, event)
        self.assertEqual(set(event), PHASES[event["ph"]] | {"ph"}, event)
        for name, kind in (("name", str), ("cat", str), ("pid", int), ("tid", int), ("args", dict), ("id", int)):
            if name in event:
                self.assertIsInstance(event[name], kind, event)
        for name in ("ts", "dur"):
            if name in event:
                self.assertIsInstance(event[name], (int, float), event)
                self.assertGreaterEqual(event[name], 0, event)
        self.assertGreater(event["tid"], 0, "to Perfetto, 0 is the machine's idle thread")
        if event["ph"] == "i":
            self.assertEqual(event["s"], "t")

    def check_lines(self, events):
        named = {(e["pid"], e["tid"]) for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
        self.assertEqual({(e["pid"], e["tid"]) for e in events if e["ph"] != "M"} - named, set())

    def check_nesting(self, events):
        lines = {}
        for e in events:
            if e["ph"] == "X":
                lines.setdefault((e["pid"], e["tid"]), []).append((ns(e["ts"]), -ns(e["ts"]) - ns(e["dur"]), e["name"]))
        for line, slices in lines.items():
            ends = []
            for begin, minus_end, name in sorted(slices):
                while ends and ends[-1] <= begin:
                    ends.pop()
                if ends:
                    self.assertLessEqual(-minus_end, ends[-1], (line, name))
                ends.append(-minus_end)

    def check_arrows(self, events):
        begins = {e["id"]: e for e in events if e["ph"] == "s"}
        ends = {e["id"]: e for e in events if e["ph"] == "f"}
        self.assertEqual(len(begins), sum(e["ph"] == "s" for e in events), "an id twice")
        self.assertEqual(begins.keys(), ends.keys())
        slices = {(e["pid"], e["tid"], e["ts"]) for e in events if e["ph"] == "X"}
        for id, begin in begins.items():
            self.assertLessEqual(begin["ts"], ends[id]["ts"])
            for e in (begin, ends[id]):
                self.assertIn((e["pid"], e["tid"], e["ts"]), slices, "an arrow to or from nothing")

    def count(self, events, category):
        return sum(e.get("cat") == category and e["ph"] == "X" for e in events)

    def test_a_run(self):
        self.succeed("run", "mergesort", "--workers", "4", "--repeat", "2", "--trace", str(self.file))
        events = self.valid()
        self.assertGreaterEqual(self.count(events, "call"), 3)  # two runs and one to warm up
        self.assertEqual(sum(e["name"] == "thread_name" for e in events), 8)

    def test_a_simulated_run(self):
        out = json.loads(self.succeed("run", "queens", "--simulate", "opteron-8380-4s", "--json", "--trace", str(self.file)))
        events = self.valid()
        self.assertEqual(sum(e["ph"] == "s" for e in events), out["counters"]["steals"])
        last = max(e["ts"] + e["dur"] for e in events if e["ph"] == "X")
        self.assertAlmostEqual(last, out["simulated"]["seconds"] * 1e6, delta=10)

    def test_messages_of_managers(self):
        self.succeed("run", "queens", "--simulate", "opteron-8380-4s", "--policy", "managers", "--trace", str(self.file))
        events = self.valid()
        self.assertLessEqual({"UPDATE", "STEAL", "TASK"}, {e["name"] for e in events if e["ph"] == "i"})

    def test_a_trace_by_environment(self):
        code, _, err = skua("run", "fib", "--repeat", "2", SKUA_WORKERS="3", SKUA_TRACE=str(self.file))
        self.assertEqual(code, 0, err)
        self.assertGreater(self.count(self.valid(), "call"), 0)

    def test_several_schedulers_are_several_processes(self):
        self.succeed("run", "fib", "--repeat", "1", "--workers", "2", "--report", str(self.file) + ".json",
                     SKUA_TRACE=str(self.file))
        self.assertEqual(len({e["pid"] for e in self.valid()}), 2)

    def test_events_without_room_are_counted(self):
        self.succeed("run", "queens", "--workers", "2", "--repeat", "30", "--trace", str(self.file),
                     SKUA_TRACE_EVENTS="1000", SKUA_SIMULATE="opteron-8380-4s")
        names = [e["args"]["name"] for e in self.valid() if e["name"] == "thread_name"]
        self.assertTrue(any("had no room: SKUA_TRACE_EVENTS" in name for name in names), names)

    def test_bad_input(self):
        same = str(self.file)
        self.refuse("run", "fib", "--trace", same, "--report", same, naming=["--report and --trace", same, "two files"])
        self.refuse("run", "fib", SKUA_TRACE=same, SKUA_REPORT=same, naming=["SKUA_REPORT and SKUA_TRACE", same])
        self.refuse("run", "fib", "--trace", "/no/run.trace", naming=["--trace", "/no/run.trace", "a folder that exists"])
        self.refuse("run", "fib", SKUA_TRACE="/no/run.trace", naming=["SKUA_TRACE", "/no/run.trace"])
        self.refuse("run", "fib", SKUA_TRACE_EVENTS="9", naming=["SKUA_TRACE_EVENTS", "1000"])


main()
