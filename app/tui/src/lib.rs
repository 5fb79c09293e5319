//! Crate assay-tui
