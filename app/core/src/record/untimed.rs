//! Steps that belong to using a kernel and are not in the timed region.

use serde::{Deserialize, Serialize};

use crate::text::inert;

/// A step that is not timed, as it was declared and measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Untimed {
    /// Its name.
    pub name: String,
    /// Why it may stay outside, as the campaign file says; absent when it is not declared there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// What it costs once, in nanoseconds, the most that the harness reported; absent when it reported nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_ns: Option<f64>,
}

impl Untimed {
    /// What a harness calls the cost of a step, without the name of the step: `untimed.pack-b_ms`.
    const BEFORE: &'static str = "untimed.";
    const BEHIND: &'static str = "_ms";

    /// The name of the step whose cost, in milliseconds, a resource of this name is.
    pub fn step_of(resource: &str) -> Option<&str> {
        let name = resource
            .strip_prefix(Self::BEFORE)?
            .strip_suffix(Self::BEHIND)?;
        (!name.is_empty()).then_some(name)
    }

    /// Sets what is declared, as name and reason, beside the costs in milliseconds that were reported.
    pub fn settle<'a>(
        declared: impl IntoIterator<Item = (&'a str, &'a str)>,
        reported: impl IntoIterator<Item = (&'a str, f64)>,
    ) -> Vec<Self> {
        let mut out: Vec<Self> = (declared.into_iter())
            .map(|(name, why)| Self {
                name: name.to_owned(),
                why: Some(why.to_owned()),
                cost_ns: None,
            })
            .collect();
        for (name, ms) in reported.into_iter().filter(|(_, ms)| *ms >= 0.0) {
            let ns = ms * 1e6;
            match out.iter_mut().find(|s| s.name == name) {
                Some(step) => step.cost_ns = Some(step.cost_ns.map_or(ns, |old| old.max(ns))),
                None => out.push(Self {
                    name: name.to_owned(),
                    why: None,
                    cost_ns: Some(ns),
                }),
            }
        }
        out
    }

    /// What is not as it should be: not declared, or not measured.
    pub fn warning(&self) -> Option<String> {
        let name = inert(&self.name);
        match (&self.why, self.cost_ns) {
            (Some(_), Some(_)) => None,
            (None, _) => Some(format!(
                "a step is left out of the times that the campaign file does not declare: {name}; say why in \
                 [[untimed]], or time it"
            )),
            (Some(_), None) => Some(format!(
                "the step {name} is not timed, and the harness did not report what it costs"
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Untimed;

    #[test]
    fn costs_are_set_beside_what_is_declared() {
        let declared = [("pack-b", "once a model"), ("tune", "once a machine")];
        let reported = [
            ("pack-b", 1.0),
            ("pack-b", 1.5),
            ("graph", 3.0),
            ("graph", f64::NAN),
        ];
        let all = Untimed::settle(declared, reported);
        assert_eq!(all.len(), 3);
        assert_eq!(all[0].cost_ns, Some(1.5e6));
        assert_eq!(all[0].warning(), None);
        assert!(all[1].warning().unwrap().contains("did not report"));
        assert!(
            all[2]
                .warning()
                .unwrap()
                .contains("does not declare: graph")
        );
        assert_eq!(Untimed::step_of("untimed.pack-b_ms"), Some("pack-b"));
        assert_eq!(Untimed::step_of("untimed._ms"), None);
        assert_eq!(Untimed::step_of("setup_cpu_ms"), None);
    }
}
