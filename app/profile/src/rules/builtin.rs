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
    "diagnosis/launch_shape.toml",
    "diagnosis/matrix.toml",
    "diagnosis/memory.toml",
    "diagnosis/pairs.toml",
    "diagnosis/speed_of_light.toml",
    "diagnosis/stalls.toml",
];
