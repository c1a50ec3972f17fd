"""Bad input to the tool: it prints one sentence with the input, the allowed values and the nearest match; exit code 2."""
import os
import re
import tempfile

from tool import ToolTest, main, skua


class BadInput(ToolTest):
    def test_subcommands(self):
        self.refuse(naming=["run", "list", "topo"])
        self.refuse("rnu", naming=["'rnu'", "nearest: run"])
        self.refuse("--bogus", naming=["'--bogus'", "--version"])

    def test_names(self):
        self.refuse("run", naming=["NAME"])
        self.refuse("run", "quens", naming=["'quens'", "fib", "nearest: queens"])
        self.refuse("run", "fib", "--size", "big", naming=["--size", "'big'", "ci, med or paper"])
        self.refuse("run", "fib", "--policy", "nearst", naming=["'nearst'", "random", "nearest: nearest"])
        self.refuse("run", "fib", SKUA_POLICY="randon", naming=["'randon'", "nearest: random"])
        self.refuse("list", naming=["WHAT"])
        self.refuse("list", "wrkloads", naming=["'wrkloads'", "nearest: workloads"])

    def test_programs_of_this_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            program, page = os.path.join(folder, "solver"), os.path.join(folder, "page")
            for path, mode in ((program, 0o755), (page, 0o644)):
                with open(path, "w", encoding="utf-8") as file:
                    file.write("#!/bin/sh\n")
                os.chmod(path, mode)
            os.mkdir(os.path.join(folder, "solvers"))
            here = os.getcwd()
            os.chdir(folder)
            try:
                for command in ("scale", "compare", "tune"):
                    self.refuse(command, "solver", naming=["'solver'", "allowed: ", "; nearest: ./solver\n"])
                    for none in ("page", "solvers"):
                        code, _, err = skua(command, none)
                        self.assertEqual(code, 2)
                        self.assertNotIn("./" + none, err)
            finally:
                os.chdir(here)

    def test_numbers(self):
        for subcommand in (["run", "fib"], ["topo"]):
            for value in ("0", "-1", "4097", "abc", "1.5", "99999999999999999999", ""):
                self.refuse(*subcommand, "--workers", value,
                            naming=["--workers", f"'{value}'", "1 to 4096", "nearest: " if re.search(r"\d", value) else "4096\n"])
            for value, nearest in (("3x", 3), ("-7", 1), ("99999999999999999999", 4096)):
                self.refuse(*subcommand, SKUA_WORKERS=value, SKUA_TOPOLOGY="package:2 core:3 pu:1",
                            naming=["SKUA_WORKERS", value, "1 to 4096", f"nearest: {nearest}"])
            for value in ("1G", "64k", "0x10"):  # the nearest number to their letters is none to what they mean
                self.refuse(*subcommand, SKUA_WORKERS=value, naming=[f"'{value}'", "a whole number from 1 to 4096\n"])
            self.refuse(*subcommand, SKUA_WORKERS="many", naming=["SKUA_WORKERS", "many", "a whole number from 1 to 4096\n"])
        self.refuse("run", "fib", "--workers", "mesure", naming=["measure or a whole number", "nearest: measure"])
        self.refuse("run", "fib", "--workers", "xyz", naming=["measure or a whole number from 1 to 4096\n"])
        self.refuse("run", "fib", "--repeat", "-3", naming=["--repeat", "'-3'", "nearest: 1"])
        self.refuse("run", "fib", "--repeat", "0", naming=["--repeat", "'0'", "nearest: 1"])
        self.refuse("run", "fib", "--repeat", "often", naming=["--repeat", "'often'", "a whole number from 1 to 1000000\n"])
        threads = ("run", "fib", "--simulate", "opteron-8380-4s", "--threads-a-core")
        self.refuse(*threads, "-1", naming=["--threads-a-core", "'-1'", "0 to 512; nearest: 0\n"])
        self.refuse(*threads, "1G", naming=["--threads-a-core", "'1G'", "a whole number from 0 to 512\n"])
        self.refuse(*threads, "2", naming=["threads_a_core", "is 2", "allowed: 0 for the default; nearest: 0\n"])
        self.refuse("run", "fib", "--seed", "-1", naming=["--seed", "'-1'", "nearest: 0"])

    def test_empty_values(self):
        for option in ("--policy", "--topology", "--distances", "--input", "--simulate", "--record"):
            self.refuse("run", "fib", option, "", naming=[option, "empty", "skua run --help"])
            self.refuse("run", "fib", f"{option}=", naming=[option])
        self.refuse("run", "", naming=["NAME", "empty"])
        self.refuse("compare", "--machines", "", "--workloads", "fib", naming=["--machines", "empty"])

    def test_options(self):
        self.refuse("run", "fib", "--wrokers", "2", naming=["'--wrokers'", "nearest: --workers"])
        self.refuse("run", "fib", "--wrokers=2", naming=["'--wrokers'", "nearest: --workers"])
        self.refuse("run", "fib", "--workers", naming=["--workers needs one value"])
        self.refuse("topo", "extra", naming=["'extra'"])

    def test_options_of_workloads(self):
        self.refuse("run", "fib", "foo", naming=["'foo'", "OPTION=VALUE"])
        self.refuse("run", "heat", "step", naming=["'step'", "nearest: steps=VALUE"])
        self.refuse("run", "fib", "m=1", naming=["'m'", "allowed: n"])
        self.refuse("run", "fib", "n=99", naming=["'99'", "0 to 60", "nearest: 60"])
        self.refuse("run", "fib", "n=99999999999999999999", naming=["0 to 60", "nearest: 60"])
        self.refuse("run", "fib", "n=x", naming=["'x'", "from 0 to 60\n"])
        self.refuse("run", "fib", "n=1G", naming=["'1G'", "from 0 to 60\n"])  # no number is near to what it means
        self.refuse("run", "queens", "test=pairwse", naming=["'pairwse'", "nearest: pairwise"])

    def test_nothing_to_damage(self):
        with tempfile.NamedTemporaryFile("w", suffix=".dimacs") as network:
            network.write("p max 2 0\nn 1 s\nn 2 t\n")
            network.flush()
            for arguments in (["mergesort", "n=0"], ["quicksort", "n=0"], ["maxflow", "--input", network.name]):
                self.refuse("run", *arguments, "--corrupt-result", naming=["nothing to corrupt", "allowed with --corrupt-result"])

    def test_too_little_memory(self):
        for name, option in (("matmul", "n=16384"), ("hull", "n=1073741824"), ("mergesort", "n=1000000000")):
            self.refuse("run", name, option, "--workers", "2", address_space=3_000_000_000,
                        naming=[f"{name} ci with {option} needs more memory", "nearest: smaller options"])

    def test_input_files(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("inputs", "outputs"):
                os.mkdir(os.path.join(folder, name))
            for wrong, nearest in ((f"{folder}/input", f"{folder}/inputs"), (f"{folder}/x", folder),
                                   (f"{folder}/outputs/a/b/", f"{folder}/outputs"), ("", "/usr/share/common-licenses")):
                self.refuse("run", "wordcount_files", f"roots={wrong}",
                            naming=[f"'{wrong}'", "allowed: directories", f"nearest: {nearest}\n"])

    def test_machines(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("empty.xml", ""), ("damaged.xml", "<?xml version='1.0'?><topology><object ty")):
                path = os.path.join(folder, name)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
                for subcommand in (["run", "fib"], ["topo"]):
                    self.refuse(*subcommand, "--topology", path, naming=[path])
            self.refuse("topo", "--topology", os.path.join(folder, "none.xml"), naming=["none.xml"])
        for subcommand in (["run", "fib"], ["topo"]):
            self.refuse(*subcommand, "--topology", "package:2x", naming=["package:2x"])
            self.refuse(*subcommand, SKUA_TOPOLOGY="croe:4", naming=["croe", "core"])


main()
