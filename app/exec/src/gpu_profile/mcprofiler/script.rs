//! The script that the profiler runs in place of the program. Pure.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::process::{CommandLine, Env};

/// A script that runs a command in a folder with an environment.
///
/// What the profiler itself has put into the environment stays there.
pub(super) fn target(command: &CommandLine, cwd: &Path, env: &Env) -> Vec<u8> {
    let mut out =
        b"#!/bin/sh\n# Written by Assay: the program under the profiler, with its environment.\n"
            .to_vec();
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
    out.extend(b" || exit 126\nexec");
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
        let print = "printf '%s|%s|%s' \"$ODD\" \"$1\" \"$PWD\"";
        let command =
            CommandLine::Exec(["sh", "-c", print, "sh", "a 'b'"].map(str::to_owned).into());
        let cwd = dir.path().join("a 'folder'");
        std::fs::create_dir(&cwd).unwrap();
        let cwd = cwd.canonicalize().unwrap();
        let script = dir.path().join("target.sh");
        std::fs::write(&script, target(&command, &cwd, &env)).unwrap();
        let done = Command::new("sh").arg(&script).output().unwrap();
        let said = String::from_utf8(done.stdout).unwrap();
        assert_eq!(said, format!("{odd}|a 'b'|{}", cwd.display()));
    }
}
