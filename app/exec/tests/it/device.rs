//! The device lock, held by this process and by another one.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::Duration;

use assay_exec::device::{DeviceLock, LockRequest};
use assay_exec::{Cancel, ExecError};

use crate::process::mkfifo;

fn request(folder: &Path, wait: Duration) -> LockRequest<'_> {
    LockRequest {
        folder,
        device: "cpu",
        user: "someone",
        what: "bench \u{1b}[2J",
        wait,
    }
}

#[test]
fn one_at_a_time_and_the_second_is_told_who_holds_it() {
    let dir = tempfile::tempdir().unwrap();
    let cancel = Cancel::new();
    let now = request(dir.path(), Duration::ZERO);
    let none = |_: Option<&_>, _| panic!("nothing to wait for");
    assert!(DeviceLock::holder(dir.path(), "cpu").is_none());
    let lock = DeviceLock::acquire(&now, &cancel, none).unwrap();
    let holder = DeviceLock::holder(dir.path(), "cpu").unwrap();
    assert_eq!(
        (holder.user.as_str(), holder.pid),
        ("someone", std::process::id())
    );
    let e = DeviceLock::acquire(&now, &cancel, |_, _| {}).unwrap_err();
    let text = e.to_string();
    assert!(matches!(e, ExecError::DeviceBusy { .. }));
    assert!(
        text.contains("in use by someone (process ") && text.contains("bench \\x1b[2J"),
        "{text}"
    );
    let other = LockRequest {
        device: "gpu-1",
        ..now.clone()
    };
    drop(DeviceLock::acquire(&other, &cancel, none).unwrap());
    drop(lock);
    assert!(DeviceLock::holder(dir.path(), "cpu").is_none());
    drop(DeviceLock::acquire(&now, &cancel, none).unwrap());
    let mode = fs::metadata(DeviceLock::path(dir.path(), "cpu"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o666, "every user of the host can lock it");
}

#[test]
fn a_waiter_gets_the_device_when_it_is_freed() {
    let dir = tempfile::tempdir().unwrap();
    let cancel = Cancel::new();
    let mut held = Some(
        DeviceLock::acquire(&request(dir.path(), Duration::ZERO), &cancel, |_, _| {}).unwrap(),
    );
    let mut told = 0;
    let patient = request(dir.path(), Duration::from_secs(30));
    let lock = DeviceLock::acquire(&patient, &cancel, |holder, _| {
        assert_eq!(holder.unwrap().user, "someone");
        told += 1;
        if told == 2 {
            held = None;
        }
    });
    assert!(lock.is_ok());
    assert_eq!(told, 2);
}

#[test]
fn waiting_is_bounded_and_heeds_cancellation() {
    let dir = tempfile::tempdir().unwrap();
    let cancel = Cancel::new();
    let _held =
        DeviceLock::acquire(&request(dir.path(), Duration::ZERO), &cancel, |_, _| {}).unwrap();
    let short = request(dir.path(), Duration::from_millis(60));
    let e = DeviceLock::acquire(&short, &cancel, |_, _| {}).unwrap_err();
    assert!(
        matches!(e, ExecError::DeviceBusy { waited, .. } if waited >= Duration::from_millis(60))
    );
    let long = request(dir.path(), Duration::from_secs(3600));
    let e = DeviceLock::acquire(&long, &cancel, |_, _| cancel.cancel()).unwrap_err();
    assert!(matches!(e, ExecError::Cancelled));
}

#[test]
fn another_process_holds_it_too_and_its_death_frees_it() {
    use assay_exec::process::{CommandLine, Program, run};
    let dir = tempfile::tempdir().unwrap();
    let path = DeviceLock::path(dir.path(), "cpu");
    mkfifo(&dir.path().join("fifo"));
    fs::write(&path, "nonsense").unwrap();
    let script = format!(
        "exec flock -x {} sh -c 'echo locked; cat fifo'",
        path.display()
    );
    let stop = Cancel::new();
    let (tx, rx) = std::sync::mpsc::channel();
    std::thread::scope(|s| {
        let p = Program::new(
            CommandLine::Shell(script),
            dir.path(),
            crate::process::env(),
        )
        .on_output(move |_| {
            let _ = tx.send(());
        });
        let run = s.spawn(|| run(p, &stop));
        rx.recv_timeout(Duration::from_secs(20)).unwrap();
        let now = request(dir.path(), Duration::ZERO);
        let e = DeviceLock::acquire(&now, &Cancel::new(), |_, _| {}).unwrap_err();
        assert!(e.to_string().contains("in use by another process"), "{e}");
        stop.cancel();
        run.join().unwrap();
        let patient = request(dir.path(), Duration::from_secs(30));
        assert!(DeviceLock::acquire(&patient, &Cancel::new(), |_, _| {}).is_ok());
    });
}

#[test]
fn links_and_other_traps_at_the_lock_are_refused_and_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let path = DeviceLock::path(dir.path(), "cpu");
    let precious = dir.path().join("precious");
    fs::write(&precious, "keep").unwrap();
    let acquire = || {
        let now = request(dir.path(), Duration::ZERO);
        DeviceLock::acquire(&now, &Cancel::new(), |_, _| {})
            .unwrap_err()
            .to_string()
    };
    symlink(&precious, &path).unwrap();
    assert!(acquire().contains("not a plain file"));
    fs::remove_file(&path).unwrap();
    symlink(dir.path().join("nowhere"), &path).unwrap();
    assert!(acquire().contains("not a plain file"));
    fs::remove_file(&path).unwrap();
    fs::hard_link(&precious, &path).unwrap();
    assert!(acquire().contains("second name"));
    fs::remove_file(&path).unwrap();
    mkfifo(&path);
    assert!(acquire().contains("not a plain file"));
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert!(acquire().contains("not a plain file"));
    assert_eq!(fs::read_to_string(&precious).unwrap(), "keep");
    assert!(!dir.path().join("nowhere").exists());
}
