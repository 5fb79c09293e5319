//! Reports in the ledger: raw files as blobs, and read again from there.

use std::fs;
use std::path::{Component, Path, PathBuf};

use assay_core::RecordId;
use assay_core::fold::State;
use assay_core::record::{self, Body, ContentKey, Origin};
use assay_core::text::inert;
use assay_ledger::Blob;
use assay_profile::formats::mcprofiler;
use assay_profile::{Format, Launch, Mapping, Profile, Scope};

use super::raw_files::{NCU_REP, PRINTED};
use super::select::{Chosen, Wanted, choose};
use super::taken::SINGLE_PASS;
use crate::Cancel;
use crate::counters::{FORMATS, Opened, Opening, open};
use crate::data::Data;
use crate::error::{AtPath, Error, Result};
use crate::workbench::Workbench;

/// A profile of the ledger, read again from its raw files.
pub struct Reread {
    /// What the record says beside the counters.
    pub record: record::Profile,
    /// What the raw files say.
    pub profile: Profile,
    /// The launches that the record is about.
    pub chosen: Chosen,
}

impl Reread {
    /// The launch that speaks for all that are meant.
    pub fn launch(&self) -> Option<&Launch> {
        self.profile.launches.get(self.chosen.main)
    }

    /// Every launch that is meant.
    pub fn launches(&self) -> impl Iterator<Item = &Launch> {
        (self.chosen.launches.iter()).filter_map(|l| self.profile.launches.get(*l))
    }
}

/// Whether two keys name the same content: kernel and recipe.
pub fn same_content(a: &ContentKey, b: &ContentKey) -> bool {
    a.kernel == b.kernel && a.recipe == b.recipe
}

/// All profiles of a variant, newest first.
pub fn profiles<'s>(
    state: &'s State,
    name: &str,
) -> impl Iterator<Item = (RecordId, &'s record::Profile)> {
    state.owned(name).rev().filter_map(|r| match &r.body {
        Body::Profile(p) => Some((r.id, p)),
        _ => None,
    })
}

/// The profiles of a variant's present content, newest first; a baseline has one content only.
pub fn present<'s>(
    state: &'s State,
    name: &str,
) -> impl Iterator<Item = (RecordId, &'s record::Profile)> {
    let variant = state.variant(name);
    let key = variant.and_then(|v| v.key.clone());
    profiles(state, name).filter(move |(_, p)| match &key {
        Some(key) => same_content(&p.subject.key, key),
        None => variant.is_none(),
    })
}

impl Workbench {
    /// Reads a profile of the ledger again; unknown counters and printed digits come with it, which
    /// the record does not hold.
    ///
    /// # Errors
    /// When a raw file is not stored here or can no longer be read.
    pub(crate) fn reread(
        &self,
        state: &State,
        record: &record::Profile,
        data: &Data,
    ) -> Result<Reread> {
        let mut profile = match record.origin {
            Origin::Run if record.tool == assay_profile::formats::static_asm::TOOL => {
                facts(state, record)?
            }
            Origin::Run if record.files.is_empty() => {
                let bytes = self.stored(&record.raw)?;
                assay_profile::parse(&bytes)
                    .map_err(|e| Error::input(format!("{}: {e}", inert(&record.raw.name))))?
            }
            Origin::Run | Origin::Imported => self.reopened(record)?,
        };
        data.name_counters(&mut profile);
        let wanted = Wanted {
            kernel: record.kernel.clone(),
            launch: record.occurrence,
            aggregate: record.kernel.is_none(),
            ..Wanted::default()
        };
        let chosen = match choose(&profile, &wanted) {
            // A counter of facts is of the kernel, whatever the reader calls it.
            Err(_) if profile.launches.len() == 1 && record.origin == Origin::Run => Chosen {
                kernel: None,
                launches: vec![0],
                main: 0,
                occurrence: None,
                others: Vec::new(),
            },
            other => other?,
        };
        // A report that does not name its kernel was named when it was imported.
        if let (Some(name), Some(launch)) = (&record.kernel, profile.launches.get_mut(chosen.main))
            && launch.kernel == mcprofiler::UNNAMED
        {
            launch.kernel.clone_from(name);
            launch.scope = Scope::PerKernel;
        }
        if profile.tool_version.is_none() {
            profile.tool_version.clone_from(&record.tool_version);
        }
        // The reports do not say how they were taken; a run knows it of its own.
        if record.origin == Origin::Run && record.tool == mcprofiler::TOOL {
            let flavour = record.flavour.as_deref().unwrap_or_default();
            let mode = match flavour.ends_with(SINGLE_PASS) {
                true => " --single-pass",
                false => "",
            };
            profile.command = Some(format!("{}{mode}", mcprofiler::TOOL));
        }
        Ok(Reread {
            record: record.clone(),
            profile,
            chosen,
        })
    }

    /// A blob that must be here.
    pub(crate) fn stored(&self, blob: &record::BlobRef) -> Result<Vec<u8>> {
        self.ledger.blob(blob.sha256)?.into_bytes().ok_or_else(|| {
            Error::environment(format!(
                "{} ({}) is not stored here",
                inert(&blob.name),
                blob.sha256
            ))
            .hint_of(self.blobs_hint().as_ref())
        })
    }

    /// Lays the raw files out as they lay once, and opens them.
    fn reopened(&self, record: &record::Profile) -> Result<Profile> {
        let is_binary = record.flavour.as_deref() == Some(NCU_REP);
        let mut files = Vec::new();
        for blob in record.blobs().filter(|b| is_opened(&b.name, is_binary)) {
            files.push(Blob::new(blob.name.clone(), self.stored(blob)?));
        }
        let import = record.import.as_ref();
        let mapping = match import.and_then(|i| i.mapping.as_ref()) {
            None => None,
            Some(blob) => {
                let text = String::from_utf8_lossy(&self.stored(blob)?).into_owned();
                Some(Mapping::read(&blob.name, &text).map_err(|e| Error::input(e.to_string()))?)
            }
        };
        let format = import.and_then(|i| format_named(i.format.as_deref()?));
        let opened = reopened(&files, is_binary, format, mapping.as_ref())?;
        let wanted = Wanted {
            kernel: record.kernel.clone(),
            launch: record.occurrence,
            aggregate: record.kernel.is_none(),
            ..Wanted::default()
        };
        Ok(find(opened, &wanted)?.0.profile)
    }
}

/// Binary reports are kept with what `ncu` prints of them, which needs no `ncu`.
fn is_opened(name: &str, is_binary: bool) -> bool {
    !is_binary || name.ends_with(PRINTED)
}

/// Lays files of one report out for a moment, as they lay once, and opens them.
///
/// # Errors
/// When nothing of them can be read.
pub fn reopened(
    files: &[Blob],
    is_binary: bool,
    format: Option<Format>,
    mapping: Option<&Mapping>,
) -> Result<Opened> {
    let dir = tempfile::tempdir()?;
    let mut paths = Vec::new();
    let files = files.iter().filter(|f| is_opened(&f.name, is_binary));
    for (i, file) in files.enumerate() {
        let path = dir.path().join(plain_path(&file.name, i));
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).at(folder)?;
        }
        fs::write(&path, &file.bytes).at(&path)?;
        paths.push(path);
    }
    let cancel = Cancel::new();
    let opening = Opening {
        format,
        mapping,
        cancel: &cancel,
    };
    let given = match paths.as_slice() {
        [one] => vec![one.clone()],
        _ => vec![dir.path().to_path_buf()],
    };
    // Where the files lay for a moment tells nobody anything.
    let folder = dir.path().display().to_string();
    let lay = format!("{folder}/");
    let told = |text: &str| text.replace(&lay, "").replace(&folder, "the report");
    let mut opened = open(&given, &opening).map_err(|e| Error {
        message: told(&e.message),
        hint: e.hint.as_deref().map(told),
        ..e
    })?;
    for report in &mut opened.reports {
        report.path = told(&report.path);
        for notice in &mut report.profile.notices {
            *notice = told(notice);
        }
    }
    Ok(opened)
}

/// The reader of a word that a record keeps; none for one that this version does not know.
fn format_named(word: &str) -> Option<Format> {
    FORMATS.iter().find(|(w, _)| *w == word).map(|(_, f)| *f)
}

/// A report among those that were opened.
pub struct FoundReport {
    /// Where it was read from.
    pub path: String,
    /// What it says.
    pub profile: Profile,
}

/// The only report that has what is wanted.
///
/// # Errors
/// When none or several have it.
pub fn find(opened: Opened, wanted: &Wanted) -> Result<(FoundReport, Chosen)> {
    let considered = opened
        .reports
        .into_iter()
        // Hardware counters beneath the reports are looked at on purpose only.
        .filter(|r| r.is_main || wanted.aggregate);
    let mut found: Vec<(FoundReport, Chosen)> = Vec::new();
    let mut failed: Vec<(String, Error)> = Vec::new();
    for r in considered {
        match choose(&r.profile, wanted) {
            Ok(chosen) => found.push((
                FoundReport {
                    path: r.path,
                    profile: r.profile,
                },
                chosen,
            )),
            Err(e) => failed.push((r.path, e)),
        }
    }
    if found.len() > 1 {
        let paths: Vec<String> = (found.iter())
            .map(|(r, _)| format!("{} ({})", inert(&r.path), inert(&r.profile.tool)))
            .collect();
        return Err(Error::input(format!(
            "{} reports have what is asked for: {}",
            paths.len(),
            paths.join(", ")
        ))
        .hint("name one of them; an import is of one report"));
    }
    match (found.pop(), failed.is_empty()) {
        (Some(one), _) => Ok(one),
        (None, true) => Err(Error::input("there is no report of a kernel in it")),
        (None, false) if failed.len() == 1 => {
            let (path, e) = failed.remove(0);
            Err(e.context(inert(&path)))
        }
        (None, false) => {
            let lines: Vec<String> = (failed.iter())
                .map(|(path, e)| format!("\n  {}: {}", inert(path), e.message))
                .collect();
            let hint = failed.into_iter().find_map(|(_, e)| e.hint);
            Err(Error {
                hint,
                ..Error::input(format!(
                    "none of the reports has what is asked for:{}",
                    lines.concat()
                ))
            })
        }
    }
}

/// What the static counters are made of.
fn facts(state: &State, record: &record::Profile) -> Result<Profile> {
    let source = state
        .owned(&record.subject.name)
        .rev()
        .find_map(|r| match &r.body {
            Body::Source(s) if same_content(&s.subject.key, &record.subject.key) => Some(s),
            _ => None,
        });
    let source = source.ok_or_else(|| {
        Error::input("the generated source that the counts are of is not in this ledger")
    })?;
    Ok(assay_profile::formats::static_asm::from_facts(
        &source.facts,
        &source.language,
    ))
}

/// A path inside a folder of ours for the name of a blob, which may be anything.
pub fn plain_path(name: &str, number: usize) -> PathBuf {
    let path = Path::new(name);
    let parts: Option<Vec<&str>> = path
        .components()
        .map(|c| match c {
            Component::Normal(part) => part.to_str().filter(|p| !p.contains('\\')),
            _ => None,
        })
        .collect();
    match parts {
        Some(parts) if !parts.is_empty() && name.len() < 200 && inert(name) == name => {
            parts.iter().collect()
        }
        // The ending may tell the flavour; the rest is not trusted.
        _ => PathBuf::from(format!("file-{number}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_blobs_never_lead_out_of_the_folder() {
        for name in [
            "../../etc/passwd",
            "/etc/passwd",
            "a/../../b",
            "",
            ".",
            "a\\..\\b",
            "a\u{1b}[2J",
            &"x".repeat(300),
        ] {
            assert_eq!(plain_path(name, 3), Path::new("file-3"), "{name}");
        }
        assert_eq!(
            plain_path("out/1_k_dumped_result.json", 0),
            Path::new("out/1_k_dumped_result.json")
        );
    }
}
