"""Generated pages: each one equals the output of `make docs`, and everything that it names exists."""
import json
import os
import pathlib
import re
import subprocess
import sys

import tool
from tool import ToolTest, main

PROJECT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


class Documentation(ToolTest):
    def test_pages_are_what_their_sources_say(self):
        docs = os.path.join(PROJECT, "tools", "docs")
        done = subprocess.run([sys.executable, docs, "--check", tool.TOOL], capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_options_of_cmake_are_documented(self):
        defined = set()
        for file in (pathlib.Path(PROJECT, "CMakeLists.txt"), *pathlib.Path(PROJECT, "cmake").glob("*.cmake"),
                     *(pathlib.Path(PROJECT, folder, "CMakeLists.txt") for folder in ("bench", "tests"))):
            text = file.read_text(encoding="utf-8")
            defined |= set(re.findall(r"option\((SKUA_\w+)", text)) | set(re.findall(r"set\((SKUA_\w+) .* CACHE (?:PATH|STRING)", text))
        page = pathlib.Path(PROJECT, "docs", "building.md").read_text(encoding="utf-8")
        documented = set(re.findall(r"^\| `(SKUA_\w+)`", page, re.MULTILINE))
        self.assertGreater(len(defined), 5)
        self.assertEqual(documented, defined)

    def test_the_cost_of_a_fork_without_membarrier_is_the_same_on_all_pages_and_in_the_sentence_of_programs(self):
        stated = set()
        for name in ("README.md", "docs/performance.md", "src/core/scheduler_core.cpp"):
            text = re.sub(r"\s+", " ", pathlib.Path(PROJECT, name).read_text(encoding="utf-8"))
            found = re.findall(r"takes about (\d+) times as long", text[text.index("membarrier(2)"):])
            self.assertEqual(len(found), 1, name)
            stated |= set(found)
        self.assertEqual(len(stated), 1, stated)

    def test_every_policy_has_a_drawing(self):
        for policy in json.loads(self.succeed("list", "policies", "--json")):
            with self.subTest(policy=policy["name"]):
                drawing = json.loads(self.succeed("explain", policy["name"], "--json"))["drawing"]
                lines = drawing.splitlines()
                self.assertGreater(len(lines), 2)
                self.assertLessEqual(len(lines), 12)
                self.assertLessEqual(max(map(len, lines)), 78)
                self.assertIn(lines[0], self.succeed("explain", policy["name"]))

    def test_a_page_lists_everything(self):
        page = self.succeed("explain", "most_loaded", "--markdown")
        about = json.loads(self.succeed("explain", "most_loaded", "--json"))
        for text in ("# most_loaded", about["drawing"], "## When it helps", "## When it hurts", "| `refresh` | `5` |",
                     "## What it costs a fork", "--policy \"most_loaded(how=list, refresh=5", "scheduler pool({.policy",
                     "## Paper", "TBB thesis"):
            self.assertIn(text, page)

    def test_refusals(self):
        self.refuse("explain", "nearest", "--json", "--markdown", naming=["--json", "--markdown"])
        self.refuse("explain", "most_laoded", "--markdown", naming=["'most_laoded'", "nearest: most_loaded"])

    def test_policies_with_all_defaults_are_accepted(self):
        """The name of each policy with all its defaults, as the page shows it."""
        for policy in json.loads(self.succeed("list", "policies", "--json")):
            about = json.loads(self.succeed("explain", policy["name"], "--json"))
            options = ", ".join(f"{o['name']}={o['default']}" for o in about["options"])
            text = f"{policy['name']}({options})" if options else policy["name"]
            self.assertIn(f'--policy "{text}"', self.succeed("explain", policy["name"], "--markdown"))
            self.succeed("run", "fib", "n=15", "--repeat", "1", "--workers", "2", "--policy", text)


main()
