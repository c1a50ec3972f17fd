"""Tests how readers use the page of a report: they point at charts, zoom and read, on a phone or a desktop, light or dark.

    python3 tests/chromium/page_use_test.py build/release/skua
"""
import itertools
import json
import sys

from opened_page import SCHEMES, WIDTHS, OpenedPage, main, screens
from webdriver import wait_until

# The contrast between the text of each element and its background, as WCAG 2 defines contrast.
CONTRASTS = """
const numbers = colour => colour.match(/[\\d.]+/g).map(Number);
const light = colour => numbers(colour).slice(0, 3).map(c => c / 255)
  .map(c => c <= .03928 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4).reduce((all, c, i) => all + c * [.2126, .7152, .0722][i], 0);
const behind = at => {
  for (; at; at = at.parentElement) {
    const colour = getComputedStyle(at).backgroundColor;
    if (numbers(colour)[3] !== 0) return colour;
  }
  return "rgb(255, 255, 255)";
};
const contrast = (a, b) => (Math.max(light(a), light(b)) + .05) / (Math.min(light(a), light(b)) + .05);
return [...document.querySelectorAll("body *")]
  .filter(one => !["SCRIPT", "NOSCRIPT"].includes(one.tagName) && one.offsetParent && [...one.childNodes].some(n => n.nodeType === 3 && n.data.trim()))
  .map(one => [one.textContent.slice(0, 40), contrast(getComputedStyle(one).color, behind(one))]);
"""
TOOLTIP = """
const tip = [...document.querySelectorAll(`#${arguments[0]} > div`)].find(one => one.style.pointerEvents === "none");
return tip && getComputedStyle(tip).visibility === "visible" && Number(getComputedStyle(tip).opacity) > .9 ? tip.innerText : "";
"""
# ECharts does not guarantee this function, but getOption() does not tell what a zoom shows.
SHOWN = "return skua_report.charts.get(arguments[0]).instance.getModel().getComponent('xAxis', arguments[1]).axis.scale.getExtent();"

# Whether the whole tooltip is visible.
ON_SCREEN = """
const tip = [...document.querySelectorAll(`#${arguments[0]} > div`)].find(one => one.style.pointerEvents === "none").getBoundingClientRect();
return tip.left >= 0 && tip.right <= innerWidth;
"""


# What a check has changed: the zoom of the timeline, the place of the mouse and that of the page.
RESET = """
for (const {instance} of skua_report.charts.values()) {
  instance.dispatchAction({type: "hideTip"});
  if (instance.getOption().dataZoom?.length) instance.dispatchAction({type: "dataZoom", start: 0, end: 100});
}
scrollTo(0, 0);
"""
CHECKS = {}  # for each page, the checks that run on it at each width


def on_every_screen(page):
    def of(check):
        CHECKS.setdefault(page, []).append(check)
        return check
    return of


class PageUse(OpenedPage):
    def check_on_every_screen(self, page, turn):
        """To open a page takes a second of CPU time, so all checks of a screen use it, one after the other."""
        for name, width, scheme in screens(turn):
            self.open(page, width, scheme)
            for check in CHECKS[page]:
                with self.subTest(check.__name__, width=name, scheme=scheme):
                    self.browser.move_mouse(5, 5)
                    self.browser.run(RESET)
                    check(self)

    def test_the_small_run_on_every_screen(self):
        self.check_on_every_screen("small", 0)

    def test_the_simulated_run_on_every_screen(self):
        self.check_on_every_screen("simulated", 1)

    @on_every_screen("simulated")
    def pointing_at_a_chart_shows_its_numbers(self):
        for chart in self.chart_names():
            with self.subTest(chart=chart):
                series = self.browser.run("const series = skua_report.charts.get(arguments[0]).instance.getOption().series;"
                                          "return series.findIndex(one => one.name !== 'borders' && one.data.length > 0)", chart)
                self.browser.run("skua_report.charts.get(arguments[0]).instance.dispatchAction("
                                 "{type: 'showTip', seriesIndex: arguments[1], dataIndex: 0})", chart, series)
                self.assertRegex(wait_until(lambda: self.browser.run(TOOLTIP, chart), f"{chart} shows a tooltip"), r"\d")

    @on_every_screen("small")
    def the_mouse_shows_numbers(self):
        for chart, across, down, words in (("breakdown", 0.3, 0.6, "user: "), ("workers-0", 0.5, 0.7, "asleep: "),
                                           ("matrix-0", 0.33, 0.05, "missed attempts: "), ("timeline-0", 0.5, 0.53, "worker "),
                                           ("distribution-task_size", 0.55, 0.5, "share of all: ")):
            with self.subTest(chart=chart):
                x, y, width, height = self.into_view(chart)

                def pointed():
                    self.browser.move_mouse(5, 5)
                    self.browser.move_mouse(x + across * width, y + down * height)
                    return self.browser.run(TOOLTIP, chart)
                self.assertIn(words, wait_until(pointed, f"{chart} answers the mouse"))
                self.assertTrue(self.browser.run(ON_SCREEN, chart))

    @on_every_screen("simulated")  # its timeline ends with a long label, 988 ms
    def both_parts_of_the_timeline_are_aligned(self):
        for moment in (0, 980):
            above, below = self.browser.run("return [0, 1].map(x => skua_report.charts.get('timeline-0').instance"
                                            ".convertToPixel({xAxisIndex: x}, arguments[0]))", moment)
            self.assertAlmostEqual(above, below)

    def shown(self, axis=1):
        """The first and the last moment that the timeline shows, in ms."""
        return self.browser.run(SHOWN, "timeline-0", axis)

    @on_every_screen("small")
    def the_timeline_zooms(self):
        self.assertAlmostEqual(self.shown()[1], 1000)
        self.browser.run("skua_report.charts.get('timeline-0').instance.dispatchAction({type: 'dataZoom', start: 25, end: 50})")
        for axis in (0, 1):
            self.assertEqual([round(edge) for edge in self.shown(axis)], [250, 500])

    @on_every_screen("small")
    def the_timeline_zooms_by_the_mouse(self):
        x, y, width, height = self.into_view("timeline-0")
        handle = (x + width - 30, y + height - 14 - 12)
        self.browser.drag(handle, (x + width / 2, handle[1]))
        begin, end = wait_until(lambda: (lambda now: now if now[1] < 900 else None)(self.shown()), "the zoom follows")
        self.assertEqual(begin, 0)
        self.assertLess(abs(end - 1000 * (width / 2 - 54) / (width - 54 - 30)), 30)

    @on_every_screen("small")
    def the_timeline_zooms_by_the_wheel_with_ctrl_and_the_page_scrolls_without(self):
        x, y, width, height = self.into_view("timeline-0")
        place = x + width / 2, y + height / 2
        before = self.browser.run("return scrollY")
        self.browser.wheel(*place, -240)
        wait_until(lambda: self.browser.run("return scrollY") < before, "the page scrolls")
        self.assertEqual([round(edge) for edge in self.shown()], [0, 1000])
        self.into_view("timeline-0")
        self.browser.wheel(*place, -240, ctrl=True)
        begin, end = wait_until(lambda: (lambda now: now if now[1] - now[0] < 990 else None)(self.shown()), "the zoom follows")
        self.assertLess(begin, 1000 * (width / 2 - 54) / (width - 54 - 30))
        self.assertGreater(end, 1000 * (width / 2 - 54) / (width - 54 - 30))
        self.assertEqual(self.browser.run("return [scrollY, devicePixelRatio]"), [before, 1])

    def test_waits_for_mutexes_have_their_places(self):
        lock = {"name": "add(int)", "address": "a+0x1", "times": 1234, "in_line": 56, "spun_ns": 7000, "waited_ns": 8000000}
        (self.folder / "waits.json").write_text(json.dumps(self.record("small") | {"locks": [lock]}), encoding="utf-8")
        self.report("waits", "small", page="locks")
        self.open("locks")
        for words in ("Waits for skua::mutex", "add(int)\t1 234\t56\t7 µs\t8 ms", "No task waited for a mutex."):
            self.assertIn(words, self.text().replace("\u202f", " ").replace("\u00a0", " "))
        self.open("small")
        self.assertNotIn("Waits for skua::mutex", self.text())

    def test_comparisons_of_two_runs_fit_a_phone(self):
        """A phone, a large one, and one that is held sideways. The last column is B / A. One speedup is measured and the other is not, so both cells tell which kind it is."""
        run = self.record("other")
        (self.folder / "estimated.json").write_text(json.dumps(run | {"baseline": None, "curve": []}), encoding="utf-8")
        measured = run | {"baseline": {"seconds": 4 * run["seconds"], "parallel_seconds": run["seconds"]}, "curve": []}
        (self.folder / "measured.json").write_text(json.dumps(measured), encoding="utf-8")
        self.report("measured", "estimated", page="unlike")
        for page, width in itertools.product(("two", "unlike"), (WIDTHS["phone"], 500, 700)):
            self.open(page, width)
            widths = self.browser.run("return [...document.querySelectorAll('table.compares')]"
                                      ".map(one => [one.parentElement.clientWidth, one.scrollWidth])")
            self.assertEqual(len(widths), 2)
            for seen, whole in widths:
                self.assertGreater(seen, 200)
                self.assertLessEqual(whole, seen, f"{page}, {width} wide")

    def test_text_can_be_read_in_light_and_dark(self):
        for page in ("simulated", "two"):
            for scheme in SCHEMES:
                self.open(page, scheme=scheme)
                contrasts = self.browser.run(CONTRASTS)
                self.assertGreater(len(contrasts), 100)
                for words, contrast in contrasts:
                    self.assertGreaterEqual(contrast, 4.5, f"{page}, {scheme}: {words}")

    def test_charts_change_when_the_reader_changes_to_dark(self):
        self.open("small")
        colour = "return skua_report.charts.get('breakdown').instance.getOption().textStyle.color"
        light = self.browser.run(colour)
        self.browser.prefer("dark")
        dark = wait_until(lambda: (lambda now: now if now != light else None)(self.browser.run(colour)), "the charts become dark")
        text = self.browser.run("return getComputedStyle(document.documentElement).getPropertyValue('--text').trim()")
        self.assertEqual(dark, text)

    # Wall-clock times vary on a machine with other load, so the best of three loads counts. A nearly empty page takes 0.1 s
    # on two quiet cores. If it takes longer than 250 ms, the limit grows in proportion.
    def test_a_run_of_256_workers_opens_within_2_seconds(self):
        little, taken = map(min, zip(*((self.open("bare"), self.open("many")) for _ in range(3))))
        limit = 2000 * max(1, little / 250)
        print(f"256 workers: {taken:.0f} ms here; allowed are {limit:.0f} ms, {limit / 2000:.2f} times 2000, since a page with next to nothing "
              f"takes {little:.0f} ms", file=sys.stderr)
        self.assertLess(taken, limit)


if __name__ == "__main__":
    main()
