"""Transcribed tables: read and held against what `tables.toml` says of them.

A table is refused with file, row and column. Rows are counted as a spreadsheet shows them: the header
is row 1. Cells are text exactly as printed; nothing is converted here.

A spreadsheet's byte order mark, its line ends and its quotes are read; a table that ends in `.tsv` has
tabs between its cells, every other one commas.
"""

import csv
import io
import math
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

NAME = re.compile(r"[^\s,][^\n,]*")
# A number as people print it: sign, thousands separated by commas or not at all, decimals. Digits are ASCII.
NUMBER = re.compile(r"[-+\u2212]?(\d{1,3}(,\d{3})+|\d+)(\.\d+)?", re.ASCII)
# What has units of these only is a time, and takes some.
TIMES = {"ns", "us", "\u00b5s", "\u03bcs", "ms", "s", "min", "h"}
KINDS = ("name", "text", "figure", "change", "document", "section")
NO_UNIT = "-"
ROOT = "-"


def inert(text: str) -> str:
    """The text with what a terminal would obey, or would not show, spelled out."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


class Refused(Exception):
    """A table, or the description of one, that cannot be used."""


@dataclass(frozen=True)
class Column:
    """What the cells of a column are."""

    kind: str
    units: tuple[str, ...]
    may_be_empty: bool

    @classmethod
    def parse(cls, where: str, text: str) -> "Column":
        kind, _, units = text.partition(":")
        may_be_empty = kind.endswith("?")
        kind = kind.removesuffix("?").strip()
        if kind not in KINDS:
            raise Refused(f"{where}: `{kind}` is no kind of column; there are {', '.join(KINDS)}")
        return cls(kind, tuple(units.split()), may_be_empty)

    def problem(self, cell: str, documents: set[str]) -> str | None:
        """What is wrong with a cell, if anything is."""
        if not cell.strip():
            return None if self.may_be_empty else "the cell is missing"
        if cell != cell.strip():
            return "blanks before or behind the text"
        match self.kind:
            case "name" if not NAME.fullmatch(cell):
                return f"`{cell}` is no name"
            case "document" if cell not in documents:
                return f"no document `{cell}` in documents.csv"
            case "figure":
                return self.no_figure(cell)
            case "change" if NUMBER.match(cell):
                return self.no_figure(cell)
        return None

    def no_figure(self, cell: str) -> str | None:
        number = NUMBER.match(cell)
        if number is None:
            return f"`{cell}` is no figure"
        if re.search(r"\d", re.sub("[0-9]", "", cell)):
            return f"`{cell}`: digits that are not 0 to 9"
        unit = cell[number.end() :].strip()
        allowed = self.units or (NO_UNIT,)
        if (unit or NO_UNIT) in allowed:
            return self.no_time(cell, number.group()) if unit in TIMES else None
        known = ", ".join("none" if u == NO_UNIT else f"`{u}`" for u in allowed)
        if not unit:
            return f"`{cell}` has no unit; this column has {known}"
        return f"unknown unit `{unit}`; this column has {known}"

    def no_time(self, cell: str, number: str) -> str | None:
        """What is wrong with a figure as a time: a duration is above 0, and a number of the machine; a change may be less."""
        value = float(number.replace(",", "").replace("\u2212", "-"))
        if not math.isfinite(value):
            return f"`{cell}` is more than a number of the machine can hold"
        if self.kind == "figure" and value <= 0:
            return f"`{cell}` is no time: a time is above 0"
        return None


@dataclass(frozen=True)
class Table:
    """A table that was read and holds what its description promises."""

    path: Path
    columns: tuple[str, ...]
    rows: tuple[dict[str, str], ...]


def read(path: Path, key: list[str], columns: dict[str, Column], documents: set[str]) -> Table:
    """Reads one table, or refuses it."""
    try:
        # Spreadsheets write a byte order mark; it is no part of the first name.
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise Refused(f"{path}: there is no such table") from None
    except UnicodeDecodeError as e:
        raise Refused(f"{path}: not UTF-8 at byte {e.start}") from None
    between = "\t" if path.suffix == ".tsv" else ","
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=between, strict=True)
    lines: list[list[str]] = []
    try:
        lines.extend(reader)
    except csv.Error as e:
        raise Refused(f"{path}: row {len(lines) + 1}: not CSV: {e}") from None
    if not lines:
        raise Refused(f"{path}: row 1: no header")
    header = lines[0]
    for name in header:
        if name not in columns:
            raise Refused(f"{path}: row 1, column `{name}`: not described in tables.toml")
        if header.count(name) > 1:
            raise Refused(f"{path}: row 1, column `{name}`: stands there twice")
    for name in columns:
        if name not in header:
            raise Refused(f"{path}: row 1, column `{name}`: missing")
    if len(lines) == 1:
        raise Refused(f"{path}: row 2: the table has no rows")
    rows: list[dict[str, str]] = []
    seen: dict[tuple[str, ...], int] = {}
    for at, cells in enumerate(lines[1:], start=2):
        if len(cells) > len(header):
            raise Refused(f"{path}: row {at}, column {len(header) + 1}: a cell without a column")
        if len(cells) < len(header):
            raise Refused(f"{path}: row {at}, column `{header[len(cells)]}`: the cell is missing")
        row = dict(zip(header, cells, strict=True))
        for name in header:
            problem = columns[name].problem(row.get(name, ""), documents)
            if problem:
                raise Refused(f"{path}: row {at}, column `{name}`: {problem}")
        mark = tuple(row[k] for k in key)
        if mark in seen:
            what = ", ".join(v or "(none)" for v in mark)
            raise Refused(
                f"{path}: row {at}, column `{key[0]}`: duplicate of row {seen[mark]} ({what})"
            )
        seen[mark] = at
        rows.append(row)
    return Table(path, tuple(header), tuple(rows))


@dataclass(frozen=True)
class Campaign:
    """A published campaign: its tables and what is filed of them."""

    folder: Path
    described: dict
    tables: dict[str, Table]

    def rows(self, name: str) -> tuple[dict[str, str], ...]:
        """The rows of a table; none where the campaign has no such table."""
        table = self.tables.get(name)
        return table.rows if table else ()

    def one(self, name: str, column: str, value: str) -> dict[str, str]:
        """The only row with this value in this column."""
        found = [r for r in self.rows(name) if r[column] == value]
        if len(found) != 1:
            path = self.folder / "tables" / f"{name}.csv"
            raise Refused(f"{path}: column `{column}`: {len(found)} rows for `{value}`, 1 is needed")
        return found[0]


def campaign(folder: Path) -> Campaign:
    """Reads every table of a campaign and holds them against each other."""
    path = folder / "tables.toml"
    try:
        described = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise Refused(f"{path}: there is no such file") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as e:
        raise Refused(f"{path}: {e}") from None
    forms = {}
    for name, table in described.get("tables", {}).items():
        where = f"{path}: [tables.{name}]"
        columns = {c: Column.parse(f"{where} {c}", t) for c, t in table["columns"].items()}
        forms[name] = (table["key"], columns)
    documents: set[str] = set()
    tables: dict[str, Table] = {}
    # Documents first: every other table names one.
    for name in sorted(forms, key=lambda n: n != "documents"):
        tables[name] = read(file_of(folder, name), *forms[name], documents)
        if name == "documents":
            documents = {r["document"] for r in tables[name].rows}
    for stray in sorted((folder / "tables").glob("*.[ct]sv")):
        if stray.stem not in forms:
            raise Refused(f"{stray}: not described in tables.toml")
    out = Campaign(folder, described, tables)
    chain(out)
    filed(out)
    return out


def file_of(folder: Path, name: str) -> Path:
    """The file of a table: `.csv`, or `.tsv` where there is one; not both."""
    paths = [folder / "tables" / f"{name}.{end}" for end in ("csv", "tsv")]
    if all(p.exists() for p in paths):
        raise Refused(f"{paths[1]}: there is a {paths[0].name} too; which one counts is not known")
    return paths[1] if paths[1].exists() else paths[0]


def filed(c: Campaign) -> None:
    """What is filed, as figures or beside a note, is a table that is there and whole."""
    path = c.folder / "tables.toml"
    for kind in ("import", "note"):
        for at, wanted in enumerate(c.described.get(kind, []), start=1):
            name = wanted.get("table")
            if name not in c.tables:
                raise Refused(f"{path}: [[{kind}]] {at}: no table `{name}`")
    for at, note in enumerate(c.described.get("note", []), start=1):
        for key in ("topic", "text"):
            if not str(note.get(key, "")).strip():
                raise Refused(f"{path}: [[note]] {at}: `{key}` is missing")


def chain(c: Campaign) -> None:
    """Every version has a parent that stands before it, one reason and one hypothesis."""
    path = c.folder / "tables" / "versions.csv"
    known: set[str] = set()
    for at, row in enumerate(c.rows("versions"), start=2):
        parent = row["parent"]
        if parent != ROOT and parent not in known:
            raise Refused(
                f"{path}: row {at}, column `parent`: no version `{parent}` above it"
            )
        known.add(row["version"])
        c.one("whys", "version", row["version"])
        c.one("reasons", "version", row["version"])
    for name, column in (("knobs", "version"), ("facts", "version"), ("reasons", "version")):
        for at, row in enumerate(c.rows(name), start=2):
            if row[column] not in known:
                where = c.folder / "tables" / f"{name}.csv"
                raise Refused(
                    f"{where}: row {at}, column `{column}`: no version `{row[column]}`"
                )
