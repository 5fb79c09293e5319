//! Figures that were forged or cannot be computed again are named, with what comes out.

use std::fs;
use std::path::{Path, PathBuf};

use assay_core::Record;
use assay_core::record::{Body, DecisionKind, VerdictKind};
use serde_json::Value;

use crate::matrix::{finding, matrix_lab};
use crate::support::{Lab, write};

/// A campaign with a calibration, a champion, a verdict on a change, and a decision that says what
/// its prediction came to, as a plain folder.
pub fn folder(lab: &Lab) -> PathBuf {
    lab.champion("base", &[("cost", "100"), ("load", "51")]);
    lab.assay(&["calibrate", "--noise", "--processes", "6"])
        .ok();
    lab.assay(&[
        "new",
        "quick",
        "--from",
        "base",
        "--why",
        "x",
        "--predict",
        "time<-5%",
    ])
    .ok();
    lab.change("quick", &[("cost", "80")]);
    lab.assay(&["run", "quick"]).ok();
    lab.assay(&["accept", "quick", "--reason", "faster"]).ok();
    let at = lab.root().join("plain");
    lab.assay(&["export", at.to_str().unwrap()]).ok();
    at
}

/// Every record of a plain folder.
pub fn records(at: &Path) -> Vec<(PathBuf, Record)> {
    fn walk(at: &Path, out: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(at).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => walk(&path, out),
                false => out.push(path),
            }
        }
    }
    let mut paths = Vec::new();
    walk(&at.join("records"), &mut paths);
    let read = |p: PathBuf| {
        let record = Record::from_bytes(&fs::read(&p).unwrap()).unwrap();
        (p, record)
    };
    paths.into_iter().map(read).collect()
}

/// Rewrites records with a hash that fits, as somebody does who knows how. Returns how many.
pub fn forge(at: &Path, change: impl Fn(&mut Body) -> bool) -> usize {
    let mut changed = 0;
    for (path, mut record) in records(at) {
        if change(&mut record.body) {
            fs::write(path, record.to_bytes().unwrap()).unwrap();
            changed += 1;
        }
    }
    changed
}

#[track_caller]
fn audit(lab: &Lab, at: &Path, code: i32) -> Value {
    let done = lab.assay_in(at, &["audit", "--json"]);
    assert_eq!(done.code, code, "{done:#?}");
    done.json()
}

/// Kind, subject, workload and name of the figures that came out so.
fn of(view: &Value, outcome: &str) -> Vec<String> {
    let figures = view["figures"].as_array().unwrap().iter();
    let some = figures.filter(|f| f["outcome"] == outcome);
    some.map(|f| {
        let text = |k: &str| f[k].as_str().unwrap_or("-").to_owned();
        let parts = [
            text("kind"),
            text("subject"),
            text("workload"),
            text("figure"),
        ];
        parts.join(" | ")
    })
    .collect()
}

#[test]
fn what_was_recorded_comes_out_again() {
    let lab = Lab::new();
    let at = folder(&lab);
    let view = audit(&lab, &at, 0);
    assert_eq!(of(&view, "disagrees"), [""; 0], "{view:#}");
    assert_eq!(of(&view, "not_recomputed"), [""; 0]);
    let agrees = of(&view, "agrees");
    for figure in [
        "measurement | quick | small | median",
        "measurement | base | small | mad",
        "verdict | quick against base | - | ratio",
        "verdict | quick against base | - | interval.low",
        "verdict | quick against base | small | a_median",
        "verdict | quick against base | - | false_accepts.assay.rate",
        "calibration | base | - | floor",
        "calibration | base | - | false_accepts.median-lower.rate",
        "calibration | base | - | smallest_effects.4.effect",
        "decision | quick | - | observed_percent",
        "decision | quick | - | held",
    ] {
        assert!(agrees.iter().any(|a| a == figure), "{figure}: {agrees:#?}");
    }
    let text = lab.assay_in(&at, &["audit"]).ok();
    assert!(text.contains("derived figures: "), "{text}");
    // In the repository too, and of one variant.
    let one = lab.assay(&["audit", "quick", "--json"]).json();
    let agrees = of(&one, "agrees");
    assert!(
        agrees.iter().any(|a| a.starts_with("decision | quick")),
        "{agrees:?}"
    );
    assert!(
        !agrees.iter().any(|a| a.starts_with("calibration")),
        "{agrees:?}"
    );
}

#[test]
fn forged_figures_are_named_with_what_comes_out() {
    let lab = Lab::new();
    let at = folder(&lab);
    let changed = forge(&at, |body| {
        match body {
            Body::Measurement(m) if m.b.name == "quick" => m.summary[0].median_ns *= 0.9,
            Body::Calibration(c) => {
                c.noise.floor = 0.0001;
                let rates = &mut c.noise.false_accepts;
                rates.iter_mut().for_each(|f| f.rate /= 2.0);
            }
            Body::Verdict(v) if v.b == "quick" => {
                v.ratio = v.ratio.map(|r| r * 0.9);
                v.interval = v.interval.map(|[low, high]| [low, high - 0.1]);
                v.workloads[0].guard_broken = true;
            }
            Body::Decision(d) if d.kind == DecisionKind::Accept && d.variant == "quick" => {
                d.predictions[0].observed_percent = Some(-44.0);
            }
            _ => return false,
        }
        true
    });
    assert_eq!(changed, 4);
    let view = audit(&lab, &at, 1);
    let wrong = of(&view, "disagrees");
    let first = "measurement | base | large | median";
    for figure in [
        first,
        "verdict | quick against base | - | ratio",
        "verdict | quick against base | - | interval.high",
        "verdict | quick against base | large | guard_broken",
        "calibration | base | - | floor",
        "calibration | base | - | false_accepts.median-lower.rate",
        "decision | quick | - | observed_percent",
    ] {
        assert!(wrong.iter().any(|a| a == figure), "{figure}: {wrong:#?}");
    }
    let all = view["figures"].as_array().unwrap();
    assert_eq!(all[0]["outcome"], "disagrees", "the worst comes first");
    let ratio = (all.iter()).find(|f| f["figure"] == "ratio" && f["outcome"] == "disagrees");
    let ratio = ratio.unwrap();
    let number = |k: &str| ratio[k].as_f64().unwrap();
    assert!(
        (number("stated") / number("computed") - 0.9).abs() < 1e-9,
        "{ratio:#}"
    );
    assert!(!ratio["sources"].as_array().unwrap().is_empty());

    let text = lab.assay_in(&at, &["audit"]);
    assert_eq!(text.code, 1);
    assert!(text.out.contains("DISAGREES  "), "{text:#?}");
    let zh = lab.assay_in(&at, &["--lang", "zh", "audit"]);
    assert!(
        zh.out.contains("不一致") && zh.out.contains("算得"),
        "{zh:#?}"
    );
    let verify = lab.assay_in(&at, &["verify", "--json"]);
    assert_eq!(verify.code, 1);
    let kinds: Vec<String> = (verify.json()["disagreements"].as_array().unwrap().iter())
        .map(|d| d["kind"].as_str().unwrap().to_owned())
        .collect();
    for kind in ["measurement", "verdict", "calibration"] {
        assert!(kinds.iter().any(|k| k == kind), "{kinds:?}");
    }
}

#[test]
fn what_cannot_be_computed_again_is_told_with_its_reason() {
    let lab = Lab::new();
    let at = folder(&lab);
    let blobs: Vec<String> = (records(&at).iter())
        .filter_map(|(_, r)| match &r.body {
            Body::Measurement(m) if m.b.name == "quick" => Some(m.samples.sha256.to_string()),
            _ => None,
        })
        .collect();
    for sha in &blobs {
        fs::remove_file(at.join("blobs").join(&sha[..2]).join(sha)).unwrap();
    }
    let view = audit(&lab, &at, 0);
    let told = of(&view, "not_recomputed");
    assert_eq!(
        told,
        [
            "measurement | quick against base | - | all",
            "verdict | quick against base | - | all"
        ],
        "{view:#}"
    );
    let text = lab.assay_in(&at, &["audit"]).ok();
    assert!(
        text.contains("not recomputed: its raw samples are not stored here"),
        "{text}"
    );
    let zh = lab.assay_in(&at, &["--lang", "zh", "audit"]).ok();
    assert!(zh.contains("未重新计算：原始样本不在此处"), "{zh}");
    assert!(lab.assay_in(&at, &["verify"]).out.contains("not checked"));
}

#[test]
fn hostile_records_are_told_and_never_end_the_program() {
    let lab = Lab::new();
    let at = folder(&lab);
    forge(&at, |body| {
        match body {
            Body::Calibration(c) => {
                c.settings.campaigns = u32::MAX;
            }
            Body::Verdict(v) => {
                v.procedure = "paired-\u{1b}[31m/9".into();
                v.delta = -1.0;
                v.verdict = VerdictKind::Same;
            }
            Body::Measurement(m) => {
                m.tick_ns = Some(-1e300);
                m.summary.clear();
            }
            Body::Decision(d) => {
                for p in &mut d.predictions {
                    p.prediction.op = "~\u{1b}".into();
                    p.observed_percent = Some(f64::MAX);
                }
            }
            _ => return false,
        }
        true
    });
    let done = lab.assay_in(&at, &["audit"]);
    assert_eq!(done.code, 1, "{done:#?}");
    assert!(!done.out.contains('\u{1b}'), "{}", done.out);
    assert!(done.out.contains("4294967295 campaigns"), "{}", done.out);
    assert!(
        done.out.contains("is unknown to this version"),
        "{}",
        done.out
    );
}

/// Two workloads of a table with two sides, and what its author says of them.
const TABLE: &str =
    "case,us,over old,old us,TFLOPS\nsmall,150.0,1.100×,165.0,229\nlarge,3.5,0.972x,3.6,0.229\n";

const MAPPING: &str = r#"schema = "assay.mapping/1"
tool = "paper"
format = "csv"
decimal = "."
workload = "case"
[[counters]]
from = "us"
name = "latency"
unit = "us"
canonical = "claim.time"
side = "new"
[[counters]]
from = "over old"
name = "speed-up"
canonical = "claim.speedup"
side = "new"
against = "old"
[[counters]]
from = "TFLOPS"
name = "throughput"
unit = "TFLOPS"
canonical = "claim.tflops"
side = "new"
[[counters]]
from = "old us"
name = "latency"
unit = "us"
canonical = "claim.time"
side = "old"
[[claims]]
what = "reduction"
row = "small"
side = "new"
against = "old"
stated = "10.0 %"
where = "section 2"
[[claims]]
what = "faster"
side = "new"
against = "old"
stated = "2"
[[claims]]
what = "geomean"
side = "new"
against = "old"
stated = "1.2x"
[[claims]]
what = "linear"
in = "Q"
stated = "linear in Q"
"#;

#[test]
fn published_figures_are_computed_from_their_table() {
    let lab = matrix_lab();
    lab.champion("one", &[("cost", "90")]);
    let (table, mapping) = (lab.root().join("t.csv"), lab.root().join("t.toml"));
    write(&table, TABLE);
    write(&mapping, MAPPING);
    let paths = [table.to_str().unwrap(), mapping.to_str().unwrap()];
    let import = [
        "import",
        paths[0],
        "--variant",
        "one",
        "--mapping",
        paths[1],
        "--kernel",
        "new",
    ];
    lab.assay(&import).ok();
    let done = lab.assay(&["audit", "--json"]);
    assert_eq!(done.code, 1, "{done:#?}");
    let view = done.json();
    let published = |outcome: &str| -> Vec<String> {
        let all = of(&view, outcome).into_iter();
        all.filter_map(|l| l.strip_prefix("published | ").map(str::to_owned))
            .collect()
    };
    assert_eq!(
        published("disagrees"),
        ["one | large | throughput", "one | - | geomean over old"],
        "{view:#}"
    );
    assert_eq!(
        published("ambiguous"),
        [
            "one | large | speed-up over old",
            "one | small | reduction over old"
        ]
    );
    let is_it = |f: &&serde_json::Value| f["place"] == "section 2";
    let placed = view["figures"].as_array().unwrap().iter().find(is_it);
    assert_eq!(placed.unwrap()["figure"], "reduction over old");
    assert_eq!(published("not_recomputed"), ["one | - | linear in Q"]);
    let agrees = published("agrees");
    assert!(
        agrees.contains(&"one | small | speed-up over old".to_owned()),
        "{agrees:?}"
    );
    let all = view["figures"].as_array().unwrap();
    let slip = all
        .iter()
        .find(|f| f["figure"] == "throughput" && f["outcome"] == "disagrees");
    let slip = slip.unwrap();
    assert_eq!(slip["printed"], "0.229");
    assert!(
        slip["interval"][0].as_f64() < slip["computed"].as_f64(),
        "{slip:#}"
    );
    let step = finding(&view, "one-display-step");
    assert_eq!(
        (&step["severity"], &step["subject"]),
        (&"info".into(), &"one on large".into())
    );

    let text = lab.assay(&["audit", "one"]);
    assert_eq!(text.code, 1);
    for says in [
        "AMBIGUOUS  one on small: reduction over old is 10.0 %, computed 9.0909",
        "(section 2; published 01",
        "it is the speed-up minus 1 (10.00); the reduction in time is 9.09",
        "not recomputed: fewer than two rows have a time and a `Q`",
    ] {
        assert!(text.out.contains(says), "{says}: {}", text.out);
    }
    let zh = lab.assay(&["--lang", "zh", "audit", "one"]);
    assert!(zh.out.contains("此数实为加速比减一"), "{}", zh.out);
}

#[test]
fn a_table_whose_record_or_file_was_changed_is_told() {
    let lab = matrix_lab();
    lab.champion("one", &[("cost", "90")]);
    let (table, mapping) = (lab.root().join("t.csv"), lab.root().join("t.toml"));
    write(&table, TABLE);
    write(&mapping, MAPPING);
    let paths = [table.to_str().unwrap(), mapping.to_str().unwrap()];
    let import = [
        "import",
        paths[0],
        "--variant",
        "one",
        "--mapping",
        paths[1],
        "--kernel",
        "new",
    ];
    lab.assay(&import).ok();
    let at = lab.root().join("plain");
    lab.assay(&["export", at.to_str().unwrap()]).ok();
    let mut raw = String::new();
    for (_, r) in records(&at) {
        if let Body::Profile(p) = &r.body {
            raw = p.raw.sha256.to_string();
        }
    }
    forge(&at, |body| match body {
        Body::Profile(p) if p.workload == "small" => {
            p.counters.get_mut("claim.time").unwrap().value = 15_000.0;
            true
        }
        _ => false,
    });
    let view = audit(&lab, &at, 1);
    assert!(
        of(&view, "disagrees").contains(&"published | one | small | claim.time".to_owned()),
        "{view:#}"
    );
    fs::remove_file(at.join("blobs").join(&raw[..2]).join(&raw)).unwrap();
    let told = of(&audit(&lab, &at, 0), "not_recomputed");
    assert_eq!(told, ["published | one | - | all"]);
}

#[test]
fn a_damaged_record_is_an_error_of_the_audit() {
    let lab = matrix_lab();
    lab.champion("one", &[("cost", "90")]);
    let at = lab.root().join("plain");
    lab.assay(&["export", at.to_str().unwrap()]).ok();
    assert_eq!(lab.assay_in(&at, &["audit"]).code, 0);
    let (path, _) = records(&at)
        .into_iter()
        .find(|(_, r)| matches!(r.body, Body::Verdict(_)))
        .unwrap();
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replacen("FASTER", "SLOWER", 1)).unwrap();
    let done = lab.assay_in(&at, &["audit"]);
    assert_eq!(done.code, 1, "{done:#?}");
    assert!(
        done.out.contains("damaged or unknown records: 1"),
        "{done:#?}"
    );
}
