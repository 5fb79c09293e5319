//! Gates that waited for counters, judged with those of an imported report.

use std::collections::BTreeMap;

use assay_core::fold::State;
use assay_core::gate::judge;
use assay_core::record::{Body, Check, Figure, Profile, SourceCheck};
use assay_core::{Record, RecordId};

use super::stored::same_content;
use crate::gates::{self, worst_error};
use crate::workbench::Workbench;

/// The correction of a variant's check in which gates without evidence are judged with the counters
/// of a report; nothing when there is no such gate.
///
/// What a run has judged stays: its counters were taken here.
pub fn judged_again(bench: &Workbench, state: &State, report: &Profile) -> Option<Record> {
    if report.is_published() {
        return None;
    }
    let v = state.variant(&report.subject.name)?;
    let body = |id: Option<RecordId>| id.and_then(|id| state.get(id)).map(|r| &r.body);
    let Some(Body::Check(check)) = body(v.check) else {
        return None;
    };
    if !same_content(&check.subject.key, &report.subject.key)
        || !state.is_current(&check.subject.key)
    {
        return None;
    }
    let resources = match body(v.build) {
        Some(Body::Build(b)) => Some(&b.resources),
        _ => None,
    };
    let facts = match body(v.source) {
        Some(Body::Source(s)) => Some(&s.facts),
        _ => None,
    };
    let lookup = |name: &str| {
        let (kind, bare) = name.split_once(':').unwrap_or(("", name));
        let is = |k: &str| kind.is_empty() || kind == k;
        let from = |k: &str, map: Option<&BTreeMap<String, Figure>>| {
            map.filter(|_| is(k))
                .and_then(|m| m.get(bare))
                .map(|f| f.value)
        };
        let checked = is("check")
            .then(|| worst_error(&check.results, bare))
            .flatten();
        let resource = || {
            is("resource")
                .then(|| gates::resource(resources, bare))
                .flatten()
        };
        (checked.or_else(resource))
            .or_else(|| from("fact", facts))
            .or_else(|| from("counter", Some(&report.counters)))
    };
    let specs = &bench.config.as_ref()?.gates;
    let mut gates = check.gates.clone();
    let mut settled = false;
    for gate in gates.iter_mut().filter(|g| g.pass.is_none()) {
        let Some(spec) = specs.iter().find(|s| s.name == gate.name) else {
            continue;
        };
        let now = judge(spec, &lookup);
        if now.pass.is_some() {
            settled = true;
            gate.pass = now.pass;
            gate.evidence = format!("{} ({})", now.evidence, origin(report));
        }
    }
    if !settled {
        return None;
    }
    let mut record = bench.record(Check {
        gates,
        ..check.clone()
    });
    record.supersedes = v.check;
    record.reason = Some("gates judged again with the counters of an imported report".into());
    Some(record)
}

fn origin(report: &Profile) -> String {
    let checked = report.import.as_ref().map(|i| i.source_checked);
    let source = match checked {
        Some(SourceCheck::Same) => "",
        Some(SourceCheck::Differs) => " of other source",
        _ => ", source not checked",
    };
    format!("imported {} report{source}", report.tool)
}
