//! Crate assay-engine
