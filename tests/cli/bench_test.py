"""skua bench: names, the kernels of calls, and what its JSON says. The contenders may not be built."""
import json

from tool import ToolTest, main


class Bench(ToolTest):
    def test_names_are_checked(self):
        self.refuse("bench", "--kernels", "call_lop_2", naming=["'call_lop_2'", "nearest: call_loop_2"])
        self.refuse("bench", "--kernels", "call_loop_from_3", naming=["'call_loop_from_3'", "nearest: call_loop_from_2"])

    def test_calls_of_main_and_of_several_threads(self):
        kernels = ["call_join", "call_group_from_2", "call_groups", "call_loop_2_from_8", "call_reduce_from_2", "call_work",
                   "call_group_in_task"]
        try:
            text = self.succeed("bench", "--kernels", ",".join(kernels), "--peers", "skua", "--workers", "2", "--quick",
                                "--json")
        except AssertionError as failed:
            if "no contender is built" not in str(failed):
                raise
            self.skipTest("no contender is built")
        measured = json.loads(text)
        self.assertEqual(measured["complaints"], [])
        self.assertEqual(sorted(r["kernel"] for r in measured["results"]), sorted(kernels))
        for result in measured["results"]:
            self.assertGreater(min(result["samples"]), 0)
        self.assertEqual(measured["units"]["call_group_from_2"], "ns/task")
        self.assertEqual(measured["units"]["call_loop_2_from_8"], "ns")
        # A call with that much work takes longer than a call with a join.
        medians = {r["kernel"]: r["median"] for r in measured["results"]}
        self.assertGreater(medians["call_work"], medians["call_join"])

    def test_events_of_the_simulator(self):
        try:
            text = self.succeed("bench", "--kernels", "simulator_16", "--workers", "1,2", "--quick")
        except AssertionError as failed:
            if "no contender is built" not in str(failed):
                raise
            self.skipTest("no contender is built")
        self.assertRegex(text, r"skua +\d+\.\d+ .*\n +\d+\.\d+ million events a second")
        rows = [line for line in text.splitlines() if " skua " in line]
        self.assertEqual(len(rows), 1, text)  # no other contender, and one worker


main()
