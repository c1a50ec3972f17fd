#!/usr/bin/env python3
"""The tool must use the runtime of the shared library. Its own code must not define names of the core.

    one_runtime_test.py TOOL

Templates and inline functions of the core's headers are weak symbols. The linker keeps one copy of each per process."""
import subprocess
import sys

STATEFUL = ("skua::core::", "skua::policy::", "skua::simulator::engine", "skua::detail::cpus_at_start")

names = subprocess.run(["nm", "--demangle", "--defined-only", sys.argv[1]], capture_output=True, text=True, check=True)
defined = [line.split(maxsplit=2) for line in names.stdout.splitlines() if " " in line]
second = [name for _, kind, name in (one for one in defined if len(one) == 3)
          if kind in "TtDdBb" and name.startswith(STATEFUL)]
assert len(defined) > 100, "nm lists no names of " + sys.argv[1]
assert not second, f"{len(second)} names of the core are in the tool itself, the first is {second[0]}"
