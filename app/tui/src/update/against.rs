//! What a variant is compared with, when that is not what it was measured against: any other
//! variant, and baselines, which have no row of their own.

use std::collections::{BTreeSet, HashSet};

use super::act::subject;
use super::{open, say};
use crate::event::Effect;
use crate::state::{Cursor, Layer, Pick, Picked, State};

/// Names that the variant at hand can be compared with: baselines, then variants as they are listed.
pub fn names(state: &State) -> Vec<String> {
    let list = state.variants.list.value.iter().flat_map(|l| &l.variants);
    let heat = state.workloads.slot.value.iter().flat_map(|h| &h.rows);
    let measured = list.clone().filter_map(|v| v.against.as_deref());
    let others = measured.chain(heat.map(|r| r.against.as_str()));
    let variants: HashSet<&str> = list.clone().map(|v| v.name.as_str()).collect();
    let baselines: BTreeSet<&str> = others.filter(|n| !variants.contains(n)).collect();
    let mut out: Vec<String> = baselines.into_iter().map(str::to_owned).collect();
    let of = subject(state);
    out.extend(
        list.map(|v| v.name.clone())
            .filter(|n| Some(n) != of.as_ref()),
    );
    out
}

/// Opens the list of them. Baselines of published times are known from the map of ratios.
pub fn choose(state: &mut State, out: &mut Vec<Effect>) {
    if subject(state).is_none() {
        return say(state, state.strings.no_decide.to_owned());
    }
    open::need_heat(state, out);
    let count = names(state).len();
    state.layers.push(Layer::Pick(Pick {
        what: Picked::Against,
        count,
        cursor: Cursor::default(),
    }));
}

/// Compares with one of them.
pub fn chosen(state: &mut State, at: usize, out: &mut Vec<Effect>) {
    if let (Some(a), Some(b)) = (names(state).into_iter().nth(at), subject(state)) {
        open::compare(state, vec![a, b], out);
    }
}
