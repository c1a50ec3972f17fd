"""`skua machines`: the list, one machine from each kind of source, and refusals."""
import json
import os
import re
import tempfile

from tool import ToolTest, main

PROJECT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
FILES = os.path.join(PROJECT, "machines")
PAGE = os.path.join(PROJECT, "docs", "machines.md")


class Machines(ToolTest):
    def machine(self, name):
        return json.loads(self.succeed("machines", name, "--json"))

    def values(self, name):
        return {one["name"]: (one["value"], one["source"]) for one in self.machine(name)["values"]}

    def test_list(self):
        known = sorted(file.removesuffix(".json") for file in os.listdir(FILES))
        listed = json.loads(self.succeed("machines", "--json"))
        self.assertEqual([one["name"] for one in listed], known)
        text = self.succeed("machines")
        for one in listed:
            self.assertRegex(text, rf"(?m)^{one['name']} +{one['threads']} threads  {re.escape(one['title'])}$")
            self.assertEqual(one["threads"], len(self.machine(one["name"])["hardware"]))
        self.assertIn("L1 32 KB, L2 3 MB for 2 cores, L3 16 MB for 6 cores", text)

    def test_one(self):
        machine = self.machine("opteron-8380-4s")
        self.assertEqual((machine["threads"], machine["packages"], machine["ghz"]), (16, 4, 2.5))
        self.assertEqual(machine["hops"][0], [0, 1, 1, 2])
        self.assertEqual(machine["caches"][2]["instances"][1]["threads"], [4, 5, 6, 7])
        values = self.values("opteron-8380-4s")
        self.assertEqual(values["line_transfer_cycles.one_hop"], ("205", "M"))
        self.assertEqual(values["caches[1].latency_cycles"], ("15", "S size, M latency"))
        text = self.succeed("machines", "opteron-8380-4s")
        for part in ("domain 3 (L3 6 MB, NUMA node 3)", "L3: 4 of 6 MB, 48 ways, lines of 64 bytes, for 4 threads; a hit "
                     "takes 45 cycles", "S stated in a paper"):
            self.assertIn(part, text)
        self.assertRegex(text, r"line_transfer_cycles.two_hop +260 +E\n")

    def test_any_topology(self):
        values = self.values("package:2 l3:1(size=8388608) core:4 pu:2")
        self.assertEqual(values["caches[2].size_kb"], ("8192", "hwloc"))
        self.assertEqual(values["caches[2].latency_cycles"][1], "default")
        self.assertEqual(self.machine(os.path.join(PROJECT, "tests", "data", "hybrid.xml"))["cores"], 7)
        self.assertGreaterEqual(self.machine("host")["threads"], 1)

    def test_the_example_of_the_page_is_a_machine(self):
        with open(PAGE, encoding="utf-8") as page:
            example = re.search(r"```json\n(.*?)```", page.read(), re.S)[1]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "mine.json")
            with open(path, "w", encoding="utf-8") as file:
                file.write(example)
            self.assertEqual(self.machine(path)["name"], json.loads(example)["name"])
            with open(path, "w", encoding="utf-8") as file:
                file.write(example.replace('"ways"', '"wyas"', 1))
            self.refuse("machines", path, naming=[path, "caches[0].wyas", "nearest: ways"])

    def test_the_page_has_every_key_and_every_default(self):
        with open(PAGE, encoding="utf-8") as page:
            text = page.read()
        folder = os.path.join(PROJECT, "src", "simulator", "machine")
        with open(os.path.join(folder, "machine_file.cpp"), encoding="utf-8") as source:
            lists = re.findall(r"keys\[\] = \{(.*?)\};", source.read(), re.S)
        self.assertEqual(len(lists), 5)
        with open(os.path.join(folder, "assumptions.hpp"), encoding="utf-8") as source:
            costs = re.findall(r'\{"(\w+)", &runtime_costs', source.read())
        self.assertEqual(len(costs), 11)
        lists.append(", ".join(f'"{name}"' for name in costs))
        for key in re.findall(r'"(\w+)"', "".join(lists)):
            name = re.sub(r"same_l\d_", "same_lN_", key)
            self.assertIn(f"`{name}`", text)
        values = self.values("package:2 [numa] l3:2 core:2 pu:2")
        for name, (value, source) in values.items():
            if source == "default" and not name.startswith(("memory.sustained", "interconnect", "os.")):
                key = re.sub(r".*\.|\[\d\]", "", name)
                self.assertRegex(text, rf"(?m)^\| .*`{re.sub(r'same_l[0-9]_', 'same_lN_', key)}`.*\b{value}\b.*\|$", name)

    def test_refusals(self):
        self.refuse("machines", "opteron-8380", naming=["'opteron-8380'", "nearest: opteron-8380-4s"])
        self.refuse("machines", "nowhere.json", naming=["'nowhere.json'", "does not exist"])
        self.refuse("machines", "nowhere.xml", naming=["nowhere.xml", "does not exist"])
        self.refuse("machines", "package:8 core:128 pu:1", naming=["1024 hardware threads", "1 to 512", "nearest: 512"])
        self.refuse("machines", "--jsn", naming=["'--jsn'", "nearest: --json"])


main()
