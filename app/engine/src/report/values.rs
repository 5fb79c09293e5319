//! Two JSON documents of one report: which values differ, by JSON pointer.

use assay_core::text::{inert, truncate};
use serde_json::Value;

/// Values that both have, and one line for each that differs; none where the stored text is no JSON.
pub(super) fn beside(stored: &str, made: &str) -> Result<(usize, Vec<String>), String> {
    let read = |text: &str| serde_json::from_str::<Value>(text);
    let a = read(stored).map_err(|e| format!("line {}, column {}: {e}", e.line(), e.column()))?;
    let b = read(made).map_err(|e| e.to_string())?;
    let mut out = Walk::default();
    out.value("", Some(&a), Some(&b));
    Ok((out.same, out.differ))
}

/// When a report in JSON says that it was made.
pub(super) fn made_at(text: &str) -> Option<String> {
    let whole: Value = serde_json::from_str(text).ok()?;
    let at = whole.pointer("/report/generated_at")?;
    at.as_str().map(str::to_owned)
}

#[derive(Default)]
struct Walk {
    same: usize,
    differ: Vec<String>,
}

impl Walk {
    fn value(&mut self, at: &str, a: Option<&Value>, b: Option<&Value>) {
        match (a, b) {
            (Some(Value::Object(x)), Some(Value::Object(y))) => {
                let only_y = y.keys().filter(|k| !x.contains_key(*k));
                for key in x.keys().chain(only_y) {
                    let name = key.replace('~', "~0").replace('/', "~1");
                    self.value(&format!("{at}/{name}"), x.get(key), y.get(key));
                }
            }
            (Some(Value::Array(x)), Some(Value::Array(y))) => {
                for i in 0..x.len().max(y.len()) {
                    self.value(&format!("{at}/{i}"), x.get(i), y.get(i));
                }
            }
            (a, b) if a == b => self.same += 1,
            (a, b) => {
                let [a, b] = [a, b].map(|v| match v {
                    Some(v) => format!("`{}`", truncate(&inert(&v.to_string()), 160)),
                    None => "nothing".to_owned(),
                });
                self.differ
                    .push(format!("{}: {a}; the records come to {b}", inert(at)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_differ_are_named_by_their_place() {
        let stored = r#"{"report":{"generated_at":"T","list":[{"ratio":0.1,"a/b":1},{"x":2}]}}"#;
        let made = r#"{"report":{"generated_at":"T","list":[{"ratio":0.5,"a/b":1,"new":null}]}}"#;
        let (same, differ) = beside(stored, made).unwrap();
        assert_eq!(same, 2);
        assert_eq!(
            differ,
            [
                "/report/list/0/ratio: `0.1`; the records come to `0.5`",
                "/report/list/0/new: nothing; the records come to `null`",
                "/report/list/1: `{\"x\":2}`; the records come to nothing",
            ]
        );
        assert_eq!(made_at(stored).as_deref(), Some("T"));
        let failed = beside("{\n1", made).unwrap_err();
        assert!(failed.starts_with("line 2, column 1: "), "{failed}");
    }
}
