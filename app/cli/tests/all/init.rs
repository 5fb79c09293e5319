//! What `assay init` writes into a new campaign: every file that its evaluator includes or imports is there.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::Lab;

/// Names of the files directly in a folder.
fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect()
}

/// Files beside it that a header includes or a Python module imports.
fn wanted(name: &str, text: &str) -> Vec<String> {
    let line = |l: &str| {
        let l = l.trim();
        if name.ends_with(".h") {
            let rest = l.strip_prefix("#include \"")?;
            return Some(rest.split('"').next()?.to_owned());
        }
        let rest = l
            .strip_prefix("from ")
            .or_else(|| l.strip_prefix("import "))?;
        let module = rest.split([' ', ',', '.']).next()?;
        module.starts_with("assay_").then(|| format!("{module}.py"))
    };
    text.lines().filter_map(line).collect()
}

#[track_caller]
fn complete(harness: &Path) {
    let there = names(harness);
    let mut seen = 0;
    for name in there
        .iter()
        .filter(|n| n.ends_with(".h") || n.ends_with(".py"))
    {
        let text = fs::read_to_string(harness.join(name)).unwrap();
        for file in wanted(name, &text) {
            assert!(there.contains(&file), "{name} needs {file}: {there:?}");
            seen += 1;
        }
    }
    assert!(seen > 0, "nothing was looked at in {there:?}");
}

/// Runs a program in a folder, where this machine has it.
#[track_caller]
fn runs(folder: &Path, program: &str, args: &[&str]) {
    match Command::new(program)
        .args(args)
        .current_dir(folder)
        .output()
    {
        Ok(o) => assert!(o.status.success(), "{}", String::from_utf8_lossy(&o.stderr)),
        Err(e) => assert_eq!(e.kind(), std::io::ErrorKind::NotFound),
    }
}

#[test]
fn a_new_campaign_has_every_file_that_its_harness_needs() {
    let lab = Lab::empty();
    lab.git(&["init", "-q", "-b", "main"]);
    let said = lab.assay(&["init"]).ok();
    let harness = lab.repo().join("harness");
    let there = names(&harness);
    for file in [
        "assay_bench.h",
        "assay_guard.h",
        "assay_harness.py",
        "assay_guard.py",
        "assay_torch.py",
    ] {
        assert!(there.contains(file), "{there:?}");
        assert!(said.contains(file), "{said}");
    }
    complete(&harness);
    // An evaluator of each kind, from nothing but these files.
    lab.write(
        "harness/e.c",
        "#include \"assay_bench.h\"\nint main(void) { return assay_close(assay_open()); }\n",
    );
    runs(
        &harness,
        "cc",
        &[
            "-std=c99", "-Wall", "-Wextra", "-Werror", "e.c", "-o", "e", "-ldl", "-lm",
        ],
    );
    runs(
        &harness,
        "python3",
        &["-B", "-c", "import assay_harness, assay_torch"],
    );
    let mine = "/* mine */\n";
    lab.write("harness/assay_plan.h", mine);
    fs::remove_file(lab.repo().join("assay.toml")).unwrap();
    lab.assay(&["init"]).ok();
    assert_eq!(
        fs::read_to_string(harness.join("assay_plan.h")).unwrap(),
        mine
    );
}
