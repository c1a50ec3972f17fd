"""`skua topo`, `skua list`, help and version."""
import json

from tool import ToolTest, main, skua


class Topo(ToolTest):
    def machine(self, *arguments, **environment):
        return json.loads(self.succeed("topo", "--json", *arguments, **environment))

    def test_synthetic_machine(self):
        out = self.machine("--topology", "package:4 core:4 pu:1")
        self.assertEqual([out[key] for key in ("packages", "numa_nodes", "domains", "cores", "pus", "workers")],
                         [4, 1, 4, 16, 16, 16])
        self.assertEqual([s["worker"] for s in out["seats"]], list(range(16)))
        self.assertEqual(len({s["cpu"] for s in out["seats"]}), 16)
        heads = [s for s in out["seats"] if s["head"]]
        self.assertEqual([s["domain"] for s in heads], [0, 1, 2, 3])

    def test_host_is_the_default(self):
        out = self.machine()
        self.assertEqual(out["source"], "host")
        for key in ("packages", "numa_nodes", "domains", "cores", "pus", "workers"):
            self.assertIsInstance(out[key], int)
        self.assertGreaterEqual(out["workers"], 1)
        self.assertEqual(len(out["seats"]), out["workers"])

    def test_workers(self):
        self.assertEqual(self.machine("--workers", "3")["workers"], 3)
        self.assertEqual(self.machine(SKUA_WORKERS="5")["workers"], 5)
        self.assertEqual(self.machine("--workers", "3", SKUA_WORKERS="5")["workers"], 3)
        self.assertEqual(self.machine(SKUA_TOPOLOGY="package:2 core:3 pu:1")["workers"], 6)

    def test_pin_orders(self):
        for arguments, environment, cpus in (([], {}, [0, 1, 2, 3]), (["--pin", "dealt"], {}, [0, 2, 1, 3]),
                                             ([], {"SKUA_PIN": "dealt"}, [0, 2, 1, 3]),
                                             (["--pin", "grouped"], {"SKUA_PIN": "dealt"}, [0, 1, 2, 3]),
                                             (["--pin", "3,0-1"], {"SKUA_PIN": "dealt"}, [3, 0, 1]),
                                             ([], {"SKUA_PIN": "2,1"}, [2, 1]),
                                             (["--workers", "3"], {"SKUA_PIN": "2,1"}, [2, 1, 2])):
            out = self.machine("--topology", "package:2 core:2 pu:1", *arguments, **environment)
            self.assertEqual([s["cpu"] for s in out["seats"]], cpus)
        for command in (["topo"], ["run", "fib"]):
            for other in ("1G", "0x1", "4 CPUs"):  # a list that is near in letters is near to none of these
                self.refuse(*command, "--pin", other, naming=["--pin", f"'{other}'", "or CPUs as in 0,3,6-8\n"])
            self.refuse(*command, "--pin", "delt", naming=["--pin", "'delt'", "grouped or dealt", "nearest: dealt"])
            self.refuse(*command, naming=["SKUA_PIN", "'delt'", "nearest: dealt"], SKUA_PIN="delt")
            machine = ("--topology", "package:2 core:2 pu:1")
            self.refuse(*command, *machine, "--pin", "0,7", naming=["CPU 7", "allowed: 0-3", "nearest: 3"])
            self.refuse(*command, *machine, "--pin", "1,0-2", naming=["CPU 1 is given twice"])
            self.refuse(*command, *machine, SKUA_PIN="1,99", naming=["SKUA_PIN is '1,99': CPU 99 is not available; allowed: 0-3;"])
            self.refuse(*command, *machine, "--pin", "1,,2", naming=["'1,,2'", "0,3,6-8"])
        run = json.loads(self.succeed("run", "fib", "--topology", "package:2 core:2 pu:1", "--pin", "dealt", "--repeat",
                                      "1", "--json"))
        self.assertEqual((run["cpus_of_workers"], run["verified"]), ([0, 2, 1, 3], True))

    def test_drawing(self):
        out = self.succeed("topo", "--topology", "package:2 core:2 pu:1", "--workers", "2")
        for part in ("2 packages", "4 cores", "package 0", "package 1", "worker 0", "worker 1", "head"):
            self.assertIn(part, out)


class List(ToolTest):
    def test_workloads(self):
        names = [w["name"] for w in json.loads(self.succeed("list", "workloads", "--json"))]
        self.assertEqual(len(names), len(set(names)))
        self.assertLessEqual({"fib", "queens", "heat", "mergesort", "matmul", "uts", "skynet"}, set(names))
        text = self.succeed("list", "workloads")
        for name in names:
            self.assertIn(name, text)

    def test_policies(self):
        names = {p["name"] for p in json.loads(self.succeed("list", "policies", "--json"))}
        self.assertLessEqual({"nearest", "random"}, names)
        for name in names:
            self.assertIn(name, self.succeed("list", "policies"))


class Help(ToolTest):
    def test_every_subcommand_has_an_example(self):
        for subcommand in ([], ["run"], ["list"], ["topo"], ["machines"], ["bench"]):
            out = self.succeed(*subcommand, "--help")
            self.assertIn("Usage: skua", out)
            self.assertRegex(out, r"Examples?:\n  skua ", subcommand)

    def test_version(self):
        code, out, _ = skua("--version")
        self.assertEqual(code, 0)
        self.assertRegex(out, r"\Askua \d+\.\d+\.\d+\n\Z")


main()
