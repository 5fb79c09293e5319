//! The rule files that are built in.

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../../profiles/rules/", $name)))),*]
    };
}

/// Name and content of each.
pub(super) const FILES: &[(&str, &str)] = files![
    "audit/impossible.toml",
    "audit/mcprofiler.toml",
    "audit/subject.toml",
    "audit/device.toml",
    "audit/claims.toml",
    "audit/formulas.toml",
    "audit/pairs.toml",
    "audit/history.toml",
];
