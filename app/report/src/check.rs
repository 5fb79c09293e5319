//! Whether a write-up of this campaign can be trusted: rules over the model, each with what it found.
//!
//! The same rules fill the checklist of a pull-request description.

mod evidence;
mod gap;
mod literal;
mod texts;

use std::collections::BTreeSet;

use assay_core::view::{AuditedFigure, FindingView, GateView, ShowView};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::doc::Line;
use crate::figure;
use crate::model::was_accepted;
use crate::said::{about, figure_name, own_language};
use crate::strings::{Strings, fill};
use crate::{Lang, ReportModel};

pub use gap::placeholders;
pub use literal::{Literal, literals};

/// What a write-up should keep to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// The champion's results were checked on every workload and were right.
    Correct,
    /// No gate of an accepted variant failed.
    Gates,
    /// The claim rests on a verdict FASTER that nobody contests.
    Verdict,
    /// The branches of accepted variants hold what was measured.
    Fresh,
    /// The evidence of the accepted variants comes from one environment.
    OneEnvironment,
    /// The evidence of the accepted variants comes from one evaluator.
    OneEvaluator,
    /// Counters and times of an accepted variant are of one build.
    OneBuild,
    /// The figures of a variant are of one commit.
    OneCommit,
    /// The noise floor is known, and not above delta.
    Noise,
    /// Every workload has formulas for its operations and bytes.
    Formulas,
    /// Kernels that were broken on purpose were noticed.
    Canaries,
    /// No text has a place that somebody still has to fill in.
    Placeholders,
    /// No figure is impossible, and none comes out otherwise than it is stated.
    Audit,
    /// The champion and every baseline have a time on every workload.
    Compared,
    /// The champion has counters on every workload.
    Profiled,
    /// Method, environment and device of the times are recorded.
    Recorded,
    /// Evaluator and measured version are known by their full commits.
    Commits,
    /// Every figure is what the record beside it says.
    Cited,
    /// Every record and every figure came out again.
    Verified,
}

/// A rule, and what it came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checked {
    /// The rule.
    pub rule: Rule,
    /// Whether it is kept; absent where that cannot be said.
    pub holds: Option<bool>,
    /// What stands against it or is not known, each on one line.
    pub found: Vec<String>,
}

/// What verification of the ledger came to.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Verification {
    /// What is wrong.
    pub problems: Vec<String>,
    /// Things that could not be checked.
    pub unchecked: usize,
}

impl Rule {
    /// What the rule asks for, in words.
    pub fn text(self, lang: Lang) -> &'static str {
        self.words(lang.strings())
    }

    pub(crate) fn words(self, s: &Strings) -> &'static str {
        match self {
            Self::Correct => s.ck_correct,
            Self::Gates => s.ck_gates,
            Self::Verdict => s.ck_verdict,
            Self::Fresh => s.ck_fresh,
            Self::OneEnvironment => s.ck_one_environment,
            Self::OneEvaluator => s.ck_one_evaluator,
            Self::OneBuild => s.ck_one_build,
            Self::OneCommit => s.ck_one_commit,
            Self::Noise => s.ck_noise,
            Self::Formulas => s.ck_formulas,
            Self::Canaries => s.ck_canaries,
            Self::Placeholders => s.ck_placeholders,
            Self::Audit => s.ck_audit,
            Self::Compared => s.ck_compared,
            Self::Profiled => s.ck_profiled,
            Self::Recorded => s.ck_recorded,
            Self::Commits => s.ck_commits,
            Self::Cited => s.ck_cited,
            Self::Verified => s.ck_verified,
        }
    }
}

/// Holds the campaign to every rule that can apply to it; what was found is told in a language.
pub fn check(m: &ReportModel, lang: Lang) -> Vec<Checked> {
    let s = lang.strings();
    let mut out = Vec::new();
    let mut add = |rule, (holds, found)| out.push(Checked { rule, holds, found });
    // Of no accepted variant every rule on them would hold, and say nothing.
    let any = m.list.variants.iter().any(was_accepted);
    let of_accepted = |outcome: Outcome| match any {
        true => outcome,
        false => unknown(s.chain_none),
    };
    // Published figures are compared; what was measured, built and checked is not known here.
    if !m.is_published() {
        add(Rule::Correct, correct(m, s));
        add(Rule::Gates, of_accepted(gates(m, s, lang)));
        add(Rule::Verdict, verdict(m, s));
        add(Rule::Fresh, of_accepted(none_of(stale(m))));
        let environments = differing_keys(&m.shows);
        let environments = environments.into_iter().map(str::to_owned).collect();
        add(Rule::OneEnvironment, of_accepted(none_of(environments)));
        add(
            Rule::OneEvaluator,
            of_accepted(none_of(m.other_evaluators.clone())),
        );
        add(Rule::OneBuild, of_accepted(none_of(m.other_builds.clone())));
        add(Rule::Noise, noise(m, s));
        add(Rule::Canaries, canaries(m, s));
    } else if has_judged_gates(m) {
        // Whoever set a gate aside did that here, whatever was published.
        add(Rule::Gates, gates(m, s, lang));
    }
    add(Rule::OneCommit, one_commit(m, s, lang));
    add(Rule::Formulas, formulas(m, s, lang));
    add(Rule::Placeholders, none_of(texts::placeholders(m, s)));
    add(Rule::Audit, audit(m, s, lang));
    for (rule, missing) in evidence::all(m, s) {
        add(rule, missing);
    }
    add(
        Rule::Cited,
        match &m.miscited {
            Some(found) => none_of(found.clone()),
            None => unknown(s.ck_not_cited),
        },
    );
    add(Rule::Verified, verified(m, s));
    out
}

type Outcome = (Option<bool>, Vec<String>);

/// Words with values of the model in them.
fn told<const N: usize>(template: &'static str, values: [&str; N]) -> String {
    fill(template, &values.map(Line::outside)).plain()
}

fn unknown(why: &str) -> Outcome {
    (None, vec![why.to_owned()])
}

fn none_of(found: Vec<String>) -> Outcome {
    (Some(found.is_empty()), found)
}

fn correct(m: &ReportModel, s: &Strings) -> Outcome {
    let champion = m.claim().and_then(|c| m.show(&c.variant));
    let Some(show) = champion else {
        return unknown(s.ck_no_champion);
    };
    let mut found = Vec::new();
    for w in &m.list.workloads {
        match show.checks.iter().find(|c| &c.workload == w) {
            Some(c) if c.ok => {}
            Some(c) => found.push(format!("{w}: {}", c.detail)),
            None => found.push(told(s.ck_not_checked, [w])),
        }
    }
    none_of(found)
}

/// Whether a gate of an accepted variant was judged or set aside.
fn has_judged_gates(m: &ReportModel) -> bool {
    let rows = m.list.variants.iter().filter(|v| was_accepted(v));
    let mut gates = rows.flat_map(|v| &v.gates);
    gates.any(|g| g.pass.is_some() || g.overridden.is_some())
}

fn gates(m: &ReportModel, s: &Strings, lang: Lang) -> Outcome {
    let (mut failed, mut open) = (Vec::new(), Vec::new());
    for row in m.list.variants.iter().filter(|v| was_accepted(v)) {
        // A gate may pass by now and have been set aside when it was decided on.
        let kept = |g: &&GateView| g.pass == Some(true) && g.overridden.is_none();
        for g in row.gates.iter().filter(|g| !kept(g)) {
            let name = format!("{}, {}", row.name, g.name);
            let evidence = own_language(lang, &g.evidence);
            match (&g.overridden, g.pass) {
                (Some(why), _) => {
                    let why = own_language(lang, why);
                    failed.push(told(s.gate_overridden, [&name, &why]));
                }
                (None, Some(_)) => failed.push(told(s.gate_failed, [&name, &evidence])),
                (None, None) => open.push(told(s.gate_unknown, [&name, &evidence])),
            }
        }
    }
    match (failed.is_empty(), open.is_empty()) {
        (false, _) => (Some(false), failed),
        (true, false) => (None, open),
        (true, true) => (Some(true), Vec::new()),
    }
}

fn verdict(m: &ReportModel, s: &Strings) -> Outcome {
    if !m.list.contested.is_empty() {
        return (Some(false), vec![m.list.contested.join(", ")]);
    }
    let given_up = given_up(m, s);
    if !given_up.is_empty() {
        return (Some(false), given_up);
    }
    let Some(claim) = m.claim() else {
        return unknown(s.ck_no_claim);
    };
    match claim.verdict.as_deref() {
        Some("FASTER") => (Some(true), Vec::new()),
        Some(word) => (Some(false), vec![format!("{}: {word}", claim.variant)]),
        None => (None, vec![told(s.ck_no_verdict, [&claim.variant])]),
    }
}

/// Accepted steps that somebody rejected or parked later, as a merge may bring it: the champion rests on
/// them all the same.
fn given_up(m: &ReportModel, s: &Strings) -> Vec<String> {
    let rows = m.list.variants.iter();
    let steps = rows.filter(|v| matches!(v.status.as_str(), "champion" | "accepted" | "contested"));
    let decided = steps.filter_map(|v| Some((v, v.decision.as_ref()?)));
    (decided.filter(|(_, d)| matches!(d.kind.as_str(), "reject" | "park")))
        .map(|(v, d)| told(s.ck_step_given_up, [&v.name, &d.kind]))
        .collect()
}

fn stale(m: &ReportModel) -> Vec<String> {
    let rows = m.list.variants.iter();
    let stale = rows.filter(|v| was_accepted(v) && v.stale);
    stale.map(|v| v.name.clone()).collect()
}

fn noise(m: &ReportModel, s: &Strings) -> Outcome {
    match (m.protocol.noise_floor, m.protocol.delta) {
        (None, _) => unknown(s.ck_no_calibration),
        (Some(floor), Some(delta)) if floor > delta => {
            let [floor, delta] = [floor, delta].map(|x| figure::percent(Some(x)));
            (Some(false), vec![told(s.ck_floor, [&floor, &delta])])
        }
        _ => (Some(true), Vec::new()),
    }
}

fn canaries(m: &ReportModel, s: &Strings) -> Outcome {
    let all = &m.protocol.canaries;
    if all.is_empty() {
        return unknown(s.canary_none);
    }
    let named = |keep: &dyn Fn(&str) -> bool| -> Vec<String> {
        let found = all.iter().filter(|c| keep(&c.outcome));
        found
            .map(|c| format!("{}: {}", c.name, s.canary_outcome(&c.outcome)))
            .collect()
    };
    let survived = named(&|o| o == "survived");
    let open = named(&|o| o != "noticed");
    match (survived.is_empty(), open.is_empty()) {
        (false, _) => (Some(false), survived),
        (true, false) => (None, open),
        (true, true) => (Some(true), Vec::new()),
    }
}

fn formulas(m: &ReportModel, s: &Strings, lang: Lang) -> Outcome {
    if m.task.workloads.is_empty() {
        return unknown(s.ck_no_file);
    }
    let missing = |v: Option<f64>| v.is_none_or(|v| !v.is_finite() || v <= 0.0);
    let mut found = Vec::new();
    for w in &m.task.workloads {
        for (what, value) in [("flops", w.flops), ("bytes", w.bytes)] {
            if missing(value) {
                found.push(told(s.ck_no_formula, [&w.name, what]));
            }
        }
    }
    if !found.is_empty() {
        return none_of(found);
    }
    let figures = m.audit.iter().flat_map(|a| &a.figures);
    let open = figures.filter(|f| f.outcome == "not_recomputed");
    // What is stated without anything that gives it is a figure that nobody can check; where the table
    // or the report is not to be had, it is not known what is stated.
    let (stated, unread): (Vec<&AuditedFigure>, Vec<_>) =
        open.partition(|f| f.printed.is_some() || !f.stated.is_null());
    let told = |f: &&AuditedFigure| {
        let why = match lang {
            Lang::Zh if !f.why_zh.is_empty() => &f.why_zh,
            _ => &f.why,
        };
        let name = figure_name(lang, &f.figure);
        told(s.ck_no_derived, [&f.subject, &name, why])
    };
    let found = stated.iter().chain(&unread).map(told).collect();
    match (stated.is_empty(), unread.is_empty()) {
        (false, _) => (Some(false), found),
        (true, false) => (None, found),
        (true, true) => (Some(true), found),
    }
}

/// The audit rule on evidence of one variant that is of several commits.
const COMMITS: &str = "commits-behind-report";

/// What was measured, profiled and published of a variant is of one content.
fn one_commit(m: &ReportModel, s: &Strings, lang: Lang) -> Outcome {
    let Some(audit) = &m.audit else {
        return unknown(s.ck_not_audited);
    };
    let mixed = audit.findings.iter().filter(|f| f.rule == COMMITS);
    none_of(mixed.map(|f| finding(lang, f)).collect())
}

/// A finding of the audit on one line, with the records that it is of.
fn finding(lang: Lang, f: &FindingView) -> String {
    let text = match lang {
        Lang::Zh if !f.message_zh.is_empty() => {
            format!("{}：{}", about(lang, &f.subject), f.message_zh)
        }
        _ => format!("{}: {}", f.subject, f.message),
    };
    match f.rule.as_str() {
        COMMITS if !f.of.is_empty() => format!("{text} ({})", f.of.join("; ")),
        _ => text,
    }
}

/// Findings that are errors, and figures that come out otherwise. One that holds in another meaning only
/// leaves it open. Where not all agree, what the audit counts stands beside it.
fn audit(m: &ReportModel, s: &Strings, lang: Lang) -> Outcome {
    let Some(audit) = &m.audit else {
        return unknown(s.ck_not_audited);
    };
    let errors = audit.findings.iter().filter(|f| f.severity == "error");
    let mut found: Vec<String> = errors.map(|f| finding(lang, f)).collect();
    let of = |outcome: &str, template| {
        let figures = audit.figures.iter().filter(|f| f.outcome == outcome);
        figures
            .map(|f| beside(lang, f, template))
            .collect::<Vec<_>>()
    };
    found.extend(of("disagrees", s.ck_disagree));
    let t = &audit.figure_totals;
    // Of very many figures not all are listed.
    let is_wrong = !found.is_empty() || t.disagrees > 0;
    let open = of("ambiguous", s.ck_ambiguous);
    let is_open = t.ambiguous > 0 || !open.is_empty();
    found.extend(open);
    if t.rounding + t.ambiguous + t.disagrees > 0 {
        let counts = t.counts().map(|n| n.to_string());
        found.push(told(s.au_totals, counts.each_ref().map(String::as_str)));
    }
    match (is_wrong, is_open) {
        (true, _) => (Some(false), found),
        (false, true) => (None, found),
        (false, false) => (Some(true), found),
    }
}

/// A derived figure as it is stated, and what it comes to.
fn beside(lang: Lang, f: &AuditedFigure, template: &'static str) -> String {
    let value = |v: &Value| match v {
        Value::Number(n) => {
            let number = n.as_f64().map(|n| figure::with_unit(n, &f.unit).plain());
            number.unwrap_or_else(|| n.to_string())
        }
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let stated = f.printed.clone().unwrap_or_else(|| value(&f.stated));
    let computed = value(&f.computed);
    let name = figure_name(lang, &f.figure);
    told(template, [&f.subject, &name, &stated, &computed])
}

fn verified(m: &ReportModel, s: &Strings) -> Outcome {
    match &m.verified {
        None => unknown(s.ck_not_asked),
        Some(v) if !v.problems.is_empty() => (Some(false), v.problems.clone()),
        Some(v) if v.unchecked > 0 => {
            let count = v.unchecked.to_string();
            (None, vec![told(s.ck_unchecked, [&count])])
        }
        Some(_) => (Some(true), Vec::new()),
    }
}

/// What is never twice the same on a machine, and is recorded to explain a single measurement.
fn is_momentary(key: &str) -> bool {
    let what = key.split('.').next().unwrap_or(key);
    let load = what.starts_with("load");
    load || matches!(what, "running" | "pressure" | "mhz" | "celsius" | "busy")
}

/// Keys of the environment that two accepted variants have with different values.
pub(crate) fn differing_keys(shows: &[ShowView]) -> BTreeSet<&str> {
    let mut first = std::collections::BTreeMap::new();
    let mut out = BTreeSet::new();
    for (k, v) in shows
        .iter()
        .filter(|v| was_accepted(&v.variant))
        .flat_map(|v| &v.environment)
        .filter(|(k, _)| !is_momentary(k))
    {
        if *first.entry(k.as_str()).or_insert(v) != v {
            out.insert(k.as_str());
        }
    }
    out
}
