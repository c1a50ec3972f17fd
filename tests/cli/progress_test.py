"""The progress line of long commands: it appears on a terminal and nowhere else."""
import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import termios
import time

import tool
from tool import ToolTest, main, skua

LONG = ("fuzz", "--seconds", "4", "--seed", "1")  # takes the same time on any machine


def on_terminal(*arguments, columns=80, enough=None):
    """Returns (exit code, stdout, output on the terminal). Ends the tool when the output matches the pattern `enough`."""
    terminal, end = tool.open_terminal()
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    clean = {k: v for k, v in os.environ.items() if not k.startswith("SKUA_")}
    child = subprocess.Popen([tool.TOOL, *arguments], stdout=subprocess.PIPE, stderr=end, stdin=subprocess.DEVNULL,
                             env=clean, start_new_session=True)
    os.close(end)
    shown = b""
    deadline = time.monotonic() + 600
    while time.monotonic() < deadline:
        if select.select([terminal], [], [], 0.2)[0]:
            try:
                got = os.read(terminal, 65536)
            except OSError:  # on Linux this means that the other end is closed
                break
            if not got:
                break
            shown += got
        if enough and re.search(enough, shown.decode()):
            os.killpg(child.pid, signal.SIGKILL)  # also kills the runs that it started
            break
    out, _ = child.communicate()
    os.close(terminal)
    return child.returncode, out.decode(), shown.decode()


def lines_of(shown):
    """The successive contents of the line; the last one is what remains."""
    return shown.split("\r\x1b[K")[1:]


class Progress(ToolTest):
    def test_share_and_time_left_on_a_terminal(self):
        code, out, shown = on_terminal(*LONG)
        self.assertEqual(code, 0, shown)
        lines = lines_of(shown)
        self.assertEqual(lines[-1], "", "cleared at the end")
        told = [line for line in lines if line]
        self.assertTrue(told, shown)
        for line in told:
            self.assertRegex(line, r"\A\d+%(, \d+ s left)?: \d+ steps\Z")
        self.assertIn("no errors", out)

    def test_no_time_left_is_shown_before_a_run_has_ended(self):
        """At the first line no run has finished, so the time left is unknown."""
        code, _, shown = on_terminal("compare", "--machines", "xeon-x5550-2s-nehalem", "--workloads", "fib n=10",
                                     "--policies", "nearest", "--seeds", "4", "--level", "steps")
        self.assertEqual(code, 0, shown)
        self.assertEqual(lines_of(shown)[0], "0%: 0 of 8 runs")
        self.assertEqual(lines_of(shown)[-1], "")

    def test_the_time_left_is_right(self):
        _, _, shown = on_terminal("fuzz", "--seconds", "600", "--seed", "1", enough=r"%, \d+ (s|min) left")
        line = [line for line in lines_of(shown) if "left" in line][0]
        self.assertRegex(line, r"\A[0-5]?\d%, ([5-9]|10) min left: \d+ steps")  # of ten minutes

    def test_cut_to_the_terminal(self):
        for columns in (12, 20):
            _, _, shown = on_terminal("compare", "--machines", "xeon-x5550-2s-nehalem", "--workloads", "fib n=10",
                                      "--policies", "nearest", "--seeds", "4", "--level", "steps", columns=columns)
            lines = lines_of(shown)
            self.assertEqual(lines[0], "0%: 0 of 8 runs"[:columns - 1])
            self.assertLess(max(map(len, lines)), columns)

    def test_every_long_command_has_one(self):
        run_twice = ("run", "fib", "--size", "ci", "--repeat", "2")
        shown = on_terminal(*run_twice)[2]
        self.assertIn("fib ci: warming up", shown)
        self.assertRegex(shown, r"33%(, \d+ s left)?: fib ci: run 1 of 2")
        self.assertIn("0%: 0 of 2 runs", on_terminal("scale", "fib", "n=10", "--workers", "1,2", "--repeat", "1")[2])
        shown = on_terminal("scale", "fib", "--size", "med", "--workers", "1", "--repeat", "500", enough=r"so far: 0 of 1 run")[2]
        self.assertRegex(lines_of(shown)[-1], r"\A0%, \d+ s so far: 0 of 1 run")
        self.assertIn("0%: serial program", on_terminal("scale", "fib", "n=10", "--workers", "1", "--serial")[2])
        self.assertIn("0 of 10 runs", on_terminal("paper", "tatl", "table2", enough="0 of 10 runs")[2])
        simulated = on_terminal("run", "uts", "--size", "med", "--simulate", "xeon-x5550-2s-nehalem",
                                enough="s simulated")[2]
        self.assertRegex(simulated, r"\x1b\[Kuts med: [\d.e-]+ s simulated, [\d.e-]+ million events a second")
        self.assertIn("measuring memory, 1 of 3", on_terminal("calibrate", enough="measuring memory, 1 of 3")[2])

    def test_share_of_one_run(self):
        """A program with repeated parts tells its progress; for a recursive program, the previous run gives the estimate."""
        steps = ("heat", "--size", "med", "--repeat", "1")
        simulated = on_terminal("run", *steps, "--simulate", "xeon-x5550-2s-nehalem", enough=r"[1-9]\d*%, \d+ (s|min) left")[2]
        self.assertRegex(simulated, r"[1-9]\d*%, \d+ (s|min) left: heat med: [\d.e-]+ s simulated")
        for program in (("triad", "sweeps=60000", "--repeat", "1"), ("fib", "n=43", "--repeat", "1")):
            with self.subTest(program=program):
                code, _, shown = on_terminal("run", *program, "--workers", "1")
                self.assertEqual(code, 0, shown)
                told = [line for line in lines_of(shown) if "run 1 of 1" in line]
                shares = [int(share) for line in told for share in re.findall(r"\A(\d+)%", line)]
                self.assertEqual(shares, sorted(shares))
                self.assertTrue(any(50 < share < 100 for share in shares), shown)
                self.assertTrue(any(re.search(r"\A\d+%.*, \d+ s so far\Z", line) for line in lines_of(shown)), shown)
                self.assertIn("checking the answer", shown)
                self.assertEqual(lines_of(shown)[-1], "")

    def test_nothing_in_a_pipe(self):
        for arguments in (("run", "fib", "--repeat", "2"), ("run", "fib", "--repeat", "2", "--json"),
                          ("scale", "fib", "n=10", "--workers", "1", "--json"), ("fuzz", "--steps", "3"),
                          ("fuzz", "--steps", "3", "--json")):
            with self.subTest(arguments=arguments):
                code, out, err = skua(*arguments)
                self.assertEqual((code, err), (0, ""))
                self.assertNotIn("\x1b", out)

    def test_the_line_is_not_on_stdout(self):
        _, out, shown = on_terminal("fuzz", "--seconds", "1", "--seed", "1", "--json")
        self.assertTrue(lines_of(shown), shown)
        self.assertTrue(out.startswith("{") and out.endswith("}\n"), out)


if __name__ == "__main__":
    main()
