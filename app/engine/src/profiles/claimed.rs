//! Published tables of a campaign, computed again.

use std::collections::{BTreeMap, BTreeSet};

use assay_core::RecordId;
use assay_core::campaign::Params;
use assay_core::record::{self, Body};
use assay_core::text::inert;
use assay_core::view::{AuditedFigure, FindingView};
use assay_profile::Mapping;
use assay_profile::claims::{self, Held, Work};
use assay_profile::compare::published_changes;
use serde_json::json;

use super::audit::Audit;
use super::stored::Reread;
use super::traffic::of_column;
use crate::error::{Error, Result};
use crate::figures::{List, Outcome, figure};

/// Rows that a figure lists as what it follows from; a mean may follow from thousands.
const ROWS: usize = 40;

/// A published table, as often as it was filed: each record is a row of it.
struct Table<'s> {
    records: Vec<(RecordId, &'s record::Profile)>,
}

impl Table<'_> {
    /// The record that a row was filed as.
    fn record(&self, row: &str) -> Option<&(RecordId, &record::Profile)> {
        let mut records = self.records.iter();
        records.find(|(_, p)| p.kernel.as_deref() == Some(row))
    }

    /// The workload of a row: of its record, else the one that its name has, else the only one of
    /// the table.
    fn workload(&self, row: &str, names: &[String]) -> Option<String> {
        if let Some((_, p)) = self.record(row) {
            return Some(p.workload.clone()).filter(|w| !w.is_empty());
        }
        let part = |n: &&String| row.split(" · ").any(|p| p.trim().eq_ignore_ascii_case(n));
        if let Some(name) = names.iter().find(part) {
            return Some(name.clone());
        }
        let of: BTreeSet<&str> = self
            .records
            .iter()
            .map(|(_, p)| p.workload.as_str())
            .filter(|w| !w.is_empty())
            .collect();
        let mut of = of.into_iter();
        of.next().filter(|_| of.next().is_none()).map(str::to_owned)
    }
}

impl Audit<'_> {
    /// Every published table of the campaign, or of one variant; each is read once, however many of
    /// its rows are filed.
    pub(super) fn published_tables(&mut self, name: Option<&str>) {
        let mut tables: BTreeMap<[String; 2], Table<'_>> = BTreeMap::new();
        for r in self.state.active() {
            let Body::Profile(p) = &r.body else { continue };
            if !p.is_published() || name.is_some_and(|n| n != p.subject.name) {
                continue;
            }
            let mapping = p.import.as_ref().and_then(|i| i.mapping.as_ref());
            let mapping = mapping.map(|m| m.sha256.to_string()).unwrap_or_default();
            let table = tables
                .entry([p.raw.sha256.to_string(), mapping])
                .or_insert(Table {
                    records: Vec::new(),
                });
            table.records.push((r.id, p));
        }
        for table in tables.into_values() {
            let Some((id, p)) = table.records.first().copied() else {
                continue;
            };
            match self.table(&table, id, p) {
                Ok(mut held) => {
                    // Rows of other variants are theirs to hear of.
                    if name.is_some() {
                        held.retain(|h| {
                            let row = h.rows.first().map(String::as_str).unwrap_or_default();
                            row.is_empty() || table.record(row).is_some()
                        });
                    }
                    self.tell(&table, id, p, held);
                }
                Err(e) => self.figures.add(Outcome::NotRecomputed, || AuditedFigure {
                    figure: "all".into(),
                    // A table of several rows is of no workload more than of another.
                    workload: (table.records.len() == 1 && !p.workload.is_empty())
                        .then(|| p.workload.clone()),
                    why: inert(&e.message).into_owned(),
                    why_zh: inert(&e.message).into_owned(),
                    sources: vec![p.raw.sha256.to_string()],
                    ..figure(id.to_string(), "published", p.subject.name.clone())
                }),
            }
        }
    }

    fn table(&mut self, table: &Table<'_>, id: RecordId, p: &record::Profile) -> Result<Vec<Held>> {
        let mapping = p.import.as_ref().and_then(|i| i.mapping.as_ref());
        let mapping = mapping.ok_or_else(|| {
            Error::input("it was filed without a mapping file, which says what its columns are")
        })?;
        let text = self.bench.stored(mapping)?;
        let text = String::from_utf8_lossy(&text);
        let read = Mapping::read(&mapping.name, &text).map_err(|e| Error::input(e.to_string()))?;
        let Some(reread) = self.reread(id, p) else {
            return Err(Error::input("its table cannot be read again"));
        };
        let names = self.bench.workload_names();
        let work = |row: &str| self.work(table, row, &names);
        let held = claims::hold(&read, &reread.profile, &work);
        self.traffic(table, id, p, &held);
        self.changes(id, p, &reread);
        Ok(held)
    }

    /// Columns of bandwidths that count other bytes.
    fn traffic(&mut self, table: &Table<'_>, id: RecordId, p: &record::Profile, held: &[Held]) {
        let mut columns: BTreeMap<&str, Vec<&Held>> = BTreeMap::new();
        for h in held
            .iter()
            .filter(|h| h.canonical == Some("claim.bandwidth"))
        {
            columns.entry(&h.figure).or_default().push(h);
        }
        for (figure, held) in columns {
            let row = held.first().and_then(|h| table.record(h.rows.first()?));
            let (id, p) = row.map_or((id, p), |(id, p)| (*id, *p));
            if let Some(f) = of_column(&p.subject.name, figure, &held) {
                let place = held.first().and_then(|h| h.place.as_deref());
                self.out.add(FindingView {
                    of: vec![placed(id, place)],
                    ..f
                });
            }
        }
    }

    /// Changes that a table with a column for each side prints.
    fn changes(&mut self, id: RecordId, p: &record::Profile, read: &Reread) {
        for f in published_changes(&read.profile) {
            let place = read
                .launch()
                .and_then(|l| read.profile.places.get(&l.kernel));
            self.out.add(FindingView {
                of: vec![placed(id, place.map(String::as_str))],
                subject: format!("{}: {}", p.subject.name, f.subject),
                ..f
            });
        }
    }

    fn work(&self, table: &Table<'_>, row: &str, names: &[String]) -> Work {
        let Some(config) = &self.bench.config else {
            return Work::default();
        };
        let target = table.records.first().and_then(|(_, p)| p.import.as_ref());
        let target = target.and_then(|i| config.targets.get(&i.target));
        let device = target.and_then(|t| {
            let device = self.data.devices.get(t.model.as_deref()?)?;
            Some(device.slice(t.share.map_or(1.0, |s| s.0)))
        });
        let bandwidth = device.and_then(|d| d.figure("bandwidth").map(|f| f.value));
        let resolved = table.workload(row, names).and_then(|name| {
            let params = match table.record(row) {
                Some((_, p)) => self.params(&p.subject.name),
                None => Params::new(),
            };
            self.resolved(&name, &params)
        });
        match resolved {
            None => Work {
                bandwidth,
                ..Work::default()
            },
            Some(w) => Work {
                dims: w.dims.into_iter().collect(),
                flops: Some(w.flops),
                bytes: Some(w.bytes),
                bandwidth,
            },
        }
    }

    fn tell(&mut self, table: &Table<'_>, id: RecordId, p: &record::Profile, held: Vec<Held>) {
        let names = self.bench.workload_names();
        for h in held {
            let row = h.rows.first().map(String::as_str).unwrap_or_default();
            let of = table.record(row);
            let (id, subject) = match of {
                Some((id, p)) => (*id, p.subject.name.clone()),
                None if row.is_empty() => (id, p.subject.name.clone()),
                None => (id, row.to_owned()),
            };
            let workload = match row {
                "" => None,
                row => table.workload(row, &names),
            };
            if h.remark {
                let of = vec![placed(id, h.place.as_deref())];
                self.out.add(FindingView {
                    of,
                    ..remark(&h, &subject, workload.as_deref())
                });
            }
            let outcome = match h.outcome {
                claims::Outcome::Agrees => Outcome::Agrees,
                claims::Outcome::Rounding => Outcome::Rounding,
                claims::Outcome::Disagrees => Outcome::Disagrees,
                claims::Outcome::Ambiguous => Outcome::Ambiguous,
                claims::Outcome::NotRecomputed => Outcome::NotRecomputed,
            };
            if let (Outcome::Disagrees, Some((id, p))) = (outcome, of) {
                self.disagrees(*id, p, &h);
            }
            add(&mut self.figures, outcome, h, id, table, subject, workload);
        }
    }
}

/// A record with where its document prints it.
pub(super) fn placed(id: RecordId, place: Option<&str>) -> String {
    match place {
        Some(place) => format!("{id} ({})", inert(place)),
        None => id.to_string(),
    }
}

fn add(
    list: &mut List,
    outcome: Outcome,
    h: Held,
    id: RecordId,
    table: &Table<'_>,
    subject: String,
    workload: Option<String>,
) {
    list.add(outcome, || {
        let raw = table.records.first().map(|(_, p)| p.raw.sha256.to_string());
        let rows = h.rows.iter().take(ROWS).map(|r| match table.record(r) {
            Some((id, _)) => id.to_string(),
            None => format!("row {r}"),
        });
        let rows: Vec<String> = rows.filter(|r| r != "row ").chain(raw).collect();
        AuditedFigure {
            workload,
            place: h.place.as_deref().map(|p| inert(p).into_owned()),
            figure: h.figure,
            unit: h.unit,
            stated: json!(h.stated),
            printed: Some(h.printed),
            computed: json!(h.computed),
            interval: h.interval,
            why: h.why,
            why_zh: h.why_zh,
            sources: rows,
            ..figure(id.to_string(), "published", subject)
        }
    });
}

/// What is worth knowing of a figure that is right.
fn remark(h: &Held, subject: &str, workload: Option<&str>) -> FindingView {
    let on = workload.map(|w| format!(" on {w}")).unwrap_or_default();
    FindingView {
        rule: "one-display-step".into(),
        kind: "audit".into(),
        severity: "info".into(),
        subject: inert(&format!("{subject}{on}")).into_owned(),
        message: inert(&format!("{} {}: {}", h.figure, h.printed, h.why)).into_owned(),
        message_zh: inert(&format!("{} {}：{}", h.figure, h.printed, h.why_zh)).into_owned(),
        advice: "print more digits, or claim neither a gain nor a loss here".into(),
        advice_zh: "请输出更多位数，或不在此声称快慢".into(),
        counters: Vec::new(),
        evidence: String::new(),
        source: "times shown in steps are known to half a step each way".into(),
        source_zh: "按步长显示的时间只精确到前后各半步".into(),
        of: Vec::new(),
    }
}
