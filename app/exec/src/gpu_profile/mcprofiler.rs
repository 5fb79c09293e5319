//! mcProfiler of MetaX.

use std::ffi::OsString;

use super::{Ask, GpuProfiled};
use crate::ExecError;

/// Why it cannot be used here.
pub fn missing(_lookup: &dyn Fn(&str) -> Option<OsString>) -> Option<String> {
    Some("mcProfiler is not run by this version; import its reports with `assay import`".into())
}

/// Runs a command under it.
///
/// # Errors
/// When no pipe can be made.
pub fn run(_ask: &Ask<'_>) -> Result<GpuProfiled, ExecError> {
    Ok(GpuProfiled::default())
}
