//! Finding a variant by its name or the beginning of it.

use super::State;
use crate::text::nearest;

/// Why a text names no variant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// The text is the beginning of several names.
    #[error("`{text}` could be {}; write more of the name", candidates.join(", "))]
    Ambiguous {
        /// As given.
        text: String,
        /// Names that begin so, in alphabetical order.
        candidates: Vec<String>,
    },
    /// No name begins so.
    #[error("no variant is called `{text}` in this campaign{}", hint(nearest.as_deref()))]
    Unknown {
        /// As given.
        text: String,
        /// A name that is spelt alike.
        nearest: Option<String>,
    },
}

fn hint(nearest: Option<&str>) -> String {
    match nearest {
        Some(n) => format!("; did you mean `{n}`?"),
        None => "; `assay list` shows the names".into(),
    }
}

/// The variant called `text`, or the only one whose name begins so.
///
/// # Errors
/// When no name or several names begin so.
pub fn resolve_name<'a>(state: &'a State, text: &str) -> Result<&'a str, NameError> {
    resolve_among(text, state.variants().keys().map(String::as_str))
}

/// Like [`resolve_name`], but baselines count too.
///
/// # Errors
/// As [`resolve_name`].
pub fn resolve_subject<'a>(state: &'a State, text: &str) -> Result<&'a str, NameError> {
    let names = state.variants().keys().chain(state.baselines());
    resolve_among(text, names.map(String::as_str))
}

/// The one of `names` that is `text`, or the only one that begins so.
///
/// # Errors
/// When no name or several names begin so.
pub fn resolve_among<'a>(
    text: &str,
    names: impl Iterator<Item = &'a str> + Clone,
) -> Result<&'a str, NameError> {
    if let Some(exact) = names.clone().find(|n| *n == text) {
        return Ok(exact);
    }
    let mut begin: Vec<&str> = (names.clone())
        .filter(|n| !text.is_empty() && n.starts_with(text))
        .collect();
    begin.sort();
    match begin.as_slice() {
        [one] => Ok(one),
        [] => Err(NameError::Unknown {
            text: text.into(),
            nearest: nearest(text, names).map(str::to_owned),
        }),
        several => Err(NameError::Ambiguous {
            text: text.into(),
            candidates: several.iter().map(|n| (*n).to_owned()).collect(),
        }),
    }
}
