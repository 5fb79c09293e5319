//! The chapters of a report, one file each, in the order in which they stand.

mod audit;
mod card;
mod chain;
mod claim;
mod counters;
mod diagnosis;
pub(crate) mod distance;
mod environment;
mod evidence;
mod failures;
mod figures;
mod logs;
mod notes;
mod pictures;
mod protocol;
pub(crate) mod published;
mod rejected;
mod reproduce;
mod roofline;
pub(crate) mod source;
mod task;
mod threats;

use assay_core::record::VerdictKind;
use assay_core::view::{DecisionView, DoubtedFigure, doubting_rules};

pub(crate) use card::{gates, measured};

use crate::ReportModel;
use crate::doc::{Block, Doc, Line};
use crate::strings::{self, Lang, Strings, fill};

/// Writes one chapter.
type Chapter = fn(&ReportModel, &Strings, &mut Doc);

/// All chapters in order, by the name that a template calls them.
const ALL: &[(&str, Chapter)] = &[
    ("claim", claim::write),
    ("task", task::write),
    ("environment", environment::write),
    ("protocol", protocol::write),
    ("chain", chain::write),
    ("cards", card::write),
    ("rejected", rejected::write),
    ("failures", failures::write),
    ("published", published::write),
    ("logs", logs::write),
    ("roofline", roofline::write),
    ("diagnosis", diagnosis::write),
    ("notes", notes::write),
    ("audit", audit::write),
    ("threats", threats::write),
    ("reproduce", reproduce::write),
    ("evidence", evidence::write),
];

/// What the mark of doubted figures above or below says, with the findings; nothing where there are none.
fn doubted<'d>(doubts: impl Iterator<Item = &'d DoubtedFigure>, s: &Strings, out: &mut Doc) {
    let rules = doubting_rules(doubts);
    if !rules.is_empty() {
        let most = rules.len();
        out.paragraph(fill(s.doubted, &[strings::names(rules, most)]));
    }
}

/// Chapters of a report on benchmark logs where there is no campaign.
const LOGS_ALONE: &[(&str, Chapter)] = &[("logs", logs::write)];

/// The whole report, with pictures where the format has them.
pub(crate) fn document(model: &ReportModel, lang: Lang, plots: bool) -> Doc {
    let mut out = Doc {
        lang,
        plots,
        ..Doc::default()
    };
    let chapters = match model.is_logs_alone() {
        true => LOGS_ALONE,
        false => ALL,
    };
    claim::title(model, lang.strings(), &mut out);
    for (_, write) in chapters {
        write(model, lang.strings(), &mut out);
    }
    out
}

/// Names of all chapters, in order.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|(name, _)| *name)
}

/// Adds the chapter of a name below a heading of level `under`; whether there is one.
pub(crate) fn add(name: &str, under: u8, m: &ReportModel, out: &mut Doc) -> bool {
    let Some((_, write)) = ALL.iter().find(|(n, _)| *n == name) else {
        return false;
    };
    let mut part = Doc {
        lang: out.lang,
        plots: out.plots,
        ..Doc::default()
    };
    write(m, out.lang.strings(), &mut part);
    for mut block in part.blocks {
        if let Block::Heading(level, _) = &mut block {
            *level = (*level + under).saturating_sub(1).min(4);
        }
        out.blocks.push(block);
    }
    true
}

/// A name or text that may be absent.
pub(crate) fn or_none(text: Option<&str>) -> Line {
    match text {
        Some(t) if !t.trim().is_empty() => Line::outside(t),
        _ => crate::figure::NONE.into(),
    }
}

/// The verdict that the decision rested on, as its reason begins with one; where the row has another by
/// now, both.
fn decided_on(s: &Strings, decision: Option<&DecisionView>, now: Option<&str>) -> Line {
    let reason = decision.map_or("", |d| d.reason.as_str());
    let stated = reason.split_once(':').and_then(|(word, _)| {
        VerdictKind::ALL
            .map(VerdictKind::name)
            .into_iter()
            .find(|w| *w == word.trim())
    });
    match (stated, now) {
        (Some(then), Some(now)) if now != then => {
            let values = [Line::outside(then), Line::outside(now)];
            fill(s.verdict_later, &values)
        }
        (Some(then), _) => Line::outside(then),
        (None, now) => or_none(now),
    }
}
