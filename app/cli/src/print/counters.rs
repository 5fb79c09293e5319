//! Profiler reports as text: what was read, findings, launches, and counters by section.

use std::collections::HashMap;

use assay_core::text::{inert, pad_left, pad_right, truncate, width};
use assay_core::view::FileView;
use assay_engine::counters::{CounterRef, Inspection, Launch, Scope, Status};

use super::change;
use super::derived::derived;
use super::findings::{findings, summary, wrap};
use super::paint::Paint;
use super::spread::spread;
use super::table::{Align, Table};
use crate::args::Lang;

/// Counters without a name in the catalog that a launch shows, unless all are asked for.
const MOST_UNNAMED: usize = 120;

/// Files and kernels that are listed one by one.
const MOST_LISTED: usize = 24;

/// Files that are no reports which are listed one by one.
const MOST_STRANGERS: usize = 8;

/// Notices that are shown, unless all are asked for.
const MOST_NOTICES: usize = 6;

/// How the text is laid out.
#[derive(Debug, Clone, Copy)]
pub struct Layout {
    /// Language of findings.
    pub lang: Lang,
    /// Columns of the terminal.
    pub columns: usize,
    /// Colours.
    pub paint: Paint,
    /// Leave nothing out.
    pub all: bool,
    /// Show each launch instead of one summary for each kernel.
    pub each: bool,
}

/// Reports as text.
pub fn inspection(found: &Inspection<'_>, layout: &Layout) -> String {
    let mut out = head(found, layout);
    let rules = if layout.each {
        found.findings.clone()
    } else {
        found.folded()
    };
    let counted = layout.paint.bold(&summary(&rules, layout.lang));
    out.push_str(&format!("\n{counted}\n"));
    out.push_str(&findings(&rules, layout.lang, layout.columns, layout.paint));
    out.push_str(&notices(found, layout));
    let kernels = kernels(found);
    out.push_str(&listed(found, &kernels, layout));
    let most = if layout.all {
        kernels.len()
    } else {
        MOST_LISTED
    };
    for (_, launches) in kernels.iter().take(most) {
        match launches.as_slice() {
            [(report, one)] => details(&mut out, found, *report, one, layout),
            several if layout.each => {
                for (report, l) in several {
                    details(&mut out, found, *report, l, layout);
                }
            }
            several => {
                let launches: Vec<&Launch> = several.iter().map(|(_, l)| *l).collect();
                out.push_str(&spread(&launches, layout));
            }
        }
    }
    if kernels.len() > most {
        out.push_str(&format!(
            "\nand {} more kernels; --kernel TEXT shows some of them, --all each\n",
            kernels.len() - most
        ));
    }
    out
}

/// Launches with the number of their report.
type Launches<'a> = Vec<(usize, &'a Launch)>;

/// The launches of each kernel of each report, in the order of the first one.
fn kernels<'a>(found: &'a Inspection<'_>) -> Vec<((usize, &'a str), Launches<'a>)> {
    let mut out: Vec<((usize, &str), Launches<'_>)> = Vec::new();
    let mut places: HashMap<(usize, &str), usize> = HashMap::new();
    for (report, launch) in found.launches() {
        let key = (report, launch.kernel.as_str());
        let at = *places.entry(key).or_insert(out.len());
        match out.get_mut(at) {
            Some((_, launches)) => launches.push((report, launch)),
            None => out.push((key, vec![(report, launch)])),
        }
    }
    out
}

/// What was read, and what rates are held against.
fn head(found: &Inspection<'_>, layout: &Layout) -> String {
    let mut out = String::new();
    let paint = layout.paint;
    let mut line = |name: &str, text: &str| {
        for (i, l) in wrap(text, layout.columns.saturating_sub(11))
            .iter()
            .enumerate()
        {
            let name = if i == 0 { name } else { "" };
            out.push_str(&format!("{} {l}\n", paint.dim(&pad_right(name, 9))));
        }
    };
    let several = found.reports.len() > 1;
    for (i, r) in found.reports.iter().take(MOST_LISTED).enumerate() {
        let p = &r.profile;
        let name = match several {
            true => format!("report {}", i + 1),
            false => "report".into(),
        };
        let version = match &p.tool_version {
            Some(v) => format!(" {}", inert(v)),
            None => String::new(),
        };
        line(
            &name,
            &format!(
                "{}: {}{version}, {}, {}",
                inert(&r.path),
                inert(&p.tool),
                inert(&p.flavour),
                launches(p.launches.len())
            ),
        );
        if let Some(command) = &p.command {
            line("command", &inert(command));
        }
    }
    more(&mut line, found.reports.len(), "reports");
    files(found, &mut line);
    match &found.device {
        Some(d) => line(
            "device",
            &format!(
                "{} ({}): {}",
                inert(&d.title),
                inert(&d.name),
                inert(&d.chosen)
            ),
        ),
        None => line(
            "device",
            "not known: rates are held against no peak; name one with --device",
        ),
    }
    out
}

/// What the reports and the reading of them have to say.
fn notices(found: &Inspection<'_>, layout: &Layout) -> String {
    let of_reports = found.reports.iter().flat_map(|r| &r.profile.notices);
    let all: Vec<&String> = found.notices.iter().chain(of_reports).collect();
    if all.is_empty() {
        return String::new();
    }
    let most = if layout.all { all.len() } else { MOST_NOTICES };
    let mut out = format!("{}\n", layout.paint.bold("notices"));
    for n in all.iter().take(most) {
        for (i, l) in wrap(&inert(n), layout.columns.saturating_sub(4))
            .iter()
            .enumerate()
        {
            out.push_str(&format!("  {} {l}\n", if i == 0 { "-" } else { " " }));
        }
    }
    if all.len() > most {
        let hidden = all.len() - most;
        out.push_str(&format!("    and {hidden} more; --all prints them\n"));
    }
    out.push('\n');
    out
}

fn more(line: &mut impl FnMut(&str, &str), n: usize, what: &str) {
    if n > MOST_LISTED {
        line("", &format!("and {} more {what}", n - MOST_LISTED));
    }
}

/// The files of folders; a single file is the report itself.
fn files(found: &Inspection<'_>, line: &mut impl FnMut(&str, &str)) {
    if let [_] = found.files.as_slice() {
        return;
    }
    let of = |outcome: &str| found.files.iter().filter(|f| f.outcome == outcome).count();
    let counts = [
        ("read", "read"),
        ("not_used", "not used"),
        ("unreadable", "unreadable"),
        ("not_a_report", "no report"),
    ]
    .map(|(outcome, word)| (of(outcome), word))
    .into_iter()
    .filter(|(n, _)| *n > 0)
    .map(|(n, word)| format!("{n} {word}"))
    .collect::<Vec<_>>();
    line(
        "files",
        &format!("{}: {}", found.files.len(), counts.join(", ")),
    );
    // What went wrong goes before what went well.
    let rank = |outcome: &str| match outcome {
        "unreadable" => 0,
        "not_used" => 1,
        "not_a_report" => 2,
        _ => 3,
    };
    // Of pictures and the like there may be many.
    let hidden = of("not_a_report").saturating_sub(MOST_STRANGERS);
    let is_stranger = |f: &&FileView| f.outcome == "not_a_report";
    let strangers = found.files.iter().filter(is_stranger);
    let others = found.files.iter().filter(|f| !is_stranger(f));
    let mut shown: Vec<_> = others.chain(strangers.take(MOST_STRANGERS)).collect();
    shown.sort_by_key(|f| rank(&f.outcome));
    for f in shown.iter().take(MOST_LISTED) {
        let what = match (f.outcome.as_str(), &f.sha256) {
            ("read", Some(sha)) => format!(
                "{}, {} counters, sha256 {}",
                inert(&f.detail),
                f.counters,
                sha.get(..12).unwrap_or(sha)
            ),
            ("not_used", _) => format!("not used: {}", inert(&f.detail)),
            ("not_a_report", _) => format!("not read: {}", inert(&f.detail)),
            _ => format!("unreadable: {}", inert(&f.detail)),
        };
        // The folder stands above, with the report.
        let inside = found.reports.iter().find_map(|r| {
            let rest = f.path.strip_prefix(r.path.trim_end_matches('/'))?;
            rest.strip_prefix('/')
        });
        line("", &format!("{}: {what}", inert(inside.unwrap_or(&f.path))));
    }
    if shown.len() > MOST_LISTED || hidden > 0 {
        let more = shown.len().saturating_sub(MOST_LISTED) + hidden;
        line("", &format!("and {more} more files"));
    }
}

/// The kernels and their launches.
fn listed(
    found: &Inspection<'_>,
    kernels: &[((usize, &str), Launches<'_>)],
    layout: &Layout,
) -> String {
    let several_reports = found.reports.len() > 1;
    let mut t = Table::default();
    if several_reports {
        t = t.column("report", Align::Right, 6);
    }
    t = t
        .column("launches", Align::Right, 9)
        .column("counters", Align::Right, 9)
        .column("grid", Align::Left, 18)
        .column("block", Align::Left, 14)
        .column(
            "kernel",
            Align::Left,
            layout.columns.saturating_sub(60).max(20),
        );
    for ((report, kernel), launches) in kernels.iter().take(MOST_LISTED) {
        let same = |of: &dyn Fn(&Launch) -> Option<[u64; 3]>| {
            let mut all = launches.iter().map(|(_, l)| of(l));
            let first = all.next().flatten();
            match first {
                Some(first) if all.all(|x| x == Some(first)) => shape(first),
                Some(_) => "several".into(),
                None => change::ABSENT.into(),
            }
        };
        let counters: Vec<usize> = launches.iter().map(|(_, l)| l.iter().count()).collect();
        let most = counters.iter().max().copied().unwrap_or(0);
        let what = match launches.first() {
            Some((_, l)) if l.scope == Scope::Aggregate => "sum".into(),
            _ => launches.len().to_string(),
        };
        let report = several_reports.then(|| (report + 1).to_string());
        t.row(report.into_iter().chain([
            what,
            most.to_string(),
            same(&|l| l.grid),
            same(&|l| l.block),
            (*kernel).to_owned(),
        ]));
    }
    let mut out = t.render();
    if kernels.len() > MOST_LISTED {
        out.push_str(&format!("and {} more\n", kernels.len() - MOST_LISTED));
    }
    out
}

fn launches(n: usize) -> String {
    match n {
        1 => "1 launch".into(),
        n => format!("{n} launches"),
    }
}

/// Grid or block, `128x1x1`.
fn shape([x, y, z]: [u64; 3]) -> String {
    format!("{x}x{y}x{z}")
}

/// A heading of what belongs to a kernel.
pub(super) fn heading(kernel: &str, more: &str, layout: &Layout) -> String {
    let kernel = inert(kernel);
    let fits = width(&kernel) + width(more) + 2 <= layout.columns;
    format!(
        "\n{}{}{}\n",
        layout.paint.bold(&kernel),
        match more {
            "" => "",
            _ if fits => "  ",
            _ => "\n  ",
        },
        layout.paint.dim(more)
    )
}

/// One launch with all its counters.
fn details(
    out: &mut String,
    found: &Inspection<'_>,
    report: usize,
    launch: &Launch,
    layout: &Layout,
) {
    let mut more = Vec::new();
    match (launch.scope, launch.occurrence) {
        (Scope::Aggregate, _) => more.push("a sum, not one launch".to_owned()),
        (_, Some(n)) => more.push(format!("launch {n}")),
        _ => {}
    }
    more.extend(launch.grid.map(|g| format!("grid {}", shape(g))));
    more.extend(launch.block.map(|b| format!("block {}", shape(b))));
    out.push_str(&heading(&launch.kernel, &more.join(", "), layout));
    rows(out, launch, layout);
    derived(out, &found.derived(report, launch), layout);
}

/// What stands in the columns of a counter.
struct Row<'a> {
    counter: CounterRef<'a>,
    name: String,
    figure: String,
    unit: String,
}

fn rows(out: &mut String, launch: &Launch, layout: &Layout) {
    let unnamed = launch.iter().filter(|c| c.canonical().is_none()).count();
    let fold = !layout.all && unnamed > MOST_UNNAMED;
    let shown: Vec<Row<'_>> = launch
        .iter()
        .filter(|c| !fold || c.canonical().is_some() || !c.suspect().is_empty())
        .map(row)
        .collect();
    let longest = |of: &dyn Fn(&Row<'_>) -> usize| shown.iter().map(of).max().unwrap_or(0);
    let unit = longest(&|r| width(&r.unit)).min(16);
    // Words, e.g. names of pictures, are cut; numbers are not.
    let numbers = |r: &Row<'_>| match r.counter.status() {
        Status::Value => width(&r.figure),
        _ => width(&r.figure).min(16),
    };
    let figure = longest(&numbers).min(layout.columns / 2);
    let wanted = shown.iter().map(|r| width(&r.name)).collect();
    let known = longest(&|r| r.counter.canonical().map_or(0, width));
    let room = layout.columns.saturating_sub(unit + figure + 10);
    let (name, canonical) = share(room, wanted, known);
    let mut section = None;
    for r in &shown {
        let c = r.counter;
        if section != Some(c.section()) {
            let before = section.replace(c.section()).is_some();
            section_line(out, c.section(), before, layout);
        }
        let mark = if c.suspect().is_empty() {
            " ".to_owned()
        } else {
            layout.paint.warning("!")
        };
        let known = c.canonical().unwrap_or_default();
        let own_line = width(&r.name) > name;
        if own_line {
            out.push_str(&format!("  {mark} {}\n", r.name));
        }
        let (mark, shown) = if own_line {
            (" ", "")
        } else {
            (&*mark, &*r.name)
        };
        let line = format!(
            "  {mark} {}  {}  {}  {}",
            pad_right(shown, name),
            pad_left(&r.figure, figure),
            pad_right(&r.unit, unit),
            layout.paint.dim(&truncate(known, canonical))
        );
        out.push_str(line.trim_end());
        out.push('\n');
        for why in c.suspect() {
            for l in wrap(&inert(why), layout.columns.saturating_sub(8)) {
                out.push_str(&format!("      {}\n", layout.paint.warning(&l)));
            }
        }
    }
    if fold {
        let hidden = launch.iter().count() - shown.len();
        out.push_str(&format!(
            "    and {hidden} counters that the catalog does not name; --all prints them\n"
        ));
    }
}

/// Columns for the names of the tool and for those of the catalog. A few long names do not make room
/// for themselves: they get a line of their own.
pub(super) fn share(room: usize, mut names: Vec<usize>, canonical: usize) -> (usize, usize) {
    const LEAST: usize = 16;
    if room < LEAST {
        return (0, 0);
    }
    names.sort_unstable();
    let longest = names.last().copied().unwrap_or(0);
    let most = names.get(names.len() * 9 / 10).copied().unwrap_or(0);
    let name = if longest + canonical <= room {
        longest
    } else {
        most.min(room)
    };
    let name = name.max(LEAST);
    let left = room.saturating_sub(name).min(canonical);
    (name, if left < LEAST / 2 { 0 } else { left })
}

/// The heading of a section. What has none needs none, unless a section stands before it.
pub(super) fn section_line(out: &mut String, section: &str, before: bool, layout: &Layout) {
    let shown = match section {
        "" if before => "(no section)",
        "" => return,
        section => section,
    };
    out.push_str(&format!("  {}\n", layout.paint.bold(&inert(shown))));
}

/// A name that is longer than its column stands above its figures.
pub(super) fn name_line(out: &mut String, mark: &str, name: &str, known: &str, layout: &Layout) {
    out.push_str(&format!("  {mark} {name}"));
    if !known.is_empty() && width(name) + width(known) + 6 <= layout.columns {
        out.push_str(&format!("  {}", layout.paint.dim(known)));
    }
    out.push('\n');
}

fn row(counter: CounterRef<'_>) -> Row<'_> {
    let (figure, unit) = printed(counter);
    Row {
        counter,
        name: inert(counter.name()).into_owned(),
        figure,
        unit,
    }
}

/// A counter's figure as printed, and its unit where the figure does not say it itself.
pub(super) fn printed(c: CounterRef<'_>) -> (String, String) {
    let raw = inert(c.raw()).into_owned();
    let figure = match c.status() {
        Status::Value => raw,
        Status::Text => c.word().map_or(raw, |w| inert(w).into_owned()),
        Status::Absent => "absent".into(),
        Status::NotSupported => "not supported".into(),
        Status::Error if raw.is_empty() => "unreadable".into(),
        Status::Error => format!("unreadable: {raw}"),
    };
    let says_it = c.status() != Status::Value || c.raw().ends_with(|x: char| !x.is_ascii_digit());
    let unit = change::unit(c.unit());
    let unit = if says_it {
        String::new()
    } else {
        inert(unit).into_owned()
    };
    (figure, unit)
}
