"""`skua calibrate`: its refusals, and that its measurements form a valid machine."""
import json
import os
import tempfile

from tool import ToolTest, main


def value(of):
    return of["v"] if isinstance(of, dict) else of


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


main()
