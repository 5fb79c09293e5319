//! Crate assay-table
