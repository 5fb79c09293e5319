//! hyperfine, `--export-json`: times of whole processes in seconds.

use assay_core::campaign::ParseKind;
use assay_core::units::TimeUnit;

use super::json::{self, Node};
use super::{Collect, Extra, Reading, Readings, ReadingsError, RowFailureKind, Taken};

/// Reads a document.
pub(super) fn read(bytes: &[u8]) -> Result<Readings, ReadingsError> {
    let mut all = Collect::new(ParseKind::Hyperfine);
    let text = all.text(bytes)?;
    let root = match json::read(&text) {
        Ok(root) => root,
        Err(why) => return all.error(why),
    };
    let Some(Node::List(results)) = root.get("results") else {
        return all.error("there is no list `results`");
    };
    for result in results {
        all.row(row(result))?;
    }
    if all.rows.is_empty() {
        return all.error("it holds no result");
    }
    all.notice("times are of whole processes, their start included");
    drop(root);
    drop(text);
    Ok(all.finish())
}

fn row(result: &Node<'_>) -> Reading {
    let mut row = Reading {
        workload: result.get("command").map_or("", Node::printed).to_owned(),
        ..Reading::new(TimeUnit::S, 0)
    };
    let parameters = result.get("parameters").map_or(&[][..], Node::members);
    for (name, value) in parameters {
        row.params
            .push((name.to_string(), value.printed().to_owned()));
    }
    for name in ["mean", "stddev", "median", "user", "system", "min", "max"] {
        let printed = result.get(name).map_or("", Node::printed);
        if !printed.is_empty() {
            row.extras.push(Extra::new(name, printed));
        }
    }
    let codes = result.get("exit_codes").map_or(&[][..], Node::items);
    let bad = codes.iter().filter(|c| c.printed() != "0").count();
    if bad > 0 {
        let why = format!(
            "{bad} of {} processes did not end with exit code 0",
            codes.len()
        );
        return row.failed(RowFailureKind::Error, why);
    }
    match result.get("times") {
        Some(Node::List(times)) if !times.is_empty() => {
            row.timed_json(times.iter().map(Node::printed))
        }
        _ => {
            let found = ["median", "mean"].into_iter().find_map(|name| {
                let printed = result.get(name)?.printed();
                (!printed.is_empty()).then_some((name, printed))
            });
            let Some((name, printed)) = found else {
                return row.failed(
                    RowFailureKind::NotAvailable,
                    "it has neither times nor a median",
                );
            };
            row.taken = Taken::Summary {
                statistic: name.into(),
                of: None,
            };
            row.timed_json([printed])
        }
    }
}
