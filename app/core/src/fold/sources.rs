//! What the generated sources of both sides say beside a verdict.

use crate::record::{Body, Source, Subject, Verdict};

use super::State;
use super::variant::same_content;

/// The newest captured source of a subject with this content.
pub fn captured<'s>(state: &'s State, subject: &Subject) -> Option<&'s Source> {
    state
        .owned(&subject.name)
        .rev()
        .find_map(|r| match &r.body {
            Body::Source(s) if same_content(&s.subject.key, &subject.key) => Some(s),
            _ => None,
        })
}

/// Whether both sources are equal after normalisation; `None` where one was not captured, or they
/// are in two languages, whose normalised forms are no match for each other.
pub fn equal_sources(a: Option<&Source>, b: Option<&Source>) -> Option<bool> {
    let (a, b) = (a?, b?);
    (a.language == b.language).then_some(a.normalised == b.normalised)
}

/// Remarks about the sources of `a` and `b` that belong beside any claim about the pair.
pub fn source_remarks(a: (&str, Option<&Source>), b: (&str, Option<&Source>)) -> Vec<String> {
    let mut out = Vec::new();
    if equal_sources(a.1, b.1) == Some(true) {
        out.push(format!(
            "the generated sources of `{}` and `{}` are equal after normalisation: nothing in them explains a difference \
             (launch parameters, shared memory asked for at launch and flags lie elsewhere)",
            a.0, b.0
        ));
    }
    for (name, source) in [a, b] {
        let Some(twice) = source.and_then(|s| s.twice.as_ref()) else {
            continue;
        };
        if twice.differs() {
            let at = match twice.file.as_str() {
                "" => String::new(),
                file => format!(", first in {file}"),
            };
            out.push(format!(
                "the generated source of `{name}` differs from build to build, also after normalisation{at}: \
                 this weakens every claim about it"
            ));
        }
    }
    out
}

/// The remarks that a verdict does not have yet: sources may have been captured after it.
pub(super) fn beside(state: &State, verdict: &Verdict) -> Vec<String> {
    let Some(m) = state.measurement(Some(verdict.measurement)) else {
        return Vec::new();
    };
    let side = |s: &Subject| captured(state, s);
    let mut out = source_remarks((&m.a.name, side(&m.a)), (&m.b.name, side(&m.b)));
    out.retain(|w| !verdict.warnings.contains(w));
    out
}
