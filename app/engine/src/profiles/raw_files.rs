//! The files behind a report that the ledger keeps.

use std::path::Path;

use assay_core::Sha256;
use assay_core::text::inert;
use assay_core::view::FileView;
use assay_ledger::Blob;
use assay_profile::formats::mcprofiler;

use super::select::Chosen;
use super::stored::FoundReport;
use crate::Cancel;
use crate::counters::printed_by_ncu;
use crate::error::{Error, Result};
use crate::input;

/// Flavour of a binary report of Nsight Compute.
pub(super) const NCU_REP: &str = "ncu-rep";

/// Ends the name of what `ncu` prints of such a report.
pub(super) const PRINTED: &str = ".csv";

/// The most that is kept of one file, in bytes.
pub(super) const KEPT: u64 = 8 << 30;

/// The raw files to keep: those that the figures were read from. Of a folder with reports of many
/// kernels these are the kernel's own and the sums over all, by which they can be checked.
pub(super) fn raw_files(
    report: &FoundReport,
    chosen: &Chosen,
    files: &[FileView],
    cancel: &Cancel,
) -> Result<Vec<Blob>> {
    let folder = report.path.trim_end_matches('/');
    let grouped = !files.iter().any(|f| f.path == report.path);
    let wanted = |f: &&FileView| -> bool {
        if f.outcome != "read" {
            return false;
        }
        if !grouped {
            return f.path == report.path;
        }
        let parent = Path::new(&f.path).parent().unwrap_or(Path::new(""));
        if parent != Path::new(folder) && !(folder == "." && parent == Path::new("")) {
            return false;
        }
        match mcprofiler::subject(&f.path) {
            mcprofiler::Subject::AllKernels => true,
            mcprofiler::Subject::Kernel { kernel, .. } => {
                chosen.kernel.as_ref().is_some_and(|k| *k == kernel)
            }
            mcprofiler::Subject::Unclear(stem) => chosen.kernel.as_ref().is_none_or(|k| *k == stem),
        }
    };
    let mut blobs = Vec::new();
    for file in files.iter().filter(wanted) {
        let bytes = input::bytes(Path::new(&file.path), KEPT, cancel)?;
        let now = Sha256::of(&bytes).to_string();
        if file.sha256.as_ref().is_some_and(|then| *then != now) {
            return Err(Error::input(format!(
                "{}: it changed while it was read",
                inert(&file.path)
            ))
            .hint("import it when the profiler is done"));
        }
        let name = file_name(&file.path);
        if report.profile.flavour == NCU_REP {
            // What is in it must be readable where there is no `ncu`.
            let printed = printed_by_ncu(Path::new(&file.path), cancel)?;
            blobs.push(Blob::new(format!("{name}{PRINTED}"), printed));
        }
        blobs.push(Blob::new(name, bytes));
    }
    // The file that a reader should begin with comes first; the order is the same each time.
    blobs.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(blobs)
}

pub(super) fn file_name(path: &str) -> String {
    let name = Path::new(path).file_name();
    name.map_or_else(|| "report".into(), |n| n.to_string_lossy().into_owned())
}
