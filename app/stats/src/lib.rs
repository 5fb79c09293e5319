//! Crate assay-stats
