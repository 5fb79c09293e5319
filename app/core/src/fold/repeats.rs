//! Measuring again until a verdict fits must show: the earlier verdicts of the same contents.

use crate::RecordId;
use crate::record::{Body, Measurement, Verdict};

use super::State;
use super::variant::same_content;

/// Earlier verdicts that are spelt out; further ones are counted.
const SHOWN: usize = 5;

/// A remark when the pair of a verdict was judged more than once with the same contents, in
/// whichever direction.
pub(super) fn repeated(state: &State, id: RecordId) -> Option<String> {
    let verdict = state.verdict(Some(id))?;
    let m = state.measurement(Some(verdict.measurement))?;
    let mut others: Vec<(RecordId, &Verdict)> = (state.owned(&verdict.b))
        .chain(state.owned(&verdict.a).filter(|_| verdict.a != verdict.b))
        .filter_map(|r| match &r.body {
            Body::Verdict(v) if r.id != id && same_pair(state, m, v) => Some((r.id, v)),
            _ => None,
        })
        .collect();
    if others.is_empty() {
        return None;
    }
    others.sort_by_key(|(id, _)| std::cmp::Reverse(*id));
    let mut words: Vec<String> = (others.iter().take(SHOWN))
        .map(|(_, v)| {
            let ratio = v.ratio.map_or_else(String::new, |r| format!(" {r:.4}"));
            let turned = if v.b == verdict.b {
                String::new()
            } else {
                format!(" (`{}` against `{}`)", v.b, v.a)
            };
            format!("{}{ratio}{turned}", v.verdict.name())
        })
        .collect();
    if others.len() > SHOWN {
        words.push(format!("and {} more", others.len() - SHOWN));
    }
    // A verdict in the other direction can be newer than the one shown.
    let when = if others.iter().all(|(other, _)| *other < id) {
        "earlier"
    } else {
        "other"
    };
    Some(format!(
        "measured {} times with this content; {when} verdicts: {}",
        others.len() + 1,
        words.join(", ")
    ))
}

/// Whether a verdict is about the two contents of a measurement, in whichever direction.
fn same_pair(state: &State, m: &Measurement, v: &Verdict) -> bool {
    let Some(other) = state.measurement(Some(v.measurement)) else {
        return false;
    };
    let same = |x: &crate::record::Subject, y: &crate::record::Subject| {
        x.name == y.name && same_content(&x.key, &y.key)
    };
    (same(&m.a, &other.a) && same(&m.b, &other.b)) || (same(&m.a, &other.b) && same(&m.b, &other.a))
}
