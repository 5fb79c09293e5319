//! The devices of targets, judged as a run judges them.

use assay_core::campaign::Device;
use assay_core::record::Environment;
use assay_core::text::inert;
use assay_exec::progress::Silent;

use super::{Finding, Looking, finding};
use crate::run::device::Watcher;

/// What is called a device of this kind, and what to do where it is not known.
pub(super) struct Words<'w> {
    pub name: &'w str,
    pub remedy: &'w str,
    /// A device in a few words.
    pub said_of: &'w dyn Fn(&Environment) -> String,
}

/// The device of each target of a kind, with what a run on it would say, and the fingerprints of those that are known.
pub(super) fn of_targets(
    at: &Looking,
    kind: Device,
    words: &Words<'_>,
) -> (Vec<Finding>, Vec<Environment>) {
    let targets: Vec<_> = at.targets.iter().filter(|t| t.device == kind).collect();
    let mut known = Vec::new();
    let mut out = Vec::new();
    for target in &targets {
        let (environment, watcher) = Watcher::new(Some(target), &at.env, &Silent, &at.cancel);
        let (ok, found, remedy) = match (&watcher.problem, &watcher.refusal) {
            (Some(problem), Some(refused)) => {
                // What the refusal adds to the problem is what to do.
                let rest = refused.strip_prefix(problem.as_str()).unwrap_or_default();
                let rest = rest.trim_start_matches([';', ' ']);
                let remedy = match rest {
                    "" => words.remedy.to_owned(),
                    rest => format!("{rest}. {}", words.remedy),
                };
                (Some(false), problem.clone(), remedy)
            }
            (Some(problem), None) => (
                None,
                problem.clone(),
                format!(
                    "it is measured on all the same, as [target.{}] unknown_device = true says, and no record tells on which",
                    inert(&target.name)
                ),
            ),
            (None, refused) => {
                let said = (words.said_of)(&environment);
                known.push(environment);
                let refused = refused.clone();
                let refused = refused.or_else(|| watcher.occupied(kind, &at.cancel));
                match (refused, watcher.warning) {
                    (Some(why), _) => (Some(false), said, why),
                    (None, Some(warning)) => (None, said, warning),
                    (None, None) => (Some(true), said, String::new()),
                }
            }
        };
        let name = match targets.as_slice() {
            [_] => words.name.to_owned(),
            _ => format!("{} of {}", words.name, inert(&target.name)),
        };
        out.push(finding(&name, ok, found, remedy));
    }
    (out, known)
}
