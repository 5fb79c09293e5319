//! Whether the ledger of a campaign has moved: asked every second by whoever shows it.

use std::sync::{Mutex, PoisonError};

use assay_ledger::Ledger;

use crate::workbench::{Options, Workbench};

/// Looks at the ledger of a campaign again and again.
///
/// A workbench is opened anew for each thing that is done, and reads the names of all branches for that; this
/// keeps its handle for as long as the ledger answers.
pub struct Watch {
    options: Options,
    held: Mutex<Option<Ledger>>,
}

impl Watch {
    /// Of the campaign that these options open. Nothing is opened yet.
    pub fn new(options: Options) -> Self {
        Self {
            options,
            held: Mutex::new(None),
        }
    }

    /// The state of the ledger; nothing where it has none, or cannot be opened or read.
    pub fn version(&self) -> Option<String> {
        self.ask(|ledger| ledger.head().ok()?)
    }

    /// Whether the ledger is a plain folder, in which nothing can be run.
    pub fn is_folder(&self) -> bool {
        self.ask(|ledger| Some(!ledger.is_git())).unwrap_or(false)
    }

    fn ask<T>(&self, ask: impl FnOnce(&Ledger) -> Option<T>) -> Option<T> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        // A handle outlives its folder.
        let is_there = |ledger: &Ledger| self.options.dir.is_dir() && ledger.location().is_dir();
        if !held.as_ref().is_some_and(is_there) {
            *held = None;
            *held = Some(Workbench::open(self.options.clone()).ok()?.ledger);
        }
        let answer = ask(held.as_ref()?);
        if answer.is_none() {
            *held = None;
        }
        answer
    }
}

#[cfg(test)]
mod tests {
    use assay_core::record::Note;
    use assay_ledger::Ledger;

    use super::*;
    use crate::workbench::tests::opened;

    /// One handle sees what others write, and does not outlive what it looks at.
    #[test]
    fn what_others_write_is_seen_and_what_is_gone_is_gone() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("ledger");
        let ledger = Ledger::folder(&folder).unwrap();
        let now = assay_core::Timestamp::now();
        let write = |text: &str| {
            let note = Note::new(None, text);
            let record = assay_core::Record::new(now, "x", "gemm", note.into());
            ledger.append(&[record], &[]).unwrap();
        };
        write("one");
        let watch = Watch::new(opened(folder.clone(), dir.path()).options);
        let first = watch.version();
        assert!(first.is_some() && watch.is_folder());
        assert_eq!(watch.version(), first);
        write("two");
        let second = watch.version();
        assert!(second.is_some() && second != first);
        let aside = dir.path().join("aside");
        std::fs::rename(&folder, &aside).unwrap();
        assert_eq!(watch.version(), None);
        std::fs::rename(&aside, &folder).unwrap();
        assert_eq!(watch.version(), second);
    }
}
