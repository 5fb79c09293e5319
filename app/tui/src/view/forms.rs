//! The forms: a decision with its evidence, and the declaration of a variant.
//!
//! ```text
//! +- Accept tile-64 -----------------------------+
//! | FASTER 0.913 (-8.7 %) [0.905-0.921]          |
//! | prediction  inst.total<-30%: -40.0 %  held   |
//! | moved  inst.total -40.0 %                    |
//! | FAIL   spills  12 registers spilled          |
//! |                                              |
//! | reason: 8.7 % on all shapes_                 |
//! | override spills: why:                        |
//! | Enter confirms  Tab next field  Esc closes   |
//! +----------------------------------------------+
//! ```

use assay_core::record::DecisionKind;
use assay_core::text::{inert, inert_block};
use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::text::{Line, Span};

use super::form::{self, Form};
use crate::document::parts::{self, Pen};
use crate::fmt;
use crate::state::{Decide, NewVariant, State};
use crate::strings::fill;
use crate::theme::{Role, verdict_role};

/// Counters that a form names.
const MOVED: usize = 3;

/// Draws the form of a decision.
pub fn decide(state: &State, size: (u16, u16), d: &Decide, buf: &mut Buffer) -> Option<Position> {
    let s = state.strings;
    let title = match d.kind {
        DecisionKind::Accept => s.accept_title,
        DecisionKind::Reject => s.reject_title,
        _ => s.park_title,
    };
    let above = evidence(state, d, form::inner(size));
    let mut fields = vec![(format!("{}: ", s.reason), &d.reason)];
    for o in &d.overrides {
        let text = if o.optional {
            s.override_optional
        } else {
            s.override_for
        };
        fields.push((format!("{}: ", fill(text, &[&inert(&o.gate)])), &o.field));
    }
    let form = Form {
        title: fill(title, &[&inert(&d.name)]),
        above,
        fields,
        focus: d.focus,
        fault: d.fault.as_deref(),
        note: note(state, d.saving, d.problem.as_deref(), d.fields()),
    };
    form::draw(state, size, &form, buf)
}

/// Draws the form that declares a variant.
pub fn new_variant(
    state: &State,
    size: (u16, u16),
    n: &NewVariant,
    buf: &mut Buffer,
) -> Option<Position> {
    let s = state.strings;
    let parent = n.parent.as_deref().unwrap_or("HEAD");
    let above = fill(s.new_parent, &[&inert(parent)]);
    let above = state
        .theme
        .cut(&above, usize::from(form::inner(size)))
        .into_owned();
    let form = Form {
        title: s.new_title.to_owned(),
        above: vec![Line::from(Span::styled(
            above,
            state.theme.style(Role::Dim),
        ))],
        fields: vec![
            (format!("{}: ", s.new_name), &n.fields[0]),
            (format!("{}: ", s.new_why), &n.fields[1]),
        ],
        focus: n.focus,
        fault: n.fault.as_deref(),
        note: note(state, n.saving, n.problem.as_deref(), n.fields.len()),
    };
    form::draw(state, size, &form, buf)
}

/// What the decision rests on: verdict, interval, gates that do not pass.
fn evidence(state: &State, d: &Decide, columns: u16) -> Vec<Line<'static>> {
    let s = state.strings;
    let pen = Pen {
        theme: state.theme,
        s,
        lang: state.options.lang,
        width: usize::from(columns),
    };
    let mut out = Vec::new();
    if let Some(why) = &d.nameless {
        pen.wrapped(&mut out, &format!("! {}", pen.said(why)), 0, Role::Warn);
    }
    let Some(row) = state.variants.find(&d.name) else {
        return out;
    };
    let mut head = match &row.verdict {
        Some(w) => vec![pen.span(format!("{} ", inert(w)), verdict_role(w))],
        None => vec![pen.span(s.not_measured, Role::Warn)],
    };
    if let Some(r) = row.ratio {
        head.push(pen.span(
            format!("{} ({}) ", fmt::ratio(r), fmt::percent((r - 1.0) * 100.0)),
            Role::Plain,
        ));
    }
    if let Some(i) = row.interval {
        head.push(pen.span(format!("[{}] ", fmt::interval(i)), Role::Plain));
    }
    if let Some(a) = &row.against {
        head.push(pen.span(fill(s.against, &[&inert(a)]), Role::Dim));
    }
    out.push(Line::from(head));
    predicted(&pen, state, d, &mut out);
    moved(&pen, state, d, &mut out);
    if d.kind != DecisionKind::Accept {
        let open: Vec<_> = row
            .gates
            .iter()
            .filter(|g| g.pass != Some(true))
            .cloned()
            .collect();
        parts::gates(&pen, &mut out, &open);
        return out;
    }
    if d.reading && d.gates.is_empty() {
        out.push(pen.line(s.gates_reading, Role::Dim));
        return out;
    }
    let open: Vec<_> = d
        .gates
        .iter()
        .filter(|g| g.pass != Some(true))
        .cloned()
        .collect();
    parts::gates(&pen, &mut out, &open);
    if open.is_empty() && !d.gates.is_empty() {
        let n = d.gates.len();
        out.push(pen.line(&format!("{} {}: {n}/{n}", s.gates, s.passed), Role::Good));
    }
    out
}

/// What was foretold, and what became of it.
fn predicted(pen: &Pen, state: &State, d: &Decide, out: &mut Vec<Line<'static>>) {
    let s = pen.s;
    let show = state.variants.shows.get(&d.name);
    for p in show.iter().flat_map(|v| &v.predictions) {
        let (word, role) = match p.held {
            Some(true) => (s.held, Role::Good),
            Some(false) => (s.not_held, Role::Bad),
            None => (s.unknown, Role::Warn),
        };
        let seen = parts::foretold(pen, p);
        let text = format!("{}  {}{seen}  {word}", s.prediction, p.text);
        out.push(pen.line(&text, role));
    }
}

/// Counters that changed most against what it came from, in one line.
fn moved(pen: &Pen, state: &State, d: &Decide, out: &mut Vec<Line<'static>>) {
    let profile = &state.profile;
    let of = profile.key.as_ref().filter(|k| k.variant == d.name);
    let Some(compared) = of.and_then(|_| profile.compared()) else {
        return;
    };
    // The rows come with the largest weighted change first.
    let rows = compared.rows.iter().filter_map(|row| {
        let change = row.changes.iter().flatten().find(|c| c.changed)?;
        let name = row.canonical.as_deref().unwrap_or(&row.name);
        Some(format!("{} {}", name, change.text))
    });
    let texts: Vec<String> = rows.take(MOVED).collect();
    if !texts.is_empty() {
        let text = format!("{}  {}", pen.s.moved, texts.join("   "));
        out.push(pen.line(&text, Role::Plain));
    }
}

fn note(state: &State, saving: bool, problem: Option<&str>, fields: usize) -> (String, Role) {
    let s = state.strings;
    match problem {
        Some(p) => {
            let said = state.options.lang.said_lines(p);
            (inert_block(&said).into_owned(), Role::Bad)
        }
        None if saving => (s.saving.to_owned(), Role::Accent),
        None if fields == 1 => (s.field_hint.to_owned(), Role::Dim),
        None => (s.decide_hint.to_owned(), Role::Dim),
    }
}
