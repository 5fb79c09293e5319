//! What failed stages left: files that are kept to be looked at, and used for nothing.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use assay_core::record::Body;

use crate::error::{AtPath, Error, Result};
use crate::workbench::Workbench;

impl Workbench {
    /// Writes what failed stages of a variant or baseline left, into a folder for each run; returns the files.
    ///
    /// # Errors
    /// When there is none, one is not stored here, or another file has its place.
    pub fn save_left(&self, name: &str, folder: &Path) -> Result<Vec<PathBuf>> {
        let name = self.resolve_subject(name)?;
        let state = self.state_of(&[&name])?;
        let mut out = Vec::new();
        for record in state.owned(&name) {
            let Body::Run(run) = &record.body else {
                continue;
            };
            for (number, blob) in run.left.iter().enumerate() {
                let of_run = folder.join(record.id.to_string());
                fs::create_dir_all(&of_run).at(&of_run)?;
                let path = of_run.join(plain(&blob.name, number));
                write_new(&path, &self.stored(blob)?)?;
                out.push(path);
            }
        }
        match out.is_empty() {
            true => Err(
                Error::input(format!("no failed stage of `{name}` left files"))
                    .hint("`assay show` lists them; the output of programs stands in their logs"),
            ),
            false => Ok(out),
        }
    }
}

/// A name of a record as the name of a file in one folder, whatever it holds.
fn plain(name: &str, number: usize) -> String {
    let keeps = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let name: String = name
        .chars()
        .map(|c| if keeps(c) { c } else { '_' })
        .collect();
    match name.trim_start_matches('.') {
        "" => format!("file-{number}"),
        name => name.chars().take(200).collect(),
    }
}

/// Writes a file that is not there; one with this content may be.
fn write_new(path: &Path, bytes: &[u8]) -> Result<()> {
    let made = fs::File::options().write(true).create_new(true).open(path);
    match made {
        Ok(mut file) => std::io::Write::write_all(&mut file, bytes).at(path),
        Err(e) if e.kind() == ErrorKind::AlreadyExists => {
            let same = fs::read(path).is_ok_and(|there| there == bytes);
            match same {
                true => Ok(()),
                false => Err(Error::input(format!("{} is there already", path.display()))
                    .hint("name another folder")),
            }
        }
        Err(e) => Err(e).at(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stays_in_its_folder() {
        assert_eq!(plain("1_gemm_kernel.txt", 0), "1_gemm_kernel.txt");
        assert_eq!(plain("../../etc/passwd", 0), "_.._etc_passwd");
        assert_eq!(plain("..", 3), "file-3");
        assert_eq!(plain("", 1), "file-1");
        assert_eq!(plain("a\u{1b}[2J", 0), "a__2J");
        assert_eq!(plain(&"x".repeat(999), 0).len(), 200);
    }

    #[test]
    fn nothing_is_written_over() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        write_new(&path, b"a").unwrap();
        write_new(&path, b"a").unwrap();
        assert!(write_new(&path, b"b").is_err());
        assert_eq!(fs::read(&path).unwrap(), b"a");
    }
}
