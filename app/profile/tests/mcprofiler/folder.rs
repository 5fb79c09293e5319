//! A whole output folder put together.

use assay_profile::formats::mcprofiler::{Folder, Outcome, Run, read_folder};
use assay_profile::{Counter, Scope, Status};

use crate::figures::{Row, csv, dumped, table, txt, txt_json};
use crate::{by_key, number};

type Files = Vec<(String, Vec<u8>)>;

fn add(files: &mut Files, stem: &str, rows: &[Row]) {
    for (ending, text) in [
        (".txt.csv", csv(rows)),
        ("_dumped_result.json", dumped(rows)),
        (".txt", txt(rows)),
        (".txt.json", txt_json(rows)),
    ] {
        files.push((format!("{stem}{ending}"), text.into_bytes()));
    }
}

fn read(files: &Files) -> Folder {
    read_folder(files.iter().map(|(p, b)| (p, b)))
}

fn only(folder: Folder) -> Run {
    assert_eq!(folder.runs.len(), 1);
    folder.runs.into_iter().next().expect("a run")
}

fn counter(run: &Run, launch: usize, section: &str, name: &str) -> Counter {
    let l = &run.kernels.as_ref().expect("kernels").launches[launch];
    l.counter(section, name).expect("the counter").into()
}

#[test]
fn kernels_launches_and_the_aggregate_are_told_apart() {
    let mut files = Files::new();
    add(&mut files, "out/10_gemm_kernel", &table(1));
    add(&mut files, "out/2_fill", &table(2));
    add(&mut files, "out/1_gemm_kernel", &table(3));
    add(&mut files, "out/report", &table(4));
    let hardware = "{\"perf_counters\": {\"0\": [{\"CE\": {\"generic\": {\"W\": 6}}}, {\"CE\": {\"generic\": {\"W\": 1}}}, {\"CE\": {\"generic\": {\"W\": 2}}}]}}";
    files.push(("out/case.json".into(), hardware.into()));
    files.push((
        "out/batches.json".into(),
        b"{\"ISU\": [\"AP_PERF_WAVES\"]}".to_vec(),
    ));
    files.push((
        "out/RoofLine20260101000000000.png".into(),
        b"\x89PNG".to_vec(),
    ));
    files.push(("out/3_gemm_kernel.txt.json".into(), Vec::new()));
    let folder = read(&files);
    let outcomes: Vec<&Outcome> = folder.files[17..].iter().map(|f| &f.outcome).collect();
    assert!(
        matches!(outcomes[0], Outcome::NotAReport) && matches!(outcomes[1], Outcome::NotAReport)
    );
    assert!(matches!(outcomes[2], Outcome::Unreadable(why) if why.contains("empty")));
    assert!(
        folder.files[..17]
            .iter()
            .all(|f| matches!(f.outcome, Outcome::Read { counters: 1.., .. }))
    );
    let run = only(folder);
    let kernels = run.kernels();
    assert_eq!(
        (kernels[0].kernel.as_str(), kernels[0].launches),
        ("gemm_kernel", 2)
    );
    assert_eq!(
        (kernels[1].kernel.as_str(), kernels[1].launches),
        ("fill", 1)
    );
    let p = run.kernels.as_ref().unwrap();
    let order: Vec<_> = p
        .launches
        .iter()
        .map(|l| (l.kernel.as_str(), l.occurrence))
        .collect();
    assert_eq!(
        order,
        [
            ("gemm_kernel", Some(0)),
            ("fill", Some(0)),
            ("gemm_kernel", Some(1))
        ]
    );
    assert!(p.launches.iter().all(|l| l.scope == Scope::PerKernel));
    assert!(
        p.notices.iter().any(|n| n.contains("7 launches")),
        "{:?}",
        p.notices
    );
    let all = run.aggregate.as_ref().unwrap();
    assert_eq!(
        (all.launches.len(), all.launches[0].scope),
        (1, Scope::Aggregate)
    );
    assert_eq!(run.hardware[0].launches[2].kernel, "fill");
    assert_eq!(run.main(), run.kernels.as_ref());
}

#[test]
fn numbers_come_from_the_raw_flavour_and_the_roofline_from_the_report() {
    let t = table(9);
    let mut files = Files::new();
    add(&mut files, "1_k", &t);
    let run = only(read(&files));
    let merged = run.kernels.as_ref().unwrap();
    assert!(merged.notices.is_empty(), "{:?}", merged.notices);
    let merged = by_key(&merged.launches[0]);
    let exact = assay_profile::parse(dumped(&t).as_bytes()).unwrap();
    for (key, c) in by_key(&exact.launches[0]) {
        let m = &merged[&key];
        assert_eq!(
            (&m.value, &m.raw, &m.unit),
            (&c.value, &c.raw, &c.unit),
            "{key:?}"
        );
        assert!(m.suspect.is_empty(), "{key:?}: {:?}", m.suspect);
    }
    let roofline = &merged[&("Summary".into(), "RoofLine.data.case_bandwith".into())];
    assert!(number(roofline) > 0.0 && roofline.canonical.as_deref() == Some("mem.bandwidth"));
    let report = assay_profile::parse(txt_json(&t).as_bytes()).unwrap();
    assert_eq!(merged.len(), report.launches[0].len());
}

#[test]
fn any_choice_of_flavours_is_read_and_says_what_is_missing() {
    let t = table(12);
    let mut files = Files::new();
    add(&mut files, "1_k", &t);
    for choice in 1..16u32 {
        let some: Files = (0..4)
            .filter(|i| choice & (1 << i) != 0)
            .map(|i| files[i].clone())
            .collect();
        let run = only(read(&some));
        let p = run.kernels.as_ref().unwrap();
        let has_raw = choice & 2 != 0;
        let rounded = p.notices.iter().any(|n| n.contains("rounded"));
        assert_eq!(rounded, !has_raw, "{choice}: {:?}", p.notices);
        assert_eq!(
            p.notices.iter().any(|n| n.contains("roofline")),
            choice == 2
        );
        assert!(p.launches[0].iter().all(|c| !c.section().is_empty()));
        assert!(
            p.launches[0]
                .iter()
                .all(|c| c.suspect().is_empty()
                    || choice == 4 && c.suspect()[0].contains("cut short"))
        );
    }
}

#[test]
fn flavours_that_contradict_each_other_are_marked() {
    let t = table(5);
    let other = table(6);
    let mut files: Files = vec![
        ("1_k.txt.json".into(), txt_json(&t).into_bytes()),
        ("1_k_dumped_result.json".into(), dumped(&other).into_bytes()),
    ];
    let run = only(read(&files));
    let c = counter(&run, 0, "Summary", "Total Instructions");
    assert!(c.suspect[0].starts_with("contradiction"), "{:?}", c.suspect);
    assert!(
        run.kernels
            .as_ref()
            .unwrap()
            .notices
            .iter()
            .any(|n| n.contains("contradict"))
    );
    let error = dumped(&t).replacen("\"isError\": false", "\"isError\": true", 1);
    files[1].1 = error.into_bytes();
    let run = only(read(&files));
    let c = counter(&run, 0, "Summary", "Total Instructions");
    assert!(c.status == Status::Error && c.value.is_none() && c.suspect.len() == 2);
}

#[test]
fn a_chart_that_the_tool_calls_an_error_has_no_figures_in_any_flavour() {
    let shown = "{\"ISU\": [{\"name\": \"Comparison\", \"description\": \"\", \"value\": {\"data\": {\"MTE\": 7, \"MMA\": 9}, \"filename\": \"a.png\"}}, {\"name\": \"Comparisons\", \"description\": \"\", \"value\": 5}]}";
    let of = |is_error: bool| {
        let raw = format!(
            "{{\"ISU\": [{{\"data\": {{\"MTE\": 7, \"MMA\": 9}}, \"isError\": {is_error}, \"message\": \"\", \"name\": \"Comparison\"}}, {{\"data\": 5, \"isError\": false, \"message\": \"\", \"name\": \"Comparisons\"}}]}}"
        );
        let files = vec![
            ("1_k.txt.json".to_owned(), shown.as_bytes().to_vec()),
            ("1_k_dumped_result.json".to_owned(), raw.into_bytes()),
        ];
        let run = only(read(&files));
        let of = |name: &str| counter(&run, 0, "ISU", name).value.and_then(|v| v.as_f64());
        ["Comparison.MTE", "Comparison.MMA", "Comparisons"].map(of)
    };
    assert_eq!(of(false), [Some(7.0), Some(9.0), Some(5.0)]);
    assert_eq!(of(true), [None, None, Some(5.0)]);
}

#[test]
fn unclear_names_second_copies_and_other_folders() {
    let t = table(5);
    let mut files = Files::new();
    add(&mut files, "a/1_k", &t);
    add(&mut files, "b/../1_k", &t);
    files.push(("a/1_k.txt.json".into(), txt_json(&t).into_bytes()));
    files.push(("a/\x1b[2J.txt.json".into(), txt_json(&t).into_bytes()));
    let folder = read(&files);
    assert!(matches!(&folder.files[8].outcome, Outcome::NotUsed(why) if why.contains("second")));
    let paths: Vec<&str> = folder.runs.iter().map(|r| r.folder.as_str()).collect();
    assert_eq!(paths, ["a", "b/.."]);
    let unclear = folder.runs[0].unclear.as_ref().unwrap();
    assert_eq!(unclear.launches[0].kernel, "\x1b[2J");
    assert!(unclear.notices.iter().all(|n| !n.contains('\x1b')));
    assert!(read(&Files::new()).runs.is_empty());
}

#[test]
fn rows_that_only_one_flavour_has_are_kept() {
    let later =
        "{\"Summary\": [{\"name\": \"Later\", \"description\": \"\", \"value\": \"1,024(Gops)\"}]}";
    let raw = "{\"Summary\": [{\"data\": 1024, \"isError\": false, \"message\": \"\", \"name\": \"Later\"}, {\"data\": 7, \"isError\": false, \"message\": \"\", \"name\": \"Hidden\"}]}";
    let csv = "Name,Description,Value\r\nLater,,\"1,024(Gops)\"\r\n";
    let files = vec![
        ("1_k.txt.json".to_owned(), later.as_bytes().to_vec()),
        ("1_k.txt.csv".to_owned(), csv.as_bytes().to_vec()),
        ("1_k_dumped_result.json".to_owned(), raw.as_bytes().to_vec()),
    ];
    let run = only(read(&files));
    assert_eq!(counter(&run, 0, "Summary", "Later").unit, "Gops");
    assert_eq!(counter(&run, 0, "Summary", "Hidden").raw, "7");
    assert_eq!(run.kernels.as_ref().unwrap().launches[0].len(), 2);
}
