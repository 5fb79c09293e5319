//! Counters of the model as views.

use assay_core::view::{CounterView, DerivedView, LaunchView};
use assay_profile::{CounterRef, Launch, Scope, Status};
use serde_json::Value;

/// A launch as shown; `profile` is the number of its report.
pub fn launch_view(profile: usize, launch: &Launch, derived: Vec<DerivedView>) -> LaunchView {
    LaunchView {
        profile,
        kernel: launch.kernel.clone(),
        occurrence: launch.occurrence,
        scope: scope(launch.scope).into(),
        grid: launch.grid,
        block: launch.block,
        counters: launch.iter().map(counter).collect(),
        derived,
    }
}

fn counter(c: CounterRef<'_>) -> CounterView {
    CounterView {
        section: c.section().to_owned(),
        name: c.name().to_owned(),
        canonical: c.canonical().map(str::to_owned),
        value: c.exact().map(Value::Number),
        text: c.word().map(str::to_owned),
        unit: c.unit().to_owned(),
        resolution: c.resolution(),
        raw: c.raw().to_owned(),
        status: status(c.status()).into(),
        suspect: c.suspect().to_vec(),
    }
}

/// The word for what a set of counters is about.
pub fn scope(scope: Scope) -> &'static str {
    match scope {
        Scope::PerKernel => "per-kernel",
        Scope::Aggregate => "aggregate",
    }
}

fn status(status: Status) -> &'static str {
    match status {
        Status::Value => "value",
        Status::Text => "text",
        Status::Absent => "absent",
        Status::NotSupported => "not_supported",
        Status::Error => "error",
    }
}
