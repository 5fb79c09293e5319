//! What speaks against the claim, found in the model itself.

use assay_core::view::{ShowView, VariantRow};

use crate::ReportModel;
use crate::check::differing_keys;
use crate::doc::{Doc, Line};
use crate::figure::percent;
use crate::model::was_accepted;
use crate::said::said;
use crate::strings::{Lang, Strings, fill, names};

/// Names listed in one threat.
const LIMIT: usize = 12;

pub(super) fn write(m: &ReportModel, s: &Strings, out: &mut Doc) {
    out.heading(2, s.threats);
    let mut threats = machine(m, s);
    threats.append(&mut verdicts(m, s, out.lang));
    threats.append(&mut evidence(m, s));
    out.list(threats);
}

fn machine(m: &ReportModel, s: &Strings) -> Vec<Line> {
    let mut out = Vec::new();
    match &m.list.device {
        _ if m.devices.len() > 1 => {
            out.push(fill(s.t_several, &[Line::outside(m.devices.join(", "))]))
        }
        Some(device) => out.push(fill(s.t_single, &[Line::outside(device)])),
        None if m.is_published() => {}
        None => out.push(s.t_device_unknown.into()),
    }
    match (m.protocol.noise_floor, m.protocol.delta) {
        (None, _) => out.push(s.t_noise.into()),
        (Some(floor), Some(delta)) if floor > delta => out.push(fill(
            s.t_noise_above,
            &[
                Line::own(percent(Some(floor))),
                Line::own(percent(Some(delta))),
            ],
        )),
        _ => {}
    }
    let differing = differing_keys(&m.shows);
    if !differing.is_empty() {
        out.push(fill(s.t_environments, &[names(differing, LIMIT)]));
    }
    out
}

fn verdicts(m: &ReportModel, s: &Strings, lang: Lang) -> Vec<Line> {
    let rows = &m.list.variants;
    let mut out = Vec::new();
    for (word, template) in [("UNDECIDED", s.t_undecided), ("INVALID", s.t_invalid)] {
        let found = select(rows, |v| v.verdict.as_deref() == Some(word));
        if !found.is_empty() {
            let count = Line::count(found.len());
            out.push(fill(template, &[count, names(found, LIMIT)]));
        }
    }
    if rows.len() > 1 {
        out.push(fill(s.t_tries, &[Line::count(rows.len())]));
    }
    let only = select(rows, |v| v.verdict.is_none() && v.screened.is_some());
    if !only.is_empty() {
        out.push(fill(
            s.t_screened,
            &[Line::count(only.len()), names(only, LIMIT)],
        ));
    }
    if !m.list.contested.is_empty() {
        out.push(s.t_contested.into());
    }
    let is_calibrated = m.protocol.noise_floor.is_some();
    // What stands beside several verdicts, and differs in its figures at most, is said once.
    let mut warnings: Vec<Repeated> = Vec::new();
    for show in m.shows.iter().filter(|v| was_accepted(&v.variant)) {
        let Some(v) = &show.verdict else { continue };
        let name = Line::outside(&show.variant.name);
        let broken: Vec<&str> = v
            .workloads
            .iter()
            .filter(|w| w.guard_broken)
            .map(|w| w.workload.as_str())
            .collect();
        if !broken.is_empty() {
            out.push(fill(s.t_guard, &[name.clone(), names(broken, LIMIT)]));
        }
        for w in &v.warnings {
            let kind = kind_of(w);
            match warnings.iter_mut().find(|r| r.kind == kind) {
                Some(r) => r.add(&show.variant.name),
                None => warnings.push(Repeated {
                    kind,
                    text: w,
                    of: vec![&show.variant.name],
                    more: 0,
                }),
            }
        }
    }
    out.extend(warnings.into_iter().map(|r| {
        // The machine was calibrated since: what the verdict says is of its own time.
        let mut text = said(lang, r.text);
        if is_calibrated && r.text.starts_with(UNCALIBRATED) {
            text = fill(s.t_at_the_time, &[text]);
        }
        let values = [names(r.of, LIMIT), text, Line::count(r.more)];
        match r.more {
            0 => fill(s.t_warning, &values[..2]),
            _ => fill(s.t_warnings, &values),
        }
    }));
    out
}

/// How the remark of a verdict begins that was measured before any calibration.
const UNCALIBRATED: &str = "no A/A calibration";

/// A warning that stands beside several verdicts.
struct Repeated<'m> {
    kind: String,
    /// The first of its kind.
    text: &'m str,
    of: Vec<&'m str>,
    /// Further ones of the kind.
    more: usize,
}

impl<'m> Repeated<'m> {
    fn add(&mut self, name: &'m str) {
        self.more += 1;
        if !self.of.contains(&name) {
            self.of.push(name);
        }
    }
}

/// What a warning has in common with others of its kind: its words without figures, and without the
/// list that follows a whole sentence.
fn kind_of(text: &str) -> String {
    let head = text.split_once(": ").map(|(head, _)| head);
    let text = match head {
        Some(head) if head.split_whitespace().count() >= 4 => head,
        _ => text,
    };
    let mut out = String::new();
    for c in text.chars() {
        let c = match c.is_ascii_digit() {
            true => '#',
            false => c,
        };
        if c != '#' || !out.ends_with('#') {
            out.push(c);
        }
    }
    out.replace("#.#", "#")
}

fn evidence(m: &ReportModel, s: &Strings) -> Vec<Line> {
    let rows = &m.list.variants;
    let mut out = Vec::new();
    let mut add = |template: &'static str, found: Vec<&str>| {
        if !found.is_empty() {
            out.push(fill(template, &[names(found, LIMIT)]));
        }
    };
    add(
        s.t_overrides,
        select(rows, |v| v.gates.iter().any(|g| g.overridden.is_some())),
    );
    add(
        s.t_exploit,
        select(rows, |v| {
            v.failure
                .as_ref()
                .is_some_and(|f| f.kind == "exploit_suspected")
        }),
    );
    let shows = |keep: &dyn Fn(&ShowView) -> bool| -> Vec<&str> {
        m.shows
            .iter()
            .filter(|v| keep(v))
            .map(|v| v.variant.name.as_str())
            .collect()
    };
    add(s.t_stale, shows(&|v| v.stale && was_accepted(&v.variant)));
    let tool = |v: &ShowView, name: &str| {
        v.counter_tool
            .as_deref()
            .is_some_and(|t| t.starts_with(name))
    };
    add(s.t_static, shows(&|v| tool(v, "static")));
    add(s.t_simulated, shows(&|v| tool(v, "cachegrind")));
    if m.list.unreadable > 0 {
        out.push(fill(s.t_unreadable, &[Line::count(m.list.unreadable)]));
    }
    out
}

fn select(rows: &[VariantRow], keep: impl Fn(&VariantRow) -> bool) -> Vec<&str> {
    rows.iter()
        .filter(|v| keep(v))
        .map(|v| v.name.as_str())
        .collect()
}
