//! `assay log`: what was recorded, newest first.

use crate::record::{
    Body, CLAIMED_TIME, Calibration, Canary, CanaryOutcome, Control, Fate, Profile, Readings,
    Record, Screening, SourceCheck,
};
use crate::text::{count, inert};
use crate::units::{format_ns, format_percent};
use crate::view::{LogRow, LogView};

use super::State;

/// The log, newest first; `variant` narrows it to one, `limit` to the newest.
pub fn log_view(state: &State, variant: Option<&str>, limit: Option<usize>) -> LogView {
    LogView {
        schema: "assay.log/1".into(),
        campaign: state.campaign().into(),
        records: (state.log().rev())
            .filter(|r| variant.is_none_or(|name| owner(&r.body) == Some(name)))
            .take(limit.unwrap_or(usize::MAX))
            .map(log_row)
            .collect(),
    }
}

/// One line of the log.
pub fn log_row(r: &Record) -> LogRow {
    LogRow {
        id: r.id.to_string(),
        at: r.created_at.to_string(),
        by: r.by.clone(),
        kind: r.body.kind().into(),
        variant: owner(&r.body).map(str::to_owned),
        summary: match &r.reason {
            Some(reason) if r.supersedes.is_some() => {
                format!("{} (correction: {})", summary(&r.body), one_line(reason))
            }
            _ => summary(&r.body),
        },
        supersedes: r.supersedes.map(|id| id.to_string()),
    }
}

/// Name of the variant or baseline that a record is evidence about.
pub fn owner(body: &Body) -> Option<&str> {
    Some(match body {
        Body::Variant(v) => &v.name,
        Body::Run(r) => &r.subject.name,
        Body::Build(b) => &b.subject.name,
        Body::Source(s) => &s.subject.name,
        Body::Check(c) => &c.subject.name,
        Body::Profile(p) => &p.subject.name,
        Body::Measurement(m) => &m.b.name,
        Body::Verdict(v) => &v.b,
        Body::Decision(d) => &d.variant,
        Body::Calibration(c) => &c.subject.name,
        Body::Screened(s) => &s.b.name,
        Body::Chain(c) => &c.b.name,
        Body::Control(c) => &c.subject.name,
        Body::Note(n) => return n.about.as_deref(),
        Body::Evaluator(_)
        | Body::Screening(_)
        | Body::Canary(_)
        | Body::Readings(_)
        | Body::Tombstone(_)
        | Body::Unknown { .. } => {
            return None;
        }
    })
}

/// Name of what a measurement or verdict was made against.
pub fn reference(body: &Body) -> Option<&str> {
    match body {
        Body::Measurement(m) => Some(&m.a.name),
        Body::Verdict(v) => Some(&v.a),
        _ => None,
    }
}

/// Names of the variants that a ranking is about; of other records none.
pub fn ranked(body: &Body) -> impl Iterator<Item = &str> {
    let ranking = match body {
        Body::Screening(s) => s.ranking.as_slice(),
        _ => &[],
    };
    ranking.iter().map(|r| r.name.as_str())
}

/// What a record says, in one line that is safe to print.
pub fn summary(body: &Body) -> String {
    match body {
        Body::Evaluator(e) => {
            format!(
                "evaluator pinned at {}: {}",
                short(&e.commit),
                one_line(&e.why)
            )
        }
        Body::Variant(v) if v.parents.is_empty() => format!("new root: {}", one_line(&v.why)),
        Body::Variant(v) => format!(
            "new, from {}: {}",
            one_line(&v.parents.join(" and ")),
            one_line(&v.why)
        ),
        Body::Run(r) => match &r.failure {
            Some(f) => format!(
                "failed in {}: {}: {}",
                f.stage.name(),
                f.kind.name(),
                one_line(&f.message)
            ),
            None => {
                let done: Vec<&str> = r.done.iter().map(|s| s.name()).collect();
                format!("ran {} on {}", done.join(", "), one_line(&r.target))
            }
        },
        Body::Build(b) => match &b.failure {
            Some(f) => format!("build failed: {}", one_line(&f.message)),
            None => format!("built in {:.1} s", b.wall_ns as f64 / 1e9),
        },
        Body::Source(s) => format!(
            "{} source, {} facts, normalised {}{}",
            one_line(&s.language),
            s.facts.len(),
            s.normalised.short(),
            (s.twice.as_ref()).map_or_else(String::new, |t| format!(
                "; built twice: {}",
                one_line(&t.result)
            ))
        ),
        Body::Check(c) => {
            let right = c.results.iter().filter(|r| r.ok).count();
            let passed = c.gates.iter().filter(|g| g.pass == Some(true)).count();
            format!(
                "{right} of {} workloads right, {passed} of {} gates passed",
                c.results.len(),
                c.gates.len()
            )
        }
        Body::Measurement(m) => format!(
            "measured against {} in {} processes ({})",
            one_line(&m.a.name),
            m.processes,
            one_line(&m.mode)
        ),
        Body::Profile(p) => profile(p),
        Body::Calibration(c) => calibration(c),
        Body::Control(c) => control(c),
        Body::Verdict(v) => format!(
            "{} against {}: {}",
            v.verdict.name(),
            one_line(&v.a),
            ratio(v.ratio, v.interval)
        ),
        Body::Decision(d) => format!(
            "{} by {}: {}",
            d.kind.name(),
            one_line(&d.decided_by),
            one_line(&d.reason)
        ),
        Body::Canary(c) => canary(c),
        Body::Readings(r) => readings(r),
        Body::Screened(s) => format!(
            "screened against {} in one process: {}",
            one_line(&s.a.name),
            ratio(s.ratio, s.interval)
        ),
        Body::Screening(s) => screening(s),
        Body::Chain(c) => format!(
            "measured end to end against {} after {} accepted steps: {}; {}",
            one_line(&c.a.name),
            c.links.len(),
            ratio(Some(c.ratio), Some(c.interval)),
            one_line(&c.text)
        ),
        Body::Note(n) => {
            let topic = n.topic.as_ref().map(|t| format!("{}: ", one_line(t)));
            let table = n
                .table
                .as_ref()
                .map(|t| format!(" (table {})", one_line(&t.name)));
            let [topic, table] = [topic, table].map(Option::unwrap_or_default);
            format!("{topic}{}{table}", one_line(&n.text))
        }
        Body::Tombstone(t) => {
            format!(
                "removed {} {}: {}",
                one_line(&t.kind),
                t.removed,
                one_line(&t.why)
            )
        }
        Body::Unknown { kind, problem, .. } => format!(
            "not understood by this version: {}: {}",
            one_line(kind),
            one_line(problem)
        ),
    }
}

/// What a machine was found to show.
fn calibration(c: &Calibration) -> String {
    let effects: Vec<String> = (c.noise.smallest_effects.iter())
        .map(|e| format!("{} with {}", share(e.effect), e.processes))
        .collect();
    format!(
        "measured against itself in {} processes ({}, {}): floor {}; smallest effect {}",
        c.processes,
        one_line(&c.mode),
        one_line(&c.cache),
        share(c.noise.floor),
        effects.join(", ")
    )
}

/// What became of the variants of a screening.
fn screening(s: &Screening) -> String {
    let of = |fate: Fate| -> String {
        let names = s.ranking.iter().filter(|r| r.fate == fate);
        let names: Vec<String> = names.map(|r| one_line(&r.name)).collect();
        match names.is_empty() {
            true => String::new(),
            false => format!("; {}: {}", fate.name(), names.join(", ")),
        }
    };
    let all = [Fate::Keep, Fate::Spare, Fate::Drop, Fate::Unranked].map(of);
    format!(
        "screened {} variants against {}{}",
        s.ranking.len(),
        one_line(&s.incumbent.name),
        all.concat()
    )
}

/// What a control kernel read.
fn control(c: &Control) -> String {
    let came = match &c.reading {
        Some(r) if r.ok => format!("read {:.4} x itself", r.ratio),
        Some(r) => format!("read {:.4} x itself, which voids its session", r.ratio),
        None => format!("could not be read: {}", one_line(&c.problem)),
    };
    format!(
        "control kernel, {} processes of {} blocks in {:.1} s: {came}",
        c.processes,
        c.blocks,
        c.wall_ns as f64 / 1e9
    )
}

/// A share in percent with two digits behind the point.
fn share(value: f64) -> String {
    format_percent((value * 1e4).round() / 1e4)
}

/// What a profile holds and where it is from.
fn profile(p: &Profile) -> String {
    if p.is_published() {
        return published(p);
    }
    let mut out = format!(
        "{} counters on {} from {}",
        p.counters.len(),
        one_line(&p.workload),
        one_line(&p.tool)
    );
    if let Some(kernel) = &p.kernel {
        out.push_str(&format!(", kernel {}", one_line(kernel)));
    }
    match (p.occurrence, p.launches) {
        (Some(n), Some(all)) if all > 1 => out.push_str(&format!(", launch {n} of {all}")),
        (None, Some(all)) if all > 1 => out.push_str(&format!(", medians of {all} launches")),
        _ => {}
    }
    if let Some(import) = &p.import {
        out.push_str(match import.source_checked {
            SourceCheck::Same => ", imported",
            SourceCheck::Unchecked => ", imported, source not checked",
            SourceCheck::Differs => ", imported, of other source",
        });
    }
    out
}

/// A row of a published table; it begins with the mark that such figures have everywhere.
fn published(p: &Profile) -> String {
    let time = p.counters.get(CLAIMED_TIME);
    let time = time.map_or_else(String::new, |f| format!("{} ", format_ns(f.value)));
    let on = match p.workload.as_str() {
        "" => String::new(),
        name => format!("on {}, ", one_line(name)),
    };
    let row = (p.kernel.as_ref()).map_or_else(String::new, |k| format!(", row {}", one_line(k)));
    format!(
        "p {time}{on}published, not measured here: {}{row} of {}",
        count(p.counters.len(), "figure"),
        one_line(&p.raw.name)
    )
}

/// Whether the evaluator noticed.
fn canary(c: &Canary) -> String {
    format!(
        "canary {} {} by evaluator {} ({} expected): {}",
        one_line(&c.name),
        match c.outcome {
            CanaryOutcome::Noticed => "noticed",
            CanaryOutcome::Survived => "NOT NOTICED",
            CanaryOutcome::Unproven => "not put to the test",
        },
        c.subject.key.evaluator.short(),
        c.expect.name(),
        one_line(&c.found)
    )
}

/// What a log holds.
fn readings(r: &Readings) -> String {
    let of = match r.subjects.as_slice() {
        [] | [_] => String::new(),
        several => format!(" of {}", count(several.len(), "subject")),
    };
    let failed = match r.failed {
        0 => String::new(),
        n => format!(", {} without a time", count(n as usize, "row")),
    };
    format!(
        "benchmark log {} ({}): {}{of}{failed}",
        one_line(&r.name),
        one_line(&r.kind),
        count(r.timed as usize, "time")
    )
}

/// A time ratio with its interval, e.g. `0.812 [0.805, 0.820]`.
pub(super) fn ratio(ratio: Option<f64>, interval: Option<[f64; 2]>) -> String {
    match (ratio, interval) {
        (Some(r), Some([low, high])) => format!("time ratio {r:.4} [{low:.4}, {high:.4}]"),
        (Some(r), None) => format!("time ratio {r:.4}, no interval"),
        (None, _) => "no time ratio".into(),
    }
}

fn one_line(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|l| !l.is_empty());
    inert(line.unwrap_or("")).into_owned()
}

fn short(commit: &str) -> String {
    one_line(commit).chars().take(12).collect()
}
