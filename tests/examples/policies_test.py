"""Runs the programs of docs/your-own-policy.md. Each must give the right answer, even if its policy misbehaves.

    policies_test.py FOLDER    the folder with the programs
"""
import os
import re
import subprocess
import sys
import time
import unittest

MACHINES = ({"SKUA_WORKERS": "1"}, {"SKUA_WORKERS": "2"},
            {"SKUA_WORKERS": "8", "SKUA_TOPOLOGY": "package:2 core:4 pu:1"})


def run(name, *arguments, **environment):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("SKUA_")}
    return subprocess.run([os.path.join(FOLDER, name), *arguments], capture_output=True, text=True, timeout=600,
                          env=clean | environment)


def for_a_minute():
    """Allows attempts for a minute: on a busy machine a thief may repeatedly come too late."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        yield


def takes_nothing(name, attempts="[0-9]+"):
    return (rf"skua: policy '{re.escape(name)}' has stolen nothing in {attempts} attempts although there is work; "
            r"tasks run on the worker that created them\n")


class Policies(unittest.TestCase):
    def steals(self, done, policy, stderr="", answer="fib(30) = 832040"):
        """Checks the answer and stderr, and returns the number of steals. The line that the policy has stolen nothing is
        allowed for each policy, because its thieves may wait for a CPU."""
        self.assertEqual(done.returncode, 0, done.stderr)
        nothing = f"(?:{takes_nothing(policy)})?"
        self.assertRegex(done.stderr, rf"\A(?:{nothing}{stderr}{nothing})\Z")
        said = re.fullmatch(rf"(.+): {re.escape(answer)}, (\d+) steals\n", done.stdout)
        self.assertTrue(said, done.stdout)
        self.assertEqual(said[1], policy)
        return int(said[2])

    def everywhere(self, name):
        return [self.steals(run(name, **machine), name) for machine in MACHINES]

    def one_that_steals(self, name):
        for _ in for_a_minute():
            if any(self.everywhere(name)):
                return
        self.fail(f"{name} never stole anything")

    def test_ring(self):
        self.one_that_steals("ring")

    def test_richest_of_two(self):
        self.one_that_steals("richest_of_two")

    def test_five_steps(self):
        self.one_that_steals("five_steps")

    def told_that_it_takes_nothing(self, name, how_often):
        line = takes_nothing(name, how_often)
        said = 0
        for _ in for_a_minute():
            for machine in MACHINES:
                done = run(name, **machine)
                self.assertEqual(self.steals(done, name, answer="fib(34) = 5702887"), 0)
                self.assertRegex(done.stderr, rf"\A(?:{line})?\Z")
                said += done.stderr != ""
            if said:
                return
        self.fail("no line said that it has stolen nothing")

    def test_one_that_never_steals(self):
        self.told_that_it_takes_nothing("never_steals", "0")

    def test_one_that_always_refuses(self):
        self.told_that_it_takes_nothing("always_refuses", r"[1-9]\d*")

    def test_one_that_throws(self):
        line = (r"skua: policy 'throws' threw on worker \d: no victim is good enough; "
                r"workers on which it throws use nearest instead\n")
        said = 0
        for _ in for_a_minute():
            for machine in MACHINES:
                done = run("throws", **machine)
                self.steals(done, "throws", stderr=f"(?:{line})?")
                said += " threw on worker " in done.stderr
            if said:
                return
        self.fail("no line said that it throws")

    def test_the_user_chooses(self):
        for policy in ("ring", "random", "most_loaded(always, half)", "mix(0.5, ring, nearest)"):
            self.steals(run("ring", "--policy", policy, SKUA_WORKERS="3"), policy)

    def test_a_wrong_choice_is_refused_in_one_sentence(self):
        for policy, nearest in (("rnig", "nearest: ring"), ("ring(half)", "'half'")):
            done = run("ring", "--policy", policy)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertRegex(done.stderr, r"\Aring: [^\n]+\n\Z")
            self.assertIn(nearest, done.stderr)


FOLDER = sys.argv.pop(1)
unittest.main()
