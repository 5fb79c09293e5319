//! Taking a variant apart: one step removed at a time.

use std::ops::Range;

use similar::{DiffTag, TextDiff};

use super::{Changes, Variants, clean, join};
use crate::error::Result;
use crate::repo::CommitId;

/// A variant with one step removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ablation {
    /// The step that is missing, e.g. `kernel/gemm.c:120-135`; lines of the variant.
    pub label: String,
    /// What to change in the variant to take the step back.
    pub changes: Changes,
}

/// All ablations of a variant.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ablations {
    /// One for each step, in the order of files and lines.
    pub steps: Vec<Ablation>,
    /// Steps left out because there are more than [`Ablations::LIMIT`].
    pub omitted: usize,
}

impl Ablations {
    /// The largest number of ablations made.
    pub const LIMIT: usize = 32;
}

impl Variants<'_> {
    /// For each hunk between `base` and `tip`, the tip with that hunk taken back.
    ///
    /// A file that is new, gone or not text is one step. Only files below `paths` count.
    ///
    /// # Errors
    /// Git errors.
    pub fn ablate<S: AsRef<str>>(
        &self,
        base: CommitId,
        tip: CommitId,
        folder: &str,
        paths: &[S],
    ) -> Result<Ablations> {
        let old = self.stored(base, folder, paths)?;
        let new = self.stored(tip, folder, paths)?;
        let mut names: Vec<&String> = old.keys().chain(new.keys()).collect();
        names.sort();
        names.dedup();
        let mut out = Ablations::default();
        for name in names {
            let (a, b) = (old.get(name), new.get(name));
            if a.map(|f| f.oid) == b.map(|f| f.oid) {
                continue;
            }
            let full = join(&clean(folder), name);
            let read = |f: Option<&super::Stored>| f.map(|f| self.bytes(f.oid)).transpose();
            let (a, b) = (read(a)?, read(b)?);
            let texts = (a.as_deref().map(as_text), b.as_deref().map(as_text));
            let steps = match texts {
                (Some(Some(a)), Some(Some(b))) => without_each(a, b),
                _ => vec![(None, a.clone())],
            };
            for (lines, content) in steps {
                if out.steps.len() == Ablations::LIMIT {
                    out.omitted += 1;
                    continue;
                }
                out.steps.push(Ablation {
                    label: match lines {
                        Some(l) => format!("{name}:{}-{}", l.start + 1, l.end.max(l.start + 1)),
                        None => name.clone(),
                    },
                    changes: Changes::from([(full.clone(), content)]),
                });
            }
        }
        Ok(out)
    }
}

fn as_text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes)
        .ok()
        .filter(|t| !t.contains('\0'))
}

/// The lines of a step in the new text, and the file without the step.
type Step = (Option<Range<usize>>, Option<Vec<u8>>);

/// The new text with each hunk taken back in turn.
fn without_each(old: &str, new: &str) -> Vec<Step> {
    let diff = TextDiff::from_lines(old, new);
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let new: Vec<&str> = new.split_inclusive('\n').collect();
    let mut hunks: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    for op in diff.ops().iter().filter(|op| op.tag() != DiffTag::Equal) {
        match hunks.last_mut() {
            Some((a, b)) if a.end == op.old_range().start && b.end == op.new_range().start => {
                a.end = op.old_range().end;
                b.end = op.new_range().end;
            }
            _ => hunks.push((op.old_range(), op.new_range())),
        }
    }
    hunks
        .into_iter()
        .map(|(a, b)| {
            let lines = new[..b.start].iter().chain(&old[a]).chain(&new[b.end..]);
            let text: String = lines.copied().collect();
            (Some(b), Some(text.into_bytes()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_hunk_is_taken_back_alone() {
        let old = "a\nb\nc\nd\ne\n";
        let new = "a\nB\nc\nd\ne\nf";
        let texts: Vec<String> = without_each(old, new)
            .into_iter()
            .map(|(_, t)| String::from_utf8(t.unwrap()).unwrap())
            .collect();
        assert_eq!(texts, ["a\nb\nc\nd\ne\nf", "a\nB\nc\nd\ne\n"]);
    }
}
