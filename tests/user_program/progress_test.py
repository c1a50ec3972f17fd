"""A program that SKUA_SIMULATE simulates must show its progress on a terminal, and print nothing into a pipe.

progress_test.py PROGRAM"""
import os
import pty
import re
import select
import subprocess
import sys
import time

program = [sys.argv[1], "1.5"]
environment = {name: value for name, value in os.environ.items() if not name.startswith("SKUA_")}
environment |= {"SKUA_SIMULATE": "opteron-8380-4s", "SKUA_SIMULATE_COSTS": "declared", "SKUA_SIMULATE_LEVEL": "steps"}
END = r"skua: simulated opteron-8380-4s: [^\n]*\n"

try:
    terminal, end = pty.openpty()
except OSError as refused:
    print(f"[  SKIPPED ] no terminal to be had: {refused}")
    sys.exit(0)
child = subprocess.Popen(program, env=environment, stderr=end, stdout=subprocess.PIPE)
os.close(end)
shown = b""
deadline = time.monotonic() + 600
while time.monotonic() < deadline:
    if not select.select([terminal], [], [], 0.2)[0]:
        continue
    try:
        got = os.read(terminal, 65536)
    except OSError:  # on Linux this means that the other end is closed
        break
    shown += got
out = child.communicate()[0]
text = shown.decode().replace("\r\n", "\n")
assert (child.returncode, out) == (0, b""), (child.returncode, out)
lines = text.split("\r\x1b[K")[1:]
assert lines, text
assert re.fullmatch(END, lines[-1]), text  # the line was cleared at the end
for line in lines[:-1]:
    assert re.fullmatch(r"simulating opteron-8380-4s: [\d.e-]+ s of virtual time, \d+ s so far\r|", line), (line, text)
assert any(line for line in lines[:-1]), text

piped = subprocess.run(program, env=environment, capture_output=True, text=True, timeout=600)
assert piped.returncode == 0 and piped.stdout == "" and re.fullmatch(END, piped.stderr), piped
print(f"{len(lines) - 1} lines")
