//! A file becomes rows: by its content, or as asked.

use std::path::{Component, Path};

use assay_core::campaign::{Campaign, Delimiter, ParseKind, Template};
use assay_core::record::ReadingsRule;
use assay_core::text::inert;
use assay_core::units::TimeUnit;
use assay_exec::readings::{self, Columns, LOG_MAX, Readings, ReadingsError};
use assay_ledger::Blob;
use assay_profile::encoding::utf8;
use regex::RegexBuilder;

use super::LogRequest;
use crate::Cancel;
use crate::error::{Error, Result};
use crate::input;

/// A log that was read.
pub(super) struct Log {
    pub(super) kind: ParseKind,
    pub(super) rule: ReadingsRule,
    pub(super) bytes: Vec<u8>,
    pub(super) sides: Vec<Blob>,
    pub(super) readings: Readings,
}

/// Reads one file of a request.
pub(super) fn log(
    path: &Path,
    request: &LogRequest,
    config: Option<&Campaign>,
    cancel: &Cancel,
) -> Result<Log> {
    if path.as_os_str() == input::STDIN {
        return Err(Error::input(
            "what is filed is kept as the file that it was, and standard input is none",
        )
        .hint("name the file"));
    }
    let shown = inert(&path.display().to_string()).into_owned();
    let bytes = input::bytes(path, LOG_MAX as u64, cancel)?;
    if bytes.is_empty() {
        return Err(Error::input(format!("{shown}: the file is empty")));
    }
    let found = readings::sniff(&utf8(&bytes).bytes);
    let Some(kind) = request.kind.or(found) else {
        return Err(unknown(&shown, path, &bytes));
    };
    let mut rule = request.rule.clone();
    fits(kind, &rule)?;
    if kind == ParseKind::Json {
        rule.value = pointers(&rule.value, config)?;
    }
    let mut sides = Vec::new();
    let mut side = |name: &str| {
        let bytes = beside(path, name, cancel)?;
        sides.push(Blob::new(name, bytes.clone()));
        Some(bytes)
    };
    let readings = as_asked(kind, &rule, &bytes, &mut side).map_err(|e| {
        let hint = match (request.kind, found) {
            (Some(asked), Some(is)) if asked != is => Some(format!(
                "by its content it is of the kind {}; leave out --kind, or say --kind {}",
                is.name(),
                is.name()
            )),
            _ => e.hint.clone(),
        };
        Error { hint, ..e }.context(&shown)
    })?;
    Ok(Log {
        kind,
        rule,
        bytes,
        sides,
        readings,
    })
}

/// What no reader knows by its content.
fn unknown(shown: &str, path: &Path, bytes: &[u8]) -> Error {
    let names: Vec<&str> = ParseKind::ALL.iter().map(|k| k.name()).collect();
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("");
    let error = Error::input(format!(
        "{shown}: its content is no benchmark log that is known here"
    ));
    if bytes[..bytes.len().min(1 << 16)].contains(&0) {
        return error.hint("it is a binary file; a report of a profiler is read by `assay inspect`, and filed with --variant NAME");
    }
    error.hint(match ending {
        "csv" | "tsv" => "name the columns: --kind csv --value COLUMN --unit us --labels COLUMN,… --tag-column COLUMN".to_owned(),
        "md" => "name the columns: --kind markdown --value COLUMN --unit us --labels COLUMN,… --tag-column COLUMN".to_owned(),
        "json" => "say where the time is: --kind json --value NAME=/path/to/time --unit us".to_owned(),
        _ => format!(
            "--kind says what it is: {}; a report of a profiler is filed with --variant NAME",
            names.join(", ")
        ),
    })
}

/// Refuses words that the form has no use for, and misses those that it needs.
fn fits(kind: ParseKind, rule: &ReadingsRule) -> Result<()> {
    let (required, optional) = kind.keys();
    let given = [
        ("value", !rule.value.is_empty()),
        ("unit", rule.unit.is_some()),
        ("pattern", rule.pattern.is_some()),
        ("labels", !rule.labels.is_empty()),
        ("tag_column", rule.tag_column.is_some()),
        ("delimiter", rule.delimiter.is_some()),
    ];
    let flag = |key: &str| format!("--{}", key.replace('_', "-"));
    for (key, is_there) in given {
        if is_there && !required.contains(&key) && !optional.contains(&key) {
            return Err(Error::input(format!(
                "{} says nothing about a log of the kind {}",
                flag(key),
                kind.name()
            )));
        }
        let column = "the name of the column with the time; one that is not there shows which are";
        if !is_there && required.contains(&key) {
            return Err(Error::input(format!(
                "a log of the kind {} does not say all by itself: {} is missing",
                kind.name(),
                flag(key)
            ))
            .hint(match (key, kind) {
                ("value", ParseKind::Json) => "a JSON pointer such as /runs/0/ms, or NAME=/runs/0/ms",
                ("value", _) => column,
                ("unit", _) => "the unit of the time: ns, us, ms or s",
                _ => "a regular expression: its group `value`, or else its first one, is the time; groups `workload` and `tag` name rows",
            }));
        }
    }
    if rule.value.len() > 1 && kind != ParseKind::Json {
        return Err(Error::input(
            "--value is one column; only --kind json takes several pointers",
        ));
    }
    let clock = rule.value.first().map_or("", String::as_str);
    if kind == ParseKind::GoogleBenchmark && !["", "real_time", "cpu_time"].contains(&clock) {
        return Err(Error::input(format!(
            "--value {}: Google Benchmark has real_time and cpu_time",
            inert(clock)
        )));
    }
    Ok(())
}

/// Pointers with a name each; braces stand for each workload of the campaign.
fn pointers(given: &[String], config: Option<&Campaign>) -> Result<Vec<String>> {
    let mut out = Vec::new();
    for text in given {
        if !text.contains(['{', '}']) {
            out.push(text.clone());
            continue;
        }
        let wrong = |why: &str| Error::input(format!("--value {}: {why}", inert(text)));
        let template = Template::parse(text).map_err(|e| wrong(&e))?;
        let config = config.ok_or_else(|| {
            wrong("braces stand for workloads of a campaign, and there is none here")
        })?;
        let all = config.resolve_all().map_err(|e| wrong(&e.to_string()))?;
        for w in all {
            let filled = template.fill(|name| match name {
                "name" => Some(w.name.clone()),
                "dtype" => Some(w.dtype.clone()),
                dim => {
                    let found = w.dims.iter().find(|(n, _)| n == dim)?;
                    Some(found.1.to_string())
                }
            });
            let filled = filled
                .ok_or_else(|| wrong(&format!("workload {} has no such name", inert(&w.name))))?;
            out.push(match split_pointer(&filled).0 {
                "" => format!("{}={filled}", w.name),
                _ => filled,
            });
        }
    }
    Ok(out)
}

/// Name and pointer of `NAME=/pointer`.
fn split_pointer(text: &str) -> (&str, &str) {
    match text.find("=/") {
        Some(at) if !text.starts_with('/') => (&text[..at], &text[at + 1..]),
        _ => ("", text),
    }
}

/// Reads content of a form by a rule.
pub(super) fn as_asked(
    kind: ParseKind,
    rule: &ReadingsRule,
    bytes: &[u8],
    side: &mut dyn FnMut(&str) -> Option<Vec<u8>>,
) -> Result<Readings> {
    // Shells of Windows write UTF-16; the file is kept as it was.
    let content = utf8(bytes);
    if content.is_damaged {
        return Err(Error::input(
            "it is UTF-16, and parts of it are damaged or cut",
        ));
    }
    let bytes = content.bytes.as_ref();
    let wrong = |e: ReadingsError| Error::input(e.to_string());
    let value = rule.value.first().map_or("", String::as_str);
    let unit = || -> Result<TimeUnit> {
        let text = rule.unit.as_deref().unwrap_or_default();
        (text.parse()).map_err(|_| {
            Error::input(format!(
                "--unit {}: it is one of ns, us, ms, s",
                inert(text)
            ))
        })
    };
    let columns = || -> Result<Columns> {
        Ok(Columns {
            value: value.to_owned(),
            unit: unit()?,
            labels: rule.labels.clone(),
            tag: rule.tag_column.clone(),
        })
    };
    let read = match kind {
        ParseKind::Csv => {
            let word = rule.delimiter.as_deref().unwrap_or(",");
            let delimiter = Delimiter::from_name(word).ok_or_else(|| {
                Error::input(format!(
                    "--delimiter {}: it is one of `,`, `;` and tab",
                    inert(word)
                ))
            })?;
            readings::csv(bytes, &columns()?, delimiter.byte())
        }
        ParseKind::Markdown => readings::markdown(bytes, &columns()?),
        ParseKind::Json => {
            let named: Vec<(String, String)> = (rule.value.iter())
                .map(|v| match split_pointer(v) {
                    ("", pointer) => (pointer.to_owned(), pointer.to_owned()),
                    (name, pointer) => (name.to_owned(), pointer.to_owned()),
                })
                .collect();
            readings::pointed(bytes, &named, unit()?)
        }
        ParseKind::Regex => {
            let text = rule.pattern.as_deref().unwrap_or_default();
            let pattern = RegexBuilder::new(text)
                .multi_line(true)
                .build()
                .map_err(|e| Error::input(format!("--pattern: {e}")))?;
            if pattern.captures_len() < 2 {
                return Err(Error::input("--pattern has no group")
                    .hint("write one around the time, e.g. `time: ([0-9.]+)`"));
            }
            readings::regex(bytes, &pattern, unit()?)
        }
        ParseKind::TileOps => readings::tile_ops(bytes, value),
        ParseKind::GoogleBenchmark => readings::google_benchmark(bytes, value),
        ParseKind::NvBench => readings::nv_bench(bytes, value, side),
        ParseKind::TileLang | ParseKind::Hyperfine => readings::read(kind, bytes),
    };
    read.map_err(wrong)
}

/// A file that a log names beside itself. The name is the log's: nothing outside the log's folder
/// is opened, neither by `..` nor by a link.
fn beside(log: &Path, name: &str, cancel: &Cancel) -> Option<Vec<u8>> {
    let name = Path::new(name);
    let plain = |c: Component<'_>| matches!(c, Component::Normal(_));
    if name.as_os_str().is_empty() || !name.components().all(plain) {
        return None;
    }
    let folder = match log.parent() {
        Some(p) if !p.as_os_str().is_empty() => p,
        _ => Path::new("."),
    };
    let folder = folder.canonicalize().ok()?;
    let path = folder.join(name).canonicalize().ok()?;
    if !path.starts_with(&folder) {
        return None;
    }
    input::bytes(&path, LOG_MAX as u64, cancel).ok()
}
