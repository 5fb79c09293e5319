//! Rules over counters: what in a report cannot be true, and what the figures say of a kernel.
//!
//! Rules are data, in `profiles/rules/`: a condition in the language of gate rules
//! ([`assay_core::gate`]), and messages with the figures in braces. A condition over a figure that
//! is not there is not judged, never taken to hold or not to hold.

mod builtin;
mod judge;
mod load;
mod movement;
mod names;
mod scene;
mod show;
mod side;
mod template;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use assay_core::gate::Rule as Condition;
use assay_core::view::{FindingView, NotJudged};

use crate::{Catalog, Launch, Profile};

pub use load::RuleError;

use names::Vocabulary;
use template::Template;

/// The schema that this version reads.
pub const SCHEMA: &str = "assay.rules/1";

/// What a rule is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The figures cannot be right, or do not mean what they seem to.
    Audit,
    /// What the figures say about the kernel.
    Diagnosis,
}

impl Kind {
    /// The name in files and views.
    pub fn name(self) -> &'static str {
        match self {
            Self::Audit => "audit",
            Self::Diagnosis => "diagnosis",
        }
    }
}

/// What a rule is tried on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum On {
    /// One launch of a report.
    Launch,
    /// A launch against another one.
    Pair,
    /// What is known of a campaign, without a report.
    Campaign,
    /// Published figures and the like, wherever they are: a launch whose report holds one of them,
    /// and a campaign.
    Figures,
}

/// How bad it is when a rule holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The figures must not be used.
    Error,
    /// The figures must be read with care.
    Warning,
    /// Worth knowing.
    Info,
}

impl Severity {
    /// The name in files and views.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Info => "info",
        }
    }
}

/// One rule.
#[derive(Debug, Clone)]
pub struct Rule {
    id: String,
    kind: Kind,
    on: On,
    severity: Severity,
    tools: Vec<String>,
    each_pattern: Option<String>,
    each: Option<Vec<String>>,
    when: Condition,
    needs: Vec<String>,
    message: Template,
    message_zh: Template,
    advice: Option<Template>,
    advice_zh: Option<Template>,
    also: Vec<Also>,
    source: String,
    source_zh: String,
    file: String,
    line: usize,
}

/// Evidence that is added to the message of a rule when it is there.
#[derive(Debug, Clone)]
struct Also {
    when: Condition,
    message: Template,
    message_zh: Template,
}

impl Rule {
    /// Name, unique among all rules.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// What it is for.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// What it is tried on.
    pub fn on(&self) -> On {
        self.on
    }

    /// How bad it is when it holds.
    pub fn severity(&self) -> Severity {
        self.severity
    }

    /// The tools whose reports it is for; empty for all.
    pub fn tools(&self) -> &[String] {
        &self.tools
    }

    /// The counters that it is tried on one by one, as a pattern.
    pub fn each(&self) -> Option<&str> {
        self.each_pattern.as_deref()
    }

    /// The condition as written.
    pub fn condition(&self) -> &str {
        self.when.source()
    }

    /// Where it and its thresholds come from.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The same in Chinese; empty where the file does not say it.
    pub fn source_zh(&self) -> &str {
        &self.source_zh
    }

    /// File and line that it was read from.
    pub fn place(&self) -> (&str, usize) {
        (&self.file, self.line)
    }
}

/// Rules that have been read.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    words: Vocabulary,
    rules: Vec<Rule>,
}

static DEFAULT: LazyLock<Rules> = LazyLock::new(|| {
    // A test holds the built-in files to be valid; without rules nothing would be found.
    Rules::load(builtin::FILES.iter().copied(), Catalog::builtin()).unwrap_or_default()
});

impl Rules {
    /// The rules that are built in.
    pub fn builtin() -> &'static Self {
        &DEFAULT
    }

    /// The files of the built-in rules, as (name, content).
    pub fn builtin_files() -> &'static [(&'static str, &'static str)] {
        builtin::FILES
    }

    /// Reads rule files, given as (name, content).
    ///
    /// # Errors
    /// Names file and line of the first thing that is wrong: a key or name that is not known, a
    /// condition that is none, a pattern that matches no counter, a rule that is there twice.
    pub fn load<'a>(
        files: impl IntoIterator<Item = (&'a str, &'a str)>,
        catalog: &Catalog,
    ) -> Result<Self, RuleError> {
        load::load(files, catalog)
    }

    /// The built-in rules and those of one's own, given as (name, content), read against a catalog;
    /// a rule of one's own replaces the built-in one of its name, and one of an earlier file.
    ///
    /// # Errors
    /// As [`Rules::load`].
    pub fn builtin_and<'a>(
        own: impl IntoIterator<Item = (&'a str, &'a str)>,
        catalog: &Catalog,
    ) -> Result<Self, RuleError> {
        let mut all = Self::load(builtin::FILES.iter().copied(), catalog)?;
        for file in own {
            for rule in Self::load([file], catalog)?.rules {
                match all.rules.iter_mut().find(|r| r.id == rule.id) {
                    Some(old) => *old = rule,
                    None => all.rules.push(rule),
                }
            }
        }
        Ok(all)
    }

    /// The rules in the order of the files.
    pub fn iter(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter()
    }
}

/// The names that rules may use beside counters: name, unit, meaning.
pub fn known_names() -> &'static [(&'static str, &'static str, &'static str)] {
    names::NAMES
}

/// Figures that no report holds: of the device, the workload, the claims, the benchmark and the
/// history of a campaign, by their names in rules.
///
/// `claim.*`, `bench.*` and counters may have `a.` or `b.` before them in a pair. With `res.` before
/// it, what the last printed digit of a figure is worth. Conditions may also ask `known.NAME`:
/// 1 when the figure is there and 0 when not.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Context {
    values: BTreeMap<String, f64>,
}

impl Context {
    /// Sets a figure; one that is not finite is taken for absent.
    pub fn set(&mut self, name: impl Into<String>, value: f64) -> &mut Self {
        let name = name.into();
        if value.is_finite() {
            self.values.insert(name, value);
        } else {
            self.values.remove(&name);
        }
        self
    }

    /// A figure.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.values.get(name).copied()
    }

    /// All figures, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, f64)> {
        self.values.iter().map(|(name, v)| (name.as_str(), *v))
    }
}

impl<N: Into<String>> Extend<(N, f64)> for Context {
    fn extend<I: IntoIterator<Item = (N, f64)>>(&mut self, figures: I) {
        for (name, value) in figures {
            self.set(name, value);
        }
    }
}

/// What rules found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    /// The findings in the order of the rules.
    pub findings: Vec<FindingView>,
    /// The audit rules that could not be judged.
    pub not_judged: Vec<NotJudged>,
}

/// Tries the rules on one launch of a report.
pub fn on_launch(
    rules: &Rules,
    kind: Kind,
    profile: &Profile,
    launch: &Launch,
    context: &Context,
) -> Found {
    let side = side::Side::new(&rules.words, profile, launch);
    let scene = scene::Scene::of_launch(&rules.words, &side, context);
    let subject = scene::of_several(profile, launch);
    let tried = rules.iter().filter(|r| {
        let fits = r.on == On::Launch || (r.on == On::Figures && judge::concerns(r, &side));
        fits && r.kind == kind && judge::covers(r, &[&profile.tool])
    });
    judge::all(tried, &scene, &subject)
}

/// Tries the rules on launch `b` against launch `a`.
pub fn on_pair(
    rules: &Rules,
    kind: Kind,
    a: (&Profile, &Launch),
    b: (&Profile, &Launch),
    context: &Context,
) -> Found {
    let (left, right) = (
        side::Side::new(&rules.words, a.0, a.1),
        side::Side::new(&rules.words, b.0, b.1),
    );
    let scene = scene::Scene::of_pair(&rules.words, &left, &right, context);
    let (from, to) = (scene::of_several(a.0, a.1), scene::of_several(b.0, b.1));
    let subject = if from == to {
        to
    } else {
        format!("{from} -> {to}")
    };
    let tried = rules.iter().filter(|r| {
        r.on == On::Pair && r.kind == kind && judge::covers(r, &[&a.0.tool, &b.0.tool])
    });
    judge::all(tried, &scene, &subject)
}

/// Whether rules about faster or slower can be judged on launch `b` against launch `a`: there is a
/// verdict, or a published time on both sides.
pub fn has_time(
    rules: &Rules,
    a: (&Profile, &Launch),
    b: (&Profile, &Launch),
    context: &Context,
) -> bool {
    let (left, right) = (
        side::Side::new(&rules.words, a.0, a.1),
        side::Side::new(&rules.words, b.0, b.1),
    );
    let scene = scene::Scene::of_pair(&rules.words, &left, &right, context);
    let names = [
        "time.change",
        "verdict.faster",
        "verdict.slower",
        "verdict.same",
    ];
    names.iter().any(|n| scene.value(n, None).is_some())
}

/// Tries the audit rules of a campaign on what is known of a variant or workload.
pub fn on_campaign(rules: &Rules, subject: &str, context: &Context) -> Found {
    let scene = scene::Scene::of_campaign(&rules.words, context);
    let subject = assay_core::text::inert(subject);
    let tried = rules
        .iter()
        .filter(|r| matches!(r.on, On::Campaign | On::Figures));
    judge::all(tried, &scene, &subject)
}
