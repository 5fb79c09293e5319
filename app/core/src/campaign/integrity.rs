//! `[[canary]]` and `[[untimed]]`: what the evaluator must notice, and what it leaves out of its times.

use super::KernelPaths;
use super::doc::{Doc, Fault, describe, key_place};
use super::keys::{Kind, Table, may, need, or};
use super::kinds::normal_path;
use super::section::Section;
use crate::record::Expect;

/// Words for what a canary must come to.
const EXPECTATIONS: &[&str] = &["correctness", "slower", "compile", "constraint"];

/// A kernel that is broken or slowed on purpose: an evaluator that does not notice measures nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CanarySpec {
    /// Name, unique among the canaries of the campaign.
    pub name: String,
    /// What is done to the kernel.
    pub change: CanaryChange,
    /// What must come of it.
    pub expect: Expect,
    /// What it stands for; empty when not said.
    pub why: String,
}

/// What is done to the kernel; paths are protected ones, relative to the campaign file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CanaryChange {
    /// A unified diff of kernel files, relative to the campaign file.
    Patch(String),
    /// A folder whose files are laid over those of the same path. What stood there is kept beside,
    /// with `.subject` behind its name.
    Overlay(String),
}

impl CanaryChange {
    /// The file or folder that holds the change.
    pub fn path(&self) -> &str {
        match self {
            Self::Patch(p) | Self::Overlay(p) => p,
        }
    }
}

/// A step that belongs to using the kernel and is not timed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UntimedStep {
    /// Name, as the harness reports it.
    pub name: String,
    /// Why it is not in the timed region.
    pub why: String,
}

pub(super) const CANARY: Table = Table {
    path: "canary",
    doc: "One kernel that is broken or slowed on purpose; `assay canary` says whether the evaluator notices. Exactly one of `patch` and `overlay` says what is changed.",
    keys: &[
        need("name", Kind::Slug, "Name, unique among the canaries."),
        may(
            "patch",
            Kind::Path,
            "A protected file: a unified diff of kernel files, with paths relative to the campaign file.",
        ),
        may(
            "overlay",
            Kind::Path,
            "A protected folder: its files are laid over kernel files of the same path; what stood there is kept beside as `NAME.subject`, for a wrapper to include.",
        ),
        need(
            "expect",
            Kind::Choice(EXPECTATIONS),
            "What must come of it: `correctness`, a wrong result is found; `slower`, the verdict is SLOWER; `compile`, the build fails; `constraint`, a gate fails.",
        ),
        or("why", Kind::Text, "", "What it stands for."),
    ],
};

pub(super) const UNTIMED: Table = Table {
    path: "untimed",
    doc: "One step that belongs to using the kernel and is not in the timed region, e.g. packing an operand once. The harness measures what it costs.",
    keys: &[
        need(
            "name",
            Kind::Slug,
            "Name, as the harness reports it: the resource `untimed.NAME_ms`.",
        ),
        need("why", Kind::Text, "Why it may stay outside."),
    ],
};

/// The canaries of a file.
pub(super) fn canaries(
    doc: &mut Doc<'_>,
    sections: &[Section<'_, '_>],
    kernel: &KernelPaths,
) -> Vec<CanarySpec> {
    let mut out = Vec::new();
    for s in sections {
        let of = |key: &str| s.get(key).map(|v| (v, normal_path(&s.text(key))));
        let (patch, overlay) = (of("patch"), of("overlay"));
        let change = match (&patch, &overlay) {
            (Some((_, p)), None) => Some(CanaryChange::Patch(p.clone())),
            (None, Some((_, p))) => Some(CanaryChange::Overlay(p.clone())),
            (Some((value, _)), Some(_)) => {
                let fault = Fault::new("both `patch` and `overlay`", "one of them");
                doc.fault(value, "canary", fault);
                None
            }
            (None, None) => {
                let at = s.layers.first().and_then(|t| key_place(t, "name"));
                let fault = Fault::new("neither", "the key `patch` or `overlay`");
                doc.problem(at.unwrap_or(0), "canary", fault);
                None
            }
        };
        for (key, found) in [("patch", &patch), ("overlay", &overlay)] {
            if let Some((value, path)) = found
                && !protects(kernel, path)
            {
                let fault = Fault::new(
                    describe(value.get_ref()),
                    "a path among [kernel] protected, so that no variant can change it",
                );
                doc.fault(value, format!("canary.{key}"), fault);
            }
        }
        let expect = Expect::from_name(&s.text("expect"));
        if let (Some(change), Some(expect)) = (change, expect) {
            out.push(CanarySpec {
                name: s.text("name"),
                change,
                expect,
                why: s.text("why"),
            });
        }
    }
    out
}

fn protects(kernel: &KernelPaths, path: &str) -> bool {
    kernel.protected.iter().any(|p| {
        p.is_empty()
            || p == path
            || path
                .strip_prefix(p.as_str())
                .is_some_and(|rest| rest.starts_with('/'))
    })
}

/// The untimed steps of a file.
pub(super) fn untimed(sections: &[Section<'_, '_>]) -> Vec<UntimedStep> {
    let step = |s: &Section<'_, '_>| UntimedStep {
        name: s.text("name"),
        why: s.text("why"),
    };
    sections.iter().map(step).collect()
}

#[cfg(test)]
mod tests {
    use crate::campaign::tests::LEAST;
    use crate::campaign::{Campaign, CanaryChange};
    use crate::record::Expect;

    fn parse(text: &str) -> Result<Campaign, String> {
        Campaign::parse(&format!("{LEAST}{text}"), "f").map_err(|e| e.to_string())
    }

    #[test]
    fn canaries_and_untimed_steps_are_read() {
        let c = parse(
            "[[canary]]\nname = \"wrong\"\noverlay = \"./assay.toml/\"\nexpect = \"correctness\"\n\
             [[canary]]\nname = \"slow\"\npatch = \"assay.toml\"\nexpect = \"slower\"\nwhy = \"twice\"\n\
             [[untimed]]\nname = \"pack-b\"\nwhy = \"once a model\"\n",
        )
        .unwrap();
        assert_eq!(c.canaries.len(), 2);
        assert_eq!(
            c.canaries[0].change,
            CanaryChange::Overlay("assay.toml".into())
        );
        assert_eq!(c.canaries[0].expect, Expect::Correctness);
        assert_eq!(c.canaries[1].why, "twice");
        assert_eq!(c.untimed[0].name, "pack-b");
    }

    #[test]
    fn every_expectation_has_its_word() {
        for word in super::EXPECTATIONS {
            assert_eq!(Expect::from_name(word).map(Expect::name), Some(*word));
        }
        assert_eq!(super::EXPECTATIONS.len(), Expect::ALL.len());
    }

    #[test]
    fn what_is_wrong_with_a_canary_is_told() {
        let canary = |rest: &str| parse(&format!("[[canary]]\nname = \"c\"\n{rest}")).unwrap_err();
        for (rest, says) in [
            (
                "expect = \"slower\"\n",
                "expected the key `patch` or `overlay`, found neither",
            ),
            (
                "expect = \"slower\"\npatch = \"assay.toml\"\noverlay = \"assay.toml\"\n",
                "expected one of them, found both `patch` and `overlay`",
            ),
            (
                "patch = \"assay.toml\"\n",
                "expected the key `expect`, found none",
            ),
            (
                "patch = \"assay.toml\"\nexpect = \"slow\"\n",
                "expected one of correctness, slower, compile, constraint, found \"slow\"",
            ),
            (
                "patch = \"kernel/x\"\nexpect = \"slower\"\n",
                "canary.patch: expected a path among [kernel] protected",
            ),
        ] {
            let error = canary(rest);
            assert!(error.contains(says), "{error}");
        }
        let twice = "[[untimed]]\nname = \"a\"\nwhy = \"x\"\n";
        let error = parse(&format!("{twice}{twice}")).unwrap_err();
        assert!(error.contains("a second untimed named \"a\""), "{error}");
    }
}
