"""Shared parts of the tests of a report's page: made-up runs (records.py), their pages, and a browser that opens them.

    class PageTest(OpenedPage): ...    # self.open("small", WIDTHS["phone"], "dark")
    main()                             # with the tool's path as the only argument; skips if there is no browser
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import records
from webdriver import Browser, wait_until

PAGES = {"small": ["small"], "simulated": ["simulated"], "two": ["small", "other"], "serial": ["serial"], "bare": ["bare"],
         "hostile": ["hostile"], "many": ["many"]}
WIDTHS = {"phone": 375, "desktop": 1280}
SCHEMES = ("light", "dark")


def screens(turn):
    """Both widths, each with one of the colour schemes. Every other turn exchanges the schemes: a page that fits a width does so in
    both, and to open a page takes a second of CPU time."""
    return zip(WIDTHS, WIDTHS.values(), SCHEMES if turn % 2 == 0 else reversed(SCHEMES))


# A page lives for a second or two. In that time optimised machine code for its scripts costs more than it saves.
FLAGS = ["--js-flags=--no-opt"]
MIDDLE = "const r = document.getElementById(arguments[0]).getBoundingClientRect(); return [r.x, r.y, r.width, r.height];"


def write_page(tool, folder, page, runs):
    subprocess.run([tool, "report", *(str(folder / f"{run}.json") for run in runs), "-o", str(folder / f"{page}.html")],
                   check=True, timeout=600)


def write_pages(tool, folder):
    for kind, make in records.KINDS.items():
        (folder / f"{kind}.json").write_text(json.dumps(make()), encoding="utf-8")
    for page, runs in PAGES.items():
        write_page(tool, folder, page, runs)


class OpenedPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        place = cls.enterClassContext if hasattr(cls, "enterClassContext") else cls.enter_before_python_3_11
        cls.folder = pathlib.Path(place(tempfile.TemporaryDirectory()))
        write_pages(TOOL, cls.folder)
        cls.browser = BROWSER

    @classmethod
    def enter_before_python_3_11(cls, manager):
        entered = manager.__enter__()
        cls.addClassCleanup(manager.__exit__, None, None, None)
        return entered

    to_read = None  # the open page, if nothing has changed it

    def open_to_read(self, page):
        """Opens a page for a test that only reads it, or keeps it open after such a test."""
        if OpenedPage.to_read != page:
            self.open(page)
            OpenedPage.to_read = page

    def open(self, page, width=1280, scheme="light"):
        """Opens a page and waits until its charts are drawn. Returns the time in ms until they were drawn."""
        OpenedPage.to_read = None
        self.browser.size(width, 900)
        self.browser.prefer(scheme)
        self.browser.complaints()
        self.browser.open(self.folder / f"{page}.html")
        return wait_until(lambda: self.browser.run(
            "const mark = performance.getEntriesByName('skua-drawn')[0]; return mark && mark.startTime"), f"{page} is drawn")

    def report(self, *runs, page):
        """Makes another page from records in the folder."""
        write_page(TOOL, self.folder, page, runs)

    def record(self, kind):
        return json.loads((self.folder / f"{kind}.json").read_text(encoding="utf-8"))

    def series(self, chart):
        """The series of a chart as a dictionary, name -> data. The second series of a name has the key (name, 1)."""
        found = {}
        for name, data in self.browser.run("return skua_report.charts.get(arguments[0]).instance.getOption().series"
                                           ".map(one => [one.name, one.data])", chart):
            found[name if name not in found else (name, 1)] = data
        return found

    def chart_names(self):
        return self.browser.run("return [...skua_report.charts.keys()]")

    def text(self):
        return self.browser.run("return document.body.innerText")

    def into_view(self, chart):
        self.browser.run("document.getElementById(arguments[0]).scrollIntoView({block: 'center', behavior: 'instant'})", chart)
        return self.browser.run(MIDDLE, chart)


def main():
    global BROWSER, TOOL
    TOOL = sys.argv.pop(1)
    with Browser.started_or_skip(flags=FLAGS) as BROWSER:
        unittest.main(module="__main__")
