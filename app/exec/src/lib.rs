//! Crate assay-exec
