//! Logs that cannot be read: said where and what to do, and nothing is half imported.

use std::fs;
use std::os::unix::fs::symlink;

use assay_core::record::Body;
use assay_core::{Record, Sha256};

use crate::support::{Done, Lab, write};

const TILEOPS: &str = include_str!("../../../exec/tests/readings/data/profile_run.log");
const NVBENCH: &str = include_str!("../../../exec/tests/readings/data/nvbench.json");

fn import(lab: &Lab, name: &str, content: &[u8], words: &[&str]) -> Done {
    fs::write(lab.repo().join(name), content).unwrap();
    let mut args = vec!["import", name];
    args.extend(words);
    let done = lab.assay(&args);
    assert!(
        !done.err.contains('\u{1b}') && !done.out.contains('\u{1b}'),
        "{done:#?}"
    );
    assert!(!done.err.contains("panicked"), "{done:#?}");
    done
}

#[test]
fn what_is_no_log_is_said_with_what_to_do() {
    let lab = Lab::empty();
    let bad = |name: &str, content: &[u8], words: &[&str], says: &[&str]| {
        import(&lab, name, content, words).fails(3, says);
        assert!(!lab.repo().join("assay-logs").exists(), "{name}");
    };
    bad("empty.log", b"", &[], &["empty.log: the file is empty"]);
    bad(
        "core",
        b"\x7fELF\x00\x01",
        &[],
        &[
            "core: its content is no benchmark log",
            "binary",
            "assay inspect",
        ],
    );
    bad(
        "a.csv",
        b"case,us\na,1\n",
        &[],
        &["--kind csv --value COLUMN --unit us"],
    );
    bad(
        "a.csv",
        b"case,us\na,1\n",
        &["--kind", "csv"],
        &["--value is missing"],
    );
    bad(
        "a.csv",
        b"case,us\na,1\n",
        &["--kind", "csv", "--value", "ms"],
        &["--unit is missing", "ns, us, ms or s"],
    );
    bad(
        "a.csv",
        b"case,us\na,1\n",
        &["--kind", "csv", "--value", "ms", "--unit", "us"],
        &["a.csv: ", "no column `ms`; there are case, us"],
    );
    bad(
        "a.csv",
        b"case,us\na,1\n",
        &["--kind", "csv", "--value", "us", "--unit", "h"],
        &["--unit h"],
    );
    bad(
        "a.csv",
        b"case,us\na,x\nb,-1\n",
        &["--kind", "csv", "--value", "us", "--unit", "us"],
        &["a.csv: no row of it has a time; line 2: "],
    );
    bad(
        "a.json",
        b"{}",
        &[],
        &["--kind json --value NAME=/path/to/time"],
    );
    bad(
        "a.json",
        b"{\"r\": [1,",
        &["--kind", "json", "--value", "/r", "--unit", "us"],
        &["a.json: ", "cut off"],
    );
    bad(
        "a.json",
        b"{\"r\": 1}",
        &["--kind", "json", "--value", "/{name}", "--unit", "us"],
        &["braces stand for workloads of a campaign"],
    );
    bad(
        "run.log",
        TILEOPS.as_bytes(),
        &["--kind", "hyperfine"],
        &[
            "run.log: ",
            "by its content it is of the kind tileops",
            "leave out --kind",
        ],
    );
    bad(
        "run.log",
        TILEOPS.as_bytes(),
        &["--kind", "tilops"],
        &["did you mean `tileops`?"],
    );
    bad(
        "run.log",
        TILEOPS.as_bytes(),
        &["--pattern", "x"],
        &["--pattern says nothing about a log of the kind tileops"],
    );
    bad(
        "run.log",
        TILEOPS.as_bytes(),
        &["--value", "nope_ms"],
        &["run.log: ", "no column nope_ms"],
    );
    bad(
        "run.log",
        b"time 3\n",
        &["--kind", "regex", "--unit", "us", "--pattern", "time [0-9]"],
        &["--pattern has no group"],
    );
    bad(
        "run.log",
        b"time 3\n",
        &["--kind", "regex", "--unit", "us", "--pattern", "(("],
        &["--pattern: "],
    );
    bad("a\u{1b}[2J.log", b"x", &[], &["\\x1b[2J.log"]);
    lab.assay(&["import", "none.log"])
        .fails(3, &["none.log: No such file"]);
    lab.assay(&["import", "-"])
        .fails(3, &["standard input", "name the file"]);
    lab.assay(&["import", "/dev/zero"])
        .fails(3, &["/dev/zero: "]);
}

#[test]
fn large_files_long_lines_and_damage_are_bounded() {
    let lab = Lab::empty();
    let file = fs::File::create(lab.repo().join("huge.log")).unwrap();
    file.set_len(200 << 20).unwrap();
    lab.assay(&["import", "huge.log"])
        .fails(3, &["huge.log: more than 64 MiB"]);
    // One line of 8 MiB, and names that long.
    let long = format!(
        "# TileOPs Benchmark Report\n## Op\n### {}\n",
        "t".repeat(8 << 20)
    );
    let table = "| n | latency_ms |\n|---|---|\n| 1 | 0.5 |\n";
    let done = import(&lab, "long.log", format!("{long}{table}").as_bytes(), &[]);
    assert_eq!(done.code, 0, "{:.2000}", done.err);
    assert!(done.out.len() < 10_000, "{}", done.out.len());
    let md = lab.assay(&["report"]).ok();
    assert!(md.len() < 10_000, "{}", md.len());
    let hostile = TILEOPS.replace("### tileops", "### \u{1b}[31m<script>|`x`");
    import(&lab, "esc.log", hostile.as_bytes(), &[]).ok();
    let md = lab.assay(&["report"]).ok();
    assert!(!md.contains('\u{1b}') && !md.contains("<script>"), "{md}");
    // A table that ends in the middle of a row keeps that row as a problem, with its line.
    let whole = TILEOPS.find("| 0.4102 |").unwrap();
    let done = import(&lab, "cut.log", &TILEOPS.as_bytes()[..whole + 6], &[]).ok();
    assert!(done.contains("no time: cut.log:19: "), "{done}");
    let view: serde_json::Value = {
        let done = lab.assay(&["import", "cut.log", "--json"]);
        done.json()
    };
    assert_eq!(view["logs"][0]["already"], true);
    assert_eq!(view["logs"][0]["problems"][0]["line"], 19);
    lab.verify();
}

#[test]
fn several_logs_are_filed_together_or_not_at_all() {
    let lab = Lab::pinned();
    lab.write("good.log", TILEOPS);
    lab.write("bad.log", "nothing");
    fs::create_dir(lab.repo().join("folder")).unwrap();
    let before = lab.records().len();
    lab.assay(&["import", "good.log", "bad.log"])
        .fails(3, &["bad.log: "]);
    lab.assay(&["import", "good.log", "folder"])
        .fails(3, &["not imported together"]);
    lab.assay(&["import", "folder", "--kind", "tileops"])
        .fails(3, &["folder: it is a folder"]);
    lab.assay(&["import", "good.log", "--variant", "x", "--kind", "tileops"])
        .fails(3, &["--kind"]);
    assert_eq!(lab.records().len(), before);
    // The same content twice in one call is one record.
    lab.write("copy.log", TILEOPS);
    lab.assay(&["import", "good.log", "copy.log"]).ok();
    assert_eq!(lab.records().len(), before + 1);
}

#[test]
fn side_files_are_kept_and_nothing_outside_the_folder_is_opened() {
    let lab = Lab::empty();
    let floats: Vec<u8> = [1.0e-5f32, 1.1e-5, 1.2e-5]
        .iter()
        .flat_map(|f| f.to_le_bytes())
        .collect();
    let dir = lab.repo().join("out.json-bin");
    fs::create_dir(&dir).unwrap();
    fs::write(dir.join("0.bin"), &floats).unwrap();
    import(&lab, "nvbench.json", NVBENCH.as_bytes(), &[]).ok();
    let csv = lab.assay(&["report", "--format", "csv"]).ok();
    assert!(
        csv.contains("printed 3 times in s, median of 3 samples"),
        "{csv}"
    );
    lab.verify();
    // By a link or by `..` the samples are elsewhere: the summary is used, and that is said.
    fs::write(lab.root().join("secret.bin"), &floats).unwrap();
    fs::remove_file(dir.join("0.bin")).unwrap();
    symlink(lab.root().join("secret.bin"), dir.join("0.bin")).unwrap();
    for (name, text) in [
        ("link.json", NVBENCH.replace("copy", "copied")),
        (
            "up.json",
            NVBENCH.replace("out.json-bin/0.bin", "../secret.bin"),
        ),
        (
            "root.json",
            NVBENCH.replace("out.json-bin/0.bin", "/etc/hostname"),
        ),
    ] {
        let out = import(&lab, name, text.as_bytes(), &[]).ok();
        assert!(
            out.contains("are not at hand; its summary is used"),
            "{name}: {out}"
        );
    }
}

#[test]
fn rows_that_the_file_does_not_have_are_found_by_verify() {
    let lab = Lab::empty();
    import(&lab, "run.log", TILEOPS.as_bytes(), &[]).ok();
    let folder = lab.repo().join("assay-logs");
    let path = lab.sh("find assay-logs/records -name '*.json'");
    let path = lab.repo().join(path.trim());
    let mut record = Record::from_bytes(&fs::read(&path).unwrap()).unwrap();
    let Body::Readings(log) = &mut record.body else {
        panic!("{record:?}")
    };
    let blob = |sha: &Sha256| {
        let hex = sha.to_string();
        folder.join("blobs").join(&hex[..2]).join(&hex)
    };
    let rows = fs::read_to_string(blob(&log.rows.sha256))
        .unwrap()
        .replace("0.4102", "0.2102");
    log.rows.sha256 = Sha256::of(&rows);
    log.rows.bytes = rows.len() as u64;
    write(&blob(&log.rows.sha256), &rows);
    fs::write(&path, record.to_bytes().unwrap()).unwrap();
    let done = lab.assay(&["verify"]);
    assert_eq!(done.code, 1, "{done:#?}");
    assert!(
        done.out.contains("differs: readings ") && done.out.contains("0.2102"),
        "{done:#?}"
    );
}

#[test]
fn a_log_in_utf_16_is_read_and_kept_as_it_was() {
    let lab = Lab::empty();
    let utf16 = |text: &str| -> Vec<u8> {
        let units = std::iter::once(0xFEFF_u16).chain(text.encode_utf16());
        units.flat_map(u16::to_le_bytes).collect()
    };
    let done = import(&lab, "shell.log", &utf16(TILEOPS), &[]);
    assert!(done.out.contains("tileops"), "{done:#?}");
    assert!(lab.assay(&["verify"]).ok().contains("all is well"));
    let mut cut = utf16(TILEOPS);
    cut.pop();
    import(&lab, "cut.log", &cut, &[]).fails(3, &["UTF-16", "damaged or cut"]);
}
