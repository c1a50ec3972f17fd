"""The pages of a program that knows nothing of reports must show its whole run and its lines: the page of one run, of two runs, and
those of `skua scale`. The program's own runs are recorded because SKUA_REPORT is set, and nothing is reset.

page_test.py PROGRAM SOURCE TOOL    skips without Chromium"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "chromium"))
from webdriver import Browser, wait_until  # noqa: E402

program, source, tool = sys.argv[1:]
source = pathlib.Path(source)
clean = {name: value for name, value in os.environ.items() if not name.startswith(("SKUA_", "PROGRAM_"))}
has_lines = "libdw" in subprocess.run(["ldd", tool], capture_output=True, text=True).stdout
WIDTHS = (375, 600, 1280)  # a phone, one that is held sideways, a desktop
CHART = "const chart = skua_report.charts.get(arguments[0]).instance;"
CELLS = "return [...document.querySelectorAll(arguments[0])].map(row => [...row.children].map(cell => cell.innerText.trim()))"


def place(mark):
    [number] = [number for number, line in enumerate(source.read_text(encoding="utf-8").splitlines(), 1) if f"// {mark}" in line]
    return f"{source.name}:{number}"


def read(record):
    return json.loads(record.read_text(encoding="utf-8"))


def skua(*words):
    return subprocess.run([tool, *map(str, words)], env=clean, check=True, capture_output=True, text=True).stdout


class Pages:
    def __init__(self, folder, browser):
        self.folder, self.browser = folder, browser

    def recorded(self, name, workers, **environment):
        record = self.folder / f"{name}.json"
        subprocess.run([program], env=clean | {"SKUA_REPORT": str(record), "SKUA_WORKERS": str(workers)} | environment, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return record

    def open(self, page, width=WIDTHS[-1]):
        self.browser.size(width, 900)
        self.browser.open(page)
        assert self.browser.run("return document.documentElement.scrollWidth") <= width, (page, width)

    def open_report(self, page, width=WIDTHS[-1]):
        self.open(page, width)
        wait_until(lambda: self.browser.run("return performance.getEntriesByName('skua-drawn').length"), "the page is drawn")
        assert self.browser.complaints() == [], page

    def report(self, *records):
        page = self.folder / "report.html"
        skua("report", *records, "-o", page)
        self.open_report(page)
        return page

    def timelines(self, *records):
        """All of them have one axis. It begins at 0 and ends with the longest run."""
        longest_ms = max(1e3 * read(record)["seconds"] for record in records)
        for number, record in enumerate(records):
            run, chart = read(record), f"timeline-{number}"
            begin, end = self.browser.run(CHART + "return chart.getModel().getComponent('xAxis', 1).axis.scale.getExtent();", chart)
            assert begin == 0 and longest_ms * 0.9 <= end <= longest_ms * 1.1 + 1, (chart, begin, end, longest_ms)
            drawn = self.browser.run(CHART + "return chart.getOption().series.filter(one => one.name === 'user')"
                                     ".map(one => one.data);", chart)
            lanes = drawn[-1]  # [begin, end, worker, lower and upper edge as shares]; the series before it has all workers together
            told_ms = sum(worker["times"]["user"] for worker in run["workers"]) / 1e6
            drawn_ms = sum((part[1] - part[0]) * (part[4] - part[3]) for part in lanes)
            assert 0.5 * told_ms <= drawn_ms <= 1.5 * told_ms, (chart, drawn_ms, told_ms)
            print(f"{chart} of {record.name}: {drawn_ms:.1f} ms of user time drawn, {told_ms:.1f} ms recorded, on an axis of {end:.1f} ms")

    def lines(self, *marks):
        """The table of call sites of each run has the lines of the program, and none of skua's headers."""
        for table, wanted in enumerate(marks):
            sites = self.browser.run(CELLS.replace("document", "document.querySelectorAll('#span table')[arguments[1]]"), "tbody tr", table)
            places = {site[0] for site in sites if site[1] != "serial"}
            for mark in wanted if has_lines else ():
                assert any(place(mark) in one for one in places), (place(mark), places)
            assert not has_lines or all(f" at {source.name}:" in one for one in places), places


def one_run(pages):
    record = pages.recorded("two_workers", 2)
    pages.report(record)
    pages.timelines(record)
    pages.lines(["loop"])


def two_runs(pages):
    records = (pages.recorded("two_workers", 2), pages.recorded("one_worker", 1, PROGRAM_SIZE="3000", PROGRAM_STEPS="2"))
    page = pages.report(*records)
    pages.timelines(*records)
    pages.lines(["loop"], ["step"])
    headline = "header table.compares tr"
    heads, *rows = pages.browser.run(CELLS, headline)
    assert heads == ["", "A", "B", "B / A"], heads
    assert ["Workers", "2", "1", "0.5×"] in rows, rows
    rows += pages.browser.run(CELLS, "section table.compares tbody tr")
    assert len(rows) > 15 and all(re.fullmatch(r"[\d.]+×|<0\.01×|>1000×|–", row[-1]) for row in rows), rows
    for width in WIDTHS:
        pages.open_report(page, width)
        assert pages.browser.run(CELLS, headline)[0] == heads, width
        for left, right, end in pages.browser.run("return [...document.querySelectorAll('table.compares tr > :last-child')].map(cell =>"
                                                  "[cell.getBoundingClientRect(), cell.closest('.wide').getBoundingClientRect()])"
                                                  ".map(([cell, seen]) => [cell.left, cell.right, seen.right])"):
            assert 0 < left < right <= end + 1 <= width, (width, left, right, end)


def real_and_simulated(pages):
    records = (pages.recorded("two_workers", 2),
               pages.recorded("simulated", 4, PROGRAM_SIZE="1000", SKUA_SIMULATE="opteron-8380-4s"))
    pages.report(*records)
    pages.timelines(*records)
    pages.lines(["loop"], ["step"])


def scale(pages):
    record, plot = pages.folder / "scale.json", pages.folder / "plot.html"
    long_name = pages.folder / "a_program_whose_name_is_wider_than_a_phone"
    long_name.symlink_to(os.path.abspath(program))
    told = json.loads(skua("scale", long_name, "--workers", "1,2", "--repeat", "1", "--report", record, "--plot", plot, "--json"))
    [curve] = told["curves"]
    pages.report(record)
    pages.timelines(record)
    pages.lines(["loop"])
    drawn = pages.browser.run(CHART + "return chart.getOption().series.find(one => one.name === 'measured').data", "curve")
    assert drawn == [[point["workers"], point["speedup"]] for point in curve["points"]], (drawn, curve)
    for width in WIDTHS:
        pages.open(plot, width)
        assert pages.browser.complaints() == [], width
        text = pages.browser.run("return document.querySelector('h1').innerText")
        assert text.startswith(f"{long_name} on this machine"), text
        for box in pages.browser.run("return [...document.querySelectorAll('svg')].map(one => one.getBoundingClientRect())"
                                     ".map(one => [one.left, one.right, one.height])"):
            assert 0 <= box[0] < box[1] <= width and box[2] > 50, (width, box)
    rows = pages.browser.run(CELLS, "table:first-of-type tr")
    assert [row[0] for row in rows][-2:] == ["1", "2"], rows


with tempfile.TemporaryDirectory() as folder, Browser.started_or_skip() as browser:
    pages = Pages(pathlib.Path(folder), browser)
    for test in (one_run, two_runs, real_and_simulated, scale):
        test(pages)
