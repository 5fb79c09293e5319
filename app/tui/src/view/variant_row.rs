//! One row of the Variants table.

use assay_core::text::inert;
use assay_core::view::{GateView, ScreenedView, VariantRow};
use ratatui::text::{Line, Span};

use super::columns::{Column, Kind, cell};
use crate::fmt;
use crate::state::State;
use crate::strings::{failure_word, status_word};
use crate::theme::{Role, status_role, verdict_role};

/// The mark of a figure that was published and not measured here.
pub const PUBLISHED: &str = assay_core::view::PUBLISHED_MARK;

/// Behind a published median that an audit contradicts.
pub const DOUBTED: &str = "p!";

/// The mark of evidence that stands although a later run failed.
pub const LATER_FAILURE: &str = "x";

/// The mark of a variant of which a gate was overridden.
pub const OVERRIDDEN: &str = "^";

/// The mark of evidence that the branch has moved on from.
pub const STALE: &str = "s";

/// What is to be known of the evidence of a variant before its figures are read.
fn beside(row: &VariantRow) -> &'static str {
    match (&row.later_failure, row.stale) {
        (Some(_), _) => LATER_FAILURE,
        (None, true) => STALE,
        (None, false) => " ",
    }
}

/// The row of a variant whose name is shown as `name`.
pub fn line(state: &State, name: &str, row: &VariantRow, columns: &[Column]) -> Line<'static> {
    let (v, theme) = (&state.variants, &state.theme);
    let mark = if v.marked.contains(&row.name) {
        theme.mark()
    } else {
        " "
    };
    let crown = if v.champion() == Some(row.name.as_str()) {
        theme.champion()
    } else {
        " "
    };
    let mut spans = vec![
        Span::styled(format!(" {mark}"), theme.style(Role::Accent)),
        Span::styled(crown, theme.style(Role::Warn)),
        Span::styled(beside(row), theme.style(Role::Warn)),
    ];
    // Where the gates have no column, a failing one still shows.
    let hidden = columns.iter().all(|c| c.kind != Kind::Gates);
    let failing = match hidden {
        true => marks(row),
        false => String::new(),
    };
    for c in columns {
        let (text, role) = match c.kind {
            Kind::Name => (name.to_owned(), Role::Plain),
            Kind::Status => {
                let word = status_word(state.options.lang, &row.status);
                (inert(word).into_owned(), status_role(&row.status))
            }
            Kind::Verdict => match &row.verdict {
                Some(w) => (format!("{}{failing}", inert(w)), verdict_role(w)),
                None if only_screened(row).is_some() => {
                    (state.strings.screened.to_owned(), Role::Dim)
                }
                None => (
                    row.failure.as_ref().map_or("-".into(), |f| {
                        let word = inert(failure_word(state.options.lang, &f.kind));
                        format!("{word}{failing}")
                    }),
                    Role::Dim,
                ),
            },
            Kind::Ratio => match only_screened(row) {
                Some(s) => (s.ratio.map_or("-".into(), fmt::ratio), Role::Dim),
                None => (row.ratio.map_or("-".into(), fmt::ratio), Role::Plain),
            },
            Kind::Interval => {
                let interval = only_screened(row).map_or(row.interval, |s| s.interval);
                (interval.map_or("-".into(), fmt::interval), Role::Dim)
            }
            Kind::Median => {
                let text = v.median_ns(row).map_or("-".into(), fmt::time_ns);
                let role = match row.time_is_doubted(v.shown_workload()) {
                    true => Role::Warn,
                    false => Role::Plain,
                };
                // Figures stay below each other, with a mark behind them or without.
                match (row.median_mark(v.shown_workload()), c.width > 9) {
                    ("", true) => (format!("{text}  "), role),
                    ("", false) => (text, role),
                    (mark, _) => (format!("{text} {mark}"), role),
                }
            }
            Kind::Gates => gates(row),
            Kind::Against => (said(row.against.as_deref()), Role::Plain),
            Kind::Parent => (said(row.parent.as_deref()), Role::Plain),
            Kind::Family => (said(row.family.as_deref()), Role::Plain),
            Kind::Knobs => {
                let all = row.knobs.iter().map(|(k, x)| format!("{k}={x}"));
                let all = all.collect::<Vec<_>>().join(" ");
                (
                    said(Some(&all).filter(|a| !a.is_empty()).map(String::as_str)),
                    Role::Plain,
                )
            }
            Kind::Commit => (said(row.commit.as_deref()), Role::Dim),
            Kind::Updated => (inert(&fmt::minute(&row.updated_at)).into_owned(), Role::Dim),
            Kind::Why => (
                inert(&state.options.lang.said(&row.why)).into_owned(),
                Role::Plain,
            ),
        };
        spans.push(Span::styled(cell(state, &text, c), theme.style(role)));
    }
    Line::from(spans)
}

/// A text made inert; what is not there is a dash.
fn said(text: Option<&str>) -> String {
    text.map_or_else(|| "-".into(), |t| inert(t).into_owned())
}

/// Its rank, where that is all there is.
fn only_screened(row: &VariantRow) -> Option<&ScreenedView> {
    let open = row.verdict.is_none() && row.failure.is_none();
    row.screened.as_ref().filter(|_| open)
}

/// Whether a gate hinders an acceptance.
fn in_the_way(g: &GateView) -> bool {
    g.pass != Some(true) && g.overridden.is_none()
}

/// What stands behind a verdict, a failure or the count of the gates: that one of them is in the way,
/// that one was overridden.
fn marks(row: &VariantRow) -> String {
    let open = row.gates.iter().any(in_the_way);
    let overridden = row.gates.iter().any(|g| g.overridden.is_some());
    let mark = |is: bool, mark: &'static str| if is { mark } else { "" };
    format!("{}{}", mark(open, "!"), mark(overridden, OVERRIDDEN))
}

/// Passed gates of all, e.g. `3/4!`: the mark says that one failed or lacks evidence.
fn gates(row: &VariantRow) -> (String, Role) {
    if row.gates.is_empty() {
        return ("-".into(), Role::Dim);
    }
    let passed = row.gates.iter().filter(|g| g.pass == Some(true)).count();
    let failed = row
        .gates
        .iter()
        .any(|g| g.pass == Some(false) && in_the_way(g));
    let text = format!("{passed}/{}{}", row.gates.len(), marks(row));
    (text, if failed { Role::Bad } else { Role::Plain })
}
