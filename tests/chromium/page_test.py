"""Tests in Debian's Chromium that the page of `skua report -o` opens and shows the whole record.

    python3 tests/chromium/page_test.py build/release/skua

The runs are made up (records.py), so this test can compute everything on the page. page_use_test.py tests how readers use the
page.
"""
import records
from opened_page import PAGES, WIDTHS, OpenedPage, main, screens

ALWAYS = ["breakdown", "workers-0", "curve"]
DISTRIBUTIONS = ["distribution-" + key for key in ("steal_latency", "search_time", "steal_duration", "task_size")]
CHARTS = {"small": ALWAYS + ["matrix-0", "timeline-0"] + DISTRIBUTIONS, "bare": ALWAYS}
CHARTS["simulated"] = CHARTS["hostile"] = CHARTS["many"] = CHARTS["small"] + ["memories-0"]
CHARTS["serial"] = CHARTS["small"]
CHARTS["two"] = CHARTS["small"] + ["workers-1", "matrix-1", "timeline-1"]

BLANK = """
const canvas = arguments[0] && document.querySelector(`#${arguments[0]} canvas`);
const pixels = new Uint32Array(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.buffer);
return pixels.every(one => one === pixels[0]);
"""


class PageTest(OpenedPage):
    def test_opens_without_complaints_fits_the_screen_and_draws_every_chart(self):
        for turn, page in enumerate(PAGES):
            for name, width, scheme in screens(turn):
                with self.subTest(page=page, width=name, scheme=scheme):
                    self.open(page, width, scheme)
                    if name == "desktop":
                        self.every_chart_is_drawn_and_has_a_name(page)
                    self.assertEqual(self.browser.complaints(), [])
                    self.assertEqual(self.browser.run("return document.documentElement.scrollWidth"), width)
                    self.assertEqual(self.browser.run("return performance.getEntriesByType('resource').map(r => r.name)"), [])

    def test_long_names_fit_the_screen_and_can_be_read(self):
        self.open("serial", WIDTHS["phone"])
        self.assertIn(records.NAMES[0], self.browser.run("return document.querySelector('.verdict').textContent"))
        self.assertEqual(self.browser.run("return document.documentElement.scrollWidth"), WIDTHS["phone"])
        for name, width in self.browser.run("return [...document.querySelectorAll('#span th code')].map(one => "
                                            "[one.textContent, one.getBoundingClientRect().width])"):
            self.assertGreater(width, 140, name)

    def every_chart_is_drawn_and_has_a_name(self, page):
        self.assertCountEqual(self.chart_names(), CHARTS[page], page)
        for chart in CHARTS[page]:
            with self.subTest(chart=chart):
                self.assertFalse(self.browser.run(BLANK, chart))
                role, label = self.browser.run("const of = document.getElementById(arguments[0]);"
                                               "return [of.getAttribute('role'), of.getAttribute('aria-label')]", chart)
                self.assertEqual(role, "img")
                self.assertGreater(len(label), 10)

    def test_small_run_breakdowns_have_the_times_of_the_record(self):
        self.open_to_read("small")
        run = self.record("small")
        both, each = self.series("breakdown"), self.series("workers-0")
        for activity in records.ACTIVITIES:
            times = [worker["times"].get(activity, 0) for worker in run["workers"]]
            self.assertEqual(both[activity][0]["ns"], sum(times), activity)
            self.assertEqual([bar["ns"] for bar in each[activity]], times, activity)
        shares = [sum(series[w]["value"] for series in each.values()) for w in range(len(run["workers"]))]
        for share in shares:
            self.assertAlmostEqual(share, 1)

    def test_small_run_curve_has_prediction_and_measurement(self):
        self.open_to_read("small")
        run, curve = self.record("small"), self.series("curve")
        work_span = run["work_span"]
        one = run["curve"][0]["seconds"]
        self.assertEqual([[round(x, 6) for x in point] for point in curve["measured"]],
                         [[point["workers"], round(one / point["seconds"], 6)] for point in run["curve"]])
        bound = dict(curve["upper bound (work and span)"])
        self.assertAlmostEqual(bound[16], min(16, work_span["work_ns"] / work_span["span_ns"]))
        expected = dict(curve["expected with the cost of steals"])
        burden = work_span["burdened_span_ns"]
        self.assertAlmostEqual(expected[16], work_span["work_ns"] / ((work_span["work_ns"] - burden) / 16 + burden))

    def test_simulated_run_curve_is_as_high_as_its_own_points(self):
        self.open_to_read("simulated")
        curve = self.series("curve")
        self.assertEqual([[workers, round(speedup, 6)] for workers, speedup in curve["measured"]], [[1, 1], [24, 4]])
        self.assertAlmostEqual(max(speedup for _, speedup in curve["upper bound (work and span)"]), 6, places=6)
        top = self.browser.run("return skua_report.charts.get('curve').instance.getModel().getComponent('yAxis', 0).axis.scale.getExtent()[1]")
        self.assertGreater(top, 6)
        self.assertLess(top, 7)
        self.assertEqual(curve["linear speedup"], [[1, 1], [top, top]])

    def test_matrix_has_every_pair_and_the_borders(self):
        self.open("simulated")
        pairs = self.record("simulated")["pairs"]
        for measure, at in (("steals", 2), ("misses", 3), ("looks", 4), ("bytes", 5)):
            self.browser.run("const s = document.querySelector('#steals select'); s.value = arguments[0]; s.dispatchEvent(new Event('change'))", measure)
            drawn = self.browser.run("return skua_report.charts.get('matrix-0').instance.getOption().series[0].data")
            self.assertEqual({(cell[1], cell[0]): cell[at] for cell in drawn},
                             {(pair["thief"], pair["victim"]): pair[measure] for pair in pairs if pair[measure]}, measure)
        self.assertEqual(self.series("matrix-0")["borders"], [[6, 6, 1], [12, 12, 1], [18, 18, 1]])

    def test_small_run_bytes_by_distance_are_those_of_the_pairs(self):
        self.open_to_read("small")
        rows = self.browser.run("return [...document.querySelectorAll('#steals [aria-label^=\"Steals by distance\"] tr')]"
                                ".map(row => [...row.children].map(cell => cell.innerText))")
        self.assertEqual(rows[0], ["distance", "steals", "share", "declared data"])
        for level, row in enumerate(rows[1:]):
            pairs = [pair for pair in self.record("small")["pairs"] if pair["distance"] == level]
            self.assertEqual(int(row[1].replace("\u202f", "")), sum(pair["steals"] for pair in pairs))
            number, unit = row[3].split()
            self.assertAlmostEqual(float(number) * {"kB": 1e3, "MB": 1e6}[unit] / sum(pair["bytes"] for pair in pairs), 1, delta=0.01)

    def test_matrix_of_many_workers_shows_domains_until_the_reader_selects_workers(self):
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

    def test_small_run_timeline_has_every_interval(self):
        self.open_to_read("small")
        run, lanes = self.record("small"), self.series("timeline-0")
        interval = run["timeline"]["interval_ns"]
        for activity in ("user", "waiting", "asleep"):
            for worker in (0, 7):
                drawn = sum((part[1] - part[0]) * 1e6 * (part[4] - part[3]) for part in lanes[activity, 1] if part[2] == worker)
                told = sum(moment.get(activity, 0) for moment in run["timeline"]["workers"][worker])
                self.assertLess(abs(drawn - told), 0.003 * interval * 200, (activity, worker))
        together = sum((part[1] - part[0]) * 1e6 * (part[4] - part[3]) for part in lanes["user"])
        self.assertAlmostEqual(together / sum(w["times"]["user"] for w in run["workers"]) * 8, 1, places=2)

    def test_timeline_of_many_workers_has_a_lane_for_each(self):
        self.open("many")
        lanes = self.series("timeline-0")
        drawn = {part[2] for name, data in lanes.items() if isinstance(name, tuple) for part in data}
        self.assertEqual(drawn, set(range(256)))

    def test_small_run_distributions_have_the_counts(self):
        self.open_to_read("small")
        run = self.record("small")
        for chart in DISTRIBUTIONS:
            data = self.series(chart)["share of all"]
            told = [number for number in run[chart.split("-")[1]]["counts"]]
            first = next(i for i, number in enumerate(told) if number)
            self.assertEqual([bar["number"] for bar in data], told[first:], chart)

    def test_simulated_run_memories_have_the_bytes(self):
        self.open_to_read("simulated")
        nodes = self.record("simulated")["simulated"]["nodes"]
        drawn = self.series("memories-0")
        self.assertEqual(drawn["written"], [node["bytes_written"] for node in nodes])
        self.assertEqual(drawn["read by other packages"], [node["bytes_read_remotely"] for node in nodes])

    def test_two_runs_stand_side_by_side(self):
        self.open("two")
        a, b = self.record("small"), self.record("other")
        both = self.series("breakdown")
        for activity in records.ACTIVITIES:
            self.assertEqual([bar["ns"] for bar in both[activity]],
                             [sum(w["times"].get(activity, 0) for w in run["workers"]) for run in (a, b)], activity)
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

    def test_missing_parts_of_a_record_are_named(self):
        self.open("bare")
        text = self.text()
        for words in ("no work and span", "no hardware counts in this report", "no timeline",
                      "No worker looked at or stole from another one", "This report has none",
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


if __name__ == "__main__":
    main()
