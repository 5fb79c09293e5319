"""Transcribed tables are refused with file, row and column where something is missing or twice."""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

EXPERIMENTS = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(EXPERIMENTS))

import tables  # noqa: E402


class OneTable(unittest.TestCase):
    """A small table, each time with another fault."""

    COLUMNS = {
        "version": "name",
        "latency": "figure: ms",
        "share": "figure?: %",
        "change": "change: %",
        "document": "document",
        "section": "section",
    }
    GOOD = "version,latency,share,change,document,section\nv1,36.166145 ms,44.51%,,review,2\n"

    def read(self, text: str | bytes, key: tuple[str, ...] = ("version",), **columns: str):
        described = {
            name: tables.Column.parse("test", kind)
            for name, kind in {**self.COLUMNS, "change": "change?: %", **columns}.items()
        }
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "versions.csv"
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
            return tables.read(path, list(key), described, {"review"})

    def refused(self, text: str | bytes, *words: str, **columns: str) -> None:
        with self.assertRaises(tables.Refused) as caught:
            self.read(text, **columns)
        said = str(caught.exception)
        self.assertIn("versions.csv", said)
        for word in words:
            self.assertIn(word, said)

    def test_cells_are_kept_as_they_are_printed(self):
        table = self.read(self.GOOD)
        self.assertEqual(table.rows[0]["latency"], "36.166145 ms")
        self.assertEqual(table.rows[0]["share"], "44.51%")

    def test_a_missing_cell(self):
        self.refused(self.GOOD.replace("36.166145 ms", ""), "row 2", "`latency`", "missing")
        self.refused(self.GOOD.replace("36.166145 ms", "  "), "row 2", "`latency`", "missing")
        cut = self.GOOD.replace(",review,2\n", "\n")
        self.refused(cut, "row 2", "`document`", "missing")

    def test_a_cell_that_may_be_missing(self):
        self.assertEqual(self.read(self.GOOD.replace("44.51%", "")).rows[0]["share"], "")

    def test_a_duplicate_version_names_both_rows(self):
        again = self.GOOD + self.GOOD.splitlines()[1] + "\n"
        self.refused(again, "row 3", "`version`", "duplicate of row 2", "v1")

    def test_an_unknown_unit(self):
        for unit in ("sec", "us", "MS", "ms ms"):
            text = self.GOOD.replace("36.166145 ms", f"36.166145 {unit}")
            self.refused(text, "row 2", "`latency`", f"unknown unit `{unit}`", "`ms`")
        self.refused(self.GOOD.replace(" ms", ""), "row 2", "`latency`", "has no unit")
        self.refused(self.GOOD.replace("44.51%", "44.51 pt"), "`share`", "unknown unit `pt`")

    def test_what_is_no_figure(self):
        for cell in ("fast", "1.2.3", "--1", ".5", "1,23", "NaN", "1e3"):
            text = self.GOOD.replace("36.166145 ms", f'"{cell}"')
            self.refused(text, "row 2", "`latency`")

    def test_a_time_is_above_0(self):
        for cell in ("-36.160896 ms", "\u221236.16 ms", "0 ms", "0.000 ms", "-0 ms"):
            text = self.GOOD.replace("36.166145 ms", cell)
            self.refused(text, "row 2", "`latency`", f"`{cell}`", "above 0")
        endless = self.GOOD.replace("36.166145 ms", "9" * 400 + " ms")
        self.refused(endless, "row 2", "`latency`", "more than a number")
        # A change of a time, and a figure of another unit, may be less.
        less = self.GOOD.replace("44.51%,,", "-44.51%,-0.5 ms,")
        self.assertEqual(self.read(less, change="change: ms").rows[0]["change"], "-0.5 ms")

    def test_digits_are_those_of_ascii(self):
        for cell in ("\uff13\uff16 ms", "3\uff16 ms", "36.\uff11 ms", "\u0663 ms"):
            text = self.GOOD.replace("36.166145 ms", cell)
            self.refused(text, "row 2", "`latency`", f"`{cell}`")

    def test_changes_are_figures_or_words(self):
        for cell, good in (("-54.35%", True), ("基本不变", True), ("-54.35", False)):
            text = self.GOOD.replace("44.51%,,", f"44.51%,{cell},")
            if good:
                self.assertEqual(self.read(text).rows[0]["change"], cell)
            else:
                self.refused(text, "`change`", "no unit")

    def test_a_document_that_nobody_described(self):
        self.refused(self.GOOD.replace("review", "paper"), "row 2", "`document`", "`paper`")

    def test_columns(self):
        self.refused(self.GOOD.replace("latency", "latnecy"), "row 1", "`latnecy`")
        self.refused(self.GOOD.replace("share", "latency"), "row 1", "`latency`", "twice")
        self.refused("version,latency\nv1,1 ms\n", "row 1", "`share`", "missing")
        self.refused(self.GOOD.replace(",2\n", ",2,3\n"), "row 2", "column 7")

    def test_what_a_spreadsheet_saves_is_read(self):
        marked = b"\xef\xbb\xbf" + self.GOOD.replace("\n", "\r\n").encode()
        self.assertEqual(self.read(marked).rows, self.read(self.GOOD).rows)
        quoted = self.GOOD.replace("v1", '"v1, ""new"""', 1)
        self.refused(quoted, "row 2", "`version`", "no name")
        free = self.read(quoted, version="text").rows[0]
        self.assertEqual(free["version"], 'v1, "new"')
        lines = self.GOOD.replace("44.51%,,", '44.51%,"two\nlines",') + "v1,1 ms,,,review,2\n"
        self.refused(lines, "row 3", "`version`", "duplicate of row 2")

    def test_faults_behind_a_byte_order_mark_have_the_same_rows(self):
        marked = "\ufeff" + self.GOOD.replace("\n", "\r\n")
        self.refused(marked.replace("36.166145 ms", ""), "row 2", "`latency`", "missing")
        self.refused(marked.replace(" ms", " qs"), "row 2", "`latency`", "unknown unit `qs`")
        self.refused(marked + marked.splitlines()[1] + "\r\n", "row 3", "duplicate of row 2")

    def test_tabs(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "versions.tsv"
            columns = {"a": tables.Column.parse("t", "text"), "b": tables.Column.parse("t", "figure")}
            path.write_bytes("\ufeffa\tb\r\nx,y\t1\r\n".encode())
            self.assertEqual(tables.read(path, ["a"], columns, set()).rows[0]["a"], "x,y")
            path.write_text("a\tb\nx\n", encoding="utf-8")
            with self.assertRaisesRegex(tables.Refused, "row 2, column `b`: the cell is missing"):
                tables.read(path, ["a"], columns, set())

    def test_a_row_that_is_cut_or_empty(self):
        self.refused(self.GOOD + "v2,1 ms\n", "row 3", "`share`", "missing")
        self.refused(self.GOOD + "\n", "row 3", "`version`", "missing")
        self.refused(self.GOOD + '"v2"x,1 ms,,,review,2\n', "row 3", "not CSV")

    def test_files_that_are_no_tables(self):
        self.refused(b"", "no header")
        self.refused(self.GOOD.splitlines()[0], "no rows")
        self.refused(self.GOOD.encode("utf-16"), "not UTF-8")
        self.refused(self.GOOD.replace("v1", '"v1'), "not CSV")

    def test_blanks_and_kinds(self):
        self.refused(self.GOOD.replace("v1", " v1"), "row 2", "`version`", "blanks")
        with self.assertRaisesRegex(tables.Refused, "no kind of column"):
            tables.Column.parse("test", "number: ms")


class WholeCampaigns(unittest.TestCase):
    """The campaigns that are here, and what a fault in one of their tables leads to."""

    def test_every_campaign_can_be_read(self):
        found = sorted(p.parent for p in EXPERIMENTS.glob("*/tables.toml"))
        self.assertEqual(
            [f.name for f in found], ["c500-gemm", "c500-mhc-post", "h800-matmul"]
        )
        for folder in found:
            self.assertTrue(tables.campaign(folder).rows("documents"))

    def broken(self, table: str, old: str, new: str, *words: str) -> None:
        with tempfile.TemporaryDirectory() as work:
            folder = Path(work) / "c500-gemm"
            shutil.copytree(EXPERIMENTS / "c500-gemm", folder)
            path = folder / "tables" / f"{table}.csv"
            text = path.read_text(encoding="utf-8")
            self.assertIn(old, text)
            path.write_text(text.replace(old, new, 1), encoding="utf-8")
            with self.assertRaises(tables.Refused) as caught:
                tables.campaign(folder)
            for word in (f"{table}.csv", *words):
                self.assertIn(word, str(caught.exception))

    def test_faults_are_told_with_file_row_and_column(self):
        self.broken("versions", "35.812864 ms", "", "row 4", "`latency`", "missing")
        self.broken("versions", "35.812864 ms", "35.812864 s", "row 4", "`latency`", "unit `s`")
        self.broken(
            "versions", "\npanel2-512-threads,", "\nb-prepack-interleave4,", "row 5", "duplicate"
        )
        self.broken(
            "versions", ",b-prepack-interleave4,schedule", ",nobody,schedule", "row 5", "`parent`"
        )
        self.broken("counters-panel2", "952.760M", "952.760Q", "row 4", "unit `Q`")
        self.broken("knobs", "a-copy-coalesced-width4", "a-copy", "row 15", "`version`", "`a-copy`")

    def test_a_version_needs_a_reason(self):
        with tempfile.TemporaryDirectory() as work:
            folder = Path(work) / "c500-gemm"
            shutil.copytree(EXPERIMENTS / "c500-gemm", folder)
            path = folder / "tables" / "reasons.csv"
            lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
            path.write_text("".join(lines[:-1]), encoding="utf-8")
            with self.assertRaisesRegex(tables.Refused, "reasons.csv.*a-copy-coalesced-width4"):
                tables.campaign(folder)

    def described(self, old: str, new: str, words: str, **files: str) -> None:
        with tempfile.TemporaryDirectory() as work:
            folder = Path(work) / "c500-gemm"
            shutil.copytree(EXPERIMENTS / "c500-gemm", folder)
            for name, text in files.items():
                (folder / "tables" / f"{name}.tsv").write_text(text, encoding="utf-8")
            path = folder / "tables.toml"
            text = path.read_text(encoding="utf-8")
            self.assertIn(old, text)
            path.write_text(text.replace(old, new, 1), encoding="utf-8")
            with self.assertRaisesRegex(tables.Refused, words):
                tables.campaign(folder)

    def test_what_is_filed_must_be_there(self):
        self.described('table = "layout"', 'table = "lay"', r"\[\[note\]\] 3: no table `lay`")
        self.described('topic = "layout contract"', "", r"\[\[note\]\] 3: `topic` is missing")
        self.described('table = "versions"', 'table = "v"', r"\[\[import\]\] 2: no table `v`")
        self.described("", "", "layout.tsv: there is a layout.csv too", layout="a\n1\n")

    def test_a_table_that_nobody_described(self):
        with tempfile.TemporaryDirectory() as work:
            folder = Path(work) / "c500-gemm"
            shutil.copytree(EXPERIMENTS / "c500-gemm", folder)
            (folder / "tables" / "more.csv").write_text("a\n1\n", encoding="utf-8")
            with self.assertRaisesRegex(tables.Refused, "more.csv: not described"):
                tables.campaign(folder)

    def test_a_name_that_a_terminal_would_obey_is_spelled_out(self):
        with tempfile.TemporaryDirectory() as work:
            shutil.copytree(EXPERIMENTS, Path(work) / "e", ignore=shutil.ignore_patterns("records", "blobs"))
            folder = Path(work) / "e" / "c500-gemm"
            (folder / "tables" / "more\x1b[31m\u202e.csv").write_text("a\n1\n", encoding="utf-8")
            made = [sys.executable, str(folder.parent / "make"), "--check", "c500-gemm"]
            done = subprocess.run(made, capture_output=True, text=True, encoding="utf-8", check=False)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("more\\x1b[31m\\u202e.csv: not described", done.stderr)
        self.assertTrue(all(c.isprintable() or c == "\n" for c in done.stderr), ascii(done.stderr))


if __name__ == "__main__":
    unittest.main()
