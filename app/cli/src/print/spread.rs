//! Many launches of one kernel: how far each counter is spread over them.

use std::collections::{BTreeMap, HashMap};

use assay_core::text::{inert, pad_left, pad_right, truncate, width};
use assay_engine::counters::{CounterRef, Launch};

use super::change::{self, number};
use super::counters::{Layout, heading, name_line, printed, section_line, share};
use super::findings::wrap;

/// Counters without a name in the catalog that are shown, unless all are asked for.
const MOST_UNNAMED: usize = 120;

/// One counter of all launches.
struct Spread<'a> {
    section: &'a str,
    name: &'a str,
    unit: &'a str,
    canonical: Option<&'a str>,
    /// Launches that have an entry for it.
    entries: usize,
    /// Why entries should not be taken at face value, and how many.
    suspects: BTreeMap<&'a str, usize>,
    values: Vec<(f64, CounterRef<'a>)>,
    /// What stands there instead of a number.
    words: Option<String>,
}

/// A summary of the launches of one kernel.
pub fn spread(launches: &[&Launch], layout: &Layout) -> String {
    let Some(first) = launches.first() else {
        return String::new();
    };
    let title = format!(
        "{} launches; --launch N shows one, --all each of them",
        launches.len()
    );
    let mut out = heading(&first.kernel, &title, layout);
    let mut rows = gather(launches);
    rows.iter_mut()
        .for_each(|r| r.values.sort_by(|a, b| a.0.total_cmp(&b.0)));
    let unnamed = rows.iter().filter(|r| r.canonical.is_none()).count();
    let fold = !layout.all && unnamed > MOST_UNNAMED;
    let shown: Vec<&Spread<'_>> = rows
        .iter()
        .filter(|r| !fold || r.canonical.is_some() || !r.suspects.is_empty())
        .collect();
    table(&mut out, &shown, launches.len(), layout);
    if fold {
        out.push_str(&format!(
            "    and {} counters that the catalog does not name; --all prints them\n",
            rows.len() - shown.len()
        ));
    }
    out
}

/// The counters of all launches by section, name and unit, in the order of their first entry.
fn gather<'a>(launches: &[&'a Launch]) -> Vec<Spread<'a>> {
    let mut rows: Vec<Spread<'a>> = Vec::new();
    let mut places: HashMap<(&str, &str, &str), usize> = HashMap::new();
    for c in launches.iter().flat_map(|l| l.iter()) {
        let key = (c.section(), c.name(), c.unit());
        let at = *places.entry(key).or_insert(rows.len());
        if at == rows.len() {
            rows.push(Spread {
                section: c.section(),
                name: c.name(),
                unit: c.unit(),
                canonical: c.canonical(),
                entries: 0,
                suspects: BTreeMap::new(),
                values: Vec::new(),
                words: None,
            });
        }
        let Some(row) = rows.get_mut(at) else {
            continue;
        };
        row.entries += 1;
        for why in c.suspect() {
            *row.suspects.entry(why).or_default() += 1;
        }
        match c.number() {
            Some(x) if x.is_finite() => row.values.push((x, c)),
            _ => {
                let said = printed(c).0;
                match &row.words {
                    None => row.words = Some(said),
                    Some(w) if *w != said => row.words = Some("several".into()),
                    Some(_) => {}
                }
            }
        }
    }
    rows
}

impl Spread<'_> {
    /// Least, middle and largest, as printed where the figure is one of a launch.
    fn figures(&self) -> [String; 3] {
        let n = self.values.len();
        let raw = |i: usize| {
            self.values
                .get(i)
                .map_or(change::ABSENT.to_owned(), |(_, c)| {
                    inert(c.raw()).into_owned()
                })
        };
        if n == 0 {
            return [
                String::new(),
                self.words.clone().unwrap_or_default(),
                String::new(),
            ];
        }
        let between = match (self.values.get((n - 1) / 2), self.values.get(n / 2)) {
            (Some((a, _)), Some((b, _))) if a != b => Some(f64::midpoint(*a, *b)),
            _ => None,
        };
        // Two ways of writing decimals in one row would be misread by a thousand.
        let as_printed = self.values.iter().all(|(x, c)| reads_as(c.raw(), *x));
        let one = |i: usize| match self.values.get(i) {
            Some((x, _)) if !as_printed => whole(*x),
            _ => raw(i),
        };
        [
            one(0),
            between.map_or_else(|| one(n / 2), whole),
            one(n - 1),
        ]
    }
}

/// Whether a figure as printed has a decimal point and no other sign but thousands commas.
fn reads_as(raw: &str, x: f64) -> bool {
    let figure = raw.trim().trim_end_matches(|c: char| !c.is_ascii_digit());
    let begins = figure.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    begins && figure.replace(',', "").parse::<f64>().is_ok_and(|n| n == x)
}

/// A number with all the digits that a printed figure can have.
fn whole(x: f64) -> String {
    let rounded: f64 = format!("{x:.11e}").parse().unwrap_or(x);
    let text = format!("{rounded}");
    match text.split_once('.') {
        Some((integer, decimals)) if rounded.abs() < 1e15 => {
            let digits = integer.trim_start_matches('-');
            let grouped = digits.parse::<f64>().map_or(digits.to_owned(), number);
            let sign = if rounded < 0.0 { "-" } else { "" };
            format!("{sign}{grouped}.{decimals}")
        }
        _ => number(rounded),
    }
}

fn table(out: &mut String, rows: &[&Spread<'_>], launches: usize, layout: &Layout) {
    let cells: Vec<[String; 6]> = rows
        .iter()
        .map(|r| {
            let [low, middle, high] = r.figures();
            let n = match (r.values.len(), r.entries) {
                (n, entries) if n == launches || (n == 0 && entries == launches) => String::new(),
                (n, _) => format!("{n} of {launches}"),
            };
            let name = inert(r.name).into_owned();
            let unit = inert(change::unit(r.unit)).into_owned();
            [name, low, middle, high, unit, n]
        })
        .collect();
    let longest = |i: usize| {
        let all = cells.iter().filter_map(|c| c.get(i)).map(|c| width(c));
        all.max().unwrap_or(0)
    };
    let known = rows.iter().filter_map(|r| r.canonical).map(width).max();
    let (unit, n) = (longest(4).min(14), longest(5));
    // Numbers are not cut; a terminal that is too narrow for them breaks the line.
    let figures: Vec<usize> = [1, 2, 3].map(|i| longest(i).clamp(6, 24)).to_vec();
    let names = cells.iter().map(|c| width(&c[0])).collect();
    let used: usize = figures.iter().map(|w| w + 2).sum();
    let room = layout.columns.saturating_sub(used + unit + n + 12);
    let (name, canonical) = share(room, names, known.unwrap_or(0));
    let line = |out: &mut String, mark: &str, cells: [&str; 6], known: &str| {
        let own_line = width(cells[0]) > name;
        if own_line {
            name_line(out, mark, cells[0], known, layout);
        }
        let (mark, shown, known) = if own_line {
            (" ", "", "")
        } else {
            (mark, cells[0], known)
        };
        let mut text = format!("  {mark} {}", pad_right(shown, name));
        for (cell, w) in cells[1..4].iter().zip(&figures) {
            text.push_str(&format!("  {}", pad_left(cell, *w)));
        }
        text.push_str(&format!("  {}", pad_right(cells[4], unit)));
        if n > 0 {
            text.push_str(&format!("  {}", pad_right(cells[5], n)));
        }
        text.push_str(&format!(
            "  {}",
            layout.paint.dim(&truncate(known, canonical))
        ));
        out.push_str(text.trim_end());
        out.push('\n');
    };
    line(out, " ", ["", "least", "median", "most", "", ""], "");
    let mut section = None;
    for (r, c) in rows.iter().zip(&cells) {
        if section != Some(r.section) {
            let before = section.replace(r.section).is_some();
            section_line(out, r.section, before, layout);
        }
        let mark = if !r.suspects.is_empty() {
            layout.paint.warning("!")
        } else {
            " ".into()
        };
        let texts = [&c[0], &c[1], &c[2], &c[3], &c[4], &c[5]].map(String::as_str);
        line(out, &mark, texts, r.canonical.unwrap_or_default());
    }
    reasons(out, rows, layout);
}

/// Why figures are marked, each reason once.
fn reasons(out: &mut String, rows: &[&Spread<'_>], layout: &Layout) {
    const SHOWN: usize = 12;
    let mut all: BTreeMap<&str, usize> = BTreeMap::new();
    for (why, n) in rows.iter().flat_map(|r| &r.suspects) {
        *all.entry(why).or_default() += n;
    }
    for (why, n) in all.iter().take(SHOWN) {
        let text = format!("! {} ({})", inert(why), change::count(*n, "figure"));
        for l in wrap(&text, layout.columns.saturating_sub(4)) {
            out.push_str(&format!("  {}\n", layout.paint.warning(&l)));
        }
    }
    if all.len() > SHOWN {
        out.push_str(&format!("  and {} more reasons\n", all.len() - SHOWN));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_written_one_way_in_a_row() {
        assert!(reads_as("1,234.50", 1234.5) && reads_as("98.5%", 98.5) && reads_as("-3", -3.0));
        assert!(!reads_as("1.234,5", 1234.5) && !reads_as("24.6B", 24.6e9));
        assert_eq!(whole(f64::midpoint(2.0, 1234.5)), "618.25");
        assert_eq!(whole(-0.5), "-0.5");
        assert_eq!(whole(1_234_567.25), "1,234,567.25");
        assert_eq!(whole(f64::midpoint(0.1, 0.2)), "0.15");
    }
}
