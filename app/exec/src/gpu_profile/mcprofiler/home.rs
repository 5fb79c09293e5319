//! Where mcProfiler is installed: the program, and the folder with `config/` that it must run in.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The variable that names the folder, for places that are not known here.
pub const OVERRIDE: &str = "ASSAY_MCPROFILER";

/// The program.
const PROGRAM: &str = "mcProfiler";

/// What its folder holds.
const CONFIG: &str = "config";

/// Folders that installations are known to have; `$MACA_PATH` stands for the SDK's.
const PLACES: [&str; 4] = [
    "/opt/mcProfiler-ubuntu18.04",
    "/opt/maca/mcProfiler-linux",
    "$MACA_PATH/mcProfiler-linux",
    "$MACA_PATH/restricted/Tools/mcProfiler/mcProfiler-ubuntu18.04",
];

/// An installation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    /// The program.
    pub program: PathBuf,
    /// The folder that it has to be started in.
    pub folder: PathBuf,
}

/// That it cannot be used here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// What is missing.
    pub what: String,
    /// What to do.
    pub remedy: String,
}

impl Missing {
    fn new(what: String, remedy: String) -> Self {
        Self { what, remedy }
    }
}

impl std::fmt::Display for Missing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.what, self.remedy)
    }
}

/// Finds it: where the variable says, in `PATH`, or where installations are known to be.
///
/// # Errors
/// What is missing, and what to do.
pub fn find(lookup: impl Fn(&str) -> Option<OsString>) -> Result<Home, Missing> {
    if let Some(said) = lookup(OVERRIDE).filter(|v| !v.is_empty()) {
        return overridden(&PathBuf::from(said));
    }
    let in_path = env::split_paths(&lookup("PATH").unwrap_or_default())
        .map(|d| d.join(PROGRAM))
        .find(|p| p.is_absolute() && p.is_file());
    let known = places(&lookup);
    let home_of = |program: &Path| {
        let real = program.canonicalize().ok();
        let beside = [real.as_deref(), Some(program)];
        let beside = beside.into_iter().flatten().filter_map(Path::parent);
        let mut all = beside.chain(known.iter().map(PathBuf::as_path));
        all.find(|d| d.join(CONFIG).is_dir()).map(Path::to_path_buf)
    };
    if let Some(program) = in_path {
        return match home_of(&program) {
            Some(folder) => Ok(Home { program, folder }),
            None => Err(Missing::new(
                format!(
                    "{} is there, and the folder with `{CONFIG}/` that it has to be started in is neither beside it nor in {}",
                    program.display(),
                    PLACES.join(", ")
                ),
                format!("set {OVERRIDE} to that folder"),
            )),
        };
    }
    let whole = |d: &&PathBuf| d.join(PROGRAM).is_file() && d.join(CONFIG).is_dir();
    match known.iter().find(whole) {
        Some(folder) => Ok(Home {
            program: folder.join(PROGRAM),
            folder: folder.clone(),
        }),
        None => Err(Missing::new(
            format!(
                "there is no `{PROGRAM}` in PATH or in {}",
                PLACES.join(", ")
            ),
            format!(
                "install it, set {OVERRIDE} to its folder, or take counters elsewhere and `assay import` the report"
            ),
        )),
    }
}

fn overridden(said: &Path) -> Result<Home, Missing> {
    let folder = match said.is_file() {
        true => said.parent().unwrap_or(said),
        false => said,
    };
    let home = Home {
        program: folder.join(PROGRAM),
        folder: folder.to_path_buf(),
    };
    let lacks = [
        (home.program.is_file(), PROGRAM),
        (folder.join(CONFIG).is_dir(), "config/"),
    ];
    match lacks.iter().find(|(there, _)| !there) {
        None => Ok(home),
        Some((_, what)) => Err(Missing::new(
            format!(
                "{OVERRIDE} is {}, and there is no `{what}` in it",
                said.display()
            ),
            "name the folder that mcProfiler is installed in".into(),
        )),
    }
}

fn places(lookup: impl Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    let sdk = lookup("MACA_PATH").filter(|v| !v.is_empty());
    let sdk = sdk.map_or_else(|| PathBuf::from("/opt/maca"), PathBuf::from);
    let place = |p: &&str| match p.strip_prefix("$MACA_PATH/") {
        Some(rest) => sdk.join(rest),
        None => PathBuf::from(p),
    };
    PLACES.iter().map(place).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn made(dir: &Path, folder: &str, config: bool) -> PathBuf {
        let folder = dir.join(folder);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(PROGRAM), "").unwrap();
        if config {
            fs::create_dir(folder.join(CONFIG)).unwrap();
        }
        folder
    }

    #[test]
    fn it_is_found_by_variable_path_link_and_sdk_and_only_with_its_folder() {
        let dir = tempfile::tempdir().unwrap();
        let whole = made(dir.path(), "whole", true);
        let bare = made(dir.path(), "bare", false);
        let sdk = made(dir.path(), "sdk/mcProfiler-linux", true);
        let bin = dir.path().join("bin");
        fs::create_dir(&bin).unwrap();
        std::os::unix::fs::symlink(whole.join(PROGRAM), bin.join(PROGRAM)).unwrap();
        let with = |pairs: &[(&str, &Path)]| {
            let pairs: Vec<(String, OsString)> = (pairs.iter())
                .map(|(k, v)| ((*k).to_owned(), v.as_os_str().to_owned()))
                .collect();
            find(move |name: &str| {
                let found = pairs.iter().find(|(k, _)| k == name);
                found.map(|(_, v)| v.clone())
            })
        };
        for (pairs, folder) in [
            (&[(OVERRIDE, whole.as_path())][..], &whole),
            (&[("PATH", bin.as_path())], &whole),
            (&[("PATH", whole.as_path())], &whole),
            (&[("MACA_PATH", dir.path().join("sdk").as_path())], &sdk),
            // The program alone, and its folder where the SDK has it.
            (
                &[
                    ("PATH", bare.as_path()),
                    ("MACA_PATH", dir.path().join("sdk").as_path()),
                ],
                &sdk,
            ),
        ] {
            let home = with(pairs).unwrap();
            assert_eq!(
                home.folder.canonicalize().unwrap(),
                folder.canonicalize().unwrap()
            );
        }
        for (pairs, words) in [
            (&[("PATH", bare.as_path())][..], "set ASSAY_MCPROFILER"),
            (&[("PATH", dir.path())], "there is no `mcProfiler`"),
            (&[(OVERRIDE, bare.as_path())], "there is no `config/` in it"),
            (&[(OVERRIDE, dir.path())], "there is no `mcProfiler` in it"),
        ] {
            let why = with(pairs).unwrap_err().to_string();
            assert!(why.contains(words), "{why}");
        }
    }
}
