"""The page that `skua report -o` writes, in Debian's Chromium: does it open, are its charts there, can they be used?

    python3 tests/chromium/page_test.py build/release/skua

The runs are made up (records.py), so everything on the page can be reckoned again here.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import records
from webdriver import Browser, wait_until

PAGES = {"small": ["small"], "simulated": ["simulated"], "two": ["small", "other"], "serial": ["serial"], "bare": ["bare"], "hostile": ["hostile"],
         "many": ["many"]}
WIDTHS = {"phone": 375, "desktop": 1280}
ALWAYS = ["breakdown", "workers-0", "curve"]
DISTRIBUTIONS = ["distribution-" + key for key in ("steal_latency", "search_time", "steal_duration", "task_size")]
CHARTS = {"small": ALWAYS + ["matrix-0", "timeline-0"] + DISTRIBUTIONS, "bare": ALWAYS}
CHARTS["simulated"] = CHARTS["hostile"] = CHARTS["many"] = CHARTS["small"] + ["memories-0"]
CHARTS["serial"] = CHARTS["small"]
CHARTS["two"] = CHARTS["small"] + ["workers-1", "matrix-1", "timeline-1"]

# Of every element with text of its own: how much its colour differs from what is behind it, as WCAG 2 defines contrast.
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
BLANK = """
const canvas = arguments[0] && document.querySelector(`#${arguments[0]} canvas`);
const pixels = new Uint32Array(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.buffer);
return pixels.every(one => one === pixels[0]);
"""
TOOLTIP = """
const tip = [...document.querySelectorAll(`#${arguments[0]} > div`)].find(one => one.style.pointerEvents === "none");
return tip && getComputedStyle(tip).visibility === "visible" && Number(getComputedStyle(tip).opacity) > .9 ? tip.innerText : "";
"""
MIDDLE = "const r = document.getElementById(arguments[0]).getBoundingClientRect(); return [r.x, r.y, r.width, r.height];"
# The library does not promise this function; getOption() does not say what a zoom shows.
SHOWN = "return skua_report.charts.get(arguments[0]).instance.getModel().getComponent('xAxis', arguments[1]).axis.scale.getExtent();"


def write_pages(tool, folder):
    for kind, make in records.KINDS.items():
        (folder / f"{kind}.json").write_text(json.dumps(make()), encoding="utf-8")
    for page, runs in PAGES.items():
        subprocess.run([tool, "report", *(str(folder / f"{run}.json") for run in runs), "-o", str(folder / f"{page}.html")],
                       check=True, timeout=600)


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        place = cls.enterClassContext if hasattr(cls, "enterClassContext") else cls.enter_before_python_3_11
        cls.folder = pathlib.Path(place(tempfile.TemporaryDirectory()))
        write_pages(TOOL, cls.folder)
        cls.browser = place(Browser())

    @classmethod
    def enter_before_python_3_11(cls, manager):
        entered = manager.__enter__()
        cls.addClassCleanup(manager.__exit__, None, None, None)
        return entered

    def open(self, page, width=1280, scheme="light"):
        """Opens it and waits until its charts are drawn; returns after how many ms they were."""
        self.browser.size(width, 900)
        self.browser.prefer(scheme)
        self.browser.complaints()
        self.browser.open(self.folder / f"{page}.html")
        return wait_until(lambda: self.browser.run(
            "const mark = performance.getEntriesByName('skua-drawn')[0]; return mark && mark.startTime"), f"{page} is drawn")

    def record(self, kind):
        return json.loads((self.folder / f"{kind}.json").read_text(encoding="utf-8"))

    def series(self, chart):
        """name -> data, of a chart's series; the n-th of a name as (name, n) from the second on."""
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

    def test_opens_without_complaints_and_fits_the_screen(self):
        for page in PAGES:
            for name, width in WIDTHS.items():
                for scheme in ("light", "dark"):
                    with self.subTest(page=page, width=name, scheme=scheme):
                        self.open(page, width, scheme)
                        self.assertEqual(self.browser.complaints(), [])
                        self.assertEqual(self.browser.run("return document.documentElement.scrollWidth"), width)
                        self.assertEqual(self.browser.run("return performance.getEntriesByType('resource').map(r => r.name)"), [])

    def test_long_names_leave_the_screen_as_wide_as_it_is_and_can_be_read(self):
        self.open("serial", WIDTHS["phone"])
        self.assertIn(records.NAMES[0], self.browser.run("return document.querySelector('.verdict').textContent"))
        self.assertEqual(self.browser.run("return document.documentElement.scrollWidth"), WIDTHS["phone"])
        for name, width in self.browser.run("return [...document.querySelectorAll('#span th code')].map(one => "
                                            "[one.textContent, one.getBoundingClientRect().width])"):
            self.assertGreater(width, 140, name)

    def test_every_chart_is_drawn_and_has_a_name(self):
        for page, charts in CHARTS.items():
            self.open(page)
            self.assertCountEqual(self.chart_names(), charts, page)
            for chart in charts:
                with self.subTest(page=page, chart=chart):
                    self.assertFalse(self.browser.run(BLANK, chart))
                    role, label = self.browser.run("const of = document.getElementById(arguments[0]);"
                                                   "return [of.getAttribute('role'), of.getAttribute('aria-label')]", chart)
                    self.assertEqual(role, "img")
                    self.assertGreater(len(label), 10)

    def test_breakdowns_have_the_times_of_the_record(self):
        self.open("small")
        run = self.record("small")
        both, each = self.series("breakdown"), self.series("workers-0")
        for doing in records.DOINGS:
            times = [worker["times"].get(doing, 0) for worker in run["workers"]]
            self.assertEqual(both[doing][0]["ns"], sum(times), doing)
            self.assertEqual([bar["ns"] for bar in each[doing]], times, doing)
        shares = [sum(series[w]["value"] for series in each.values()) for w in range(len(run["workers"]))]
        for share in shares:
            self.assertAlmostEqual(share, 1)

    def test_curve_has_prediction_and_measurement(self):
        self.open("small")
        run, curve = self.record("small"), self.series("curve")
        structure = run["structure"]
        one = run["curve"][0]["seconds"]
        self.assertEqual([[round(x, 6) for x in point] for point in curve["measured"]],
                         [[point["workers"], round(one / point["seconds"], 6)] for point in run["curve"]])
        bound = dict(curve["most possible (work and span)"])
        self.assertAlmostEqual(bound[16], min(16, structure["work_ns"] / structure["span_ns"]))
        expected = dict(curve["expected with the cost of steals"])
        burden = structure["burdened_span_ns"]
        self.assertAlmostEqual(expected[16], structure["work_ns"] / ((structure["work_ns"] - burden) / 16 + burden))

    def test_curve_is_as_high_as_its_own_points(self):
        self.open("simulated")
        curve = self.series("curve")
        self.assertEqual([[workers, round(speedup, 6)] for workers, speedup in curve["measured"]], [[1, 1], [24, 4]])
        self.assertAlmostEqual(max(speedup for _, speedup in curve["most possible (work and span)"]), 6, places=6)
        top = self.browser.run("return skua_report.charts.get('curve').instance.getModel().getComponent('yAxis', 0).axis.scale.getExtent()[1]")
        self.assertGreater(top, 6)
        self.assertLess(top, 7)
        self.assertEqual(curve["one more worker, one more speed"], [[1, 1], [top, top]])

    def test_matrix_has_every_pair_and_the_borders(self):
        self.open("simulated")
        pairs = self.record("simulated")["pairs"]
        for measure, at in (("steals", 2), ("misses", 3), ("looks", 4), ("bytes", 5)):
            self.browser.run("const s = document.querySelector('#steals select'); s.value = arguments[0]; s.dispatchEvent(new Event('change'))", measure)
            drawn = self.browser.run("return skua_report.charts.get('matrix-0').instance.getOption().series[0].data")
            self.assertEqual({(cell[1], cell[0]): cell[at] for cell in drawn},
                             {(pair["thief"], pair["victim"]): pair[measure] for pair in pairs if pair[measure]}, measure)
        self.assertEqual(self.series("matrix-0")["borders"], [[6, 6, 1], [12, 12, 1], [18, 18, 1]])

    def test_matrix_of_many_workers_is_of_domains_until_workers_are_wanted(self):
        self.open("many")
        steals = sum(pair["steals"] for pair in self.record("many")["pairs"])
        cells = "return skua_report.charts.get('matrix-0').instance.getOption().series[0].data"
        domains = self.browser.run(cells)
        self.assertEqual(len(domains), 32 * 32)
        self.assertEqual(sum(cell[2] for cell in domains), steals)
        self.browser.run("const s = document.querySelectorAll('#steals select')[1]; s.value = 'workers'; s.dispatchEvent(new Event('change'))")
        workers = self.browser.run(cells)
        self.assertGreater(len(workers), 50000)
        self.assertEqual(sum(cell[2] for cell in workers), steals)

    def test_timeline_has_every_interval(self):
        self.open("small")
        run, lanes = self.record("small"), self.series("timeline-0")
        interval = run["timeline"]["interval_ns"]
        for doing in ("user", "waiting", "asleep"):
            for worker in (0, 7):
                drawn = sum((part[1] - part[0]) * 1e6 * (part[4] - part[3]) for part in lanes[doing, 1] if part[2] == worker)
                told = sum(moment.get(doing, 0) for moment in run["timeline"]["workers"][worker])
                self.assertLess(abs(drawn - told), 0.003 * interval * 200, (doing, worker))
        together = sum((part[1] - part[0]) * 1e6 * (part[4] - part[3]) for part in lanes["user"])
        self.assertAlmostEqual(together / sum(w["times"]["user"] for w in run["workers"]) * 8, 1, places=2)

    def test_timeline_of_many_workers_has_a_lane_for_each(self):
        self.open("many")
        lanes = self.series("timeline-0")
        drawn = {part[2] for name, data in lanes.items() if isinstance(name, tuple) for part in data}
        self.assertEqual(drawn, set(range(256)))

    def test_distributions_have_the_counts(self):
        self.open("small")
        run = self.record("small")
        for chart in DISTRIBUTIONS:
            data = self.series(chart)["share of all"]
            told = [number for number in run[chart.split("-")[1]]["counts"]]
            first = next(i for i, number in enumerate(told) if number)
            self.assertEqual([bar["number"] for bar in data], told[first:], chart)

    def test_memories_have_the_bytes(self):
        self.open("simulated")
        nodes = self.record("simulated")["simulated"]["nodes"]
        drawn = self.series("memories-0")
        self.assertEqual(drawn["written"], [node["bytes_written"] for node in nodes])
        self.assertEqual(drawn["read by others"], [node["bytes_read_remotely"] for node in nodes])

    def test_pointing_at_a_chart_shows_its_numbers(self):
        self.open("simulated")
        for chart in self.chart_names():
            with self.subTest(chart=chart):
                series = self.browser.run("const series = skua_report.charts.get(arguments[0]).instance.getOption().series;"
                                          "return series.findIndex(one => one.name !== 'borders' && one.data.length > 0)", chart)
                self.browser.run("skua_report.charts.get(arguments[0]).instance.dispatchAction("
                                 "{type: 'showTip', seriesIndex: arguments[1], dataIndex: 0})", chart, series)
                self.assertRegex(wait_until(lambda: self.browser.run(TOOLTIP, chart), f"{chart} shows a tooltip"), r"\d")

    def test_the_mouse_shows_numbers(self):
        self.open("small")
        for chart, across, down, words in (("breakdown", 0.3, 0.6, "user: "), ("workers-0", 0.5, 0.7, "asleep: "),
                                           ("matrix-0", 0.33, 0.05, "tries in vain: "), ("timeline-0", 0.5, 0.53, "worker "),
                                           ("distribution-task_size", 0.55, 0.5, "share of all: ")):
            with self.subTest(chart=chart):
                x, y, width, height = self.into_view(chart)

                def pointed():
                    self.browser.move_mouse(5, 5)
                    self.browser.move_mouse(x + across * width, y + down * height)
                    return self.browser.run(TOOLTIP, chart)
                self.assertIn(words, wait_until(pointed, f"{chart} answers the mouse"))

    def test_a_moment_is_at_one_place_in_both_parts_of_the_timeline(self):
        self.open("simulated")  # at its end a long label, 988 ms
        for moment in (0, 980):
            above, below = self.browser.run("return [0, 1].map(x => skua_report.charts.get('timeline-0').instance"
                                            ".convertToPixel({xAxisIndex: x}, arguments[0]))", moment)
            self.assertAlmostEqual(above, below)

    def test_the_timeline_zooms(self):
        self.open("small")
        whole = self.browser.run(SHOWN, "timeline-0", 1)
        self.assertAlmostEqual(whole[1], 1000)
        self.browser.run("skua_report.charts.get('timeline-0').instance.dispatchAction({type: 'dataZoom', start: 25, end: 50})")
        for axis in (0, 1):
            self.assertEqual([round(edge) for edge in self.browser.run(SHOWN, "timeline-0", axis)], [250, 500])

    def test_the_timeline_zooms_by_the_mouse(self):
        self.open("small")
        x, y, width, height = self.into_view("timeline-0")
        handle = (x + width - 30, y + height - 14 - 12)
        self.browser.drag(handle, (x + width / 2, handle[1]))
        shown = wait_until(lambda: (lambda now: now if now[1] < 900 else None)(self.browser.run(SHOWN, "timeline-0", 1)), "the zoom follows")
        self.assertEqual(shown[0], 0)
        self.assertLess(abs(shown[1] - 500), 60)

    def test_text_can_be_read_in_light_and_dark(self):
        for page in ("simulated", "two"):
            for scheme in ("light", "dark"):
                self.open(page, scheme=scheme)
                contrasts = self.browser.run(CONTRASTS)
                self.assertGreater(len(contrasts), 100)
                for words, contrast in contrasts:
                    self.assertGreaterEqual(contrast, 4.5, f"{page}, {scheme}: {words}")

    def test_charts_follow_when_the_reader_changes_to_dark(self):
        self.open("small")
        colour = "return skua_report.charts.get('breakdown').instance.getOption().textStyle.color"
        light = self.browser.run(colour)
        self.browser.prefer("dark")
        dark = wait_until(lambda: (lambda now: now if now != light else None)(self.browser.run(colour)), "the charts become dark")
        text = self.browser.run("return getComputedStyle(document.documentElement).getPropertyValue('--text').trim()")
        self.assertEqual(dark, text)

    def test_two_runs_stand_side_by_side(self):
        self.open("two")
        a, b = self.record("small"), self.record("other")
        both = self.series("breakdown")
        for doing in records.DOINGS:
            self.assertEqual([bar["ns"] for bar in both[doing]],
                             [sum(w["times"].get(doing, 0) for w in run["workers"]) for run in (a, b)], doing)
        self.assertLessEqual({"A: measured", "B: measured"}, self.series("curve").keys())
        self.assertEqual(list(self.series("distribution-task_size")), ["A", "B"])
        steals = [sum(w["counts"]["steals"] for w in run["workers"]) for run in (a, b)]
        rows = self.browser.run("return [...document.querySelectorAll('header tr')].map(row => [...row.children].map(cell => cell.innerText))")
        row = next(row for row in rows if row[0] == "Steals")
        self.assertEqual([int(cell.replace("\u202f", "")) for cell in row[1:3]], steals)
        self.assertAlmostEqual(float(row[3].rstrip("×")), steals[1] / steals[0], places=2)
        scales = self.browser.run("return ['matrix-0', 'matrix-1'].map(c => skua_report.charts.get(c).instance.getOption().visualMap[0].max)")
        self.assertEqual(scales, 2 * [max(pair["steals"] for run in (a, b) for pair in run["pairs"])])
        for name in ("small.json", "other.json"):
            self.assertIn(name, self.text())

    def test_what_a_record_lacks_is_said(self):
        self.open("bare")
        text = self.text()
        for words in ("structure is not in this record", "no hardware counts in this record", "no timeline",
                      "Nobody looked at or stole from anybody", "There was none in this record",
                      "the kernel refuses perf_event_open here"):
            self.assertIn(words, text)

    def test_nothing_in_a_record_becomes_part_of_the_page(self):
        self.open("hostile")
        for chart in self.chart_names():
            self.browser.run("skua_report.charts.get(arguments[0]).instance.dispatchAction({type: 'showTip', seriesIndex: 0, dataIndex: 0})", chart)
        self.assertIsNone(self.browser.run("return window.broken"))
        self.assertEqual(self.browser.run("return document.querySelectorAll('img').length"), 0)
        self.assertEqual(self.browser.run("return document.querySelector('h1').textContent"), records.HOSTILE)
        self.assertTrue(self.browser.run("return document.title").startswith("</script><script>window.broken = 1</script>\"'><img"))
        self.assertEqual(self.browser.run("return document.querySelector('.notes li').textContent"), records.HOSTILE)

    # On a machine on which others work, too, a clock says little: the best of three loads counts, and where a page with next
    # to nothing takes longer than a quarter of a second (0.1 s on two quiet cores), everything may take longer by as much.
    def test_a_run_of_256_workers_opens_within_2_seconds(self):
        little, taken = map(min, zip(*((self.open("bare"), self.open("many")) for _ in range(3))))
        limit = 2000 * max(1, little / 250)
        print(f"256 workers: {taken:.0f} ms, allowed are {limit:.0f}; a page with next to nothing: {little:.0f} ms", file=sys.stderr)
        self.assertLess(taken, limit)


if __name__ == "__main__":
    if missing := Browser.missing():
        print(f"[  SKIPPED ] no {' and no '.join(missing)} is installed here")
        sys.exit(0)
    if why := Browser.refusal():
        print(f"[  SKIPPED ] no browser can be started here: {why}")
        sys.exit(0)
    TOOL = sys.argv.pop(1)
    unittest.main()
