//! Keeping the number of object files small.

use std::fs;

use super::{Ledger, Store};
use crate::error::Result;
use crate::locks::FileLock;

/// Loose objects from which on they are packed. A single record makes about eight.
const LOOSE: usize = 4_000;

/// Packs from which on they are joined: looking an object up visits each.
const PACKS: usize = 40;

/// What [`Ledger::maintain`] found and did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Maintained {
    /// Loose objects before.
    pub loose: usize,
    /// Packs before.
    pub packs: usize,
    /// Whether they were packed.
    pub packed: bool,
}

impl Ledger {
    /// Packs loose objects and joins small packs when there are many; else does nothing.
    ///
    /// It runs `git repack --geometric`, which neither drops objects nor walks history, and takes
    /// no lock that writers wait for. Call it after work is done, not between records.
    ///
    /// # Errors
    /// When the git program fails. The ledger is sound in any case.
    pub fn maintain(&self) -> Result<Maintained> {
        self.maintain_from(LOOSE, PACKS)
    }

    /// As [`Ledger::maintain`], whatever the counts.
    ///
    /// # Errors
    /// As [`Ledger::maintain`].
    pub fn pack(&self) -> Result<Maintained> {
        self.maintain_from(1, usize::MAX)
    }

    fn maintain_from(&self, loose_limit: usize, pack_limit: usize) -> Result<Maintained> {
        let Store::Git(store) = &self.store else {
            return Ok(Maintained::default());
        };
        let objects = store.repo.common_dir().join("objects");
        let count = |name: &str, ending: &str| {
            fs::read_dir(objects.join(name)).map_or(0, |dir| {
                dir.flatten()
                    .filter(|e| e.file_name().to_string_lossy().ends_with(ending))
                    .count()
            })
        };
        let mut done = Maintained {
            loose: (0..=255u8).map(|i| count(&format!("{i:02x}"), "")).sum(),
            packs: count("pack", ".pack"),
            packed: false,
        };
        if done.loose < loose_limit && done.packs < pack_limit {
            return Ok(done);
        }
        let lock = store.repo.state_dir().join("locks/maintenance");
        let Some(_lock) = FileLock::try_acquire(lock, "assay, packing objects")? else {
            return Ok(done);
        };
        store
            .repo
            .program()
            .args(["-c", "repack.writeBitmaps=false"])
            .args(["repack", "-d", "-l", "-q", "--geometric=2"])
            .run()?;
        store
            .repo
            .git
            .odb()
            .and_then(|o| o.refresh())
            .map_err(crate::error::Error::git("reading the packs"))?;
        done.packed = true;
        Ok(done)
    }
}
