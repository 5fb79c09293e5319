//! A campaign from its file: what the form alone does not settle is checked here.

use std::collections::BTreeSet;

use toml::de::DeTable;

use super::doc::{Doc, Fault, describe, entries, key_place};
use super::keys::table;
use super::kinds::normal_path;
use super::section::{Section, child, children, numbers, params};
use super::stages::targets;
use super::tables::TABLES;
use super::walk::walk;
use super::{
    Baseline, Campaign, ConfigError, Control, Decide, FILE, Formulas, KernelPaths, Noise, Policy,
    VARIANT_FILE, Workload,
};
use crate::expr::Expr;
use crate::gate::{GateSpec, Rule};

/// Reads a campaign file.
pub(super) fn campaign(text: &str, file: &str) -> Result<Campaign, ConfigError> {
    let mut doc = Doc::new(text, file);
    let root = doc.read();
    if !doc.is_clean() {
        // Half a file makes every later message a guess.
        return Err(doc.into_error());
    }
    walk(&mut doc, TABLES, &root);
    let draft = Draft { root: &root };
    let kernel = draft.kernel(&mut doc);
    let workloads = draft.workloads(&mut doc);
    let baselines = draft.baselines(&mut doc);
    let control = draft.control(&mut doc, &baselines);
    let gates = draft.gates(&mut doc);
    let sections = draft.named(&mut doc, "canary");
    let canaries = super::integrity::canaries(&mut doc, &sections, &kernel);
    let untimed = super::integrity::untimed(&draft.named(&mut doc, "untimed"));
    let dims = draft.dims();
    let params = params(child(&root, "params"));
    super::names::check(&mut doc, &root, &dims, &workloads, &params);
    let mut names: Vec<&str> = workloads.iter().map(|w| w.name.as_str()).collect();
    names.dedup();
    names.retain(|n| !n.is_empty());
    let targets = targets(&mut doc, &root, &names);
    let formulas = draft.section("formulas");
    let (Some(flops), Some(bytes)) = (formulas.formula("flops"), formulas.formula("bytes")) else {
        return Err(doc.into_error());
    };
    let top = Section {
        def: table(TABLES, ""),
        layers: vec![&root],
    };
    let name = top.text("name");
    let title = Some(top.text("title"))
        .filter(|t| !t.is_empty())
        .unwrap_or_else(|| name.clone());
    let campaign = Campaign {
        name,
        title,
        kernel,
        dims,
        formulas: Formulas {
            flops,
            bytes,
            outputs: formulas.formula("outputs"),
            ops_per_output: formulas.formula("ops_per_output"),
            groups: formulas.formula("groups"),
            published_flops: formulas.formula("published_flops"),
            published_where: Some(formulas.text("published_where")).filter(|t| !t.is_empty()),
        },
        workloads,
        params,
        baselines,
        gates,
        canaries,
        untimed,
        decide: draft.decide(),
        noise: Noise {
            max_cv: draft.section("noise").ratio("max_cv"),
        },
        control,
        env_pass: draft.section("env").list("pass"),
        targets,
    };
    if doc.is_clean() {
        draft.evaluate(&mut doc, &campaign);
    }
    if doc.is_clean() {
        Ok(campaign)
    } else {
        Err(doc.into_error())
    }
}

struct Draft<'t, 'a> {
    root: &'t DeTable<'a>,
}

impl<'t, 'a> Draft<'t, 'a> {
    fn section(&self, key: &str) -> Section<'t, 'a> {
        Section {
            def: table(TABLES, key),
            layers: child(self.root, key).into_iter().collect(),
        }
    }

    /// The tables of an array; a name that stands twice is a problem.
    fn named(&self, doc: &mut Doc<'_>, key: &'static str) -> Vec<Section<'t, 'a>> {
        let mut seen: Vec<String> = Vec::new();
        let mut out = Vec::new();
        for (_, t) in children(self.root, key) {
            let section = Section {
                def: table(TABLES, key),
                layers: vec![t],
            };
            let name = section.text("name");
            if let Some(value) = t.get("name").filter(|_| seen.contains(&name)) {
                let found = format!("a second {key} named {}", describe(value.get_ref()));
                doc.fault(
                    value,
                    format!("{key}.name"),
                    Fault::new(found, "a name that is used once"),
                );
            }
            seen.push(name);
            out.push(section);
        }
        out
    }

    fn kernel(&self, doc: &mut Doc<'_>) -> KernelPaths {
        let section = self.section("kernel");
        let normal = |key| {
            section
                .list(key)
                .iter()
                .map(|p| normal_path(p))
                .collect::<Vec<_>>()
        };
        let (paths, mut protected) = (normal("paths"), normal("protected"));
        if !protected.iter().any(|p| p == FILE) {
            protected.push(FILE.to_owned());
        }
        let covers = |a: &str, b: &str| {
            a.is_empty() || a == b || b.strip_prefix(a).is_some_and(|rest| rest.starts_with('/'))
        };
        for (i, path) in paths.iter().enumerate() {
            let Some(other) = protected
                .iter()
                .find(|p| covers(p, path) || covers(path, p))
            else {
                continue;
            };
            if let Some(value) = section.get("paths") {
                let shown = if path.is_empty() { "." } else { path };
                let mut fault = Fault::new(
                    format!("`{shown}`, which overlaps the protected `{other}`"),
                    "paths apart from the protected ones",
                );
                fault.element = Some(i);
                doc.fault(value, "kernel.paths", fault);
            }
        }
        let open = protected.iter().position(|p| covers(p, VARIANT_FILE));
        if let (Some(i), Some(value)) = (open, section.get("protected")) {
            let found = format!("`{VARIANT_FILE}`, which a variant must be able to change");
            let mut fault = Fault::new(found, "files of the evaluator");
            fault.element = Some(i);
            doc.fault(value, "kernel.protected", fault);
        }
        KernelPaths { paths, protected }
    }

    fn workloads(&self, doc: &mut Doc<'_>) -> Vec<Workload> {
        let tables = self.named(doc, "workload");
        let workload = |s: Section<'t, 'a>| Workload {
            name: s.text("name"),
            dims: numbers(s.get("dims").and_then(|v| v.get_ref().as_table())),
            dtype: s.text("dtype"),
            weight: s.number("weight"),
        };
        tables.into_iter().map(workload).collect()
    }

    fn baselines(&self, doc: &mut Doc<'_>) -> Vec<Baseline> {
        let baseline = |s: Section<'t, 'a>| {
            let requires = s.command("requires");
            Some(Baseline {
                name: s.text("name"),
                build: s.command("build")?,
                requires,
            })
        };
        self.named(doc, "baseline")
            .into_iter()
            .filter_map(baseline)
            .collect()
    }

    fn control(&self, doc: &mut Doc<'_>, baselines: &[Baseline]) -> Option<Control> {
        child(self.root, "control")?;
        let s = self.section("control");
        let baseline = s.text("baseline");
        if let Some(value) = s.get("baseline")
            && !baselines.iter().any(|b| b.name == baseline)
        {
            let names: Vec<&str> = baselines.iter().map(|b| b.name.as_str()).collect();
            let expected = match names.as_slice() {
                [] => "the name of a baseline, and there is none: add one with [[baseline]]".into(),
                names => format!("the name of a baseline: {}", names.join(", ")),
            };
            let found = describe(value.get_ref());
            doc.fault(value, "control.baseline", Fault::new(found, expected));
        }
        Some(Control {
            baseline,
            processes: s.number("processes") as u32,
            blocks: s.number("blocks") as u32,
        })
    }

    fn gates(&self, doc: &mut Doc<'_>) -> Vec<GateSpec> {
        let gate = |s: Section<'t, 'a>| {
            let rule = Rule::parse(&s.text("rule")).ok()?;
            Some(GateSpec {
                name: s.text("name"),
                rule,
                message: s.text("message"),
            })
        };
        self.named(doc, "gate")
            .into_iter()
            .filter_map(gate)
            .collect()
    }

    fn dims(&self) -> Vec<(String, Expr)> {
        let Some(t) = child(self.root, "dims") else {
            return Vec::new();
        };
        let dim = |name: &str, text: &str| Some((name.to_owned(), Expr::parse(text).ok()?));
        entries(t)
            .into_iter()
            .filter_map(|(k, v)| dim(k.get_ref(), v.get_ref().as_str()?))
            .collect()
    }

    fn decide(&self) -> Decide {
        let s = self.section("decide");
        Decide {
            delta: s.ratio("delta"),
            guard: s.ratio("guard"),
            policy: Policy::from_name(&s.text("policy")).unwrap_or(Policy::Assay),
            threshold: s.ratio("threshold"),
        }
    }

    /// Evaluates all formulas for all workloads; a formula is reported once.
    fn evaluate(&self, doc: &mut Doc<'_>, campaign: &Campaign) {
        let mut reported: BTreeSet<String> = BTreeSet::new();
        for workload in &campaign.workloads {
            let Err(e) = campaign.resolve(workload, &super::Params::new()) else {
                continue;
            };
            if !reported.insert(e.quantity.clone()) {
                continue;
            }
            let fault = Fault {
                offset: Some(e.offset),
                ..Fault::new(
                    format!("for workload `{}` {}", e.workload, e.why),
                    "a count for every workload",
                )
            };
            let (section, key) = e.quantity.split_once('.').unwrap_or(("formulas", ""));
            match child(self.root, section).and_then(|t| t.get(key)) {
                Some(value) => doc.fault(value, e.quantity.as_str(), fault),
                None => {
                    let at = key_place(self.root, section).unwrap_or(0);
                    doc.problem(at, e.quantity.as_str(), fault);
                }
            }
        }
    }
}
