//! Layers over the screen, the topmost last.

use assay_core::text::inert;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use super::pane::{self, put};
use super::{export, forms, history, source};
use crate::action::info;
use crate::document::Doc;
use crate::document::parts::wrap;
use crate::layout;
use crate::state::columns::Kind;
use crate::state::{ConfirmKind, Evidence, Kernels, Layer, Opened, Palette, Pick, Picked, State};
use crate::strings::fill;
use crate::theme::Role;
use crate::update::{WAYS, copies};
use crate::widget::boxed;

/// Draws all layers; returns the cursor of the topmost.
pub fn draw(state: &State, size: (u16, u16), buf: &mut Buffer) -> Option<Position> {
    let s = state.strings;
    let mut cursor = None;
    for layer in &state.layers {
        cursor = match layer {
            Layer::Filter { .. } | Layer::Search { .. } => None,
            Layer::Pick(p) => pick(state, size, p, buf),
            Layer::Export(e) => export::draw(state, size, e, buf),
            Layer::Help(doc) => {
                let title = format!("{}: {}", s.help, state.screen.title(s));
                document(state, layout::help(size), &title, doc, buf)
            }
            Layer::Message { title, doc, .. } => {
                let area = layout::message(size, doc.lines.len());
                document(state, area, title, doc, buf)
            }
            Layer::Evidence(e) => evidence(state, size, e, buf),
            Layer::Record(r) => record(state, size, r, buf),
            Layer::Palette(p) => palette(state, size, p, buf),
            Layer::Kernels(k) => kernels(state, size, k, buf),
            Layer::Confirm(kind) => confirm(state, size, kind, buf),
            Layer::Decide(d) => forms::decide(state, size, d, buf),
            Layer::New(n) => forms::new_variant(state, size, n, buf),
        };
    }
    cursor
}

fn document(
    state: &State,
    area: Rect,
    title: &str,
    doc: &Doc,
    buf: &mut Buffer,
) -> Option<Position> {
    let height = area.height.saturating_sub(2);
    let s = state.strings;
    let at = pane::position(doc.scroll, doc.lines.len(), height);
    let parts = [title, &at, &doc.find.remark(s), s.close_hint];
    let parts = parts.into_iter().filter(|p| !p.is_empty());
    let title = parts.collect::<Vec<_>>().join("  ");
    let inside = boxed::draw(buf, area, &title, &state.theme);
    pane::document(state, buf, inside, doc);
    None
}

/// The records that something rests on.
fn evidence(state: &State, size: (u16, u16), e: &Evidence, buf: &mut Buffer) -> Option<Position> {
    let (t, s) = (&state.theme, state.strings);
    let count = e.count();
    let at = match count {
        0 => String::new(),
        n => format!("  {}/{n}", e.cursor.index + 1),
    };
    let names = inert(&e.names.join(", ")).into_owned();
    let names = t.cut(&names, usize::from(size.0) / 2);
    let title = format!("{}: {names}{at}  {}", s.evidence, s.evidence_hint);
    let inside = boxed::draw(buf, layout::kernels(size, count.max(1)), &title, t);
    if count == 0 {
        pane::missing(state, buf, inside, &e.slot, s.no_history);
        return None;
    }
    let rows = e.slot.value.iter().flatten().skip(e.cursor.offset);
    let rows = rows.take(usize::from(inside.height));
    let rows: Vec<_> = rows
        .map(|r| (r, state.options.lang.said(&r.summary)))
        .collect();
    let said = rows.iter().map(|(row, said)| (*row, said.as_ref()));
    let lines = history::lines(state, said, usize::from(inside.width));
    for (i, line) in lines.iter().enumerate() {
        let n = e.cursor.offset + i;
        put(&state.theme, buf, inside, i, line);
        if n == e.cursor.index {
            pane::select(state, buf, inside, i);
        }
    }
    None
}

fn record(state: &State, size: (u16, u16), r: &Opened, buf: &mut Buffer) -> Option<Position> {
    let (area, s) = (layout::record(size), state.strings);
    let title = format!("{} {}", s.heat_record, inert(&r.id));
    if r.slot.value.is_some() {
        return document(state, area, &title, &r.doc, buf);
    }
    let title = format!("{title}  {}", s.close_hint);
    let inside = boxed::draw(buf, area, &title, &state.theme);
    pane::missing(state, buf, inside, &r.slot, s.loading);
    None
}

fn palette(state: &State, size: (u16, u16), p: &Palette, buf: &mut Buffer) -> Option<Position> {
    let (t, s) = (&state.theme, state.strings);
    let inside = boxed::draw(buf, layout::palette(size), s.palette, t);
    let room = usize::from(inside.width);
    let (shown, cursor) = p.field.window(room.saturating_sub(2), t.gap());
    let text = if p.field.value().is_empty() {
        Span::styled(
            t.cut(s.palette_hint, room.saturating_sub(3)).into_owned(),
            t.style(Role::Dim),
        )
    } else {
        Span::raw(shown)
    };
    put(
        &state.theme,
        buf,
        inside,
        0,
        &Line::from(vec![Span::styled(": ", t.style(Role::Accent)), text]),
    );
    let rows = layout::rows(inside, 1).1;
    for (i, action) in p
        .hits
        .iter()
        .skip(p.cursor.offset)
        .take(usize::from(rows.height))
        .enumerate()
    {
        let a = info(*action);
        let keys = t.right(&state.options.keys.label(a.action), 12);
        let title = t.left(a.title(state.options.lang), room.saturating_sub(15));
        put(
            &state.theme,
            buf,
            rows,
            i,
            &Line::from(vec![
                Span::raw(format!("  {title} ")),
                Span::styled(keys, t.style(Role::Accent)),
            ]),
        );
        if p.cursor.offset + i == p.cursor.index {
            pane::select(state, buf, rows, i);
        }
    }
    let x = inside
        .x
        .saturating_add(2 + cursor as u16)
        .min(inside.right().saturating_sub(1));
    Some(Position { x, y: inside.y })
}

fn pick(state: &State, size: (u16, u16), p: &Pick, buf: &mut Buffer) -> Option<Position> {
    let (t, s) = (&state.theme, state.strings);
    let name = match p.what {
        Picked::Chapters => s.chapters,
        Picked::Columns => s.columns,
        Picked::Against => s.against_title,
        Picked::Table => s.export_view,
        Picked::Copy => s.copy_title,
    };
    let at = format!("{}/{}", p.cursor.index + 1, p.count);
    let hint = match p.what {
        Picked::Columns => s.columns_hint,
        _ => s.pick_hint,
    };
    let title = format!("{name}  {at}  {hint}");
    let inside = boxed::draw(buf, layout::kernels(size, p.count), &title, t);
    let copies = match p.what {
        Picked::Copy => copies(state),
        _ => Vec::new(),
    };
    let opponents = match p.what {
        Picked::Against => crate::update::opponents(state),
        _ => Vec::new(),
    };
    for i in 0..usize::from(inside.height).min(p.count.saturating_sub(p.cursor.offset)) {
        let n = p.cursor.offset + i;
        let (text, role) = match p.what {
            Picked::Chapters => chapter(state, n),
            Picked::Columns => (column(state, n), Role::Plain),
            Picked::Against => (opponent(&opponents, n), Role::Plain),
            Picked::Table => (way(state, n), Role::Plain),
            Picked::Copy => (copy(&copies, n), Role::Plain),
        };
        let text = t.cut(&text, usize::from(inside.width)).into_owned();
        put(
            &state.theme,
            buf,
            inside,
            i,
            &Line::from(Span::styled(text, t.style(role))),
        );
        if n == p.cursor.index {
            pane::select(state, buf, inside, i);
        }
    }
    None
}

/// A column, and whether it is shown; the first row stands for the usual ones.
fn column(state: &State, n: usize) -> String {
    let (chosen, s) = (&state.variants.columns, state.strings);
    let mark = |yes: bool| if yes { "x" } else { " " };
    match n.checked_sub(1).and_then(|i| Kind::ALL.get(i)) {
        None => format!("  ({}) {}", mark(!chosen.is_own()), s.columns_usual),
        Some(k) => {
            let shown = chosen.kinds().contains(k);
            format!("  [{}] {}", mark(shown), k.title(s))
        }
    }
}

/// What would be copied.
fn copy(copies: &[(&str, String)], n: usize) -> String {
    let names = copies.iter().map(|(name, _)| assay_core::text::width(name));
    let columns = names.max().unwrap_or(0);
    let (name, text) = copies.get(n).map_or(("", ""), |(n, t)| (n, t));
    let name = assay_core::text::pad_right(name, columns);
    // Long texts are cut before they are made inert: nothing of them is seen.
    let text: String = text.chars().take(400).collect();
    format!("  {name}  {}", inert(&text.replace('\t', "  ")))
}

fn opponent(names: &[String], n: usize) -> String {
    names
        .get(n)
        .map_or_else(String::new, |name| format!("  {}", inert(name)))
}

/// A way to write the table.
fn way(state: &State, n: usize) -> String {
    let s = state.strings;
    WAYS.get(n).map_or_else(String::new, |(ending, clipboard)| {
        let to = if *clipboard {
            s.to_clipboard
        } else {
            s.to_file
        };
        format!("  {} {to}", ending.to_uppercase())
    })
}

fn chapter(state: &State, n: usize) -> (String, Role) {
    let chapter = state.report.page.chapters.get(n);
    chapter.map_or_else(
        || (String::new(), Role::Plain),
        |c| {
            let indent = " ".repeat(2 * usize::from(c.level));
            let role = if c.level <= 2 {
                Role::Title
            } else {
                Role::Plain
            };
            (format!("{indent}{}", c.title), role)
        },
    )
}

fn kernels(state: &State, size: (u16, u16), k: &Kernels, buf: &mut Buffer) -> Option<Position> {
    let s = state.strings;
    let at = format!("{}/{}", k.cursor.index + 1, k.list.len());
    let title = format!("{}  {at}  {}", s.kernels, s.kernels_hint);
    let area = layout::kernels(size, k.list.len());
    let inside = boxed::draw(buf, area, &title, &state.theme);
    let rows = k.list.iter().enumerate().skip(k.cursor.offset);
    for (i, (n, (f, kernel))) in rows.take(usize::from(inside.height)).enumerate() {
        let pair = state.source.file(*f).and_then(|f| f.kernels.get(*kernel));
        let text = pair.map_or_else(String::new, |k| source::kernel(s, k));
        let role = match pair.map_or("", |k| k.state.as_str()) {
            "changed" => Role::Warn,
            "new" => Role::Good,
            "gone" => Role::Bad,
            _ => Role::Plain,
        };
        let text = format!("  {}", assay_core::text::inert(&text));
        let text = state
            .theme
            .cut(&text, usize::from(inside.width))
            .into_owned();
        put(
            &state.theme,
            buf,
            inside,
            i,
            &Line::from(Span::styled(text, state.theme.style(role))),
        );
        if n == k.cursor.index {
            pane::select(state, buf, inside, i);
        }
    }
    None
}

fn confirm(
    state: &State,
    size: (u16, u16),
    kind: &ConfirmKind,
    buf: &mut Buffer,
) -> Option<Position> {
    let s = state.strings;
    let (title, text) = match kind {
        ConfirmKind::Quit(n) => (s.quit_jobs_title, fill(s.quit_jobs_text, &[&n.to_string()])),
        ConfirmKind::Commit(name) => (s.commit_title, fill(s.commit_text, &[&inert(name)])),
        ConfirmKind::CancelJob(_, title) => (s.cancel_job_title, fill(s.cancel_job_text, &[title])),
    };
    let keys = match kind {
        ConfirmKind::Quit(_) => s.quit_jobs_keys,
        _ => s.yes_enter,
    };
    let area = layout::centred(layout::areas(size).body, 60, 6);
    let inside = boxed::draw(buf, area, title, &state.theme);
    let mut row = 0;
    for l in wrap(&text, usize::from(inside.width)).into_iter().take(2) {
        put(&state.theme, buf, inside, row, &Line::raw(l));
        row += 1;
    }
    let last = usize::from(inside.height.saturating_sub(1));
    put(
        &state.theme,
        buf,
        inside,
        last.max(row),
        &Line::from(Span::styled(keys, state.theme.style(Role::Accent))),
    );
    None
}
