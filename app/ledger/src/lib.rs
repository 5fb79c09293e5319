//! Crate assay-ledger
