//! Descendants of a program that left its group, so that a signal to the group misses them.
//!
//! They are found by a variable in the environment that they started with: it is inherited over
//! `setsid` and over the death of parents. One that was started with an environment of its own is
//! not found.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use assay_core::text;
use rustix::process::{Pid, Signal, getuid, kill_process};

/// The variable that marks all that a program starts.
pub(super) const MARK: &str = "ASSAY_RUN";

/// How often the processes are looked through: one that is found may be starting another.
const ROUNDS: u32 = 4;

/// A mark that no other program of this or another runner on this host has; its length is always
/// the same, because the size of the environment moves the stack of what is measured.
pub(super) fn mark() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let start = fs::read_to_string("/proc/self/stat").ok();
    let start = start.as_deref().and_then(started).unwrap_or_default();
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("{:08x}-{start:016x}-{number:08x}", std::process::id())
}

/// Start of a process in ticks since boot.
fn started(stat: &str) -> Option<u64> {
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_whitespace().nth(19)?.parse().ok()
}

/// Kills what carries the mark; returns what was found, in words, where something was.
pub(super) fn kill(mark: &str) -> Option<String> {
    let mut killed: Vec<(i32, String)> = Vec::new();
    for _ in 0..ROUNDS {
        let found = marked(Path::new("/proc"), mark);
        if found.is_empty() {
            break;
        }
        for (pid, name) in found {
            if let Some(p) = Pid::from_raw(pid)
                && kill_process(p, Signal::KILL).is_ok()
                && !killed.iter().any(|(k, _)| *k == pid)
            {
                killed.push((pid, name));
            }
        }
    }
    let names: Vec<String> = killed
        .iter()
        .map(|(pid, name)| format!("{name} ({pid})"))
        .collect();
    let left = "left the group of the program, went on after its end and";
    match names.as_slice() {
        [] => None,
        [one] => Some(format!("process {one} {left} was killed")),
        some => Some(format!("processes {} {left} were killed", some.join(", "))),
    }
}

/// Live processes of this user, except ourselves, whose environment carries the mark.
fn marked(proc: &Path, mark: &str) -> Vec<(i32, String)> {
    use std::os::unix::fs::MetadataExt;
    let entry = format!("{MARK}={mark}");
    let user = getuid().as_raw();
    let own = std::process::id().to_string();
    let mut out = Vec::new();
    for folder in fs::read_dir(proc).into_iter().flatten().flatten() {
        let name = folder.file_name();
        let Some(pid) = name.to_str().filter(|n| *n != own) else {
            continue;
        };
        let Ok(pid) = pid.parse::<i32>() else {
            continue;
        };
        let path = folder.path();
        let ours = fs::metadata(&path).is_ok_and(|m| m.uid() == user);
        // Of a zombie it is empty.
        let environ = ours.then(|| fs::read(path.join("environ")).ok()).flatten();
        let environ = environ.unwrap_or_default();
        if environ.split(|b| *b == 0).any(|e| e == entry.as_bytes()) {
            let comm = fs::read_to_string(path.join("comm")).unwrap_or_default();
            out.push((pid, text::inert(comm.trim()).into_owned()));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_mark_itself_counts() {
        let (a, b) = (mark(), mark());
        assert!(a != b && a.len() == b.len());
        let dir = tempfile::tempdir().unwrap();
        for (pid, environ) in [
            ("4001", format!("A=1\0{MARK}={a}\0B=2\0")),
            ("4002", format!("X{MARK}={a}\0")),
            ("4003", format!("{MARK}={a}0\0")),
            ("4004", format!("{MARK}={b}\0")),
            ("self", format!("{MARK}={a}\0")),
        ] {
            let folder = dir.path().join(pid);
            fs::create_dir(&folder).unwrap();
            fs::write(folder.join("environ"), environ).unwrap();
            fs::write(folder.join("comm"), "sh\n").unwrap();
        }
        assert_eq!(marked(dir.path(), &a), [(4001, "sh".to_owned())]);
        assert_eq!(kill(&mark()), None);
    }
}
