//! Gate rules: conditions over the evidence of a run.
//!
//! A rule is a condition in the language of [`crate::expr`], with dotted names (`vector.fma`,
//! `inst.shared`), quoted names that say what they belong to (`fact["vector.fma"]`,
//! `resource["…"]`, `counter["…"]`, `check["…"]`), and two functions over the generated source without
//! its comments and strings:
//! `has("text")` and `count("regular expression")` (multi-line mode).
//!
//! The answer has three values. What has no value is no evidence, never zero: such a rule is
//! neither passed nor failed, unless the rest of it settles the matter.

mod amount;
mod evidence;
#[cfg(test)]
mod tests;

use std::fmt;

use crate::expr::{
    Cond, EvalError, ExprError, Scope, Spanned, condition, names_of_condition, parse_condition,
    uses_text,
};
use crate::record::GateResult;

pub use amount::Amount;

/// Looks up the value of a name; `None` when there is no evidence.
///
/// A quoted name is first asked for with its kind (`fact:vector.fma`), then without.
pub type Lookup<'a> = &'a dyn Fn(&str) -> Option<f64>;

/// A condition that a variant must meet.
#[derive(Debug, Clone)]
pub struct Rule {
    source: String,
    root: Spanned<Cond>,
}

/// Two rules are equal when their texts are.
impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl Eq for Rule {}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)
    }
}

/// A gate as a campaign declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateSpec {
    /// Name, unique in the campaign.
    pub name: String,
    /// The condition.
    pub rule: Rule,
    /// What to tell a person when it is not met; may be empty.
    pub message: String,
}

impl Rule {
    /// Reads a rule.
    ///
    /// # Errors
    /// Says where the text stops being a condition, and what was expected.
    pub fn parse(text: &str) -> Result<Self, ExprError> {
        Ok(Self {
            source: text.to_owned(),
            root: parse_condition(text)?,
        })
    }

    /// The text it was read from.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The names it uses, each once, in order of appearance, without the kind they are quoted with.
    pub fn names(&self) -> Vec<&str> {
        let mut all = Vec::new();
        names_of_condition(&self.root, &mut all);
        let mut names: Vec<&str> = Vec::new();
        for (name, _) in all {
            if !names.contains(&name.name.as_str()) {
                names.push(&name.name);
            }
        }
        names
    }

    /// Whether it searches the generated source.
    pub fn needs_text(&self) -> bool {
        uses_text(&self.root)
    }

    /// Judges without generated source: `None` when there is no evidence.
    pub fn eval(&self, lookup: Lookup<'_>) -> Option<bool> {
        self.eval_with(lookup, None)
    }

    /// Judges with the generated source as `text`: `None` when there is no evidence, or when a
    /// division by zero or the like leaves the rule without a value.
    pub fn eval_with(&self, lookup: Lookup<'_>, text: Option<&str>) -> Option<bool> {
        self.outcome(&scope(lookup, text)).ok()
    }

    /// The names that have no value, each once; and whether generated source is asked for and absent.
    pub fn missing(&self, lookup: Lookup<'_>, text: Option<&str>) -> (Vec<&str>, bool) {
        let mut all = Vec::new();
        names_of_condition(&self.root, &mut all);
        let scope = scope(lookup, text);
        let mut missing: Vec<&str> = Vec::new();
        for (name, _) in all {
            if scope.value(name).is_none() && !missing.contains(&name.name.as_str()) {
                missing.push(&name.name);
            }
        }
        (missing, text.is_none() && self.needs_text())
    }

    /// The comparisons and searches of the rule in order, with the figures met, as text: e.g.
    /// `spills = 4, not <= 0`.
    pub fn evidence(&self, lookup: Lookup<'_>, text: Option<&str>) -> String {
        evidence::describe(&self.source, &self.root, &scope(lookup, text))
    }

    fn outcome(&self, scope: &Scope<'_>) -> Result<bool, EvalError> {
        condition(&self.root, scope)
    }
}

fn scope<'a>(lookup: Lookup<'a>, text: Option<&'a str>) -> Scope<'a> {
    Scope {
        lookup,
        text,
        exact: false,
    }
}

/// Judges a gate on figures alone; see [`judge_with_text`].
pub fn judge(gate: &GateSpec, lookup: Lookup<'_>) -> GateResult {
    judge_with_text(gate, lookup, None)
}

/// Judges a gate, with the figures that it used as evidence.
///
/// Evidence reads `max_abs_error = 3.1e-5 <= 1e-3`, `spills = 4, not <= 0`, or
/// `spills has no value`. Figures in it have six digits.
pub fn judge_with_text(gate: &GateSpec, lookup: Lookup<'_>, text: Option<&str>) -> GateResult {
    let scope = scope(lookup, text);
    let (pass, evidence) = match gate.rule.outcome(&scope) {
        Ok(pass) => {
            let mut evidence = evidence::describe(&gate.rule.source, &gate.rule.root, &scope);
            if !pass && !gate.message.is_empty() {
                evidence = format!("{evidence} ({})", gate.message);
            }
            (Some(pass), evidence)
        }
        Err(error) => (None, no_evidence(&gate.rule, lookup, text, &error)),
    };
    GateResult {
        name: gate.name.clone(),
        pass,
        evidence,
    }
}

fn no_evidence(rule: &Rule, lookup: Lookup<'_>, text: Option<&str>, error: &EvalError) -> String {
    let (names, source) = rule.missing(lookup, text);
    let mut parts = Vec::new();
    match names.as_slice() {
        [] => {}
        [one] => parts.push(format!("{one} has no value")),
        many => parts.push(format!("{} have no value", many.join(", "))),
    }
    if source {
        parts.push("there is no generated source to search".to_owned());
    }
    if parts.is_empty() {
        parts.push(error.to_string());
    }
    parts.join("; ")
}
