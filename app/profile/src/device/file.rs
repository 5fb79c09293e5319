//! Device files to devices.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use super::names::{self, KnownFigure};
use super::{Device, DeviceError, Figure, Kind, SCHEMA, Sign};
use crate::data_file::{Fault, line_of, read, with_near};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DeviceFile {
    schema: Spanned<String>,
    name: Spanned<String>,
    base: Option<Spanned<String>>,
    title: Option<String>,
    vendor: Option<String>,
    kind: Option<Kind>,
    note: Option<String>,
    #[serde(default)]
    figure: Vec<Spanned<FigureEntry>>,
    #[serde(default)]
    choose: Vec<Spanned<Choice>>,
    #[serde(default)]
    recognise: Vec<Spanned<SignEntry>>,
    #[serde(default)]
    names: Vec<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FigureEntry {
    name: String,
    #[serde(default)]
    label: String,
    value: f64,
    unit: String,
    clock: Option<f64>,
    origin: String,
    #[serde(default)]
    origin_zh: String,
    #[serde(default)]
    default: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Choice {
    figure: String,
    label: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SignEntry {
    tool: String,
    #[serde(default)]
    words: BTreeMap<String, String>,
    #[serde(default)]
    values: BTreeMap<String, f64>,
}

/// Reads one file. `known` are the devices that it may build on.
pub(super) fn parse(file: &str, text: &str, known: &[Device]) -> Result<Device, DeviceError> {
    device(text, known).map_err(|(line, problem)| DeviceError::File {
        file: file.to_owned(),
        line,
        problem,
    })
}

fn device(text: &str, known: &[Device]) -> Result<Device, Fault> {
    let at = |span: std::ops::Range<usize>| line_of(text, span.start);
    let f: DeviceFile = read(text)?;
    if f.schema.get_ref() != SCHEMA {
        let line = at(f.schema.span());
        return Err((
            line,
            format!("schema `{}` is not `{SCHEMA}`", f.schema.get_ref()),
        ));
    }
    let line = at(f.name.span());
    let name = f.name.into_inner();
    if !is_name(&name) {
        return Err((line, format!("name `{name}`: use a-z, 0-9 and `-`")));
    }
    let base = match &f.base {
        Some(b) => Some(base(b.get_ref(), known).map_err(|p| (at(b.span()), p))?),
        None => None,
    };
    let lacks = |what: &str| (line, format!("`{what}` is missing"));
    let mut device = match base {
        // What changes a device answers to its names; a further one beside it would share them.
        Some(base) if base.name == name => base,
        Some(base) => Device {
            name,
            names: Vec::new(),
            ..base
        },
        None => Device {
            name,
            title: f.title.clone().ok_or_else(|| lacks("title"))?,
            vendor: f.vendor.clone().ok_or_else(|| lacks("vendor"))?,
            kind: f.kind.ok_or_else(|| lacks("kind"))?,
            note: String::new(),
            share: 1.0,
            figures: Vec::new(),
            signs: Vec::new(),
            names: Vec::new(),
        },
    };
    device.title = f.title.unwrap_or(device.title);
    device.vendor = f.vendor.unwrap_or(device.vendor);
    device.kind = f.kind.unwrap_or(device.kind);
    device.note = f.note.unwrap_or(device.note);
    let mut seen: Vec<(String, String)> = Vec::new();
    let mut defaults: Vec<String> = Vec::new();
    for entry in f.figure {
        let line = at(entry.span());
        let entry = entry.into_inner();
        let id = (entry.name.clone(), entry.label.clone());
        if seen.contains(&id) {
            return Err((line, format!("{} stands twice", shown(&id.0, &id.1))));
        }
        seen.push(id);
        let figure = check(entry).map_err(|p| (line, p))?;
        if figure.is_default {
            if defaults.contains(&figure.name) {
                return Err((line, format!("figure `{}` has two defaults", figure.name)));
            }
            defaults.push(figure.name.clone());
        }
        add(&mut device.figures, figure);
    }
    for choice in f.choose {
        let line = at(choice.span());
        choose(&mut device.figures, choice.get_ref()).map_err(|p| (line, p))?;
    }
    one_default(&device.figures).map_err(|p| (line, p))?;
    if !f.recognise.is_empty() {
        device.signs.clear();
    }
    if !f.names.is_empty() {
        device.names.clear();
    }
    for called in f.names {
        let line = at(called.span());
        let called = called.get_ref().trim();
        if called.is_empty() {
            return Err((line, "`names`: an empty name would fit nothing".into()));
        }
        device.names.push(called.to_owned());
    }
    for sign in f.recognise {
        let line = at(sign.span());
        let sign = sign.into_inner();
        if sign.words.is_empty() && sign.values.is_empty() {
            return Err((
                line,
                "neither `words` nor `values`: it would fit every report".into(),
            ));
        }
        device.signs.push(Sign {
            tool: sign.tool,
            words: sign.words,
            values: sign.values,
        });
    }
    Ok(device)
}

/// Whether it can name a device: it becomes part of `name@25%` and of file names.
fn is_name(name: &str) -> bool {
    let fits = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    !name.is_empty() && name.len() <= 64 && name.bytes().all(fits)
}

fn base(name: &str, known: &[Device]) -> Result<Device, String> {
    let found = known.iter().find(|d| d.name == name).cloned();
    found.ok_or_else(|| {
        let problem = format!("base `{name}` is no device that was read before this file");
        with_near(problem, name, known.iter().map(|d| d.name.as_str()))
    })
}

fn shown(name: &str, label: &str) -> String {
    if label.is_empty() {
        format!("figure `{name}`")
    } else {
        format!("figure `{name}`, label `{label}`")
    }
}

fn check(entry: FigureEntry) -> Result<Figure, String> {
    let what = shown(&entry.name, &entry.label);
    let Some(KnownFigure { unit, .. }) = names::figure(&entry.name) else {
        let known = names::FIGURES.iter().map(|f| f.name);
        return Err(with_near(
            format!("{what} is not known"),
            &entry.name,
            known,
        ));
    };
    if entry.unit != *unit {
        return Err(format!(
            "{what} is in `{}`, give it in `{unit}`",
            entry.unit
        ));
    }
    let is_size = |v: f64| v.is_finite() && v > 0.0;
    if !is_size(entry.value) || entry.clock.is_some_and(|c| !is_size(c)) {
        return Err(format!(
            "{what}: value and clock must be numbers above zero"
        ));
    }
    if entry.origin.trim().is_empty() {
        return Err(format!("{what}: `origin` must say where the value is from"));
    }
    Ok(Figure {
        name: entry.name,
        label: entry.label,
        value: entry.value,
        unit: entry.unit,
        clock: entry.clock,
        origin: entry.origin,
        origin_zh: entry.origin_zh,
        is_default: entry.default,
    })
}

/// Takes a figure in; one of the same name and label goes, and a new default is the only one.
fn add(figures: &mut Vec<Figure>, figure: Figure) {
    if figure.is_default {
        let same = figures.iter_mut().filter(|f| f.name == figure.name);
        same.for_each(|f| f.is_default = false);
    }
    let at = figures
        .iter()
        .position(|f| f.name == figure.name && f.label == figure.label);
    match at.and_then(|at| figures.get_mut(at)) {
        Some(old) => {
            let was_default = old.is_default;
            *old = figure;
            old.is_default |= was_default;
        }
        None => figures.push(figure),
    }
}

fn choose(figures: &mut [Figure], choice: &Choice) -> Result<(), String> {
    let labels: Vec<&str> = figures
        .iter()
        .filter(|f| f.name == choice.figure)
        .map(|f| f.label.as_str())
        .collect();
    if !labels.contains(&choice.label.as_str()) {
        let problem = if labels.is_empty() {
            format!("the device has no figure `{}`", choice.figure)
        } else {
            format!(
                "{} is not there; there are {}",
                shown(&choice.figure, &choice.label),
                labels.join(", ")
            )
        };
        return Err(with_near(problem, &choice.label, labels));
    }
    for f in figures.iter_mut().filter(|f| f.name == choice.figure) {
        f.is_default = f.label == choice.label;
    }
    Ok(())
}

/// Of several figures of a name, one must be the default; a lone one is.
fn one_default(figures: &[Figure]) -> Result<(), String> {
    for f in figures {
        let same = figures.iter().filter(|g| g.name == f.name);
        let defaults = same.clone().filter(|g| g.is_default).count();
        if defaults > 1 || (defaults == 0 && same.count() > 1) {
            return Err(format!(
                "figure `{}` is given several times: mark one of them with `default = true`",
                f.name
            ));
        }
    }
    Ok(())
}
