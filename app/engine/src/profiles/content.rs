//! The content of a variant that a report is filed under, when no run on this machine made it.

use assay_core::Sha256;
use assay_core::campaign::{Baseline, Campaign, VARIANT_FILE, VariantFile};
use assay_core::fold::State;
use assay_core::record::{ContentKey, Stage};
use assay_ledger::CommitId;

use crate::error::{Error, Result};
use crate::run::{baseline_content, recipe};
use crate::workbench::{Workbench, join};

/// The key of what the branch of a variant holds, and the commit it was found at.
///
/// Where a run has made this content its kernel and recipe are taken. A report says nothing of the
/// machine and compiler, so that these stand for "imported, of this target": profiles imported for
/// one target may be set against each other, and not against those that were taken here.
///
/// # Errors
/// When the branch is gone, or the target is unknown.
pub fn present_key(
    bench: &Workbench,
    state: &State,
    name: &str,
    target: &str,
) -> Result<(ContentKey, CommitId)> {
    let config = bench.config()?;
    known_target(config, target)?;
    let tip = bench.tip(name)?;
    let kernel = bench.kernel_hash(tip)?;
    let known = state.variant(name).and_then(|v| v.key.as_ref());
    let made = known.filter(|k| k.kernel == kernel).map(|k| k.recipe);
    let recipe = match made {
        Some(recipe) => recipe,
        None => {
            let build = config.stage(target, Stage::Build);
            let command = build.and_then(|s| s.command.clone());
            let command = command.ok_or_else(|| Error::input("the build stage has no command"))?;
            recipe(&command, &settings(bench, tip)?, target)?
        }
    };
    Ok((imported(bench, kernel, recipe, target)?, tip))
}

/// The key of a baseline, whose files are the evaluator's.
///
/// # Errors
/// When the target is unknown.
pub fn baseline_key(bench: &Workbench, b: &Baseline, target: &str) -> Result<ContentKey> {
    known_target(bench.config()?, target)?;
    let kernel = baseline_content(&b.name, bench.evaluator()?.tree);
    let recipe = recipe(&b.build, &VariantFile::default(), target)?;
    imported(bench, kernel, recipe, target)
}

fn imported(bench: &Workbench, kernel: Sha256, recipe: Sha256, target: &str) -> Result<ContentKey> {
    Ok(ContentKey {
        kernel,
        recipe,
        toolchain: Sha256::of_parts(["imported", "toolchain"]),
        device: Sha256::of_parts(["imported", target]),
        evaluator: bench.evaluator()?.tree,
    })
}

fn known_target(config: &Campaign, target: &str) -> Result<()> {
    if config.targets.contains_key(target) {
        return Ok(());
    }
    let known: Vec<&str> = config.targets.keys().map(String::as_str).collect();
    Err(Error::input(format!("no target `{target}` in assay.toml"))
        .hint(format!("there is {}", known.join(", "))))
}

/// Reads `variant.toml` at a commit, beside `assay.toml` or in a kernel folder.
pub fn settings(bench: &Workbench, commit: CommitId) -> Result<VariantFile> {
    let (git, config) = (bench.git()?, bench.config()?);
    let folders = std::iter::once("").chain(config.kernel.paths.iter().map(String::as_str));
    for folder in folders {
        let label = join(folder, VARIANT_FILE);
        let path = join(&git.folder, &label);
        let Ok(Some(bytes)) = bench.variants()?.read_file(commit, &path) else {
            continue;
        };
        let text =
            String::from_utf8(bytes).map_err(|_| Error::input(format!("{label}: not UTF-8")))?;
        return VariantFile::parse(&text, &label, &config.params)
            .map_err(|e| Error::input(e.to_string()));
    }
    Ok(VariantFile::default())
}
