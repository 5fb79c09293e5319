//! Reports that were made elsewhere become evidence of a variant.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use crate::matrix::{AFTER, BEFORE, Figures, matrix_lab, matrix_lab_with, report};
use crate::support::{Lab, gate as gate_of, write};

fn import(lab: &Lab, path: &str, variant: &str, more: &[&str]) -> crate::support::Done {
    let mut args = vec!["import", path, "--variant", variant];
    args.extend(more);
    lab.assay(&args)
}

/// The body of a record, by its id.
fn record(lab: &Lab, id: &str) -> Value {
    let path = lab
        .records()
        .into_iter()
        .find(|p| p.ends_with(&format!("{id}.json")))
        .unwrap();
    let text = lab.git(&["show", &format!("assay/ledger:{path}")]);
    serde_json::from_str::<Value>(&text).unwrap()["body"].clone()
}

#[test]
fn counters_of_a_report_count_for_show_predictions_and_verify() {
    let lab = matrix_lab();
    lab.champion("before", &[("cost", "90")]);
    let new = [
        "new",
        "after",
        "--why",
        "a test",
        "--predict",
        "inst.shared<-10%",
        "--predict",
        "inst.executed>+5%",
    ];
    lab.assay(&new).ok();
    lab.change("after", &[("cost", "80")]);
    lab.assay(&["run", "after"]).ok();
    let other = Figures {
        total: 21_000_000,
        ..AFTER
    };
    let before = report(&lab, "before", &[("gemm_kernel", BEFORE), ("fill", BEFORE)]);
    let launches = [
        ("gemm_k", AFTER),
        ("fill", BEFORE),
        ("gemm_k", other),
        ("gemm_k", AFTER),
    ];
    let after = report(&lab, "after", &launches);
    let text = import(&lab, &before, "before", &[]).ok();
    assert!(
        text.starts_with(
            "filed under before on small: 19 counters of gemm_kernel from mcProfiler ("
        ),
        "{text}"
    );
    assert!(text.contains("left out: `fill`"), "{text}");
    let done = import(&lab, &after, "after", &["--json"]);
    let view = done.json();
    assert_eq!(view["schema"], "assay.import-profile/1");
    assert_eq!(view["source_checked"], "unchecked");
    assert_eq!(view["records"][0]["launches"], 3);
    assert_eq!(view["records"][0]["varying"], 2);

    let body = record(&lab, view["records"][0]["id"].as_str().unwrap());
    assert_eq!(body["origin"], "imported");
    assert_eq!(body["kernel"], "gemm_k");
    assert_eq!(body["launches"], 3);
    assert_eq!(
        body["counters"]["inst.executed"]["value"], 21_254_000.0,
        "a median, no sum"
    );
    assert_eq!(
        body["spread"]["inst.executed"],
        serde_json::json!([21_000_000.0, 21_254_000.0])
    );
    assert_eq!(body["import"]["source_checked"], "unchecked");
    let mut names: Vec<&str> = vec![body["raw"]["name"].as_str().unwrap()];
    names.extend(
        body["files"]
            .as_array()
            .unwrap()
            .iter()
            .map(|f| f["name"].as_str().unwrap()),
    );
    assert_eq!(
        names,
        [
            "1_gemm_k_dumped_result.json",
            "3_gemm_k_dumped_result.json",
            "4_gemm_k_dumped_result.json",
            "report_dumped_result.json"
        ],
        "its own reports and the sums, none of other kernels"
    );
    let show = lab.assay(&["show", "after", "--json"]).json();
    assert_eq!(show["counter_tool"], "mcProfiler on small, imported");
    assert_eq!(show["counters"]["duty.mma"]["value"], 47.1);
    assert_eq!(show["predictions"][0]["held"], false, "{show:#}");
    assert_eq!(show["predictions"][1]["held"], true);
    let log = lab.assay(&["log", "after", "-n", "1"]).ok();
    assert!(log.contains("medians of 3 launches, imported"), "{log}");
    lab.list();
    lab.verify();
}

#[test]
fn the_same_report_is_filed_once_for_a_content() {
    let lab = matrix_lab();
    lab.champion("one", &[("cost", "90")]);
    let path = report(&lab, "r", &[("gemm", BEFORE)]);
    import(&lab, &path, "one", &[]).ok();
    let records = lab.records().len();
    let again = import(&lab, &path, "one", &[]).ok();
    assert!(
        again.starts_with("filed already under one on small"),
        "{again}"
    );
    assert_eq!(lab.records().len(), records);
    import(&lab, &path, "one", &["--workload", "large"]).ok();
    assert_eq!(
        lab.records().len(),
        records + 1,
        "of another workload it is another claim"
    );
    lab.change("one", &[("cost", "70")]);
    import(&lab, &path, "one", &[]).ok();
    assert_eq!(lab.records().len(), records + 2, "of another content too");
    lab.verify();
}

#[test]
fn a_variant_that_never_ran_here_can_have_reports() {
    let lab = matrix_lab();
    lab.variant("a", &[("cost", "90")]);
    lab.assay(&[
        "new",
        "b",
        "--from",
        "a",
        "--why",
        "x",
        "--predict",
        "inst.shared<+50%",
    ])
    .ok();
    lab.change("b", &[("cost", "80")]);
    for (name, figures) in [("a", BEFORE), ("b", AFTER)] {
        let path = report(&lab, name, &[("gemm", figures)]);
        import(&lab, &path, name, &[]).ok();
    }
    let show = lab.assay(&["show", "b", "--json"]).json();
    assert_eq!(show["variant"]["status"], "new");
    assert_eq!(show["predictions"][0]["held"], true, "{show:#}");
    lab.assay(&["accept", "b", "--reason", "counters are good"])
        .fails(1, &["correctness was not checked"]);
    lab.assay(&["run", "b"]).ok();
    let show = lab.assay(&["show", "b", "--json"]).json();
    assert_eq!(
        show["counters"]["inst.shared"]["value"], 5_371_000.0,
        "a run of this content keeps it"
    );
    lab.verify();
}

#[test]
fn it_is_never_guessed_which_kernel_workload_or_target_is_meant() {
    let lab = matrix_lab();
    lab.champion("one", &[("cost", "90")]);
    let two = report(
        &lab,
        "two",
        &[("gemm_a", BEFORE), ("gemm_b", AFTER), ("fill", AFTER)],
    );
    let before = lab.records().len();
    import(&lab, &two, "one", &[]).fails(
        3,
        &[
            "several kernels match [profile] kernel = \"^gemm\": `gemm_a`, `gemm_b`",
            "--kernel",
        ],
    );
    import(&lab, &two, "one", &["--kernel", "conv"])
        .fails(3, &["no kernel `conv`", "`gemm_a`, `gemm_b`, `fill`"]);
    import(&lab, &two, "one", &["--kernel", "gemm_a", "--launch", "1"])
        .fails(3, &["no launch 1 of `gemm_a`", "launch 0 only"]);
    import(
        &lab,
        &two,
        "one",
        &["--kernel", "gemm_a", "--workload", "smal"],
    )
    .fails(3, &["no workload `smal`; did you mean `small`?"]);
    import(
        &lab,
        &two,
        "one",
        &["--kernel", "gemm_a", "--target", "moon"],
    )
    .fails(3, &["no target `moon`", "local"]);
    import(&lab, &two, "nobody", &[]).fails(3, &["nobody"]);
    let none = report(&lab, "none", &[("conv", BEFORE)]);
    import(&lab, &none, "one", &[]).fails(
        3,
        &[
            "no kernel in the report matches [profile] kernel = \"^gemm\"",
            "`conv`",
        ],
    );
    import(&lab, &none, "one", &["--kernel", "conv"]).ok();

    let sum = lab.root().join("sum/report_dumped_result.json");
    write(&sum, &BEFORE.dumped().to_string());
    let sum = sum.to_str().unwrap();
    import(&lab, sum, "one", &[]).fails(3, &["all kernels added up", "--aggregate"]);
    import(&lab, sum, "one", &["--kernel", "gemm"]).fails(3, &["all kernels added up"]);
    let text = import(&lab, sum, "one", &["--aggregate"]).ok();
    assert!(
        text.contains("of all kernels together from mcProfiler"),
        "{text}"
    );
    let unclear = lab.root().join("saved.json");
    write(&unclear, &BEFORE.dumped().to_string());
    let unclear = unclear.to_str().unwrap();
    import(&lab, unclear, "one", &[]).fails(3, &["does not say which kernel", "--kernel NAME"]);
    import(&lab, unclear, "one", &["--kernel", "gemm"]).ok();
    assert_eq!(lab.records().len(), before + 3);
    lab.verify();
}

#[test]
fn a_report_of_other_source_is_refused_unless_a_note_says_why() {
    let lab = matrix_lab();
    lab.champion("one", &[("cost", "90")]);
    let path = report(&lab, "r", &[("gemm", BEFORE)]);
    let same = lab.root().join("device_kernel.cu");
    fs::write(&same, Lab::kernel(&[("cost", "90")])).unwrap();
    let other = lab.root().join("old_kernel.cu");
    fs::write(&other, Lab::kernel(&[("cost", "50")])).unwrap();
    let before = lab.records().len();
    let other = other.to_str().unwrap();
    import(&lab, &path, "one", &["--source", other]).fails(
        3,
        &[
            "the profile is not of this source: ",
            "old_kernel.cu",
            "--note",
        ],
    );
    import(&lab, &path, "one", &["--source", other, "--note", " "])
        .fails(3, &["not of this source"]);
    import(&lab, &path, "one", &["--source", "nowhere.cu"]).fails(3, &["nowhere.cu"]);
    assert_eq!(lab.records().len(), before);
    let text = import(&lab, &path, "one", &["--source", same.to_str().unwrap()]).ok();
    assert!(text.contains("its source is the captured one"), "{text}");
    let text = import(
        &lab,
        &path,
        "one",
        &[
            "--workload",
            "large",
            "--source",
            other,
            "--note",
            "only a comment differs",
        ],
    )
    .ok();
    assert!(text.contains("NOT the captured one"), "{text}");
    let audit = lab.assay(&["audit", "one"]);
    assert_eq!(audit.code, 1, "{audit:#?}");
    assert!(audit.out.contains("only a comment differs"), "{audit:#?}");
    // Nor is it a write-up whose counters and times are of one build.
    let checked = lab.assay(&["report", "--check"]);
    assert_eq!(checked.code, 1, "{checked:#?}");
    assert!(
        checked.out.contains("one: generated source"),
        "{checked:#?}"
    );
    lab.variant("bare", &[("cost", "60")]);
    import(&lab, &path, "bare", &["--source", other]).fails(
        3,
        &[
            "no generated source of `bare`",
            "assay run bare --stages build,source",
        ],
    );
}

#[test]
fn bad_input_is_told_and_nothing_is_written() {
    let lab = matrix_lab();
    lab.champion("one", &[("cost", "90")]);
    let before = lab.records().len();
    let at = lab.root().join("bad");
    let file = |name: &str, text: &str| {
        write(&at.join(name), text);
        at.join(name).to_str().unwrap().to_owned()
    };
    for (name, text) in [
        ("empty.json", ""),
        ("1_gemm_dumped_result.json", "{\"Summary\": ["),
        ("note.txt", "nothing of interest"),
        ("deep.json", &"[".repeat(100_000)),
    ] {
        let path = file(name, text);
        import(&lab, &path, "one", &[]).fails(3, &[name]);
    }
    import(&lab, "no/such/folder", "one", &[]).fails(3, &["no/such/folder"]);
    import(
        &lab,
        &file("x.csv", "a,b\n1,2\n"),
        "one",
        &["--format", "nonsense"],
    )
    .fails(3, &["nonsense"]);
    assert_eq!(lab.records().len(), before);
    lab.assay(&["import", "x", "--kernel", "k"])
        .fails(3, &["--variant"]);
    lab.verify();
}

#[test]
fn rows_of_a_published_table_are_claims_of_their_workloads() {
    let lab = matrix_lab();
    lab.champion("one", &[("cost", "90")]);
    let table = lab.root().join("table.csv");
    write(
        &table,
        "case,us,tflops\nsmall,200.0,171.8\nlarge,390.0,176.2\nhuge,1.0,2\n",
    );
    let mapping = lab.root().join("table.toml");
    write(
        &mapping,
        "schema = \"assay.mapping/1\"\ntool = \"paper\"\nformat = \"csv\"\ndecimal = \".\"\nworkload = \"case\"\n\
         [[counters]]\nfrom = \"us\"\nname = \"time\"\nunit = \"us\"\ncanonical = \"claim.time\"\n\
         [[counters]]\nfrom = \"tflops\"\nname = \"tflops\"\nunit = \"TFLOPS\"\ncanonical = \"claim.tflops\"\n",
    );
    let (table, mapping) = (table.to_str().unwrap(), mapping.to_str().unwrap());
    let before = lab.records().len();
    let view = import(&lab, table, "one", &["--mapping", mapping, "--json"]).json();
    let rows = view["records"].as_array().unwrap();
    assert_eq!(rows.len(), 2, "{view:#}");
    assert_eq!(
        (&rows[0]["workload"], &rows[1]["workload"]),
        (&"small".into(), &"large".into())
    );
    assert!(rows.iter().all(|r| r["tool"] == "published"));
    assert!(view["notices"].to_string().contains("huge"), "{view:#}");
    assert_eq!(lab.records().len(), before + 2);
    let again = import(&lab, table, "one", &["--mapping", mapping]).ok();
    assert_eq!(again.matches("filed already").count(), 2, "{again}");
    let body = record(&lab, rows[0]["id"].as_str().unwrap());
    assert_eq!(body["counters"]["claim.time"]["value"], 200_000.0);
    assert_eq!(lab.row("one")["verdict"], "FASTER", "a table is no verdict");
    let huge = ["--mapping", mapping, "--kernel", "huge"];
    import(&lab, table, "one", &huge).fails(3, &["no row of the table is of a workload", "`huge`"]);
    let path = report(&lab, "r", &[("gemm", BEFORE)]);
    import(&lab, &path, "one", &[]).ok();
    let show = lab.assay(&["show", "one", "--json"]).json();
    assert_eq!(
        show["counter_tool"], "mcProfiler on small, imported",
        "what was counted goes before what was published"
    );
    lab.verify();
}

#[test]
fn ledgers_are_imported_as_before() {
    let lab = matrix_lab();
    lab.champion("one", &[("cost", "90")]);
    let path = report(&lab, "r", &[("gemm", BEFORE)]);
    import(&lab, &path, "one", &[]).ok();
    let out = lab.root().join("out");
    lab.assay(&["export", out.to_str().unwrap()]).ok();
    let clone = lab.clone_to("clone");
    let done = lab
        .assay_in(&clone, &["import", out.to_str().unwrap()])
        .ok();
    assert!(done.contains("records added"), "{done}");
    let audit = lab.assay_in(&clone, &["audit", "--json"]);
    assert_eq!(
        audit.json()["variants"],
        serde_json::json!(["one"]),
        "{audit:#?}"
    );
    assert_eq!(lab.assay_in(&clone, &["verify"]).code, 0);
    let plain = lab.assay(&["-C", out.to_str().unwrap(), "audit", "--json"]);
    assert_eq!(
        plain.json()["variants"],
        serde_json::json!(["one"]),
        "{plain:#?}"
    );
}

#[test]
fn binary_reports_are_kept_with_what_ncu_prints_of_them() {
    let lab = matrix_lab();
    lab.champion("one", &[("cost", "90")]);
    let bin = lab.root().join("bin");
    // A stand-in for `ncu --import FILE …`: what it would print stands in the file.
    write(&bin.join("ncu"), "#!/bin/sh\nexec sed 1d \"$2\"\n");
    fs::set_permissions(bin.join("ncu"), fs::Permissions::from_mode(0o755)).unwrap();
    let path = lab.root().join("r.ncu-rep");
    write(
        &path,
        &format!("NVR\0 stand-in\n{}", crate::reports::ncu(&["gemm_kernel"])),
    );
    let mut with_ncu = lab.command(env!("CARGO_BIN_EXE_assay"), lab.repo());
    let search = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let args = ["import", path.to_str().unwrap(), "--variant", "one"];
    let done = with_ncu.env("PATH", search).args(args).output().unwrap();
    assert!(done.status.success(), "{done:#?}");
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    let id = text.lines().next().unwrap().trim_end_matches(')');
    let body = record(&lab, &id[id.len() - 26..]);
    let mut names = vec![body["raw"]["name"].as_str().unwrap()];
    names.push(body["files"][0]["name"].as_str().unwrap());
    assert_eq!(names, ["r.ncu-rep", "r.ncu-rep.csv"]);
    // Here is no `ncu` any more, and the counters are read all the same.
    let audit = lab.assay(&["audit", "one", "--json"]).json();
    let notices = audit["notices"].to_string();
    assert!(!notices.contains("not audited"), "{notices}");
    lab.verify();
}

#[test]
fn a_killed_import_leaves_nothing_half_done() {
    let lab = matrix_lab();
    lab.champion("one", &[("cost", "90")]);
    let launches = vec![("gemm", BEFORE); 40];
    let path = report(&lab, "r", &launches);
    let before = lab.records().len();
    for _ in 0..6 {
        let mut child = lab.start(&["import", &path, "--variant", "one"]);
        // However far it came: nothing is waited for.
        child.kill().unwrap();
        child.wait().unwrap();
    }
    lab.verify();
    assert!(lab.records().len() <= before + 1);
    import(&lab, &path, "one", &[]).ok();
    assert_eq!(lab.records().len(), before + 1, "whole, and once");
    lab.verify();
}

#[test]
fn gates_that_wait_for_counters_are_judged_with_an_imported_report() {
    let gate = "[decide]\n";
    let rule = "[[gate]]\nname = \"few-conflicts\"\nrule = \"counter[\\\"shared.conflict_cycles\\\"] <= 2\"\n\n[decide]\n";
    let lab = matrix_lab_with(&[(gate, rule)]);
    let standing = |name: &str| gate_of(&lab.row(name), "few-conflicts").clone();
    for (name, cost, figures) in [("wide", "90", BEFORE), ("flat", "80", AFTER)] {
        lab.variant(name, &[("cost", cost)]);
        lab.assay(&["run", name]).ok();
        assert!(standing(name)["pass"].is_null());
        let path = report(&lab, name, &[("gemm", figures)]);
        let text = import(&lab, &path, name, &[]).ok();
        assert!(text.contains("judged with its counters"), "{text}");
    }
    let wide = standing("wide");
    assert_eq!(wide["pass"], false, "{wide:#}");
    let evidence = wide["evidence"].as_str().unwrap();
    assert!(
        evidence.contains("2.4, not <= 2 (imported mcProfiler report, source not checked)"),
        "{evidence}"
    );
    assert_eq!(
        gate_of(&lab.row("wide"), "correct")["pass"],
        true,
        "what was judged stays"
    );
    lab.assay(&["accept", "wide", "--reason", "x"])
        .fails(1, &["few-conflicts: failed"]);
    lab.assay(&["accept", "flat", "--reason", "x"]).ok();
    // A later run knows nothing of the report; filing it again says so and judges.
    lab.assay(&["run", "flat", "--again", "--against", "ref"])
        .ok();
    let path = report(&lab, "flat", &[("gemm", AFTER)]);
    assert!(
        import(&lab, &path, "flat", &[])
            .ok()
            .starts_with("filed already")
    );
    assert_eq!(standing("flat")["pass"], true);
    lab.verify();
}
