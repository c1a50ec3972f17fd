"""Checks that pages and plots are well formed and complete and load nothing: pages_test.py WRITE_PAGES PUBLISHED"""
import html.parser
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

SVG = "{http://www.w3.org/2000/svg}"
VOID = {"meta", "br", "link", "img"}


class Page(html.parser.HTMLParser):
    """Collects all elements, their attributes and their text. Fails if elements are not closed in order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.elements, self.text = [], [], {}
        self.feed(text)
        self.close()
        assert not self.open, f"never closed: {self.open}"

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> inside {self.open}"
        self.open.pop()

    def handle_data(self, text):
        for tag in set(self.open):
            self.text.setdefault(tag, []).append(text)

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.terminal = subprocess.run([WRITE_PAGES, cls.folder], check=True, capture_output=True, text=True, timeout=600).stdout
        cls.figures = [json.loads(file.read_text()) for file in sorted(PUBLISHED.glob("*.json"))]

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def read(self, name):
        return (self.folder / name).read_text()

    def test_html_is_well_formed_and_has_every_figure_once_in_its_contents(self):
        page = Page(self.read("page.html"))
        sections = [a["id"] for a in page.all("section")]
        for figure in self.figures:
            self.assertIn(f"{figure['paper']}-{figure['id']}", sections)
        links = [a["href"] for a in page.all("a")]
        for link in links:
            self.assertTrue(link.startswith("#"), link)
            self.assertIn(link[1:], sections + ["contents"])
        self.assertEqual(page.all("html")[0]["lang"], "en")
        self.assertEqual(page.text["h1"], ["Made-up <results>"])

    def test_html_loads_no_other_file(self):
        text = self.read("page.html")
        page = Page(text)
        for tag in ("script", "link", "img", "iframe", "object", "base"):
            self.assertEqual(page.all(tag), [], tag)
        without_names = text.replace('xmlns="http://www.w3.org/2000/svg"', "")
        self.assertNotRegex(without_names, r"https?://|url\(|@import")

    def test_html_is_for_light_and_dark_and_for_telephones(self):
        text = self.read("page.html")
        self.assertIn('content="width=device-width, initial-scale=1"', text)
        self.assertIn("prefers-color-scheme:dark", text)
        self.assertEqual(text.count("<table"), text.count('<div class="wide"'))  # a wide table scrolls by itself

    def test_tables_name_their_rows_and_columns(self):
        page = Page(self.read("page.html"))
        self.assertEqual(len(page.all("caption")), len(page.all("table")))
        for cell in page.all("th"):
            self.assertIn(cell.get("scope"), ("row", "col"))

    def test_hostile_texts_stay_text(self):
        text = self.read("page.html")
        self.assertNotIn("<script", text)
        self.assertNotIn("<b>", text)
        self.assertIn("&lt;b&gt;&quot;a&quot; &amp; &#39;b&#39;", text)
        drawn = xml.parse(self.folder / "cab-hostile.svg").getroot()
        texts = [t.text for t in drawn.iter(SVG + "text")]
        for expected in ("<b>\"a\" & 'b' | *c*", "<x>", "&y", "1&2", "a<b"):
            self.assertIn(expected, texts)

    def test_every_plot_is_svg_with_axes_ticks_legend_and_words(self):
        for figure in self.figures:
            root = xml.parse(self.folder / f"{figure['paper']}-{figure['id']}.svg").getroot()
            self.assertEqual(root.tag, SVG + "svg")
            panels = root.findall(SVG + "svg")
            if figure["level"] == "inputs":
                continue
            self.assertGreaterEqual(len(panels), len(figure.get("panels", [1])), figure["id"])
            for panel in panels:
                self.assertEqual(panel.get("role"), "img")
                self.assertTrue(panel.find(SVG + "title").text)
                self.assertTrue(panel.findall(f".//*[@class='axis']"), figure["id"])
                self.assertGreaterEqual(len(panel.findall(".//*[@class='grid']")), 2)
            titles = [t.text for t in root.iter(SVG + "title")]
            self.assertTrue(any(re.search(r"\[[\d.e+-]+, [\d.e+-]+\]$", t) for t in titles), figure["id"])

    def test_nothing_is_drawn_outside_its_plot(self):
        for file in self.folder.glob("*.svg"):
            for svg in xml.parse(file).getroot().iter(SVG + "svg"):
                wide, high = map(float, svg.get("viewBox").split()[2:])
                for element in svg:
                    for name, most in (("x", wide), ("x1", wide), ("x2", wide), ("y", high), ("y1", high), ("y2", high)):
                        if element.tag != SVG + "svg" and element.get(name):
                            self.assertGreaterEqual(float(element.get(name)), 0, (file.name, element.attrib))
                            self.assertLessEqual(float(element.get(name)), most, (file.name, element.attrib))

    def test_a_bar_is_as_high_as_its_number(self):
        # cab fig9 is drawn relative to Cilk. So Cilk's own bars reach 1 and end on the axis, whatever the samples are.
        root = xml.parse(self.folder / "cab-fig9.svg").getroot()
        panel = root.find(SVG + "svg")
        bars = [r for r in panel.iter(SVG + "rect") if "bar s0" in r.get("class") and r.find(SVG + "title") is not None]
        self.assertEqual(len(bars), 4)
        ticks = {t.text: float(t.get("y")) - 4 for t in panel.iter(SVG + "text") if t.get("text-anchor") == "end"}
        for bar in bars:
            self.assertIn(": 1 [1, 1]", bar.find(SVG + "title").text)
            self.assertAlmostEqual(float(bar.get("y")), ticks["1"], delta=0.2)
            self.assertAlmostEqual(float(bar.get("y")) + float(bar.get("height")), ticks["0"], delta=0.2)

    def test_published_numbers_are_marked_where_the_chart_shows_the_same(self):
        marks = lambda name: len(xml.parse(self.folder / name).getroot().findall(".//*[@class='published']"))
        self.assertEqual(marks("tatl-table1.svg"), 4)  # three, and one in the legend
        self.assertEqual(marks("cab-table4.svg"), 2 * 5)    # four in each panel, and one in its legend
        self.assertEqual(marks("cab-fig8.svg"), 0)  # this figure has no published numbers

    def test_markdown_has_every_figure_and_tables_of_equal_width(self):
        text = self.read("page.md")
        headings = re.findall(r"^## (.*)$", text, re.M)
        for figure in self.figures:
            self.assertIn(f"{figure['paper']} {figure['id']}", headings)
        for link in re.findall(r"\]\(#([^)]*)\)", text):
            self.assertIn(link, [h.replace(" ", "-").lower() for h in headings])
        table = None
        for line in text.splitlines():
            cells = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") else None
            if cells and table:
                self.assertEqual(cells, table, line)
            table = cells
        self.assertIn("p\\|q", text)

    def test_figures_that_were_not_run_say_so(self):
        self.assertIn("skua has no experiment for it yet", self.read("page.html"))
        self.assertIn("- not run", self.read("page.md"))
        self.assertIn("nothing to draw", "".join(xml.parse(self.folder / "nothing.svg").getroot().itertext()))

    def test_heat_map(self):
        root = xml.parse(self.folder / "map.svg").getroot()
        texts = [t.text for t in root.iter(SVG + "text")]
        # 0.504 is printed as 0.50.
        self.assertEqual([t for t in texts if t.endswith("*") and t[0].isdigit()], ["0.50*", "0.50*", "1.00*"])
        fills = [r.get("fill") for r in root.iter(SVG + "rect")]
        self.assertEqual(fills[0], "#f7f7f7")  # 1 is white
        red = lambda fill: int(fill[1:3], 16)
        blue = lambda fill: int(fill[5:7], 16)
        self.assertGreater(blue(fills[1]), red(fills[1]))  # faster is blue
        self.assertGreater(red(fills[5]), blue(fills[5]))  # slower is orange
        page = Page(self.read("map.html"))
        self.assertEqual(len(page.all("td")), 6)
        self.assertIn("| **0.50** |", self.read("map.md"))
        self.assertIn("-", texts)

    def test_terminal_lists_every_figure(self):
        for figure in self.figures:
            self.assertIn(f"{figure['paper']} {figure['id']}", self.terminal)
        self.assertIn("Published numbers", self.terminal)


if __name__ == "__main__":
    PUBLISHED = pathlib.Path(sys.argv.pop())
    WRITE_PAGES = sys.argv.pop()
    unittest.main()
