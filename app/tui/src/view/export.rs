//! The form of an export: a folder, and what is written into it.
//!
//! ```text
//! +- Export the report (en) ------------------------------+
//! | folder: /home/ann/.local/state/assay/reports/gemm     |
//! |                                                       |
//! | [x] md      Markdown                                  |
//! | [ ] html    one page with its pictures                |
//! ```

use assay_core::text::{inert_block, width};
use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::text::{Line, Span};

use super::pane::{self, put};
use crate::document::parts::wrap;
use crate::layout;
use crate::options::Lang;
use crate::state::{ExportForm, Form, State};
use crate::strings::{Strings, fill};
use crate::theme::Role;
use crate::widget::boxed;

/// Draws the form; returns the cursor while the folder is typed.
pub fn draw(state: &State, size: (u16, u16), e: &ExportForm, buf: &mut Buffer) -> Option<Position> {
    let (t, s) = (&state.theme, state.strings);
    let lang = match e.lang {
        Lang::En => "en",
        Lang::Zh => "zh",
    };
    // The folder stands right above what is said of it.
    let (note, role) = match e.fault.as_ref().or(e.problem.as_ref()) {
        Some(p) => (inert_block(p).into_owned(), Role::Bad),
        None if e.saving => (s.saving.to_owned(), Role::Accent),
        None => (s.export_hint.to_owned(), Role::Dim),
    };
    let (area, columns) = layout::export(size);
    let notes: Vec<String> = note.lines().flat_map(|l| wrap(l, columns)).collect();
    let wanted = (e.chosen.len() + notes.len() + 5).min(usize::from(u16::MAX)) as u16;
    let area = layout::centred(area, area.width, wanted);
    let inside = boxed::draw(buf, area, &fill(s.export_title, &[lang]), t);
    let columns = usize::from(inside.width);
    let height = usize::from(inside.height);
    // The notes come first where rows are short, then the row at hand.
    let below = notes.len().min(height.saturating_sub(1));
    let first = (e.focus + 1 + below).saturating_sub(height).min(e.focus);
    let mut cursor = None;
    let rows = (first..=e.chosen.len()).take(height - below);
    for (i, at) in rows.enumerate() {
        if at == 0 {
            let name = format!("{}: ", s.export_folder);
            let name = t.cut(&name, columns / 2).into_owned();
            let (text, x) = e
                .folder
                .window(columns.saturating_sub(width(&name)), t.gap());
            let style = t.style(if e.focus == 0 { Role::Title } else { Role::Dim });
            let x = inside.x.saturating_add((width(&name) + x) as u16);
            if e.focus == 0 && inside.height > 0 {
                cursor = Some(Position {
                    x: x.min(inside.right().saturating_sub(1)),
                    y: inside.y + i as u16,
                });
            }
            let line = Line::from(vec![Span::styled(name, style), Span::raw(text)]);
            put(&state.theme, buf, inside, i, &line);
            continue;
        }
        let mark = if e.chosen[at - 1] { "x" } else { " " };
        let text = format!(" [{mark}] {}", name(s, Form::ALL[at - 1]));
        put(
            &state.theme,
            buf,
            inside,
            i,
            &Line::raw(t.cut(&text, columns).into_owned()),
        );
        if at == e.focus {
            pane::select(state, buf, inside, i);
        }
    }
    for (i, l) in notes.iter().take(below).enumerate() {
        let line = Line::from(Span::styled(t.cut(l, columns).into_owned(), t.style(role)));
        put(&state.theme, buf, inside, height - below + i, &line);
    }
    cursor
}

fn name(s: &Strings, form: Form) -> &'static str {
    match form {
        Form::Markdown => s.form_md,
        Form::Html => s.form_html,
        Form::Csv => s.form_csv,
        Form::Json => s.form_json,
        Form::PullRequest => s.form_pr,
        Form::Bundle => s.form_bundle,
    }
}
