//! Crate assay-report
