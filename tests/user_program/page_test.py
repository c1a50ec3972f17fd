"""The page of a program that knows nothing of reports must show its whole run: only SKUA_REPORT is set, and nothing is reset.

page_test.py PROGRAM TOOL    skips without Chromium"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "chromium"))
from webdriver import Browser, wait_until  # noqa: E402

program, tool = sys.argv[1:]
clean = {name: value for name, value in os.environ.items() if not name.startswith("SKUA_")}
CHART = "const chart = skua_report.charts.get('timeline-0').instance;"

with tempfile.TemporaryDirectory() as folder, Browser.started_or_skip() as browser:
    report, page = pathlib.Path(folder, "run.json"), pathlib.Path(folder, "run.html")
    subprocess.run([program], env=clean | {"SKUA_REPORT": str(report), "SKUA_WORKERS": "2"}, check=True, stdout=subprocess.DEVNULL)
    subprocess.run([tool, "report", report, "-o", page], env=clean, check=True)
    run = json.loads(report.read_text(encoding="utf-8"))
    browser.size(1280, 900)
    browser.open(page)
    wait_until(lambda: browser.run("return performance.getEntriesByName('skua-drawn').length"), "the page is drawn")
    assert browser.complaints() == [], browser.complaints()
    run_ms = 1e3 * run["seconds"]
    begin, end = browser.run(CHART + "return chart.getModel().getComponent('xAxis', 1).axis.scale.getExtent();")
    assert begin == 0 and run_ms * 0.9 <= end <= run_ms * 1.1 + 1, (begin, end, run_ms)
    drawn = browser.run(CHART + "return chart.getOption().series.filter(one => one.name === 'user').map(one => one.data);")
    lanes = drawn[-1]  # [begin, end, worker, lower and upper edge as shares]; the series before it has all workers together
    told_ms = sum(worker["times"]["user"] for worker in run["workers"]) / 1e6
    drawn_ms = sum((part[1] - part[0]) * (part[4] - part[3]) for part in lanes)
    assert 0.5 * told_ms <= drawn_ms <= 1.5 * told_ms, (drawn_ms, told_ms)
    print(f"{drawn_ms:.1f} ms of user time drawn, {told_ms:.1f} ms recorded, in {run_ms:.1f} ms")
