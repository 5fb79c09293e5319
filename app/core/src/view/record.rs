//! One record of the ledger, and what is stored beside it: where every number comes from in the end.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::LogRow;
use crate::text::inert;

/// Most of a list that is spelled out in [`RecordView::outline`].
const ITEMS: usize = 64;

/// Longest value there, in characters.
const VALUE: usize = 2000;

/// Most lines there; the whole is in [`RecordView::body`].
const LINES: usize = 5000;

/// `assay show ID --json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecordView {
    /// `assay.record-view/1`.
    pub schema: String,
    /// Campaign.
    pub campaign: String,
    /// What the log says of it.
    pub record: LogRow,
    /// Why it corrects another one, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What was recorded, as it stands in the ledger.
    pub body: Value,
    /// What is stored beside it: samples, logs, sources, reports.
    pub files: Vec<StoredFile>,
}

/// A file that a record refers to.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct StoredFile {
    /// Name.
    pub name: String,
    /// Hash of its content.
    pub sha256: String,
    /// Its length in bytes.
    pub bytes: u64,
    /// It is stored here; large ones need not be.
    pub stored: bool,
    /// Its text, of a long one the beginning and the end; absent where it is not stored or no text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Bytes between the beginning and the end that are left out.
    #[serde(default)]
    pub left_out: u64,
}

impl RecordView {
    /// What was recorded as lines of names and values, safe to show; what lies deeper is indented.
    pub fn outline(&self) -> Vec<String> {
        let mut out = Vec::new();
        match &self.body {
            Value::Object(o) => o.iter().for_each(|(k, v)| named(k, v, 0, &mut out)),
            other => out.push(scalar(other)),
        }
        if out.len() > LINES {
            let more = out.len() - LINES;
            out.truncate(LINES);
            out.push(format!("... +{more}"));
        }
        out
    }
}

fn named(name: &str, value: &Value, depth: usize, out: &mut Vec<String>) {
    if out.len() > LINES {
        return;
    }
    let head = format!("{}{}:", "  ".repeat(depth), inert(name));
    match value {
        Value::Object(o) if !o.is_empty() => {
            out.push(head);
            o.iter().for_each(|(k, v)| named(k, v, depth + 1, out));
        }
        Value::Array(a) if a.iter().any(|v| v.is_object() || v.is_array()) => {
            for (i, v) in a.iter().enumerate() {
                named(&format!("{name} {}", i + 1), v, depth, out);
            }
        }
        Value::Array(a) => {
            let mut items: Vec<String> = a.iter().take(ITEMS).map(scalar).collect();
            if a.len() > ITEMS {
                items.push(format!("... +{}", a.len() - ITEMS));
            }
            out.push(format!("{head} {}", items.join(", ")).trim_end().to_owned());
        }
        other => {
            let text = scalar(other);
            out.push(format!("{head} {text}").trim_end().to_owned());
        }
    }
}

/// A value in one line.
fn scalar(value: &Value) -> String {
    let text = match value {
        Value::String(s) => s.clone(),
        Value::Null => "-".into(),
        other => other.to_string(),
    };
    let mut short: String = text.chars().take(VALUE).collect();
    if short.len() < text.len() {
        short.push_str("...");
    }
    inert(&short).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn outline(body: Value) -> Vec<String> {
        let record = LogRow {
            id: "01J".into(),
            at: String::new(),
            by: String::new(),
            kind: "run".into(),
            variant: None,
            summary: String::new(),
            supersedes: None,
        };
        let view = RecordView {
            schema: String::new(),
            campaign: String::new(),
            record,
            reason: None,
            body,
            files: Vec::new(),
        };
        view.outline()
    }

    #[test]
    fn an_outline_names_every_value_and_nothing_in_it_acts() {
        let body = json!({
            "ratio": 0.9, "none": null, "why": "a\nb\x1b[2J", "empty": {}, "names": ["x", "y"],
            "gates": [{"name": "size", "pass": true}, {"name": "spills", "pass": null}],
        });
        assert_eq!(
            outline(body),
            [
                "empty: {}",
                "gates 1:",
                "  name: size",
                "  pass: true",
                "gates 2:",
                "  name: spills",
                "  pass: -",
                "names: x, y",
                "none: -",
                "ratio: 0.9",
                "why: a\\nb\\x1b[2J",
            ]
        );
        assert_eq!(outline(json!(3)), ["3"]);
    }

    #[test]
    fn an_outline_is_bounded() {
        let many: Vec<u32> = (0..1000).collect();
        let lines = outline(json!({ "many": many, "long": "x".repeat(10_000) }));
        assert!(lines.iter().all(|l| l.len() < 2100), "{lines:?}");
        assert!(lines[1].ends_with("63, ... +936"));
        let rows: Vec<Value> = (0..10_000).map(|i| json!({ "at": i })).collect();
        assert!(outline(json!({ "rows": rows })).len() <= LINES + 1);
    }
}
