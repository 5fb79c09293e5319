//! A second, simple reading of figures, and what must hold of every profile whatever its bytes.

use assay_profile::{
    Counter, CounterRef, Launch, Profile, Scope, Status, canonical_notices, launch_figures,
};

/// A decimal number as text: digits, and the power of ten of the last one.
#[derive(Debug, Clone, PartialEq)]
struct Decimal {
    negative: bool,
    digits: String,
    power: i64,
    /// Whether a separator stands in it, so that it tells which sign is which.
    separated: bool,
}

impl Decimal {
    fn value(&self) -> Option<f64> {
        let sign = if self.negative { "-" } else { "" };
        format!("{sign}{}e{}", self.digits, self.power).parse().ok()
    }

    fn integer(&self) -> Option<i128> {
        let n: i128 = self.digits.parse().ok().filter(|_| self.power == 0)?;
        Some(if self.negative { -n } else { n })
    }
}

const BLANKS: [char; 5] = [' ', '\u{a0}', '\u{202f}', '\'', '\u{2019}'];

/// Reads a figure with one sign for decimals and another that groups by threes.
fn decimal(text: &str, point: char, group: char, local: bool) -> Option<Decimal> {
    let negative = text.starts_with('-');
    let text = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((m, e)) => (m, e.parse::<i64>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once(point).unwrap_or((mantissa, ""));
    let digits = |t: &str| t.bytes().all(|b| b.is_ascii_digit());
    // Who groups by blanks does not group by a sign too.
    if whole.contains(group) && whole.contains(BLANKS) {
        return None;
    }
    let parts: Vec<&str> = whole.split(|c| c == group || BLANKS.contains(&c)).collect();
    let grouped = parts.len() > 1;
    // Whoever prints an exponent has no need of groups.
    let fits = !(local && grouped && text.contains(['e', 'E']))
        && parts.iter().all(|p| digits(p))
        && digits(fraction)
        && !(mantissa.contains(point) && fraction.is_empty())
        && !parts[0].is_empty()
        && (!grouped
            || parts[0].len() <= 3
                && !parts[0].starts_with('0')
                && parts[1..].iter().all(|p| p.len() == 3));
    fits.then(|| Decimal {
        negative,
        digits: parts.concat() + fraction,
        power: exponent - fraction.len() as i64,
        separated: whole.contains(group) || mantissa.contains(point),
    })
}

/// What stands before a unit.
fn without_unit(raw: &str) -> &str {
    let t = raw.trim();
    let inside = |c: char| c.is_ascii_digit() || ",.+-".contains(c) || BLANKS.contains(&c);
    let mut end = t.find(|c| !inside(c)).unwrap_or(t.len());
    let rest = &t[end..];
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        let signless = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        let n = signless.bytes().take_while(u8::is_ascii_digit).count();
        if n > 0 {
            end += 1 + (exponent.len() - signless.len()) + n;
        }
    }
    t[..end].trim()
}

/// The readings that a figure allows: with a decimal point, and with a decimal comma.
fn readings(raw: &str, tool: &str) -> [Option<Decimal>; 2] {
    let text = without_unit(raw);
    // Only these depend on the locale of whoever printed them.
    let local = matches!(tool, "ncu" | "mapped");
    let digits = |t: &str| !t.is_empty() && t.bytes().all(|b| b.is_ascii_digit());
    if let ("ptxas" | "mxcc", Some((a, b))) = (tool, text.split_once('+'))
        && digits(a)
        && digits(b)
    {
        // Static and dynamic part.
        let sum = a.parse::<u64>().ok().zip(b.parse().ok());
        let sum = sum.and_then(|(a, b)| a.checked_add(b));
        return [
            sum.and_then(|n| decimal(&n.to_string(), '.', ',', false)),
            None,
        ];
    }
    [
        decimal(text, '.', ',', local),
        decimal(text, ',', '.', true).filter(|_| local),
    ]
}

fn is_reading(c: CounterRef<'_>, d: &Decimal) -> bool {
    let Some(exact) = c.exact() else { return false };
    if !exact.is_f64() {
        let n = exact
            .as_i64()
            .map_or_else(|| exact.as_u64().map_or(0, i128::from), i128::from);
        return d.integer() == Some(n);
    }
    c.number().is_some_and(|n| Some(n) == d.value())
}

/// Whether a figure was computed by the reader, so that it stands nowhere.
fn is_computed(c: CounterRef<'_>, tool: &str) -> bool {
    let raw = c.raw();
    tool == "rocprof" && (raw.contains(" + ") || raw.contains(" - ") || raw.starts_with("(sum"))
}

/// What must hold of a profile, whatever it was read from.
pub fn check(bytes: &[u8], p: &Profile, tool: &str) -> Result<(), String> {
    let mut counters = 0usize;
    let (mut proven, mut settled) = ([false; 2], [false; 2]);
    for l in &p.launches {
        for c in l.iter() {
            counters += 1;
            one(c, tool).map_err(|why| format!("{why}: {c:?}"))?;
            if c.status() == Status::Value && !is_computed(c, tool) {
                match readings(c.raw(), tool) {
                    [Some(a), Some(b)] if a.value() != b.value() => {
                        settled[usize::from(!is_reading(c, &a))] = true;
                    }
                    [Some(a), None] => proven[0] |= a.separated,
                    [None, Some(b)] => proven[1] |= b.separated,
                    _ => {}
                }
            }
        }
        for (name, f) in launch_figures(l) {
            if !f.value.is_finite() {
                return Err(format!("{name} is not finite"));
            }
        }
    }
    if settled[0] && (settled[1] || proven[1]) || settled[1] && proven[0] {
        return Err("one file is read with two decimal signs".into());
    }
    let _ = canonical_notices(p);
    size(bytes, p, counters)?;
    p.launches.iter().try_for_each(copied)
}

/// Counters that are taken out and put in again are the same, and their numbers survive JSON.
fn copied(l: &Launch) -> Result<(), String> {
    let mut again = Launch::new("", Scope::Aggregate);
    for c in l.iter() {
        again.push(Counter::from(c));
        let json = serde_json::to_string(&c.exact()).map_err(|e| e.to_string())?;
        let back: Option<serde_json::Number> =
            serde_json::from_str(&json).map_err(|e| format!("{json}: {e}"))?;
        if back != c.exact() {
            return Err(format!("{json} is another number"));
        }
    }
    if !l.iter().eq(again.iter()) {
        return Err("a counter changes when it is copied".into());
    }
    Ok(())
}

fn one(c: CounterRef<'_>, tool: &str) -> Result<(), &'static str> {
    if c.exact().is_some() != (c.status() == Status::Value) {
        return Err("a number without the status of one, or the reverse");
    }
    if c.word().is_some() != (c.status() == Status::Text) {
        return Err("a word without the status of one, or the reverse");
    }
    if c.status() == Status::Error && c.suspect().is_empty() {
        return Err("an error without a reason");
    }
    if let Some(r) = c.resolution()
        && !(r.is_finite() && r > 0.0)
    {
        return Err("a resolution that is none");
    }
    if c.status() != Status::Value || is_computed(c, tool) {
        return Ok(());
    }
    if c.number().is_none_or(|n| !n.is_finite()) {
        return Err("not finite");
    }
    let read = readings(c.raw(), tool);
    let Some(d) = read.iter().flatten().find(|d| is_reading(c, d)) else {
        return Err("not the number that was printed");
    };
    let printed = 10f64.powi(i32::try_from(d.power).unwrap_or(0));
    let loose = c.resolution().is_some_and(|r| {
        (r / printed - 1.0).abs() > 1e-9 && d.integer().is_none() && printed > 1e-300
    });
    if loose {
        return Err("a resolution that is not that of the last digit");
    }
    Ok(())
}

/// Nothing grows faster than what was read.
fn size(bytes: &[u8], p: &Profile, counters: usize) -> Result<(), String> {
    if counters > 40 * (bytes.len() + 64) || p.launches.len() > bytes.len() + 64 {
        return Err(format!("{counters} counters of {} bytes", bytes.len()));
    }
    let text: usize = p
        .launches
        .iter()
        .map(|l| l.kernel.len() + l.iter().map(|c| c.raw().len()).sum::<usize>())
        .sum::<usize>()
        + p.notices.iter().map(String::len).sum::<usize>();
    if text > 64 * (bytes.len() + 4096) {
        return Err(format!("{text} bytes of text from {}", bytes.len()));
    }
    Ok(())
}
