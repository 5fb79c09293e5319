//! The filter of the Variants table: words and field terms, all of which must match.

mod fields;

use assay_core::text::{inert, nearest};
use assay_core::view::VariantRow;

use crate::strings::{Strings, fill};
pub use fields::{FIELDS, FieldInfo};
use fields::{Field, Figure, Of, words};

/// A parsed filter.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Filter {
    /// As typed.
    pub text: String,
    /// What is wrong with it: such a term is looked for as a word.
    pub problem: Option<Problem>,
    terms: Vec<Term>,
}

/// What is wrong with a term.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// No field has this name; the one that may have been meant.
    Field(String, Option<&'static str>),
    /// The field takes a number.
    Number(&'static str),
    /// The field takes a time such as `10us`.
    Time(&'static str),
    /// The time has no unit.
    Unit(&'static str),
    /// The field takes a date, whole or its beginning.
    Date(&'static str),
    /// There is nothing to compare with yet; a term with the field.
    Empty(&'static str, &'static str),
    /// The field has no order.
    Order(&'static str),
    /// The field never has this word; the one that may have been meant.
    Word(&'static str, String, Option<String>),
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
enum By {
    Has,
    Is,
    Below,
    Above,
    AtMost,
    AtLeast,
}

impl Filter {
    /// Parses; an unfinished or unknown term is a word, and what is wrong with it is told.
    pub fn parse(text: &str) -> Self {
        let mut problem = None;
        let terms = text
            .split_whitespace()
            .map(|w| term(w, &mut problem))
            .collect();
        Self {
            text: text.trim().to_owned(),
            terms,
            problem,
        }
    }

    /// No terms.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Whether all terms match. `shown` is the hypothesis as it is shown, where that is not as it is
    /// recorded.
    pub fn matches(&self, row: &VariantRow, shown: Option<&str>) -> bool {
        let holds = |w: &What| w.matches(row) || shown.is_some_and(|why| w.is_said_by(why));
        self.terms.iter().all(|t| holds(&t.what) != t.not)
    }

    /// Whether hypotheses are looked through.
    pub fn reads_why(&self) -> bool {
        let reads = |t: &Term| matches!(t.what, What::Word(_) | What::Field(Field::Why, ..));
        self.terms.iter().any(reads)
    }

    /// The texts that names must hold, in small letters.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.terms
            .iter()
            .filter(|t| !t.not)
            .filter_map(|t| match &t.what {
                What::Word(w) | What::Field(Field::Name, _, w) => Some(w.as_str()),
                _ => None,
            })
    }
}

fn term(word: &str, problem: &mut Option<Problem>) -> Term {
    if let Some(rest) = word.strip_prefix('-').filter(|r| !r.is_empty())
        && let what @ (What::Field(..) | What::Figure(..)) = what(rest, problem)
    {
        return Term { not: true, what };
    }
    Term {
        not: false,
        what: what(word, problem),
    }
}

fn what(word: &str, problem: &mut Option<Problem>) -> What {
    match parsed(word) {
        Ok(Some(what)) => return what,
        Ok(None) => {}
        Err(p) => _ = problem.get_or_insert(p),
    }
    What::Word(word.to_lowercase())
}

/// A field, how it is compared, and with what; nothing where the word is no such term.
fn parsed(word: &str) -> Result<Option<What>, Problem> {
    let Some(at) = word.find([':', '~', '=', '<', '>']) else {
        return Ok(None);
    };
    let (name, rest) = word.split_at(at);
    let (by, value) = match rest.as_bytes() {
        [b'<', b'=', ..] => (By::AtMost, &rest[2..]),
        [b'>', b'=', ..] => (By::AtLeast, &rest[2..]),
        [b'<', ..] => (By::Below, &rest[1..]),
        [b'>', ..] => (By::Above, &rest[1..]),
        [b'=', ..] => (By::Is, &rest[1..]),
        _ => (By::Has, &rest[1..]),
    };
    let Some(info) = FIELDS.iter().find(|f| f.name == name) else {
        let near = nearest(name, FIELDS.iter().map(|f| f.name));
        // `tile=128` is a parameter as it stands, however near its short name is to that of a field.
        let knob = by == By::Is && (near.is_none() || name.len() < 5);
        return match knob || name.is_empty() || name.starts_with('-') {
            true => Ok(None),
            false => Err(Problem::Field(name.to_owned(), near)),
        };
    };
    if value.is_empty() {
        return Err(Problem::Empty(info.name, info.example));
    }
    match info.of {
        Of::Number(figure) => {
            let number = match figure {
                Figure::Median => nanoseconds(value).map_err(|wrong| wrong(info.name)),
                _ => number(value).ok_or(Problem::Number(info.name)),
            };
            Ok(Some(What::Figure(figure, by, number?)))
        }
        Of::Text(field) => {
            // Order is that of times, which are written so that their text has it.
            let ordered = !matches!(by, By::Has | By::Is);
            if ordered && field != Field::Updated {
                return Err(Problem::Order(info.name));
            }
            let value = value.to_lowercase();
            if field == Field::Updated && by != By::Has && !is_date(&value) {
                return Err(Problem::Date(info.name));
            }
            if let Some(words) = words(field)
                && !words.iter().any(|w| w.contains(&value))
            {
                let near = nearest(&value, words.iter().map(String::as_str)).map(str::to_owned);
                return Err(Problem::Word(info.name, value, near));
            }
            Ok(Some(What::Field(field, by, value)))
        }
    }
}

impl Problem {
    /// What is said of it.
    pub fn said(&self, s: &Strings) -> String {
        let meant = |near: Option<&str>| match near {
            Some(n) => fill(s.filter_meant, &[n]),
            None => String::new(),
        };
        match self {
            Self::Field(name, near) => fill(s.filter_no_field, &[&inert(name)]) + &meant(*near),
            Self::Number(field) => fill(s.filter_number, &[field]),
            Self::Time(field) => fill(s.filter_time, &[field]),
            Self::Unit(field) => fill(s.filter_unit, &[field]),
            Self::Date(field) => fill(s.filter_date, &[field]),
            Self::Empty(field, example) => fill(s.filter_empty, &[field, example]),
            Self::Order(field) => fill(s.filter_order, &[field]),
            Self::Word(field, word, near) => {
                fill(s.filter_no_word, &[field, &inert(word)]) + &meant(near.as_deref())
            }
        }
    }
}

/// A time such as `10us`, in nanoseconds. A bare number is none: nobody knows of what it is.
fn nanoseconds(text: &str) -> Result<f64, fn(&'static str) -> Problem> {
    const UNITS: [(&str, f64); 4] = [("ns", 1.0), ("us", 1e3), ("ms", 1e6), ("s", 1e9)];
    let unit = UNITS
        .iter()
        .find_map(|(u, n)| Some((text.strip_suffix(u)?, n)));
    match unit.map(|(value, scale)| Some(number(value)? * scale)) {
        Some(Some(ns)) => Ok(ns),
        None if number(text).is_some() => Err(Problem::Unit),
        _ => Err(Problem::Time),
    }
}

/// A finite number.
fn number(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().filter(|n| n.is_finite())
}

/// Whether a text in small letters is a moment as records have it, or the beginning of one: a year, a
/// month, a day, an hour.
fn is_date(text: &str) -> bool {
    const DAYS: [u32; 12] = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let figures = |part: &str, columns: usize| -> Option<u32> {
        let plain = part.len() == columns && part.bytes().all(|b| b.is_ascii_digit());
        part.parse().ok().filter(|_| plain)
    };
    let (day, time) = match text.split_once('t') {
        Some((day, time)) => (day, Some(time)),
        None => (text, None),
    };
    let parts: Vec<&str> = day.split('-').collect();
    let date = match parts.as_slice() {
        [year] => figures(year, 4).is_some(),
        [year, month] => figures(year, 4).is_some() && matches!(figures(month, 2), Some(1..=12)),
        [year, month, day] => {
            let month = figures(month, 2).and_then(|m| DAYS.get(m.checked_sub(1)? as usize));
            let day = figures(day, 2).filter(|d| *d > 0);
            figures(year, 4).is_some() && month.zip(day).is_some_and(|(last, d)| d <= *last)
        }
        _ => false,
    };
    let clock = |time: &str| {
        let time = time.strip_suffix('z').unwrap_or(time);
        let mut parts = time.splitn(3, ':');
        let below = |part: Option<&str>, end: u32| {
            part.is_none_or(|p| {
                let whole = p.split_once('.').map_or(p, |(whole, _)| whole);
                figures(whole, 2).is_some_and(|n| n < end)
            })
        };
        below(parts.next(), 24) && below(parts.next(), 60) && below(parts.next(), 61)
    };
    date && time.is_none_or(|t| parts.len() == 3 && clock(t))
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

impl What {
    /// Whether a hypothesis as it is shown is what is looked for.
    fn is_said_by(&self, why: &str) -> bool {
        match self {
            Self::Word(w) => has(why, w),
            Self::Field(Field::Why, by, v) => by.text(why, v),
            Self::Field(..) | Self::Figure(..) => false,
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
        // `2026-11` stands for the whole month.
        Field::Updated if by == By::Is => row.updated_at.to_lowercase().starts_with(v),
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
mod tests;
