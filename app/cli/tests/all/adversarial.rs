//! The adversarial corpus: kernels that cheat are caught as `corpus.tsv` says, and those that only look like it pass.
//!
//! Everything is real here: the compiler, the driver, the measuring. Without a C compiler there is nothing to test.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::support::{Lab, write};

/// One line of `corpus.tsv`.
struct Kernel {
    name: String,
    outcome: String,
    words: String,
}

fn kernels() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../kernels")
}

fn read(path: &str) -> String {
    let path = kernels().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Names of the C headers of the harness.
fn headers() -> Vec<String> {
    let entries = std::fs::read_dir(kernels().join("harness")).unwrap();
    let names = entries.map(|e| e.unwrap().file_name().into_string().unwrap());
    names.filter(|n| n.ends_with(".h")).collect()
}

fn corpus() -> Vec<Kernel> {
    let text = read("adversarial/corpus.tsv");
    let lines = text.lines().filter(|l| !l.starts_with('#'));
    lines
        .map(|l| {
            let [name, _, outcome, words] = l.split('\t').collect::<Vec<_>>()[..] else {
                panic!("{l:?} has not four columns");
            };
            Kernel {
                name: name.into(),
                outcome: outcome.into(),
                words: words.into(),
            }
        })
        .collect()
}

fn compiler() -> bool {
    Command::new("cc").arg("--version").output().is_ok()
}

/// The campaign in a repository of its own, with a variant for each of these kernels, all run.
fn run(which: &[&Kernel], folder: &str) -> BTreeMap<String, Value> {
    let lab = Lab::empty();
    lab.git(&["init", "-q", "-b", "main"]);
    lab.git(&["config", "user.name", "Tester"]);
    lab.git(&["config", "user.email", "tester@localhost"]);
    for file in [
        "assay.toml",
        "harness/build.sh",
        "harness/run.sh",
        "harness/driver.c",
        "harness/plain.c",
        "kernel/windowed.c",
        "kernel/honest.h",
    ] {
        lab.write(file, &read(&format!("adversarial/{file}")));
    }
    for header in headers() {
        lab.write(
            &format!("harness/{header}"),
            &read(&format!("harness/{header}")),
        );
    }
    lab.git(&["add", "-A"]);
    lab.git(&["commit", "-q", "-m", "campaign"]);
    lab.assay(&["init"]).ok();
    lab.assay(&["trust", "--trust"]).ok();
    let mut args = vec!["run"];
    for k in which {
        lab.assay(&["new", &k.name, "--why", "a test"]).ok();
        let tree = lab.edit(&k.name);
        let code = read(&format!("adversarial/{folder}/{}.c", k.name));
        write(&tree.join("kernel/windowed.c"), &code);
        lab.assay(&["commit", &k.name]).ok();
        args.push(&k.name);
    }
    let done = lab.assay(&args);
    let list = lab.list();
    let rows = list["variants"].as_array().unwrap();
    let rows: BTreeMap<String, Value> = rows
        .iter()
        .map(|r| (r["name"].as_str().unwrap().to_owned(), r.clone()))
        .collect();
    assert!(
        which
            .iter()
            .all(|k| rows.get(&k.name).is_some_and(|r| r["status"] != "new")),
        "not all were run: {done:#?}"
    );
    rows
}

/// What became of a kernel, in the words of `corpus.tsv`, and all that was said of it.
fn outcome(row: &Value) -> (String, String) {
    let text = |v: &Value| v.as_str().unwrap_or_default().to_owned();
    let failure = &row["failure"];
    if failure.is_object() {
        let kind = format!("{} {}", text(&failure["kind"]), text(&failure["stage"]));
        return (kind, format!("{failure:#}"));
    }
    let gates = row["gates"].as_array().unwrap();
    let broken = gates.iter().find(|g| {
        g["pass"] == false && !["verdict", "workload-guard"].contains(&g["name"].as_str().unwrap())
    });
    match broken {
        Some(g) => (format!("gate {}", text(&g["name"])), text(&g["evidence"])),
        None => ("passes".into(), text(&row["verdict"])),
    }
}

/// Whether a pattern of alternatives, `a|b rest`, holds.
fn fits(pattern: &str, text: &str, whole: bool) -> bool {
    pattern
        .split('|')
        .any(|p| if whole { p == text } else { text.contains(p) })
}

#[track_caller]
fn hold_against(which: &[Kernel], rows: &BTreeMap<String, Value>) {
    let mut wrong = Vec::new();
    for k in which {
        let (got, said) = outcome(&rows[&k.name]);
        let (kinds, place) = k.outcome.split_once(' ').unwrap_or((&k.outcome, ""));
        let (kind, where_) = got.split_once(' ').unwrap_or((&got, ""));
        if !fits(kinds, kind, true) || place != where_ || !fits(&k.words, &said, false) {
            wrong.push(format!(
                "{}: expected {} ({}), got {got} ({said})",
                k.name, k.outcome, k.words
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The kernels that fail or pass in this half of the corpus.
fn part(folder: &str, half: usize) -> Vec<Kernel> {
    let cheats = |k: &Kernel| (k.outcome == "passes") == (folder == "honest");
    let all = corpus().into_iter().filter(cheats);
    all.enumerate()
        .filter(|(i, _)| i % 2 == half)
        .map(|(_, k)| k)
        .collect()
}

fn check(folder: &str, half: usize) {
    if !compiler() {
        return;
    }
    let which = part(folder, half);
    let rows = run(&which.iter().collect::<Vec<_>>(), folder);
    hold_against(&which, &rows);
}

#[test]
fn the_corpus_and_its_table_agree() {
    let table = read("adversarial/README.md");
    let listed: BTreeSet<(String, String)> = corpus()
        .into_iter()
        .map(|k| {
            let folder = if k.outcome == "passes" {
                "honest"
            } else {
                "exploits"
            };
            (folder.to_owned(), k.name)
        })
        .collect();
    let mut there = BTreeSet::new();
    for folder in ["exploits", "honest"] {
        for entry in std::fs::read_dir(kernels().join("adversarial").join(folder)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            there.insert((folder.to_owned(), name.trim_end_matches(".c").to_owned()));
        }
    }
    assert_eq!(listed, there);
    for (_, name) in listed {
        assert!(
            table.contains(&format!("`{name}`")),
            "README.md lacks {name}"
        );
    }
}

#[test]
fn cheats_are_caught_one() {
    check("exploits", 0);
}

#[test]
fn cheats_are_caught_two() {
    check("exploits", 1);
}

#[test]
fn look_alikes_pass_one() {
    check("honest", 0);
}

#[test]
fn look_alikes_pass_two() {
    check("honest", 1);
}
