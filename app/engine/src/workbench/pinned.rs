//! Campaign files as they were pinned.

use assay_core::Sha256;
use assay_core::record::Evaluator;
use assay_core::text::inert;

use super::{CAMPAIGN_FILE, Workbench, join};

/// Where an exported ledger has campaign files that are no longer in force, by hash.
pub(crate) fn earlier(config: Sha256) -> String {
    format!("evaluators/{config}.toml")
}

impl Workbench {
    /// The campaign file of an evaluator: of its commit, or of what lies beside a plain folder.
    ///
    /// # Errors
    /// Why it is not to be had.
    pub(crate) fn pinned_file(&self, pin: &Evaluator) -> Result<String, String> {
        let text = match self.git {
            Some(_) => self.at_commit(pin)?,
            None => self.beside(pin)?,
        };
        match Sha256::of(&text) == pin.config {
            true => Ok(text),
            false => Err(format!("the {CAMPAIGN_FILE} found is not the one pinned")),
        }
    }

    fn beside(&self, pin: &Evaluator) -> Result<String, String> {
        let read = |path: &str| std::fs::read_to_string(self.options.dir.join(path));
        match read(&earlier(pin.config)) {
            Ok(text) => Ok(text),
            Err(_) => read(CAMPAIGN_FILE)
                .map_err(|e| format!("no {CAMPAIGN_FILE} beside the ledger can be read ({e})")),
        }
    }

    fn at_commit(&self, pin: &Evaluator) -> Result<String, String> {
        let commit = inert(&pin.commit);
        let at = (self.commit(&pin.commit))
            .map_err(|_| format!("the evaluator's commit {commit} is not in this clone"))?;
        let variants = self.variants().map_err(|e| e.to_string())?;
        let bytes = variants.read_file(at, &join(&pin.folder, CAMPAIGN_FILE));
        let bytes = bytes.map_err(|e| e.to_string())?;
        let bytes = bytes.ok_or_else(|| format!("commit {commit} holds no {CAMPAIGN_FILE}"))?;
        String::from_utf8(bytes).map_err(|_| format!("{CAMPAIGN_FILE} is not UTF-8"))
    }
}
