"""`skua calibrate`: its refusals, and that its measurements form a valid machine, also if the L3 is larger than memory."""
import json
import os
import re
import tempfile

from tool import ToolTest, main, skua


def value(of):
    return of["v"] if isinstance(of, dict) else of


def hwloc_file(l3_bytes):
    """hwloc's XML of a machine with this L3 and one core, which is a CPU of this process."""
    cpu = min(os.sched_getaffinity(0))
    word, bit = divmod(cpu, 32)
    cpus = ",".join([f"0x{1 << bit:08x}"] + ["0x00000000"] * word)
    sets = f'cpuset="{cpus}" complete_cpuset="{cpus}" nodeset="0x00000001" complete_nodeset="0x00000001"'

    def cache(level, size):
        return (f'<object type="L{level}Cache" {sets} gp_index="{level + 10}" cache_size="{size}" depth="{level}" '
                f'cache_linesize="64" cache_associativity="16" cache_type="{0 if level > 1 else 1}">')

    return f"""<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
<object type="Machine" os_index="0" {sets} allowed_cpuset="{cpus}" allowed_nodeset="0x00000001" gp_index="1">
<object type="NUMANode" os_index="0" {sets} gp_index="2" local_memory="8589934592"></object>
<object type="Package" os_index="0" {sets} gp_index="3">
{cache(3, l3_bytes)}{cache(2, 1 << 20)}{cache(1, 32 << 10)}
<object type="Core" os_index="0" {sets} gp_index="4">
<object type="PU" os_index="{cpu}" {sets} gp_index="5"></object>
</object></object></object></object></object></object></topology>
"""


class Calibrate(ToolTest):
    def test_refusals(self):
        self.refuse("calibrate", "-o", "/no/such/folder/m.json",
                    naming=["--output '/no/such/folder/m.json'", "allowed: a file in a folder that exists"])
        self.refuse("calibrate", "--check", "opteron-8380", naming=["nearest: opteron-8380-4s"])
        self.refuse("calibrate", "--check", "host", "-o", "m.json", naming=["--output"])

    def test_help(self):
        self.assertIn("skua calibrate -o this-machine.json", self.succeed("calibrate", "--help"))

    def test_what_it_measures_is_a_machine(self):
        with tempfile.TemporaryDirectory() as folder:
            name = os.path.join(folder, "m.json")
            self.assertRegex(self.succeed("calibrate", "-o", name), r"(?m)^memory.misses_at_once +\d+$")
            with open(name, encoding="utf-8") as file:
                machine = json.load(file)
            self.assertGreater(value(machine["freq_ghz"]), 0.3)
            self.assertLess(value(machine["freq_ghz"]), 8)
            latencies = [value(cache["latency_cycles"]) for cache in machine["caches"]]
            self.assertEqual(latencies, sorted(latencies))
            self.assertLess(latencies[0], 20, machine)
            memory = {key: value(of) for key, of in machine["memory"].items()}
            self.assertGreaterEqual(value(memory["latency_cycles_by_hop"][0]), max(30, latencies[-1]))
            self.assertGreaterEqual(memory["sustained_bytes_per_cycle"], memory["core_bytes_per_cycle"])
            self.assertLess(value(machine["runtime"]["fork_cycles"]), 1000)
            run = json.loads(self.succeed("run", "fib", "--simulate", name, "--json"))
            self.assertGreater(run["simulated"]["cycles"], 0)

    def test_a_huge_last_cache_is_measured_in_part(self):
        """A virtual machine may report an L3 of which it gets little. The measurement is bounded: here, eight times the L3 is more
        than the memory that the process may have, and its own bound would be 512 MB."""
        with tempfile.TemporaryDirectory() as folder:
            topology, name = os.path.join(folder, "host.xml"), os.path.join(folder, "m.json")
            with open(topology, "w", encoding="utf-8") as file:
                file.write(hwloc_file(16 << 30))
            code, out, err = skua("calibrate", "-o", name, address_space=1 << 30, HWLOC_XMLFILE=topology,
                                  HWLOC_THISSYSTEM="1")
            self.assertEqual(code, 0, err + out)
            stated = re.search(r"skua: the L3 has 16384 MB and was measured up to (\d+) MB, in (\d+) MB of memory: more", err)
            self.assertIsNotNone(stated, err)
            self.assertLessEqual(int(stated[2]), 1024 / 8)
            with open(name, encoding="utf-8") as file:
                size = json.load(file)["caches"][2]["size_kb"]
            self.assertRegex(size["src"], rf"\Ameasured up to {int(stated[1]) * 1024} KB of {16 << 20} KB\Z")
            self.assertLessEqual(size["v"], int(stated[1]) * 1024)


main()
