//! Forms: what is checked before they are sent.

use assay_core::record::DecisionKind;

use crate::event::{Effect, Load};
use crate::state::{Decide, ExportForm, ExportOrder, NewVariant};
use crate::strings::{Strings, fill};

/// Sends a decision, or says what is missing and goes to that field.
pub fn submit_decide(d: &mut Decide, s: &Strings, out: &mut Vec<Effect>) {
    if d.saving {
        return;
    }
    if d.reason.is_blank() {
        d.focus = 0;
        d.fault = Some(s.reason_needed.to_owned());
        return;
    }
    if d.reading {
        // Asked once more: another read of the same kind may have taken the place of the first.
        d.problem = Some(s.gates_reading.to_owned());
        out.push(Effect::Load(Load::Standing(d.name.clone())));
        return;
    }
    if d.kind == DecisionKind::Accept
        && let Some(i) = d
            .overrides
            .iter()
            .position(|o| !o.optional && o.field.is_blank())
    {
        d.focus = i + 1;
        d.fault = Some(fill(s.override_needed, &[&d.overrides[i].gate]));
        return;
    }
    d.saving = true;
    (d.fault, d.problem) = (None, None);
    out.push(Effect::Decide {
        name: d.name.clone(),
        kind: d.kind,
        reason: d.reason.value().trim().to_owned(),
        overrides: d
            .overrides
            .iter()
            .filter(|o| !o.field.is_blank())
            .map(|o| (o.gate.clone(), o.field.value().trim().to_owned()))
            .collect(),
        seen: d.place.clone(),
    });
}

/// Sends the declaration of a variant, or says what is missing.
pub fn submit_new(n: &mut NewVariant, s: &Strings, out: &mut Vec<Effect>) {
    if n.saving {
        return;
    }
    for (i, problem) in [s.name_needed, s.why_needed].into_iter().enumerate() {
        if n.fields[i].is_blank() {
            // Enter in the first field goes on to the second before it complains.
            let moved_on = n.focus == 0 && i == 1;
            n.focus = i;
            n.fault = (!moved_on).then(|| problem.to_owned());
            return;
        }
    }
    n.saving = true;
    (n.fault, n.problem) = (None, None);
    out.push(Effect::Create {
        name: n.fields[0].value().trim().to_owned(),
        parent: n.parent.clone(),
        why: n.fields[1].value().trim().to_owned(),
    });
}

/// Sends an export, or says what is missing.
pub fn submit_export(e: &mut ExportForm, s: &Strings, out: &mut Vec<Effect>) {
    if e.saving {
        return;
    }
    let forms = e.forms();
    if forms.is_empty() {
        e.problem = Some(s.export_nothing.to_owned());
        return;
    }
    if e.folder.is_blank() {
        e.focus = 0;
        e.fault = Some(s.export_folder_needed.to_owned());
        return;
    }
    e.saving = true;
    (e.fault, e.problem) = (None, None);
    out.push(Effect::Export(ExportOrder {
        forms,
        lang: e.lang,
        folder: e.folder.value().trim().to_owned(),
    }));
}
