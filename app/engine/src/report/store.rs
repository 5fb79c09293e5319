//! Reports as files: an earlier report is replaced, and what somebody wrote into it is kept.

use std::fmt;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use assay_core::Sha256;

use crate::error::{AtPath, Error, Result};
use crate::workbench::Workbench;

/// Where the hashes of written reports are, below the folder of state.
const WRITTEN: &str = "written";

/// A report that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// The file.
    pub path: PathBuf,
    /// Where the file went that stood there and was not as it had been written.
    pub kept: Option<PathBuf>,
}

impl Stored {
    /// What became of the file that stood there; nothing where it was replaced.
    pub fn notice(&self) -> Option<String> {
        let kept = self.kept.as_ref()?;
        Some(format!(
            "{}: was not as it had been written from here; it is kept as {}",
            self.path.display(),
            kept.display()
        ))
    }
}

impl fmt::Display for Stored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        match &self.kept {
            Some(kept) => write!(f, " (edits of the earlier one: {})", kept.display()),
            None => Ok(()),
        }
    }
}

impl Workbench {
    /// Writes a report into a folder, which is made if it is not there.
    ///
    /// An earlier report is replaced; a file that is not as it was written is kept beside it, as
    /// `NAME.edited`, with a number behind that where there is one already.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn write_report(&self, folder: &Path, name: &str, text: &str) -> Result<Stored> {
        if folder.metadata().is_ok_and(|m| !m.is_dir()) {
            return Err(Error::input(format!(
                "{}: is a file, and a report is written into a folder",
                folder.display()
            ))
            .hint(format!("name a folder; the report becomes {name} in it")));
        }
        fs::create_dir_all(folder).at(folder)?;
        write(folder, name, text, &self.options.dirs.state)
    }
}

/// Writes a report; `state` is where it is kept how each was written.
fn write(folder: &Path, name: &str, text: &str, state: &Path) -> Result<Stored> {
    let path = folder.join(name);
    let whole = folder.canonicalize().at(folder)?.join(name);
    let known = state.join(WRITTEN);
    let known = known.join(Sha256::of(whole.as_os_str().as_encoded_bytes()).to_string());
    let sum = Sha256::of(text).to_string();
    // Two that write the same report take turns, or one would take the other's for an edited one.
    let _turn = turn(&known);
    let kept = match fs::read(&path) {
        Ok(old) => {
            let old = Sha256::of(old).to_string();
            let is_ours = old == sum || fs::read_to_string(&known).is_ok_and(|k| k == old);
            (!is_ours).then(|| keep(&path)).transpose()?
        }
        Err(_) => None,
    };
    put(folder, name, text)?;
    // Without it the file is kept the next time, though nobody edited it: no harm.
    let _ =
        (known.parent().map_or(Ok(()), fs::create_dir_all)).and_then(|()| fs::write(&known, &sum));
    Ok(Stored { path, kept })
}

/// The turn of whoever writes a file, until it is dropped; none where there is no place to keep it.
fn turn(known: &Path) -> Option<fs::File> {
    fs::create_dir_all(known.parent()?).ok()?;
    let file = fs::File::create(known.with_extension("lock")).ok()?;
    file.lock().ok()?;
    Some(file)
}

/// Moves a file out of the way, to a name that nothing has.
fn keep(path: &Path) -> Result<PathBuf> {
    let free = |n: &u64| {
        let mut name = path.as_os_str().to_owned();
        name.push(match n {
            1 => ".edited".to_owned(),
            n => format!(".edited.{n}"),
        });
        Some(PathBuf::from(name)).filter(|to| to.symlink_metadata().is_err())
    };
    let to = (1..).find_map(|n| free(&n)).unwrap_or_default();
    fs::rename(path, &to).at(path)?;
    Ok(to)
}

/// Writes a file in one step, with the rights that any new file of the user has.
pub(crate) fn put(folder: &Path, name: &str, text: &str) -> Result<PathBuf> {
    fs::create_dir_all(folder).at(folder)?;
    let path = folder.join(name);
    let mut file = for_all(&mut tempfile::Builder::new())
        .tempfile_in(folder)
        .at(folder)?;
    file.write_all(text.as_bytes()).at(&path)?;
    file.persist(&path).map_err(|e| e.error).at(&path)?;
    Ok(path)
}

/// A temporary file that becomes one to hand on: the umask says who may read it.
pub(crate) fn for_all<'b, 'x, 'y>(
    builder: &'b mut tempfile::Builder<'x, 'y>,
) -> &'b mut tempfile::Builder<'x, 'y> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::thread;

    use super::write;

    #[test]
    fn two_that_write_one_report_keep_nothing_as_edited() {
        let dir = tempfile::tempdir().unwrap();
        let (out, state) = (dir.path().join("out"), dir.path().join("state"));
        fs::create_dir_all(&out).unwrap();
        thread::scope(|s| {
            for writer in 0..4 {
                let (out, state) = (&out, &state);
                s.spawn(move || {
                    for round in 0..25 {
                        let text = format!("{writer} {round}");
                        let stored = write(out, "report.en.md", &text, state).unwrap();
                        assert_eq!(stored.kept, None);
                    }
                });
            }
        });
        assert_eq!(fs::read_dir(&out).unwrap().count(), 1, "the report alone");
        fs::write(out.join("report.en.md"), "mine").unwrap();
        let stored = write(&out, "report.en.md", "new", &state).unwrap();
        assert_eq!(stored.kept, Some(out.join("report.en.md.edited")));
    }
}
