#!/usr/bin/env python3
"""The sizes of skua's shared libraries without symbols: library_sizes.py BUILD [--strip PROGRAM] [--check]

BUILD is a build tree, or a folder of libraries. With --check it fails if a library is larger than its bound. The bounds are for a
release build by gcc."""
import argparse, pathlib, subprocess, sys, tempfile

# What gcc 12 needed when the bounds were written (libskua.so: 1.41 MB, libskua_simulator.so: 0.83 MB), and 10 percent.
BOUNDS = {"libskua.so": 1_550_000, "libskua_simulator.so": 910_000}


def size_without_symbols(library, strip):
    with tempfile.TemporaryDirectory() as folder:
        stripped = pathlib.Path(folder, library.name)
        subprocess.run([strip, "-o", stripped, library], check=True)
        return stripped.stat().st_size


def main():
    parser = argparse.ArgumentParser(usage="library_sizes.py BUILD [--strip PROGRAM] [--check]")
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--strip", default="strip")
    parser.add_argument("--check", action="store_true")
    wanted = parser.parse_args()
    failed = False
    for name, bound in BOUNDS.items():
        size = size_without_symbols(wanted.build / name, wanted.strip)
        print(f"{name}: {size} bytes without symbols" + (f", allowed {bound}" if wanted.check else ""))
        failed |= size > bound
    sys.exit(wanted.check and failed)


main()
