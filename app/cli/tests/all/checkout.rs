//! The user's checkout: no command touches it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::support::{Lab, write};

/// Everything of a checkout that a command could disturb.
#[derive(Debug, PartialEq)]
struct Snapshot {
    files: BTreeMap<String, Vec<u8>>,
    index: Vec<u8>,
    head: String,
    reflog: String,
    status: String,
    stash: String,
}

fn files(dir: &Path, below: &str, out: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(dir).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{below}{}", entry.file_name().to_string_lossy());
        if name == ".git" {
            continue;
        }
        match entry.file_type().unwrap() {
            t if t.is_dir() => files(&entry.path(), &format!("{name}/"), out),
            _ => drop(out.insert(name, fs::read(entry.path()).unwrap())),
        }
    }
}

fn snapshot(lab: &Lab) -> Snapshot {
    let mut found = BTreeMap::new();
    files(lab.repo(), "", &mut found);
    Snapshot {
        files: found,
        index: fs::read(lab.repo().join(".git/index")).unwrap(),
        head: fs::read_to_string(lab.repo().join(".git/HEAD")).unwrap(),
        reflog: fs::read_to_string(lab.repo().join(".git/logs/HEAD")).unwrap(),
        status: lab.git(&[
            "--no-optional-locks",
            "status",
            "--porcelain=v2",
            "--ignored",
        ]),
        stash: lab.git(&["stash", "list"]),
    }
}

#[test]
fn no_command_disturbs_staged_dirty_or_untracked_files() {
    let lab = Lab::new();
    // Staged, then changed again; deleted; untracked; ignored.
    lab.write("kernel/k.txt", &Lab::kernel(&[("cost", "1")]));
    lab.git(&["add", "kernel/k.txt"]);
    lab.write("kernel/k.txt", &Lab::kernel(&[("cost", "2")]));
    lab.write("notes/mine.txt", "do not lose this");
    lab.write(".git/info/exclude", "scratch\n");
    lab.write("scratch", "nor this");
    lab.git(&["rm", "-q", "--cached", "harness/build.sh"]);
    let before = snapshot(&lab);
    let unchanged = |after: &str| assert_eq!(snapshot(&lab), before, "after {after}");

    lab.assay(&["new", "one", "--why", "x"]).ok();
    unchanged("new");
    let tree = lab.edit("one");
    unchanged("edit");
    assert!(!tree.starts_with(lab.repo()), "{tree:?}");
    write(
        &tree.join("kernel/k.txt"),
        &Lab::kernel(&[("cost", "80"), ("load", "40")]),
    );
    lab.assay(&["commit", "one"]).ok();
    unchanged("commit");
    lab.assay(&["run", "one"]).ok();
    unchanged("run");
    lab.assay(&["accept", "one", "--reason", "x"]).ok();
    lab.variant("two", &[("cost", "70"), ("load", "40")]);
    lab.assay(&["new", "side", "--why", "x", "--from", "HEAD"])
        .ok();
    lab.change("side", &[("size", "20")]);
    lab.assay(&["rebase", "side"]).ok();
    unchanged("rebase");
    lab.assay(&["combine", "two", "side"]).ok();
    unchanged("combine");
    lab.assay(&["ablate", "one"]).ok();
    unchanged("ablate");
    lab.assay(&["run", "two", "two+side", "one-without-1", "--again"])
        .ok();
    lab.assay(&["accept", "two", "--reason", "x"]).ok();
    lab.assay(&["rollback", "one", "--reason", "x"]).ok();
    unchanged("rollback");
    for reading in [
        &["list"][..],
        &["show", "one"],
        &["log"],
        &["verify"],
        &["report"],
        &["diff", "two"],
        &["gc", "--dry-run"],
    ] {
        lab.assay(reading).ok();
        unchanged(reading[0]);
    }
    assert_eq!(lab.git(&["rev-parse", "--abbrev-ref", "HEAD"]), "main\n");
}
