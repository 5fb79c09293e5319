//! One record of the ledger, and the text of what is stored beside it.

use assay_core::text::inert_block;
use assay_core::view::{RecordView, StoredFile};
use ratatui::text::Line;

use super::parts::Pen;
use crate::fmt;
use crate::strings::{fill, kind_word};
use crate::theme::Role;

/// Most lines: what is longer is read with the command line or where it lies.
const MOST: usize = 6000;

/// The record.
pub fn lines(pen: &Pen, v: &RecordView) -> Vec<Line<'static>> {
    let (s, r) = (pen.s, &v.record);
    let mut out = Vec::new();
    let variant = r.variant.as_deref().unwrap_or_default();
    let head = format!("{}  {variant}", kind_word(pen.lang, &r.kind));
    out.push(pen.line(head.trim_end(), Role::Title));
    pen.wrapped(&mut out, &pen.said(&r.summary), 0, Role::Plain);
    for line in longer(v) {
        pen.wrapped(&mut out, &pen.said(line), 2, Role::Plain);
    }
    let by = format!("{}  {} {}", fmt::minute(&r.at), s.by, r.by);
    pen.wrapped(&mut out, &by, 0, Role::Dim);
    if let Some(old) = &r.supersedes {
        let why = pen.said(v.reason.as_deref().unwrap_or_default());
        pen.wrapped(
            &mut out,
            &format!("{} {old}  {why}", s.corrects),
            0,
            Role::Warn,
        );
    }
    // Logs are what is looked for most, so they come before the many figures.
    v.files.iter().for_each(|f| file(pen, f, &mut out));
    pen.heading(&mut out, s.recorded);
    for line in v.outline() {
        let indent = line.len() - line.trim_start().len();
        pen.wrapped(
            &mut out,
            line.trim_start(),
            indent.min(pen.width / 3),
            Role::Plain,
        );
    }
    if out.len() > MOST {
        let more = out.len() - MOST;
        out.truncate(MOST);
        let text = fill(s.record_cut, &[&more.to_string(), &r.id]);
        pen.wrapped(&mut out, &text, 0, Role::Warn);
    }
    out
}

/// What a person wrote over several lines, of which the summary has the first.
fn longer(v: &RecordView) -> impl Iterator<Item = &str> {
    let words = ["reason", "text", "why"].into_iter();
    let mut texts = words.filter_map(|k| v.body.get(k)?.as_str());
    let text = texts.find(|t| t.trim().contains('\n')).unwrap_or_default();
    text.lines()
        .map(str::trim)
        .filter(|l| !l.is_empty())
        .skip(1)
}

fn file(pen: &Pen, f: &StoredFile, out: &mut Vec<Line<'static>>) {
    let s = pen.s;
    pen.heading(out, &fill(s.stored_file, &[&f.name, &f.bytes.to_string()]));
    let why = match &f.text {
        Some(text) if text.is_empty() => s.stored_empty,
        Some(text) => {
            for line in inert_block(text).lines() {
                if out.len() > MOST {
                    return;
                }
                pen.wrapped(out, &line.replace('\t', "    "), 2, Role::Plain);
            }
            return;
        }
        None if f.stored => s.stored_no_text,
        None => s.stored_elsewhere,
    };
    pen.wrapped(out, why, 2, Role::Dim);
}
