//! Source diffs as shown.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ComparedFigure, Said};

/// A line of a two-sided diff.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DiffLine {
    /// `context`, `delete` or `insert`.
    pub tag: String,
    /// Line number on side A, from 1.
    pub a: Option<u32>,
    /// Line number on side B, from 1.
    pub b: Option<u32>,
    /// Pieces of the line; emphasised ones are what changed inside it.
    pub pieces: Vec<DiffPiece>,
    /// The line as it stands on side A, where it counts as unchanged and yet differs in what
    /// normalisation takes out; `pieces` is side B then. Absent where both are the same, and
    /// without pieces where the line of side A is empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<Vec<DiffPiece>>,
    /// The line of the other side that this one is, from 1, where its block moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved: Option<u32>,
}

impl DiffLine {
    /// The pieces of the line as it stands on side A.
    pub fn left(&self) -> &[DiffPiece] {
        self.other.as_deref().unwrap_or(&self.pieces)
    }
}

/// A piece of a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DiffPiece {
    /// Whether it is what changed.
    pub emphasised: bool,
    /// The text, without line end.
    pub text: String,
}

/// What a hunk is about.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HunkNote {
    /// Kernel on side A that the hunk lies in; empty outside of kernels.
    pub kernel_a: String,
    /// Kernel on side B that the hunk lies in; empty outside of kernels.
    pub kernel_b: String,
    /// Kinds of change in it: `comment`, `metadata`, `rename`, `scheduling`, `stack`, `registers`, `literal`,
    /// `reorder`, `moved`, `insert`, `delete`, `edit`.
    pub changes: Vec<String>,
    /// Unchanged lines that are left out before it.
    pub folded: u64,
}

/// Kernels of two files that belong together.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KernelPairView {
    /// Name on side A; absent when the kernel is new.
    pub a: Option<String>,
    /// Name on side B; absent when the kernel is gone.
    pub b: Option<String>,
    /// `same`: letter for letter. `normalised-equal`: after normalisation. `changed`: not even then.
    /// `new`, `gone`: on one side only. Empty when that is not known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub state: String,
}

/// The diff of one file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileDiff {
    /// Path on side A; absent when the file is new.
    pub a: Option<String>,
    /// Path on side B; absent when the file is gone.
    pub b: Option<String>,
    /// Hunks in order.
    pub hunks: Vec<Vec<DiffLine>>,
    /// What was left out or cut, said plainly; empty when nothing was.
    pub notice: String,
    /// The sentences of the notice with what fills them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<Said>,
    /// Language that both sides were read as; empty when they were not read.
    #[serde(default)]
    pub language: String,
    /// What each hunk is about, one for each; empty when the lines were not looked into.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<HunkNote>,
    /// Kernels that belong together, in the order of side B, those that are gone last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kernels: Vec<KernelPairView>,
    /// Passes after which lines were compared, in order; empty when they were compared as they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passes: Vec<String>,
    /// Lines that count as unchanged and yet differ in what the passes take out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub renamed: u64,
    /// Lines of side B that stand elsewhere on side A.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub moved: u64,
    /// Whether both sides are the same after normalisation; absent when that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub normalised_equal: Option<bool>,
}

impl FileDiff {
    /// Whether there is anything to show of it: lines, or what is said instead of them.
    pub fn is_shown(&self) -> bool {
        !self.hunks.is_empty() || !self.notice.is_empty() || self.a.is_some() != self.b.is_some()
    }
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// What a source diff says, with the figures it says it from. It states what goes together, and
/// proves nothing.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SourceStatement {
    /// One sentence, in English.
    pub text: String,
    /// The same sentence by its key, with what fills it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<Said>,
    /// `change`: facts alone. `goes-with`: counters moved as the facts let expect. `against`: they
    /// moved the other way. `beside`: they moved, and the facts let expect neither way. `unmoved`:
    /// they did not move. `no-counter`: none was taken on both sides.
    pub kind: String,
    /// The facts, as A and B have them.
    pub facts: Vec<ComparedFigure>,
    /// The counters, as A and B have them.
    pub counters: Vec<ComparedFigure>,
}

/// Two captures of the source of one commit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CaptureComparison {
    /// `equal`: byte for byte. `normalised-equal`: after normalisation. `differs`: even then.
    pub result: String,
    /// The first file that differs after normalisation; empty when none does.
    pub file: String,
    /// Its first hunk.
    pub hunk: Vec<DiffLine>,
    /// What could not be compared; empty when all was.
    pub notice: String,
}

/// `assay diff A B --json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DiffView {
    /// `assay.diff/1`.
    pub schema: String,
    /// Label of side A.
    pub a: String,
    /// Label of side B.
    pub b: String,
    /// `kernel`, `generated` or `files`.
    pub what: String,
    /// Files.
    pub files: Vec<FileDiff>,
    /// Facts side by side (generated source only).
    pub facts: Vec<ComparedFigure>,
    /// Remarks, e.g. that the normalised sources are equal.
    pub warnings: Vec<String>,
    /// The same remarks by their keys, with what fills them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<Said>,
    /// What the facts of both sides come to, and counters that go with them.
    #[serde(default)]
    pub statements: Vec<SourceStatement>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_line_of_side_a_is_not_an_absent_one() {
        let pieces = vec![DiffPiece {
            emphasised: false,
            text: "# note".into(),
        }];
        for (other, left) in [(None, &pieces[..]), (Some(Vec::new()), &[])] {
            let line = DiffLine {
                pieces: pieces.clone(),
                other,
                ..DiffLine::default()
            };
            assert_eq!(line.left(), left);
            let json = serde_json::to_string(&line).unwrap();
            assert_eq!(serde_json::from_str::<DiffLine>(&json).unwrap(), line);
        }
    }
}
