"""Programs on simulated machines, by option and by environment."""
import json

from tool import ToolTest, main, skua

MACHINE = "opteron-8380-4s"


class Simulated(ToolTest):
    def heat(self, *words):
        return json.loads(self.succeed("run", "heat", "--simulate", MACHINE, "--json", *words))

    def test_says_what_happened_and_the_same_every_time(self):
        one, again = self.heat(), self.heat()
        self.assertTrue(one["verified"])
        self.assertEqual(one["workers"], 16)
        self.assertEqual(one["simulated"]["stream"], again["simulated"]["stream"])
        self.assertEqual(len(one["simulated"]["caches"]), 3)
        self.assertGreater(one["simulated"]["cycles"], 1_000_000)

    def test_levels_and_pages_change_it(self):
        streams = {self.heat("--level", level)["simulated"]["stream"] for level in ("steps", "lines", "caches")}
        streams.add(self.heat("--pages", "interleave")["simulated"]["stream"])
        self.assertEqual(len(streams), 4)

    def test_a_program_that_knows_nothing_of_it(self):
        code, out, err = skua("run", "heat", "--json", SKUA_SIMULATE=MACHINE, SKUA_SIMULATE_COSTS="declared")
        self.assertEqual(code, 0, err)
        self.assertEqual(json.loads(out)["simulated"]["cycles"], self.heat()["simulated"]["cycles"])
        self.assertRegex(err, rf"\Askua: simulated {MACHINE}: 0\.00\d+ s, \d+ cycles; computing [\d.]+%, .*\n\Z")

    def test_phases_on_substrates(self):
        for substrate in ("software", "carbon", "uli", "adm"):
            out = self.succeed("run", "maxflow", "--simulate", "adm-cmp-64c", "--workers", "16", "--substrate",
                               substrate)
            self.assertIn("verified  yes", out)

    def test_refusals_name_what_is_allowed(self):
        on = ("run", "fib", "--simulate")
        self.refuse(*on, "opteron-8380", naming=["opteron-8380", MACHINE])
        self.refuse(*on, MACHINE, "--level", "cache", naming=["nearest: caches"])
        self.refuse(*on, MACHINE, "--pages", "interleaved", naming=["nearest: interleave"])
        self.refuse(*on, "adm-cmp-64c", "--substrate", "carbone", naming=["nearest: carbon"])
        self.refuse("run", "fib", SKUA_SIMULATE="epyc", naming=["SKUA_SIMULATE", "epyc-9654-2s"])
        for name, value, nearest in (("LEVEL", "bandwith", "bandwidth"), ("COSTS", "measure", "measured"),
                                     ("FREE_LOOKS", "yes", "0")):
            self.refuse("run", "fib", SKUA_SIMULATE=MACHINE, **{f"SKUA_SIMULATE_{name}": value},
                        naming=[f"SKUA_SIMULATE_{name}", f"nearest: {nearest}"])


if __name__ == "__main__":
    main()
