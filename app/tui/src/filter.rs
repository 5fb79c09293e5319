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
struct Term {
    /// It must not match.
    not: bool,
    what: What,
}

#[derive(Debug, Clone, PartialEq)]
enum What {
    Word(String),
    Field(Field, By, String),
    Figure(Figure, By, f64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Name,
    Status,
    Verdict,
    Family,
    Parent,
    Against,
    Why,
    Knob,
    Gate,
    Fail,
    Updated,
}

/// Numbers of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Figure {
    /// Ratio to what it was measured against.
    Ratio,
    /// Median of any workload, in nanoseconds.
    Median,
    /// What stands against it: a failure, and gates that failed.
    Err,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    Has,
    Is,
    Below,
    Above,
    AtMost,
    AtLeast,
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
        self.terms.iter().all(|t| t.what.matches(row) != t.not)
    }
}

fn term(word: &str) -> Term {
    if let Some(rest) = word.strip_prefix('-').filter(|r| !r.is_empty())
        && let what @ (What::Field(..) | What::Figure(..)) = what(rest)
    {
        return Term { not: true, what };
    }
    Term {
        not: false,
        what: what(word),
    }
}

fn what(word: &str) -> What {
    parsed(word).unwrap_or_else(|| What::Word(word.to_lowercase()))
}

/// A field, how it is compared, and with what.
fn parsed(word: &str) -> Option<What> {
    let at = word.find([':', '~', '=', '<', '>'])?;
    let (name, rest) = word.split_at(at);
    let (by, value) = match rest.as_bytes() {
        [b'<', b'=', ..] => (By::AtMost, &rest[2..]),
        [b'>', b'=', ..] => (By::AtLeast, &rest[2..]),
        [b'<', ..] => (By::Below, &rest[1..]),
        [b'>', ..] => (By::Above, &rest[1..]),
        [b'=', ..] => (By::Is, &rest[1..]),
        _ => (By::Has, &rest[1..]),
    };
    if value.is_empty() {
        return None;
    }
    if let Some(figure) = figure(name) {
        let value = match figure {
            Figure::Median => nanoseconds(value)?,
            _ => value.parse().ok()?,
        };
        return Some(What::Figure(figure, by, value));
    }
    let field = field(name)?;
    // Order is that of times, which are written so that their text has it.
    let ordered = !matches!(by, By::Has | By::Is);
    if ordered && field != Field::Updated {
        return None;
    }
    Some(What::Field(field, by, value.to_lowercase()))
}

fn field(name: &str) -> Option<Field> {
    Some(match name {
        "name" => Field::Name,
        "status" => Field::Status,
        "verdict" => Field::Verdict,
        "family" => Field::Family,
        "parent" => Field::Parent,
        "against" => Field::Against,
        "why" => Field::Why,
        "knob" => Field::Knob,
        "gate" => Field::Gate,
        "fail" => Field::Fail,
        "updated" => Field::Updated,
        _ => return None,
    })
}

fn figure(name: &str) -> Option<Figure> {
    Some(match name {
        "ratio" => Figure::Ratio,
        "median" | "time" => Figure::Median,
        "err" => Figure::Err,
        _ => return None,
    })
}

/// A time such as `10us`; without a unit it is in nanoseconds.
fn nanoseconds(text: &str) -> Option<f64> {
    const UNITS: [(&str, f64); 4] = [("ns", 1.0), ("us", 1e3), ("ms", 1e6), ("s", 1e9)];
    let unit = UNITS
        .iter()
        .find_map(|(u, n)| Some((text.strip_suffix(u)?, n)));
    let (value, scale) = unit.unwrap_or((text, &1.0));
    Some(value.parse::<f64>().ok()? * scale)
}

impl By {
    fn text(self, has: &str, value: &str) -> bool {
        let has = has.to_lowercase();
        match self {
            Self::Has => has.contains(value),
            Self::Is => has == value,
            // `2026-11` stands for the whole month.
            Self::Below => has.as_str() < value,
            Self::Above => has.as_str() > value && !has.starts_with(value),
            Self::AtMost => has.as_str() <= value || has.starts_with(value),
            Self::AtLeast => has.as_str() >= value,
        }
    }

    fn number(self, has: f64, value: f64) -> bool {
        match self {
            Self::Has | Self::Is => has == value,
            Self::Below => has < value,
            Self::Above => has > value,
            Self::AtMost => has <= value,
            Self::AtLeast => has >= value,
        }
    }
}

impl What {
    fn matches(&self, row: &VariantRow) -> bool {
        match self {
            Self::Word(w) => {
                has(&row.name, w)
                    || has(&row.why, w)
                    || row.family.as_deref().is_some_and(|f| has(f, w))
                    || knobs(row, By::Has, w)
            }
            Self::Field(field, by, v) => text(*field, *by, v, row),
            Self::Figure(figure, by, v) => match figure {
                Figure::Ratio => row.ratio.is_some_and(|r| by.number(r, *v)),
                Figure::Median => row.median_ns.values().any(|m| by.number(*m, *v)),
                Figure::Err => by.number(errors(row) as f64, *v),
            },
        }
    }
}

fn text(field: Field, by: By, v: &str, row: &VariantRow) -> bool {
    let of = |x: Option<&str>| x.is_some_and(|x| by.text(x, v));
    match field {
        Field::Name => by.text(&row.name, v),
        Field::Status => by.text(&row.status, v),
        Field::Verdict => of(row.verdict.as_deref()),
        Field::Family => of(row.family.as_deref()),
        Field::Parent => of(row.parent.as_deref()),
        Field::Against => of(row.against.as_deref()),
        Field::Why => by.text(&row.why, v),
        Field::Knob => knobs(row, by, v),
        Field::Fail => of(row.failure.as_ref().map(|f| f.kind.as_str())),
        Field::Updated => by.text(&row.updated_at, v),
        Field::Gate => match v {
            "fail" => row.gates.iter().any(|g| g.pass == Some(false)),
            "pass" => !row.gates.is_empty() && row.gates.iter().all(|g| g.pass == Some(true)),
            name => (row.gates.iter()).any(|g| g.pass == Some(false) && by.text(&g.name, name)),
        },
    }
}

/// What stands against a variant: a failure, and gates that failed.
fn errors(row: &VariantRow) -> usize {
    let gates = row.gates.iter().filter(|g| g.pass == Some(false)).count();
    gates + usize::from(row.failure.is_some())
}

fn knobs(row: &VariantRow, by: By, v: &str) -> bool {
    let mut all = row.knobs.iter().map(|(k, x)| format!("{k}={x}"));
    all.any(|k| by.text(&k, v))
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
        v.median_ns.insert("square".into(), 9_000.0);
        v.updated_at = "2026-11-30T01:55:00Z".into();
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
            ("name~TILE", true),
            ("name=tile", false),
            ("status=rejected", true),
            ("-status:rejected", false),
            ("-verdict:slower", true),
            ("-tile", false),
            ("err:0", true),
            ("err>0", false),
            ("err:x", false),
            ("ratio<=0.9", true),
            ("median<10us", true),
            ("time>=9us", true),
            ("median<9000", false),
            ("median<9parsecs", false),
            ("updated>2020", true),
            ("updated<2020", false),
            ("name<z", false),
        ] {
            assert_eq!(Filter::parse(text).matches(&v), hit, "{text}");
        }
    }
}
