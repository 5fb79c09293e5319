//! Whether a value is what its key asks for.

use toml::de::DeValue;

use super::doc::{Fault, describe, number, one_of, suggestion};
use super::keys::Kind;
use crate::expr::{Expr, compile, is_name};
use crate::gate::Rule;
use crate::text::inert;
use crate::units::{DurationNs, Ratio};

/// Checks a value that is not a table.
pub(super) fn check(kind: Kind, value: &DeValue<'_>) -> Result<(), Fault> {
    let wrong = |expected: &str| Err(Fault::new(describe(value), expected));
    let text = |expected: &str| {
        value
            .as_str()
            .ok_or_else(|| Fault::new(describe(value), expected))
    };
    match kind {
        Kind::Text => one_line(text("a text on one line")?),
        Kind::Label => {
            let s = text("a name")?;
            one_line(s)?;
            if s.is_empty() || s.trim() != s {
                wrong("a name without space at its ends")
            } else {
                Ok(())
            }
        }
        Kind::CampaignName => campaign_name(text("a name of a-z, 0-9 and -")?),
        Kind::Slug => slug(text("a name of a-z, 0-9, ., _ and -")?),
        Kind::Path => {
            let s = text("a relative path")?;
            path(s)?;
            if normal_path(s).is_empty() {
                wrong("the path of a file")
            } else {
                Ok(())
            }
        }
        Kind::Paths { least } => list(value, least, "an array of relative paths", path),
        Kind::Texts { least } => list(value, least, "an array of texts", one_line),
        Kind::Variables => list(value, 0, "an array of names of variables", variable),
        Kind::Duration { zero } => match number(value) {
            Some(_) => wrong("a duration such as \"10ms\"")
                .map_err(|f| f.hint(Some("write it as text with a unit".into()))),
            None => match text("a duration such as \"10ms\"")?.parse::<DurationNs>() {
                Ok(DurationNs(0)) if !zero => wrong("a duration above zero"),
                Ok(_) => Ok(()),
                Err(e) => Err(Fault::new(describe(value), e.expected).hint(e.hint)),
            },
        },
        Kind::Percent { zero } => percent(value, zero),
        Kind::Count { least, most } => match number(value) {
            Some(n)
                if matches!(value, DeValue::Integer(_))
                    && n >= f64::from(least)
                    && n <= f64::from(most) =>
            {
                Ok(())
            }
            _ => wrong(&format!("a whole number from {least} to {most}")),
        },
        Kind::Positive => match number(value) {
            Some(n) if n > 0.0 => Ok(()),
            _ => wrong("a finite number above zero"),
        },
        Kind::Flag => match value {
            DeValue::Boolean(_) => Ok(()),
            _ => wrong("true or false, without quotes"),
        },
        Kind::Choice(words) => {
            let expected = match words {
                [one] => format!("\"{one}\""),
                _ => one_of(words),
            };
            let word = text(&expected)?;
            if words.contains(&word) {
                return Ok(());
            }
            if word == "gpu" && words.contains(&"cuda") {
                let hint = Some("write `cuda` for NVIDIA, `metax` for MetaX".into());
                return wrong(&expected).map_err(|f| f.hint(hint));
            }
            wrong(&expected).map_err(|f| f.hint(suggestion(word, words)))
        }
        Kind::Command => command(value),
        Kind::Formula => Expr::parse(text("a formula as text")?)
            .map(|_| ())
            .map_err(Fault::from),
        Kind::Rule => Rule::parse(text("a condition as text")?)
            .map(|_| ())
            .map_err(Fault::from),
        Kind::Pattern => pattern(text("a regular expression as text")?),
        Kind::Search => compile(text("a regular expression as text")?)
            .map(|_| ())
            .map_err(|why| Fault::new(why, "a regular expression")),
        // Tables are walked, not checked as a whole.
        Kind::Table(_)
        | Kind::Named(_)
        | Kind::Formulas
        | Kind::Dims
        | Kind::Params
        | Kind::Bindings => match value {
            DeValue::Table(_) => Ok(()),
            _ => wrong("a table"),
        },
        Kind::Switch => match value {
            DeValue::Boolean(_) => Ok(()),
            _ => wrong("true or false"),
        },
        Kind::Tables { .. } => match value {
            DeValue::Array(_) => Ok(()),
            _ => wrong("an array of tables ([[…]])"),
        },
    }
}

fn quote(text: &str) -> String {
    describe(&DeValue::String(text.into()))
}

fn one_line(text: &str) -> Result<(), Fault> {
    if inert(text) == text {
        Ok(())
    } else {
        Err(Fault::new(
            quote(text),
            "a text on one line without control or invisible characters",
        ))
    }
}

/// Why a text is no name of a campaign.
fn campaign_name(text: &str) -> Result<(), Fault> {
    let ok = !text.is_empty()
        && text.len() <= 64
        && !text.starts_with('-')
        && text
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    let fixed = text.to_lowercase().replace(['_', ' ', '.'], "-");
    fixed_name(
        ok,
        text,
        "a name of a-z, 0-9 and -, of 1 to 64 characters",
        fixed,
        campaign_name,
    )
}

pub(super) fn slug(text: &str) -> Result<(), Fault> {
    let ok = text.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
        && text.len() <= 64
        && text.bytes().all(|b| {
            b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'.' | b'_' | b'-')
        });
    let fixed = text.to_lowercase().replace(' ', "-");
    let expected =
        "a name of a-z, 0-9, ., _ and - that starts with a letter or digit, of 1 to 64 characters";
    fixed_name(ok, text, expected, fixed, slug)
}

/// A fault with the fixed name as a hint, when the fixed name is right.
fn fixed_name(
    ok: bool,
    text: &str,
    expected: &str,
    fixed: String,
    check: fn(&str) -> Result<(), Fault>,
) -> Result<(), Fault> {
    if ok {
        return Ok(());
    }
    let fault = Fault::new(quote(text), expected);
    let usable = fixed != text && check(&fixed).is_ok();
    Err(fault.hint(usable.then(|| format!("did you mean `{fixed}`?"))))
}

fn variable(text: &str) -> Result<(), Fault> {
    let ok = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    if !ok {
        return Err(Fault::new(
            quote(text),
            "the name of an environment variable",
        ));
    }
    if text.starts_with("ASSAY_") {
        return Err(Fault::new(
            quote(text),
            "a variable that the runner does not set itself",
        ));
    }
    Ok(())
}

fn path(text: &str) -> Result<(), Fault> {
    let wrong = |expected: &str| Err(Fault::new(quote(text), expected));
    one_line(text)?;
    if text.is_empty() || text.starts_with('/') || text.contains('\\') || text.starts_with('~') {
        return wrong("a path relative to the campaign file, with / between folders");
    }
    for part in text.trim_end_matches('/').split('/') {
        match part {
            ".." => return wrong("a path without `..`"),
            "" => return wrong("a path without empty parts"),
            p if p.eq_ignore_ascii_case(".git") => return wrong("a path outside git's own folder"),
            _ => {}
        }
    }
    Ok(())
}

/// A path without `.` parts and trailing slash; empty for the campaign folder itself.
pub(super) fn normal_path(text: &str) -> String {
    let parts: Vec<&str> = text
        .split('/')
        .filter(|p| !p.is_empty() && *p != ".")
        .collect();
    parts.join("/")
}

fn list(
    value: &DeValue<'_>,
    least: usize,
    expected: &str,
    check: fn(&str) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let Some(array) = value.as_array() else {
        return Err(Fault::new(describe(value), expected));
    };
    if array.len() < least {
        return Err(Fault::new("an empty array", expected));
    }
    for (i, item) in array.iter().enumerate() {
        let checked = match item.get_ref().as_str() {
            Some(text) => check(text),
            None => Err(Fault::new(describe(item.get_ref()), expected)),
        };
        checked.map_err(|f| Fault {
            element: Some(i),
            ..f
        })?;
    }
    Ok(())
}

fn percent(value: &DeValue<'_>, zero: bool) -> Result<(), Fault> {
    const EXPECTED: &str = "a percentage such as \"1%\"";
    let Some(text) = value.as_str() else {
        let hint = number(value).map(|n| format!("a share of {n} is \"{}%\"", n * 100.0));
        return Err(Fault::new(describe(value), EXPECTED).hint(hint));
    };
    match text.parse::<Ratio>() {
        Ok(Ratio(r)) if r >= 1.0 => Err(Fault::new(describe(value), "a percentage below 100%")),
        Ok(Ratio(r)) if r == 0.0 && !zero => {
            Err(Fault::new(describe(value), "a percentage above zero"))
        }
        Ok(_) => Ok(()),
        Err(e) => Err(Fault::new(describe(value), e.expected).hint(e.hint)),
    }
}

fn command(value: &DeValue<'_>) -> Result<(), Fault> {
    const EXPECTED: &str =
        "a command: a text for the shell, or an array of a program and its arguments";
    let fine = |s: &str| !s.trim().is_empty() && !s.contains('\0');
    let ok = match value {
        DeValue::String(s) => fine(s),
        DeValue::Array(a) => {
            a.iter()
                .all(|v| v.get_ref().as_str().is_some_and(|s| !s.contains('\0')))
                && a.iter()
                    .next()
                    .and_then(|v| v.get_ref().as_str())
                    .is_some_and(fine)
        }
        _ => false,
    };
    if ok {
        Ok(())
    } else {
        Err(Fault::new(describe(value), EXPECTED))
    }
}

fn pattern(text: &str) -> Result<(), Fault> {
    match compile(text) {
        Ok(p) if p.captures_len() < 2 => Err(Fault::new(
            "a pattern without a group",
            "a group ( ) around the time",
        )),
        Ok(_) => Ok(()),
        Err(why) => Err(Fault::new(why, "a regular expression")),
    }
}

/// Checks the name of a dim or parameter.
pub(super) fn name(text: &str) -> Result<(), Fault> {
    if is_name(text) && text != super::resolve::DTYPE_BYTES {
        return Ok(());
    }
    Err(Fault::new(
        quote(text),
        "a name of letters, digits and _ that is not a word of the formula language",
    ))
}

/// Checks the value of a dim.
pub(super) fn dim(value: &DeValue<'_>) -> Result<(), Fault> {
    match number(value) {
        Some(n) if n >= 0.0 => Ok(()),
        _ => Err(Fault::new(describe(value), "a number from 0 to 2^53")),
    }
}

/// Checks the value of a parameter.
pub(super) fn param(value: &DeValue<'_>) -> Result<(), Fault> {
    let ok = match value {
        DeValue::String(s) => return one_line(s),
        DeValue::Boolean(_) => true,
        other => number(other).is_some(),
    };
    if ok {
        Ok(())
    } else {
        Err(Fault::new(
            describe(value),
            "a text, a finite number or a boolean",
        ))
    }
}
