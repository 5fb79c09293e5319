//! The workbench: one opened campaign, with its ledger, its repository and its campaign file.

pub(crate) mod pinned;
mod place;

use std::path::PathBuf;

use assay_core::campaign::{Campaign, VARIANT_FILE};
use assay_core::fold::State;
use assay_core::record::{Body, Evaluator};
use assay_core::{Record, RecordId, Sha256, Timestamp};
use assay_ledger::{Blob, CommitId, Edits, Ledger, Pool, Repo, Variants};

use crate::error::{Error, Result};
use crate::index;

use place::{find_campaign, has_campaign, is_ledger};

pub use place::LOGS_FOLDER;

/// Name of the campaign file.
pub const CAMPAIGN_FILE: &str = "assay.toml";

/// The author where no name is known, as git's side has it too.
const NOBODY: &str = "unknown";

/// Folders in which variants can be run at the same time; a measurement takes two.
const POOL_SIZE: usize = 8;

/// Folders outside the repository, found by the caller.
#[derive(Debug, Clone)]
pub struct Dirs {
    /// Work trees and build results, which can be made again.
    pub cache: PathBuf,
    /// Approvals, which can not.
    pub state: PathBuf,
    /// Data files of one's own, below `profiles/`: counters, rules, devices such as this CPU.
    pub data: PathBuf,
    /// Locks of devices, shared by all users of this host.
    pub locks: PathBuf,
}

/// How to open a workbench.
#[derive(Debug, Clone)]
pub struct Options {
    /// Folder to start from.
    pub dir: PathBuf,
    /// Folders outside the repository.
    pub dirs: Dirs,
    /// Author of records, instead of git's.
    pub author: Option<String>,
    /// The campaign to read, of several in one ledger.
    pub campaign: Option<String>,
}

/// The git side of a campaign.
pub struct Git {
    /// The repository.
    pub repo: Repo,
    /// Folder of the campaign inside it, with `/`; empty for the root.
    pub folder: String,
    /// Folder of the campaign in the user's checkout; absent in a bare repository.
    pub root: Option<PathBuf>,
}

/// One opened campaign.
pub struct Workbench {
    /// How it was opened.
    pub options: Options,
    /// Where the records are.
    pub ledger: Ledger,
    /// The repository; absent for a ledger in a plain folder.
    pub git: Option<Git>,
    /// Name of the campaign.
    pub campaign: String,
    /// The campaign file in force: of the pinned evaluator, else of the checkout.
    pub config: Option<Campaign>,
    /// The pinned evaluator.
    pub evaluator: Option<Evaluator>,
    /// What the user should know.
    pub remarks: Vec<String>,
    pub(crate) index: index::Held,
}

impl Workbench {
    /// Opens the campaign at or above a folder.
    ///
    /// Where there is none, the folder of benchmark logs is opened if it is there.
    ///
    /// # Errors
    /// When there is neither a campaign file nor a ledger, or one of them cannot be read.
    pub fn open(options: Options) -> Result<Self> {
        if !options.dir.is_dir() {
            return Err(Error::input(format!(
                "{}: no such folder",
                options.dir.display()
            )));
        }
        if is_ledger(&options.dir) {
            return Self::open_folder(options);
        }
        if is_ledger(&options.dir.join(LOGS_FOLDER)) && !has_campaign(&options.dir)? {
            return Self::open_logs(options);
        }
        let repo = Repo::open(&options.dir)?;
        let found = find_campaign(&options.dir, repo.workdir());
        let ledger = Ledger::git(&repo)?;
        let (root, folder) = match &found {
            Some(root) => (Some(root.clone()), repo.folder_of(root)?),
            None => (None, String::new()),
        };
        let mut remarks = repo.remarks();
        let mut bench = Self {
            options,
            ledger,
            git: Some(Git { repo, folder, root }),
            campaign: String::new(),
            config: None,
            evaluator: None,
            remarks: Vec::new(),
            index: index::Held::default(),
        };
        bench.load_config(&mut remarks)?;
        bench.remarks = remarks;
        Ok(bench)
    }

    fn open_folder(options: Options) -> Result<Self> {
        let ledger = Ledger::folder(&options.dir)?;
        let index = index::Held::default();
        let known = index.campaigns(&ledger, &options.dirs)?;
        let nothing = || {
            Error::input(format!(
                "{}: the ledger holds no campaign",
                options.dir.display()
            ))
        };
        let campaign = place::meant(known, options.campaign.as_deref(), nothing)?;
        let mut bench = Self {
            options,
            ledger,
            git: None,
            campaign,
            config: None,
            evaluator: None,
            remarks: vec![
                "a ledger in a plain folder: it can be read, and nothing can be run".into(),
            ],
            index,
        };
        bench.evaluator = index::evaluator(&bench)?;
        bench.config = bench.config_beside()?;
        Ok(bench)
    }

    /// The campaign file beside a ledger in a plain folder, unless it is not the pinned one.
    fn config_beside(&mut self) -> Result<Option<Campaign>> {
        let path = self.options.dir.join(CAMPAIGN_FILE);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(Error::input(format!("{}: {e}", path.display()))),
        };
        let config = parse(&text, &path.display().to_string())?;
        let not_used =
            |why: String| format!("{CAMPAIGN_FILE} beside the ledger is not used: {why}");
        if config.name != self.campaign {
            self.remarks.push(not_used(format!(
                "it is of the campaign `{}`, the ledger of `{}`",
                config.name, self.campaign
            )));
            return Ok(None);
        }
        let pinned = self.evaluator.as_ref().map(|e| e.config);
        if pinned != Some(Sha256::of(&text)) {
            let why = "its content is not the one that is pinned";
            self.remarks.push(not_used(why.into()));
            return Ok(None);
        }
        Ok(Some(config))
    }

    /// Finds which campaign file is in force: the pinned one, else the one in the checkout.
    fn load_config(&mut self, remarks: &mut Vec<String>) -> Result<()> {
        let git = self.git()?;
        let here = match &git.root {
            Some(root) => {
                let path = root.join(CAMPAIGN_FILE);
                let text = std::fs::read_to_string(&path)
                    .map_err(|e| Error::input(format!("{}: {e}", path.display())))?;
                Some((text, path.display().to_string()))
            }
            None => None,
        };
        let asked = self.options.campaign.clone();
        let named = match &here {
            Some((text, label)) => Some(parse(text, label)?.name),
            None => None,
        };
        // The file here is that of another campaign than the one that is asked for.
        let is_other = asked.is_some() && named.is_some() && asked != named;
        let here = here.filter(|_| !is_other);
        if let (true, Some(git)) = (is_other, &mut self.git) {
            git.root = None;
            git.folder.clear();
        }
        self.campaign = match named.filter(|_| !is_other) {
            Some(name) => name,
            None => {
                let known = self.index.campaigns(&self.ledger, &self.options.dirs)?;
                let nothing = || {
                    Error::input(format!(
                        "no {CAMPAIGN_FILE} at or above {}, and no ledger here",
                        self.options.dir.display()
                    ))
                    .hint("`assay demo` makes a campaign to look at; `assay init` makes one of your own")
                };
                place::meant(known, asked.as_deref(), nothing)?
            }
        };
        self.evaluator = index::evaluator(self)?;
        if let (Some(pin), Some(git)) = (&self.evaluator, &mut self.git)
            && git.root.is_none()
        {
            git.folder.clone_from(&pin.folder);
        }
        let pinned = match &self.evaluator {
            Some(pin) => {
                self.pinned_config(pin, here.as_ref().map(|(text, _)| text.as_str()), remarks)?
            }
            None => None,
        };
        self.config = match (pinned, &here) {
            (Some(config), _) => Some(config),
            (None, Some((text, label))) => Some(parse(text, label)?),
            (None, None) => None,
        };
        Ok(())
    }

    /// The campaign file of the pinned commit; nothing when this clone does not have that commit.
    fn pinned_config(
        &self,
        pin: &Evaluator,
        here: Option<&str>,
        remarks: &mut Vec<String>,
    ) -> Result<Option<Campaign>> {
        let Ok(commit) = self.commit(&pin.commit) else {
            remarks.push(format!(
                "the evaluator's commit {} is not in this clone: everything can be read, and nothing can be run",
                pin.commit
            ));
            return Ok(None);
        };
        let path = join(&pin.folder, CAMPAIGN_FILE);
        let bytes = self.variants()?.read_file(commit, &path)?.ok_or_else(|| {
            Error::environment(format!(
                "{path} is missing in the pinned commit {}",
                pin.commit
            ))
        })?;
        let text = String::from_utf8(bytes)
            .map_err(|_| Error::input(format!("{path} of the pinned evaluator is not UTF-8")))?;
        if here.is_some_and(|now| now != text) {
            remarks.push(format!(
                "{CAMPAIGN_FILE} differs from the pinned evaluator, which is in force; `assay init --why TEXT` pins the new one"
            ));
        }
        parse(&text, &path).map(Some)
    }

    /// The git side.
    ///
    /// # Errors
    /// For a ledger in a plain folder.
    pub fn git(&self) -> Result<&Git> {
        self.git.as_ref().ok_or_else(|| {
            Error::input("this is a ledger in a plain folder: it can be read, and nothing else")
                .hint("`assay import` takes it into a repository")
        })
    }

    /// The campaign file in force.
    ///
    /// # Errors
    /// When there is none.
    pub fn config(&self) -> Result<&Campaign> {
        self.config
            .as_ref()
            .ok_or_else(|| Error::input(format!("this ledger comes without an {CAMPAIGN_FILE}")))
    }

    /// The pinned evaluator.
    ///
    /// # Errors
    /// When none is pinned, and for a ledger in a plain folder.
    pub fn evaluator(&self) -> Result<&Evaluator> {
        self.git()?;
        self.evaluator.as_ref().ok_or_else(|| {
            Error::input(format!(
                "the evaluator of campaign `{}` is not pinned yet",
                self.campaign
            ))
            .hint("commit the campaign and run `assay init`")
        })
    }

    /// The commit that the evaluator is pinned at.
    ///
    /// # Errors
    /// When none is pinned, or this clone does not have it.
    pub fn pinned(&self) -> Result<CommitId> {
        let pin = self.evaluator()?;
        self.commit(&pin.commit).map_err(|_| {
            Error::input(format!(
                "the evaluator's commit {} is not in this clone",
                pin.commit
            ))
            .hint("fetch the branch that holds it; of a shallow clone: git fetch --unshallow")
        })
    }

    /// The state of the campaign, folded from all records.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn state(&self) -> Result<State> {
        index::state(self)
    }

    /// The state of the campaign as far as these subjects, their parents, the champion and the
    /// evaluator are concerned; it reads their records only.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn state_of(&self, names: &[&str]) -> Result<State> {
        index::state_of(self, names)
    }

    /// Names of the workloads in the order of the campaign file.
    pub fn workload_names(&self) -> Vec<String> {
        self.config
            .iter()
            .flat_map(|c| c.workloads.iter().map(|w| w.name.clone()))
            .collect()
    }

    /// Who writes records here.
    pub fn author(&self) -> String {
        match (&self.options.author, &self.git) {
            (Some(name), _) => name.clone(),
            (None, Some(git)) => git.repo.user().name,
            (None, None) => NOBODY.into(),
        }
    }

    /// What to say before somebody decides whose name is not known: neither given nor git's.
    pub fn nameless(&self) -> Option<&'static str> {
        (self.author() == NOBODY).then_some(
            "git knows no name here, and the decision would be by \"unknown\": start with `--as NAME`, \
             or set `git config user.name NAME`",
        )
    }

    /// A commit by its id or any revision.
    ///
    /// # Errors
    /// When it is not there.
    pub fn commit(&self, rev: &str) -> Result<CommitId> {
        Ok(self.variants()?.resolve(rev)?)
    }

    /// The branch of a variant.
    pub fn branch(&self, name: &str) -> String {
        Variants::branch(&self.campaign, name)
    }

    /// The variants' branches.
    ///
    /// # Errors
    /// For a ledger in a plain folder.
    pub fn variants(&self) -> Result<Variants<'_>> {
        Ok(Variants::new(&self.git()?.repo))
    }

    /// The work trees in which variants are edited.
    ///
    /// # Errors
    /// For a ledger in a plain folder, and when bare.
    pub fn edits(&self) -> Result<Edits<'_>> {
        Ok(Edits::new(
            &self.git()?.repo,
            self.cache_dir()?.join("edit"),
        )?)
    }

    /// Folders in which variants are run.
    ///
    /// # Errors
    /// When the cache lies inside the repository, or cannot be made.
    pub fn pool(&self) -> Result<Pool> {
        Ok(Pool::new(&self.git()?.repo, self.cache_dir()?, POOL_SIZE)?)
    }

    /// Paths that a variant may change: its kernel, and its file of flags and parameters.
    ///
    /// # Errors
    /// When there is no campaign file.
    pub fn variant_paths(&self) -> Result<Vec<String>> {
        let mut paths = self.config()?.kernel.paths.clone();
        if !under(VARIANT_FILE, &paths) {
            paths.push(VARIANT_FILE.to_owned());
        }
        Ok(paths)
    }

    /// Hash of what a variant may change, at a commit.
    ///
    /// # Errors
    /// When the commit cannot be read.
    pub fn kernel_hash(&self, commit: CommitId) -> Result<Sha256> {
        let (git, variants) = (self.git()?, self.variants()?);
        let mut paths = self.variant_paths()?;
        let file = join(&git.folder, VARIANT_FILE);
        if variants.read_file(commit, &file)?.is_none() {
            paths.retain(|p| p != VARIANT_FILE);
        }
        Ok(variants.content_hash(commit, &git.folder, &paths)?)
    }

    /// Makes a record by this author, now.
    pub fn record(&self, body: impl Into<Body>) -> Record {
        Record::new(
            Timestamp::now(),
            self.author(),
            self.campaign.clone(),
            body.into(),
        )
    }

    /// Appends one record with its blobs and returns its id.
    ///
    /// # Errors
    /// When it cannot be written; nothing is visible then.
    pub fn append(&self, record: Record, blobs: &[Blob]) -> Result<RecordId> {
        let id = record.id;
        self.ledger.append(&[record], blobs)?;
        Ok(id)
    }

    /// Keeps the number of files small in which the records are stored; called when work is done.
    ///
    /// Its failure harms nothing, so it is not told: the next call tries again.
    pub fn tidy(&self) {
        let _ = self.ledger.maintain();
    }

    /// Folder of disposable things of this repository, outside of it.
    ///
    /// # Errors
    /// For a ledger in a plain folder.
    pub fn cache_dir(&self) -> Result<PathBuf> {
        Ok(self.options.dirs.cache.join(self.git()?.repo.key()))
    }
}

/// Joins a folder inside a repository with a path in it.
pub fn join(folder: &str, path: &str) -> String {
    if folder.is_empty() {
        path.to_owned()
    } else {
        format!("{folder}/{path}")
    }
}

fn parse(text: &str, label: &str) -> Result<Campaign> {
    Campaign::parse(text, label).map_err(|e| Error::input(e.to_string()))
}

/// Whether a path is one of these, or below one of them.
pub fn under(path: &str, folders: &[String]) -> bool {
    folders.iter().any(|f| {
        path == f
            || path
                .strip_prefix(f.as_str())
                .is_some_and(|rest| rest.starts_with('/'))
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use std::path::Path;

    use super::{Dirs, Options, PathBuf, Workbench, under};

    /// Opens a folder with everything outside of it below `at`.
    pub(crate) fn opened(dir: PathBuf, at: &Path) -> Workbench {
        let dirs = Dirs {
            cache: at.join("cache"),
            state: at.join("state"),
            data: at.join("data"),
            locks: at.join("locks"),
        };
        Workbench::open(Options {
            dir,
            dirs,
            author: Some("x".into()),
            campaign: None,
        })
        .unwrap()
    }

    #[test]
    fn a_path_is_under_a_folder_and_not_under_its_namesake() {
        let protected = ["harness".to_owned(), "assay.toml".to_owned()];
        assert!(under("harness/run.sh", &protected));
        assert!(under("assay.toml", &protected));
        assert!(!under("harness2/run.sh", &protected));
    }
}
