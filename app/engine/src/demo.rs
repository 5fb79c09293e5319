//! The demo: a real campaign on the CPU, made, run and decided on the machine it runs on.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use assay_core::record::{Body, DecisionKind};
use assay_core::{Sha256, campaign};
use assay_exec::Cancel;
use assay_exec::progress::Progress;
use assay_ledger::{Repo, User};
use serde::Deserialize;

use crate::decide;
use crate::error::{AtPath, Error, Result};
use crate::policy::Unsettled;
use crate::run::Request;
use crate::trust::Always;
use crate::variants::NewVariant;
use crate::workbench::{Options, Workbench};

/// Every file of the demo campaign, from `kernels/` at build time.
const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/demo_files.rs"));

/// Where the history lies among [`FILES`]; it is not part of the campaign itself.
const HISTORY: &str = "history/";

/// Who makes the first commit of a demo.
const AUTHOR: &str = "Assay demo";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct History {
    schema: String,
    campaign: String,
    variant: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    folder: String,
    files: Vec<String>,
    parent: Option<String>,
    /// Measured against this one instead of the champion, e.g. for a pair that must not differ.
    against: Option<String>,
    family: Option<String>,
    #[serde(default)]
    knobs: BTreeMap<String, toml::Value>,
    why: String,
    #[serde(default)]
    predictions: Vec<String>,
}

fn file(path: &str) -> Result<&'static [u8]> {
    FILES
        .iter()
        .find(|(name, _)| *name == path)
        .map(|(_, bytes)| *bytes)
        .ok_or_else(|| Error::environment(format!("the demo lacks its file {path}")))
}

fn history() -> Result<History> {
    let text = String::from_utf8_lossy(file("history/history.toml")?);
    let history: History = toml::from_str(&text)
        .map_err(|e| Error::environment(format!("history.toml of the demo: {e}")))?;
    if history.schema != "assay.history/1" {
        return Err(Error::environment(format!(
            "history.toml of the demo has schema {}",
            history.schema
        )));
    }
    Ok(history)
}

/// Makes the demo campaign in `folder`, or opens the one that is there.
///
/// # Errors
/// When the folder holds something else, or cannot be written. Nothing is ever overwritten.
pub fn prepare(folder: &Path, options: &Options) -> Result<Workbench> {
    let name = history()?.campaign;
    if folder.exists() && !folder.is_dir() {
        return Err(Error::input(format!("{} is a file", folder.display()))
            .hint("name another folder: `assay demo DIR`"));
    }
    let fresh = !folder.exists() || fs::read_dir(folder).at(folder)?.next().is_none();
    if fresh {
        for (path, bytes) in FILES.iter().filter(|(path, _)| !path.starts_with(HISTORY)) {
            let target = folder.join(path);
            if let Some(parent) = target.parent() {
                fs::create_dir_all(parent).at(parent)?;
            }
            fs::write(&target, bytes).at(&target)?;
        }
        let user = User {
            name: AUTHOR.into(),
            email: "assay@localhost".into(),
            known: true,
        };
        Repo::init(
            folder,
            &user,
            "CPU GEMM campaign: naive kernel, harness, oracle",
        )?;
    }
    let marker = folder.join(campaign::FILE);
    if !marker.is_file() || !folder.join(".git").exists() {
        return Err(
            Error::input(format!("{} is neither empty nor a demo", folder.display()))
                .hint("name another folder: `assay demo DIR`"),
        );
    }
    let options = Options {
        dir: folder.to_owned(),
        ..options.clone()
    };
    let mut bench = Workbench::open(options)?;
    if bench.campaign != name {
        return Err(Error::input(format!(
            "{} holds the campaign `{}`, not the demo",
            folder.display(),
            bench.campaign
        ))
        .hint("name another folder: `assay demo DIR`"));
    }
    if bench.evaluator.is_none() {
        bench.init(None)?;
    }
    // The commands that came with this program are as trusted as the program; others are asked about.
    if is_shipped(&bench)? {
        bench.approve_evaluator()?;
    }
    Ok(bench)
}

/// Whether the pinned evaluator is the one that this program brings along.
fn is_shipped(bench: &Workbench) -> Result<bool> {
    let pin = bench.evaluator()?;
    let commit = bench.commit(&pin.commit)?;
    let files =
        bench
            .variants()?
            .list_files(commit, &pin.folder, &bench.config()?.kernel.protected)?;
    Ok(files
        .iter()
        .all(|f| file(&f.path).is_ok_and(|ours| Sha256::of(ours) == Sha256::of(&f.bytes))))
}

/// Runs the whole history: declares each variant, runs it, and decides by the written policy.
///
/// What is there already is kept: a variant that was decided is not run again. One whose run was cancelled, or says
/// nothing about it, stays undecided, and the next call runs it again.
///
/// # Errors
/// When it is cancelled or the machine fails. A variant that fails is part of the story.
pub fn play(bench: &Workbench, progress: &dyn Progress, cancel: &Cancel) -> Result<()> {
    let entries = history()?.variant;
    let total = entries.len() as u64;
    let started = std::time::Instant::now();
    let mut played = 0u64;
    for (i, entry) in entries.iter().enumerate() {
        let state = bench.state_of(&[&entry.name])?;
        if state
            .variant(&entry.name)
            .is_some_and(|v| v.decision.is_some())
        {
            progress.line(&format!("{}: decided already", entry.name));
            continue;
        }
        if cancel.is_cancelled() {
            return Err(Error::cancelled());
        }
        let left = (played > 0).then(|| {
            let each = started.elapsed().as_secs_f64() / played as f64;
            format!(", about {:.0} s left", each * (total - i as u64) as f64)
        });
        progress.line(&format!(
            "[{}/{total}] {}{}",
            i + 1,
            entry.name,
            left.unwrap_or_default()
        ));
        if state
            .variant(&entry.name)
            .is_none_or(|v| v.declaration.is_none())
        {
            declare(bench, entry)?;
        }
        let request = Request {
            against: entry.against.clone(),
            ..Request::all(vec![entry.name.clone()])
        };
        for ended in bench.run(&request, &Always, progress, cancel)? {
            ended.result?;
        }
        if cancel.is_cancelled() {
            return Err(Error::cancelled());
        }
        decide(bench, &entry.name, progress)?;
        played += 1;
    }
    Ok(())
}

fn declare(bench: &Workbench, entry: &Entry) -> Result<()> {
    let knob = |(name, value): (&String, &toml::Value)| match value {
        toml::Value::String(text) => format!("{name}={text}"),
        other => format!("{name}={other}"),
    };
    let new = NewVariant {
        name: entry.name.clone(),
        // A root starts from the pinned commit.
        from: Some(entry.parent.clone().unwrap_or_else(|| {
            bench
                .evaluator
                .as_ref()
                .map_or_else(String::new, |e| e.commit.clone())
        })),
        why: entry.why.clone(),
        family: entry.family.clone(),
        knobs: entry.knobs.iter().map(knob).collect(),
        predictions: entry.predictions.clone(),
    };
    let files: Result<BTreeMap<String, Option<Vec<u8>>>> = entry
        .files
        .iter()
        .map(|name| {
            Ok((
                format!("kernel/{name}"),
                Some(file(&format!("{HISTORY}{}/{name}", entry.folder))?.to_vec()),
            ))
        })
        .collect();
    bench.new_variant_with(&new, &files?)?;
    Ok(())
}

fn decide(bench: &Workbench, name: &str, progress: &dyn Progress) -> Result<()> {
    let state = bench.state_of(&[name])?;
    let proposal = match bench.propose(&state, name)? {
        Ok(proposal) => proposal,
        Err(Unsettled(why)) => {
            progress.line(&format!(
                "{name}: not decided: {why}; `assay demo` again runs it once more"
            ));
            return Ok(());
        }
    };
    let decided = bench.decide(&decide::Request {
        name: name.to_owned(),
        kind: proposal.kind,
        reason: proposal.reason,
        overrides: Vec::new(),
        decided_by: "policy",
        seen: None,
    })?;
    progress.line(&format!("{name}: {}", decided.kind.name()));
    debug_assert!(decided.kind != DecisionKind::Rollback);
    Ok(())
}

/// Number of decided variants, for tests and the closing line.
///
/// # Errors
/// When the ledger cannot be read.
pub fn decided(bench: &Workbench) -> Result<usize> {
    Ok(bench
        .state()?
        .log()
        .filter(|r| matches!(r.body, Body::Decision(_)))
        .count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_history_names_files_that_are_there_and_parents_that_come_before() {
        let history = history().unwrap();
        let mut seen: Vec<&str> = Vec::new();
        assert!(history.variant.len() >= 12);
        for entry in &history.variant {
            assert!(
                entry
                    .parent
                    .iter()
                    .chain(&entry.against)
                    .all(|p| seen.contains(&p.as_str())),
                "{}",
                entry.name
            );
            for name in &entry.files {
                file(&format!("{HISTORY}{}/{name}", entry.folder)).unwrap();
            }
            seen.push(&entry.name);
        }
    }

    #[test]
    fn the_embedded_campaign_file_is_valid() {
        let text = String::from_utf8(file(campaign::FILE).unwrap().to_vec()).unwrap();
        let parsed = campaign::Campaign::parse(&text, campaign::FILE).unwrap();
        assert_eq!(parsed.name, history().unwrap().campaign);
    }
}
