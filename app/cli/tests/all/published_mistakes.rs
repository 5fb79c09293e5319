//! The mistakes of published tables are found in their figures: in a table without the mistake nothing is
//! found, and a formula that is declared wrong is no hiding place.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{Done, Lab, write};

/// A published campaign made again, with other texts in its files.
struct Retold {
    lab: Lab,
    name: &'static str,
    target: &'static str,
}

impl Retold {
    fn new(name: &'static str, target: &'static str, changes: &[(&str, &str)]) -> Self {
        let lab = Lab::empty();
        lab.git(&["init", "-q", "-b", "main"]);
        lab.git(&["config", "user.name", "Tester"]);
        lab.git(&["config", "user.email", "tester@localhost"]);
        let made = Self { lab, name, target };
        let campaign = changed(&made.printed("assay.toml"), changes);
        made.lab.write("assay.toml", &campaign);
        made.lab.write("kernel/knobs.toml", "# no knob is stated\n");
        made.lab.git(&["add", "-A"]);
        made.lab.git(&["commit", "-q", "-m", "the campaign"]);
        made.lab.assay(&["init"]).ok();
        made
    }

    fn printed(&self, path: &str) -> String {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments");
        fs::read_to_string(folder.join(self.name).join(path)).unwrap()
    }

    /// An accepted version with the knobs that are stated of it.
    fn version(&self, name: &str, parent: &str, knobs: &[&str]) {
        let mut args = vec!["new", name, "--from", parent, "--why", "as published"];
        args.extend(knobs.iter().flat_map(|k| ["--knob", k]));
        self.lab.assay(&args).ok();
    }

    fn accept(&self, name: &str) {
        let why = [
            "--reason",
            "as published",
            "--override",
            "evidence=published",
        ];
        let args = [
            &["accept", name][..],
            &why,
            &["--override", "verdict=published"],
        ];
        self.lab.assay(&args.concat()).ok();
    }

    /// Files a table and its mapping under a subject; the changes are of either.
    fn file(&self, table: &str, subject: &str, more: &[&str], changes: &[(&str, &str)]) -> Done {
        let texts = [
            format!("tables/{table}.csv"),
            format!("mappings/{table}.toml"),
        ];
        let texts = texts.map(|path| self.printed(&path));
        for (old, _) in changes {
            let there = texts.iter().any(|t| t.contains(old));
            assert!(there, "no `{old}` in {table}");
        }
        let kept = |text: &String| {
            changes
                .iter()
                .fold(text.clone(), |t, (o, n)| t.replace(o, n))
        };
        let paths = ["csv", "toml"].map(|end| self.lab.root().join(format!("{table}.{end}")));
        for (path, text) in paths.iter().zip(&texts) {
            write(path, &kept(text));
        }
        let [table, mapping] = paths.map(|p| p.to_str().unwrap().to_owned());
        let args = [
            "import",
            &table,
            "--mapping",
            &mapping,
            "--variant",
            subject,
        ];
        let args = [&args[..], &["--target", self.target], more].concat();
        self.lab.assay(&args)
    }

    fn audit(&self) -> Value {
        self.lab.assay(&["audit", "--json"]).json()
    }
}

#[track_caller]
fn changed(text: &str, changes: &[(&str, &str)]) -> String {
    changes.iter().fold(text.to_owned(), |text, (old, new)| {
        assert!(text.contains(old), "no `{old}` in {text}");
        text.replace(old, new)
    })
}

/// How many findings of a rule there are.
fn times(view: &Value, rule: &str) -> usize {
    let findings = view["findings"].as_array().unwrap().iter();
    findings.filter(|f| f["rule"] == rule).count()
}

/// Figures that begin with these words and came out so.
fn figures(view: &Value, figure: &str, outcome: &str) -> usize {
    let is_it = |f: &&Value| f["figure"].as_str().unwrap().starts_with(figure);
    let figures = view["figures"].as_array().unwrap().iter();
    figures
        .filter(is_it)
        .filter(|f| f["outcome"] == outcome)
        .count()
}

fn matmul(changes: &[(&str, &str)]) -> Value {
    let made = Retold::new("h800-matmul", "h800", &[]);
    made.version("autotuned", "main", &[]);
    made.file("sweep", "autotuned", &[], changes).ok();
    made.audit()
}

#[test]
fn seconds_that_are_milliseconds_are_found_by_time_throughput_and_formula() {
    let printed = matmul(&[]);
    assert_eq!(times(&printed, "tflops-unit-slip"), 7);
    assert_eq!(figures(&printed, "throughput", "disagrees"), 7);
    // The unit right: the same digits as milliseconds.
    let right = matmul(&[("unit = \"s\"", "unit = \"ms\"")]);
    assert_eq!(times(&right, "tflops-unit-slip"), 0);
    assert_eq!(figures(&right, "throughput", "agrees"), 7);
    // One row right, the others not.
    let one = matmul(&[("0.089056", "0.000089056")]);
    assert_eq!(times(&one, "tflops-unit-slip"), 6);
    assert_eq!(figures(&one, "throughput", "disagrees"), 6);
}

#[test]
fn a_growth_and_a_bound_are_held_against_the_times() {
    let printed = matmul(&[]);
    assert_eq!(figures(&printed, "linear in K", "disagrees"), 1);
    assert_eq!(figures(&printed, "bandwidth-bound", "disagrees"), 1);
    // 64 times the K in 64 times the time; 142,606,336 bytes in 50 us are 85 % of the bandwidth.
    let linear = matmul(&[("2.871168", "5.699584")]);
    assert_eq!(figures(&linear, "linear in K", "agrees"), 1);
    let bound = matmul(&[("0.089056,386", "0.000050000,687")]);
    assert_eq!(figures(&bound, "bandwidth-bound", "agrees"), 1);
}

/// The chain of the GEMM with its figures, counters and knobs.
fn gemm(figures: &[(&str, &str)], counters: &[(&str, &str)], knobs: &[(&str, &str)]) -> Value {
    let made = Retold::new("c500-gemm", "c500", &[]);
    let chain = [
        (
            "c-shared-swizzle256-panel4",
            "c_swizzle_bytes=256 panel_size=4",
        ),
        (
            "c-shared-swizzle128-panel4",
            "c_swizzle_bytes=128 panel_size=4",
        ),
        ("b-prepack-interleave4", "panel_size=4 threads=256"),
        (
            "panel2-512-threads",
            "panel_size=2 threads=512 c_swizzle_bytes=256",
        ),
        (
            "a-copy-coalesced-width4",
            "panel_size=2 threads=512 c_swizzle_bytes=256",
        ),
    ];
    let mut parent = "main";
    for (name, of) in chain {
        let other = knobs.iter().find(|(n, _)| *n == name);
        let of: Vec<&str> = other.map_or(of, |(_, k)| k).split(' ').collect();
        made.version(name, parent, &of);
        let of_moe = ["--workload", "moe", "--kernel"];
        made.file("versions", name, &[&of_moe[..], &[name]].concat(), figures)
            .ok();
        if name == "c-shared-swizzle128-panel4" {
            let side = [&of_moe[..], &["swizzle128"]].concat();
            made.file("counters-b-prepack", name, &side, counters).ok();
        }
        made.accept(name);
        parent = name;
    }
    made.audit()
}

#[test]
fn oddities_of_a_chain_are_found_in_its_figures_counters_and_knobs() {
    let printed = gemm(&[], &[], &[]);
    for rule in [
        "knobs-changed-together",
        "knob-goes-back",
        "mma-above-formula",
    ] {
        assert_eq!(times(&printed, rule), 1, "{rule}");
    }
    assert_eq!(times(&printed, "champion-without-profile"), 1);
    assert_eq!(figures(&printed, "reduction", "ambiguous"), 1);
    assert_eq!(figures(&printed, "TFLOPS", "rounding"), 4);

    // Each told as it would be right.
    let right = gemm(
        &[
            (
                "latency improvement = 2.3326%",
                "latency improvement = 2.2794%",
            ),
            (",106.405885,", ",106.405886,"),
        ],
        // Operations of the formula over those of one instruction.
        &[("6.107B", "0.470B")],
        &[
            (
                "c-shared-swizzle128-panel4",
                "c_swizzle_bytes=256 panel_size=4",
            ),
            ("b-prepack-interleave4", "panel_size=4 threads=512"),
        ],
    );
    for rule in [
        "knobs-changed-together",
        "knob-goes-back",
        "mma-above-formula",
    ] {
        assert_eq!(times(&right, rule), 0, "{rule}");
    }
    assert_eq!(figures(&right, "reduction", "ambiguous"), 0);
    assert_eq!(figures(&right, "reduction", "agrees"), 1);
    assert_eq!(figures(&right, "TFLOPS", "rounding"), 3);
}

/// The operator with the benchmark and one profile.
fn post(campaign: &[(&str, &str)], counters: &[(&str, &str)], table: &[(&str, &str)]) -> Value {
    let made = Retold::new("c500-mhc-post", "c500", campaign);
    made.version("optimized", "main", &[]);
    let row = "v4-flash-decode-s";
    let of = ["--workload", row, "--kernel", row];
    made.file("counters", "optimized", &of, counters).ok();
    for subject in ["torch-ref", "unoptimized", "optimized"] {
        made.file("benchmark", subject, &["--kernel", subject], table)
            .ok();
    }
    made.accept("optimized");
    made.audit()
}

#[test]
fn a_formula_of_another_order_is_found_from_outputs_and_operations() {
    let rule = "published-formula-against-outputs";
    let old = "2*B*(N*N*C*C + N*C)";
    assert_eq!(times(&post(&[], &[], &[]), rule), 15);
    // The campaign's own formula as wrong as the published one: there is nothing right to copy from.
    let flops = format!("flops = \"{old}\"");
    let both = post(
        &[("\nflops = \"2*B*N*C\"", &format!("\n{flops}"))],
        &[],
        &[],
    );
    assert_eq!(times(&both, rule), 15);
    let right = [(
        &*format!("published_flops = \"{old}\""),
        "published_flops = \"2*B*N*C\"",
    )];
    assert_eq!(times(&post(&right, &[], &[]), rule), 0);
}

#[test]
fn losses_and_steps_of_the_display_are_found_in_the_times() {
    let printed = post(&[], &[], &[]);
    assert_eq!(figures(&printed, "increase", "ambiguous"), 2);
    assert_eq!(times(&printed, "one-display-step"), 1);
    let right = post(
        &[],
        &[],
        &[
            ("stated = \"2.8%\"", "stated = \"2.9%\""),
            ("stated = \"8.3%\"", "stated = \"9.1%\""),
        ],
    );
    assert_eq!(figures(&right, "increase", "ambiguous"), 0);
    assert_eq!(figures(&right, "increase", "agrees"), 2);
    let apart = post(&[], &[], &[("3.60,22.80", "3.90,22.80")]);
    assert_eq!(times(&apart, "one-display-step"), 0);
}

#[test]
fn a_column_of_other_traffic_and_a_warm_profile_are_found() {
    let printed = post(&[], &[], &[]);
    for rule in ["bandwidth-traffic-model", "profile-warm-benchmark-cold"] {
        assert_eq!(times(&printed, rule), 1, "{rule}");
    }
    let cold = post(&[], &[("99.40%,93.02%", "40.00%,93.02%")], &[]);
    assert_eq!(times(&cold, "profile-warm-benchmark-cold"), 0);
    let hot = post(&[("cache = \"cold\"", "cache = \"hot\"")], &[], &[]);
    assert_eq!(times(&hot, "profile-warm-benchmark-cold"), 0);
    // The bytes of the formula in the published times, to the digits of the column.
    let columns = [
        ("8.8,0.5%", "6.6,0.4%"),
        ("25.9,1.4%", "19.2,1.0%"),
        ("66.8,3.6%", "49.8,2.7%"),
        ("395.9,21.5%", "393.3,21.3%"),
        ("659.9,35.8%", "655.4,35.6%"),
        ("812.2,44.1%", "806.8,43.8%"),
        ("1123.6,61.0%", "1116.0,60.6%"),
        ("1202.9,65.3%", "1194.8,64.8%"),
        ("1289.1,69.9%", "1280.4,69.5%"),
        ("1338.4,72.6%", "1329.5,72.1%"),
        ("1371.5,74.4%", "1362.2,73.9%"),
        ("1499.4,81.4%", "1489.4,80.8%"),
        ("1447.6,78.5%", "1437.8,78.0%"),
        ("554.8,30.1%", "460.1,25.0%"),
        ("903.5,49.0%", "637.2,34.6%"),
    ];
    let right = post(&[], &[], &columns);
    assert_eq!(times(&right, "bandwidth-traffic-model"), 0);
    assert_eq!(figures(&right, "bandwidth", "disagrees"), 0);
}

/// Three numbers of tests, each at the commit that is stated.
fn tests(changes: &[(&str, &str)], commits: [&str; 3]) -> Value {
    let made = Retold::new("c500-mhc-post", "c500", &[]);
    made.version("optimized", "main", &[]);
    for (row, commit) in ["report", "commit-1", "commit-3"].into_iter().zip(commits) {
        let tree = made.lab.edit("optimized");
        let file = tree.join("kernel/snapshot.toml");
        let text = format!("commit = \"{commit}\"\n");
        if fs::read_to_string(&file).ok().as_ref() != Some(&text) {
            write(&file, &text);
            made.lab.assay(&["commit", "optimized"]).ok();
        }
        made.file("test-counts", "optimized", &["--kernel", row], changes)
            .ok();
    }
    made.audit()
}

#[test]
fn numbers_of_tests_at_several_commits_are_of_no_workload() {
    let commits = ["8ba899b", "584de4029a", "a5f30b48a3"];
    let printed = tests(&[], commits);
    assert_eq!(times(&printed, "commits-behind-report"), 1);
    assert_eq!(figures(&printed, "max of passed", "disagrees"), 1);
    let one = tests(&[(",41,", ",38,")], ["8ba899b"; 3]);
    assert_eq!(times(&one, "commits-behind-report"), 0);
    assert_eq!(figures(&one, "max of passed", "agrees"), 1);

    let made = Retold::new("c500-mhc-post", "c500", &[]);
    made.version("optimized", "main", &[]);
    let row = ["--kernel", "report"];
    let with = [&row[..], &["--workload", "small"]].concat();
    made.file("test-counts", "optimized", &with, &[])
        .fails(3, &["figures of no workload", "leave --workload out"]);
    made.file("test-counts", "optimized", &row, &[]).ok();
    let log = made.lab.assay(&["log", "optimized"]).ok();
    assert!(
        log.contains("p published, not measured here: 1 figure, row report"),
        "{log}"
    );
    let shown = made.lab.assay(&["show", "optimized", "--json"]).json();
    assert!(shown["published"][0].get("workload").is_none(), "{shown:#}");
    let list = made.lab.assay(&["list", "--json"]).json();
    assert!(list["variants"][0].get("published").is_none(), "{list:#}");
}
