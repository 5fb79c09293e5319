//! JSON values that tell whether a key stands twice, which `serde_json` settles in silence.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// A value, and whether an object in it has a key twice.
pub(super) struct Strict {
    pub value: Value,
    pub twice: bool,
}

impl From<Value> for Strict {
    fn from(value: Value) -> Self {
        Self {
            value,
            twice: false,
        }
    }
}

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(Any)
    }
}

struct Any;

impl<'de> Visitor<'de> for Any {
    type Value = Strict;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Strict, E> {
        Ok(Value::Null.into())
    }

    fn visit_bool<E>(self, v: bool) -> Result<Strict, E> {
        Ok(Value::Bool(v).into())
    }

    fn visit_i64<E>(self, v: i64) -> Result<Strict, E> {
        Ok(Value::Number(v.into()).into())
    }

    fn visit_u64<E>(self, v: u64) -> Result<Strict, E> {
        Ok(Value::Number(v.into()).into())
    }

    fn visit_f64<E>(self, v: f64) -> Result<Strict, E> {
        Ok(Number::from_f64(v)
            .map_or(Value::Null, Value::Number)
            .into())
    }

    fn visit_str<E>(self, v: &str) -> Result<Strict, E> {
        Ok(Value::String(v.to_owned()).into())
    }

    fn visit_string<E>(self, v: String) -> Result<Strict, E> {
        Ok(Value::String(v).into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Strict, A::Error> {
        let (mut items, mut any) = (Vec::new(), false);
        while let Some(Strict { value, twice }) = seq.next_element()? {
            items.push(value);
            any |= twice;
        }
        Ok(Strict {
            value: Value::Array(items),
            twice: any,
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Strict, A::Error> {
        let (mut members, mut any) = (Map::new(), false);
        while let Some(key) = map.next_key::<String>()? {
            let Strict { value, twice } = map.next_value()?;
            any |= twice | members.insert(key, value).is_some();
        }
        Ok(Strict {
            value: Value::Object(members),
            twice: any,
        })
    }
}
