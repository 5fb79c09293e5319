//! Where a campaign lies, and where benchmark logs are kept when there is none.

use std::path::{Path, PathBuf};

use assay_core::text::inert;
use assay_ledger::{Ledger, Repo};

use super::{CAMPAIGN_FILE, Git, Options, Workbench};
use crate::error::{Error, Result};
use crate::index;

/// Name of the folder in which benchmark logs are kept where there is no campaign: a ledger as a
/// plain folder.
pub const LOGS_FOLDER: &str = "assay-logs";

/// Name of the campaign in records of logs where there is none.
const LOGS: &str = "logs";

impl Workbench {
    /// Opens the campaign at or above a folder or, where there is none, the folder of benchmark
    /// logs, which the first write makes.
    ///
    /// # Errors
    /// As [`Workbench::open`], and when the folder for logs holds something else.
    pub fn open_for_logs(options: Options) -> Result<Self> {
        let dir = &options.dir;
        match !dir.is_dir() || is_ledger(dir) || has_campaign(dir)? {
            true => Self::open(options),
            false => Self::open_logs(options),
        }
    }

    /// Opens what records of another ledger are taken into: the campaign at or above a folder or, where
    /// there is none, the repository, whose ledger the first record makes.
    ///
    /// # Errors
    /// As [`Workbench::open`].
    pub fn open_for_import(options: Options) -> Result<Self> {
        let dir = &options.dir;
        if !dir.is_dir() || is_ledger(dir) || has_campaign(dir)? {
            return Self::open(options);
        }
        let repo = match Repo::open(dir) {
            Ok(repo) => repo,
            Err(_) => return Self::open(options),
        };
        Ok(Self {
            ledger: Ledger::git(&repo)?,
            options,
            git: Some(Git {
                repo,
                folder: String::new(),
                root: None,
            }),
            campaign: String::new(),
            config: None,
            evaluator: None,
            remarks: Vec::new(),
            index: index::Held::default(),
        })
    }

    pub(super) fn open_logs(options: Options) -> Result<Self> {
        Ok(Self {
            ledger: Ledger::folder(options.dir.join(LOGS_FOLDER))?,
            options,
            git: None,
            campaign: LOGS.into(),
            config: None,
            evaluator: None,
            remarks: vec![format!(
                "there is no campaign here; this is about the benchmark logs in {LOGS_FOLDER}/"
            )],
            index: index::Held::default(),
        })
    }
}

pub(super) fn is_ledger(dir: &Path) -> bool {
    dir.join("format.json").is_file()
}

/// Whether a campaign, or the ledger of one, is at or above a folder. A campaign file that is in
/// no repository counts: what is said about it then should not be covered up.
pub(super) fn has_campaign(dir: &Path) -> Result<bool> {
    if dir.join(CAMPAIGN_FILE).is_file() {
        return Ok(true);
    }
    match Repo::open(dir) {
        Ok(repo) => {
            Ok(find_campaign(dir, repo.workdir()).is_some()
                || Ledger::git(&repo)?.head()?.is_some())
        }
        Err(assay_ledger::Error::NotARepository { .. }) => Ok(false),
        Err(e) => Err(e.into()),
    }
}

/// The campaign's folder at or above a folder, within the work tree.
pub(super) fn find_campaign(from: &Path, top: Option<&Path>) -> Option<PathBuf> {
    let from = from.canonicalize().ok()?;
    let top = top.and_then(|t| t.canonicalize().ok())?;
    from.ancestors()
        .take_while(|dir| dir.starts_with(&top))
        .find(|dir| dir.join(CAMPAIGN_FILE).is_file())
        .map(Path::to_path_buf)
}

/// The campaign of a ledger that is meant: the one asked for, else the only one.
///
/// # Errors
/// When it is not there, when there are several, and as `nothing` says when there is none.
pub(super) fn meant(
    known: Vec<String>,
    asked: Option<&str>,
    nothing: impl FnOnce() -> Error,
) -> Result<String> {
    let all: Vec<String> = known.iter().map(|n| inert(n).into_owned()).collect();
    if let Some(name) = asked {
        return match known.iter().any(|n| n == name) {
            true => Ok(name.to_owned()),
            false if known.is_empty() => Err(nothing()),
            false => Err(
                Error::input(format!("the ledger holds no campaign `{}`", inert(name)))
                    .hint(format!("it holds {}", all.join(", "))),
            ),
        };
    }
    match campaigns(known).as_slice() {
        [one] => Ok(one.clone()),
        [] => Err(nothing()),
        several => {
            let names: Vec<_> = several.iter().map(|n| inert(n)).collect();
            Err(Error::input(format!(
                "the ledger holds several campaigns: {}",
                names.join(", ")
            ))
            .hint("--campaign NAME reads one of them; or go into the folder of one"))
        }
    }
}

/// Names of campaigns in a ledger. Logs that were kept where there was no campaign do not count
/// beside one.
pub(super) fn campaigns(mut names: Vec<String>) -> Vec<String> {
    if names.len() > 1 {
        names.retain(|n| n != LOGS);
    }
    names
}
