//! Targets and their stages, with overrides applied.

use std::collections::BTreeMap;

use toml::de::DeTable;

use super::doc::{Doc, Fault, key_place, one_of, short, suggestion};
use super::keys::table;
use super::kinds::normal_path;
use super::section::{Section, child};
use super::tables::TABLES;
use super::{
    BenchSpec, Cache, Device, LOCAL, Language, Mode, ProfileSpec, Sanitizer, StageDetail,
    StageSpec, Target, parse,
};
use crate::record::Stage;

/// All targets; `local` is added when the file does not name it.
pub(super) fn targets(
    doc: &mut Doc<'_>,
    root: &DeTable<'_>,
    workloads: &[&str],
) -> BTreeMap<String, Target> {
    let mut names = vec![LOCAL.to_owned()];
    if let Some(t) = child(root, "target") {
        names.extend(t.keys().map(|k| k.get_ref().to_string()));
    }
    names.sort();
    names.dedup();
    let mut out = BTreeMap::new();
    for name in names {
        let own = child(root, "target").and_then(|t| child(t, &name));
        let section = Section {
            def: table(TABLES, "target.NAME"),
            layers: own.into_iter().collect(),
        };
        let mut stages = BTreeMap::new();
        for stage in Stage::ALL {
            let found = Found {
                root,
                own,
                target: &name,
                stage,
            };
            if let Some(spec) = found.spec(doc, workloads) {
                stages.insert(stage, spec);
            }
        }
        let device = Device::from_name(&section.text("device")).unwrap_or(Device::Cpu);
        if let (Some(value), None) = (section.get("share"), section.get("model")) {
            let fault = Fault::new("a share of no `model`", "the key `model`: a share of what");
            doc.fault(value, format!("target.{name}.share"), fault);
        }
        out.insert(
            name.clone(),
            Target {
                name,
                device,
                model: section.get("model").map(|_| section.text("model")),
                gpu: section.get("gpu").map(|_| section.text("gpu")),
                unknown_device: section.flag("unknown_device"),
                share: section.get("share").map(|_| section.ratio("share")),
                stages,
            },
        );
    }
    out
}

struct Found<'t, 'a> {
    root: &'t DeTable<'a>,
    own: Option<&'t DeTable<'a>>,
    target: &'t str,
    stage: Stage,
}

impl Found<'_, '_> {
    fn spec(&self, doc: &mut Doc<'_>, workloads: &[&str]) -> Option<StageSpec> {
        let name = self.stage.name();
        let over = self.own.and_then(|t| child(t, name));
        let base = child(self.root, name);
        if over.is_none() && base.is_none() {
            return None;
        }
        let section = Section {
            def: table(TABLES, name),
            layers: over.into_iter().chain(base).collect(),
        };
        if let (None, Some(own)) = (base, self.own) {
            let at = key_place(own, name).unwrap_or(0);
            self.complete(doc, &section, at, &format!("target.{}.{name}", self.target));
        }
        let detail = match self.stage {
            Stage::Build => StageDetail::Build {
                artefact: normal_path(&section.text("artefact")),
            },
            Stage::Source => StageDetail::Source {
                files: section
                    .list("files")
                    .iter()
                    .map(|p| normal_path(p))
                    .collect(),
                language: Language::from_name(&section.text("language")).unwrap_or(Language::Text),
            },
            Stage::Check => StageDetail::Check {
                sanitizer: Sanitizer::from_name(&section.text("sanitizer")),
            },
            Stage::Bench => StageDetail::Bench(self.bench(doc, &section)),
            Stage::Profile => self.profile(doc, &section, workloads),
        };
        let command = section.command("command");
        Some(StageSpec {
            command,
            timeout_ns: section.duration_ns("timeout"),
            detail,
        })
    }

    /// A stage that only this target has must stand on its own.
    fn complete(&self, doc: &mut Doc<'_>, section: &Section<'_, '_>, at: usize, context: &str) {
        for key in section.def.map_or(&[][..], |d| d.keys) {
            if key.required && section.get(key.name).is_none() {
                doc.problem(
                    at,
                    context,
                    Fault::new("none", format!("the key `{}`", key.name)),
                );
            }
        }
    }

    fn bench(&self, doc: &mut Doc<'_>, section: &Section<'_, '_>) -> BenchSpec {
        let mode = Mode::from_name(&section.text("mode")).unwrap_or(Mode::Pair);
        let layers: Vec<_> = section
            .layers
            .iter()
            .filter_map(|t| child(t, "parse"))
            .collect();
        let parse = (!layers.is_empty()).then(|| {
            let at = section
                .layers
                .iter()
                .find_map(|t| key_place(t, "parse"))
                .unwrap_or(0);
            if mode != Mode::Invocation {
                let fault = Fault::new(
                    format!("[bench.parse] with mode \"{}\"", mode.name()),
                    "mode \"invocation\", the only one whose output is parsed",
                );
                doc.problem(at, "bench.parse", fault);
            }
            parse::read(doc, self.root, layers, at)
        });
        BenchSpec {
            mode,
            // The walk has checked that it is a whole number of at most 1000.
            blocks: section.number("blocks") as u32,
            min_leg_ns: section.duration_ns("min_leg"),
            warmup_ns: section.duration_ns("warmup"),
            cache: Cache::from_name(&section.text("cache")).unwrap_or(Cache::Hot),
            parse,
        }
    }

    fn profile(
        &self,
        doc: &mut Doc<'_>,
        section: &Section<'_, '_>,
        workloads: &[&str],
    ) -> StageDetail {
        let Some(value) = section.get("workload") else {
            let first = workloads.first().copied().unwrap_or_default();
            return StageDetail::Profile(ProfileSpec::read(section, first.to_owned()));
        };
        let name = section.text("workload");
        if !workloads.contains(&name.as_str()) {
            let fault = Fault::new(format!("`{}`", short(&name)), one_of(workloads))
                .hint(suggestion(&name, workloads));
            doc.fault(value, "profile.workload", fault);
        }
        StageDetail::Profile(ProfileSpec::read(section, name))
    }
}
