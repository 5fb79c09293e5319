//! Files of formulas.

use assay_core::gate::Rule;
use serde::Deserialize;
use toml::Spanned;

use super::{Formula, SCHEMA, formula};
use crate::data_file::{Fault, line_of, read, with_near};
use crate::{Catalog, device};

/// The units of the catalog.
const UNITS: &[&str] = &["1", "ns", "bytes", "bits", "%", "GHz", "GB/s", "MB/s"];

/// Units that the catalog counts as `1`.
const RATES: &[&str] = &["TFLOPS", "FLOP/byte"];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FormulaFile {
    schema: Spanned<String>,
    source: Option<String>,
    #[serde(default)]
    formula: Vec<Spanned<Entry>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    unit: String,
    formula: Spanned<String>,
    tools: Vec<String>,
    reported: Option<Spanned<String>>,
    when: Option<Spanned<String>>,
    #[serde(default)]
    exact: Vec<Spanned<String>>,
    #[serde(default)]
    rounded: Vec<Spanned<String>>,
    #[serde(default)]
    within: f64,
    meaning: String,
    meaning_zh: String,
    source: Option<String>,
}

pub(super) fn parse(text: &str, catalog: &Catalog) -> Result<Vec<Formula>, Fault> {
    let f: FormulaFile = read(text)?;
    if f.schema.get_ref() != SCHEMA {
        let line = line_of(text, f.schema.span().start);
        return Err((
            line,
            format!("schema `{}` is not `{SCHEMA}`", f.schema.get_ref()),
        ));
    }
    let mut formulas: Vec<Formula> = Vec::new();
    for entry in f.formula {
        let line = line_of(text, entry.span().start);
        let name = entry.get_ref().name.clone();
        let formula = check(text, entry, f.source.as_deref(), catalog)
            .map_err(|(line, problem)| (line, format!("`{name}`: {problem}")))?;
        if formulas.iter().any(|old| formula.replaces(old)) {
            return Err((line, format!("`{name}` stands twice for the same tool")));
        }
        formulas.push(formula);
    }
    Ok(formulas)
}

fn check(
    text: &str,
    entry: Spanned<Entry>,
    source: Option<&str>,
    catalog: &Catalog,
) -> Result<Formula, Fault> {
    let line = line_of(text, entry.span().start);
    let e = entry.into_inner();
    let at = |s: &Spanned<String>| line_of(text, s.span().start);
    let known = |s: &Spanned<String>, name: &str| {
        check_name(name, catalog).map_err(|problem| (at(s), problem))
    };
    if e.tools.is_empty() {
        return Err((line, "`tools` is empty".into()));
    }
    if e.meaning.trim().is_empty() || e.meaning_zh.trim().is_empty() {
        return Err((
            line,
            "`meaning` and `meaning_zh` must say what it is".into(),
        ));
    }
    if !UNITS.contains(&e.unit.as_str()) && !RATES.contains(&e.unit.as_str()) {
        let (units, rates) = (UNITS.join(", "), RATES.join(", "));
        return Err((line, format!("unit `{}`: use {units}, {rates}", e.unit)));
    }
    if !(e.within.is_finite() && e.within >= 0.0) {
        return Err((line, "`within` must not be below zero".into()));
    }
    let node = formula::parse(e.formula.get_ref()).map_err(|p| (at(&e.formula), p))?;
    let names: Vec<String> = node.names().iter().map(|n| (*n).to_owned()).collect();
    for name in &names {
        known(&e.formula, name)?;
    }
    let when = match &e.when {
        Some(when) => {
            let rule = Rule::parse(when.get_ref()).map_err(|p| (at(when), p.to_string()))?;
            for name in rule.names() {
                known(when, name)?;
            }
            Some(rule)
        }
        None => None,
    };
    if let Some(reported) = &e.reported {
        let name = reported.get_ref();
        known(reported, name)?;
        let unit = catalog.get(name).map_or("", |c| c.unit.as_str());
        let is_named = unit == "1" && RATES.contains(&e.unit.as_str());
        if unit != e.unit && !is_named {
            let problem = format!("`{name}` is in `{unit}`, and this in `{}`", e.unit);
            return Err((at(reported), problem));
        }
    }
    for listed in e.exact.iter().chain(&e.rounded) {
        if !names.contains(listed.get_ref()) {
            let problem = format!("`{}` is no input of the formula", listed.get_ref());
            let names = names.iter().map(String::as_str);
            return Err((at(listed), with_near(problem, listed.get_ref(), names)));
        }
    }
    let Some(source) = e.source.or_else(|| source.map(str::to_owned)) else {
        return Err((line, "neither it nor the file has a `source`".into()));
    };
    let words = |list: Vec<Spanned<String>>| list.into_iter().map(Spanned::into_inner).collect();
    Ok(Formula {
        name: e.name,
        unit: e.unit,
        formula: e.formula.into_inner(),
        tools: e.tools,
        reported: e.reported.map(Spanned::into_inner),
        meaning: e.meaning,
        meaning_zh: e.meaning_zh,
        source,
        node,
        when,
        within: e.within,
        exact: words(e.exact),
        rounded: words(e.rounded),
    })
}

/// A name must be a counter of the catalog or a figure of devices.
fn check_name(name: &str, catalog: &Catalog) -> Result<(), String> {
    if let Some(figure) = name.strip_prefix(device::PREFIX) {
        if device::value_names().any(|n| n == figure) {
            return Ok(());
        }
        let problem = format!("`{name}` is no figure of devices");
        return Err(with_near(problem, figure, device::value_names()));
    }
    if catalog.get(name).is_some() {
        return Ok(());
    }
    let known = catalog.entries().iter().map(|e| e.canonical.as_str());
    Err(with_near(
        format!("no counter `{name}` in the catalog"),
        name,
        known,
    ))
}
