"""Shared parts of the tests of the command line tool. Each test gets the path of the tool as its only argument."""
import os
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
