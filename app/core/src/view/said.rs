//! Sentences by their key and what fills them, so that they can be said in another language.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A sentence, or a part of one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Said {
    /// Which sentence.
    pub key: String,
    /// What fills its places, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<SaidValue>,
}

/// What fills a place of a sentence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SaidValue {
    /// A name or a number, the same in every language.
    Text(String),
    /// A part that is a sentence of its own.
    Said(Said),
    /// Several values one after the other.
    List(SaidList),
    /// A figure of side A and of side B.
    Step(SaidStep),
    /// A fact by its name, called what it is where facts stand beside counters.
    Fact(String),
    /// A counter by its canonical name.
    Counter(String),
    /// A fact by its name, called what it is where it stands for itself.
    Topic(String),
}

/// Several values one after the other.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SaidList {
    /// What stands between them: `comma`, `and` or `semicolon`.
    pub by: String,
    /// The values.
    pub items: Vec<SaidValue>,
}

/// A figure of side A and of side B.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SaidStep {
    /// Of side A; absent where it has none.
    pub a: Option<f64>,
    /// Of side B; absent where it has none.
    pub b: Option<f64>,
    /// Unit; `1` for a pure number.
    pub unit: String,
}
