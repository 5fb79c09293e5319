//! How it was measured and judged.

use super::{heading, or_none, paragraph};
use crate::ReportModel;
use crate::escape::table;
use crate::figure::{NONE, percent};
use crate::strings::Strings;

pub(super) fn write(m: &ReportModel, s: &Strings, out: &mut String) {
    heading(out, s.protocol);
    paragraph(out, s.protocol_unit);
    let p = &m.protocol;
    let looks: Vec<String> = p.looks.iter().map(u32::to_string).collect();
    let looks = if looks.is_empty() {
        NONE.to_owned()
    } else {
        looks.join(", ")
    };
    let text = |t: &Option<String>| or_none(t.as_deref());
    let rows = [
        (s.p_procedure, text(&p.procedure)),
        (s.p_policy, text(&p.policy)),
        (s.p_delta, percent(p.delta)),
        (s.p_guard, percent(p.guard)),
        (s.p_noise, percent(p.noise_floor)),
        (s.p_looks, looks),
        (s.p_mode, text(&p.mode)),
        (
            s.p_blocks,
            p.blocks.map_or_else(|| NONE.into(), |b| b.to_string()),
        ),
        (s.p_min_leg, text(&p.min_leg)),
        (s.p_cache, text(&p.cache)),
        (s.p_timer, text(&p.timer)),
    ]
    .map(|(k, v)| vec![k.to_owned(), v]);
    table(out, &[s.key, s.value], &[], &rows);
}
