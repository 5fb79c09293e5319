//! A campaign on a MetaX card, with a stand-in for its toolchain.
//!
//! No machine with such a card runs these tests: `mx-smi`, `macainfo`, `mxcc` and `mcProfiler` are
//! the stand-ins of `app/exec/tests/standin/metax`, which print what the tools are documented to
//! print. They show that the tools are driven, read and given up as they should be, not how a real
//! card behaves.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::support::{Lab, gate, write};

mod card;
mod doctor;
mod limits;
mod profile;
mod walk;

/// Where the stand-ins lie.
fn standin(name: &str) -> PathBuf {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    here.join("../exec/tests/standin/metax").join(name)
}

/// The campaign, committed, with the toolchain first in the path and parts of its file replaced.
fn committed(changes: &[(&str, &str)]) -> Lab {
    let lab = Lab::committed();
    let mut text = include_str!("standin/metax/assay.toml").to_owned();
    for (old, new) in changes {
        assert_eq!(text.matches(old).count(), 1, "{old}");
        text = text.replace(old, new);
    }
    lab.write("assay.toml", &text);
    lab.write("harness/mxcc.sh", include_str!("standin/metax/mxcc.sh"));
    lab.write("harness/launch.sh", include_str!("standin/metax/launch.sh"));
    lab.write("harness/include/tl_templates/maca/gemm.h", "\n");
    lab.write("kernel/k.cu", include_str!("standin/metax/k.cu"));
    lab.git(&["rm", "-q", "kernel/k.txt"]);
    lab.git(&["add", "-A"]);
    lab.git(&["commit", "-q", "-m", "a campaign for a card"]);
    for tool in ["mx-smi", "macainfo", "mxcc"] {
        lab.tool(tool, &format!("exec '{}' \"$@\"", standin(tool).display()));
    }
    install_profiler(&lab);
    lab
}

/// Installs the stand-in for mcProfiler.
fn install_profiler(lab: &Lab) {
    // In the path is a link; the folder that it has to run in is elsewhere.
    let home = profiler_home(lab);
    for (from, to) in [
        ("mcProfiler", "mcProfiler"),
        ("config/standin.json", "config/standin.json"),
    ] {
        let to = home.join(to);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(standin(from), to).unwrap();
    }
    let link = lab.root().join("tools/mcProfiler");
    std::os::unix::fs::symlink(home.join("mcProfiler"), link).unwrap();
}

/// Where the stand-in for mcProfiler is installed.
fn profiler_home(lab: &Lab) -> PathBuf {
    lab.root().join("mcProfiler-linux")
}

/// The campaign, pinned and approved.
fn lab() -> Lab {
    lab_with(&[])
}

/// The same with parts of its file replaced.
fn lab_with(changes: &[(&str, &str)]) -> Lab {
    let lab = committed(changes);
    lab.assay(&["init"]).ok();
    lab.assay(&["trust", "--trust"]).ok();
    lab
}

/// Adds a target for a quarter of the card.
const SLICE: (&str, &str) = (
    "model = \"c500\"",
    "model = \"c500\"\n\n[target.slice]\ndevice = \"metax\"\nmodel = \"c500\"\nshare = \"25%\"",
);

/// Switches faults of the stand-ins on; all others are off.
fn faults(lab: &Lab, words: &str) {
    write(&lab.home().join("standin"), words);
}

/// Declares a variant and commits its kernel with parts of the text replaced.
#[track_caller]
fn variant(lab: &Lab, name: &str, changes: &[(&str, &str)]) {
    lab.assay(&["new", "--why", "a test", "--", name]).ok();
    if changes.is_empty() {
        return;
    }
    let tree = lab.edit(name);
    let mut text = include_str!("standin/metax/k.cu").to_owned();
    for (old, new) in changes {
        assert!(text.contains(old), "{old}");
        text = text.replace(old, new);
    }
    write(&tree.join("kernel/k.cu"), &text);
    lab.assay(&["commit", name]).ok();
}

/// How the newest run of all failed: kind, stage and message.
#[track_caller]
fn failure(lab: &Lab) -> (String, String, String) {
    let runs = lab.records_of("run");
    let f = &runs.last().unwrap()["body"]["failure"];
    let text = |key: &str| f[key].as_str().unwrap_or_default().to_owned();
    (text("kind"), text("stage"), text("message"))
}
