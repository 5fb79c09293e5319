//! The Source screen.
//!
//! ```text
//! Source  generated source  A=base  B=tile-64  hunk 1/3  unified  normalised
//! ! the same commit built twice gave other source; this weakens every claim about it
//! ▾ What changed (1)
//!   - widest vector: 128 -> 256 bits
//! ▾ gemm.cu  3 hunks
//! ▾ gemm_kernel  changed
//! @@ -12,6 +12,7 @@ gemm_kernel
//!   12   12   for (int k = 0; k < K; ++k) {
//! - 13        acc += a[k] * b[k * N + j];
//! +      13   acc += a[k] * tile[k][j];
//! ▸ 240 unchanged lines
//! ```

use assay_core::text::inert;
use assay_core::view::{FileDiff, KernelPairView};
use assay_source::diff::{OpenDiff, Row as Line, WindowRow};
use assay_source::said;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line as Text, Span};

use super::pane::{self, put};
use super::source_line::{self, GUTTER, HALF_GUTTER};
use crate::document::parts::Pen;
use crate::layout;
use crate::options::Lang;
use crate::state::State;
use crate::state::source::{Row, Source};
use crate::strings::{Strings, fill};
use crate::theme::Role;

/// Draws the visible rows.
pub fn draw(state: &State, body: Rect, buf: &mut Buffer) {
    let (src, s) = (&state.source, state.strings);
    let inside = layout::inside(body);
    pane::title(state, buf, body, s.source, &remarks(state, body.width));
    let Some(diff) = &src.slot.value else {
        pane::missing(state, buf, inside, &src.slot, s.no_diff);
        return;
    };
    let (strip, area) = layout::source(body, src.strip.len());
    notices(state, strip, buf);
    if src.rows.is_empty() {
        pane::empty(state, buf, area, s.equal, Role::Dim);
        return;
    }
    let (marker, inside) = layout::columns(area, 1);
    let pen = Pen {
        theme: state.theme,
        s,
        lang: state.options.lang,
        width: usize::from(inside.width),
    };
    let split = src.split(body.width);
    let end = (src.cursor.offset + usize::from(inside.height)).min(src.rows.len());
    let shown = src.cursor.offset..end;
    let texts = texts(src, diff, shown.clone());
    for (i, (n, text)) in shown.zip(texts).enumerate() {
        let line = match (src.rows[n], text) {
            (Row::Line(f, _), Some(row)) => source_row(&pen, src, diff, f, &row, split),
            (row, _) => heading(&pen, src, diff, row),
        };
        put(&state.theme, buf, inside, i, &line);
        pane::found(state, buf, inside, i, &src.find, n, n == src.cursor.index);
        if n == src.cursor.index {
            let gutter = match src.rows[n] {
                Row::Line(f, r) if is_text(src, f, r) && split => HALF_GUTTER,
                Row::Line(f, r) if is_text(src, f, r) => GUTTER,
                _ => usize::from(inside.width),
            };
            select(state, buf, marker, inside, i, gutter);
        }
    }
}

/// The text of the rows in view that have one: those of a file are made together.
fn texts(src: &Source, diff: &OpenDiff, rows: std::ops::Range<usize>) -> Vec<Option<WindowRow>> {
    let mut out = Vec::new();
    let mut at = rows.start;
    while at < rows.end {
        let Row::Line(f, first) = src.rows[at] else {
            out.push(None);
            at += 1;
            continue;
        };
        let run = src.rows[at..rows.end].iter();
        let count = run
            .take_while(|r| matches!(r, Row::Line(g, _) if *g == f))
            .count();
        let window = (diff.files.get(f))
            .zip(diff.view.files.get(f))
            .zip(src.layouts.get(f))
            .map(|((lines, head), layout)| lines.window(head, layout, first..first + count));
        out.extend(window.into_iter().flatten().map(Some));
        at += count;
        out.resize(at - rows.start, None);
    }
    out
}

/// Whether a row has a gutter of line numbers.
fn is_text(src: &Source, f: usize, r: usize) -> bool {
    matches!(src.line(f, r), Some(Line::Lines { .. } | Line::Line { .. }))
}

/// Marks the row at hand: a sign before it, and reversed as far as that leaves its text readable.
fn select(state: &State, buf: &mut Buffer, marker: Rect, inside: Rect, row: usize, columns: usize) {
    let Ok(row) = u16::try_from(row) else { return };
    if row >= inside.height || marker.width == 0 {
        return;
    }
    let at = |area: Rect, width: u16| Rect {
        y: area.y + row,
        height: 1,
        width,
        ..area
    };
    let accent = state.theme.style(Role::Accent);
    buf.set_stringn(marker.x, marker.y + row, state.theme.marker(), 1, accent);
    let width = u16::try_from(columns).unwrap_or(u16::MAX).min(inside.width);
    let even = Style::new().remove_modifier(Modifier::DIM);
    let selected = even.patch(state.theme.style(Role::Selected));
    buf.set_style(at(inside, width), selected);
}

/// The notices, and how many rows of them are not shown.
fn notices(state: &State, area: Rect, buf: &mut Buffer) {
    let (strip, rows) = (&state.source.strip, usize::from(area.height));
    let (warn, width) = (state.theme.style(Role::Warn), usize::from(area.width));
    for (i, text) in strip.iter().take(rows).enumerate() {
        let last = i + 1 == rows && strip.len() > rows;
        let text = match last {
            true => {
                let more = format!(" {}", state.strings.more_notices);
                let room = width.saturating_sub(assay_core::text::width(&more));
                format!("{}{more}", state.theme.cut(&format!("{text}..."), room))
            }
            false => text.clone(),
        };
        let text = state.theme.cut(&text, width).into_owned();
        put(
            &state.theme,
            buf,
            area,
            i,
            &Text::from(Span::styled(text, warn)),
        );
    }
}

fn source_row(
    pen: &Pen,
    src: &Source,
    diff: &OpenDiff,
    f: usize,
    row: &WindowRow,
    split: bool,
) -> Text<'static> {
    let s = pen.s;
    let file = &diff.view.files[f];
    match row.row {
        Line::Folded { count, .. } => {
            let text = fill(s.folded, &[&count.to_string()]);
            pen.line(&format!("{} {text}", pen.theme.fold(false)), Role::Dim)
        }
        Line::Hunk(h) => {
            let place = diff.files[f].place(file, h as usize);
            pen.line(&hunk_title(pen.lang, file, h as usize, place), Role::Accent)
        }
        Line::Kernel(k) => {
            let open = !(src.folds.kernels.get(&f)).is_some_and(|shut| shut.contains(&k));
            let text = (file.kernels.get(k as usize)).map_or_else(String::new, |k| kernel(s, k));
            pen.line(&format!("{} {text}", pen.theme.fold(open)), Role::Title)
        }
        Line::Lines { .. } | Line::Line { .. } if split => source_line::pair(pen, row, src.left),
        _ => source_line::unified(pen, row, src.left),
    }
}

fn heading(pen: &Pen, src: &Source, diff: &OpenDiff, row: Row) -> Text<'static> {
    match row {
        Row::Head(n) => (src.head.get(n)).map_or_else(Text::default, |l| l.line.clone()),
        Row::File(f) => {
            let file = &diff.view.files[f];
            let open = !src.folds.files.contains(&f);
            let lines = diff.files.get(f).is_some_and(|l| l.comparison.is_some());
            let mark = match hunks(file) > 0 || lines {
                true => pen.theme.fold(open),
                false => " ",
            };
            let state = file_state(pen.s, file, lines);
            let name = format!("{mark} {}", file_title(file));
            let mut line = pen.line(&name, Role::Title);
            line.push_span(pen.span(format!("  {state}"), Role::Dim));
            line
        }
        Row::Blank | Row::Line(..) => Text::default(),
    }
}

fn remarks(state: &State, width: u16) -> Vec<String> {
    let (src, s) = (&state.source, state.strings);
    let Some(key) = &src.key else {
        return Vec::new();
    };
    let of = |is: bool, yes: &'static str, no: &'static str| if is { yes } else { no }.to_owned();
    let mut out = vec![
        of(key.generated, s.generated_source, s.kernel_source),
        format!("A={}", inert(&key.a)),
        format!("B={}", inert(&key.b)),
    ];
    if src.hunk_count > 0 {
        let at = src.hunk().map_or(0, |h| h + 1).to_string();
        out.push(fill(s.hunk_of, &[&at, &src.hunk_count.to_string()]));
    }
    out.push(src.find.remark(s));
    out.push(of(src.split(width), s.side_by_side, s.unified));
    out.push(of(key.normalised, s.normalised, s.raw));
    if src.slot.value.is_some() {
        out.push(pane::freshness(state, &src.slot));
    }
    out
}

fn file_title(f: &FileDiff) -> String {
    match (&f.a, &f.b) {
        (Some(a), Some(b)) if a == b => b.clone(),
        (Some(a), Some(b)) => format!("{a} -> {b}"),
        (None, Some(x)) | (Some(x), None) => x.clone(),
        (None, None) => "-".into(),
    }
}

fn hunks(f: &FileDiff) -> usize {
    f.notes.len().max(f.hunks.len())
}

/// What became of a file, in words.
fn file_state(s: &Strings, f: &FileDiff, lines: bool) -> String {
    let count = match hunks(f) {
        0 => String::new(),
        n => fill(s.hunks, &[&n.to_string()]),
    };
    let word = match (&f.a, &f.b, f.normalised_equal) {
        (None, ..) => s.new_file,
        (_, None, _) => s.gone_file,
        // Without lines to compare, the bytes were equal.
        (.., Some(true)) if !lines && f.notice.is_empty() => s.equal_bytes,
        (.., Some(true)) => s.equal_normalised,
        (.., Some(false)) if count.is_empty() => s.no_lines_differ,
        _ => "",
    };
    match (word.is_empty(), count.is_empty()) {
        (false, false) => format!("{word}, {count}"),
        _ => format!("{word}{count}"),
    }
}

/// The name of a kernel on both sides and what became of it.
pub fn kernel(s: &Strings, k: &KernelPairView) -> String {
    let name = match (&k.a, &k.b) {
        (Some(a), Some(b)) if a != b => format!("{a} -> {b}"),
        (Some(x), _) | (_, Some(x)) => x.clone(),
        (None, None) => "-".into(),
    };
    let renamed = match (&k.a, &k.b) {
        (Some(a), Some(b)) if a != b => format!("{}, ", s.kernel_renamed),
        _ => String::new(),
    };
    format!("{name}  {renamed}{}", kernel_state(s, &k.state))
}

fn kernel_state(s: &Strings, state: &str) -> &'static str {
    match state {
        "same" => s.kernel_same,
        "normalised-equal" => s.kernel_normalised,
        "changed" => s.kernel_changed,
        "new" => s.kernel_new,
        "gone" => s.kernel_gone,
        _ => "",
    }
}

/// Where the hunk starts on both sides, the kernel it lies in, and the kinds of change.
fn hunk_title(lang: Lang, file: &FileDiff, h: usize, [a, n, b, m]: [u32; 4]) -> String {
    let mut out = format!("@@ -{a},{n} +{b},{m} @@");
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
            out.push_str(&format!(" [{}]", said::changes(lang.of_source(), n)));
        }
    }
    out
}

/// A dim span, for the parts of a line that are not source.
pub fn dim(pen: &Pen, text: String) -> Span<'static> {
    pen.span(text, Role::Dim)
}
