//! The kernel files of a bundle: those of each variant as they were measured.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::path::Path;

use assay_core::Sha256;
use assay_core::campaign::VARIANT_FILE;
use assay_core::fold::State;
use assay_ledger::content_hash_of;
use assay_source::SourceFile;

use super::check::BundleCheck;
use super::unpack::files_below;
use super::{MANIFEST, Manifest, hash_of, safe};
use crate::error::{AtPath, Error, Result};
use crate::workbench::Workbench;

/// Where they are in a bundle, by the names of variants.
const SOURCES: &str = "sources";

/// Modes of plain files, as git has them.
const PLAIN: u32 = 0o100_644;
const PROGRAM: u32 = 0o100_755;

/// What was written.
#[derive(Default)]
pub(super) struct Written {
    /// Variants with files.
    pub variants: usize,
    /// Those of which some files could not be written.
    pub partly: Vec<String>,
}

impl Workbench {
    /// Writes the kernel files of each variant as they were measured.
    pub(super) fn write_sources(&self, root: &Path, left_out: &mut Vec<String>) -> Result<Written> {
        let mut out = Written::default();
        let Some(git) = &self.git else {
            return Ok(out);
        };
        let (state, variants) = (self.state()?, self.variants()?);
        let Ok(paths) = self.variant_paths() else {
            return Ok(out);
        };
        for (name, variant) in state.variants() {
            let mut say = |why: String| left_out.push(format!("kernel files of {name}: {why}"));
            let commit = match &variant.commit {
                Some(rev) => match self.commit(rev) {
                    Ok(commit) => commit,
                    Err(_) => {
                        say(format!("commit {rev} is not in this clone"));
                        continue;
                    }
                },
                None => match variants.tip(&self.branch(name))? {
                    Some(commit) => commit,
                    None => continue,
                },
            };
            let Some(folder) = safe(name).map(|n| root.join(SOURCES).join(n)) else {
                say("its name cannot be the name of a folder".into());
                continue;
            };
            let mut is_whole = true;
            for file in variants.list_files(commit, &git.folder, &paths)? {
                // A link or a submodule would name something outside of the bundle.
                let plain = matches!(file.mode, PLAIN | PROGRAM);
                let Some(inside) = safe(&file.path).filter(|_| plain) else {
                    say(format!("{} is no plain file", file.path));
                    is_whole = false;
                    continue;
                };
                let path = folder.join(inside);
                let parent = path.parent().unwrap_or(&folder);
                fs::create_dir_all(parent).at(parent)?;
                fs::write(&path, &file.bytes).at(&path)?;
                if file.mode == PROGRAM {
                    make_program(&path).at(&path)?;
                }
            }
            out.variants += 1;
            out.partly.extend((!is_whole).then(|| name.clone()));
        }
        Ok(out)
    }

    /// The kernel files of a variant as they were measured; of one that was not, those of its branch.
    ///
    /// # Errors
    /// When they are not here.
    pub(crate) fn measured_files(&self, state: &State, name: &str) -> Result<Vec<SourceFile>> {
        if self.git.is_none() {
            return self.packed_files(name);
        }
        let commit = state.variant(name).and_then(|v| v.commit.as_deref());
        match commit.map(|rev| self.commit(rev)) {
            Some(Ok(commit)) => self.files_at(commit),
            // It is not in this clone; what the branch holds may be something else.
            Some(Err(e)) => Err(e),
            None => self.kernel_files(name),
        }
    }

    /// The same from a bundle that was unpacked.
    fn packed_files(&self, name: &str) -> Result<Vec<SourceFile>> {
        let none = || Error::input(format!("there are no kernel files of `{name}` here"));
        let folder = safe(name).map(|n| self.options.dir.join(SOURCES).join(n));
        let folder = folder.filter(|f| f.is_dir()).ok_or_else(none)?;
        let mut out = Vec::new();
        for (path, _) in plain_files(&folder)? {
            let full = folder.join(&path);
            out.push(SourceFile::new(path, fs::read(&full).at(&full)?));
        }
        Ok(out)
    }
}

/// Holds the kernel files to what the records say was measured.
pub(super) fn check(bench: &Workbench, manifest: &Manifest, out: &mut BundleCheck) -> Result<()> {
    let state = bench.state()?;
    // What a variant may change is said by the campaign file; of another one it is not known here.
    let mut configs: Vec<Sha256> = state.evaluators().map(|e| e.config).collect();
    configs.sort_unstable();
    configs.dedup();
    let Ok(paths) = bench.variant_paths() else {
        return Ok(());
    };
    for (name, variant) in state.variants() {
        let folder = safe(name).map(|n| bench.options.dir.join(SOURCES).join(n));
        let (Some(folder), Some(key)) = (folder.filter(|f| f.is_dir()), &variant.key) else {
            continue;
        };
        if manifest.partly.contains(name) {
            out.notes.push(format!(
                "the kernel files of {name} are not all here, and were not compared; {MANIFEST} says so"
            ));
            continue;
        }
        let mut files = BTreeMap::new();
        for (path, about) in plain_files(&folder)? {
            let mode = if is_program(&about) { PROGRAM } else { PLAIN };
            let full = folder.join(&path);
            files.insert(path, (mode, hash_of(&full).at(&full)?));
        }
        let mut paths = paths.clone();
        paths.retain(|p| p != VARIANT_FILE || files.contains_key(VARIANT_FILE));
        let is_measured = content_hash_of(&files, &paths) == key.kernel;
        if !is_measured && configs.len() == 1 {
            out.problems.push(format!(
                "{SOURCES}/{name} is not what was measured: its records are of other kernel files"
            ));
        }
    }
    Ok(())
}

/// Plain files below a folder; what else there is is told with the manifest.
fn plain_files(folder: &Path) -> Result<Vec<(String, Metadata)>> {
    let mut out = Vec::new();
    for path in files_below(folder).at(folder)? {
        let full = folder.join(&path);
        let about = full.symlink_metadata().at(&full)?;
        if about.is_file() {
            out.push((path, about));
        }
    }
    Ok(out)
}

#[cfg(unix)]
pub(super) fn is_program(about: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    about.permissions().mode() & 0o100 != 0
}

#[cfg(not(unix))]
pub(super) fn is_program(_: &Metadata) -> bool {
    false
}

/// Makes a file one that can be run.
#[cfg(unix)]
pub(super) fn make_program(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
pub(super) fn make_program(_: &Path) -> std::io::Result<()> {
    Ok(())
}
