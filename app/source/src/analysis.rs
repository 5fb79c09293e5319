//! Everything about one captured file set at once.

use std::borrow::Cow;
use std::collections::BTreeMap;

use assay_core::Sha256;
use assay_core::record::Figure;

use crate::facts::AsmFacts;
use crate::kernel::KernelFacts;
use crate::language::{AUTO, Language, of_file, of_member, resolve};
use crate::normalise::{Pass, Passes, normalised_hash_with_notices, raw_hash};
use crate::said::{Lang, text};
use crate::text::decode;
use crate::{SourceError, SourceFile};

/// Kernel sources larger than this are hashed as they are, and nothing is read from them.
pub const MAX_BYTES: usize = 64 << 20;

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
    /// Facts for the record, by name; those of PTX and machine code that were captured beside
    /// source have the language and a dot before the name, e.g. `sass.mma.count`.
    pub facts: BTreeMap<String, Figure>,
    /// Facts of x86-64 and AArch64 assembly in full: per function, with opcode histograms.
    pub assembly: AsmFacts,
    /// Facts of device source in full: per kernel, with opcode histograms.
    pub kernels: KernelFacts,
    /// What was left out and why; empty when nothing was.
    pub notices: Vec<String>,
}

/// Hashes, normalises and takes the facts of a file set.
///
/// `language` is a name as in a campaign file, `auto-asm` and `auto` included.
///
/// # Errors
/// When the name is unknown or cannot be resolved.
pub fn analyse(language: &str, files: &[SourceFile]) -> Result<Analysis, SourceError> {
    let automatic = language == AUTO;
    let language = resolve(language, files)?;
    let passes = Passes::default();
    let mut assembly = AsmFacts::default();
    let mut kernels = KernelFacts::default();
    let mut beside: BTreeMap<Language, KernelFacts> = BTreeMap::new();
    let mut notices = Vec::new();
    for file in files {
        let path = assay_core::text::inert(&file.path);
        if language.has_kernels() {
            let own = match automatic {
                true => of_file(file),
                false => of_member(language, file),
            };
            let is_other = own != language
                && own != Language::Text
                && !(own.is_device_c() && language.is_device_c());
            if is_other && of_member(language, file) == own {
                match readable(file, MAX_BYTES) {
                    Ok((text, of_file)) => {
                        notices.extend(of_file);
                        beside.entry(own).or_default().add_file(own, &text);
                    }
                    Err(why) => notices.push(format!("`{path}` {why}")),
                }
                continue;
            }
            if is_other {
                notices.push(format!(
                    "`{path}` is {own} and the first file is {language}: no facts are taken from it"
                ));
                continue;
            }
            match readable(file, MAX_BYTES) {
                Ok((text, of_file)) => {
                    notices.extend(of_file);
                    kernels.add_file(language, &text);
                }
                Err(why) => notices.push(format!("`{path}` {why}")),
            }
            continue;
        }
        match readable(file, MAX_BYTES) {
            Ok((text, of_file)) => {
                notices.extend(of_file);
                assembly.add_file(language, &text);
            }
            Err(why) => notices.push(format!("`{path}` {why}")),
        }
    }
    let mut facts = if language.has_kernels() {
        if kernels.kernels.is_empty() {
            notices.push("no kernel found: no facts".into());
            BTreeMap::new()
        } else {
            notices.extend(kernels.left_out());
            kernels.figures()
        }
    } else if assembly.total.instructions > 0 {
        assembly.figures()
    } else {
        BTreeMap::new()
    };
    for (own, kernels) in &beside {
        if kernels.kernels.is_empty() {
            notices.push(format!("no kernel found in {own}: no facts of it"));
        }
        notices.extend(kernels.notices.iter().cloned());
        // Facts of single kernels are those of the source; what the compiler made of all is told.
        let totals = kernels.figures().into_iter().filter(|(name, _)| {
            !kernels.kernels.is_empty() && (!name.starts_with("kernel.") || name == "kernel.count")
        });
        facts.extend(totals.map(|(name, figure)| (format!("{own}.{name}"), figure)));
    }
    if !language.is_assembly() && !language.has_kernels() {
        notices.push(format!("no facts are taken from {language}"));
    } else if language.is_assembly() && assembly.total.instructions == 0 {
        notices.push("no instruction found: no facts".into());
    }
    notices.extend(kernels.notices.iter().cloned());
    let (normalised, more) = normalised_hash_with_notices(language, files, &passes);
    notices.extend(more);
    Ok(Analysis {
        language,
        raw: raw_hash(files),
        normalised,
        passes: Pass::ALL
            .into_iter()
            .filter(|p| p.applies_to(language))
            .collect(),
        facts,
        assembly,
        kernels,
        notices,
    })
}

/// The text of a file of kernels, with what is to be said of it; or why it is not read.
fn readable(file: &SourceFile, limit: usize) -> Result<(Cow<'_, str>, Vec<String>), String> {
    if file.bytes.len() > limit {
        return Err(format!(
            "is larger than {limit} bytes: hashed as it is, no facts taken"
        ));
    }
    let Some(read) = decode(file) else {
        return Err("is binary: hashed as it is, no facts taken".into());
    };
    let of_text = read.notices.iter();
    let mut notices: Vec<String> = of_text.filter_map(|s| text(Lang::En, s)).collect();
    if read.lossy {
        notices.push(
            "Facts are taken with those bytes replaced, the hash is of the file as it is.".into(),
        );
    }
    Ok((read.text, notices))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_large_is_not_read() {
        let file = SourceFile::new("k.cu", "__global__");
        assert!(readable(&file, 10).is_ok_and(|(_, notice)| notice.is_empty()));
        let why = readable(&file, 9).unwrap_err();
        assert!(why.contains("larger than 9 bytes"), "{why}");
    }
}
