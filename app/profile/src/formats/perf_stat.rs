//! `perf stat -x SEP`: one counter a line, without header.
//!
//! `[time] [cpu|socket|core [count]] value unit event [variance] runtime share [metric unit]`.
//! Leading columns depend on `-I` and `-A`, so the event is found by what stands around it. The
//! separator is not quoted: with `,` and a locale that writes decimal commas a figure falls into
//! two fields, which is noticed and marked instead of read wrongly.

use super::{head, text};
use crate::{Counter, Launch, Profile, ProfileError, Scope, Status};

/// Name of the format.
pub const NAME: &str = "perf stat -x";

/// Name of the tool in the profile and in the catalog.
pub const TOOL: &str = "perf stat";

const SEPARATORS: [char; 4] = [';', ',', '\t', '|'];

/// How many lines are looked at to recognise the format.
const LINES_LOOKED_AT: usize = 500;

pub(super) fn matches(bytes: &[u8]) -> bool {
    let head = head(bytes);
    SEPARATORS.iter().any(|s| certain_rows(&head, *s) > 0)
}

fn certain_rows(text: &str, separator: char) -> usize {
    text.lines()
        .take(LINES_LOOKED_AT)
        .filter(|l| {
            let fields = split(l, separator);
            row(&fields).is_some_and(|r| r.share.is_some_and(is_share) || r.has_split_share())
        })
        .count()
}

/// `100.00`: the share of time is always printed with two decimals.
fn is_share(text: &str) -> bool {
    text.split_once(['.', ','])
        .is_some_and(|(a, b)| is_integer(a) && b.len() == 2 && is_integer(b))
}

pub(super) fn parse(bytes: &[u8]) -> Result<Profile, ProfileError> {
    let mut profile = Profile::new(TOOL, "csv");
    let text = text(bytes, &mut profile.notices);
    let mut best = (0, ',');
    for s in SEPARATORS {
        let rows = certain_rows(&text, s);
        if rows > best.0 {
            best = (rows, s);
        }
    }
    let separator = best.1;
    let mut launch = Launch::new("(whole program)", Scope::Aggregate);
    let (mut unread, mut last) = (0u64, 0usize);
    for line in text.lines() {
        let line = line.trim_end_matches('\r');
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let fields = split(line, separator);
        last = launch.len();
        if let Some(row) = row(&fields) {
            row.counters(separator, &mut launch);
        } else if let Some(c) = metric_only(&fields) {
            launch.push(c);
        } else {
            unread += 1;
        }
    }
    // Of a line without end nobody knows whether its last word is whole.
    if !text.ends_with(['\n', '\r']) {
        for at in last..launch.len() {
            let why = "the file ends here without a line end; it may be cut".to_owned();
            launch.counters.doubt(at, why);
        }
    }
    if unread > 0 {
        profile
            .notices
            .push(format!("{unread} lines are not counters and were skipped."));
    }
    if launch.is_empty() {
        return Err(ProfileError::Unusable {
            format: NAME,
            problem: "no counter in it; was it made with `perf stat -x, -o FILE`?".into(),
        });
    }
    profile.launches.push(launch);
    Ok(profile)
}

fn split(line: &str, separator: char) -> Vec<&str> {
    line.split(separator).map(str::trim).collect()
}

struct Row<'a> {
    before: Vec<&'a str>,
    value: &'a str,
    unit: &'a str,
    event: &'a str,
    share: Option<&'a str>,
    /// The field after the share.
    after_share: Option<&'a str>,
    metric: Option<(&'a str, &'a str)>,
    glued: bool,
}

/// Finds the value by the event that stands two fields after it.
fn row<'a>(fields: &[&'a str]) -> Option<Row<'a>> {
    // At most a time stamp, a place and a count of places stand before the value, and one field
    // more when a decimal comma has split it.
    for at in 0..=4 {
        let [value, unit, event, tail @ ..] = fields.get(at..)? else {
            return None;
        };
        let is_value = value.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '<'));
        let is_unit = !unit.starts_with(|c: char| c.is_ascii_digit());
        let is_event = event.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '{'))
            || (event.contains('/') && !event.starts_with('<'));
        let before = &fields[..at];
        if !is_value || !is_unit || !is_event || before.iter().any(|f| f.is_empty()) {
            continue;
        }
        let tail = match tail {
            [variance, rest @ ..] if variance.ends_with('%') => rest,
            all => all,
        };
        let odd = |t: &&str| !t.starts_with(|c: char| c.is_ascii_digit());
        if tail.first().is_some_and(odd) {
            continue;
        }
        let glued = tail.first().is_some_and(|t| t.contains('.'));
        let share = if glued { None } else { tail.get(1).copied() };
        // Where the share of time fell apart, nothing after it can be trusted.
        let metric = match tail {
            [_, s, value, unit] if is_share(s) && !value.is_empty() && !unit.is_empty() => {
                Some((*value, *unit))
            }
            _ => None,
        };
        return Some(Row {
            before: before.to_vec(),
            value,
            unit,
            event,
            share,
            after_share: tail.get(2).copied(),
            metric,
            glued,
        });
    }
    None
}

impl Row<'_> {
    /// Whether a decimal comma has split `100,00`, where commas separate fields too.
    fn has_split_share(&self) -> bool {
        let percent = self.share.filter(|s| is_integer(s));
        let decimals = self
            .after_share
            .is_some_and(|d| d.len() == 2 && is_integer(d));
        decimals && percent.is_some_and(|s| s.parse::<u8>().is_ok_and(|p| p <= 100))
    }

    fn counters(&self, separator: char, out: &mut Launch) {
        let (section, left_over) = self.place();
        let c =
            |status| Counter::without_value(&section, self.event, self.value, self.unit, status);
        let mut counter = match self.value {
            "<not counted>" => c(Status::Absent),
            "<not supported>" => c(Status::NotSupported),
            v if v.starts_with('<') => {
                let mut odd = c(Status::Error);
                odd.suspect.push("not a number".into());
                odd
            }
            v => Counter::read(&section, self.event, v, self.unit),
        };
        if separator == ',' && left_over && counter.status == Status::Value {
            let raw = format!("{},{}", self.before.last().unwrap_or(&""), self.value);
            counter = Counter::without_value(&section, self.event, &raw, self.unit, Status::Error);
            counter.suspect.push(
                "ambiguous: a decimal comma seems to have split the figure; run perf with LC_ALL=C or `-x\\;`"
                    .into(),
            );
        }
        if counter.status == Status::Value {
            counter.suspect.extend(self.multiplexing());
        }
        out.push(counter);
        if let Some((value, unit)) = self.metric {
            let name = format!("{}: {unit}", self.event);
            out.push(Counter::read("derived", &name, value, unit));
        }
    }

    fn multiplexing(&self) -> Option<String> {
        if self.glued {
            return Some("the share of time counted cannot be read".into());
        }
        // A share never exceeds 100 and has two decimals, so that its comma cannot mislead.
        let share: f64 = self.share?.replace(',', ".").parse().ok()?;
        (share < 100.0)
            .then(|| format!("counted during {share} % of the time and scaled up by perf"))
    }

    /// The columns before the value as a section, and whether one of them is unexplained.
    fn place(&self) -> (String, bool) {
        let mut rest = self.before.as_slice();
        let mut known = Vec::new();
        if let [time, after @ ..] = rest
            && time.contains('.')
            && time.parse::<f64>().is_ok()
        {
            known.push(*time);
            rest = after;
        }
        if let [place, after @ ..] = rest
            && place.starts_with(|c: char| c.is_alphabetic())
        {
            known.push(*place);
            rest = after;
            // Sockets, dies, cores and nodes are followed by the number of CPUs in them.
            let counted = place.starts_with(['S', 'D', 'N'])
                && place[1..].starts_with(|c: char| c.is_ascii_digit());
            if let [count, after @ ..] = rest
                && counted
                && is_integer(count)
            {
                rest = after;
            }
        }
        (known.join(" "), !rest.is_empty())
    }
}

fn is_integer(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// A derived metric on a line of its own: only the last two fields are filled.
fn metric_only(fields: &[&str]) -> Option<Counter> {
    let [before @ .., value, unit] = fields else {
        return None;
    };
    let fits = before.len() >= 3
        && before.iter().all(|f| f.is_empty())
        && unit.starts_with(|c: char| c.is_alphabetic() || c == '%');
    fits.then(|| Counter::read("derived", *unit, value, *unit))
}
