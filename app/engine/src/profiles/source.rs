//! Whether the source given with a report is the one captured for the content it is filed under.

use assay_core::fold::State;
use assay_core::record::{Body, ContentKey, Source, SourceCheck};
use assay_core::text::inert;
use assay_source::{SourceFile, analyse};

use super::import::ImportRequest;
use super::raw_files::file_name;
use super::stored::same_content;
use crate::Cancel;
use crate::error::{Error, Result};
use crate::input;
use crate::workbench::Workbench;

/// The most that is read of a source, in bytes.
const SOURCE_MAX: u64 = 64 << 20;

/// Holds the source that was profiled against the captured one, after normalisation.
///
/// # Errors
/// When nothing was captured, it cannot be read, or it differs and no note says why the report
/// counts all the same.
pub fn source_check(
    bench: &Workbench,
    state: &State,
    name: &str,
    key: &ContentKey,
    request: &ImportRequest,
    cancel: &Cancel,
) -> Result<SourceCheck> {
    let Some(path) = &request.source else {
        return Ok(SourceCheck::Unchecked);
    };
    let captured = state.owned(name).rev().find_map(|r| match &r.body {
        Body::Source(s) if same_content(&s.subject.key, key) => Some(s),
        _ => None,
    });
    let Some(captured) = captured else {
        return Err(Error::input(format!(
            "there is no generated source of `{name}` as it stands, to hold {} against",
            path.display()
        ))
        .hint(format!(
            "assay run {name} --stages build,source, or leave --source out: the profile then says that its source was not checked"
        )));
    };
    let bytes = input::bytes(path, SOURCE_MAX, cancel)?;
    let given = file_name(&path.display().to_string());
    let files = with_one_replaced(bench, captured, &given, bytes)?;
    let given = analyse(&captured.language, &files).map_err(|e| Error::input(e.to_string()))?;
    if given.normalised == captured.normalised {
        return Ok(SourceCheck::Same);
    }
    if request.note.as_ref().is_some_and(|n| !n.trim().is_empty()) {
        return Ok(SourceCheck::Differs);
    }
    Err(Error::input(format!(
        "the profile is not of this source: {} differs from what `{name}` generates, after normalisation ({} against {})",
        path.display(),
        given.normalised.short(),
        captured.normalised.short()
    ))
    .hint("profile this variant as it stands; or import it with --note saying why it counts all the same, which every audit repeats"))
}

/// The captured files with the given one in the place of its namesake, or of the only one.
fn with_one_replaced(
    bench: &Workbench,
    captured: &Source,
    given: &str,
    bytes: Vec<u8>,
) -> Result<Vec<SourceFile>> {
    let names: Vec<&str> = captured.files.iter().map(|f| f.name.as_str()).collect();
    let at = match names.as_slice() {
        [_] => 0,
        _ => (names.iter().position(|n| file_name(n) == given)).ok_or_else(|| {
            Error::input(format!(
                "{} is none of the files of the generated source",
                inert(given)
            ))
            .hint(format!("they are {}", names.join(", ")))
        })?,
    };
    let mut files = Vec::new();
    for (i, blob) in captured.files.iter().enumerate() {
        let content = if i == at {
            bytes.clone()
        } else {
            bench.stored(blob)?
        };
        files.push(SourceFile::new(blob.name.clone(), content));
    }
    Ok(files)
}
