//! Accept, reject, park, roll back, and notes.

use assay_core::record::DecisionKind;
use assay_core::text::inert;
use assay_engine::decide::Request;
use assay_engine::notes::NoteRequest;
use assay_engine::{Error, Result};
use serde_json::json;

use super::{OK, open, show};
use crate::args::{Cli, DecideArgs};
use crate::exit::Code;
use crate::setup;

/// Records a decision.
pub fn decide(cli: &Cli, args: &DecideArgs, kind: DecisionKind) -> Result<Code> {
    let overrides: Result<Vec<(String, String)>> = args
        .overrides
        .iter()
        .map(|o| match o.split_once('=') {
            Some((gate, reason)) => Ok((gate.trim().to_owned(), reason.trim().to_owned())),
            None => Err(Error::input(format!(
                "--override {o}: not of the form GATE=REASON"
            ))),
        })
        .collect();
    let bench = open(cli)?;
    bench.nameless().into_iter().for_each(setup::note);
    let done = bench.decide(&Request {
        name: args.name.clone(),
        kind,
        reason: args.reason.clone(),
        overrides: overrides?,
        decided_by: "person",
        seen: None,
    })?;
    let view = json!({
        "schema": "assay.decision/1",
        "id": done.id,
        "variant": done.name,
        "kind": done.kind.name(),
        "champion": done.champion,
    });
    show(cli, &view, || {
        let champion = done.champion.as_deref().unwrap_or("none");
        format!(
            "{}: {} ({}); the champion is {}\n",
            inert(&done.name),
            done.kind.name(),
            done.id,
            inert(champion)
        )
    })?;
    OK
}

/// Keeps a note.
pub fn note(cli: &Cli, request: &NoteRequest) -> Result<Code> {
    let (id, about) = open(cli)?.note(request)?;
    let view = json!({ "schema": "assay.note/1", "id": id, "about": about });
    show(cli, &view, || {
        let about = about.as_deref().unwrap_or("the campaign");
        format!("note about {} ({id})\n", inert(about))
    })?;
    OK
}
