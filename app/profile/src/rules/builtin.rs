//! The rule files that are built in.

/// Name and content of each.
pub(super) const FILES: &[(&str, &str)] = &[(
    "audit/reports.toml",
    include_str!("../../../../profiles/rules/audit/reports.toml"),
)];
