//! The files of a folder, within bounds: no link is followed out of it, nothing is read here.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{AtPath, Result};

/// Folders in folders that are gone into.
const MAX_DEPTH: usize = 16;

/// Entries that are looked at.
const MAX_ENTRIES: usize = 200_000;

/// What a folder holds.
pub(super) struct Walked {
    /// Files, by path.
    pub(super) files: Vec<PathBuf>,
    /// Entries that were left out.
    pub(super) left_out: Vec<LeftOut>,
    /// What the bounds cut off.
    pub(super) notices: Vec<String>,
}

/// An entry that was left out.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LeftOut {
    pub(super) path: PathBuf,
    pub(super) why: String,
    /// Whether it could not be read, rather than not be meant.
    pub(super) is_fault: bool,
}

/// Lists the files below `root` in the order of their paths.
///
/// Folders whose names begin with a dot are not gone into: they belong to other programs.
///
/// # Errors
/// When `root` itself cannot be listed.
pub(super) fn walk(root: &Path) -> Result<Walked> {
    let mut out = Walked {
        files: Vec::new(),
        left_out: Vec::new(),
        notices: Vec::new(),
    };
    let home = root.canonicalize().at(root)?;
    let mut entries = 0usize;
    let mut open = vec![(root.to_owned(), 0usize)];
    while let Some((folder, depth)) = open.pop() {
        let listed = match fs::read_dir(&folder) {
            Ok(listed) => listed,
            Err(e) if depth == 0 => return Err(e).at(&folder),
            Err(e) => {
                out.leave(folder, format!("cannot be listed: {e}"), true);
                continue;
            }
        };
        for entry in listed {
            entries += 1;
            if entries > MAX_ENTRIES {
                out.notices.push(format!(
                    "{}: more than {MAX_ENTRIES} entries; what lies behind them was not looked at",
                    root.display()
                ));
                open.clear();
                break;
            }
            match entry.and_then(|e| Ok((e.path(), e.file_type()?))) {
                Ok((path, kind)) => out.take(path, kind, &home, depth, &mut open),
                Err(e) => {
                    out.leave(
                        folder.clone(),
                        format!("an entry cannot be read: {e}"),
                        true,
                    );
                }
            }
        }
    }
    out.files.sort();
    out.left_out.sort();
    Ok(out)
}

impl Walked {
    fn take(
        &mut self,
        path: PathBuf,
        kind: fs::FileType,
        home: &Path,
        depth: usize,
        open: &mut Vec<(PathBuf, usize)>,
    ) {
        let hidden = path
            .file_name()
            .is_some_and(|n| n.as_encoded_bytes().starts_with(b"."));
        if kind.is_dir() {
            if hidden {
                return;
            }
            if depth + 1 > MAX_DEPTH {
                self.leave(path, format!("more than {MAX_DEPTH} folders deep"), true);
            } else {
                open.push((path, depth + 1));
            }
        } else if kind.is_file() {
            self.files.push(path);
        } else if kind.is_symlink() {
            match path.canonicalize() {
                Ok(to) if !to.starts_with(home) => {
                    self.leave(path, "a link out of the folder", false);
                }
                // What it leads to stands in the folder itself.
                Ok(_) => self.leave(path, "a link to something else in the folder", false),
                Err(e) => self.leave(path, format!("a link that leads nowhere: {e}"), false),
            }
        } else {
            self.leave(path, "not a regular file", false);
        }
    }

    fn leave(&mut self, path: PathBuf, why: impl Into<String>, is_fault: bool) {
        self.left_out.push(LeftOut {
            path,
            why: why.into(),
            is_fault,
        });
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_depth_and_odd_entries_are_said_and_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("in");
        let mut deep = root.clone();
        for _ in 0..=MAX_DEPTH {
            deep = deep.join("d");
        }
        fs::create_dir_all(&deep).unwrap();
        fs::create_dir(root.join(".git")).unwrap();
        for file in ["b.txt", "a.txt", "d/c.txt", ".git/x.txt"] {
            fs::write(root.join(file), "x").unwrap();
        }
        fs::write(dir.path().join("outside"), "x").unwrap();
        symlink(dir.path().join("outside"), root.join("out")).unwrap();
        symlink("a.txt", root.join("same")).unwrap();
        symlink("..", root.join("up")).unwrap();
        symlink("d", root.join("loop")).unwrap();
        symlink("nowhere", root.join("broken")).unwrap();
        let walked = walk(&root).unwrap();
        let names: Vec<_> = walked
            .files
            .iter()
            .map(|p| p.strip_prefix(&root).unwrap().display().to_string())
            .collect();
        assert_eq!(names, ["a.txt", "b.txt", "d/c.txt"]);
        let why = |name: &str| {
            let found = walked.left_out.iter().find(|l| l.path.ends_with(name));
            found.map(|l| l.why.as_str()).unwrap_or_default()
        };
        for (name, part) in [
            ("out", "out of the folder"),
            ("up", "out of the folder"),
            ("same", "something else in the folder"),
            ("loop", "something else in the folder"),
            ("broken", "leads nowhere"),
        ] {
            assert!(why(name).contains(part), "{name}: {}", why(name));
        }
        assert!(
            walked
                .left_out
                .iter()
                .any(|l| l.why.contains("16 folders deep"))
        );
        assert!(walk(&root.join("none")).is_err());
    }
}
