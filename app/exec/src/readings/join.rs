//! Several logs in one: the same benchmark of several variants, side by side.

use super::Readings;

/// Puts logs together, each under its label: `tileops` of the log `v2` becomes the tag
/// `v2 / tileops`, and a log without tags is the tag `v2`.
///
/// Labels are to differ. Facts that all logs share stay as they are; others name their log.
/// `None` where there is no log.
pub fn join(logs: Vec<(String, Readings)>) -> Option<Readings> {
    let first = logs.first()?.1.clone();
    let shared = |fact: &(String, String)| logs.iter().all(|(_, l)| l.facts.contains(fact));
    let mut facts: Vec<_> = first.facts.into_iter().filter(&shared).collect();
    for (label, log) in &logs {
        let own = log.facts.iter().filter(|f| !shared(f));
        facts.extend(own.map(|(name, value)| (format!("{label}: {name}"), value.clone())));
    }
    let mut out = Readings {
        kind: first.kind,
        facts,
        rows: Vec::new(),
        notices: Vec::new(),
    };
    for (label, log) in logs {
        let told = log.notices.iter().map(|n| format!("{label}: {n}"));
        out.notices.extend(told);
        out.rows.extend(log.rows.into_iter().map(|mut row| {
            row.tag = match row.tag.as_str() {
                "" => label.clone(),
                tag => format!("{label} / {tag}"),
            };
            row
        }));
    }
    Some(out)
}
