//! Copying: the name, the value, the row and the command line of what is at hand.

use assay_core::json::canonical;
use assay_core::text::inert;
use serde::Serialize;

use super::act::subject;
use super::say;
use crate::event::Effect;
use crate::fmt;
use crate::state::source::Row;
use crate::state::{Cursor, Layer, Pick, Picked, Screen, State};
use crate::strings::fill;

/// What can be copied here: what it is, and the text.
pub type Copies = Vec<(&'static str, String)>;

/// Opens the menu.
pub fn open(state: &mut State) {
    let count = copies(state).len();
    if count == 0 {
        return say(state, state.strings.nothing_to_copy.to_owned());
    }
    state.layers.push(Layer::Pick(Pick {
        what: Picked::Copy,
        count,
        cursor: Cursor::default(),
    }));
}

/// Copies an entry of the menu. News may have changed what is at hand meanwhile.
pub fn copy_at(state: &mut State, at: usize, out: &mut Vec<Effect>) {
    let text = copies(state).into_iter().nth(at).map(|(_, text)| text);
    copy(state, text.map(|t| (t.clone(), t)), out);
}

/// Copies the row at hand.
pub fn row(state: &mut State, out: &mut Vec<Effect>) {
    copy(state, row_tsv(state).map(|t| (t.clone(), t)), out);
}

/// The menu for what is at hand.
pub fn copies(state: &State) -> Copies {
    let s = state.strings;
    let mut all = match state.screen {
        Screen::Variants => of_variant(state),
        Screen::Compare => of_pair(state),
        Screen::Source => of_line(state),
        Screen::Jobs => of_job(state),
        Screen::History => of_record(state),
        Screen::Workloads => of_cell(state),
        Screen::Profile => of_counter(state),
        Screen::Report => of_report(state),
    };
    // Below everything else, the name of the variant that the screen is about.
    let known = |n: &String| all.iter().any(|(_, text)| text == n);
    if let Some(name) = subject(state).filter(|n| !known(n)) {
        all.push((s.copy_variant, name));
    }
    all.retain(|(_, text)| !text.is_empty());
    all
}

fn of_variant(state: &State) -> Copies {
    let s = state.strings;
    let Some(v) = state.variants.current() else {
        return Vec::new();
    };
    let interval = v.interval.map_or_else(String::new, fmt::interval);
    let figure = match (v.ratio, interval.is_empty()) {
        (Some(r), false) => format!("{} [{interval}]", fmt::ratio(r)),
        (Some(r), true) => fmt::ratio(r),
        (None, _) => String::new(),
    };
    vec![
        (s.copy_name, v.name.clone()),
        (s.copy_value, figure),
        (s.copy_id, v.id.clone()),
        (s.copy_commit, v.commit.clone().unwrap_or_default()),
        (s.copy_row, row_tsv(state).unwrap_or_default()),
        (s.copy_json, json(v)),
        (s.copy_command, command(&["show", &v.name])),
    ]
}

fn of_pair(state: &State) -> Copies {
    let (c, s) = (&state.compare, state.strings);
    let names: Vec<&str> = c.pair.iter().map(String::as_str).collect();
    if names.is_empty() {
        return Vec::new();
    }
    let view = c.slot.value.as_ref();
    let verdict = view.and_then(|v| v.verdict.as_ref());
    let figure = verdict.map_or_else(String::new, |v| {
        let ratio = v.ratio.map_or_else(String::new, fmt::ratio);
        let interval = v
            .interval
            .map_or_else(String::new, |i| format!(" [{}]", fmt::interval(i)));
        format!("{} {ratio}{interval}", v.verdict)
    });
    let run: Vec<&str> = std::iter::once("compare")
        .chain(names.iter().copied())
        .collect();
    vec![
        (s.copy_name, names.last().map_or("", |n| n).to_owned()),
        (s.copy_value, figure),
        (s.copy_json, verdict.map_or_else(String::new, json)),
        (s.copy_command, command(&run)),
    ]
}

fn of_line(state: &State) -> Copies {
    let (src, s) = (&state.source, state.strings);
    let Some(key) = &src.key else {
        return Vec::new();
    };
    let mut all = Vec::new();
    if let (Some(diff), Some(Row::Line(f, r))) = (&src.slot.value, src.rows.get(src.cursor.index))
        && let (Some(lines), Some(head), Some(layout)) = (
            diff.files.get(*f),
            diff.view.files.get(*f),
            src.layouts.get(*f),
        )
        && let Some(row) = lines.window(head, layout, *r..*r + 1).pop()
        && let Some(cell) = row.right.as_ref().or(row.left.as_ref())
    {
        let side = if row.right.is_some() {
            &head.b
        } else {
            &head.a
        };
        let path = side.as_deref().unwrap_or_default();
        all.push((s.copy_path, format!("{path}:{}", cell.number)));
        all.push((
            s.copy_row,
            cell.spans.iter().map(|s| s.text.as_str()).collect(),
        ));
    } else if let Some(Row::File(f)) = src.rows.get(src.cursor.index)
        && let Some(head) = src.file(*f)
    {
        let path = head.b.as_ref().or(head.a.as_ref());
        all.push((s.copy_path, path.cloned().unwrap_or_default()));
    }
    let mut run = vec!["diff", &key.a, &key.b];
    run.extend(key.generated.then_some("--generated"));
    run.extend((!key.normalised).then_some("--raw"));
    all.push((s.copy_command, command(&run)));
    all
}

fn of_job(state: &State) -> Copies {
    let s = state.strings;
    let Some(job) = state.jobs.current() else {
        return Vec::new();
    };
    let end = job.view.result.clone().unwrap_or_default();
    let names = job.view.names.iter().map(String::as_str);
    let run: Vec<&str> = std::iter::once("run").chain(names).collect();
    let log: Vec<&str> = state.jobs.log.lines.iter().map(String::as_str).collect();
    vec![
        (s.copy_name, job.view.title.clone()),
        (s.copy_id, job.view.id.clone()),
        (s.copy_value, end),
        (s.copy_line, log.last().map_or("", |l| l).to_owned()),
        (s.copy_log, log.join("\n")),
        (s.copy_path, job.view.folder.clone()),
        (s.copy_command, command(&run)),
    ]
}

fn of_record(state: &State) -> Copies {
    let (h, s) = (&state.history, state.strings);
    let log = h.slot.value.as_ref();
    let Some((log, r)) = log.and_then(|l| Some((l, l.records.get(h.cursor.index)?))) else {
        return Vec::new();
    };
    let variant = r.variant.clone().unwrap_or_default();
    let summary = log.summary(h.cursor.index);
    let cells = [&r.id, &r.at, &r.kind, &variant, summary, &r.by].map(field);
    vec![
        (s.copy_name, variant.clone()),
        (s.copy_id, r.id.clone()),
        (s.copy_value, summary.to_owned()),
        (s.copy_row, cells.join("\t")),
        (s.copy_json, json(r)),
    ]
}

fn of_cell(state: &State) -> Copies {
    let (w, s) = (&state.workloads, state.strings);
    let Some(row) = w.current() else {
        return Vec::new();
    };
    let cell = w.cell(row, w.column.index);
    let value = cell
        .and_then(|c| c.ratio)
        .map_or_else(String::new, fmt::ratio);
    vec![
        (s.copy_name, row.name.clone()),
        (s.copy_value, value),
        (s.workload, w.workload().unwrap_or_default().to_owned()),
        (s.copy_row, row_tsv(state).unwrap_or_default()),
        (s.copy_json, cell.map_or_else(String::new, json)),
        (
            s.copy_command,
            command(&["compare", &row.against, &row.name]),
        ),
    ]
}

fn of_counter(state: &State) -> Copies {
    let (p, s) = (&state.profile, state.strings);
    let Some(c) = p.counter(p.cursor.index) else {
        return Vec::new();
    };
    let value = c.cells.last().map_or_else(String::new, exact);
    let name = subject(state).unwrap_or_default();
    vec![
        (s.copy_name, c.name.clone()),
        (s.copy_value, value),
        (s.copy_row, row_tsv(state).unwrap_or_default()),
        (s.copy_json, json(c)),
        (s.copy_command, command(&["show", &name])),
    ]
}

fn of_report(state: &State) -> Copies {
    let (r, s) = (&state.report, state.strings);
    let Some(written) = &r.slot.value else {
        return Vec::new();
    };
    let at = r.find.row().unwrap_or(r.scroll);
    let row = r.page.rows.get(at).map(|row| row.text());
    let chapter = r.chapter().and_then(|c| r.page.chapters.get(c));
    vec![
        (
            s.copy_name,
            chapter.map_or_else(String::new, |c| c.title.clone()),
        ),
        (s.copy_row, row.unwrap_or_default().trim().to_owned()),
        (s.copy_path, written.folder.clone()),
        (s.copy_command, command(&["report"])),
    ]
}

/// A command line that a shell takes apart into the same words.
fn command(words: &[&str]) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-/+:@%".contains(c);
    let quoted = words.iter().map(|w| {
        let w = inert(w);
        match !w.is_empty() && w.chars().all(plain) {
            true => w.into_owned(),
            false => format!("'{}'", w.replace('\'', "'\\''")),
        }
    });
    format!("assay {}", quoted.collect::<Vec<_>>().join(" "))
}

fn json(value: &impl Serialize) -> String {
    canonical(value).unwrap_or_default()
}

/// A cell of a table of tabs: exact but for what parts cells and rows.
fn field(text: &str) -> String {
    text.replace(['\t', '\n', '\r'], " ")
}

/// A value with all its digits.
pub(super) fn exact(c: &assay_core::view::CellView) -> String {
    (c.value.as_ref()).map_or_else(|| c.raw.clone(), ToString::to_string)
}

/// Terminals drop longer clipboard sequences.
const CLIPBOARD_BYTES: usize = 74_000;

/// Sends a text to the clipboard, and says what was sent.
pub fn copy(state: &mut State, text: Option<(String, String)>, out: &mut Vec<Effect>) {
    let s = state.strings;
    match text {
        None => say(state, s.nothing_to_copy.to_owned()),
        Some((t, _)) if t.len() > CLIPBOARD_BYTES => {
            say(state, fill(s.copy_too_long, &[&t.len().to_string()]))
        }
        Some((t, said)) => {
            say(state, fill(s.copied, &[&said]));
            out.push(Effect::Copy(t));
        }
    }
}

/// The selected row for a spreadsheet; the text is pasted, so it stays exact but for separators.
fn row_tsv(state: &State) -> Option<String> {
    match state.screen {
        Screen::Workloads => return cell_tsv(state),
        Screen::Profile => return counter_tsv(state),
        _ => {}
    }
    let v = state.variants.current()?;
    let number = |x: Option<f64>| x.map_or_else(String::new, |x| x.to_string());
    let median = state.variants.median_ns(v);
    let cells = [
        v.name.clone(),
        v.status.clone(),
        v.verdict.clone().unwrap_or_default(),
        number(v.ratio),
        number(v.interval.map(|i| i[0])),
        number(v.interval.map(|i| i[1])),
        number(median),
        v.commit.clone().unwrap_or_default(),
    ];
    Some(cells.map(|c| field(&c)).join("\t"))
}

/// The cell at hand for a spreadsheet: variant, reference, workload, ratio, interval, medians in
/// nanoseconds.
fn cell_tsv(state: &State) -> Option<String> {
    let w = &state.workloads;
    let row = w.current()?;
    let cell = w.cell(row, w.column.index)?;
    let number = |x: Option<f64>| x.map_or_else(String::new, |x| x.to_string());
    let cells = [
        row.name.clone(),
        row.against.clone(),
        cell.workload.clone(),
        number(cell.ratio),
        number(cell.interval.map(|i| i[0])),
        number(cell.interval.map(|i| i[1])),
        number(cell.a_median_ns),
        number(cell.b_median_ns),
    ];
    Some(cells.map(|c| field(&c)).join("\t"))
}

/// The counter at hand for a spreadsheet: section, name, values in the order of the columns, unit,
/// change in percent.
fn counter_tsv(state: &State) -> Option<String> {
    let row = state.profile.counter(state.profile.cursor.index)?;
    let mut cells = vec![row.section.clone(), row.name.clone()];
    cells.extend(row.cells.iter().map(exact));
    cells.push(row.unit.clone());
    let percent = row
        .changes
        .iter()
        .flatten()
        .next_back()
        .and_then(|c| c.percent);
    cells.push(percent.map_or_else(String::new, |p| p.to_string()));
    let plain = cells.iter().map(|c| field(c));
    Some(plain.collect::<Vec<_>>().join("\t"))
}
