//! After every event: selections inside their lists, documents built, details asked for.

use super::{State, against, open};
use crate::document::Doc;
use crate::document::parts::Pen;
use crate::document::{compare, detail, help, parts, record, write_up};
use crate::event::{Effect, Load};
use crate::layout;
use crate::state::curve::points;
use crate::state::{Layer, Picked, Screen};
use crate::theme::Role;

/// Makes the state fit itself and the size of the terminal.
pub fn settle(state: &mut State, out: &mut Vec<Effect>) {
    if layout::too_small(state.size) {
        return;
    }
    let body = layout::areas(state.size).body;
    let inside = usize::from(layout::inside(body).height);
    match state.screen {
        Screen::Variants => variants(state, out),
        Screen::Compare => {
            let pen = pen(state, body.width);
            let c = &mut state.compare;
            if let Some(view) = &c.slot.value {
                let subject = c.pair.join("\n");
                c.doc.build(&subject, c.slot.generation, body.width, || {
                    compare::lines(&pen, view)
                });
            }
            if c.slot.value.is_some()
                && let Some(wanted) = c.wanted.take()
            {
                let at = c.doc.lines.iter().position(|l| l.to_string() == wanted);
                c.doc.scroll = at.unwrap_or(c.doc.scroll);
            }
            c.doc.settle(inside);
        }
        Screen::Source => {
            // One column is the mark of the row at hand.
            let pen = pen(state, body.width.saturating_sub(1));
            state.source.arrange(&pen, body.width);
            let rows = layout::source(body, state.source.strip.len()).1;
            state.source.settle(usize::from(rows.height));
        }
        Screen::Jobs => {
            let count = state.jobs.list.len();
            let (list, log) = layout::jobs(body, count);
            let height = usize::from(layout::table_rows(list).height);
            state.jobs.cursor.settle(count, height);
            if let Some((id, from)) = state.jobs.wanted() {
                out.push(Effect::Load(Load::JobLog(id, from)));
            }
            let log = layout::inside(log);
            let (rows, columns) = (usize::from(log.height), usize::from(log.width));
            state.jobs.settle_log(rows, columns);
        }
        Screen::History => {
            let len = state
                .history
                .slot
                .value
                .as_ref()
                .map_or(0, |v| v.records.len());
            curve(state);
            let list = layout::history(body, state.history.curve.len()).0;
            let height = usize::from(layout::inside(list).height);
            state.history.cursor.settle(len, height);
        }
        Screen::Workloads => workloads(state, out),
        Screen::Profile => profile(state, out),
        Screen::Report => {
            // One column is the mark of what was searched for.
            let pen = pen(state, body.width.saturating_sub(1));
            let r = &mut state.report;
            let lang = state.options.lang;
            r.build(body.width, lang, |r| write_up::page(&pen, r));
            r.settle(inside);
        }
    }
    layers(state);
    if let Some(text) = state.searched_mut() {
        text.look_again();
    }
}

/// Makes the curve anew after the list or the median that is shown has changed.
fn curve(state: &mut State) {
    let v = &state.variants;
    let key = Some((v.list.generation, v.median));
    if let Some(list) = &v.list.value
        && state.history.curve_of != key
    {
        state.history.curve = points(list, |row| v.median_ns(row));
        state.history.curve_of = key;
    }
}

/// What a document builder needs for a width.
fn pen(state: &State, width: u16) -> Pen {
    Pen {
        theme: state.theme,
        s: state.strings,
        lang: state.options.lang,
        width: usize::from(width),
    }
}

/// Counters and findings are those of the variant at hand.
fn profile(state: &mut State, out: &mut Vec<Effect>) {
    let body = layout::areas(state.size).body;
    let areas = layout::profile(body, state.profile.side);
    if let Some(name) = state.variants.current().map(|v| v.name.clone()) {
        open::profile_of(state, &name, None, out);
    } else if state.variants.list.value.is_some() {
        state.profile.forget_all();
    }
    if let Some(table) = areas.table {
        let list = layout::counters(table).0;
        let height = usize::from(layout::table_rows(list).height);
        let p = &mut state.profile;
        p.cursor.settle(p.rows.len(), height);
    }
    let Some(side) = areas.side else { return };
    let inside = layout::inside(layout::columns(side, 1).1);
    let pen = pen(state, inside.width);
    let p = &mut state.profile;
    let key = p.key.clone().unwrap_or_default();
    let subject = format!("{}\n{}", key.variant, key.workload.unwrap_or_default());
    let (view, found) = (p.slot.value.clone(), &p.findings);
    let mut stops = None;
    p.doc.build(&subject, p.generation, inside.width, || {
        let (lines, at) = crate::document::profile::lines(&pen, view.as_deref(), found);
        stops = Some(at);
        lines
    });
    if let Some(stops) = stops {
        p.stops = stops.into_iter().map(|line| p.doc.row_of(line)).collect();
        if let Some(line) = p.finding.and_then(|f| p.stops.get(f)) {
            p.doc.scroll = *line;
        }
    }
    p.doc.settle(usize::from(inside.height));
}

/// The row at hand is the variant at hand everywhere; its samples are read when it is looked at.
fn workloads(state: &mut State, out: &mut Vec<Effect>) {
    let body = layout::areas(state.size).body;
    let (map, area) = layout::workloads(body);
    let pen = pen(state, area.width);
    let w = &mut state.workloads;
    let frame = w.frame(map.width);
    let height = usize::from(layout::table_rows(map).height);
    w.row.settle(w.rows.len(), height);
    w.column.settle(w.columns.len(), frame.visible);
    w.remember();
    let Some(row) = w.current() else {
        w.detail = Doc::default();
        return;
    };
    let pair = [row.against.clone(), row.name.clone()];
    if area.height > 0 && !row.is_published() && w.asked.as_ref() != Some(&pair) {
        w.samples.clear();
        w.samples.loading = true;
        w.asked = Some(pair.clone());
        w.generation += 1;
        out.push(Effect::Load(Load::Samples(pair.clone())));
    }
    let workload = w.workload().unwrap_or_default().to_owned();
    let mut doc = std::mem::take(&mut w.detail);
    let Some(row) = w.current() else { return };
    let samples = match (&w.samples.value, &w.samples.error) {
        _ if w.asked.as_ref() != Some(&pair) => Ok(&[][..]),
        (_, Some(e)) => Err(e.as_str()),
        (Some(sets), _) => Ok(sets.as_slice()),
        (None, None) => Err(pen.s.loading),
    };
    let subject = format!("{}\n{workload}", pair.join("\n"));
    doc.build(&subject, w.generation, area.width, || {
        let cell = w.cell(row, w.column.index);
        crate::document::cell::lines(&pen, row, &workload, cell, samples)
    });
    doc.settle(usize::from(layout::inside(area).height));
    w.detail = doc;
    let name = pair[1].as_str();
    let chosen = std::mem::replace(&mut state.chosen, false);
    if chosen && state.variants.current().is_none_or(|v| v.name != name) {
        state.variants.select(name);
    }
}

fn variants(state: &mut State, out: &mut Vec<Effect>) {
    let body = layout::areas(state.size).body;
    let areas = layout::variants(body, state.variants.detail_full, state.variants.rows.len());
    let height = areas
        .table
        .map_or(1, |t| usize::from(layout::table_rows(t).height));
    let v = &mut state.variants;
    v.cursor.settle(v.rows.len(), height);
    let Some(name) = v.current().map(|r| r.name.clone()) else {
        // What is no longer in the table is not beside it either.
        v.detail = Doc::default();
        v.detail_full &= v.list.value.is_none();
        return;
    };
    v.selected = Some(name.clone());
    let Some(area) = areas.detail else { return };
    let failed = v.show_error.as_ref().is_some_and(|(n, _)| *n == name);
    let wanted = (!v.shows.contains_key(&name) || v.stale) && !failed;
    if wanted && v.asked.as_deref() != Some(name.as_str()) {
        v.asked = Some(name.clone());
        out.push(Effect::Load(Load::Show(name.clone())));
    }
    detail(
        state,
        &name,
        area.width.saturating_sub(2),
        usize::from(layout::inside(area).height),
    );
}

fn detail(state: &mut State, name: &str, width: u16, height: usize) {
    let pen = pen(state, width);
    let mut doc = std::mem::take(&mut state.variants.detail);
    let v = &state.variants;
    let Some(row) = v.current() else { return };
    let show = v.shows.get(name);
    let champion = v.champion() == Some(name);
    let error = v
        .show_error
        .as_ref()
        .filter(|(n, _)| n == name)
        .map(|(_, e)| e);
    doc.build(name, v.generation, width, || {
        let mut lines = detail::lines(&pen, row, show.map(AsRef::as_ref), champion);
        if let Some(e) = error {
            pen.heading(&mut lines, pen.s.error);
            for l in e.lines() {
                pen.wrapped(&mut lines, &pen.said(l), 2, Role::Bad);
            }
        }
        lines
    });
    doc.settle(height);
    state.variants.detail = doc;
}

fn layers(state: &mut State) {
    let (size, read_only) = (state.size, state.read_only);
    if let Some(Layer::Pick(p)) = state.layers.last()
        && p.what == Picked::Against
    {
        // Baselines may have come meanwhile.
        let count = against::names(state).len();
        if let Some(Layer::Pick(p)) = state.layers.last_mut() {
            p.count = count;
        }
    }
    let context = state.below();
    let (help_box, message_box) = (layout::help(size), layout::message(size, 0));
    let help_pen = pen(state, help_box.width.saturating_sub(4));
    let message_pen = pen(state, message_box.width.saturating_sub(4));
    let record_box = layout::record(size);
    let record_pen = pen(state, record_box.width.saturating_sub(4));
    let keys = &state.options.keys;
    for layer in &mut state.layers {
        match layer {
            Layer::Help(doc) => {
                let width = help_pen.width as u16;
                doc.build(context.title(help_pen.lang), 0, width, || {
                    help::lines(&help_pen, keys, context, read_only)
                });
                doc.settle(usize::from(help_box.height.saturating_sub(2)));
            }
            Layer::Message { text, doc, .. } => {
                let width = message_pen.width as u16;
                doc.build(text, 0, width, || {
                    let mut lines = Vec::new();
                    for l in assay_core::text::inert_block(text).lines() {
                        for part in parts::wrap(&l.replace('\t', "    "), message_pen.width) {
                            lines.push(message_pen.line(&part, Role::Plain));
                        }
                    }
                    lines
                });
                let area = layout::message(size, doc.lines.len());
                doc.settle(usize::from(area.height.saturating_sub(2)));
            }
            Layer::Evidence(e) => {
                let area = layout::kernels(size, e.count());
                let count = e.count();
                e.cursor
                    .settle(count, usize::from(area.height.saturating_sub(2)));
            }
            Layer::Record(r) => {
                if let Some(view) = &r.slot.value {
                    r.doc
                        .build(&r.id, r.slot.generation, record_pen.width as u16, || {
                            record::lines(&record_pen, view)
                        });
                }
                r.doc
                    .settle(usize::from(record_box.height.saturating_sub(2)));
            }
            Layer::Kernels(k) => {
                let area = layout::kernels(size, k.list.len());
                let height = usize::from(area.height.saturating_sub(2));
                k.cursor.settle(k.list.len(), height);
            }
            Layer::Pick(p) => {
                let area = layout::kernels(size, p.count);
                let height = usize::from(area.height.saturating_sub(2));
                p.cursor.settle(p.count, height);
            }
            Layer::Palette(p) => p.cursor.settle(p.hits.len(), layout::palette_rows(size)),
            _ => {}
        }
    }
}
