"""The workloads and parameters that the files of published/ use must exist."""
import itertools
import json
import pathlib

import tool
from tool import ToolTest

PUBLISHED = pathlib.Path(__file__).resolve().parents[2] / "published"


def runs(figure):
    """The workload and parameters of each point, combined as in src/paper/figure.cpp, except for `also`."""
    entries = [figure.get(key, [{}]) for key in ("panels", "series", "xs")]
    for point in itertools.product(*entries):
        parts = [part for one in (figure, *point) for part in (one.get("run", {}), one.get("quick", {}))]
        parts += [one["run"] for one in figure.get("also", [])]
        workload = next((part["workload"] for part in reversed(parts) if "workload" in part), None)
        yield workload, {name for part in parts for name in part.get("parameters", {})}


class Published(ToolTest):
    def test_workloads_and_their_parameters_are_known(self):
        known = {w["name"]: {option["name"] for option in w["options"]}
                 for w in json.loads(self.succeed("list", "workloads", "--json"))}
        seen = set()
        for file in sorted(PUBLISHED.glob("*.json")):
            figure = json.loads(file.read_text())
            if figure["level"] == "inputs":
                continue
            for workload, parameters in runs(figure):
                if workload is None and not parameters:
                    continue  # the figure shows a property of the machine or of the managers
                if "also" in figure and workload != "gtfold":
                    parameters -= {"form", "order"}
                self.assertIn(workload, known, file.name)
                self.assertLessEqual(parameters, known[workload], file.name)
                seen.add(workload)
        self.assertGreater(len(seen), 20)  # the papers' programs, with few exceptions


if __name__ == "__main__":
    tool.main()
