"""`skua report --baseline` must refuse a run of another input that no command line shows, and accept the same input.

baseline_test.py PROGRAM TOOL"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

program, tool = sys.argv[1:]
source = pathlib.Path(__file__).with_name("program.cpp").read_text(encoding="utf-8").splitlines()
[step] = [number for number, line in enumerate(source, 1) if line.endswith("// step")]
has_lines = "libdw" in subprocess.run(["ldd", tool], capture_output=True, text=True).stdout
clean = {name: value for name, value in os.environ.items() if not name.startswith(("SKUA_", "PROGRAM_"))}

with tempfile.TemporaryDirectory() as folder:
    def run(name, workers, **input):
        report = str(pathlib.Path(folder, name))
        subprocess.run([program], check=True, env=clean | {"SKUA_REPORT": report, "SKUA_WORKERS": str(workers)} |
                       {f"PROGRAM_{name.upper()}": str(value) for name, value in input.items()})
        return report

    def against(one):
        return subprocess.run([tool, "report", several, "--baseline", one, "--json"], env=clean, capture_output=True, text=True)

    several = run("several.json", 2, size=3000, steps=10)
    same = against(run("same.json", 1, size=3000, steps=10))
    assert same.returncode == 0, same.stderr
    told = json.loads(same.stdout)
    assert told["summary"]["speedup_measured"], told["summary"]
    assert not [note for note in told["notes"] if "baseline" in note], told["notes"]
    for input, words in (({"size": 2500, "steps": 10}, ("2500 positions a call of the loop", "the run 3000 positions a call")),
                         ({"size": 3000, "steps": 4}, ("4 calls of the loop", "the run 10 calls"))):
        other = against(run("other.json", 1, **input))
        assert other.returncode == 2, (input, other)
        assert other.stdout == "" and other.stderr.count("\n") == 1, other
        for word in (*words, "steps_of_environment", "allowed: a run of the same program with the same input on one worker"):
            assert word in other.stderr, (word, other.stderr)
        if has_lines:
            assert f" at program.cpp:{step}, and" in other.stderr, other.stderr
    noted = against(run("noted.json", 1, size=3000, steps=8))  # it may have converged earlier
    assert noted.returncode == 0, noted.stderr
    assert [note for note in json.loads(noted.stdout)["notes"] if "the baseline had 8 calls of the loop" in note], noted.stdout
