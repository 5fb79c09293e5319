//! The script that the profiler runs in place of the program. Pure.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::process::{CommandLine, Env};

/// The descriptor of the answers: every shell can open a single digit.
const ANSWERS_FD: u8 = 9;

/// A script that runs a command in a folder, with an environment and a file for its answers.
///
/// What the profiler itself has put into the environment stays there.
pub(super) fn target(
    command: &CommandLine,
    cwd: &Path,
    env: &Env,
    answers: &Path,
    nonce: &str,
) -> Vec<u8> {
    let mut out =
        b"#!/bin/sh\n# Written by Assay: the program under the profiler, with its environment.\n"
            .to_vec();
    let fd = ANSWERS_FD.to_string();
    for (name, value) in [("ASSAY_FD", fd.as_str()), ("ASSAY_NONCE", nonce)] {
        export(&mut out, name, value.as_bytes());
    }
    // A name that the shell cannot say cannot be set by it.
    let plain = |name: &str| {
        name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && !name.is_empty()
    };
    for (name, value) in env.iter().filter(|(name, _)| plain(name)) {
        export(&mut out, name, value.as_bytes());
    }
    out.extend(b"cd ");
    out.extend(quoted(cwd.as_os_str().as_bytes()));
    out.extend(b" || exit 126\n");
    out.extend(format!("exec {ANSWERS_FD}>>").bytes());
    out.extend(quoted(answers.as_os_str().as_bytes()));
    out.extend(b"\nexec");
    for word in command.argv() {
        out.push(b' ');
        out.extend(quoted(word.as_bytes()));
    }
    out.push(b'\n');
    out
}

fn export(out: &mut Vec<u8>, name: &str, value: &[u8]) {
    out.extend(format!("export {name}=").bytes());
    out.extend(quoted(value));
    out.push(b'\n');
}

/// A word that the shell takes as it is.
fn quoted(word: &[u8]) -> Vec<u8> {
    let mut out = vec![b'\''];
    for &b in word {
        match b {
            b'\'' => out.extend(b"'\\''"),
            b => out.push(b),
        }
    }
    out.push(b'\'');
    out
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn the_shell_runs_the_command_with_all_of_its_environment() {
        let dir = tempfile::tempdir().unwrap();
        let odd = "it's $HOME `x` \"y\" \\ \n end";
        let env = Env::from([
            ("ODD".into(), odd.into()),
            ("not a name".into(), "x".into()),
        ]);
        let command = CommandLine::Exec(
            [
                "sh",
                "-c",
                "printf '%s|%s|%s' \"$ODD\" \"$1\" \"$PWD\"; echo answer >&$ASSAY_FD",
                "sh",
                "a 'b'",
            ]
            .map(str::to_owned)
            .into(),
        );
        let cwd = dir.path().join("a 'folder'");
        std::fs::create_dir(&cwd).unwrap();
        let cwd = cwd.canonicalize().unwrap();
        let answers = dir.path().join("answers");
        let script = dir.path().join("target.sh");
        std::fs::write(&script, target(&command, &cwd, &env, &answers, "00")).unwrap();
        for _ in 0..2 {
            let done = Command::new("sh").arg(&script).output().unwrap();
            let said = String::from_utf8(done.stdout).unwrap();
            assert_eq!(said, format!("{odd}|a 'b'|{}", cwd.display()));
        }
        let answered = std::fs::read_to_string(answers).unwrap();
        assert_eq!(answered, "answer\nanswer\n", "each replay adds to it");
    }
}
