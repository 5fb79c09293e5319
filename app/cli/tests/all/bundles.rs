//! Bundles: packed here, verified elsewhere, and held to what was packed.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{Lab, write};

/// A campaign with a champion, a rejected variant and a bundle of both, and where the bundle is.
fn packed() -> (Lab, PathBuf) {
    let lab = Lab::new();
    lab.champion("base", &[("cost", "90")]);
    lab.variant("slow", &[("cost", "200")]);
    lab.assay(&["run", "slow"]).ok();
    lab.assay(&["reject", "slow", "--reason", "it is slower"])
        .ok();
    let file = lab.root().join("packed.tar.gz");
    let said = lab
        .assay(&["export", "--bundle", file.to_str().unwrap()])
        .ok();
    assert!(said.contains("kernel files of 2 variants"), "{said}");
    assert!(!said.contains("left out"), "{said}");
    (lab, file)
}

/// Unpacks with the system's own tar, and returns the folder.
fn unpacked(lab: &Lab, file: &Path, to: &str) -> PathBuf {
    let into = lab.root().join(to);
    fs::create_dir_all(&into).unwrap();
    lab.sh(&format!(
        "tar -xzf '{}' -C '{}'",
        file.display(),
        into.display()
    ));
    let mut folders = fs::read_dir(&into).unwrap();
    folders.next().unwrap().unwrap().path()
}

fn repacked(lab: &Lab, folder: &Path, name: &str) -> PathBuf {
    let (parent, file) = (folder.parent().unwrap(), lab.root().join(name));
    let top = folder.file_name().unwrap().to_str().unwrap();
    lab.sh(&format!(
        "tar -czf '{}' -C '{}' '{top}'",
        file.display(),
        parent.display()
    ));
    file
}

#[test]
fn a_bundle_is_verified_where_there_is_nothing_else() {
    let (lab, file) = packed();
    let elsewhere = Lab::empty();
    let there = elsewhere.root().join("got.tar.gz");
    fs::copy(&file, &there).unwrap();
    let said = elsewhere.assay(&["verify", there.to_str().unwrap()]).ok();
    assert!(said.contains("as packed; "), "{said}");
    assert!(said.contains("all is well"), "{said}");
    let view = elsewhere.assay(&["verify", there.to_str().unwrap(), "--json"]);
    let view = view.json();
    assert!(view["verdicts"].as_u64().unwrap() >= 2, "{view:#}");
    assert!(view["bundle"]["figures"].as_u64().unwrap() > 20, "{view:#}");
    assert_eq!(view["unchecked"], serde_json::json!([]));

    // The folder is a campaign to look at.
    let folder = unpacked(&elsewhere, &there, "unpacked");
    let at = folder.to_str().unwrap();
    let list = elsewhere.assay(&["-C", at, "list"]).ok();
    assert!(list.contains("base") && list.contains("slow"), "{list}");
    elsewhere.assay(&["-C", at, "verify"]).ok();
    let kernel = fs::read_to_string(folder.join("sources/slow/kernel/k.txt")).unwrap();
    assert!(kernel.contains("cost = 200"), "{kernel}");
    for name in ["report.en.md", "report.zh.html", "report.json"] {
        assert!(folder.join("report").join(name).is_file(), "{name}");
    }
    // It is never written over.
    lab.assay(&["export", "--bundle", file.to_str().unwrap()])
        .fails(3, &["is there already"]);
}

#[test]
fn evaluators_that_are_no_longer_pinned_come_along() {
    let lab = Lab::new();
    lab.champion("base", &[("cost", "90")]);
    lab.sh("echo '# a remark' >> assay.toml; git commit -qam stricter");
    lab.assay(&["init", "--why", "stricter"]).ok();
    let folder = lab.root().join("plain");
    lab.assay(&["export", folder.to_str().unwrap()]).ok();
    let view = lab.assay(&["-C", folder.to_str().unwrap(), "verify", "--json"]);
    assert_eq!(view.json()["unchecked"], serde_json::json!([]), "{view:#?}");
    assert_eq!(fs::read_dir(folder.join("evaluators")).unwrap().count(), 1);
}

#[test]
fn whatever_was_changed_after_packing_is_named() {
    let (lab, file) = packed();
    let change = |name: &str, edit: &dyn Fn(&Path)| {
        let folder = unpacked(&lab, &file, name);
        edit(&folder);
        let file = repacked(&lab, &folder, &format!("{name}.tar.gz"));
        let done = lab.assay(&["verify", file.to_str().unwrap()]);
        assert_eq!(done.code, 1, "{done:#?}");
        done.out
    };
    let said = change("figure", &|f| {
        let path = f.join("report/report.csv");
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(",median,"), "{text}");
        fs::write(&path, text.replace(",median,", ",median,1")).unwrap();
    });
    assert!(
        said.contains("report/report.csv is not what was packed"),
        "{said}"
    );
    assert!(said.contains("the records come to"), "{said}");
    let said = change("page", &|f| {
        let path = f.join("report/report.en.md");
        fs::write(&path, "# All is ten times faster\n").unwrap();
    });
    assert!(
        said.contains("report/report.en.md is not what was packed"),
        "{said}"
    );
    // Whoever changes a page and the manifest with it has the records against him.
    let said = change("forged", &|f| {
        let path = f.join("report/report.zh.html");
        let before = fs::read_to_string(&path).unwrap();
        // A figure that is read; how a page is drawn is another matter.
        let from = before.find("<main>").unwrap();
        let after_tag = before[from..].match_indices('>').map(|(i, _)| from + i + 1);
        let mut figures =
            after_tag.filter(|i| before[*i..].starts_with(|c: char| c.is_ascii_digit()));
        let at = figures.next().unwrap();
        let after = format!("{}9{}", &before[..at], &before[at..]);
        fs::write(&path, &after).unwrap();
        let sum = |text: &str| assay_core::Sha256::of(text).to_string();
        let manifest = f.join("manifest.json");
        let text = fs::read_to_string(&manifest).unwrap();
        fs::write(&manifest, text.replace(&sum(&before), &sum(&after))).unwrap();
    });
    assert!(!said.contains("not what was packed"), "{said}");
    assert!(
        said.contains("report/report.zh.html:") && said.contains("the records come to"),
        "{said}"
    );
    let said = change("extra", &|f| write(&f.join("report/more.md"), "x"));
    assert!(said.contains("report/more.md was not packed"), "{said}");
    // Nor does it help to list it.
    for (i, name) in [
        "report/more.md",
        "notes.txt",
        "sources/nobody/kernel/k.txt",
        "evaluators/0123.toml",
        "blobs/ab/abcdef",
        "more/a",
    ]
    .into_iter()
    .enumerate()
    {
        let said = change(&format!("listed{i}"), &|f| {
            write(&f.join(name), "x");
            let manifest = f.join("manifest.json");
            let text = fs::read_to_string(&manifest).unwrap();
            let mut value: serde_json::Value = serde_json::from_str(&text).unwrap();
            let sha256 = assay_core::Sha256::of("x").to_string();
            let entry = serde_json::json!({"path": name, "bytes": 1, "sha256": sha256});
            value["files"].as_array_mut().unwrap().push(entry);
            fs::write(&manifest, value.to_string()).unwrap();
        });
        let says = format!("{name} is listed, and is no part of a bundle");
        assert!(said.contains(&says), "{said}");
    }
    let said = change("gone", &|f| {
        fs::remove_dir_all(f.join("sources/slow")).unwrap();
    });
    assert!(
        said.contains("sources/slow/kernel/k.txt is missing"),
        "{said}"
    );
}

#[test]
fn a_forged_manifest_hides_no_kernel_file_and_no_model() {
    let lab = Lab::new();
    lab.champion("base", &[("cost", "90")]);
    lab.champion("next", &[("cost", "60")]);
    let file = lab.root().join("packed.tar.gz");
    lab.assay(&["export", "--bundle", file.to_str().unwrap()])
        .ok();
    let forged = |name: &str, paths: &[&str], from: &str, to: &str| {
        let folder = unpacked(&lab, &file, name);
        let manifest = folder.join("manifest.json");
        let mut listed = fs::read_to_string(&manifest).unwrap();
        for path in paths {
            let before = fs::read_to_string(folder.join(path)).unwrap();
            let after = before.replace(from, to);
            assert_ne!(before, after, "{path}");
            fs::write(folder.join(path), &after).unwrap();
            let sum = |text: &str| assay_core::Sha256::of(text).to_string();
            listed = listed.replace(&sum(&before), &sum(&after));
        }
        fs::write(&manifest, listed).unwrap();
        let file = repacked(&lab, &folder, &format!("{name}.tar.gz"));
        let done = lab.assay(&["verify", file.to_str().unwrap()]);
        assert!(!done.out.contains("not what was packed"), "{done:#?}");
        assert_eq!(done.code, 1, "{done:#?}");
        done.out
    };
    let kernel = ["sources/next/kernel/k.txt"];
    let said = forged("kernel", &kernel, "cost = 60", "cost = 61");
    assert!(
        said.contains("sources/next is not what was measured"),
        "{said}"
    );
    let model = ["report/report.json"];
    let said = forged("model", &model, "\"processes\":4", "\"processes\":40");
    assert!(
        said.contains("report/report.json as ") && said.contains("the records come to"),
        "{said}"
    );
    // What a version changed is made again from the kernel files, whatever the packed model says.
    let diff = ["report/report.en.md", "report/report.json"];
    let said = forged("diff", &diff, "+cost = 60", "+cost = 61");
    assert!(said.contains("report/report.en.md:"), "{said}");
}

#[cfg(unix)]
#[test]
fn kernel_files_that_can_be_run_and_links_are_told_apart() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let lab = Lab::new();
    lab.assay(&["new", "--why", "a test", "base"]).ok();
    let program = lab.edit("base").join("kernel/k.txt");
    write(&program, &Lab::kernel(&[("cost", "90")]));
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    lab.assay(&["commit", "base"]).ok();
    lab.assay(&["run", "base"]).ok();
    lab.assay(&["new", "--why", "a test", "linked"]).ok();
    symlink("k.txt", lab.edit("linked").join("kernel/other.txt")).unwrap();
    lab.change("linked", &[("cost", "80")]);
    lab.assay(&["run", "linked"]).ok();
    let file = lab.root().join("modes.tar.gz");
    let path = file.to_str().unwrap();
    let said = lab.assay(&["export", "--bundle", path]).ok();
    assert!(said.contains("kernel/other.txt is no plain file"), "{said}");
    let said = lab.assay(&["verify", path]).ok();
    assert!(
        said.contains("note: the kernel files of linked are not all here"),
        "{said}"
    );
    assert!(said.contains("all is well"), "{said}");
    let folder = unpacked(&lab, &file, "modes");
    let packed = folder.join("sources/base/kernel/k.txt");
    let mode = fs::metadata(packed).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o755);
}

#[test]
fn a_bundle_of_another_build_differs_in_words_alone() {
    let (lab, file) = packed();
    let folder = unpacked(&lab, &file, "other-build");
    let manifest = folder.join("manifest.json");
    let mut listed = fs::read_to_string(&manifest).unwrap();
    let mut reword = |name: &str, from: &str, to: &str| {
        let path = folder.join("report").join(name);
        let before = fs::read_to_string(&path).unwrap();
        let after = before.replacen(from, to, 1);
        assert_ne!(before, after, "{name}");
        fs::write(&path, &after).unwrap();
        let sum = |text: &str| assay_core::Sha256::of(text).to_string();
        listed = listed.replace(&sum(&before), &sum(&after));
    };
    reword("report.en.md", "# Report", "# Write-up");
    reword("report.en.html", "body{margin:0", "body{margin:1px");
    fs::write(&manifest, &listed).unwrap();
    let again = repacked(&lab, &folder, "other-build.tar.gz");
    let said = lab.assay(&["verify", again.to_str().unwrap()]).ok();
    assert_eq!(said.matches("note: report/report.en.").count(), 2, "{said}");
    assert!(said.contains("the figures are the same"), "{said}");
    assert!(said.contains("all is well"), "{said}");
}

#[test]
fn what_is_no_bundle_is_refused_and_nothing_is_written_outside() {
    let (lab, file) = packed();
    let bytes = fs::read(&file).unwrap();
    let refused = |name: &str, bytes: &[u8], says: &str| {
        let path = lab.root().join(name);
        fs::write(&path, bytes).unwrap();
        lab.assay(&["verify", path.to_str().unwrap()])
            .fails(3, &[says]);
    };
    refused(
        "cut.tar.gz",
        &bytes[..bytes.len() / 2],
        "cannot be unpacked",
    );
    refused(
        "end.tar.gz",
        &bytes[..bytes.len() - 5],
        "cannot be unpacked",
    );
    let more = [&bytes[..], b"more"].concat();
    refused("more.tar.gz", &more, "something follows the end");
    refused("text.tar.gz", b"no archive at all", "cannot be unpacked");
    refused("empty.tar.gz", b"", "cannot be unpacked");
    let made = |name: &str, script: &str, says: &str| {
        lab.sh(&format!("mkdir -p t && cd t && {script}"));
        let file = lab.repo().join("t").join(name);
        lab.assay(&["verify", file.to_str().unwrap()])
            .fails(3, &[says]);
    };
    made(
        "up.tgz",
        "echo x > a; tar -czPf up.tgz --transform 's,^,../../,' a",
        "lies outside of the bundle",
    );
    made(
        "abs.tgz",
        "echo x > a; tar -czPf abs.tgz --transform 's,^,/tmp/,' a",
        "lies outside of the bundle",
    );
    made(
        "link.tgz",
        "mkdir -p d; ln -sf /etc d/l; tar -czf link.tgz d",
        "neither a file nor a folder",
    );
    made(
        "two.tgz",
        "mkdir -p d e; echo x > d/a; echo x > e/a; tar -czf two.tgz d/a e/a",
        "more than one folder",
    );
    made(
        "bomb.tgz",
        "mkdir -p z; truncate -s 100M z/a; tar -czf bomb.tgz z/a; rm z/a",
        "unpacks to more than 64 MiB",
    );
    made(
        "none.tgz",
        "mkdir -p d; echo x > d/a; tar -czf none.tgz d/a",
        "has no manifest.json",
    );
    lab.assay(&["verify", lab.root().to_str().unwrap()])
        .fails(3, &["is a folder", "-C FOLDER verify"]);
    lab.assay(&["verify", "nowhere.tar.gz"])
        .fails(3, &["nowhere.tar.gz"]);
}

/// Starts a command, sends a signal as soon as `begun` has something in it, and waits for the end.
fn interrupted(lab: &Lab, args: &[&str], temporary: &Path, begun: impl Fn(&Path) -> bool) {
    let mut child = lab
        .command(env!("CARGO_BIN_EXE_assay"), lab.repo())
        .args(args)
        .env("TMPDIR", temporary)
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    while child.try_wait().unwrap().is_none() && !begun(temporary) {
        std::thread::yield_now();
    }
    lab.sh(&format!("kill -TERM {} 2>&- || true", child.id()));
    child.wait().unwrap();
}

#[test]
fn a_signal_leaves_no_temporary_folder_behind() {
    let (lab, file) = packed();
    // Large enough for the signal to come while it is unpacked.
    let folder = unpacked(&lab, &file, "large");
    let noise: Vec<u8> = (0..8_000_000u32)
        .map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8)
        .collect();
    for i in 0..4 {
        fs::write(folder.join(format!("more{i}")), &noise).unwrap();
    }
    let file = repacked(&lab, &folder, "large.tar.gz");
    let temporary = lab.root().join("tmp");
    fs::create_dir_all(&temporary).unwrap();
    let entries = |at: &Path| fs::read_dir(at).unwrap().count();
    interrupted(
        &lab,
        &["verify", file.to_str().unwrap()],
        &temporary,
        |at| entries(at) > 0,
    );
    assert_eq!(entries(&temporary), 0);
    // Packing works beside the bundle that it makes.
    let out = lab.root().join("out");
    fs::create_dir_all(&out).unwrap();
    let to = out.join("again.tar.gz");
    interrupted(
        &lab,
        &["export", "--bundle", to.to_str().unwrap()],
        &temporary,
        |_| entries(&out) > 0,
    );
    let left: Vec<_> = fs::read_dir(&out).unwrap().flatten().collect();
    assert!(left.iter().all(|e| e.path() == to), "{left:?}");
}
