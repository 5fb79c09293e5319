//! Files that are no files, that never end, or that are in another encoding.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Stdio};

use crate::inspect::{MEASURED, counter, document, outcomes};
use crate::matrix::{BEFORE, matrix_lab, report};
use crate::reports;
use crate::support::{Lab, write};

const MAPPING: &str = "schema = \"assay.mapping/1\"\ntool = \"ours\"\nformat = \"csv\"\nkernel = \"Kernel\"\n[[counters]]\nfrom = \"Time (us)\"\nname = \"time\"\nunit = \"us\"\n";

/// The program with pipes on all sides.
fn piped(lab: &Lab, args: &[&str]) -> Child {
    lab.command(env!("CARGO_BIN_EXE_assay"), lab.repo())
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn kill(lab: &Lab, signal: &str, child: &Child) {
    lab.sh(&format!("kill -{signal} {}", child.id()));
}

#[test]
fn a_pipe_is_refused_by_its_name_and_never_waited_for() {
    let lab = Lab::empty();
    lab.sh("mkfifo f");
    symlink("f", lab.repo().join("link")).unwrap();
    lab.write("r.csv", &reports::ncu(&["k"]));
    let says = "it is a pipe, and by name only regular files are read";
    for args in [
        &["inspect", "f"][..],
        &["inspect", "link"],
        &["inspect", "f", "f.ncu-rep"],
        &["inspect", "r.csv", "--mapping", "f"],
        &["compare", "--counters", "--files", "f", "link"],
        &[
            "compare",
            "--counters",
            "--files",
            "r.csv",
            "r.csv",
            "--mapping",
            "f",
        ],
        &["verdict", "f", "--a", "a", "--b", "b"],
        &["diff", "--files", "r.csv", "f"],
    ] {
        lab.sh("cp -n r.csv f.ncu-rep");
        let done = lab.assay(args);
        // Beside a file that can be read, one that cannot is told and no failure.
        assert!(done.code == 3 || args.len() == 3, "{args:?}: {done:#?}");
        let all = format!("{}{}", done.out, done.err);
        assert!(all.contains(says), "{args:?}: {done:#?}");
    }
    lab.assay(&["inspect", "/dev/null"])
        .fails(3, &["/dev/null: it is a device"]);
    lab.write("own/counters/x.toml", "");
    lab.sh("rm own/counters/x.toml && mkfifo own/counters/x.toml");
    lab.assay(&["inspect", "r.csv", "--profiles", "own"])
        .fails(3, &["own/counters/x.toml: it is a pipe"]);
    // What a shell hands over as a descriptor is read.
    let text = lab.sh(&format!(
        "cat r.csv | {} inspect /dev/stdin",
        env!("CARGO_BIN_EXE_assay")
    ));
    assert!(text.contains("/dev/stdin: ncu, csv"), "{text}");
}

#[test]
fn an_import_waits_for_no_pipe() {
    let lab = matrix_lab();
    lab.champion("one", &[("cost", "90")]);
    let path = report(&lab, "r", &[("gemm", BEFORE)]);
    let pipe = lab.root().join("pipe").display().to_string();
    lab.sh(&format!("mkfifo {pipe}"));
    for args in [
        &["import", &pipe, "--variant", "one"][..],
        &["import", &path, "--variant", "one", "--mapping", &pipe],
        &["import", &path, "--variant", "one", "--source", &pipe],
    ] {
        lab.assay(args).fails(3, &["pipe: it is a pipe"]);
    }
}

#[test]
fn a_signal_ends_the_wait_for_standard_input() {
    let lab = Lab::empty();
    for signal in ["INT", "TERM"] {
        let mut child = piped(&lab, &["inspect", "-"]);
        let mut stdin = child.stdin.take().unwrap();
        // More than a pipe holds: when it is written the program is reading.
        stdin.write_all(&[b'x'; 1 << 20]).unwrap();
        kill(&lab, signal, &child);
        let done = child.wait_with_output().unwrap();
        drop(stdin);
        assert_eq!(done.status.code(), Some(4), "{signal}: {done:?}");
        assert_eq!(String::from_utf8_lossy(&done.stderr), "error: cancelled\n");
    }
}

#[test]
fn a_signal_ends_an_ncu_that_hangs() {
    let lab = Lab::empty();
    let (bin, meet) = (lab.root().join("bin"), lab.root().join("meet"));
    let script = format!("#!/bin/sh\necho up > {}\nexec sleep 300\n", meet.display());
    write(&bin.join("ncu"), &script);
    fs::set_permissions(bin.join("ncu"), fs::Permissions::from_mode(0o755)).unwrap();
    lab.sh(&format!("mkfifo {}", meet.display()));
    lab.write("a.ncu-rep", "NVR\0 stand-in\n");
    let child = lab
        .command(env!("CARGO_BIN_EXE_assay"), lab.repo())
        .args(["inspect", "a.ncu-rep"])
        .env("PATH", format!("{}:/usr/bin:/bin", bin.display()))
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    assert_eq!(fs::read_to_string(&meet).unwrap(), "up\n");
    kill(&lab, "TERM", &child);
    let done = child.wait_with_output().unwrap();
    assert_eq!(done.status.code(), Some(4), "{done:?}");
    assert_eq!(String::from_utf8_lossy(&done.stderr), "error: cancelled\n");
}

#[test]
fn signals_have_their_usual_effect_while_the_result_is_printed() {
    let lab = Lab::empty();
    lab.write("r.csv", &reports::ncu(&["k"; 2000]));
    let mut child = piped(&lab, &["inspect", "r.csv", "--json"]);
    // Nobody reads on, so that the program waits with most of its document.
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut [0]).unwrap();
    kill(&lab, "TERM", &child);
    assert_eq!(child.wait().unwrap().signal(), Some(15));
}

/// Text as PowerShell writes it.
fn utf16(text: &str) -> Vec<u8> {
    let text = format!("\u{feff}{}", text.replace('\n', "\r\n"));
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

#[test]
fn utf_16_is_read_wherever_text_is() {
    let lab = Lab::empty();
    let file = |name: &str| lab.repo().join(name);
    fs::write(file("r.csv"), utf16(MEASURED)).unwrap();
    let view = document(&lab.assay(&["inspect", "r.csv", "--json"]));
    assert_eq!(view["launches"].as_array().unwrap().len(), 9);
    let notices = view["profiles"][0]["notices"].to_string();
    assert!(notices.contains("The content is UTF-16"), "{notices}");
    assert_eq!(
        view["files"][0]["sha256"],
        assay_core::Sha256::of(utf16(MEASURED)).to_string(),
        "of the file as it is"
    );
    // A report and its mapping, and a folder with flavours of one report.
    fs::write(file("own.csv"), utf16("Kernel,Time (us)\nk,1.5\n")).unwrap();
    fs::write(file("m.toml"), utf16(MAPPING)).unwrap();
    let view = document(&lab.assay(&["inspect", "own.csv", "--mapping", "m.toml", "--json"]));
    assert_eq!(counter(&view["launches"][0], "time")["value"], 1.5);
    assert!(
        view["notices"]
            .to_string()
            .contains("m.toml: The content is UTF-16")
    );
    let out = lab.repo().join("out");
    reports::all_flavours(&out, "1_k", reports::SOUND);
    let txt = fs::read_to_string(out.join("1_k.txt")).unwrap();
    fs::write(out.join("1_k.txt"), utf16(&txt)).unwrap();
    let view = document(&lab.assay(&["inspect", "out", "--json"]));
    assert!(outcomes(&view).contains(&("1_k.txt", "read")), "{view:#}");
    assert!(
        view["notices"]
            .to_string()
            .contains("1_k.txt: The content is UTF-16")
    );
    // Without a mark it is named and not guessed.
    fs::write(file("bare.csv"), &utf16(MEASURED)[2..]).unwrap();
    lab.assay(&["inspect", "bare.csv"]).fails(
        3,
        &[
            "bare.csv: it seems to be UTF-16 (little-endian) without a byte order mark",
            "UTF-8",
        ],
    );
    fs::create_dir_all(file("data/rules/audit")).unwrap();
    fs::write(file("data/rules/audit/x.toml"), &utf16("a = 1\n")[2..]).unwrap();
    lab.assay(&["inspect", "r.csv", "--profiles", "data"])
        .fails(3, &["x.toml: it seems to be UTF-16"]);
}

#[test]
fn what_was_not_read_is_named_with_the_reason() {
    let lab = Lab::empty();
    lab.write("out/r.csv", &reports::ncu(&["k"]));
    lab.write("out/empty.csv", "");
    lab.write("out/notes.md", "x");
    lab.write("out/cut.csv", &MEASURED[..9000]);
    for n in 0..20 {
        fs::write(lab.repo().join(format!("out/p{n:02}.png")), [0, 1, 2]).unwrap();
    }
    let view = document(&lab.assay(&["inspect", "out", "--json"]));
    for f in view["files"].as_array().unwrap() {
        assert_ne!(f["detail"], "", "{f}");
        if f["path"] == "out/cut.csv" {
            let detail = f["detail"].as_str().unwrap();
            assert!(
                detail.starts_with("partly: ncu csv: Launch 3 of the file ends"),
                "{f}"
            );
        }
    }
    let text = lab.assay(&["inspect", "out"]).ok();
    for line in [
        "empty.csv: not read: empty",
        "notes.md: not read: no report",
        "p00.png: not read: no report: a binary file",
        "and 14 more files",
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
    assert!(!text.contains("p19.png"), "{text}");
    // Of two mapped tables one is cut, and one lacks a kernel.
    lab.write("m.toml", MAPPING);
    lab.write("cut.csv", "Kernel,Time (us)\nk,1\nk,2");
    lab.write("lacks.csv", "Kernel,Time (us)\nk,1\n,2\n");
    let args = ["inspect", "cut.csv", "lacks.csv", "--mapping", "m.toml"];
    let view = document(&lab.assay(&[&args[..], &["--json"]].concat()));
    let detail = |n: usize| view["files"][n]["detail"].as_str().unwrap().to_owned();
    assert!(detail(0).starts_with("partly: ours csv: "), "{}", detail(0));
    assert!(detail(0).contains("line 3"), "{}", detail(0));
    assert!(
        detail(1).contains("1 row lacks what the mapping names (line 3)"),
        "{}",
        detail(1)
    );
    let text = lab.assay(&args).ok();
    assert!(text.contains("cut.csv: partly: ours csv"), "{text}");
}

#[test]
fn strange_files_among_data_are_told_by_every_command_that_reads_them() {
    let lab = Lab::empty();
    lab.write("r.csv", &reports::ncu(&["k", "k"]));
    for stray in [
        "rules/mine.toml",
        "rule/audit/x.toml",
        "stray.toml",
        "counters/X.TOML",
    ] {
        lab.write(&format!("own/{stray}"), "");
    }
    let told = [
        "own/counters/X.TOML: not read; names of data files end in `.toml`",
        "own/rule: not read; did you mean `rules/`?",
        "own/rules/mine.toml: not read; rules lie in rules/audit and rules/diagnosis",
        "own/stray.toml: not read; data files lie in counters, devices",
    ];
    let view = document(&lab.assay(&["inspect", "r.csv", "--profiles", "own", "--json"]));
    let files = [
        "compare",
        "--counters",
        "--files",
        "r.csv",
        "--profiles",
        "own",
        "--json",
    ];
    let compared = lab.assay(&files).json();
    for line in told {
        assert!(view["notices"].to_string().contains(line), "{view:#}");
        assert!(
            compared["warnings"].to_string().contains(line),
            "{compared:#}"
        );
    }
}
