//! Pinning the evaluator: harness, oracle, tests and campaign file, by commit and by content.

use std::fs;
use std::path::Path;

use assay_core::campaign::Campaign;
use assay_core::record::Evaluator;
use assay_core::{Sha256, text};
use assay_ledger::Repo;

use crate::error::{AtPath, Error, Result};
use crate::workbench::{CAMPAIGN_FILE, Workbench, join};

/// A campaign file to start from.
const TEMPLATE: &str = include_str!("init/assay.toml");

/// The harness helpers, for evaluators in C or C++ and in Python: all of them, since each includes others.
const HELPERS: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/helper_files.rs"));

/// What `init` did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pinned {
    /// These files were written; the campaign has to be filled in and committed first.
    Wrote(Vec<String>),
    /// The evaluator was pinned.
    New(Evaluator),
    /// It was pinned already and has not changed.
    Same(Evaluator),
}

/// Makes sure that a folder is in a repository in which a campaign can live.
///
/// # Errors
/// When it is in none, or in one that is bare or in a format that cannot be read.
pub fn require_repository(dir: &Path) -> Result<()> {
    let repo = Repo::open(dir)?;
    repo.require_workdir("a campaign")?;
    Ok(())
}

/// Writes a campaign file to start from, and the harness helpers, into a folder that has none.
///
/// # Errors
/// When the folder cannot be written.
pub fn write_template(dir: &Path) -> Result<Pinned> {
    let path = dir.join(CAMPAIGN_FILE);
    let name: String = dir
        .canonicalize()
        .ok()
        .and_then(|d| d.file_name().map(|n| n.to_string_lossy().to_lowercase()))
        .unwrap_or_default()
        .chars()
        .map(|c| {
            if c.is_ascii_lowercase() || c.is_ascii_digit() {
                c
            } else {
                '-'
            }
        })
        .collect();
    let name = name.trim_matches('-');
    let name = if name.is_empty() { "campaign" } else { name };
    let mut wrote = vec![path.display().to_string()];
    fs::write(&path, TEMPLATE.replace("@NAME@", name)).at(&path)?;
    let harness = dir.join("harness");
    fs::create_dir_all(&harness).at(&harness)?;
    for (name, text) in HELPERS {
        let path = harness.join(name);
        if !path.exists() {
            fs::write(&path, text).at(&path)?;
            wrote.push(path.display().to_string());
        }
    }
    Ok(Pinned::Wrote(wrote))
}

impl Workbench {
    /// Pins the evaluator at HEAD.
    ///
    /// # Errors
    /// When protected files hold changes that are not committed, when the evaluator changed and no
    /// reason is given, or when there is nothing to pin.
    pub fn init(&mut self, why: Option<&str>) -> Result<Pinned> {
        let git = self.git()?;
        let head = git.repo.require_head()?;
        let path = join(&git.folder, CAMPAIGN_FILE);
        let Some(bytes) = self.variants()?.read_file(head, &path)? else {
            return Err(Error::input(format!("{path} is not committed"))
                .hint(format!("git add {path} && git commit")));
        };
        let text =
            String::from_utf8(bytes).map_err(|_| Error::input(format!("{path} is not UTF-8")))?;
        let config = Campaign::parse(&text, &path).map_err(|e| Error::input(e.to_string()))?;
        let folder = git.folder.clone();
        for kernel in &config.kernel.paths {
            let files = self.variants()?.list_files(head, &folder, &[kernel])?;
            if files.is_empty() {
                return Err(Error::input(format!(
                    "[kernel] paths: there is no `{}` at {}",
                    text::inert(kernel),
                    head.short()
                ))
                .hint("commit the kernel files that variants may change, or mend the path"));
            }
        }
        let tree = self
            .variants()?
            .content_hash(head, &folder, &config.kernel.protected)?;
        if let Some(root) = &git.root {
            self.refuse_uncommitted(root, &config)?;
        }
        let pin = Evaluator {
            commit: head.to_string(),
            tree,
            config: Sha256::of(&text),
            folder,
            why: why.unwrap_or("first pin").to_owned(),
            canaries: config.canaries.iter().map(|c| c.name.clone()).collect(),
        };
        match &self.evaluator {
            Some(old) if old.tree == pin.tree && old.config == pin.config => {
                return Ok(Pinned::Same(old.clone()));
            }
            Some(_) if why.is_none_or(|w| w.trim().is_empty()) => {
                return Err(Error::input("the evaluator differs from the pinned one, so evidence so far will no longer be comparable")
                    .hint("say why: assay init --why TEXT"));
            }
            _ => {}
        }
        let record = self.record(pin.clone());
        self.append(record, &[])?;
        self.campaign.clone_from(&config.name);
        self.config = Some(config);
        self.evaluator = Some(pin.clone());
        Ok(Pinned::New(pin))
    }

    /// Refuses to pin what is not committed: the pin would not be what the user sees.
    fn refuse_uncommitted(&self, root: &Path, config: &Campaign) -> Result<()> {
        let head = self.git()?.repo.require_head()?;
        let folder = &self.git()?.folder;
        for file in self
            .variants()?
            .list_files(head, folder, &config.kernel.protected)?
        {
            let now = fs::read(root.join(&file.path)).unwrap_or_default();
            if now != file.bytes {
                return Err(
                    Error::input(format!("{} differs from what is committed", file.path))
                        .hint("commit the evaluator first: what is pinned is what HEAD holds"),
                );
            }
        }
        Ok(())
    }
}
