//! `[bench.parse]`: how the output of a program that does not speak the protocol is read.

use std::fmt;

use serde::{Deserialize, Serialize};
use toml::de::DeTable;

use super::doc::{Doc, Fault, entries, one_of, short, suggestion};
use super::keys::{Kind, Table, may, or, table};
use super::section::{Section, child, children};
use super::tables::TABLES;
use crate::expr::compile;
use crate::text::inert;
use crate::units::TimeUnit;

words! {
    /// Form of the output of an existing program.
    ParseKind {
        /// Text with a time that a pattern finds.
        Regex = "regex",
        /// Comma-separated values with a header.
        Csv = "csv",
        /// One JSON document.
        Json = "json",
        /// Tables in Markdown.
        Markdown = "markdown",
        /// The report of a TileOPs benchmark session, `profile_run.log`.
        TileOps = "tileops",
        /// What TileLang's autotuner prints.
        TileLang = "tilelang",
        /// Google Benchmark, `--benchmark_format=json`.
        GoogleBenchmark = "google-benchmark",
        /// nvbench, `--json`.
        NvBench = "nvbench",
        /// hyperfine, `--export-json`.
        Hyperfine = "hyperfine",
    }
}

words! {
    /// What one process of the program covers.
    Covers {
        /// One workload.
        One = "one",
        /// All workloads.
        All = "all",
    }
}

words! {
    /// What stands between the fields of a CSV file.
    Delimiter {
        /// A comma.
        Comma = ",",
        /// A semicolon.
        Semicolon = ";",
        /// A tabulator.
        Tab = "tab",
    }
}

impl Delimiter {
    /// The character.
    pub fn byte(self) -> u8 {
        match self {
            Self::Comma => b',',
            Self::Semicolon => b';',
            Self::Tab => b'\t',
        }
    }
}

impl ParseKind {
    /// Keys that must be there, and further keys that may be.
    pub fn keys(self) -> (&'static [&'static str], &'static [&'static str]) {
        match self {
            Self::Regex => (&["pattern", "unit"], &["tag", "row"]),
            Self::Csv => (
                &["value", "unit"],
                &["labels", "tag_column", "tag", "row", "delimiter"],
            ),
            Self::Json => (&["value", "unit"], &[]),
            Self::Markdown => (
                &["value", "unit"],
                &["labels", "tag_column", "tag", "group", "row"],
            ),
            Self::TileOps => (&[], &["value", "tag", "group", "row"]),
            Self::TileLang => (&[], &["group", "row"]),
            Self::GoogleBenchmark => (&[], &["value", "row"]),
            Self::NvBench => (&[], &["value", "tag", "group", "row"]),
            Self::Hyperfine => (&[], &["row"]),
        }
    }
}

/// A text with names in braces that are filled in for each workload: `gemm/{M}/{N}`.
///
/// `{{` and `}}` stand for braces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    text: String,
    pieces: Vec<Piece>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    Name(String),
}

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    /// A sentence that says which brace stands alone.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut pieces = Vec::new();
        let mut plain = String::new();
        let mut rest = text.chars().peekable();
        while let Some(c) = rest.next() {
            match c {
                '{' | '}' if rest.next_if_eq(&c).is_some() => plain.push(c),
                '{' => {
                    let name: String = std::iter::from_fn(|| rest.next_if(|c| *c != '}')).collect();
                    if rest.next().is_none() {
                        return Err("a `{` without its `}`".into());
                    }
                    pieces.push(Piece::Text(std::mem::take(&mut plain)));
                    pieces.push(Piece::Name(name));
                }
                '}' => return Err("a `}` without its `{`".into()),
                c => plain.push(c),
            }
        }
        pieces.push(Piece::Text(plain));
        pieces.retain(|p| !matches!(p, Piece::Text(t) if t.is_empty()));
        Ok(Self {
            text: text.to_owned(),
            pieces,
        })
    }

    /// The names in it, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|p| match p {
            Piece::Name(name) => Some(name.as_str()),
            Piece::Text(_) => None,
        })
    }

    /// The text with every name replaced; `None` when `value` does not know one.
    pub fn fill(&self, value: impl Fn(&str) -> Option<String>) -> Option<String> {
        self.pieces
            .iter()
            .map(|p| match p {
                Piece::Text(text) => Some(text.clone()),
                Piece::Name(name) => value(name),
            })
            .collect()
    }
}

/// As it is written in the file.
impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// How to read times from standard output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BenchParse {
    /// Form of the output.
    pub kind: ParseKind,
    /// [`ParseKind::Regex`]: a valid regular expression; its group `value`, or else its first
    /// group, is the time.
    pub pattern: String,
    /// Column, JSON pointer or figure that is the time; empty for kinds that know theirs.
    pub value: Template,
    /// Unit of the time; absent for kinds that state theirs.
    pub unit: Option<TimeUnit>,
    /// Columns whose texts name a row.
    pub labels: Vec<String>,
    /// Column that holds the tag.
    pub tag_column: Option<String>,
    /// The tag to take, where rows of several are there.
    pub tag: Option<String>,
    /// The group of rows (operator, heading, benchmark, tuning run) to take.
    pub group: Option<String>,
    /// How the row of a workload is called.
    pub row: Option<Template>,
    /// What one process covers.
    pub covers: Covers,
    /// [`ParseKind::Csv`]: what stands between fields.
    pub delimiter: Delimiter,
}

const KINDS: &[&str] = &[
    "regex",
    "csv",
    "json",
    "markdown",
    "tileops",
    "tilelang",
    "google-benchmark",
    "nvbench",
    "hyperfine",
];

/// Keys of `[bench.parse]`.
pub(super) const TABLE: Table = Table {
    path: "bench.parse",
    doc: "Reads times from standard output. A program that writes a file instead is followed by `cat` in the command: `… > /dev/null && cat profile_run.log`. Each figure keeps the resolution that it was printed with, and a difference that is not above it is no finding. A figure that sums up many launches (a mean, a median) is one observation of its process.",
    keys: &[
        or(
            "kind",
            Kind::Choice(KINDS),
            "regex",
            "Form of the output: text with a pattern, a CSV file with a header, one JSON document, Markdown tables, the TileOPs `profile_run.log`, the lines of TileLang's autotuner, Google Benchmark's, nvbench's or hyperfine's JSON.",
        ),
        may(
            "pattern",
            Kind::Pattern,
            "`regex`, required: its group `value` (or else its first group) is the time; groups `workload` and `tag` name rows.",
        ),
        may(
            "value",
            Kind::Text,
            "What the time is. `csv`, `markdown`, required: name of the column; `json`, required: a JSON pointer such as `/runs/{name}/ms` to a number or an array of numbers; `google-benchmark`: `real_time` (default) or `cpu_time`; `nvbench`: tag of a summary, the median GPU time of cold runs when absent; `tileops`: name of the column, `latency_ms` when absent.",
        ),
        may(
            "unit",
            Kind::Choice(TimeUnit::NAMES),
            "Unit of the time: required for `regex`, `csv`, `json` and `markdown`; the other kinds state theirs.",
        ),
        may(
            "labels",
            Kind::Texts { least: 1 },
            "`csv`, `markdown`: columns whose texts, joined by a comma and a blank, are the name of a row.",
        ),
        may(
            "tag_column",
            Kind::Text,
            "`csv`, `markdown`: column with the tag, e.g. which implementation a row is of.",
        ),
        may(
            "tag",
            Kind::Text,
            "The tag whose rows count (`regex`, `csv`, `markdown`, `tileops`: e.g. `tileops`; `nvbench`: the device).",
        ),
        may(
            "group",
            Kind::Text,
            "The group whose rows count (`markdown`: heading; `tileops`: operator; `nvbench`: benchmark; `tilelang`: `run 1`, …).",
        ),
        may(
            "row",
            Kind::Text,
            "Name of a workload's row, with `{name}`, `{dtype}` and dims in braces, e.g. `gemm/{M}/{N}/{K}`; `{{` is a brace. Without it the output holds one row.",
        ),
        or(
            "covers",
            Kind::Choice(&["one", "all"]),
            "one",
            "What one process covers: `one` workload (`$ASSAY_WORKLOAD`), or `all` of them, told apart by `row`.",
        ),
        or(
            "delimiter",
            Kind::Choice(&[",", ";", "tab"]),
            ",",
            "`csv`: what stands between fields.",
        ),
    ],
};

/// Reads the table, which lies in `layers` (the strongest first), and notes what does not fit
/// together; `at` is the place of the table.
pub(super) fn read(
    doc: &mut Doc<'_>,
    root: &DeTable<'_>,
    layers: Vec<&DeTable<'_>>,
    at: usize,
) -> BenchParse {
    let section = Section {
        def: table(TABLES, "bench.parse"),
        layers,
    };
    let word = ParseKind::from_name(&section.text("kind"));
    let kind = word.unwrap_or(ParseKind::Regex);
    let (required, optional) = kind.keys();
    // What is wrong with the word is said already, and then nothing is known about the rest.
    let required = if word.is_some() { required } else { &[] };
    for key in required.iter().filter(|k| section.get(k).is_none()) {
        doc.problem(
            at,
            "bench.parse",
            Fault::new("none", format!("the key `{key}`")),
        );
    }
    for key in TABLE.keys.iter().map(|k| k.name) {
        let of_kind =
            ["kind", "covers"].contains(&key) || required.contains(&key) || optional.contains(&key);
        if let (false, true, Some(value)) = (of_kind, word.is_some(), section.get(key)) {
            let fits: Vec<&str> = required.iter().chain(optional).copied().collect();
            let expected = match fits.as_slice() {
                [] => "no further key".to_owned(),
                fits => one_of(fits),
            };
            let found = format!("`{key}`, which kind \"{}\" does not have", kind.name());
            doc.fault(
                value,
                format!("bench.parse.{key}"),
                Fault::new(found, expected),
            );
        }
    }
    let maybe = |key: &str| section.get(key).map(|_| section.text(key));
    let mut template = |key: &str| -> Option<Template> {
        let value = section.get(key)?;
        let text = section.text(key);
        match Template::parse(&text) {
            Ok(template) => {
                known(doc, root, &template, value, key);
                Some(template)
            }
            Err(why) => {
                let fault = Fault::new(why, "braces in pairs (`{{` stands for a brace)");
                doc.fault(value, format!("bench.parse.{key}"), fault);
                None
            }
        }
    };
    let value = match kind {
        ParseKind::Json => template("value"),
        _ => None,
    };
    let row = template("row");
    let parse = BenchParse {
        kind,
        pattern: section.text("pattern"),
        value: value.unwrap_or_else(|| {
            let text = section.text("value");
            Template {
                pieces: vec![Piece::Text(text.clone())],
                text,
            }
        }),
        unit: maybe("unit").and_then(|u| u.parse().ok()),
        labels: section.list("labels"),
        tag_column: maybe("tag_column"),
        tag: maybe("tag"),
        group: maybe("group"),
        row,
        covers: Covers::from_name(&section.text("covers")).unwrap_or(Covers::One),
        delimiter: Delimiter::from_name(&section.text("delimiter")).unwrap_or(Delimiter::Comma),
    };
    if doc.is_clean() {
        together(doc, root, &section, &parse);
    }
    parse
}

/// Notes names of a template that not every workload has.
fn known(
    doc: &mut Doc<'_>,
    root: &DeTable<'_>,
    template: &Template,
    value: &super::doc::Value<'_>,
    key: &str,
) {
    let mut names = vec!["name".to_owned(), "dtype".to_owned()];
    if let Some(t) = child(root, "dims") {
        names.extend(t.keys().map(|k| k.get_ref().to_string()));
    }
    let workloads = children(root, "workload");
    let dims = |t: &DeTable<'_>| -> Vec<String> {
        let dims = child(t, "dims").map(entries).unwrap_or_default();
        dims.iter().map(|(k, _)| k.get_ref().to_string()).collect()
    };
    let all: Vec<Vec<String>> = workloads.iter().map(|(_, t)| dims(t)).collect();
    if let Some(first) = all.first() {
        let shared = first.iter().filter(|n| all.iter().all(|d| d.contains(n)));
        names.extend(shared.cloned());
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    for name in template.names().filter(|n| !names.contains(n)) {
        let expected = format!("names that every workload has: {}", one_of(&names));
        let fault = Fault::new(format!("`{{{}}}`", short(&inert(name))), expected)
            .hint(suggestion(name, &names));
        doc.fault(value, format!("bench.parse.{key}"), fault);
    }
}

/// Notes keys that need one another.
fn together(doc: &mut Doc<'_>, root: &DeTable<'_>, section: &Section<'_, '_>, parse: &BenchParse) {
    let groups = || -> Vec<String> {
        let compiled = compile(&parse.pattern).ok();
        let names = compiled.iter().flat_map(|p| p.capture_names().flatten());
        names.map(str::to_owned).collect()
    };
    let mut fault = |key: &str, found: &str, expected: &str| {
        if let Some(value) = section.get(key) {
            doc.fault(
                value,
                format!("bench.parse.{key}"),
                Fault::new(found, expected),
            );
        }
    };
    match parse.kind {
        ParseKind::Regex => {
            for (key, set, group) in [
                ("row", parse.row.is_some(), "workload"),
                ("tag", parse.tag.is_some(), "tag"),
            ] {
                if set && !groups().iter().any(|g| g == group) {
                    let expected =
                        format!("a group `(?<{group}>…)` in `pattern` that it is held against");
                    fault(key, "none", &expected);
                }
            }
        }
        ParseKind::Csv | ParseKind::Markdown => {
            if parse.row.is_some() && parse.labels.is_empty() {
                fault(
                    "row",
                    "none",
                    "the key `labels`: the columns that name a row",
                );
            }
            if parse.tag.is_some() && parse.tag_column.is_none() {
                fault("tag", "none", "the key `tag_column`: where tags stand");
            }
        }
        ParseKind::GoogleBenchmark => {
            let value = section.text("value");
            if !["", "real_time", "cpu_time"].contains(&value.as_str()) {
                let found = format!("`{}`", short(&value));
                fault("value", &found, "one of real_time, cpu_time");
            }
        }
        ParseKind::Json if !parse.value.text.starts_with('/') && !parse.value.text.is_empty() => {
            fault(
                "value",
                "a text without it",
                "a JSON pointer, which begins with `/`",
            );
        }
        _ => {}
    }
    let chosen = match parse.kind {
        ParseKind::Json => Some(&parse.value),
        _ => parse.row.as_ref(),
    };
    let several = children(root, "workload").len() > 1;
    let told_apart = chosen.is_some_and(|t| t.names().next().is_some());
    if parse.covers == Covers::All && (chosen.is_none() || (several && !told_apart)) {
        let key = if parse.kind == ParseKind::Json {
            "value"
        } else {
            "row"
        };
        let expected = format!("a `{key}` with names in braces, which tells workloads apart");
        fault("covers", "\"all\" without it", &expected);
    }
}

#[cfg(test)]
mod tests;
