//! Whether the table has every sentence that the code can put into a record or a view.
//!
//! The makers of such sentences are read as text: every piece of two words or more between the places
//! of a string literal must stand in a phrase of the table. A new sentence fails here until it has its
//! Chinese, or is named below as one that no record holds.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

/// Files, or folders with all that is in them, whose sentences get into records and views.
const MAKERS: &[&str] = &[
    "cli/src/backend",
    "cli/src/backend.rs",
    "core/src/fold/canary.rs",
    "core/src/fold/compare.rs",
    "core/src/fold/gates.rs",
    "core/src/fold/list.rs",
    "core/src/fold/log.rs",
    "core/src/fold/repeats.rs",
    "core/src/fold/show.rs",
    "core/src/fold/sources.rs",
    "core/src/gate.rs",
    "core/src/gate",
    "core/src/record/evidence.rs",
    "core/src/record/untimed.rs",
    "core/src/view/beside.rs",
    "core/src/view/stages.rs",
    "engine/src/decide.rs",
    "engine/src/gates.rs",
    "engine/src/policy.rs",
    "engine/src/profiles/of_device.rs",
    "engine/src/run/bench.rs",
    "engine/src/run/canary.rs",
    "engine/src/run/card.rs",
    "engine/src/run/check.rs",
    "engine/src/run/control.rs",
    "engine/src/run/device.rs",
    "engine/src/run/floor.rs",
    "engine/src/run/intact.rs",
    "engine/src/run/isolation.rs",
    "engine/src/run/judged.rs",
    "engine/src/run/limits.rs",
    "engine/src/run/measure.rs",
    "engine/src/run/model.rs",
    "engine/src/run/noise.rs",
    "engine/src/run/ruling.rs",
    "engine/src/run/sanitizer.rs",
    "engine/src/run/suspected.rs",
    "engine/src/run/whose.rs",
    "exec/src/bench.rs",
    "exec/src/bench/resident.rs",
    "exec/src/bench/schedule.rs",
    "exec/src/conditions",
    "exec/src/fingerprint/gpu.rs",
    "exec/src/fingerprint/metax.rs",
    "exec/src/gpu_profile/mcprofiler/home.rs",
    "exec/src/gpu_profile/mcprofiler/said.rs",
    "exec/src/gpu_profile/ncu.rs",
    "exec/src/gpu_profile/ncu_said.rs",
    "exec/src/process/outcome.rs",
    "exec/src/process/run.rs",
    "exec/src/process/strays.rs",
    "exec/src/sanitizer.rs",
    "exec/src/stage.rs",
    "profile/src/canonical.rs",
    "profile/src/compare/align.rs",
    "profile/src/compare/unit.rs",
    "profile/src/compare/warn.rs",
    "stats/src/bimodal.rs",
    "stats/src/blocks.rs",
    "stats/src/case.rs",
    "stats/src/chain.rs",
    "stats/src/control.rs",
    "stats/src/explain.rs",
    "stats/src/levels.rs",
    "stats/src/paired.rs",
    "stats/src/procedure.rs",
    "stats/src/rules.rs",
    "stats/src/screen.rs",
    "stats/src/wording.rs",
];

/// Pieces in these files that are no sentence of a record: what the program prints while it works,
/// errors of a command line, words of other programs that are looked for.
const OTHERS: &[(&str, &[&str])] = &[
    // The list that follows begins anew with each canary.
    (
        "core/src/fold/canary.rs",
        &[
            "whether this evaluator notices a broken or slowed kernel is not known: canary",
            "not run",
        ],
    ),
    // Who holds the lock.
    ("engine/src/decide.rs", &["assay, recording a decision"]),
    (
        "engine/src/run/bench.rs",
        &["is not computed by this version"],
    ),
    (
        "engine/src/run/canary.rs",
        &[
            "check of the unchanged kernel",
            "unchanged, does not pass itself, so that a canary made of it proves nothing",
            "assay canary --of VARIANT, with one that passes its check",
            "proves nothing",
            "declares no canary: whether its evaluator notices a broken kernel is not known",
            "add [[canary]] to assay.toml, see docs/guide.md, and pin it: assay init --why TEXT",
            "no canary",
            "there are",
            "did you mean",
            "in the pinned evaluator",
            "commit it, and pin it: assay init --why TEXT",
            "does not fit the kernel",
            "an overlay that wraps the kernel fits every version of it",
            "is no plain file",
            "it changes",
            "which is not among [kernel] paths",
        ],
    ),
    // In the name of a device.
    (
        "engine/src/run/card.rs",
        &[
            "slice of",
            "exit code 137",
            "said to be a slice of",
            "not confirmed",
        ],
    ),
    (
        "engine/src/run/whose.rs",
        &["shared the process, and each is run alone to see whose failure it is"],
    ),
    (
        "engine/src/run/control.rs",
        &["no verdict of this run will stand"],
    ),
    ("engine/src/run/device.rs", &["waiting for", "at most"]),
    (
        "engine/src/run/isolation.rs",
        &[
            "isolation: in mode `invocation` each leg is a process of its own, so that nothing of one side can disturb the other: there is nothing to check",
        ],
    ),
    (
        "engine/src/run/judged.rs",
        &["nothing was measured", "a verdict is on two sides"],
    ),
    (
        "engine/src/run/measure.rs",
        &[
            "the bench stage is not declared",
            "the bench stage has no command",
            "another process",
            "waiting for the device, in use by",
        ],
    ),
    (
        "engine/src/run/noise.rs",
        &[
            "there is neither a champion nor a baseline to measure against itself",
            "assay calibrate NAME",
            "this content of",
            "was not checked, and nothing is timed before that",
            "the bench stage is not declared",
        ],
    ),
    (
        "engine/src/run/sanitizer.rs",
        &[
            "check: once more under",
            "its report ---",
            "--- and the output of the program ---",
        ],
    ),
    // What `nvidia-smi`, `ncu`, mcProfiler and Python say.
    (
        "exec/src/conditions/nvidia.rs",
        &[
            "is not a valid field to query",
            "no running processes found",
        ],
    ),
    (
        "exec/src/conditions/sampler.rs",
        &[
            "GPU is lost",
            "Unable to determine the device handle",
            "couldn't communicate with the NVIDIA driver",
        ],
    ),
    (
        "exec/src/fingerprint/gpu.rs",
        &["couldn't communicate with the NVIDIA driver"],
    ),
    (
        "exec/src/gpu_profile/mcprofiler/said.rs",
        &[
            "perf done, please check report file",
            "[info] output path is",
            "Address already in use",
            "cannot draw from data",
            "No such file or directory",
            "try to connect to server",
        ],
    ),
    ("exec/src/conditions/cells.rs", &["no device", "no such"]),
    (
        "exec/src/gpu_profile/ncu.rs",
        &[
            "ncu cannot read [profile] kernel = \"",
            "\": all kernels are profiled, and the one that is meant is chosen afterwards",
        ],
    ),
    (
        "exec/src/gpu_profile/ncu_said.rs",
        &[
            "driver resource was unavailable",
            "Cannot lock GPU clock frequencies on MIG",
            "driver is not compatible",
            "Profiling is not supported on device",
            "no CUDA-capable device",
            "Failed to profile \"",
            "No kernels were profiled",
            "available kernels",
            "Failed to profile",
            "The application returned an error code",
        ],
    ),
    (
        "exec/src/process/outcome.rs",
        &[
            "assay harness",
            "ModuleNotFoundError: No module named",
            "not found",
            "command not found",
            "No such file or directory",
            "FileNotFoundError: [Errno 2] No such file or directory",
        ],
    ),
    ("exec/src/stage.rs", &["draw a nonce"]),
    // Thresholds are asked for on the command line only.
    (
        "profile/src/compare/warn.rs",
        &["did you mean", "The threshold for", "fits no counter"],
    ),
    (
        "stats/src/procedure.rs",
        &[
            "is unknown to this version, which knows",
            "use the version of assay that wrote the record, or a later one",
        ],
    ),
];

#[test]
fn every_sentence_that_gets_into_a_record_is_in_the_table() {
    let table: Vec<String> = assay_said::sentences().map(spaced).collect();
    let mut missing = Vec::new();
    for file in makers() {
        let others = others(&file);
        let text = fs::read_to_string(app().join(&file)).unwrap();
        for piece in pieces(&text) {
            let known = table.iter().any(|sentence| sentence.contains(&piece));
            if !known && !others.contains(&piece.as_str()) {
                missing.push(format!("{file}: {piece}"));
            }
        }
    }
    assert!(missing.is_empty(), "{:#?}", missing);
}

#[test]
fn what_is_named_as_no_sentence_of_a_record_is_there() {
    for (file, all) in OTHERS {
        let text = fs::read_to_string(app().join(file)).unwrap();
        let there: Vec<String> = pieces(&text);
        for piece in *all {
            assert!(there.iter().any(|p| p == piece), "{file}: {piece}");
        }
    }
}

fn app() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn others(file: &str) -> &'static [&'static str] {
    let found = OTHERS.iter().find(|(of, _)| *of == file);
    found.map_or(&[], |(_, all)| all)
}

/// The files of the list, without tests.
fn makers() -> Vec<String> {
    fn add(path: &Path, out: &mut Vec<PathBuf>) {
        if !path.is_dir() {
            return out.push(path.to_owned());
        }
        let inside = fs::read_dir(path).unwrap().map(|e| e.unwrap().path());
        inside.for_each(|p| add(&p, out));
    }
    let mut all = Vec::new();
    for maker in MAKERS {
        add(&app().join(maker), &mut all);
    }
    let name = |p: PathBuf| p.strip_prefix(app()).unwrap().to_str().unwrap().to_owned();
    let mut all: Vec<String> = all.into_iter().map(name).collect();
    all.retain(|p| p.ends_with(".rs") && !p.contains("tests"));
    all.sort();
    all
}

/// The pieces of two words or more in the string literals of a source, without its tests.
fn pieces(source: &str) -> Vec<String> {
    let source = source.split("\n#[cfg(test)]\nmod ").next().unwrap();
    let mut out = Vec::new();
    for literal in literals(source) {
        let mut rest = literal.as_str();
        while !rest.is_empty() {
            let (piece, behind) = rest.split_once('{').unwrap_or((rest, ""));
            rest = behind.split_once('}').map_or("", |(_, after)| after);
            let piece = spaced(piece);
            let words = piece.split(' ').filter(|w| is_word(w)).count();
            if words > 1 {
                out.push(piece);
            }
        }
    }
    out
}

fn is_word(word: &str) -> bool {
    word.len() > 1 && word.bytes().all(|b| b.is_ascii_lowercase())
}

fn spaced(text: &str) -> String {
    let text = text.replace("\\\"", "\"").replace("\\n", " ");
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    let ends = |c: char| !c.is_alphanumeric() && !"[-\"".contains(c);
    text.trim_matches(ends).to_owned()
}

/// String literals, with line ends that a backslash takes away taken away.
fn literals(source: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut rest = source;
    while let Some(at) = rest.find(['"', '/', '\'', '#']) {
        let (head, tail) = rest.split_at(at);
        let raw = head.ends_with("r") && tail.starts_with("#\"");
        rest = if raw {
            let inside = &tail[2..];
            let end = inside.find("\"#").unwrap_or(inside.len());
            out.push(inside[..end].to_owned());
            inside.get(end + 2..).unwrap_or_default()
        } else if tail.starts_with("//") {
            tail.split_once('\n').map_or("", |(_, after)| after)
        } else if tail.starts_with("'\"'") || tail.starts_with("'/'") {
            &tail[3..]
        } else if tail.starts_with("'\\") {
            tail.get(4..).unwrap_or_default()
        } else if let Some(inside) = tail.strip_prefix('"') {
            let end = closing(inside);
            let lines: Vec<&str> = inside[..end].split("\\\n").collect();
            let text = lines.iter().enumerate().map(|(i, l)| match i {
                0 => *l,
                _ => l.trim_start(),
            });
            out.push(text.collect());
            inside.get(end + 1..).unwrap_or_default()
        } else {
            &tail[1..]
        };
    }
    out
}

/// Where a literal ends.
fn closing(inside: &str) -> usize {
    let mut escaped = false;
    for (at, b) in inside.bytes().enumerate() {
        match b {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at,
            _ => {}
        }
    }
    inside.len()
}
