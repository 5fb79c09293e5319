//! Two documents of the same shape beside each other: what is recorded and what comes out.
//!
//! Records are compared as the JSON that they are kept as, so that a figure that a later version
//! adds to a record is compared without being named here.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// What two computations in doubles may differ by, relative to the larger.
const SLACK: f64 = 1e-9;

/// Keys that tell the elements of a list apart, in the order in which they make their name.
const LABELS: [&str; 4] = ["workload", "subject", "policy", "processes"];

/// One figure, recorded and computed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Beside {
    /// Where it stands, e.g. `interval.low` or `smallest_effects.4.effect`.
    pub figure: String,
    /// The workload of the list element that it stands in.
    pub workload: Option<String>,
    /// The subject of that element.
    pub subject: Option<String>,
    pub recorded: Value,
    pub computed: Value,
}

impl Beside {
    pub fn agrees(&self) -> bool {
        same(&self.recorded, &self.computed)
    }

    /// The figure with what it is of, for people.
    pub fn name(&self) -> String {
        let of = [&self.subject, &self.workload].into_iter().flatten();
        let of: Vec<&str> = of.map(String::as_str).collect();
        match of.as_slice() {
            [] => self.figure.clone(),
            parts => format!("{} of {}", self.figure, parts.join(" on ")),
        }
    }

    /// Unit of the figure, from its name.
    pub fn unit(&self) -> &'static str {
        match self.figure.rsplit('.').find(|p| !is_end(p)) {
            Some(name) if name.ends_with("_ns") => "ns",
            Some("observed_percent") => "%",
            _ => "1",
        }
    }
}

/// Names of the ends of an interval.
const ENDS: [&str; 2] = ["low", "high"];

fn is_end(part: &str) -> bool {
    ENDS.contains(&part)
}

/// Every figure of two documents. What neither of them has is no figure.
pub(crate) fn beside(recorded: &Value, computed: &Value) -> Vec<Beside> {
    let mut walk = Walk::default();
    walk.value(recorded, computed);
    walk.out
}

#[derive(Default)]
struct Walk {
    at: Vec<String>,
    workload: Option<String>,
    subject: Option<String>,
    out: Vec<Beside>,
}

impl Walk {
    fn value(&mut self, a: &Value, b: &Value) {
        match (a, b) {
            (Value::Null, Value::Null) => {}
            (Value::Object(x), Value::Object(y)) => self.object(x, y),
            (Value::Object(x), Value::Null) => self.object(x, &Map::new()),
            (Value::Null, Value::Object(y)) => self.object(&Map::new(), y),
            (Value::Array(x), Value::Array(y)) => self.list(x, y),
            (Value::Array(x), Value::Null) => self.list(x, &[]),
            (Value::Null, Value::Array(y)) => self.list(&[], y),
            _ => self.out.push(Beside {
                figure: self.at.join("."),
                workload: self.workload.clone(),
                subject: self.subject.clone(),
                recorded: a.clone(),
                computed: b.clone(),
            }),
        }
    }

    fn under(&mut self, name: String, a: &Value, b: &Value) {
        self.at.push(name);
        self.value(a, b);
        self.at.pop();
    }

    fn object(&mut self, a: &Map<String, Value>, b: &Map<String, Value>) {
        let only_b = b.keys().filter(|k| !a.contains_key(*k));
        for key in a.keys().chain(only_b) {
            let of = |m: &Map<String, Value>| m.get(key).cloned().unwrap_or(Value::Null);
            self.under(key.clone(), &of(a), &of(b));
        }
    }

    fn list(&mut self, a: &[Value], b: &[Value]) {
        let has_label = |v: &Value| v.as_object().is_some_and(|m| !label(m).is_empty());
        if a.iter().chain(b).all(has_label) && !(a.is_empty() && b.is_empty()) {
            return self.elements(a, b);
        }
        let ends = a.len() <= 2 && b.len() <= 2;
        for i in 0..a.len().max(b.len()) {
            let name = match (ends, ENDS.get(i)) {
                (true, Some(end)) => (*end).to_owned(),
                _ => i.to_string(),
            };
            let of = |v: &[Value]| v.get(i).cloned().unwrap_or(Value::Null);
            self.under(name, &of(a), &of(b));
        }
    }

    /// Elements that say themselves what they are of, whatever their order.
    fn elements(&mut self, a: &[Value], b: &[Value]) {
        let (left, right) = (labelled(a), labelled(b));
        let outer = (self.workload.clone(), self.subject.clone());
        let only_right = right.keys().filter(|k| !left.contains_key(*k));
        for key in left.keys().chain(only_right) {
            let of = |v: &BTreeMap<Label, &Value>| v.get(key).map_or(Value::Null, |v| (*v).clone());
            let (mut x, mut y) = (of(&left), of(&right));
            let mut names = 0;
            for (key, word) in &key.0 {
                // What tells elements apart is no figure of theirs.
                for v in [&mut x, &mut y] {
                    v.as_object_mut().map(|m| m.remove(*key));
                }
                match *key {
                    "workload" => self.workload = Some(word.clone()),
                    "subject" => self.subject = Some(word.clone()),
                    _ => {
                        self.at.push(word.clone());
                        names += 1;
                    }
                }
            }
            self.value(&x, &y);
            self.at.truncate(self.at.len() - names);
            (self.workload, self.subject) = outer.clone();
        }
    }
}

/// What an element of a list is of, and which of those that are of the same it is.
type Label = (Vec<(&'static str, String)>, usize);

fn labelled(list: &[Value]) -> BTreeMap<Label, &Value> {
    let mut times: BTreeMap<Vec<(&str, String)>, usize> = BTreeMap::new();
    let mut out = BTreeMap::new();
    for element in list {
        let label = element.as_object().map(label).unwrap_or_default();
        let nth = times.entry(label.clone()).or_insert(0);
        out.insert((label, *nth), element);
        *nth += 1;
    }
    out
}

/// What tells an element of a list from the others.
fn label(element: &Map<String, Value>) -> Vec<(&'static str, String)> {
    let mut found: Vec<(&str, String)> = Vec::new();
    for key in LABELS {
        let word = match element.get(key) {
            Some(Value::String(s)) => s.clone(),
            // The number of processes is the label of a smallest effect, and a figure elsewhere.
            Some(Value::Number(n)) if found.is_empty() => n.to_string(),
            _ => continue,
        };
        found.push((key, word));
    }
    found
}

/// Equal but for rounding.
fn same(a: &Value, b: &Value) -> bool {
    match (a.as_f64(), b.as_f64()) {
        (Some(x), Some(y)) => (x - y).abs() <= SLACK * x.abs().max(y.abs()),
        _ => a == b,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn figures_are_named_by_where_they_stand() {
        let recorded = json!({"ratio": 0.9, "interval": [0.8, 1.0], "verdict": "FASTER", "gone": null,
            "workloads": [{"workload": "w", "ratio": 0.9, "a_median_ns": 10.0}],
            "smallest_effects": [{"processes": 4, "effect": 0.01}]});
        let computed = json!({"ratio": 0.9000000000001, "interval": [0.8, 1.1], "verdict": "SAME",
            "workloads": [{"workload": "w", "ratio": 0.9, "a_median_ns": 10.0},
                          {"workload": "v", "ratio": 1.0, "a_median_ns": null}],
            "smallest_effects": [{"processes": 4, "effect": 0.01}]});
        let all = beside(&recorded, &computed);
        let wrong: Vec<String> = (all.iter().filter(|b| !b.agrees()))
            .map(|b| {
                let of = b.workload.as_deref().unwrap_or("-");
                format!("{of} {} {} {}", b.figure, b.recorded, b.computed)
            })
            .collect();
        assert_eq!(
            wrong,
            [
                "- interval.high 1.0 1.1",
                "- verdict \"FASTER\" \"SAME\"",
                "v workloads.ratio null 1.0"
            ]
        );
        let of = |name: &str| all.iter().find(|b| b.figure == name).unwrap();
        assert_eq!(of("workloads.a_median_ns").unit(), "ns");
        assert_eq!(of("smallest_effects.4.effect").unit(), "1");
        assert_eq!(of("interval.low").unit(), "1");
    }

    #[test]
    fn elements_are_told_apart_by_what_they_are_of() {
        let of = |n: f64, names: [&str; 2]| {
            let row =
                |(i, s): (usize, &&str)| json!({"workload": "w", "subject": s, "n": n + i as f64});
            Value::Array(names.iter().enumerate().map(row).collect())
        };
        let all = beside(&of(1.0, ["a", "b"]), &of(1.0, ["b", "a"]));
        assert_eq!(all.len(), 2);
        assert!(
            all.iter().all(|b| b.figure == "n" && !b.agrees()),
            "{all:?}"
        );
        assert_eq!(all[1].subject.as_deref(), Some("b"));
        let twice = beside(&of(1.0, ["a", "a"]), &of(1.0, ["a", "a"]));
        assert!(
            twice.len() == 2 && twice.iter().all(Beside::agrees),
            "{twice:?}"
        );
        assert!(beside(&json!([]), &json!([])).is_empty());
        assert!(
            beside(&json!({"a": [1, 2]}), &json!({"a": [1, 2]}))
                .iter()
                .all(Beside::agrees)
        );
    }
}
