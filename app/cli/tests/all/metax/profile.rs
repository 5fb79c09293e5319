//! Counters of the card: mcProfiler, with everything that it is known to do wrong.

use std::net::TcpListener;

use super::*;

const COUNTED: [&str; 2] = ["--stages", "build,source,check,profile"];

fn run(lab: &Lab, name: &str) -> crate::support::Done {
    lab.assay(&["run", name, COUNTED[0], COUNTED[1]])
}

fn profiles(lab: &Lab) -> Vec<Value> {
    let all = lab.records_of("profile");
    all.into_iter().map(|r| r["body"].clone()).collect()
}

#[test]
fn a_campaign_goes_from_init_to_a_decision() {
    let lab = lab();
    variant(&lab, "plain", &[]);
    let said = lab.assay(&["run", "plain"]);
    assert_eq!(said.code, 0, "{said:#?}");
    assert!(
        said.err.contains("once for each batch of counters"),
        "{said:#?}"
    );
    let replays = lab.ran().iter().filter(|r| *r == "profile plain").count();
    assert_eq!(replays, 3, "the program runs once for each batch");
    lab.assay(&["accept", "plain", "--reason", "right, and the start"])
        .ok();
    variant(&lab, "quick", &[("cost = 100", "cost = 80")]);
    lab.assay(&["run", "quick"]).ok();
    let row = lab.row("quick");
    assert_eq!(row["verdict"], "FASTER", "{row:#}");

    let all = profiles(&lab);
    let quick = &all[1];
    assert_eq!(quick["tool"], "mcProfiler", "{quick:#}");
    assert_eq!(quick["tool_version"], "3.8.1.4 (stand-in)");
    assert_eq!(quick["kernel"], "gemm_kernel");
    assert_eq!(quick["launches"], 3);
    assert_eq!(quick["counters"]["waves.achieved"]["value"], 1024.0);
    let files: Vec<&str> = std::iter::once(&quick["raw"])
        .chain(quick["files"].as_array().unwrap())
        .filter_map(|f| f["name"].as_str())
        .collect();
    assert!(
        files.contains(&"3_gemm_kernel_dumped_result.json"),
        "{files:?}"
    );
    assert!(files.contains(&"report.txt.json"), "{files:?}");
    assert!(
        !files.iter().any(|f| f.contains("distribution")),
        "{files:?}"
    );

    let compared = lab
        .assay(&["compare", "--counters", "plain", "quick", "--changed-only"])
        .ok();
    assert!(compared.contains("Average AP busy cycles"), "{compared}");
    let show = lab.assay(&["show", "quick"]).ok();
    assert!(show.contains("mcProfiler"), "{show}");
    let audit = lab.assay(&["audit", "quick"]);
    assert!(audit.code == 0, "{audit:#?}");
    lab.assay(&["accept", "quick", "--reason", "a fifth less time"])
        .ok();
    assert_eq!(lab.list()["champion"], "quick");
    lab.verify();
}

#[test]
fn a_single_pass_is_taken_on_request_only_and_marked() {
    let lab = lab_with(&[(
        "kernel = \"^gemm\"",
        "kernel = \"^gemm\"\nsingle_pass = true\nlaunch_count = 1",
    )]);
    variant(&lab, "once", &[]);
    let said = run(&lab, "once");
    assert_eq!(said.code, 0, "{said:#?}");
    assert!(
        said.err.contains("inferred from sampled blocks"),
        "{said:#?}"
    );
    let replays = lab.ran().iter().filter(|r| *r == "profile once").count();
    assert_eq!(replays, 1);
    let profile = &profiles(&lab)[0];
    assert_eq!(profile["flavour"], "folder, single pass");
    assert_eq!(profile["launches"], 1);
    let audit = lab.assay(&["audit", "once"]);
    assert!(audit.out.contains("single"), "{audit:#?}");
}

#[test]
fn metrics_that_are_named_are_the_only_ones() {
    let metrics = "kernel = \"^gemm\"\nmetrics = [\"L2C Hit Rate\", \"Achieved waves\"]";
    let lab = lab_with(&[("kernel = \"^gemm\"", metrics)]);
    variant(&lab, "few", &[]);
    run(&lab, "few").ok();
    let counters = &profiles(&lab)[0]["counters"];
    assert_eq!(counters.as_object().unwrap().len(), 2, "{counters:#}");
}

#[test]
fn what_goes_wrong_is_a_recorded_failure_and_nothing_is_used_by_half() {
    let lab = lab();
    variant(&lab, "plain", &[]);
    for (words, kind, says) in [
        ("prof-partial", "infra", "without saying that it is through"),
        ("prof-no-marker", "infra", "may be cut short"),
        ("prof-crash", "infra", "killed by signal 11"),
        ("prof-stale", "infra", "end that process"),
        ("prof-grpc", "infra", "MACA 3.7.0"),
        ("prof-broken", "infra", "profile: "),
    ] {
        faults(&lab, words);
        let said = run(&lab, "plain");
        assert_ne!(said.code, 0, "{words}: {said:#?}");
        let (got, stage, message) = failure(&lab);
        assert_eq!(
            (got.as_str(), stage.as_str()),
            (kind, "profile"),
            "{words}: {message}"
        );
        assert!(message.contains(says), "{words}: {message}");
        assert!(profiles(&lab).is_empty(), "{words}");
    }
    // What each left is kept with its attempt, and is no report.
    let view = lab.assay(&["show", "plain", "--json"]).json();
    let attempts = view["attempts"].as_array().unwrap();
    let names = |attempt: &Value| -> Vec<String> {
        let files = attempt["files"].as_array().unwrap().iter();
        files
            .map(|f| f["name"].as_str().unwrap().to_owned())
            .collect()
    };
    let of = |words: &str| {
        let of = attempts
            .iter()
            .find(|a| a["message"].as_str().unwrap().contains(words));
        names(of.unwrap_or_else(|| panic!("no {words} in {attempts:#?}")))
    };
    let raw = of("without saying that it is through");
    assert!(raw.contains(&"assay.json".to_owned()), "{raw:?}");
    assert!(!raw.iter().any(|n| n.starts_with("report")), "{raw:?}");
    let unmarked = of("may be cut short");
    assert!(
        unmarked.contains(&"report.txt.json".to_owned()),
        "{unmarked:?}"
    );
    assert!(view["counter_tool"].is_null(), "{view:#}");
    let show = lab.assay(&["show", "plain"]).ok();
    assert!(show.contains("not whole, and used for nothing"), "{show}");
    let folder = lab.root().join("left");
    let written = lab
        .assay(&["show", "plain", "--left", &folder.to_string_lossy()])
        .ok();
    let raw = written
        .lines()
        .find(|l| l.ends_with("/assay.json"))
        .unwrap();
    assert!(fs::read_to_string(raw).unwrap().contains("perf_counters"));
    lab.verify();
    faults(&lab, "prof-small");
    let said = run(&lab, "plain");
    assert_eq!(said.code, 0, "{said:#?}");
    assert!(
        said.err.contains("could not draw the roofline"),
        "{said:#?}"
    );
    variant(&lab, "absent", &[("bad = none", "bad = profile-exit")]);
    faults(&lab, "");
    run(&lab, "absent").fails(1, &["the program failed under it"]);
    assert_eq!(failure(&lab).0, "runtime");
}

#[test]
fn a_profiler_that_hangs_is_stopped_with_what_it_said_last() {
    let lab = lab_with(&[(
        "kernel = \"^gemm\"\ntimeout = \"60s\"",
        "kernel = \"^gemm\"\ntimeout = \"4s\"",
    )]);
    variant(&lab, "plain", &[]);
    faults(&lab, "prof-hang");
    run(&lab, "plain").fails(1, &["timeout", "raise [profile] timeout"]);
    let (kind, stage, message) = failure(&lab);
    assert_eq!((kind.as_str(), stage.as_str()), ("timeout", "profile"));
    assert!(message.contains("output path is"), "{message}");
}

#[test]
fn proxies_and_a_taken_port_are_no_obstacle() {
    let lab = lab_with(&[(
        "pass = [\"MACA_PATH\"]",
        "pass = [\"MACA_PATH\", \"HTTPS_PROXY\"]",
    )]);
    variant(&lab, "plain", &[]);
    // Whoever holds it, it is held.
    let _held = TcpListener::bind(("127.0.0.1", 50123));
    let mut command = lab.command(env!("CARGO_BIN_EXE_assay"), lab.repo());
    let done = command
        .env("HTTPS_PROXY", "http://proxy.invalid:3128")
        .args(["run", "plain", COUNTED[0], COUNTED[1]])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.success(), "{said}");
    assert!(
        said.contains("proxies of the environment are left out"),
        "{said}"
    );
    assert!(said.contains("port 50123 is in use"), "{said}");
    assert_eq!(profiles(&lab).len(), 1);
}

#[test]
fn without_the_profiler_only_the_source_is_counted_and_said_unless_it_is_named() {
    let lab = lab();
    variant(&lab, "plain", &[]);
    fs::remove_dir_all(profiler_home(&lab).join("config")).unwrap();
    let said = run(&lab, "plain");
    assert_eq!(said.code, 0, "{said:#?}");
    assert!(said.err.contains("the folder with `config/`"), "{said:#?}");
    assert_eq!(profiles(&lab)[0]["tool"], "static");
    let named = lab_with(&[(
        "kernel = \"^gemm\"",
        "kernel = \"^gemm\"\ntool = \"mcprofiler\"",
    )]);
    variant(&named, "plain", &[]);
    fs::remove_file(named.root().join("tools/mcProfiler")).unwrap();
    run(&named, "plain").fails(4, &["there is no `mcProfiler`"]);
    assert_eq!(failure(&named).0, "infra");
}

#[test]
fn counters_of_a_slice_or_of_a_single_pass_are_not_set_against_others() {
    let lab = lab_with(&[SLICE]);
    variant(&lab, "whole", &[]);
    run(&lab, "whole").ok();
    faults(&lab, "sliced");
    variant(&lab, "part", &[("cost = 100", "cost = 80")]);
    let args = ["run", "part", "--target", "slice"];
    lab.assay(&[&args[..], &COUNTED].concat()).ok();
    lab.assay(&["compare", "--counters", "whole", "part"])
        .fails(3, &["not comparable", "MetaX C500 (slice of 25 %)"]);
    // One pass on the whole card beside several.
    faults(&lab, "");
    let text = include_str!("../standin/metax/assay.toml");
    let (old, new) = SLICE;
    let text = text.replace(old, new).replace(
        "kernel = \"^gemm\"",
        "kernel = \"^gemm\"\nsingle_pass = true",
    );
    lab.write("assay.toml", &text);
    lab.git(&["commit", "-q", "-am", "a single pass"]);
    lab.assay(&["init", "--why", "a single pass"]).ok();
    lab.assay(&["trust", "--trust"]).ok();
    variant(&lab, "once", &[("cost = 100", "cost = 90")]);
    run(&lab, "once").ok();
    let beside = lab.assay(&["compare", "--counters", "whole", "once"]);
    let said = format!("{}{}", beside.out, beside.err);
    assert!(said.contains("run in different modes"), "{said}");
}

#[test]
fn a_report_in_which_every_row_is_an_error_is_a_failure_that_is_said_once() {
    let lab = lab();
    variant(&lab, "quick", &[("cost = 100", "cost = 80")]);
    faults(&lab, "prof-errors");
    let said = run(&lab, "quick").fails(4, &["nothing was counted", "--left DIR"]);
    assert!(!format!("{said:?}").contains("is missing"), "{said:#?}");
    let (kind, stage, message) = failure(&lab);
    assert_eq!(
        (kind.as_str(), stage.as_str()),
        ("infra", "profile"),
        "{message}"
    );
    assert!(profiles(&lab).is_empty());
}
