#!/usr/bin/env python3
"""`skua fuzz` must find a planted mistake of each kind, and report nothing for the library without mistakes.

    fuzz_test.py TOOL nothing STEPS                                the library without a mistake
    fuzz_test.py TOOL FOLDER_OF_A_LIBRARY WORDS [OPTION ...]       a library with a mistake: the finding contains WORDS

A mistake must be found in the first steps, even on a busy machine, and again by the command that replays the step.
"""
import json
import os
import re
import shlex
import subprocess
import sys

STEPS_TO_FIND = 1000  # less than a minute on an idle machine


def fuzz(tool, library, *options):
    """Runs `skua fuzz` with the library of that folder; returns the exit code and the output."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("SKUA_")}
    if library:
        clean["LD_LIBRARY_PATH"] = library
    done = subprocess.run([tool, "fuzz", "--json", *options], capture_output=True, text=True, env=clean)
    assert done.returncode in (0, 1), f"exit code {done.returncode}: {done.stdout}{done.stderr}"
    assert done.stderr == "", done.stderr
    return done.returncode, json.loads(done.stdout)


def nothing_is_found(tool, steps):
    code, out = fuzz(tool, None, "--seed", "1", "--steps", steps)
    print(f"{out['steps']} steps, {out['tasks']} tasks, {out['events']} events")
    assert code == 0 and out["findings"] == [], out["findings"]
    assert out["steps"] == int(steps), out


def mistake_is_found(tool, library, words, options):
    code, out = fuzz(tool, library, "--seed", "1", "--steps", str(STEPS_TO_FIND), *options)
    assert code == 1, f"nothing was found in {out['steps']} steps"
    as_expected = [one for one in out["findings"] if re.search(words, one["wrong"])]
    assert as_expected, f"something else was found: {out['findings']}"
    first = as_expected[0]
    print(f"after {out['steps']} steps: {first['what']}: {first['wrong']}")
    replay = shlex.split(first["replay"])
    assert replay[:2] == ["skua", "fuzz"], first["replay"]
    code, again = fuzz(tool, library, *replay[2:])
    assert code == 1 and [one["wrong"] for one in again["findings"]] == [first["wrong"]], again
    code, without = fuzz(tool, None, *replay[2:])
    assert code == 0, f"the library without the mistake fails, too: {without['findings']}"


def main():
    tool, library, words, *options = sys.argv[1:]
    if library == "nothing":
        nothing_is_found(tool, words)
    else:
        mistake_is_found(tool, library, words, options)


if __name__ == "__main__":
    main()
