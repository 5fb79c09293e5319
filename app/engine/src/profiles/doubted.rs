//! Published figures that an audit contradicts, for every view that shows them.
//!
//! Audits read tables again, so that what they say is kept beside the index, under the state of the ledger
//! and the campaign file that it is of. Where nothing was published there is nothing to look at.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use assay_core::fold::State;
use assay_core::record::{self, Body};
use assay_core::text::inert;
use assay_core::view::{
    DOUBTED_MARK, DoubtedFigure, FindingView, LogRow, ShowView, VariantRow, doubting_rules,
};
use assay_core::{RecordId, Sha256};
use assay_profile::Profile;
use assay_profile::claims::Held;
use assay_profile::rules::Kind;

use super::audit::{Audit, newest};
use super::select::Chosen;
use super::stored::Reread;
use crate::data::{self, Data};
use crate::index;
use crate::workbench::Workbench;

/// What is said against published figures, by what they are of.
pub(crate) type Doubts = BTreeMap<String, Vec<DoubtedFigure>>;

/// The rule of a figure that does not follow from those beside it.
const DISAGREES: &str = "disagrees";

/// Subjects from which on all records are read at once rather than theirs one by one.
const MANY: usize = 500;

/// Severity of findings that say that a figure cannot be right.
const ERROR: &str = "error";

impl Workbench {
    /// Marks published figures of rows that an audit contradicts.
    pub(crate) fn mark_doubted(&self, rows: &mut [VariantRow]) {
        if rows.iter().all(|r| r.published.is_empty()) {
            return;
        }
        let doubts = self.doubts(None);
        for row in rows {
            row.doubted = doubts.get(&row.name).cloned().unwrap_or_default();
        }
    }

    /// Marks the published figures of one subject, and the lines of evidence that show them.
    pub(crate) fn mark_shown(&self, view: &mut ShowView) {
        if view.published.is_empty() {
            return;
        }
        let name = &view.variant.name;
        let doubted = self.doubts(Some(name)).get(name).cloned();
        view.variant.doubted = doubted.unwrap_or_default();
        for line in &mut view.evidence {
            let of = view.variant.doubted.iter().filter(|d| d.record == line.id);
            line.summary.push_str(&mark(of));
        }
    }

    /// The same of the lines of a log.
    pub(crate) fn mark_log(&self, rows: &mut [LogRow]) {
        let is_published = |r: &&mut LogRow| r.kind == "profile" && r.summary.contains("published");
        if !rows.iter_mut().any(|r| is_published(&r)) {
            return;
        }
        let doubts = self.doubts(None);
        let by_record = by_record(&doubts);
        for row in rows.iter_mut().filter(is_published) {
            let of = by_record.get(row.id.as_str()).into_iter().flatten();
            row.summary.push_str(&mark(of.copied()));
        }
    }

    /// What an audit says against the published figures of the campaign, and of a subject whose figures
    /// are no times. What cannot be looked at is contradicted by nothing: the audit itself says why.
    fn doubts(&self, more: Option<&str>) -> Rc<Doubts> {
        let mut names = index::published(self).unwrap_or_default();
        names.extend(more.map(str::to_owned));
        let folders = data::folders(Some(&self.options.dirs.data), &self.options.dir, None);
        let folders = folders.unwrap_or_default();
        let config = format!("{}\n{:?}", env!("CARGO_PKG_VERSION"), self.config);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let of: Vec<&str> = std::iter::once(config.as_str())
            .chain(names.iter().copied())
            .collect();
        let key = Sha256::of_parts(&of).to_string();
        // Rules of one's own may change at any time.
        index::kept(self, &key, folders.is_empty(), || {
            let data = Data::load(&folders).or_else(|_| Data::load(&[]))?;
            let state = match names.len() > MANY {
                true => self.state()?,
                false => self.state_of(&names)?,
            };
            Ok(self.doubts_of(&state, &data))
        })
    }

    fn doubts_of(&self, state: &State, data: &Data) -> Doubts {
        let mut audit = Audit::new(self, state, data, Kind::Audit);
        let subjects: BTreeSet<&str> = (state.active())
            .filter_map(|r| match &r.body {
                Body::Profile(p) if p.is_published() => Some(p.subject.name.as_str()),
                _ => None,
            })
            .collect();
        let mut tables = Tables::new();
        for name in subjects {
            let params = audit.params(name);
            for (id, p) in newest(state, name).filter(|(_, p)| p.is_published()) {
                let Some(row) = tables.row(self, state, p, data) else {
                    continue;
                };
                for found in audit.found(name, id, p, &params, &row) {
                    audit.contradicted(id, p, &found.findings);
                }
            }
        }
        audit.published_tables(None);
        let order = &state.place().workloads;
        let at = |d: &DoubtedFigure| order.iter().position(|w| d.workload.as_ref() == Some(w));
        for of in audit.doubts.values_mut() {
            of.sort_by(|a, b| (at(a), &a.figure).cmp(&(at(b), &b.figure)));
        }
        audit.doubts
    }
}

impl Audit<'_> {
    /// Keeps what findings say against the figures of a published row.
    fn contradicted(&mut self, id: RecordId, p: &record::Profile, found: &[FindingView]) {
        for f in found.iter().filter(|f| f.severity == ERROR) {
            let names = f.counters.iter().map(|c| c.name.as_str());
            for name in names.filter(|n| n.starts_with("claim.")) {
                self.doubt(id, p, name, &f.rule, [&f.message, &f.message_zh]);
            }
        }
    }

    /// Keeps that a figure of a published row comes out otherwise.
    pub(super) fn disagrees(&mut self, id: RecordId, p: &record::Profile, held: &Held) {
        let Some(name) = held.claim.as_deref() else {
            return;
        };
        let of_unit = |v: f64| match held.unit.as_str() {
            "1" | "" => format!("{v}"),
            unit => format!("{v} {unit}"),
        };
        let computed = held.computed.map(of_unit).unwrap_or_default();
        let (printed, why) = (&held.printed, [&held.why, &held.why_zh]);
        let en = format!("{printed} is printed, {computed} comes out: {}", why[0]);
        let zh = format!("印作 {printed}，算得 {computed}：{}", why[1]);
        self.doubt(id, p, name, DISAGREES, [&en, &zh]);
    }

    fn doubt(
        &mut self,
        id: RecordId,
        p: &record::Profile,
        figure: &str,
        rule: &str,
        [message, message_zh]: [&str; 2],
    ) {
        let doubt = DoubtedFigure {
            workload: Some(p.workload.clone()).filter(|w| !w.is_empty()),
            figure: figure.to_owned(),
            rule: rule.to_owned(),
            record: id.to_string(),
            message: inert(message).into_owned(),
            message_zh: inert(message_zh).into_owned(),
        };
        let of = self.doubts.entry(p.subject.name.clone()).or_default();
        if !of.contains(&doubt) {
            of.push(doubt);
        }
    }
}

/// Tables that were read once, whichever of their rows is asked for.
struct Tables(BTreeMap<[String; 2], Option<Table>>);

struct Table {
    profile: Profile,
    rows: BTreeMap<String, usize>,
}

impl Tables {
    fn new() -> Self {
        Self(BTreeMap::new())
    }

    /// The row of a table that a record is of, by itself.
    fn row(
        &mut self,
        bench: &Workbench,
        state: &State,
        p: &record::Profile,
        data: &Data,
    ) -> Option<Reread> {
        let import = p.import.as_ref();
        let mapping = import.and_then(|i| i.mapping.as_ref());
        let mapping = mapping.map(|m| m.sha256.to_string()).unwrap_or_default();
        let key = [p.raw.sha256.to_string(), mapping];
        let table = self.0.entry(key).or_insert_with(|| {
            let profile = bench.reread(state, p, data).ok()?.profile;
            let rows = profile.launches.iter().enumerate();
            Some(Table {
                rows: rows.map(|(at, l)| (l.kernel.clone(), at)).collect(),
                profile,
            })
        });
        let table = table.as_ref()?;
        let row = p.kernel.as_ref().and_then(|kernel| table.rows.get(kernel));
        let Some(launch) = row.filter(|_| p.occurrence.is_none()) else {
            // A row without a name of its own.
            return bench.reread(state, p, data).ok();
        };
        let mut profile = Profile::new(&table.profile.tool, &table.profile.flavour);
        profile
            .launches
            .push(table.profile.launches.get(*launch)?.clone());
        Some(Reread {
            record: p.clone(),
            profile,
            chosen: Chosen {
                kernel: p.kernel.clone(),
                launches: vec![0],
                main: 0,
                occurrence: None,
                others: Vec::new(),
            },
        })
    }
}

fn by_record(doubts: &Doubts) -> BTreeMap<&str, Vec<&DoubtedFigure>> {
    let mut out: BTreeMap<&str, Vec<&DoubtedFigure>> = BTreeMap::new();
    for d in doubts.values().flatten() {
        out.entry(&d.record).or_default().push(d);
    }
    out
}

/// What stands behind a line of text that shows doubted figures: the mark, and the findings.
fn mark<'d>(doubts: impl Iterator<Item = &'d DoubtedFigure>) -> String {
    let rules = doubting_rules(doubts);
    match rules.is_empty() {
        true => String::new(),
        false => format!(" {} {}", DOUBTED_MARK, rules.join(", ")),
    }
}
