//! Ledgers to and from elsewhere.

use std::path::{Path, PathBuf};

use assay_core::text::{count, inert};
use assay_engine::exchange::branch_text;
use assay_engine::signals::cancel_on_signals;
use assay_engine::{Cancel, Result, Workbench};
use serde_json::json;

use super::{OK, open, show};
use crate::args::Cli;
use crate::exit::{Code, DONE, WORSE};
use crate::setup;

/// `assay export`.
pub fn export(cli: &Cli, folder: &Path) -> Result<Code> {
    let done = open(cli)?.export(folder)?;
    let refused: Vec<String> = done
        .refused
        .iter()
        .map(|p| format!("{}: {}", p.path, p.detail))
        .collect();
    let view = json!({
        "schema": "assay.export/1", "records": done.records, "blobs": done.blobs,
        "missing_blobs": done.missing_blobs, "refused": refused,
    });
    show(cli, &view, || {
        let mut out = format!(
            "{} records and {} blobs in {}\n",
            done.records,
            done.blobs,
            inert(&folder.display().to_string())
        );
        if done.missing_blobs > 0 {
            out.push_str(&format!(
                "{} large blobs are not stored here and are missing there too\n",
                done.missing_blobs
            ));
        }
        refused
            .iter()
            .for_each(|r| out.push_str(&format!("left out: {}\n", inert(r))));
        out
    })?;
    OK
}

/// `assay export --bundle`.
pub fn bundle(cli: &Cli, file: &Path) -> Result<Code> {
    let cancel = Cancel::new();
    let signals = cancel_on_signals(&cancel)?;
    let done = open(cli)?.bundle(file, &cancel)?;
    drop(signals);
    show(cli, &done, || {
        let mut out = format!(
            "{}: {}, {} of {}, {}, {}; sha256 {}\n",
            inert(&done.path),
            count(done.files, "file"),
            "kernel files",
            count(done.sources, "variant"),
            count(done.records, "record"),
            count(done.blobs, "blob"),
            done.sha256
        );
        if done.missing_blobs > 0 {
            out.push_str(&format!(
                "{} not stored here and missing there too\n",
                count(done.missing_blobs, "large blob")
            ));
        }
        (done.left_out.iter()).for_each(|l| out.push_str(&format!("left out: {}\n", inert(l))));
        out
    })?;
    OK
}

/// `assay import`.
pub fn import(cli: &Cli, paths: &[PathBuf]) -> Result<Code> {
    let bench = Workbench::open_for_import(setup::options(cli)?)?;
    bench.remarks.iter().for_each(|r| setup::note(r));
    let mut refused_any = false;
    for path in paths {
        let done = bench.import(path)?;
        let refused: Vec<String> = done
            .refused
            .iter()
            .map(|p| format!("{}: {}", p.path, p.detail))
            .collect();
        refused_any |= !refused.is_empty();
        let view = json!({
            "schema": "assay.import/1", "path": path, "added": done.added, "already": done.already,
            "tombstoned": done.tombstoned, "removed": done.removed, "blobs": done.blobs,
            "missing_blobs": done.missing_blobs, "refused": refused, "campaigns": done.campaigns,
        });
        show(cli, &view, || {
            let mut out = format!(
                "{}: {} records added, {} were here, {} blobs added\n",
                inert(&path.display().to_string()),
                done.added,
                done.already,
                done.blobs
            );
            refused
                .iter()
                .for_each(|r| out.push_str(&format!("left out: {}\n", inert(r))));
            out
        })?;
        let others: Vec<&String> = (done.campaigns.iter())
            .filter(|c| **c != bench.campaign)
            .collect();
        // Where there was no campaign, the first one is what the folder is about from now on.
        let several = !bench.campaign.is_empty() || bench.campaigns()?.len() > 1;
        for name in others.iter().filter(|_| several) {
            setup::note(&format!(
                "the records are of the campaign {name}: `assay list --campaign {name}` shows it"
            ));
        }
    }
    Ok(Code(if refused_any { WORSE } else { DONE }))
}

/// `assay sync`.
pub fn sync(cli: &Cli, remote: &str, blobs: bool) -> Result<Code> {
    let bench = Workbench::open_for_import(setup::options(cli)?)?;
    bench.remarks.iter().for_each(|r| setup::note(r));
    let done = bench.sync(remote, blobs)?;
    let branches: Vec<String> = done
        .branches
        .iter()
        .map(|(b, what)| format!("{b}: {}", branch_text(what)))
        .collect();
    let refused: Vec<String> = done
        .refused
        .iter()
        .map(|p| format!("{}: {}", p.path, p.detail))
        .collect();
    let view = json!({
        "schema": "assay.sync/1", "received": done.received, "sent": done.sent, "removed": done.removed,
        "blobs_received": done.blobs_received, "blobs_sent": done.blobs_sent,
        "branches": branches, "refused": refused,
    });
    show(cli, &view, || {
        let mut out = format!(
            "{} records received, {} sent; {} large blobs received, {} sent\n",
            done.received, done.sent, done.blobs_received, done.blobs_sent
        );
        branches
            .iter()
            .for_each(|b| out.push_str(&format!("  {}\n", inert(b))));
        refused
            .iter()
            .for_each(|r| out.push_str(&format!("left out: {}\n", inert(r))));
        out
    })?;
    OK
}

/// `assay gc`.
pub fn gc(cli: &Cli, dry_run: bool, reason: Option<&str>) -> Result<Code> {
    let done = open(cli)?.gc(dry_run, reason)?;
    let records: Vec<_> = done
        .records
        .iter()
        .map(|r| json!({ "id": r.id, "kind": r.kind, "why": r.why }))
        .collect();
    let bytes: u64 = done.blobs.iter().map(|(_, size)| size).sum();
    let view = json!({
        "schema": "assay.gc/1", "dry_run": dry_run, "written": done.written,
        "records": records, "blobs": done.blobs.len(), "blob_bytes": bytes,
    });
    show(cli, &view, || {
        let mut out = String::new();
        for r in &done.records {
            out.push_str(&format!("{} {} {}\n", r.id, r.kind, inert(&r.why)));
        }
        let verb = if done.written {
            "removed, with a tombstone each"
        } else {
            "would go"
        };
        out.push_str(&format!(
            "{} records {verb}; {} unreferenced large blobs ({bytes} bytes)\n",
            done.records.len(),
            done.blobs.len()
        ));
        out
    })?;
    OK
}
