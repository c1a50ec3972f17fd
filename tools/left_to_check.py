#!/usr/bin/env python3
"""Prints the objects of one build tree that another tree does not compile.

    tools/left_to_check.py TREE OTHER     both are folders with a compile_commands.json

A source that the other tree compiles only in a batch with others counts as not compiled: by itself it may lack a header.
"""
import json
import pathlib
import re
import sys


def sources(file):
    """The sources behind a file: those that it includes if it is a batch, else the file itself."""
    text = file.read_text() if "Unity" in file.parts and file.exists() else ""
    return frozenset(re.findall(r'#include "([^"]+)"', text)) or frozenset([str(file)])


def commands(tree):
    return json.loads((pathlib.Path(tree) / "compile_commands.json").read_text())


def main():
    tree, other = sys.argv[1:]
    compiled = {sources(pathlib.Path(command["file"])) for command in commands(other)}
    for command in commands(tree):
        if sources(pathlib.Path(command["file"])) not in compiled:
            print(re.search(r" -o (\S+)", command["command"]).group(1))


if __name__ == "__main__":
    main()
