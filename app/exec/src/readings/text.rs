//! Times in plain text, found by a pattern.

use std::collections::BTreeMap;

use assay_core::campaign::ParseKind;
use assay_core::units::TimeUnit;
use regex::Regex;

use super::{Collect, Reading, Readings, ReadingsError};

/// Reads every match of a pattern: its group `value`, or else its first group that names no row, is
/// the time.
///
/// With a group `workload` each match is a row. Without one, the matches of one tag (group `tag`)
/// are the samples of one row.
///
/// # Errors
/// When nothing matches.
pub fn regex(bytes: &[u8], pattern: &Regex, unit: TimeUnit) -> Result<Readings, ReadingsError> {
    let mut all = Collect::new(ParseKind::Regex);
    let text = all.text(bytes)?;
    let names_row = |n: Option<&str>| matches!(n, Some("workload" | "tag"));
    let first = (pattern.capture_names().enumerate().skip(1))
        .find(|(_, n)| !names_row(*n))
        .map_or(1, |(i, _)| i);
    let named = pattern.capture_names().flatten().any(|n| n == "workload");
    let (mut at, mut line) = (0, 1);
    let mut samples: Vec<(Reading, Vec<&str>)> = Vec::new();
    let mut tags: BTreeMap<String, usize> = BTreeMap::new();
    for found in pattern.captures_iter(&text) {
        let start = found.get(0).map_or(0, |m| m.start());
        line += text[at..start].matches('\n').count();
        at = start;
        let group = |name: &str| found.name(name).map_or("", |m| m.as_str());
        let value = found.name("value").or_else(|| found.get(first));
        let value = value.map_or("", |m| m.as_str());
        let row = Reading {
            workload: group("workload").trim().to_owned(),
            tag: group("tag").trim().to_owned(),
            ..Reading::new(unit, line)
        };
        if named {
            all.row(row.timed([value]))?;
            continue;
        }
        match tags.get(&row.tag).and_then(|i| samples.get_mut(*i)) {
            Some((_, values)) => values.push(value),
            None => {
                tags.insert(row.tag.clone(), samples.len());
                samples.push((row, vec![value]));
            }
        }
    }
    for (row, values) in samples {
        all.row(row.timed(values))?;
    }
    if all.rows.is_empty() {
        return all.error(format!(
            "nothing in the output matches the pattern, `{pattern}`"
        ));
    }
    drop(text);
    Ok(all.finish())
}
