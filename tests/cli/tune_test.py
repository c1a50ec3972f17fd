"""skua tune: which policy is the fastest at each call site of a program, kept for later runs."""
import json
import pathlib
import tempfile

import tool
from tool import ToolTest, main, skua

MACHINE = "package:2 core:4 pu:1"


class Tune(ToolTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = str(pathlib.Path(folder.name, "kept"))

    def tune(self, *more, program=("run", "mergesort", "n=10000", "--repeat", "200")):
        return skua("tune", "--simulate", MACHINE, "--output", self.file, *more, "--", tool.TOOL, *program)

    def test_later_runs_begin_with_what_earlier_ones_have_found(self):
        code, out, err = self.tune("--runs", "1", "--json")
        self.assertEqual(code, 0, err)
        first = json.loads(out)
        self.assertEqual((first["runs"], first["workers"], first["file"]), (1, 8, self.file))
        decided = [place for place in first["places"] if place["stage"] == "decided"]
        self.assertTrue(decided, out)
        lines = pathlib.Path(self.file).read_text().splitlines()
        self.assertEqual(lines[0], "skua learnt 2")
        self.assertEqual(len(lines) - 1, len(decided), lines)
        code, out, err = self.tune("--runs", "1", "--json")
        self.assertEqual(code, 0, err)
        second = json.loads(out)
        for place in decided:
            [again] = [one for one in second["places"]
                       if all(one[key] == place[key] for key in ("address", "kind", "size_bits"))]
            self.assertEqual((again["policy"], again["stage"], again["lost_ns"]), (place["policy"], "decided", 0))

    def test_the_text_names_places_and_what_to_do_next(self):
        code, out, err = self.tune("--runs", "2")
        self.assertEqual(code, 0, err)
        self.assertIn(f"2 runs of {tool.TOOL} on 8 workers, policy auto", out)
        self.assertIn("under nearest", out)
        self.assertIn(f"SKUA_POLICY=auto SKUA_LEARNT={self.file}", out)

    def test_one_domain_has_nothing_to_choose(self):
        code, out, err = skua("tune", "--simulate", "package:1 core:4 pu:1", "--output", self.file, "--", tool.TOOL, "run", "heat",
                              "n=64", "steps=2")
        self.assertEqual(code, 0, err)
        self.assertIn("nothing to choose", out)
        self.assertFalse(pathlib.Path(self.file).exists())

    def test_failures_and_refusals(self):
        code, out, err = self.tune(program=("run", "none"))
        self.assertEqual((code, out, err.count("\n")), (1, "", 1), err)
        self.refuse("tune", "./none", naming=["'./none'", "cannot be run"])
        self.refuse("tune", "--output", self.file, "/bin/true", naming=["'/bin/true' left no report, so it does not use skua"])
        self.refuse("tune", tool.TOOL, "--measured", naming=["--measured", "--simulate"])
        self.refuse("tune", tool.TOOL, "--runs", "0", naming=["--runs"])
        self.refuse("tune", tool.TOOL, "--output", "/nowhere/kept", naming=["--output", "/nowhere/kept"])
        self.assertIn("Exit code: 0", self.succeed("tune", "--help"))


if __name__ == "__main__":
    main()
