"""The output of `skua fuzz`, and that a step is the same run in any process."""
import json

from tool import ToolTest, main, skua


def steps_of(*words):
    """The lines that the steps of one process print at their ends."""
    code, out, err = skua("fuzz", *words, "--in-process")
    assert code == 0 and err == "", err
    return [read for read in map(json.loads, out.splitlines()) if "begins" not in read]


class Fuzz(ToolTest):
    def test_runs_steps_and_counts(self):
        out = json.loads(self.succeed("fuzz", "--seed", "3", "--steps", "20", "--workers", "4", "--json"))
        self.assertEqual((out["steps"], out["fewest_workers"], out["most_workers"]), (20, 4, 4))
        self.assertEqual(sum(out["policies"].values()), 20)
        self.assertGreater(len(out["policies"]), 3)
        self.assertEqual(out["findings"], [])
        self.assertRegex(self.succeed("fuzz", "--steps", "2", "--policy", "nearest", "--workers", "2"),
                         r"\A2 steps, 1 policy, 2 to 2 workers, \d+ tasks, \d+ worker events: no errors\n\Z")

    def test_counts_one_step_in_the_singular(self):
        self.assertRegex(self.succeed("fuzz", "--steps", "1"), r"\A1 step, 1 policy, ")

    def test_a_step_alone_is_the_same_run_to_the_bit(self):
        together = steps_of("--seed", "5", "--steps", "6", "--workers", "6")
        self.assertEqual(len({step["stream"] for step in together}), 6)
        for step in together[3:]:
            self.assertEqual(steps_of("--seed", "5", "--step", str(step["step"]), "--workers", "6"), [step])

    def test_no_worker_sleeps_beside_work_that_only_one_worker_may_take(self):
        self.succeed("fuzz", "--policy", "nearest(heads=yes)", "--workers", "3", "--seed", "2", "--steps", "600")

    def test_steps_that_found_mistakes_in_the_past(self):
        """These steps found mistakes in the past. They become ordinary steps when the fuzzer draws other programs."""
        for seed, step in ((34, 1483), (23, 1303), (2, 115), (2, 82), (3, 27), (1, 833)):
            self.succeed("fuzz", "--seed", str(seed), "--step", str(step))

    def test_another_seed_is_another_run(self):
        one, other = (steps_of("--seed", seed, "--step", "1", "--workers", "3")[0] for seed in ("1", "2"))
        self.assertNotEqual(one["stream"], other["stream"])

    def test_refusals_name_what_is_allowed(self):
        self.refuse("fuzz", "--workers", "257", naming=["1 to 256", "nearest: 256"])
        self.refuse("fuzz", "--steps", "0", naming=["nearest: 1"])
        self.refuse("fuzz", "--policy", "manager", naming=["nearest: managers"])
        self.refuse("fuzz", "--sed", "1", naming=["nearest: --seed"])
        self.refuse("run", "fib", "--simulate", "opteron-8380-4s", SKUA_SIMULATE_HOSTILE="yes",
                    naming=["SKUA_SIMULATE_HOSTILE", "whole number from 0"])


if __name__ == "__main__":
    main()
