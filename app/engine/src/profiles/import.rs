//! `assay import PATH… --variant NAME`: reports that were made elsewhere become evidence.

use std::collections::BTreeSet;
use std::path::PathBuf;

use assay_core::fold::State;
use assay_core::record::{self, Import, Origin, Role, SourceCheck, Subject};
use assay_core::text::{inert, nearest};
use assay_core::view::{FileView, ImportedView, ProfileImportView};
use assay_core::{Record, RecordId, Sha256, Timestamp};
use assay_ledger::Blob;
use assay_profile::Mapping;

use super::content::{baseline_key, present_key};
use super::judged::judged_again;
use super::measured::of_launches;
use super::of_device::{Meant, other_device};
use super::provenance::of_two_contents;
use super::published::is_published;
use super::raw_files::{file_name, raw_files};
use super::select::{Wanted, listed};
use super::source::source_check;
use super::stored::{find, profiles, same_content};
use crate::Cancel;
use crate::counters::{Opened, Opening, STDIN, format_asked, open};
use crate::data::Data;
use crate::error::{Error, Result};
use crate::input;
use crate::workbench::Workbench;

/// What to import, and as what.
#[derive(Debug, Clone, Default)]
pub struct ImportRequest {
    /// Report files and folders of one report, or a published table.
    pub paths: Vec<PathBuf>,
    /// The variant.
    pub variant: String,
    /// The workload that ran; absent for that of `[profile]`.
    pub workload: Option<String>,
    /// The kernel.
    pub kernel: Option<String>,
    /// Which launch of it, from 0.
    pub launch: Option<u32>,
    /// The report is of all kernels together.
    pub aggregate: bool,
    /// The target that the report is from.
    pub target: String,
    /// The reader, by name.
    pub format: Option<String>,
    /// Says which part of a CSV or JSON is what.
    pub mapping: Option<PathBuf>,
    /// The generated source of the kernel that was profiled.
    pub source: Option<PathBuf>,
    /// A remark to keep.
    pub note: Option<String>,
}

/// A variant's content that a report is filed under.
pub(super) struct Filing<'a> {
    pub(super) bench: &'a Workbench,
    pub(super) request: &'a ImportRequest,
    state: State,
    name: String,
    subject: Subject,
    source: SourceCheck,
    mapping: Option<Blob>,
    /// What the files beside the reports have to say.
    notices: Vec<String>,
}

impl Workbench {
    /// Files reports under a variant as it stands on its branch.
    ///
    /// # Errors
    /// When a path cannot be read, it is not certain which kernel or workload is meant, or the
    /// source given is not the captured one and no note says why it is imported all the same.
    pub fn import_profile(
        &self,
        request: &ImportRequest,
        data: &Data,
        cancel: &Cancel,
    ) -> Result<ProfileImportView> {
        self.evaluator()?;
        if request.paths.iter().any(|p| p.as_os_str() == STDIN) {
            return Err(Error::input(
                "what is filed is kept as the file that it was, and standard input is none",
            )
            .hint("name the file"));
        }
        let baseline = self.declared_baseline(&request.variant);
        let name = match baseline {
            Some(b) => b.name.clone(),
            None => self.resolve(&request.variant)?,
        };
        let state = self.state_of(&[&name])?;
        let (key, commit) = match baseline {
            Some(b) => (baseline_key(self, b, &request.target)?, None),
            None => {
                let (key, commit) = present_key(self, &state, &name, &request.target)?;
                (key, Some(commit.to_string()))
            }
        };
        let mapping = (request.mapping.as_deref())
            .map(|path| input::text(path, input::BY_HAND, cancel).map(|text| (path, text)))
            .transpose()?;
        let filing = Filing {
            source: source_check(self, &state, &name, &key, request, cancel)?,
            subject: Subject {
                name: name.clone(),
                role: match baseline {
                    Some(_) => Role::Baseline,
                    None => Role::Variant,
                },
                commit,
                dirty: false,
                key,
            },
            bench: self,
            request,
            notices: (mapping.iter().filter_map(|(_, m)| m.notice.clone()))
                .chain(data.notices.iter().cloned())
                .collect(),
            mapping: mapping
                .map(|(path, m)| Blob::new(file_name(&path.display().to_string()), m.text)),
            state,
            name,
        };
        filing.import(data, cancel)
    }
}

impl Filing<'_> {
    fn import(&self, data: &Data, cancel: &Cancel) -> Result<ProfileImportView> {
        let request = self.request;
        let mapping = match &self.mapping {
            None => None,
            Some(blob) => {
                let text = String::from_utf8_lossy(&blob.bytes);
                let read = Mapping::read(&blob.name, &text);
                Some(read.map_err(|e| Error::input(e.to_string()))?)
            }
        };
        let format = format_asked(request.format.as_deref())?;
        let opening = Opening {
            format,
            mapping: mapping.as_ref(),
            cancel,
        };
        let mut opened = open(&request.paths, &opening)?;
        for report in &mut opened.reports {
            data.name_counters(&mut report.profile);
        }
        let files = std::mem::take(&mut opened.files);
        let mut notices = self.notices.clone();
        notices.append(&mut opened.notices);
        if self.subject.role == Role::Variant
            && let Err(e) = self.bench.refuse_dirty(&self.name)
        {
            notices.push(format!(
                "{}; the report is filed under what is committed",
                e.message
            ));
        }
        let published = opened.reports.iter().any(|r| is_published(&r.profile));
        let (drafts, blobs) = if published {
            self.published(opened, &mut notices, cancel)?
        } else {
            self.measured(opened, &files, &mut notices, (data, cancel))?
        };
        self.write(drafts, blobs, files, notices)
    }

    /// Writes what is new in one piece.
    fn write(
        &self,
        drafts: Vec<record::Profile>,
        blobs: Vec<Blob>,
        files: Vec<FileView>,
        mut notices: Vec<String>,
    ) -> Result<ProfileImportView> {
        let mut records: Vec<Record> = Vec::new();
        let mut imported = Vec::new();
        for draft in drafts {
            let known = profiles(&self.state, &self.name).find(|(_, p)| same_report(p, &draft));
            let id = known.map(|(id, _)| id);
            if id.is_none() {
                notices.extend(self.filed_elsewhere(&draft));
            }
            // Gates may have no evidence again: a later run knows nothing of the report.
            let gates = judged_again(self.bench, &self.state, &draft);
            if gates.is_some() {
                notices.push("gates that had no evidence are judged with its counters".into());
            }
            let record = id.is_none().then(|| self.bench.record(draft.clone()));
            let id = id.or(record.as_ref().map(|r| r.id));
            imported.push(ImportedView {
                id: id.map(|i| i.to_string()).unwrap_or_default(),
                workload: draft.workload,
                tool: draft.tool,
                kernel: draft.kernel,
                launches: draft.launches,
                counters: draft.counters.len(),
                varying: draft.spread.len(),
                already: record.is_none(),
            });
            records.extend(record);
            records.extend(gates);
        }
        if !records.is_empty() {
            let all: Vec<Blob> = blobs.into_iter().chain(self.mapping.clone()).collect();
            self.bench.ledger.append(&records, &all)?;
            self.bench.tidy();
        }
        Ok(ProfileImportView {
            schema: "assay.import-profile/1".into(),
            campaign: self.bench.campaign.clone(),
            variant: self.name.clone(),
            commit: self.subject.commit.clone().unwrap_or_default(),
            source_checked: match self.source {
                SourceCheck::Same => "same",
                SourceCheck::Unchecked => "unchecked",
                SourceCheck::Differs => "differs",
            }
            .into(),
            records: imported,
            files,
            notices,
        })
    }

    /// Says that the very same report is filed under other content already, as far as its records
    /// were read: of this variant, its parents and the champion.
    fn filed_elsewhere(&self, draft: &record::Profile) -> Option<String> {
        let names = self.state.variants().keys();
        let mut others = names.flat_map(|n| profiles(&self.state, n));
        let (id, other) = others.find(|(_, p)| of_two_contents(p, draft))?;
        Some(format!(
            "the same report is filed under other content of `{}` too ({id}): it can be of one of them only",
            other.subject.name
        ))
    }

    pub(super) fn draft(
        &self,
        workload: &str,
        tool: &str,
        raw: record::BlobRef,
    ) -> record::Profile {
        let run = RecordId::fresh(Timestamp::now());
        let request = self.request;
        let chosen = request
            .format
            .clone()
            .filter(|f| f != crate::counters::AUTO);
        record::Profile {
            origin: Origin::Imported,
            import: Some(Import {
                source_checked: self.source,
                target: request.target.clone(),
                format: chosen,
                mapping: self.mapping.as_ref().map(Blob::reference),
                note: request.note.clone(),
            }),
            ..record::Profile::new(run, self.subject.clone(), workload, tool, raw)
        }
    }

    /// Counters of one kernel on one workload.
    fn measured(
        &self,
        opened: Opened,
        files: &[FileView],
        notices: &mut Vec<String>,
        (data, cancel): (&Data, &Cancel),
    ) -> Result<(Vec<record::Profile>, Vec<Blob>)> {
        let request = self.request;
        let workload = self.workload()?;
        let wanted = Wanted {
            kernel: request.kernel.clone(),
            pattern: self.pattern()?,
            launch: request.launch,
            aggregate: request.aggregate,
            in_stage: false,
        };
        let (report, chosen) = find(opened, &wanted)?;
        let blobs = raw_files(&report, &chosen, files, cancel)?;
        let profile = &report.profile;
        notices.extend(profile.notices.iter().cloned());
        let meant = Meant::by(self.bench.config.as_ref(), &request.target);
        let other = other_device(profile, &chosen.launches, &meant, &data.devices);
        notices.extend(other.map(|why| {
            format!("{why}: it is filed all the same; --target names the target that it is of")
        }));
        if !chosen.others.is_empty() {
            let others: Vec<&str> = chosen.others.iter().map(String::as_str).collect();
            notices.push(format!("left out: {}", listed(&others)));
        }
        let (first, rest) = blobs
            .split_first()
            .ok_or_else(|| Error::input("there is no file behind the report that could be kept"))?;
        let draft = record::Profile {
            files: rest.iter().map(Blob::reference).collect(),
            ..self.draft(&workload, &profile.tool, first.reference())
        };
        let record = of_launches(profile, &chosen, draft, notices);
        Ok((vec![record], blobs))
    }

    /// The workload of the report: as asked for, else the one that is profiled.
    pub(super) fn workload(&self) -> Result<String> {
        let names = self.bench.workload_names();
        let asked = match &self.request.workload {
            Some(name) => name.clone(),
            None => {
                let stage = self.stage();
                let declared = stage.and_then(|s| s.profile_workload());
                match (declared, names.as_slice()) {
                    (Some(name), _) => name.to_owned(),
                    (None, [only]) => only.clone(),
                    (None, _) => {
                        return Err(Error::input("which workload the report is of is not said")
                            .hint(format!("--workload NAME; there are {}", names.join(", "))));
                    }
                }
            }
        };
        if names.contains(&asked) {
            return Ok(asked);
        }
        let near = nearest(&asked, names.iter().map(String::as_str));
        let near = near.map_or_else(String::new, |n| format!("; did you mean `{n}`?"));
        Err(
            Error::input(format!("no workload `{}`{near}", inert(&asked)))
                .hint(format!("there are {}", names.join(", "))),
        )
    }

    fn stage(&self) -> Option<&assay_core::campaign::StageSpec> {
        let config = self.bench.config.as_ref()?;
        config.stage(&self.request.target, record::Stage::Profile)
    }

    /// What the campaign says about its kernel's name; nothing when the command line names one.
    fn pattern(&self) -> Result<Option<regex::Regex>> {
        let text = self.stage().and_then(|s| s.profile_kernel());
        let compiled = text.map(regex::Regex::new).transpose();
        compiled.map_err(|e| Error::input(format!("[profile] kernel: {e}")))
    }
}

/// Whether two records hold the same report of the same content.
fn same_report(a: &record::Profile, b: &record::Profile) -> bool {
    let files = |p: &record::Profile| -> BTreeSet<Sha256> { p.blobs().map(|f| f.sha256).collect() };
    let mapping = |p: &record::Profile| {
        let import = p.import.as_ref()?;
        import.mapping.as_ref().map(|m| m.sha256)
    };
    same_content(&a.subject.key, &b.subject.key)
        && a.subject.key.evaluator == b.subject.key.evaluator
        && (&a.workload, &a.tool, &a.kernel, a.occurrence)
            == (&b.workload, &b.tool, &b.kernel, b.occurrence)
        && files(a) == files(b)
        && mapping(a) == mapping(b)
}
