"""`skua report -o`: the file that it writes, and its refusals. tests/chromium/ tests the contents of the page."""
import json
import os
import pathlib
import sys
import tempfile

from tool import ToolTest, main

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "chromium"))
import records  # noqa: E402


class ReportPage(ToolTest):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()) if hasattr(self, "enterContext")
                                   else tempfile.mkdtemp())
        self.record = self.folder / "run.json"
        self.record.write_text(json.dumps(records.small()), encoding="utf-8")
        self.page = self.folder / "page.html"

    def test_the_page_is_one_file_that_loads_no_other(self):
        self.assertEqual(self.succeed("report", str(self.record), "-o", str(self.page)), "")
        page = self.page.read_text(encoding="utf-8")
        self.assertTrue(page.startswith("<!DOCTYPE html>"))
        self.assertIn(f"<title>{records.small()['program']} – skua report</title>", page)
        self.assertNotIn("src=", page.replace(page[page.index("<script>"):], ""))
        self.assertNotRegex(page[:page.index("<script")], r"https?:")
        data = json.loads(page[page.index('id="data">') + len('id="data">'):].split("</script>", 1)[0])
        self.assertEqual([run["name"] for run in data["runs"]], [str(self.record)])

    def test_two_runs(self):
        other = self.folder / "other.json"
        other.write_text(json.dumps(records.other()), encoding="utf-8")
        self.succeed("report", str(self.record), str(other), "--output", str(self.page))
        self.assertIn('"policy":"random"', self.page.read_text(encoding="utf-8"))

    def test_refusals(self):
        self.refuse("report", str(self.record), "-o", str(self.folder / "page.htm"), naming=["page.htm'", ".html", "nearest: "])
        self.refuse("report", str(self.record), "-o", str(self.folder / "none" / "page.html"), naming=["cannot be written", "none"])
        self.refuse("report", str(self.record), "-o", str(self.page), "--json", naming=["--json", "--output"])

    def test_a_wrong_record_leaves_the_old_page_unchanged(self):
        self.page.write_text("old", encoding="utf-8")
        self.record.write_text("{}", encoding="utf-8")
        self.refuse("report", str(self.record), "-o", str(self.page), naming=["run.json", "format"])
        self.assertEqual(self.page.read_text(encoding="utf-8"), "old")


if __name__ == "__main__":
    main()
