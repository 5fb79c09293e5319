//! Typed access to tables whose form has been checked.

use toml::de::{DeTable, DeValue};

use super::doc::{Value, entries, number};
use super::keys::Table;
use super::{Command, ParamValue, Params};
use crate::expr::Expr;
use crate::units::{DurationNs, Ratio};

/// A table seen through the layers that can set its keys, the strongest first.
///
/// Values that do not have the right form read as absent: they were reported by the walk.
pub(super) struct Section<'t, 'a> {
    pub(super) def: Option<&'static Table>,
    pub(super) layers: Vec<&'t DeTable<'a>>,
}

/// The table under a key.
pub(super) fn child<'t, 'a>(table: &'t DeTable<'a>, key: &str) -> Option<&'t DeTable<'a>> {
    table.get(key)?.get_ref().as_table()
}

/// The tables of an array under a key, each with its place.
pub(super) fn children<'t, 'a>(table: &'t DeTable<'a>, key: &str) -> Vec<(usize, &'t DeTable<'a>)> {
    let Some(array) = table.get(key).and_then(|v| v.get_ref().as_array()) else {
        return Vec::new();
    };
    array
        .iter()
        .filter_map(|v| Some((v.span().start, v.get_ref().as_table()?)))
        .collect()
}

impl<'t, 'a> Section<'t, 'a> {
    pub(super) fn get(&self, key: &str) -> Option<&'t Value<'a>> {
        self.layers.iter().find_map(|t| t.get(key))
    }

    /// The text of a key, or its default.
    pub(super) fn text(&self, key: &str) -> String {
        let default = || self.def.and_then(|d| d.key(key)?.default).unwrap_or("");
        self.get(key)
            .and_then(|v| v.get_ref().as_str())
            .unwrap_or_else(default)
            .to_owned()
    }

    pub(super) fn duration_ns(&self, key: &str) -> u64 {
        self.text(key).parse().map_or(0, |DurationNs(ns)| ns)
    }

    pub(super) fn ratio(&self, key: &str) -> Ratio {
        self.text(key).parse().unwrap_or(Ratio(0.0))
    }

    pub(super) fn number(&self, key: &str) -> f64 {
        match self.get(key) {
            Some(v) => number(v.get_ref()).unwrap_or(0.0),
            None => self.text(key).parse().unwrap_or(0.0),
        }
    }

    pub(super) fn flag(&self, key: &str) -> bool {
        match self.get(key) {
            Some(v) => v.get_ref().as_bool().unwrap_or(false),
            None => self.text(key) == "true",
        }
    }

    pub(super) fn list(&self, key: &str) -> Vec<String> {
        match self.get(key).and_then(|v| v.get_ref().as_array()) {
            Some(array) => array
                .iter()
                .filter_map(|v| v.get_ref().as_str().map(str::to_owned))
                .collect(),
            None => Some(self.text(key))
                .filter(|t| !t.is_empty())
                .into_iter()
                .collect(),
        }
    }

    pub(super) fn command(&self, key: &str) -> Option<Command> {
        match self.get(key)?.get_ref() {
            DeValue::String(s) => Some(Command::Shell(s.to_string())),
            DeValue::Array(_) => Some(Command::Exec(self.list(key))),
            _ => None,
        }
    }

    pub(super) fn formula(&self, key: &str) -> Option<Expr> {
        Expr::parse(self.get(key)?.get_ref().as_str()?).ok()
    }
}

/// Names to numbers, in the order of the file.
pub(super) fn numbers(table: Option<&DeTable<'_>>) -> Vec<(String, f64)> {
    let Some(table) = table else {
        return Vec::new();
    };
    entries(table)
        .into_iter()
        .filter_map(|(k, v)| Some((k.get_ref().to_string(), number(v.get_ref())?)))
        .collect()
}

/// Parameters by name.
pub(super) fn params(table: Option<&DeTable<'_>>) -> Params {
    let Some(table) = table else {
        return Params::new();
    };
    let value = |v: &DeValue<'_>| match v {
        DeValue::String(s) => Some(ParamValue::Text(s.to_string())),
        DeValue::Boolean(b) => Some(ParamValue::Bool(*b)),
        other => number(other).map(ParamValue::Number),
    };
    table
        .iter()
        .filter_map(|(k, v)| Some((k.get_ref().to_string(), value(v.get_ref())?)))
        .collect()
}
