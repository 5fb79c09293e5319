//! Everything about one captured file set at once.

use std::collections::BTreeMap;

use assay_core::Sha256;
use assay_core::record::Figure;

use crate::facts::AsmFacts;
use crate::language::{Language, resolve};
use crate::normalise::{Pass, Passes, normalised_hash, raw_hash};
use crate::{SourceError, SourceFile};

/// What is known about a file set.
#[derive(Debug, Clone, PartialEq)]
pub struct Analysis {
    /// The language, resolved.
    pub language: Language,
    /// Hash of the files as they are.
    pub raw: Sha256,
    /// Hash after all passes.
    pub normalised: Sha256,
    /// The passes that went into `normalised`.
    pub passes: Vec<Pass>,
    /// Facts for the record, by name.
    pub facts: BTreeMap<String, Figure>,
    /// Facts in full: per function, with opcode histograms.
    pub assembly: AsmFacts,
    /// What was left out and why; empty when nothing was.
    pub notices: Vec<String>,
}

/// Hashes, normalises and takes the facts of a file set.
///
/// `language` is a name as in a campaign file, `auto-asm` included.
///
/// # Errors
/// When the name is unknown or cannot be resolved.
pub fn analyse(language: &str, files: &[SourceFile]) -> Result<Analysis, SourceError> {
    let language = resolve(language, files)?;
    let passes = Passes::default();
    let mut assembly = AsmFacts::default();
    let mut notices = Vec::new();
    for file in files {
        match file.text() {
            Ok(text) => assembly.add_file(language, text),
            Err(at) => notices.push(format!(
                "`{}` is not UTF-8 (byte {at}): hashed as it is, no facts taken",
                assay_core::text::inert(&file.path)
            )),
        }
    }
    if !language.is_assembly() {
        notices.push(format!("no facts are taken from {language}"));
    } else if assembly.total.instructions == 0 {
        notices.push("no instruction found: no facts".into());
    }
    let facts = if assembly.total.instructions == 0 {
        BTreeMap::new()
    } else {
        assembly.figures()
    };
    Ok(Analysis {
        language,
        raw: raw_hash(files),
        normalised: normalised_hash(language, files, &passes),
        passes: Pass::ALL
            .into_iter()
            .filter(|p| p.applies_to(language))
            .collect(),
        facts,
        assembly,
        notices,
    })
}
