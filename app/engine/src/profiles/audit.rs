//! `assay audit`: what in the profiles of a campaign cannot be right, or is not what it seems.

use std::collections::{BTreeMap, BTreeSet};

use assay_core::RecordId;
use assay_core::campaign::{Params, ResolvedWorkload};
use assay_core::fold::State;
use assay_core::record::{self, Body, SourceCheck};
use assay_core::text::inert;
use assay_core::view::{AuditView, FindingView, NotJudged, UsedFigure};
use assay_profile::rules::{Context, Found, Kind, on_campaign, on_launch, on_pair};

use super::content::settings;
use super::context;
use super::stored::{Reread, present, profiles};
use crate::data::Data;
use crate::error::Result;
use crate::workbench::Workbench;

/// Severities, the worst first.
const SEVERITIES: [&str; 3] = ["error", "warning", "info"];

impl Workbench {
    /// Holds the profiles of a variant, or of all variants that have some and the champion, against
    /// the audit rules.
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
        let mut audit = Audit {
            bench: self,
            state: &state,
            data,
            read: BTreeMap::new(),
            out: Collected::default(),
        };
        audit.out.notices.extend(data.notices.iter().cloned());
        audit.workloads();
        for name in &names {
            audit.variant(name)?;
        }
        let mut view = audit.out.view(&self.campaign);
        view.variants = names;
        Ok(view)
    }
}

/// An audit on its way.
struct Audit<'a> {
    bench: &'a Workbench,
    state: &'a State,
    data: &'a Data,
    /// Profiles that were read again; nothing for one that cannot be.
    read: BTreeMap<RecordId, Option<std::rc::Rc<Reread>>>,
    out: Collected,
}

impl Audit<'_> {
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
            self.out.campaign(found, &["workload."], &subject);
        }
    }

    fn variant(&mut self, name: &str) -> Result<()> {
        let content = context::standing_content(self.bench, self.state, name)?;
        let mut known = Context::default();
        context::history(self.state, name, content, &mut known);
        let found = on_campaign(&self.data.rules, name, &known);
        self.out.campaign(found, &["history."], name);
        self.sources(name);
        let params = self.params(name);
        self.quoted(name, &params);
        let records: Vec<(RecordId, record::Profile)> = newest(self.state, name)
            .map(|(id, p)| (id, p.clone()))
            .collect();
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

    /// What the campaign quotes of a variant on each workload: its own times and published figures.
    fn quoted(&mut self, name: &str, params: &Params) {
        let measurement = context::measurement(self.state, name);
        let published: Vec<&record::Profile> = newest(self.state, name)
            .map(|(_, p)| p)
            .filter(|p| p.is_published())
            .collect();
        let measured = measurement.into_iter().flat_map(|m| &m.summary);
        let workloads: BTreeSet<&str> = (measured.map(|s| s.workload.as_str()))
            .chain(published.iter().map(|p| p.workload.as_str()))
            .collect();
        for workload in workloads {
            let mut known = Context::default();
            if let Some(w) = self.resolved(workload, params) {
                context::workload(&w, &mut known);
            }
            if let Some(m) = measurement {
                context::bench(m, name, workload, &mut known);
            }
            if let Some(p) = published.iter().find(|p| p.workload == workload) {
                context::claims(p, &mut known);
            }
            let subject = format!("{name} on {workload}");
            let mut found = on_campaign(&self.data.rules, &subject, &known);
            // The formulas alone were looked at once for the campaign.
            let quoted = |c: &UsedFigure| !c.name.starts_with("workload.");
            found.findings.retain(|f| f.counters.iter().any(quoted));
            self.out.campaign(found, &["claim.", "bench."], &subject);
        }
    }

    /// Whether the reports were shown to be of the source that they are filed under.
    fn sources(&mut self, name: &str) {
        let imported: Vec<&record::Profile> = newest(self.state, name)
            .map(|(_, p)| p)
            .filter(|p| !p.is_published())
            .collect();
        for p in imported {
            let Some(import) = &p.import else { continue };
            let subject = format!("{name} on {}", p.workload);
            let tool = &p.tool;
            let note = import.note.as_deref().unwrap_or_default();
            match import.source_checked {
                SourceCheck::Same => {}
                SourceCheck::Unchecked => self.out.add(finding(
                    "source-not-checked",
                    "info",
                    &subject,
                    [
                        &format!("the report of {tool} was filed without its source: nothing shows that it is of this kernel"),
                        &format!("{tool} 报告导入时没有提供源码：无法证明它属于这个内核"),
                    ],
                    [
                        "import it with --source FILE, the generated source that was profiled",
                        "导入时用 --source FILE 提供被分析的生成源码",
                    ],
                    "source_checked = unchecked",
                )),
                SourceCheck::Differs => self.out.add(finding(
                    "profile-of-other-source",
                    "error",
                    &subject,
                    [
                        &format!("the report of {tool} is not of this source: what was given with it differs from what is generated here (note: {note})"),
                        &format!("{tool} 报告不属于这份源码：随报告提供的源码与这里生成的不同（备注：{note}）"),
                    ],
                    [
                        "profile the variant as it stands",
                        "对当前版本重新采集",
                    ],
                    "source_checked = differs",
                )),
            }
        }
    }

    fn params(&self, name: &str) -> Params {
        let Some(config) = &self.bench.config else {
            return Params::new();
        };
        let tip = self.bench.tip(name);
        let settings = tip.and_then(|tip| settings(self.bench, tip));
        settings
            .map(|s| s.effective(&config.params))
            .unwrap_or_default()
    }

    fn resolved(&self, workload: &str, params: &Params) -> Option<ResolvedWorkload> {
        let config = self.bench.config.as_ref()?;
        config.resolve(config.workload(workload)?, params).ok()
    }

    /// One report: each launch that it is about.
    fn profile(&mut self, name: &str, id: RecordId, p: &record::Profile, params: &Params) {
        let Some(read) = self.reread(id, p) else {
            return;
        };
        let mut known = Context::default();
        let resolved = self.resolved(&p.workload, params);
        if let Some(w) = &resolved {
            context::workload(w, &mut known);
        }
        if let Some(m) = context::measurement(self.state, name) {
            context::bench(m, name, &p.workload, &mut known);
        }
        let published =
            present(self.state, name).find(|(_, o)| o.is_published() && o.workload == p.workload);
        if let Some((_, published)) = published {
            context::claims(published, &mut known);
        }
        let target = context::target(self.bench, p);
        let dtype = resolved.as_ref().map(|w| w.dtype.as_str());
        let problem = context::device(target, &read.profile, dtype, self.data, &mut known);
        if let Some(problem) = problem {
            self.out.notice(problem);
        }
        let subject = format!("{name} on {}", p.workload);
        let all = read.chosen.launches.len();
        for launch in read.launches() {
            let found = on_launch(&self.data.rules, Kind::Audit, &read.profile, launch, &known);
            self.out.launch(found, &subject, all);
        }
    }

    /// A report against that of the variant's parent, or of what it was measured against.
    fn pair(&mut self, name: &str, id: RecordId, p: &record::Profile, other: &str) {
        let beside = newest(self.state, other)
            .find(|(_, o)| o.workload == p.workload && o.is_published() == p.is_published());
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
        let found = on_pair(&self.data.rules, Kind::Audit, sides.0, sides.1, &known);
        let subject = format!("{name} against {other} on {}", p.workload);
        self.out.launch(found, &subject, 1);
    }

    /// The parents of a variant and what it was measured against.
    fn others(&self, name: &str) -> Vec<String> {
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

    fn reread(&mut self, id: RecordId, p: &record::Profile) -> Option<std::rc::Rc<Reread>> {
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

/// The newest profile of the present content for each workload and tool.
pub(super) fn newest<'s>(
    state: &'s State,
    name: &str,
) -> impl Iterator<Item = (RecordId, &'s record::Profile)> {
    let mut seen: BTreeSet<(&str, &str)> = BTreeSet::new();
    present(state, name).filter(move |(_, p)| seen.insert((&p.workload, &p.tool)))
}

/// What was found so far.
#[derive(Default)]
struct Collected {
    findings: Vec<FindingView>,
    /// How often, by place.
    times: Vec<usize>,
    not_judged: BTreeSet<NotJudged>,
    notices: Vec<String>,
}

impl Collected {
    fn notice(&mut self, text: String) {
        if !self.notices.contains(&text) {
            self.notices.push(text);
        }
    }

    /// Adds a finding, unless it was made already on the same figures.
    fn add(&mut self, finding: FindingView) {
        let within = |a: &str, b: &str| {
            let rest = a.strip_prefix(b);
            rest.is_some_and(|r| r.is_empty() || r.starts_with(": "))
        };
        let same = |f: &FindingView| {
            f.rule == finding.rule
                && f.message == finding.message
                && (within(&f.subject, &finding.subject) || within(&finding.subject, &f.subject))
        };
        if !self.findings.iter().any(same) {
            self.findings.push(finding);
            self.times.push(1);
        }
    }

    /// Findings about a campaign. What other rules would have needed is no gap: they are asked
    /// elsewhere, with figures of their own.
    fn campaign(&mut self, found: Found, given: &[&str], subject: &str) {
        found.findings.into_iter().for_each(|f| {
            self.add(FindingView {
                subject: subject.to_owned(),
                ..f
            });
        });
        let ours = |n: &NotJudged| {
            let mut missing = n.missing.iter();
            missing.all(|m| given.iter().any(|g| m.starts_with(g)))
        };
        self.not_judged
            .extend(found.not_judged.into_iter().filter(ours));
    }

    /// Findings about one launch of `all`; those of further launches on the same counters are
    /// counted.
    fn launch(&mut self, found: Found, subject: &str, all: usize) {
        for f in found.findings {
            let f = FindingView {
                subject: format!("{subject}: {}", f.subject),
                ..f
            };
            let names = |f: &FindingView| -> Vec<String> {
                f.counters.iter().map(|c| c.name.clone()).collect()
            };
            let same = |o: &FindingView| {
                o.rule == f.rule && o.subject.starts_with(subject) && names(o) == names(&f)
            };
            match self.findings.iter().position(same) {
                Some(at) if all > 1 => self.times[at] += 1,
                _ => self.add(f),
            }
        }
        self.not_judged
            .extend(found.not_judged.into_iter().map(|n| NotJudged {
                subject: subject.to_owned(),
                ..n
            }));
    }

    fn view(self, campaign: &str) -> AuditView {
        let mut findings: Vec<FindingView> = (self.findings.into_iter().zip(self.times))
            .map(|(f, times)| match times {
                1 => f,
                n => FindingView {
                    subject: format!("{} (and {} more launches)", f.subject, n - 1),
                    ..f
                },
            })
            .collect();
        let rank = |f: &FindingView| SEVERITIES.iter().position(|s| *s == f.severity);
        findings.sort_by_key(|f| rank(f).unwrap_or(SEVERITIES.len()));
        AuditView {
            schema: "assay.audit/1".into(),
            campaign: campaign.to_owned(),
            variants: Vec::new(),
            findings,
            not_judged: self.not_judged.into_iter().collect(),
            notices: self.notices,
        }
    }
}

fn finding(
    rule: &str,
    severity: &str,
    subject: &str,
    message: [&str; 2],
    advice: [&str; 2],
    evidence: &str,
) -> FindingView {
    FindingView {
        rule: rule.to_owned(),
        kind: "audit".into(),
        severity: severity.to_owned(),
        subject: inert(subject).into_owned(),
        message: inert(message[0]).into_owned(),
        message_zh: inert(message[1]).into_owned(),
        advice: advice[0].to_owned(),
        advice_zh: advice[1].to_owned(),
        counters: Vec::new(),
        evidence: evidence.to_owned(),
        source: "the record of the profile".into(),
    }
}
