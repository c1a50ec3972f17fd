"""The warnings of a project of which skua is a part must not apply to skua's sources. The project is only configured. Then a
source that its warnings refuse is compiled with the options of each of skua's sources.

    warnings_test.py CMAKE COMPILER SKUA PROJECT FOLDER    SKUA and PROJECT: folders of sources; FOLDER: for the build tree
"""
import json
import pathlib
import shlex
import shutil
import subprocess
import sys

cmake, compiler, skua, project, folder = sys.argv[1:]
folder = pathlib.Path(folder)
shutil.rmtree(folder, ignore_errors=True)
subprocess.run([cmake, "-S", project, "-B", folder / "build", f"-DCMAKE_CXX_COMPILER={compiler}", f"-DSKUA_SOURCE={skua}",
                "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"], check=True, stdout=subprocess.DEVNULL)
refused = folder / "refused.cpp"
refused.write_text("unsigned f(int x) { return (int)x; }\n", encoding="utf-8")  # -Wuseless-cast and others

files_of = {}  # by their options
for command in json.loads((folder / "build/compile_commands.json").read_text(encoding="utf-8")):
    words = shlex.split(command["command"])
    for named in ("-o", "-c"):
        at = words.index(named)
        del words[at:at + 2]
    files_of.setdefault((command["directory"], *words), []).append(command["file"])

of_project = of_skua = 0
for (directory, *words), files in files_of.items():
    done = subprocess.run([*words, "-fsyntax-only", str(refused)], cwd=directory, capture_output=True, text=True)
    if files[0].endswith("/outside.cpp"):
        of_project += len(files)
        assert done.returncode != 0 and "[-Werror" in done.stderr, f"{words} do not refuse {refused}: {done.stderr}"
    else:
        of_skua += len(files)
        assert done.returncode == 0 and not done.stderr, f"{files[0]} has the warnings of the project:\n{done.stderr}\n{words}"
assert of_project == 1 and of_skua > 10, (of_project, of_skua)
print(f"{of_skua} sources of skua, {len(files_of) - 1} sets of options")
