//! The filter of the Variants table: words and field terms, all of which must match.

use assay_core::view::VariantRow;

/// A parsed filter.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Filter {
    /// As typed.
    pub text: String,
    terms: Vec<Term>,
}

#[derive(Debug, Clone, PartialEq)]
enum Term {
    Word(String),
    Field(Field, String),
    Ratio(bool, f64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Name,
    Status,
    Verdict,
    Family,
    Parent,
    Why,
    Knob,
    Gate,
}

impl Filter {
    /// Parses; an unfinished or unknown term is a word, so that typing never shows an error.
    pub fn parse(text: &str) -> Self {
        Self {
            text: text.trim().to_owned(),
            terms: text.split_whitespace().map(term).collect(),
        }
    }

    /// No terms.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Whether all terms match.
    pub fn matches(&self, row: &VariantRow) -> bool {
        self.terms.iter().all(|t| t.matches(row))
    }
}

fn term(word: &str) -> Term {
    if let Some((name, value)) = word.split_once(':')
        && let Some(field) = field(name)
        && !value.is_empty()
    {
        return Term::Field(field, value.to_lowercase());
    }
    for (sign, below) in [('<', true), ('>', false)] {
        if let Some(("ratio", value)) = word.split_once(sign)
            && let Ok(limit) = value.parse()
        {
            return Term::Ratio(below, limit);
        }
    }
    Term::Word(word.to_lowercase())
}

fn field(name: &str) -> Option<Field> {
    Some(match name {
        "name" => Field::Name,
        "status" => Field::Status,
        "verdict" => Field::Verdict,
        "family" => Field::Family,
        "parent" => Field::Parent,
        "why" => Field::Why,
        "knob" => Field::Knob,
        "gate" => Field::Gate,
        _ => return None,
    })
}

impl Term {
    fn matches(&self, row: &VariantRow) -> bool {
        match self {
            Self::Word(w) => {
                has(&row.name, w)
                    || has(&row.why, w)
                    || row.family.as_deref().is_some_and(|f| has(f, w))
                    || knobs(row, w)
            }
            Self::Field(field, v) => match field {
                Field::Name => has(&row.name, v),
                Field::Status => has(&row.status, v),
                Field::Verdict => row.verdict.as_deref().is_some_and(|x| has(x, v)),
                Field::Family => row.family.as_deref().is_some_and(|x| has(x, v)),
                Field::Parent => row.parent.as_deref().is_some_and(|x| has(x, v)),
                Field::Why => has(&row.why, v),
                Field::Knob => knobs(row, v),
                Field::Gate => match v.as_str() {
                    "fail" => row.gates.iter().any(|g| g.pass == Some(false)),
                    "pass" => {
                        !row.gates.is_empty() && row.gates.iter().all(|g| g.pass == Some(true))
                    }
                    name => row
                        .gates
                        .iter()
                        .any(|g| g.pass == Some(false) && has(&g.name, name)),
                },
            },
            Self::Ratio(below, limit) => row
                .ratio
                .is_some_and(|r| if *below { r < *limit } else { r > *limit }),
        }
    }
}

fn knobs(row: &VariantRow, v: &str) -> bool {
    row.knobs.iter().any(|(k, x)| has(&format!("{k}={x}"), v))
}

fn has(text: &str, lower: &str) -> bool {
    text.to_lowercase().contains(lower)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::row;

    #[test]
    fn words_and_fields_narrow_down() {
        let mut v = row("tile-128-核", Some("base"));
        v.verdict = Some("FASTER".into());
        v.ratio = Some(0.9);
        v.status = "rejected".into();
        v.knobs.insert("tile".into(), "128".into());
        for (text, hit) in [
            ("", true),
            ("TILE", true),
            ("核", true),
            ("verdict:faster status:rej", true),
            ("verdict:slower", false),
            ("ratio<0.95", true),
            ("ratio>0.95", false),
            ("ratio<", false),
            ("knob:tile=128", true),
            ("tile=128", true),
            ("gate:fail", false),
            ("nosuch:field", false),
            ("verdict:", false),
        ] {
            assert_eq!(Filter::parse(text).matches(&v), hit, "{text}");
        }
    }
}
