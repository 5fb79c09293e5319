//! Whether a bundle is what was packed, and its report what its records say.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use assay_core::fold::{EVIDENCE, Tip, gates_at_tip};
use assay_core::text::{inert, truncate};
use assay_core::view::{GateView, VariantRow};
use assay_exec::Cancel;
use assay_ledger::blob_refs;
use assay_report::{Lang, ReportModel, csv, html, markdown, read_model};
use serde::Serialize;

use super::beside::{Difference, beside};
use super::unpack::{files_below, unpack};
use super::{FIGURES, MANIFEST, MANIFEST_SCHEMA, MODEL, Manifest, hash_of, stop};
use crate::error::{AtPath, Error, Result};
use crate::gates::EVALUATOR;
use crate::report::Format;
use crate::verify::Verified;
use crate::workbench::pinned::earlier;
use crate::workbench::{CAMPAIGN_FILE, Options, Workbench};

/// Problems that are listed; more are counted.
const MAX_PROBLEMS: usize = 50;

/// What the files of a bundle came to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct BundleCheck {
    /// Files with the hash that the manifest has for them.
    pub files: usize,
    /// Rows of figures in the report that came out of the records again.
    pub figures: usize,
    /// What differs.
    pub problems: Vec<String>,
    /// Pages of the report whose figures are those of the records and whose words or drawings are
    /// not, as those of another build of the program are; and kernel files that are not all here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// Unpacks a bundle into a folder of its own and verifies it: its files against the manifest, its
/// records and samples as [`Workbench::verify`] does, and the figures of its report.
///
/// # Errors
/// When it cannot be read or unpacked, and when cancelled; what is wrong with its content is in the
/// result.
pub fn verify(bundle: &Path, options: Options, cancel: &Cancel) -> Result<Verified> {
    let meta =
        fs::metadata(bundle).map_err(|e| Error::input(format!("{}: {e}", bundle.display())))?;
    if meta.is_dir() {
        return Err(Error::input(format!("{}: is a folder", bundle.display()))
            .hint("`assay -C FOLDER verify` verifies a ledger or a bundle in a folder"));
    }
    if !meta.is_file() {
        return Err(Error::input(format!("{}: is no file", bundle.display())));
    }
    let into = tempfile::Builder::new()
        .prefix("assay-bundle")
        .tempdir()
        .at(&std::env::temp_dir())?;
    let root = unpack(bundle, into.path(), cancel)?;
    if !root.join(MANIFEST).is_file() {
        return Err(
            Error::input(format!("{}: has no {MANIFEST}", bundle.display()))
                .hint("`assay export --bundle FILE` writes a bundle"),
        );
    }
    let inside = Options {
        dir: root,
        ..options
    };
    // Verification only reads, so that the folder may go while it is still under way.
    let (send, done) = mpsc::channel();
    thread::spawn(move || {
        let _ = send.send(Workbench::open(inside).and_then(|b| b.verify()));
    });
    loop {
        match done.recv_timeout(Duration::from_millis(50)) {
            Ok(verified) => return verified,
            Err(mpsc::RecvTimeoutError::Timeout) => stop(cancel)?,
            Err(mpsc::RecvTimeoutError::Disconnected) => {
                return Err(Error::environment("verification ended early"));
            }
        }
    }
}

/// Holds the files beside a ledger to the manifest of a bundle; nothing where there is none.
pub(crate) fn check(bench: &Workbench) -> Result<Option<BundleCheck>> {
    let root = &bench.options.dir;
    let path = root.join(MANIFEST);
    if bench.git.is_some() || !path.is_file() {
        return Ok(None);
    }
    let mut out = BundleCheck::default();
    let manifest: Manifest = match serde_json::from_slice(&fs::read(&path).at(&path)?) {
        Ok(manifest) => manifest,
        Err(e) => {
            out.problems.push(format!("{MANIFEST}: {e}"));
            return Ok(Some(out));
        }
    };
    if manifest.schema != MANIFEST_SCHEMA {
        let found = inert(&manifest.schema);
        out.problems.push(format!(
            "{MANIFEST} is of schema `{found}`, not {MANIFEST_SCHEMA}"
        ));
        return Ok(Some(out));
    }
    files(root, &manifest, &mut out)?;
    strangers(bench, &manifest, &mut out)?;
    super::sources::check(bench, &manifest, &mut out)?;
    let has = |name: &str| root.join(name).is_file();
    if has(FIGURES) || has(MODEL) {
        let model = bench.report_model()?;
        out.problems
            .extend(model.miscited.iter().flatten().cloned());
        if has(FIGURES) {
            compared(root, FIGURES, &csv(&model), &mut out)?;
        }
        if has(MODEL) {
            pages(bench, model, root, &mut out)?;
        }
    }
    let more = out.problems.len().saturating_sub(MAX_PROBLEMS);
    if more > 0 {
        out.problems.truncate(MAX_PROBLEMS);
        out.problems.push(format!("and {more} more"));
    }
    Ok(Some(out))
}

fn files(root: &Path, manifest: &Manifest, out: &mut BundleCheck) -> Result<()> {
    let mut here: BTreeSet<String> = files_below(root).at(root)?.into_iter().collect();
    here.remove(MANIFEST);
    for entry in &manifest.files {
        let name = inert(&entry.path);
        if !here.remove(&entry.path) {
            out.problems.push(format!("{name} is missing"));
            continue;
        }
        let path = root.join(&entry.path);
        // What is listed was found below this folder, so the path leads nowhere else.
        let plain = path.symlink_metadata().at(&path)?.is_file();
        match plain.then(|| hash_of(&path)).transpose().at(&path)? {
            Some(sum) if sum == entry.sha256 => out.files += 1,
            Some(_) => out
                .problems
                .push(format!("{name} is not what was packed: its hash differs")),
            None => out.problems.push(format!("{name} is no plain file")),
        }
    }
    for extra in here {
        out.problems.push(format!(
            "{} was not packed: the manifest does not list it",
            inert(&extra)
        ));
    }
    Ok(())
}

/// Files that the manifest lists and packing would not have written.
fn strangers(bench: &Workbench, manifest: &Manifest, out: &mut BundleCheck) -> Result<()> {
    let state = bench.state()?;
    let blobs: BTreeSet<String> = (state.log().flat_map(blob_refs))
        .map(|b| b.sha256.to_string())
        .collect();
    let evaluators: BTreeSet<String> = state.evaluators().map(|e| earlier(e.config)).collect();
    let reports: BTreeSet<String> = super::pages().map(|p| p.0).collect();
    let known = |path: &str| match path.split_once('/') {
        None => matches!(path, "format.json" | "records.sha256" | CAMPAIGN_FILE),
        // Each is looked at by itself.
        Some(("records", _)) => true,
        Some(("blobs", rest)) => {
            let hash = rest.split_once('/').map(|(_, hash)| hash);
            hash.is_some_and(|h| blobs.contains(h))
        }
        Some(("evaluators", _)) => evaluators.contains(path),
        Some(("sources", rest)) => {
            let name = rest.split_once('/').map(|(name, _)| name);
            name.is_some_and(|n| state.variant(n).is_some())
        }
        Some(("report", name)) => reports.contains(name),
        Some(_) => false,
    };
    for entry in manifest.files.iter().filter(|e| !known(&e.path)) {
        out.problems.push(format!(
            "{} is listed, and is no part of a bundle: no record names it",
            inert(&entry.path)
        ));
    }
    Ok(())
}

/// Makes the pages of the report again, from the records and the packed kernel files.
fn pages(bench: &Workbench, model: ReportModel, root: &Path, out: &mut BundleCheck) -> Result<()> {
    let path = root.join(MODEL);
    let stored: ReportModel = match read_model(&fs::read(&path).at(&path)?) {
        Ok(stored) => stored,
        Err(why) => {
            out.problems.push(format!("{MODEL}: {why}"));
            return Ok(());
        }
    };
    // What is written of the packed model has to be what is written of the records.
    let told = [csv(&stored), html(&stored, Lang::En)];
    let there = bench.reproduce(&bench.state()?, &model, true);
    let model = again(model, stored, &there);
    let made = [csv(&model), html(&model, Lang::En)];
    for ((told, made), form) in told.iter().zip(&made).zip(["csv", "html"]) {
        held(&format!("{MODEL} as {form}"), told, made, out);
    }
    for lang in Lang::ALL {
        let pages = [
            (Format::Markdown, markdown(&model, lang)),
            (Format::Html, html(&model, lang)),
        ];
        for (format, text) in pages {
            let name = format!("report/report.{}.{}", lang.name(), format.ending());
            if root.join(&name).is_file() {
                compared(root, &name, &text, out)?;
            }
        }
    }
    Ok(())
}

/// The model of the records, with what only the repository knew: when it was made, what became of
/// branches since, the diffs of kernel files that are not in the bundle, and `there`: the commands where
/// something could be run.
fn again(model: ReportModel, stored: ReportModel, there: &[String]) -> ReportModel {
    let stale: BTreeSet<String> = (stored.list.variants.iter())
        .filter(|v| v.stale)
        .map(|v| v.name.clone())
        .collect();
    let mut model = ReportModel {
        generated_at: stored.generated_at,
        tool_version: stored.tool_version,
        readme: stored.readme,
        ..model
    };
    for (name, diff) in stored.kernel_diffs {
        model.kernel_diffs.entry(name).or_insert(diff);
    }
    for (name, files) in stored.kernel_files {
        model.kernel_files.entry(name).or_insert(files);
    }
    // Where it was packed it could be run, and here it can only be read.
    if there == stored.reproduce {
        model.reproduce = stored.reproduce;
        model.list.read_only = stored.list.read_only;
    }
    let known = |name: &str| stored.list.variants.iter().find(|v| v.name == name);
    let restore = |row: &mut VariantRow| {
        row.stale = stale.contains(&row.name);
        if let Some(there) = known(&row.name) {
            of_branch(&mut row.gates, &there.gates);
        }
    };
    for row in &mut model.list.variants {
        restore(row);
    }
    for show in &mut model.shows {
        restore(&mut show.variant);
        show.stale = show.variant.stale;
    }
    model
}

/// Takes over what gates say of a branch, which is not here.
fn of_branch(gates: &mut Vec<GateView>, there: &[GateView]) {
    let stored = |name: &str| there.iter().find(|g| g.name == name);
    if let Some(tip) = stored(EVIDENCE).and_then(|g| Tip::said(&g.evidence)) {
        gates_at_tip(gates, tip);
    }
    if let Some(g) = stored(EVALUATOR)
        && gates.iter().all(|g| g.name != EVALUATOR)
    {
        gates.insert(0, g.clone());
    }
}

/// Sets a file of the report beside what the records come to.
fn compared(root: &Path, name: &str, again: &str, out: &mut BundleCheck) -> Result<()> {
    let path = root.join(name);
    let stored = String::from_utf8_lossy(&fs::read(&path).at(&path)?).into_owned();
    let same = held(name, &stored, again, out);
    if name == FIGURES {
        out.figures += same.saturating_sub(1);
    }
    Ok(())
}

/// Sets a text beside what the records come to: figures and verdicts have to be the same, words and
/// drawings may be those of another build. How many lines are the same.
fn held(name: &str, stored: &str, again: &str, out: &mut BundleCheck) -> usize {
    let found = beside(stored, again, name.ends_with("html"));
    let text = |t: &Option<String>| match t {
        Some(t) => format!("`{}`", truncate(&inert(t), 200)),
        None => "nothing".into(),
    };
    let told = |d: &Difference| {
        let (line, a, b) = (d.line, text(&d.stored), text(&d.again));
        format!("{name}:{line} is {a}, the records come to {b}")
    };
    match (&found.figure, &found.words) {
        (Some(d), _) => out.problems.push(told(d)),
        (None, Some(d)) => out.notes.push(format!(
            "{}; the figures are the same, the words or drawings are those of another build",
            told(d)
        )),
        (None, None) => {}
    }
    found.same
}
