//! Counters of several launches side by side: figures as printed, changes against the base.

mod grid;

use assay_core::text::inert;
use assay_core::view::CounterCompareView;
use assay_engine::profiles::tally;

use super::findings::{findings, summary, wrap};
use super::paint::Paint;
use crate::args::Lang;
use grid::Grid;

/// Counters that a reason names at most.
const NAMED: usize = 5;

/// Widest that sentences are.
const PROSE: usize = 160;

/// The comparison as text: what speaks against it, the table, what rules say. The table fits in the columns
/// that there are; where they are not known, nothing in it is cut.
pub fn comparison(
    view: &CounterCompareView,
    lang: Lang,
    room: Option<usize>,
    paint: Paint,
) -> String {
    let columns = room.unwrap_or(PROSE);
    let mut out = head(view, columns);
    for warning in &view.warnings {
        let text = format!("! {}", inert(warning));
        for line in wrap(&text, columns) {
            out.push_str(&format!("{}\n", paint.warning(&line)));
        }
    }
    out.push('\n');
    out.push_str(&Grid::new(view, room).render(paint));
    for text in reasons(view).iter().chain(&tally(view)) {
        out.push('\n');
        for line in wrap(&inert(text), columns) {
            out.push_str(&format!("{line}\n"));
        }
    }
    if !view.findings.is_empty() {
        out.push_str(&format!(
            "\n{}\n",
            paint.bold(&summary(&view.findings, lang))
        ));
        out.push_str(&findings(&view.findings, lang, columns, paint));
    }
    out
}

/// What the columns are.
fn head(view: &CounterCompareView, columns: usize) -> String {
    let mut out = String::new();
    for (i, c) in view.columns.iter().enumerate() {
        let mut text = format!("{}: {}", c.label, c.tool);
        if let Some(version) = &c.tool_version {
            text.push_str(&format!(" {version}"));
        }
        let said = c.label.split('#').next().unwrap_or_default();
        let is_said =
            c.label.ends_with(&c.kernel) || (!said.is_empty() && c.kernel.starts_with(said));
        if c.scope == "per-kernel" && !is_said {
            text.push_str(&format!(", {}", c.kernel));
        } else if c.scope != "per-kernel" {
            text.push_str(", whole process or several launches added up");
        }
        if let Some(n) = c.occurrence.filter(|n| *n > 0 && !c.label.contains('#')) {
            text.push_str(&format!(", launch {n}"));
        }
        if i == view.base {
            text.push_str(" (base)");
        }
        for line in wrap(&inert(&text), columns) {
            out.push_str(&format!("{line}\n"));
        }
    }
    out
}

/// What the marks of figures stand for: each reason once, with the counters that it is about.
fn reasons(view: &CounterCompareView) -> Vec<String> {
    let mut all: Vec<(&str, Vec<&str>)> = Vec::new();
    for row in &view.rows {
        for reason in row.cells.iter().flat_map(|c| &c.suspect) {
            match all.iter_mut().find(|(r, _)| r == reason) {
                Some((_, names)) if names.contains(&row.name.as_str()) => {}
                Some((_, names)) => names.push(&row.name),
                None => all.push((reason, vec![&row.name])),
            }
        }
    }
    let line = |(reason, names): &(&str, Vec<&str>)| {
        let mut named: Vec<&str> = names.iter().take(NAMED).copied().collect();
        let more = format!("{} more", names.len().saturating_sub(NAMED));
        if names.len() > NAMED {
            named.push(&more);
        }
        format!("? {reason}: {}", named.join(", "))
    };
    all.iter().map(line).collect()
}

#[cfg(test)]
mod tests;
