//! Records that others name and that are not in the ledger.

use assay_core::fold::State;
use assay_core::record::Body;
use assay_core::{Record, RecordId};

/// What a record says of another that has to be there, and which one it is.
fn named(body: &Body) -> Vec<(&'static str, RecordId)> {
    let one = |what, id: Option<RecordId>| id.map(|id| (what, id));
    match body {
        Body::Run(r) => r.records.iter().map(|id| ("made", *id)).collect(),
        Body::Verdict(v) => [("was computed from", v.measurement)]
            .into_iter()
            .chain(one("was given under", v.calibration))
            .chain(one("was given under", v.control.as_ref().map(|c| c.record)))
            .collect(),
        Body::Decision(d) => (d.evidence.iter().map(|id| ("rests on", *id)))
            .chain(d.replaces.iter().map(|id| ("replaces", *id)))
            .collect(),
        Body::Chain(c) => (c.links.iter())
            .flat_map(|l| [l.decision, l.verdict])
            .chain([c.decision])
            .map(|id| ("rests on", id))
            .chain(one("was computed from", c.measurement))
            .collect(),
        Body::Screening(s) => (s.ranking.iter().map(|r| ("ranks", r.screened)))
            .chain(one("was given under", s.calibration))
            .collect(),
        _ => Vec::new(),
    }
}

/// Of each record that names absent ones, what is to be told. What was removed on purpose is not
/// absent: its tombstone tells of it.
pub(super) fn absent(state: &State) -> impl Iterator<Item = (&Record, String)> {
    state.log().flat_map(|record| {
        let gone = named(&record.body).into_iter();
        let gone = gone.filter(|(_, id)| state.get(*id).is_none() && !state.is_removed(*id));
        gone.map(move |(what, id)| {
            let problem = format!("it {what} record {id}, which is not in this ledger");
            (record, problem)
        })
    })
}
