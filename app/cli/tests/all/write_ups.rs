//! Write-ups: held to the records, and written by templates of one's own.

use std::fs;

use crate::support::Lab;

#[test]
fn a_write_up_is_held_to_the_records() {
    let lab = Lab::new();
    lab.champion("base", &[("cost", "90")]);
    let out = lab.root().join("out");
    let folder = out.to_str().unwrap();
    lab.assay(&["report", "-o", folder, "--format", "md,html,csv,json,pr"])
        .ok();
    lab.assay(&["report", "--lang", "zh", "-o", folder, "--format", "md,pr"])
        .ok();
    let names = [
        "report.en.md",
        "report.en.html",
        "report.csv",
        "report.json",
        "report.en.pr.md",
        "report.zh.md",
        "report.zh.pr.md",
    ];
    let paths: Vec<String> = (names.iter())
        .map(|n| out.join(n).to_str().unwrap().to_owned())
        .collect();
    let check = |more: &[&str]| {
        let mut args = vec!["report", "--check"];
        args.extend(more);
        lab.assay(&args)
    };
    let all: Vec<&str> = paths.iter().map(String::as_str).collect();
    let said = check(&all).ok();
    assert!(
        said.contains("nothing stands against this write-up"),
        "{said}"
    );
    assert!(said.contains("unknown  The noise floor"), "{said}");
    for (path, name) in paths.iter().zip(names) {
        assert!(said.contains(name), "{said}");
        assert!(fs::read_to_string(path).unwrap().len() > 100);
    }
    // Somebody's own words are theirs; a figure is not.
    let md = fs::read_to_string(&paths[0]).unwrap();
    fs::write(&paths[0], format!("{md}\nA word of thanks to all.\n")).unwrap();
    let said = check(&[&paths[0]]).ok();
    assert!(said.contains("words were added in 1 place"), "{said}");
    let ratio = md.lines().find(|l| l.contains("times as long as")).unwrap();
    let figure = ratio.split_whitespace().nth(2).unwrap();
    fs::write(&paths[0], md.replace(figure, "0.1234")).unwrap();
    let done = check(&[&paths[0]]);
    assert_eq!(done.code, 1, "{done:#?}");
    assert!(
        done.out.contains("0.1234") && done.out.contains(figure),
        "{done:#?}"
    );
    for line in [
        "It is 7 % faster now.",
        "It is 42.5 times faster than cuBLAS.",
        "提交前回填 TODO",
    ] {
        fs::write(&paths[0], format!("{md}\n{line}\n")).unwrap();
        let done = check(&[&paths[0]]);
        assert_eq!(done.code, 1, "{line}");
        assert!(done.out.contains(line), "the line is shown: {done:#?}");
    }
    // Nor are the report's own words for anybody to change.
    let other = md.replace("Nothing is claimed beyond it.", "It holds everywhere.");
    fs::write(&paths[0], other).unwrap();
    assert_eq!(check(&[&paths[0]]).code, 1);

    // What was exported before a later run says something else than the records do.
    fs::write(&paths[0], &md).unwrap();
    lab.champion("next", &[("cost", "60")]);
    let done = check(&[&paths[0], &paths[2]]);
    assert_eq!(done.code, 1, "{done:#?}");
    assert_eq!(done.out.matches("FAILED").count(), 2, "{done:#?}");
    let done = check(&[&paths[3]]);
    assert_eq!(done.code, 1, "{done:#?}");
    assert!(
        done.out
            .contains("/report/list/champion: `\"base\"`; the records come to `\"next\"`"),
        "{done:#?}"
    );
    check(&["nowhere.md"]).fails(3, &["nowhere.md"]);
    check(&["assay.toml"]).fails(3, &["ends in .md"]);
    lab.assay(&["report", "x.md"]).fails(3, &["--check"]);
}

#[test]
fn a_template_beside_the_campaign_is_used_and_checked() {
    let lab = Lab::new();
    lab.champion("base", &[("cost", "90")]);
    lab.write(
        "report.template.md",
        "# {{title}}\n\n{{champion}}: {{champion ratio}}\n\n{{chapter claim}}\n",
    );
    let done = lab.assay(&["report"]);
    assert!(done.err.contains("by the template"), "{done:#?}");
    assert!(done.out.contains("base: 0.5"), "{done:#?}");
    assert!(
        done.out
            .contains("## Figures of the text and their records"),
        "{done:#?}"
    );
    let said = lab.assay(&["report", "--check"]).ok();
    assert!(said.contains("ok       template"), "{said}");
    let verdict = lab.records_of("verdict")[0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    lab.write(
        "mine.md",
        &format!("The ratio is {{{{record {verdict} /body/ratio}}}}, that is 44 % less. TBD\n"),
    );
    let text = lab.assay(&["report", "--template", "mine.md"]).ok();
    assert!(text.contains("The ratio is 0.5"), "{text}");
    let done = lab.assay(&["report", "--check", "--template", "mine.md"]);
    assert_eq!(done.code, 1, "{done:#?}");
    assert!(
        done.out.contains("line 1: `44 %` is written out"),
        "{done:#?}"
    );
    assert!(
        done.out.contains("line 1: `TBD` is still to be filled in"),
        "{done:#?}"
    );
    lab.write("mine.md", "# T\n\n{{champion speed}}\n");
    lab.assay(&["report", "--template", "mine.md"])
        .fails(3, &["mine.md: line 3: no figure `speed`"]);
    lab.write("mine.md", "{{chapter clam}}\n");
    lab.assay(&["report", "--template", "mine.md"]).fails(
        3,
        &["mine.md: line 1: no chapter `clam`; did you mean `claim`?"],
    );
}

#[test]
fn what_cannot_be_written_says_what_to_name_and_what_was_written() {
    let lab = Lab::new();
    lab.champion("base", &[("cost", "90")]);
    lab.write("taken", "mine");
    lab.assay(&["report", "-o", "taken"]).fails(
        3,
        &[
            "taken: is a file",
            "name a folder; the report becomes report.en.md in it",
        ],
    );
    // A folder in the place of the second file.
    fs::create_dir_all(lab.repo().join("out/report.en.html/x")).unwrap();
    let done = lab.assay(&["report", "-o", "out", "--format", "md,html"]);
    assert_ne!(done.code, 0, "{done:#?}");
    assert!(
        done.err
            .contains("written before it failed: out/report.en.md"),
        "{done:#?}"
    );
}

#[test]
fn a_time_that_is_none_is_refused() {
    let lab = Lab::new();
    lab.champion("base", &[("cost", "90")]);
    let at = |epoch: &str, args: &[&str]| {
        let mut c = lab.command(env!("CARGO_BIN_EXE_assay"), lab.repo());
        c.args(args)
            .env("SOURCE_DATE_EPOCH", epoch)
            .output()
            .unwrap()
    };
    for bad in ["soon", "", "1e9", "99999999999999999999"] {
        for args in [
            &["report"] as &[&str],
            &["report", "--format", "csv"],
            &["export", "--bundle", "b.tar.gz"],
        ] {
            let done = at(bad, args);
            let said = String::from_utf8_lossy(&done.stderr).into_owned();
            assert_eq!(done.status.code(), Some(3), "{bad} {args:?}: {said}");
            assert!(
                said.contains(&format!("SOURCE_DATE_EPOCH: `{bad}`")),
                "{said}"
            );
            assert!(!lab.repo().join("b.tar.gz").exists());
        }
    }
    let done = at("0", &["report"]);
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(text.contains("Made 1970-01-01T00:00:00Z"), "{text}");
}

#[test]
fn evidence_of_two_evaluators_is_mixed() {
    let lab = Lab::new();
    lab.champion("base", &[("cost", "90")]);
    let check = || lab.assay(&["report", "--check"]).out;
    let rule = "The evidence of accepted variants comes from one evaluator";
    assert!(check().contains(&format!("ok       {rule}")), "{}", check());
    lab.sh("echo '# a remark' >> harness/harness.sh; git commit -qam stricter");
    lab.assay(&["init", "--why", "stricter"]).ok();
    lab.assay(&["trust", "--trust"]).ok();
    lab.champion("next", &[("cost", "60")]);
    let said = check();
    assert!(said.contains(&format!("FAILED   {rule}")), "{said}");
    assert!(said.contains("base: ") && said.contains("next: "), "{said}");
}

#[test]
fn what_was_written_into_a_report_is_kept() {
    let lab = Lab::new();
    lab.champion("base", &[("cost", "90")]);
    let out = lab.root().join("out");
    let folder = out.to_str().unwrap();
    let write = || lab.assay(&["report", "-o", folder]);
    write().ok();
    let report = out.join("report.en.md");
    // Another report takes the place of one that nobody touched.
    lab.assay(&["note", "one more", "--topic", "a"]).ok();
    let done = write();
    done.ok();
    assert_eq!(fs::read_dir(&out).unwrap().count(), 1);
    for (text, kept) in [
        ("mine", "report.en.md.edited"),
        ("more", "report.en.md.edited.2"),
    ] {
        fs::write(&report, text).unwrap();
        let done = write();
        assert!(
            done.err.contains("it is kept as") && done.err.contains(kept),
            "{done:#?}"
        );
        assert_eq!(fs::read_to_string(out.join(kept)).unwrap(), text);
        assert!(fs::read_to_string(&report).unwrap().starts_with("# "));
    }
}

#[cfg(unix)]
#[test]
fn a_report_has_the_rights_of_any_new_file() {
    use std::os::unix::fs::PermissionsExt;
    let lab = Lab::new();
    lab.champion("base", &[("cost", "90")]);
    let out = lab.root().join("out");
    lab.assay(&["report", "-o", out.to_str().unwrap()]).ok();
    let mode = |p: &std::path::Path| fs::metadata(p).unwrap().permissions().mode() & 0o777;
    let plain = lab.root().join("plain");
    fs::write(&plain, "").unwrap();
    assert_eq!(mode(&out.join("report.en.md")), mode(&plain));
}

#[test]
fn figures_and_commands_stay_with_the_verdict_that_was_accepted_when_it_is_measured_again() {
    let lab = Lab::new();
    lab.champion("base", &[("cost", "90")]);
    lab.champion("next", &[("cost", "60")]);
    lab.assay(&["run", "next", "--against", "ref", "--again"])
        .ok();
    let verdicts = lab.records_of("verdict");
    let of = |a: &str| -> String {
        let found = verdicts
            .iter()
            .find(|v| v["body"]["b"] == "next" && v["body"]["a"] == a);
        found.expect("a verdict")["id"].as_str().unwrap().to_owned()
    };
    let (accepted, later) = (of("base"), of("ref"));
    let csv = lab.assay(&["report", "--format", "csv"]).ok();
    let ratios = csv
        .lines()
        .filter(|l| l.contains(",next,") && l.contains(",ratio"));
    for line in ratios {
        assert!(line.starts_with(&accepted), "{line}");
    }
    lab.write(
        "mine.md",
        "{{next ratio}} {{next interval}} {{next verdict}}\n",
    );
    let text = lab.assay(&["report", "--template", "mine.md"]).ok();
    assert_eq!(text.matches(&accepted).count(), 3, "{text}");
    assert!(!text.contains(&later), "{text}");
    let text = lab.assay(&["report"]).ok();
    assert!(
        text.contains("assay run 'next' --against 'base'") && text.contains("--again\n"),
        "{text}"
    );
    let card = text
        .lines()
        .find(|l| l.starts_with("Records:") && l.contains(&accepted));
    assert!(card.is_some_and(|l| !l.contains(&later)), "{text}");
    let said = lab.assay(&["report", "--check"]).out;
    assert!(
        said.contains("ok       Every figure is what the record beside it says"),
        "{said}"
    );
}
