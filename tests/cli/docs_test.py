"""The pages that are written from somewhere else: each is what `make docs` would write, and what it names exists."""
import json
import os
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

    def test_every_policy_has_a_drawing(self):
        for policy in json.loads(self.succeed("list", "policies", "--json")):
            with self.subTest(policy=policy["name"]):
                drawing = json.loads(self.succeed("explain", policy["name"], "--json"))["drawing"]
                lines = drawing.splitlines()
                self.assertGreater(len(lines), 2)
                self.assertLessEqual(len(lines), 12)
                self.assertLessEqual(max(map(len, lines)), 78)
                self.assertIn(lines[0], self.succeed("explain", policy["name"]))

    def test_a_page_has_all_there_is(self):
        page = self.succeed("explain", "most_loaded", "--markdown")
        about = json.loads(self.succeed("explain", "most_loaded", "--json"))
        for text in ("# most_loaded", about["drawing"], "## When it helps", "## When it hurts", "| `refresh` | `5` |",
                     "## What it costs a fork", "--policy \"most_loaded(how=list, refresh=5", "scheduler pool({.policy",
                     "## Paper", "TBB thesis"):
            self.assertIn(text, page)

    def test_refusals(self):
        self.refuse("explain", "nearest", "--json", "--markdown", naming=["--json", "--markdown"])
        self.refuse("explain", "most_laoded", "--markdown", naming=["'most_laoded'", "nearest: most_loaded"])

    def test_what_is_written_out_is_accepted(self):
        """The name with all its defaults, as the page shows it."""
        for policy in json.loads(self.succeed("list", "policies", "--json")):
            about = json.loads(self.succeed("explain", policy["name"], "--json"))
            options = ", ".join(f"{o['name']}={o['default']}" for o in about["options"])
            text = f"{policy['name']}({options})" if options else policy["name"]
            self.assertIn(f'--policy "{text}"', self.succeed("explain", policy["name"], "--markdown"))
            self.succeed("run", "fib", "n=15", "--repeat", "1", "--workers", "2", "--policy", text)


main()
