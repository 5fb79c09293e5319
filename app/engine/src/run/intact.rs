//! Whether what ran is what was built: code under test can rewrite its own file, or its opponent's.

use std::fs;

use assay_core::Sha256;
use assay_core::record::{Failure, FailureKind, Stage};

use super::prepare::{Prepared, Session};
use crate::error::{AtPath, Result};

/// Looks at a build and at what the harness says to have loaded of it, after a program has run.
///
/// `slot` is what stands before the subject's name in answers: `A-`, `B-` or nothing. A harness
/// that says nothing of what it loaded is believed.
pub(super) fn tampered<'a>(
    session: &Session<'_>,
    p: &Prepared,
    slot: &str,
    loaded: impl IntoIterator<Item = (&'a str, Sha256)>,
    stage: Stage,
) -> Result<Option<Failure>> {
    let name = &p.subject.name;
    let failure = |message: String| Failure {
        kind: FailureKind::ExploitSuspected,
        stage,
        message,
        stderr_tail: String::new(),
    };
    if !p.build.is_complete() {
        return Ok(Some(failure(format!(
            "the files that were built of {name} have changed since; code under test may have rewritten them"
        ))));
    }
    let spec = session.spec(slot, p);
    let built = Sha256::of(fs::read(&spec.artefact).at(&spec.artefact)?);
    let other = loaded
        .into_iter()
        .find(|(id, sha256)| *id == spec.id && *sha256 != built);
    Ok(other.map(|(_, sha256)| {
        failure(format!(
            "the harness loaded {} as {name}, and {} was built; look at what it opens",
            sha256.short(),
            built.short()
        ))
    }))
}
