"""Shared parts of the tests of the command line tool. Each test gets the path of the tool as its only argument."""
import json
import os
import pathlib
import pty
import resource
import subprocess
import sys
import unittest


def skua(*arguments, address_space=resource.RLIM_INFINITY, **environment):
    """Runs the tool; returns (exit code, stdout, stderr). The timeout is long, for busy machines."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("SKUA_")}
    done = subprocess.run([TOOL, *arguments], capture_output=True, text=True, timeout=600, env=clean | environment,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space)))
    return done.returncode, done.stdout, done.stderr


class ToolTest(unittest.TestCase):
    def succeed(self, *arguments, **environment):
        """Returns the output of a command, which must succeed."""
        code, out, err = skua(*arguments, **environment)
        self.assertEqual(code, 0, f"{arguments}: {err}{out}")
        return out

    def refuse(self, *arguments, naming, **environment):
        """Bad input: the exit code is 2, stdout is empty, and stderr is one line that contains all of `naming`."""
        code, out, err = skua(*arguments, **environment)
        self.assertEqual(code, 2, f"{arguments}: {err}{out}")
        self.assertEqual(out, "", arguments)
        self.assertRegex(err, r"\Askua: [^\n]+\n\Z", arguments)
        for part in naming:
            self.assertIn(part, err, arguments)


class program_that_waits:
    """A program that runs the tool, and leaves a record whose workers waited for CPUs for a share of their time."""
    def __init__(self, folder):
        self.path, self._share = os.path.join(folder, "program"), pathlib.Path(folder, "share")
        pathlib.Path(self.path).write_text(f"""#!{sys.executable}
import json, os, pathlib, subprocess
report = pathlib.Path(os.environ["SKUA_REPORT"])
subprocess.run([{json.dumps(os.path.abspath(TOOL))}, "run", "fib", "n=20", "--repeat", "1"], check=True, stdout=subprocess.DEVNULL,
               pass_fds=[int(report.name)])
record = json.loads(report.read_text())
share = float(pathlib.Path({json.dumps(str(self._share))}).read_text())
record["seconds"] = record["inside_seconds"] = 1.0
for worker in record["workers"]:
    worker["times"] = {{name: 1_000_000_000 if name == "user" else 0 for name in worker["times"]}}
    worker["kernel"] = {{"on_cpu_ns": 0, "waiting_ns": int(share * 1e9), "blocked_ns": 0, "preemptions": 0}}
report.write_text(json.dumps(record))
""", encoding="utf-8")
        os.chmod(self.path, 0o755)

    def waits(self, share):
        self._share.write_text(str(share), encoding="utf-8")


def open_terminal():
    """Returns both ends of a terminal. Skips the test if there is none, as in a chroot without /dev/pts."""
    try:
        return pty.openpty()
    except OSError as refused:
        raise unittest.SkipTest(f"no terminal to be had: {refused}") from refused


def main():
    global TOOL
    TOOL = sys.argv.pop(1)
    unittest.main(module="__main__")
