//! Canonical JSON: one text for one value, so that a hash of it means something.

use serde::Serialize;
use serde_json::Value;

use crate::Sha256;

/// Writes `value` as canonical JSON: keys sorted, no white space, shortest round-trip numbers.
///
/// # Errors
/// When the value holds a map with keys that are not strings. A float that is not finite becomes
/// `null`, as `serde_json` has it, so callers must not hand one over as a figure.
pub fn canonical(value: &impl Serialize) -> Result<String, serde_json::Error> {
    // `serde_json::Value` keeps objects in a sorted map (its `preserve_order` is off here).
    serde_json::to_value(value).and_then(|v| serde_json::to_string(&v))
}

/// The SHA-256 of the canonical JSON of `value`.
///
/// # Errors
/// As [`canonical`].
pub fn digest(value: &impl Serialize) -> Result<Sha256, serde_json::Error> {
    canonical(value).map(Sha256::of)
}

/// Removes `key` from an object and returns what stood there.
pub fn take(value: &mut Value, key: &str) -> Option<Value> {
    value.as_object_mut().and_then(|o| o.remove(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_sorted_whatever_their_order_was() {
        let a: Value = serde_json::from_str(r#"{"b":1, "a":{"d":2,"c":0.1}}"#).unwrap();
        assert_eq!(canonical(&a).unwrap(), r#"{"a":{"c":0.1,"d":2},"b":1}"#);
    }
}
