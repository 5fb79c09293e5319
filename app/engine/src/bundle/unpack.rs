//! Opening a bundle that may come from anybody: bounded, and nothing outside of the given folder.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Write};
use std::path::{Component, Path, PathBuf};

use assay_exec::Cancel;
use flate2::bufread::GzDecoder;
use tar::EntryType;

use super::stop;
use crate::error::{AtPath, Error, Result};

/// Bytes that the files of a bundle may have together: what unpacks to more is no campaign.
const MAX_BYTES: u64 = 8 << 30;

/// Samples shrink to a twentieth when they are packed; what shrinks to less than this share is made
/// to fill disks.
const MAX_RATIO: u64 = 200;

/// However small a bundle is, so many bytes may come out of it.
const ALWAYS: u64 = 64 << 20;

/// Files that a bundle may have.
const MAX_FILES: usize = 1_000_000;

/// Folders in folders.
const MAX_DEPTH: usize = 32;

/// Unpacks a bundle below `into` and returns its one folder.
///
/// # Errors
/// When it is no compressed tar, is cut off, or holds anything but plain files in one folder, and
/// when cancelled.
pub(super) fn unpack(bundle: &Path, into: &Path, cancel: &Cancel) -> Result<PathBuf> {
    let refused = |why: String| Error::input(format!("{}: {why}", bundle.display()));
    let damaged = |e: io::Error| {
        refused(format!("cannot be unpacked: {e}")).hint("it is damaged, or no bundle: `assay export --bundle FILE` writes one; a ledger in a folder is verified with -C FOLDER")
    };
    let file = File::open(bundle).at(bundle)?;
    let packed = file.metadata().at(bundle)?.len();
    let most = packed.saturating_mul(MAX_RATIO).clamp(ALWAYS, MAX_BYTES);
    let mut tar = tar::Archive::new(GzDecoder::new(BufReader::new(file)));
    let (mut top, mut left, mut seen) = (None, most, HashSet::new());
    for entry in tar.entries().map_err(damaged)? {
        stop(cancel)?;
        let mut entry = entry.map_err(damaged)?;
        let path = entry.path().map_err(damaged)?.into_owned();
        let kind = entry.header().entry_type();
        let name = || assay_core::text::inert(&path.display().to_string()).into_owned();
        if !matches!(kind, EntryType::Regular | EntryType::Directory) {
            return Err(refused(format!(
                "{} is neither a file nor a folder",
                name()
            )));
        }
        let mut parts = path.components();
        let normal = parts.clone().all(|c| matches!(c, Component::Normal(_)));
        let Some(first) = parts.next().filter(|_| normal) else {
            return Err(refused(format!("{} lies outside of the bundle", name())));
        };
        let first = first.as_os_str().to_owned();
        if *top.get_or_insert_with(|| first.clone()) != first {
            return Err(refused("holds more than one folder".into()));
        }
        if kind == EntryType::Directory {
            continue;
        }
        if path.components().count() > MAX_DEPTH || seen.len() >= MAX_FILES {
            return Err(refused("holds too many files or folders".into()));
        }
        if !seen.insert(path.clone()) {
            return Err(refused(format!("holds {} twice", name())));
        }
        let target = into.join(&path);
        let parent = target.parent().unwrap_or(into);
        fs::create_dir_all(parent).at(parent)?;
        // The first may already be a file where the second needs a folder: that is an error here.
        let mut file = File::create_new(&target).at(&target)?;
        left = copy(&mut entry, &mut file, left)
            .map_err(damaged)?
            .ok_or_else(|| refused(format!("unpacks to more than {} MiB", most >> 20)))?;
        if entry.header().mode().is_ok_and(|mode| mode & 0o100 != 0) {
            super::sources::make_program(&target).at(&target)?;
        }
    }
    // The sum at the end of the stream is only looked at by whoever reads to the end.
    let mut zip = tar.into_inner();
    io::copy(&mut (&mut zip).take(ALWAYS), &mut io::sink()).map_err(damaged)?;
    let mut after = [0];
    if zip.into_inner().read(&mut after).map_err(damaged)? > 0 {
        return Err(refused("something follows the end of the bundle".into()));
    }
    let Some(top) = top else {
        return Err(refused("holds nothing".into()));
    };
    Ok(into.join(top))
}

/// Copies a file and returns how many bytes may still come; nothing when there are more.
fn copy(from: &mut impl Read, to: &mut impl Write, left: u64) -> io::Result<Option<u64>> {
    let copied = io::copy(&mut from.take(left.saturating_add(1)), to)?;
    Ok(left.checked_sub(copied))
}

/// Paths of all files below a folder, with `/`, sorted; links are listed and not followed.
pub(super) fn files_below(root: &Path) -> io::Result<Vec<String>> {
    let (mut out, mut folders) = (Vec::new(), vec![(root.to_owned(), String::new(), 0)]);
    while let Some((folder, prefix, depth)) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if entry.file_type()?.is_dir() {
                if depth < MAX_DEPTH {
                    folders.push((entry.path(), format!("{prefix}{name}/"), depth + 1));
                }
            } else {
                out.push(format!("{prefix}{name}"));
            }
        }
    }
    out.sort();
    Ok(out)
}
