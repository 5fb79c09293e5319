//! The envelope of a record, its canonical bytes and its hash.

use jiff::Timestamp;
use serde_json::{Map, Value};

use super::Body;
use crate::{RecordId, Sha256, json};

/// The schema that this version writes.
pub const SCHEMA: &str = "assay.record/1";

/// Why bytes are not a record.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// Not JSON at all, or not an object.
    #[error("not a JSON object: {0}")]
    NotJson(String),
    /// A field of the envelope is missing or has the wrong type.
    #[error("field `{field}`: {problem}")]
    Field {
        /// Name of the field.
        field: &'static str,
        /// What is wrong with it.
        problem: String,
    },
    /// The hash in the record is not the hash of the record.
    #[error("content does not match its hash: recorded {recorded}, computed {computed}")]
    Hash {
        /// The hash that stands in the record.
        recorded: Sha256,
        /// The hash of what the record holds.
        computed: Sha256,
    },
    /// The body cannot be written as JSON.
    #[error("cannot be written as JSON: {0}")]
    Write(#[from] serde_json::Error),
}

/// One immutable record of the ledger.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Identity; also the file name.
    pub id: RecordId,
    /// When the record was made (UTC).
    pub created_at: Timestamp,
    /// Who made it: a name as given by git or `--as`, or `policy`.
    pub by: String,
    /// Name of the campaign.
    pub campaign: String,
    /// The record that this one corrects, if it is a correction.
    pub supersedes: Option<RecordId>,
    /// Why it corrects that record; required with `supersedes`.
    pub reason: Option<String>,
    /// What is recorded.
    pub body: Body,
}

impl Record {
    /// A new record with a fresh id.
    pub fn new(
        at: Timestamp,
        by: impl Into<String>,
        campaign: impl Into<String>,
        body: Body,
    ) -> Self {
        Self {
            id: RecordId::fresh(at),
            created_at: at,
            by: by.into(),
            campaign: campaign.into(),
            supersedes: None,
            reason: None,
            body,
        }
    }

    fn unsigned(&self) -> Result<Map<String, Value>, RecordError> {
        let (kind, body) = self.body.to_parts()?;
        let mut o = Map::new();
        o.insert("schema".into(), SCHEMA.into());
        o.insert("id".into(), self.id.to_string().into());
        o.insert("created_at".into(), self.created_at.to_string().into());
        o.insert("by".into(), self.by.clone().into());
        o.insert("campaign".into(), self.campaign.clone().into());
        o.insert("kind".into(), kind.into());
        o.insert("body".into(), body);
        if let Some(s) = self.supersedes {
            o.insert("supersedes".into(), s.to_string().into());
        }
        if let Some(r) = &self.reason {
            o.insert("reason".into(), r.clone().into());
        }
        Ok(o)
    }

    /// The canonical bytes: sorted keys, the hash of the rest in `sha256`, one line feed at the end.
    ///
    /// # Errors
    /// When the body cannot be written as JSON.
    pub fn to_bytes(&self) -> Result<Vec<u8>, RecordError> {
        let mut o = self.unsigned()?;
        let sha = json::digest(&o)?;
        o.insert("sha256".into(), sha.to_string().into());
        let mut text = json::canonical(&o)?;
        text.push('\n');
        Ok(text.into_bytes())
    }

    /// Reads a record and checks its hash.
    ///
    /// # Errors
    /// When the bytes are not JSON, lack a field of the envelope, or do not match their hash. A
    /// body of unknown kind or shape is not an error.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, RecordError> {
        let value: Value =
            serde_json::from_slice(bytes).map_err(|e| RecordError::NotJson(e.to_string()))?;
        let Value::Object(mut o) = value else {
            return Err(RecordError::NotJson("the document is not an object".into()));
        };
        let recorded: Sha256 = parse(&mut o, "sha256")?;
        let computed = json::digest(&o)?;
        if recorded != computed {
            return Err(RecordError::Hash { recorded, computed });
        }
        let schema: String = text(&mut o, "schema")?;
        let kind = text(&mut o, "kind")?;
        let body = o.remove("body").ok_or(missing("body"))?;
        let body = if schema == SCHEMA {
            Body::from_parts(&kind, body)
        } else {
            Body::Unknown {
                kind,
                body,
                problem: format!("schema `{schema}` is not known to this version"),
            }
        };
        Ok(Self {
            id: parse(&mut o, "id")?,
            created_at: parse(&mut o, "created_at")?,
            by: text(&mut o, "by")?,
            campaign: text(&mut o, "campaign")?,
            supersedes: if o.contains_key("supersedes") {
                Some(parse(&mut o, "supersedes")?)
            } else {
                None
            },
            reason: if o.contains_key("reason") {
                Some(text(&mut o, "reason")?)
            } else {
                None
            },
            body,
        })
    }

    /// Where the record stands in the ledger tree: `records/YYYY/MM/DD/XX/<id>.json`.
    ///
    /// The last two characters of the id are random, so that no directory grows large.
    pub fn path(&self) -> String {
        let id = self.id.to_string();
        let day = self.created_at.strftime("%Y/%m/%d");
        format!("records/{day}/{}/{id}.json", &id[id.len() - 2..])
    }
}

fn missing(field: &'static str) -> RecordError {
    RecordError::Field {
        field,
        problem: "missing".into(),
    }
}

fn text(o: &mut Map<String, Value>, field: &'static str) -> Result<String, RecordError> {
    match o.remove(field) {
        Some(Value::String(s)) => Ok(s),
        Some(_) => Err(RecordError::Field {
            field,
            problem: "is not a string".into(),
        }),
        None => Err(missing(field)),
    }
}

fn parse<T>(o: &mut Map<String, Value>, field: &'static str) -> Result<T, RecordError>
where
    T: std::str::FromStr,
    T::Err: std::fmt::Display,
{
    text(o, field)?
        .parse()
        .map_err(|e: T::Err| RecordError::Field {
            field,
            problem: e.to_string(),
        })
}

#[cfg(test)]
mod tests {
    use super::super::Note;
    use super::*;

    fn note(text: &str) -> Record {
        let at: Timestamp = "2026-11-30T01:02:03.5Z".parse().unwrap();
        let mut r = Record::new(at, "someone", "gemm", Body::Note(Note::new(None, text)));
        r.id = RecordId::from_parts(1_796_000_000_000, 7);
        r
    }

    #[test]
    fn round_trips_and_is_stable() {
        let r = note("核");
        let bytes = r.to_bytes().unwrap();
        assert_eq!(Record::from_bytes(&bytes).unwrap(), r);
        assert_eq!(
            Record::from_bytes(&bytes).unwrap().to_bytes().unwrap(),
            bytes
        );
    }

    #[test]
    fn any_changed_byte_is_noticed() {
        let bytes = String::from_utf8(note("one").to_bytes().unwrap()).unwrap();
        let changed = bytes.replace("one", "two");
        assert!(matches!(
            Record::from_bytes(changed.as_bytes()),
            Err(RecordError::Hash { .. })
        ));
        assert!(matches!(
            Record::from_bytes(b"[]"),
            Err(RecordError::NotJson(_))
        ));
        assert!(matches!(
            Record::from_bytes(b"{}"),
            Err(RecordError::Field {
                field: "sha256",
                ..
            })
        ));
    }

    #[test]
    fn an_unknown_kind_is_kept_to_the_byte() {
        let mut r = note("x");
        r.body = Body::Unknown {
            kind: "hologram".into(),
            body: serde_json::json!({"a":[1,2]}),
            problem: String::new(),
        };
        let bytes = r.to_bytes().unwrap();
        let back = Record::from_bytes(&bytes).unwrap();
        assert!(matches!(&back.body, Body::Unknown { kind, .. } if kind == "hologram"));
        assert_eq!(back.to_bytes().unwrap(), bytes);
    }

    #[test]
    fn the_path_is_sharded_by_day_and_by_the_random_end_of_the_id() {
        let r = note("x");
        let id = r.id.to_string();
        assert_eq!(r.path(), format!("records/2026/11/30/07/{id}.json"));
    }
}
