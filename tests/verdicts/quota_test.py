"""`skua report` must name the CPU quota of a program that runs in a control group with half a CPU.

quota_test.py LIMITED SKUA    skips where no control group with a quota can be made"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

LIMITED, SKUA = sys.argv[1:]
PERIOD_US, QUOTA_US = 100_000, 50_000
TRIES = 5
NAME = "skua_quota_test_"
USED_UP = 0.8  # of the quota; as in src/report/thresholds.hpp


def hierarchies():
    """The folder of this process's group in each mounted hierarchy that may limit CPU time, and whether it is of version 2."""
    own = {}
    for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, group = line.split(":", 2)
        for controller in controllers.split(","):
            own[controller] = group  # "" of version 2
    for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines():
        before, after = line.split(" - ", 1)
        at, kind, options = pathlib.Path(before.split()[4]), after.split()[0], after.split()[2].split(",")
        if kind == "cgroup" and "cpu" in options and "cpu" in own:
            yield at / own["cpu"].lstrip("/"), False
        if kind == "cgroup2" and "" in own:
            # A group with processes gives its children no controllers, unless it is the root.
            group = at / own[""].lstrip("/")
            yield (group.parent if group != at else group), True


def remove_left_behind(parent):
    """Groups of tests that were killed."""
    for group in parent.glob(NAME + "*"):
        if not os.path.exists(f"/proc/{group.name.removeprefix(NAME)}"):
            group.rmdir()


class quota_group:
    """A control group that is removed at the end, or None where it cannot be made."""

    def __enter__(self):
        self.folder, self.why = None, "no hierarchy of control groups limits CPU time here"
        for parent, version_2 in hierarchies():
            try:
                if version_2 and "cpu" not in (parent / "cgroup.subtree_control").read_text().split():
                    continue
                remove_left_behind(parent)
                folder = parent / f"{NAME}{os.getpid()}"
                folder.mkdir()
                self.folder = folder
                if version_2:
                    (folder / "cpu.max").write_text(f"{QUOTA_US} {PERIOD_US}")
                else:
                    (folder / "cpu.cfs_period_us").write_text(str(PERIOD_US))
                    (folder / "cpu.cfs_quota_us").write_text(str(QUOTA_US))
                return self
            except OSError as refused:
                self.why = f"no control group can be made in {parent}: {refused.strerror}"
                self.remove()
        return self

    def __exit__(self, *_):
        self.remove()

    def remove(self):
        if self.folder:
            for _ in range(100):  # a process leaves its group some time after its end
                try:
                    self.folder.rmdir()
                    break
                except OSError:
                    time.sleep(0.05)
            else:
                raise AssertionError(f"{self.folder} cannot be removed")
        self.folder = None

    def enter(self):
        (self.folder / "cgroup.procs").write_text(str(os.getpid()))


signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))  # so that the group is removed
with tempfile.TemporaryDirectory() as folder, quota_group() as group:
    if not group.folder:
        print(f"[  SKIPPED ] {group.why}")
        sys.exit()
    report = os.path.join(folder, "run.json")
    clean = {name: value for name, value in os.environ.items() if not name.startswith("SKUA_")}
    for _ in range(TRIES):
        subprocess.run([LIMITED, "balanced_loop", "20"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=600,
                       preexec_fn=group.enter, env=clean | {"SKUA_REPORT": report, "SKUA_WORKERS": "2"})
        shown = subprocess.run([SKUA, "report", report, "--json"], check=True, capture_output=True, text=True)
        told = json.loads(shown.stdout)
        assert told["machine"]["cpu_quota"] == QUOTA_US / PERIOD_US, told["machine"]
        record = json.loads(pathlib.Path(report).read_text(encoding="utf-8"))
        used = record["process_cpu_seconds"] / record["seconds"] / (QUOTA_US / PERIOD_US)
        if used > USED_UP:
            break
    else:
        print(f"[  SKIPPED ] other programs had this machine's CPUs: {used:.0%} of the quota was used")
        sys.exit()
    print(told["verdict"]["sentence"])
    assert told["verdict"]["limit"] == "CPU quota", (told["verdict"], told["account"])
    assert "the control group allows 0.50 CPUs" in told["verdict"]["sentence"], told["verdict"]
