//! `assay audit`: what in the profiles of a campaign cannot be right, or is not what it seems.

use std::collections::{BTreeMap, BTreeSet};

use assay_core::RecordId;
use assay_core::campaign::{Params, ResolvedWorkload};
use assay_core::fold::State;
use assay_core::record::{self, Body, DecisionKind};
use assay_core::text::inert;
use assay_core::view::{AuditView, FindingView, UsedFigure};
use assay_profile::launch_figures;
use assay_profile::rules::{Context, Found, Kind, on_campaign, on_launch, on_pair};

use super::claimed::placed;
use super::collect::Collected;
use super::content::settings;
use super::context;
use super::doubted::Doubts;
use super::provenance::{filed_twice, finding, of_source};
use super::select::middle;
use super::steps;
use super::stored::{Reread, present, profiles};
use crate::data::Data;
use crate::error::Result;
use crate::figures::{List, counters, decisions, samples};
use crate::workbench::Workbench;

impl Workbench {
    /// Holds the profiles of a variant, or of all variants that have some and the champion, against
    /// the audit rules, and computes derived figures again: those of the variant, or of all records.
    ///
    /// # Errors
    /// When the variant is unknown or the ledger cannot be read. A profile that cannot be read
    /// again is no error: it is told.
    pub fn audit(&self, name: Option<&str>, data: &Data) -> Result<AuditView> {
        let state = self.state()?;
        let names: Vec<String> = match name {
            Some(text) => vec![self.resolve(text)?],
            None => (state.variants().keys())
                .filter(|n| {
                    profiles(&state, n).next().is_some() || state.champion().name() == Some(*n)
                })
                .cloned()
                .collect(),
        };
        let audit = self.audited(&state, data, name.is_some(), &names)?;
        let Audit {
            out, mut figures, ..
        } = audit;
        match name.and(names.first()) {
            Some(one) => {
                let decisions = state.decisions().filter(|(_, d)| d.variant == *one);
                let decisions = decisions.filter_map(|(id, _)| state.get(id));
                figures.extend(samples(self, &state, state.owned(one)));
                figures.extend(self::decisions(&state, decisions));
            }
            None => {
                figures.extend(samples(self, &state, state.active()));
                figures.extend(self::decisions(&state, state.active()));
                figures.extend(self.log_figures(&state));
            }
        }
        let mut view = out.view(&self.campaign);
        (view.figures, view.figure_totals) = figures.finish();
        view.variants = names;
        Ok(view)
    }
}

impl Workbench {
    /// The audit without what follows from raw samples, which `verify` computes again: what a
    /// write-up should tell of itself. Of many variants the accepted ones are looked at, then the newest; the
    /// view says how many were not.
    pub(crate) fn audit_in_short(&self, state: &State, data: &Data) -> Result<AuditView> {
        let accepted = |n: &str| {
            let mut decided = state.decisions().filter(|(_, d)| d.variant == n);
            decided.any(|(_, d)| d.kind == DecisionKind::Accept)
        };
        let with_profiles = |n: &&String| profiles(state, n).next().is_some();
        let mut names: Vec<String> = state
            .variants()
            .keys()
            .filter(with_profiles)
            .cloned()
            .collect();
        let all = names.len();
        let cost = |n: &String| -> u64 {
            let reports = newest(state, n).map(|(_, p)| p.raw.bytes.max(LEAST));
            reports.sum()
        };
        let costs: Vec<u64> = names.iter().map(cost).collect();
        if costs.iter().sum::<u64>() > MOST_IN_SHORT {
            let age = |n: &String| state.variant(n).map(|v| v.updated_at);
            names.sort_by_cached_key(|n| std::cmp::Reverse((accepted(n), age(n))));
            let mut left = MOST_IN_SHORT;
            let fits = |n: &String| {
                left = left.saturating_sub(cost(n));
                left > 0
            };
            let most = names.iter().map(fits).take_while(|fits| *fits).count();
            names.truncate(most.max(1));
        }
        let left_out = all - names.len();
        let Audit { out, figures, .. } = self.audited(state, data, false, &names)?;
        let mut view = out.view(&self.campaign);
        (view.figures, view.figure_totals) = figures.finish();
        view.figures.retain(|f| f.outcome != "agrees");
        view.variants = names;
        view.left_out = left_out;
        Ok(view)
    }

    /// Reports and tables of these variants against the audit rules.
    fn audited<'a>(
        &'a self,
        state: &'a State,
        data: &'a Data,
        is_of_one: bool,
        names: &[String],
    ) -> Result<Audit<'a>> {
        let mut audit = Audit::new(self, state, data, Kind::Audit);
        data.notices
            .iter()
            .for_each(|n| audit.out.notice(n.clone()));
        audit.damage();
        audit.workloads();
        let lineage = match is_of_one {
            true => names.to_vec(),
            false => state.variants().keys().cloned().collect(),
        };
        let of_records = filed_twice(state, names).into_iter();
        for f in of_records.chain(steps::of_knobs(state, &lineage)) {
            audit.out.add(f);
        }
        for name in names {
            audit.variant(name)?;
        }
        let one = names.first().filter(|_| is_of_one);
        audit.published_tables(one.map(String::as_str));
        Ok(audit)
    }
}

/// What an audit in short reads of reports, in bytes: 1300 small ones, or some large ones.
const MOST_IN_SHORT: u64 = 64 << 20;

/// What a small report costs as much as.
const LEAST: u64 = 48 << 10;

/// An audit on its way.
pub(super) struct Audit<'a> {
    pub bench: &'a Workbench,
    pub state: &'a State,
    pub data: &'a Data,
    /// Profiles that were read again; nothing for one that cannot be.
    pub(super) read: BTreeMap<RecordId, Option<std::rc::Rc<Reread>>>,
    /// Which rules reports are held against.
    pub(super) kind: Kind,
    pub out: Collected,
    /// Derived figures that were computed again.
    pub figures: List,
    /// Published figures that cannot be right.
    pub(super) doubts: Doubts,
}

impl<'a> Audit<'a> {
    /// One that has looked at nothing yet.
    pub(super) fn new(bench: &'a Workbench, state: &'a State, data: &'a Data, kind: Kind) -> Self {
        Self {
            bench,
            state,
            data,
            read: BTreeMap::new(),
            kind,
            out: Collected::default(),
            figures: List::default(),
            doubts: Doubts::new(),
        }
    }
}

impl Audit<'_> {
    /// What nothing can be said of: no figure of it is among those that agree.
    fn damage(&mut self) {
        let n = self.state.unreadable();
        if n > 0 {
            let damaged = finding(
                "damaged-records",
                "error",
                &self.bench.campaign,
                [
                    &format!(
                        "damaged or unknown records: {n}; no figure of theirs is in this audit"
                    ),
                    &format!("损坏或无法识别的记录：{n}；其数值均未审计"),
                ],
                [
                    "`assay verify` names them; take them from another copy of the ledger",
                    "用 `assay verify` 查看其名称；从账本的另一份副本恢复",
                ],
                &format!("unreadable = {n}"),
            );
            self.out.add(FindingView {
                source: "what the ledger could not read".into(),
                source_zh: "账本中无法读取的内容".into(),
                ..damaged
            });
        }
    }

    /// The formulas of the campaign file, for each workload.
    fn workloads(&mut self) {
        let Some(config) = &self.bench.config else {
            let notice = "the campaign file is not here: formulas are not audited";
            self.out.notice(notice.into());
            return;
        };
        for w in &config.workloads {
            let Ok(resolved) = config.resolve(w, &Params::new()) else {
                continue;
            };
            let mut known = Context::default();
            context::workload(&resolved, &mut known);
            let subject = format!("workload {}", w.name);
            let found = on_campaign(&self.data.rules, &subject, &known);
            let of = resolved.published_flops.map(|_| {
                let key = "assay.toml [formulas] published_flops";
                match &config.formulas.published_where {
                    Some(place) => format!("{key} ({})", inert(place)),
                    None => key.to_owned(),
                }
            });
            let mut found = found;
            for f in &mut found.findings {
                let is_published = |c: &UsedFigure| c.name == "workload.published_flops";
                if f.counters.iter().any(is_published) {
                    f.of.extend(of.clone());
                }
            }
            self.out.campaign(found, &["workload."], &subject);
        }
    }

    fn variant(&mut self, name: &str) -> Result<()> {
        let content = context::standing_content(self.bench, self.state, name)?;
        let mut known = Context::default();
        context::history(self.state, name, content, &mut known);
        let mut found = on_campaign(&self.data.rules, name, &known);
        for f in &mut found.findings {
            f.of = self.standing(name, f.counters.iter().any(|c| c.name == "history.commits"));
        }
        self.out.campaign(found, &["history."], name);
        let records = self.filed(name);
        let found = of_source(
            name,
            records.iter().map(|(_, p)| p),
            self.state.place().read_only,
        );
        found.into_iter().for_each(|f| self.out.add(f));
        let params = self.params(name);
        self.quoted(name, &params);
        for (id, p) in &records {
            self.profile(name, *id, p, &params);
        }
        for other in self.others(name) {
            for (id, p) in &records {
                self.pair(name, *id, p, &other);
            }
        }
        Ok(())
    }

    /// The newest profiles of a variant, in the order of the workloads.
    fn filed(&self, name: &str) -> Vec<(RecordId, record::Profile)> {
        let filed = newest(self.state, name).map(|(id, p)| (id, p.clone()));
        let mut filed: Vec<(RecordId, record::Profile)> = filed.collect();
        let order = &self.state.place().workloads;
        filed.sort_by_key(|(_, p)| order.iter().position(|w| *w == p.workload));
        filed
    }

    /// What findings about the standing of a variant are of: its newest decision, or a record of each
    /// content that its figures are of.
    fn standing(&mut self, name: &str, commits: bool) -> Vec<String> {
        if !commits {
            let mut decided = self.state.decisions().filter(|(_, d)| d.variant == name);
            return decided
                .next_back()
                .map(|(id, _)| id.to_string())
                .into_iter()
                .collect();
        }
        let records = context::contents(self.state, name).into_values();
        let records: Vec<(RecordId, Option<record::Profile>)> =
            records.map(|(id, p)| (id, p.cloned())).collect();
        (records.into_iter())
            .map(|(id, p)| match p {
                Some(p) => self.place(id, &p),
                None => id.to_string(),
            })
            .collect()
    }

    /// A record with where its document prints it.
    fn place(&mut self, id: RecordId, p: &record::Profile) -> String {
        let read = self.reread(id, p);
        let launch = read.as_ref().and_then(|r| r.launch());
        let place = launch.and_then(|l| read.as_ref()?.profile.places.get(&l.kernel));
        placed(id, place.map(String::as_str))
    }

    /// What the campaign itself measured of a variant on each workload. Published figures are rows of
    /// a table, and are held against the rules with the other reports.
    fn quoted(&mut self, name: &str, params: &Params) {
        let Some(m) = context::measurement(self.state, name) else {
            return;
        };
        let workloads: BTreeSet<&str> = m.summary.iter().map(|s| s.workload.as_str()).collect();
        for workload in workloads {
            let mut known = Context::default();
            let resolved = self.resolved(workload, params);
            if let Some(w) = &resolved {
                context::workload(w, &mut known);
            }
            context::bench(m, name, workload, &mut known);
            let run = context::run(self.state, &m.b.name, m.run);
            let config = self.bench.config.as_ref();
            let target = run.and_then(|r| config?.targets.get(&r.target));
            let machine = run.map(|r| &r.environment);
            let dtype = resolved.as_ref().map(|w| w.dtype.as_str());
            let problem = context::device(target, None, machine, dtype, self.data, &mut known);
            problem.into_iter().for_each(|p| self.out.notice(p));
            let subject = format!("{name} on {workload}");
            let mut found = on_campaign(&self.data.rules, &subject, &known);
            // The formulas alone were looked at once for the campaign.
            let quoted = |c: &UsedFigure| !c.name.starts_with("workload.");
            found.findings.retain(|f| f.counters.iter().any(quoted));
            self.out.campaign(found, &["bench."], &subject);
        }
    }

    pub(super) fn params(&self, name: &str) -> Params {
        let Some(config) = &self.bench.config else {
            return Params::new();
        };
        let tip = self.bench.tip(name);
        let settings = tip.and_then(|tip| settings(self.bench, tip));
        settings
            .map(|s| s.effective(&config.params))
            .unwrap_or_default()
    }

    pub(super) fn resolved(&self, workload: &str, params: &Params) -> Option<ResolvedWorkload> {
        let config = self.bench.config.as_ref()?;
        config.resolve(config.workload(workload)?, params).ok()
    }

    /// One report: each launch that it is about.
    pub(super) fn profile(
        &mut self,
        name: &str,
        id: RecordId,
        p: &record::Profile,
        params: &Params,
    ) {
        let Some(read) = self.reread(id, p) else {
            return;
        };
        let launches: Vec<_> = read.launches().map(launch_figures).collect();
        counters(&mut self.figures, id, p, &middle(&launches));
        let subject = match p.workload.as_str() {
            "" => name.to_owned(),
            workload => format!("{name} on {workload}"),
        };
        let all = read.chosen.launches.len();
        let of = [self.place(id, p)];
        for found in self.found(name, id, p, params, &read) {
            self.out.launch(found, &subject, all, &of);
        }
    }

    /// What the rules say of each launch of a report.
    pub(super) fn found(
        &mut self,
        name: &str,
        id: RecordId,
        p: &record::Profile,
        params: &Params,
        read: &Reread,
    ) -> Vec<Found> {
        let mut known = Context::default();
        let resolved = self.resolved(&p.workload, params);
        if let Some(w) = &resolved {
            context::workload(w, &mut known);
        }
        let measured = context::measurement(self.state, name);
        if let Some(m) = measured {
            context::bench(m, name, &p.workload, &mut known);
        }
        let published = newest(self.state, name)
            .find(|(_, o)| o.is_published() && o.workload == p.workload)
            .map(|(id, o)| (id, o.clone()));
        let has_times = published.is_some();
        if let Some((other, o)) = published.filter(|(other, _)| *other != id)
            && let Some(row) = self.reread(other, &o)
        {
            row.launch()
                .into_iter()
                .for_each(|l| context::claims(l, &mut known));
        }
        let target = context::target(self.bench, p);
        if measured.is_none() && has_times {
            context::declared_cache(self.bench, target, &mut known);
        }
        let dtype = resolved.as_ref().map(|w| w.dtype.as_str());
        let machine = context::machine(self.state, p);
        let problem = context::device(
            target,
            Some(&read.profile),
            machine,
            dtype,
            self.data,
            &mut known,
        );
        if let Some(problem) = problem {
            self.out.notice(problem);
        }
        (read.launches())
            .map(|l| on_launch(&self.data.rules, self.kind, &read.profile, l, &known))
            .collect()
    }

    /// A report against that of the variant's parent, or of what it was measured against.
    pub(super) fn pair(&mut self, name: &str, id: RecordId, p: &record::Profile, other: &str) {
        let like = |same_tool: bool| {
            newest(self.state, other).find(|(_, o)| {
                o.workload == p.workload
                    && o.is_published() == p.is_published()
                    && (!same_tool || o.tool == p.tool)
            })
        };
        let in_table = |p: &record::Profile| {
            newest(self.state, other).find(|(_, o)| o.workload == p.workload && of_one_table(o, p))
        };
        let beside = in_table(p).or_else(|| {
            // What another table has beside is not set against this one.
            let mut ours = newest(self.state, name);
            let told = |o: &record::Profile| o.workload == p.workload && o.tool == p.tool;
            let elsewhere = ours.any(|(_, o)| told(o) && in_table(o).is_some());
            (!elsewhere).then(|| like(true).or_else(|| like(false)))?
        });
        let Some((other_id, o)) = beside.map(|(id, o)| (id, o.clone())) else {
            return;
        };
        let (Some(a), Some(b)) = (self.reread(other_id, &o), self.reread(id, p)) else {
            return;
        };
        let (Some(left), Some(right)) = (a.launch(), b.launch()) else {
            return;
        };
        let mut known = Context::default();
        context::of_pair(self.state, other, name, &p.workload, &mut known);
        let sides = ((&a.profile, left), (&b.profile, right));
        let found = on_pair(&self.data.rules, self.kind, sides.0, sides.1, &known);
        let subject = format!("{name} against {other} on {}", p.workload);
        let of = [self.place(other_id, &o), self.place(id, p)];
        self.out.launch(found, &subject, 1, &of);
    }

    /// The parents of a variant and what it was measured against.
    pub(super) fn others(&self, name: &str) -> Vec<String> {
        let Some(v) = self.state.variant(name) else {
            return Vec::new();
        };
        let body = |id: Option<RecordId>| id.and_then(|id| self.state.get(id)).map(|r| &r.body);
        let mut out: Vec<String> = Vec::new();
        if let Some(Body::Variant(declared)) = body(v.declaration) {
            out.extend(declared.parents.iter().cloned());
        }
        if let Some(Body::Verdict(verdict)) = body(v.verdict) {
            out.push(verdict.a.clone());
        }
        let mut seen = BTreeSet::new();
        out.retain(|o| o != name && seen.insert(o.clone()));
        out
    }

    pub(super) fn reread(
        &mut self,
        id: RecordId,
        p: &record::Profile,
    ) -> Option<std::rc::Rc<Reread>> {
        if let Some(known) = self.read.get(&id) {
            return known.clone();
        }
        let read = match self.bench.reread(self.state, p, self.data) {
            Ok(read) => Some(std::rc::Rc::new(read)),
            Err(e) => {
                self.out.notice(format!(
                    "the {} report of {} on {} was not audited: {}",
                    inert(&p.tool),
                    inert(&p.subject.name),
                    inert(&p.workload),
                    e.message
                ));
                None
            }
        };
        self.read.insert(id, read.clone());
        read
    }
}

/// The newest profile of the present content for each workload and tool. Of tables that were read with a
/// mapping there may be several that have different figures; each is one, by the name of its file.
pub(super) fn newest<'s>(
    state: &'s State,
    name: &str,
) -> impl Iterator<Item = (RecordId, &'s record::Profile)> {
    let mut seen: BTreeSet<(&str, &str, Option<&str>)> = BTreeSet::new();
    present(state, name).filter(move |(_, p)| seen.insert((&p.workload, &p.tool, table(p))))
}

/// Name of the table that a profile was read from with a mapping.
pub(super) fn table(p: &record::Profile) -> Option<&str> {
    let mapping = p.import.as_ref()?.mapping.as_ref();
    mapping.map(|_| p.raw.name.as_str())
}

/// Whether two profiles are from one table, of which they are two sides or rows.
pub(super) fn of_one_table(a: &record::Profile, b: &record::Profile) -> bool {
    table(a).is_some() && table(b).is_some() && a.raw.sha256 == b.raw.sha256 && a.tool == b.tool
}
