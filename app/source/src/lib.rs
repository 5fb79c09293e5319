//! Crate assay-source
