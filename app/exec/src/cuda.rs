//! Where the tools of CUDA are: in `PATH`, in `CUDA_HOME`, or where its installers put them.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Variables that name the folder of a toolkit.
const HOMES: [&str; 2] = ["CUDA_HOME", "CUDA_PATH"];

/// Folder of installers, the beginning of the names of versions in it, and where tools lie in one.
const PLACES: [(&str, &str, &str); 3] = [
    ("/usr/local", "cuda", "bin"),
    ("/opt/nvidia/nsight-compute", "", ""),
    ("/opt", "cuda", "bin"),
];

/// A tool by its name; `lookup` reads the environment.
pub fn find(name: &str, lookup: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let path = lookup("PATH").unwrap_or_default();
    let in_path = env::split_paths(&path).map(|d| d.join(name));
    let homes = HOMES.iter().filter_map(|variable| lookup(variable));
    let in_homes = homes.map(|home| PathBuf::from(home).join("bin").join(name));
    let mut all = in_path.chain(in_homes).chain(installed(name));
    all.find(|p| is_program(p))
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    // An empty entry of PATH would mean the current folder, where anything may lie.
    path.is_absolute()
        && path
            .metadata()
            .is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

/// Where installers put it: the newest version first.
fn installed(name: &str) -> Vec<PathBuf> {
    let mut out = Vec::new();
    for (folder, begin, within) in PLACES {
        let listed = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut names: Vec<OsString> = listed
            .map(|e| e.file_name())
            .filter(|n| n.as_encoded_bytes().starts_with(begin.as_bytes()))
            .collect();
        names.sort_by_cached_key(|n| std::cmp::Reverse(numbers(&n.to_string_lossy())));
        let folders = names.iter().map(|n| Path::new(folder).join(n));
        out.extend(folders.map(|f| f.join(within).join(name)));
    }
    out
}

/// The numbers in a name, so that 2025.10 comes after 2025.9.
fn numbers(name: &str) -> Vec<u64> {
    name.split(|c: char| !c.is_ascii_digit())
        .filter_map(|n| n.parse().ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn versions_are_ordered_by_number() {
        assert!(numbers("2025.10.0") > numbers("2025.9.1"));
        assert!(numbers("cuda-13.0") > numbers("cuda"));
    }

    #[test]
    fn the_path_goes_before_the_folder_that_a_variable_names() {
        let dir = tempfile::tempdir().unwrap();
        let make = |path: &str, mode: u32| {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            path
        };
        let home = make("home/bin/a-tool-of-ours", 0o755);
        let lookup = |name: &str| match name {
            "PATH" => Some(format!(":{}", dir.path().join("path").display()).into()),
            "CUDA_HOME" => Some(dir.path().join("home").into()),
            _ => None,
        };
        make("path/a-tool-of-ours", 0o644);
        assert_eq!(find("a-tool-of-ours", lookup), Some(home));
        let there = make("path/a-tool-of-ours", 0o755);
        assert_eq!(find("a-tool-of-ours", lookup), Some(there));
        assert_eq!(find("no-such-tool-of-ours", lookup), None);
    }
}
