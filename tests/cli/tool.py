"""What the tests of the command line tool share: they get its path as their only argument."""
import os
import pty
import resource
import subprocess
import sys
import unittest


def skua(*arguments, address_space=resource.RLIM_INFINITY, **environment):
    """Runs the tool; returns (exit code, stdout, stderr). It may take long on a busy machine, never for ever."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("SKUA_")}
    done = subprocess.run([TOOL, *arguments], capture_output=True, text=True, timeout=600, env=clean | environment,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space)))
    return done.returncode, done.stdout, done.stderr


class ToolTest(unittest.TestCase):
    def succeed(self, *arguments, **environment):
        """The output of a command that must succeed and say nothing on stderr but warnings of its own."""
        code, out, err = skua(*arguments, **environment)
        self.assertEqual(code, 0, f"{arguments}: {err}{out}")
        return out

    def refuse(self, *arguments, naming, **environment):
        """Bad input: exit code 2, nothing on stdout, one line on stderr with all of `naming` in it."""
        code, out, err = skua(*arguments, **environment)
        self.assertEqual(code, 2, f"{arguments}: {err}{out}")
        self.assertEqual(out, "", arguments)
        self.assertRegex(err, r"\Askua: [^\n]+\n\Z", arguments)
        for part in naming:
            self.assertIn(part, err, arguments)


def open_terminal():
    """Its two ends. Skips the test where there is none to be had, as in a chroot without /dev/pts."""
    try:
        return pty.openpty()
    except OSError as refused:
        raise unittest.SkipTest(f"no terminal to be had: {refused}") from refused


def main():
    global TOOL
    TOOL = sys.argv.pop(1)
    unittest.main(module="__main__")
