//! The Source screen.
//!
//! ```text
//! Source  kernel source  A=base  B=tile-64  unified  hunk 1/3
//! kernel/gemm.c
//! @@ 12,6
//!   12   12   for (int k = 0; k < K; ++k) {
//! - 13        acc += a[k] * b[k * N + j];
//! +      13   acc += a[k] * tile[k][j];
//! ```

use assay_core::text::inert;
use assay_core::view::{DiffView, FileDiff};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::pane::{self, put};
use super::source_line;
use super::syntax::Syntaxes;
use crate::document::parts::{Pen, figure, name_columns};
use crate::layout;
use crate::state::{Side, State};
use crate::strings::fill;
use crate::theme::Role;

/// Draws the visible rows.
pub fn draw(state: &State, body: Rect, buf: &mut Buffer) {
    let (src, s) = (&state.source, state.strings);
    let inside = layout::inside(body);
    pane::title(state, buf, body, s.source, &remarks(state, body.width));
    let Some(view) = &src.slot.value else {
        pane::missing(state, buf, inside, &src.slot, s.no_diff);
        return;
    };
    if src.rows.is_empty() {
        pane::empty(state, buf, inside, s.equal, Role::Dim);
        return;
    }
    let pen = Pen {
        theme: state.theme,
        s,
        lang: state.options.lang,
        width: usize::from(inside.width),
    };
    let rows = src
        .rows
        .iter()
        .skip(src.offset)
        .take(usize::from(inside.height));
    let mut syntaxes = Syntaxes::new(view);
    for (i, row) in rows.enumerate() {
        let line = match *row {
            Side::Blank => Line::default(),
            Side::Statement(i) => pen.line(&format!("- {}", view.statements[i].text), Role::Plain),
            Side::WithoutCounter => pen.line(&without_counter(state, view), Role::Dim),
            Side::Warning(w) => pen.line(&format!("! {}", view.warnings[w]), Role::Warn),
            Side::Fact(f) => {
                let name = name_columns(&pen, view.facts.iter().map(|f| f.name.as_str()));
                figure(&pen, &view.facts[f], name, false)
            }
            Side::File(f) => pen.line(&file_title(state, &view.files[f]), Role::Title),
            Side::Notice(f) => pen.line(&format!("! {}", view.files[f].notice), Role::Warn),
            Side::Hunk(f, h) => pen.line(&hunk_title(&view.files[f], h), Role::Accent),
            Side::Line(at) => source_line::unified(&pen, src.line(at), &syntaxes.of(at), src.left),
            Side::Pair(a, b) => {
                let get = |at: Option<_>| at.and_then(|at| src.line(at));
                let syntax = b.map_or_else(Vec::new, |at| syntaxes.of(at));
                source_line::pair(&pen, get(a), get(b), &syntax, src.left)
            }
        };
        put(buf, inside, i, &line);
    }
}

fn remarks(state: &State, width: u16) -> Vec<String> {
    let (src, s) = (&state.source, state.strings);
    let Some(key) = &src.key else {
        return Vec::new();
    };
    let mut out = vec![
        if key.generated {
            s.generated_source
        } else {
            s.kernel_source
        }
        .to_owned(),
        format!("A={}", inert(&key.a)),
        format!("B={}", inert(&key.b)),
        if src.split(width) {
            s.side_by_side
        } else {
            s.unified
        }
        .to_owned(),
    ];
    if !src.hunks.is_empty() {
        let at = src.hunk().map_or(0, |h| h + 1).to_string();
        out.push(fill(s.hunk_of, &[&at, &src.hunks.len().to_string()]));
    }
    if src.slot.value.is_some() {
        out.push(pane::freshness(state, &src.slot));
    }
    out
}

fn file_title(state: &State, f: &FileDiff) -> String {
    let s = state.strings;
    match (&f.a, &f.b) {
        (Some(a), Some(b)) if a == b => b.clone(),
        (Some(a), Some(b)) => format!("{a} -> {b}"),
        (None, Some(b)) => format!("{b} ({})", s.new_file),
        (Some(a), None) => format!("{a} ({})", s.gone_file),
        (None, None) => "-".into(),
    }
}

/// Facts that differ and that no counter of both sides stands beside.
fn without_counter(state: &State, view: &DiffView) -> String {
    let names: Vec<&str> = (view.statements.iter())
        .filter(|x| x.kind == "no-counter")
        .flat_map(|x| x.facts.iter().map(|f| f.name.as_str()))
        .collect();
    fill(state.strings.without_counter, &[&names.join(", ")])
}

/// Where the hunk starts on both sides, the kernel it lies in, and the kinds of change.
fn hunk_title(file: &FileDiff, h: usize) -> String {
    let mut out = place(&file.hunks[h]);
    if let Some(n) = file.notes.get(h) {
        let kernel = match (n.kernel_a.as_str(), n.kernel_b.as_str()) {
            (a, "") => a.to_owned(),
            ("", b) => b.to_owned(),
            (a, b) if a == b => b.to_owned(),
            (a, b) => format!("{a} -> {b}"),
        };
        if !kernel.is_empty() {
            out.push_str(&format!(" {kernel}"));
        }
        if !n.changes.is_empty() {
            out.push_str(&format!(" [{}]", n.changes.join(", ")));
        }
    }
    out
}

/// Where the hunk starts on both sides.
fn place(lines: &[assay_core::view::DiffLine]) -> String {
    let first = |side: fn(&assay_core::view::DiffLine) -> Option<u32>| {
        lines
            .iter()
            .find_map(side)
            .map_or_else(|| "-".into(), |n| n.to_string())
    };
    let count = |side: fn(&assay_core::view::DiffLine) -> Option<u32>| {
        lines.iter().filter_map(side).count()
    };
    format!(
        "@@ -{},{} +{},{} @@",
        first(|l| l.a),
        count(|l| l.a),
        first(|l| l.b),
        count(|l| l.b)
    )
}

/// A dim span, for the parts of a line that are not source.
pub fn dim(pen: &Pen, text: String) -> Span<'static> {
    pen.span(text, Role::Dim)
}
