//! Commands that make and change variants.

use std::process::Command;

use assay_core::text::inert;
use assay_engine::variants::{Created, NewVariant};
use assay_engine::{Error, Result};
use serde_json::json;

use super::{OK, open, say, show};
use crate::args::Cli;
use crate::exit::Code;
use crate::setup::note;

fn created(cli: &Cli, c: &Created, verb: &str) -> Result<()> {
    let view = json!({
        "schema": "assay.variant/1", "name": c.name, "branch": c.branch, "parents": c.parents, "commit": c.commit,
    });
    show(cli, &view, || {
        let from = if c.parents.is_empty() {
            String::new()
        } else {
            format!(" from {}", inert(&c.parents.join(" and ")))
        };
        format!(
            "{verb} {}{from} on branch {} ({})\n",
            inert(&c.name),
            inert(&c.branch),
            &c.commit[..c.commit.len().min(12)]
        )
    })
}

/// `assay new`.
pub fn new(cli: &Cli, new: &NewVariant) -> Result<Code> {
    let c = open(cli)?.new_variant(new)?;
    created(cli, &c, "made")?;
    OK
}

/// `assay edit`.
pub fn edit(cli: &Cli, name: &str, no_editor: bool) -> Result<Code> {
    let path = open(cli)?.edit(name)?;
    let editor = ["VISUAL", "EDITOR"]
        .iter()
        .find_map(|v| std::env::var(v).ok().filter(|e| !e.trim().is_empty()));
    say(&format!("{}\n", path.display()))?;
    if let (Some(editor), false, true) = (editor, no_editor, crate::setup::has_terminal()) {
        // The variable may hold arguments, so the shell splits it; the path is passed apart.
        let status = Command::new("sh")
            .args(["-c", &format!("{editor} \"$1\""), "sh"])
            .arg(&path)
            .status()
            .map_err(|e| {
                Error::environment(format!("the editor `{editor}` cannot be started: {e}"))
            })?;
        if !status.success() {
            return Err(Error::environment(format!(
                "the editor `{editor}` ended with {status}"
            )));
        }
    }
    OK
}

/// `assay commit`.
pub fn commit(cli: &Cli, name: &str, message: Option<&str>) -> Result<Code> {
    let done = open(cli)?.commit_edit(name, message)?;
    for left in &done.left_out {
        note(left);
    }
    say(&format!("committed {}\n", done.commit.short()))?;
    OK
}

/// `assay rebase`.
pub fn rebase(cli: &Cli, name: &str, onto: Option<&str>) -> Result<Code> {
    let c = open(cli)?.rebase(name, onto)?;
    created(cli, &c, "moved")?;
    OK
}

/// `assay combine`.
pub fn combine(cli: &Cli, a: &str, b: &str, name: Option<&str>, why: Option<&str>) -> Result<Code> {
    let c = open(cli)?.combine(a, b, name, why)?;
    created(cli, &c, "made")?;
    OK
}

/// `assay ablate`.
pub fn ablate(cli: &Cli, name: &str) -> Result<Code> {
    for c in open(cli)?.ablate(name)? {
        created(cli, &c, "made")?;
    }
    OK
}
