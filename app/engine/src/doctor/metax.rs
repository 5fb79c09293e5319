//! The back end for GPUs of MetaX.

use super::{Finding, Looking};

/// What it has and lacks.
pub(super) fn look(at: &Looking) -> Vec<Finding> {
    vec![at.tool(
        "mx-smi",
        &["--version"],
        "install the driver of MetaX and its tools",
    )]
}
