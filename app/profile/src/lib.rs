//! Crate assay-profile
