//! What a table of keys is made of.

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    /// Text on one line.
    Text,
    /// `[a-z0-9-]+`, part of a branch name.
    CampaignName,
    /// `[a-z0-9][a-z0-9._-]*`.
    Slug,
    /// Text on one line that names something.
    Label,
    /// A relative path without `..`.
    Path,
    /// At least `least` relative paths.
    Paths { least: usize },
    /// At least `least` texts on one line each.
    Texts { least: usize },
    /// Names of environment variables.
    Variables,
    /// A duration such as `10ms`, above zero unless `zero`.
    Duration { zero: bool },
    /// A percentage such as `1%`, below 100 %, above zero unless `zero`.
    Percent { zero: bool },
    /// A whole number within bounds.
    Count { least: u32, most: u32 },
    /// A finite number above zero.
    Positive,
    /// `true` or `false`.
    Flag,
    /// One of a list of words.
    Choice(&'static [&'static str]),
    /// A text for `sh -c`, or an array of a program and its arguments.
    Command,
    /// A formula.
    Formula,
    /// A gate rule.
    Rule,
    /// A regular expression with a group.
    Pattern,
    /// A regular expression.
    Search,
    /// A table of its own entry in the list of tables.
    Table(&'static str),
    /// An array of tables.
    Tables { path: &'static str, least: usize },
    /// Tables under names that the file chooses.
    Named(&'static str),
    /// Names to formulas.
    Formulas,
    /// Names to non-negative numbers.
    Dims,
    /// Names to texts, numbers or booleans.
    Params,
    /// `true` or `false`.
    Switch,
    /// Names of actions to keys.
    Bindings,
}

/// One key.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Key {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) required: bool,
    /// The value when the key is absent, as it would be written (without quotes).
    pub(crate) default: Option<&'static str>,
    pub(crate) doc: &'static str,
}

/// One table and its keys.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Table {
    /// Path with `NAME` for a chosen name; empty for the file itself.
    pub(crate) path: &'static str,
    pub(crate) doc: &'static str,
    pub(crate) keys: &'static [Key],
}

impl Table {
    pub(crate) fn key(&self, name: &str) -> Option<&'static Key> {
        self.keys.iter().find(|k| k.name == name)
    }
}

pub(super) const fn need(name: &'static str, kind: Kind, doc: &'static str) -> Key {
    Key {
        name,
        kind,
        required: true,
        default: None,
        doc,
    }
}

pub(super) const fn may(name: &'static str, kind: Kind, doc: &'static str) -> Key {
    Key {
        name,
        kind,
        required: false,
        default: None,
        doc,
    }
}

pub(super) const fn or(
    name: &'static str,
    kind: Kind,
    default: &'static str,
    doc: &'static str,
) -> Key {
    Key {
        name,
        kind,
        required: false,
        default: Some(default),
        doc,
    }
}

/// The table at `path`.
pub(crate) fn table(tables: &'static [Table], path: &str) -> Option<&'static Table> {
    tables.iter().find(|t| t.path == path)
}
