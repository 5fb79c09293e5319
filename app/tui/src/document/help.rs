//! The help: every binding that is live on the screen below.

use ratatui::text::Line;

use super::parts::{Pen, wrap};
use crate::action::{ACTIONS, Context};
use crate::filter::FIELDS;
use crate::keymap::Keymap;
use crate::options::Lang;
use crate::theme::Role;
use crate::view::{DOUBTED, LATER_FAILURE, OVERRIDDEN, PUBLISHED, STALE};

/// Bindings, those of the screen first; without those that change something where nothing can be
/// changed.
pub fn lines(pen: &Pen, keys: &Keymap, screen: Context, read_only: bool) -> Vec<Line<'static>> {
    let mut out = Vec::new();
    for context in [screen, Context::Any, Context::Layer] {
        pen.heading(&mut out, context.title(pen.lang));
        let live = ACTIONS.iter().filter(|a| a.contexts.contains(&context));
        for a in live.filter(|a| !(read_only && a.action.changes())) {
            let keys = keys.labels(a.action);
            let text = format!(
                "  {} {}",
                pen.theme.left(&keys.join(" "), 18),
                a.title(pen.lang)
            );
            out.push(pen.line(&text, Role::Plain));
        }
        match context {
            Context::Variants => {
                marks(pen, &mut out);
                fields(pen, &mut out);
            }
            Context::Workloads => heat(pen, &mut out),
            Context::Profile => counters(pen, &mut out),
            Context::History => published(pen, &mut out),
            _ => {}
        }
    }
    out
}

/// A mark and what it means, over as many rows as it takes.
fn meaning(pen: &Pen, out: &mut Vec<Line<'static>>, mark: &str, text: &str) {
    for (i, l) in wrap(text, pen.width.saturating_sub(21)).iter().enumerate() {
        let mark = if i == 0 { mark } else { "" };
        let line = format!("  {} {l}", pen.theme.left(mark, 18));
        out.push(pen.line(&line, Role::Plain));
    }
}

/// What the marks of the table mean.
fn marks(pen: &Pen, out: &mut Vec<Line<'static>>) {
    let (s, t) = (pen.s, &pen.theme);
    pen.heading(out, s.marks);
    for (mark, text) in [
        (t.champion(), s.mark_champion),
        (t.marker(), s.mark_selected),
        (t.mark(), s.mark_marked),
        ("!", s.mark_gate),
        (OVERRIDDEN, s.mark_overridden),
        (LATER_FAILURE, s.mark_later_failure),
        (STALE, s.mark_stale),
        ("2+", s.mark_depth),
        (PUBLISHED, s.mark_published),
        (DOUBTED, s.mark_doubted),
        (s.col_median, s.sessions),
    ] {
        meaning(pen, out, mark, text);
    }
}

/// What the filter can ask for.
fn fields(pen: &Pen, out: &mut Vec<Line<'static>>) {
    pen.heading(out, pen.s.filter_fields);
    for f in FIELDS {
        let what = match pen.lang {
            Lang::En => f.en,
            Lang::Zh => f.zh,
        };
        let line = format!("  {} {what}", pen.theme.left(f.example, 18));
        out.push(pen.line(&line, Role::Plain));
    }
}

/// What the marks of counters mean.
fn counters(pen: &Pen, out: &mut Vec<Line<'static>>) {
    let (s, t) = (pen.s, &pen.theme);
    pen.heading(out, s.marks);
    for (mark, text) in [(t.mark(), s.mark_used), ("?", s.mark_suspect)] {
        meaning(pen, out, mark, text);
    }
}

/// What the signs of the heat map mean.
fn heat(pen: &Pen, out: &mut Vec<Line<'static>>) {
    let (s, t) = (pen.s, &pen.theme);
    pen.heading(out, s.marks);
    for (mark, text) in [
        (t.less(), s.mark_faster),
        (t.more(), s.mark_slower),
        ("~", s.mark_noise),
        ("!", s.mark_guard),
        (PUBLISHED, s.mark_published),
        (t.champion(), s.mark_champion),
    ] {
        meaning(pen, out, mark, text);
    }
}

/// The mark of published figures, where it is the only one.
fn published(pen: &Pen, out: &mut Vec<Line<'static>>) {
    pen.heading(out, pen.s.marks);
    meaning(pen, out, PUBLISHED, pen.s.mark_published);
    meaning(pen, out, pen.s.col_median, pen.s.sessions);
}
