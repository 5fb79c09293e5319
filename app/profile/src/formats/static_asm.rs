//! Facts of generated assembly as a profile: counters for a machine that has none.
//!
//! The counts are instructions in the text, not instructions executed. The tool is `static`, and
//! the catalog gives them names of their own, so that they are never compared with executed ones.

use std::collections::BTreeMap;

use assay_core::record::Figure;
use serde_json::Number;

use crate::{Catalog, Counter, Launch, Profile, Scope, Status};

/// Name of the tool in the profile and in the catalog.
pub const TOOL: &str = "static";

/// A profile from facts by name; `language` becomes the flavour, e.g. `asm-x86_64`.
pub fn from_facts(facts: &BTreeMap<String, Figure>, language: &str) -> Profile {
    let mut profile = Profile::new(TOOL, language);
    let mut launch = Launch::new("(all generated code)", Scope::Aggregate);
    for (name, figure) in facts {
        let mut c = Counter::without_value("", name, "", figure.unit.as_str(), Status::Error);
        c.raw = figure.value.to_string().into();
        match number(figure.value) {
            Some(n) => {
                c.value = Some(n);
                c.status = Status::Value;
            }
            None => c.suspect.push("not a finite number".into()),
        }
        launch.push(c);
    }
    profile.launches.push(launch);
    Catalog::builtin().name_counters(&mut profile);
    profile
}

/// Whole numbers as integers, so that they print without a decimal point.
fn number(value: f64) -> Option<Number> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() <= EXACT {
        return Some((value as i64).into());
    }
    Number::from_f64(value)
}
