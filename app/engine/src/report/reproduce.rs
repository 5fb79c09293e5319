//! How a claim is repeated: by commands where something can be run, else by what the folder says itself.

use std::path::Path;

use assay_core::fold::State;
use assay_exec::Cancel;
use assay_report::{MeasuredCommit, ReportModel};

use crate::input;
use crate::workbench::Workbench;

/// Lines of a README that are taken over.
const MOST: usize = 20;

impl Workbench {
    /// Commands that repeat the claim; where nothing can be run, those that read the records.
    pub(crate) fn reproduce(
        &self,
        state: &State,
        model: &ReportModel,
        can_run: bool,
    ) -> Vec<String> {
        let Some(champion) = &model.list.champion else {
            return Vec::new();
        };
        let row = model.list.variants.iter().find(|v| v.name == *champion);
        let against = row.and_then(|r| r.against.as_deref());
        let several = self.config.as_ref().is_some_and(|c| c.targets.len() > 1);
        let measured = state.variant(champion).and_then(|v| v.measurement);
        let run = state.measurement(measured).and_then(|m| state.run_of(m));
        let target = run.map(|r| r.target.as_str()).filter(|_| several);
        commands(champion, against, target, can_run)
    }

    /// Fills in how the claim is repeated.
    pub(super) fn repeat(&self, state: &State, model: &mut ReportModel) {
        model.reproduce = self.reproduce(state, model, self.can_run());
        let champion = model.list.champion.as_deref();
        let measured = champion.and_then(|c| state.variant(c)?.measurement);
        if let Some(m) = state.measurement(measured) {
            let sides = [&m.b, &m.a].into_iter();
            let sides = sides.filter_map(|s| {
                Some(MeasuredCommit {
                    name: s.name.clone(),
                    commit: s.commit.clone()?,
                })
            });
            model.claim_commits = sides.collect();
        }
        if !self.can_run() && self.git.is_none() {
            model.readme = readme(&self.options.dir);
        }
    }
}

fn commands(
    champion: &str,
    against: Option<&str>,
    target: Option<&str>,
    can_run: bool,
) -> Vec<String> {
    let quoted = |name: &str| format!("'{}'", name.replace('\'', "'\\''"));
    let mut run = format!("assay run {}", quoted(champion));
    for (option, value) in [("--against", against), ("--target", target)] {
        if let Some(value) = value {
            run.push_str(&format!(" {option} {}", quoted(value)));
        }
    }
    run.push_str(" --again");
    let read = ["assay verify", "assay report --format md"].map(str::to_owned);
    let [verify, report] = read;
    match can_run {
        true => vec![verify, run, report],
        false => vec![verify, report],
    }
}

/// The commands with a script in them that a README has in its blocks of code.
fn readme(folder: &Path) -> Vec<String> {
    let Ok(found) = input::text(&folder.join("README.md"), input::BY_HAND, &Cancel::new()) else {
        return Vec::new();
    };
    scripts(&found.text)
}

fn scripts(text: &str) -> Vec<String> {
    let is_script = |word: &str| [".sh", ".py"].iter().any(|end| word.ends_with(end));
    let mut is_code = false;
    let mut out = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if is_code && line.split_whitespace().any(is_script) && out.len() < MOST {
            out.push(line.trim().to_owned());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_is_repeated_against_what_it_was_measured_against() {
        assert_eq!(
            commands("four-sums", Some("it's"), Some("gpu"), true),
            [
                "assay verify",
                "assay run 'four-sums' --against 'it'\\''s' --target 'gpu' --again",
                "assay report --format md"
            ]
        );
        let alone = commands("a", None, None, true);
        assert_eq!(alone[1], "assay run 'a' --again");
        let read = commands("a", Some("b"), None, false);
        assert_eq!(read, ["assay verify", "assay report --format md"]);
    }

    #[test]
    fn a_readme_names_the_scripts_that_measure() {
        let text = "See `x.sh`.\n```\nassay -C . list\n```\nby\n```sh\nA=b sh lab.sh gemm OUT 570\npython3 go.py\n```\nlab.sh\n";
        assert_eq!(
            scripts(text),
            ["A=b sh lab.sh gemm OUT 570", "python3 go.py"]
        );
    }
}
