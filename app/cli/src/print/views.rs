//! The views as text.

use assay_core::record::CLAIMED_TIME;
use assay_core::text::{inert, inert_block};
use assay_core::units::{format_ns, format_percent, short_figures};
use assay_core::view::{ListView, LogView, ShowView, VariantRow, VerdictView};

use super::change::{self, number, second, times, unit};
use super::stages;
use super::table::{Align, Table};

/// The list of variants, and the chain table of the demo.
pub fn list(view: &ListView) -> String {
    let mut t = Table::default()
        .column("", Align::Left, 1)
        .column("variant", Align::Whole, 32)
        .column("parent", Align::Left, 24)
        .column("median", Align::Right, 12)
        .column("ratio [interval]", Align::Whole, 24)
        .column("against", Align::Left, 20)
        .column("verdict", Align::Left, 18)
        .column("gates", Align::Left, 36)
        .column("decision", Align::Left, 72);
    for row in &view.variants {
        let mark = if view.champion.as_deref() == Some(row.name.as_str()) {
            "*"
        } else {
            ""
        };
        // A variant that was only screened has a figure, and a rank in place of a verdict.
        let only = row.screened.as_ref().filter(|_| row.verdict.is_none());
        let (figure, against) = match only {
            Some(s) => (change::ratio(s.ratio, s.interval), Some(s.against.as_str())),
            None => (
                change::ratio(row.ratio, row.interval),
                row.against.as_deref(),
            ),
        };
        t.row([
            mark,
            &row.name,
            row.parent.as_deref().unwrap_or(change::ABSENT),
            &median(row, &view.workloads),
            &figure,
            against.unwrap_or(change::ABSENT),
            &verdict_word(row),
            &change::gates(&row.gates),
            &change::outcome(row),
        ]);
    }
    let mut out = format!("campaign {}", inert(&view.campaign));
    if let Some(device) = &view.device {
        out.push_str(&format!(" on {}", inert(device)));
    }
    out.push_str(&format!("\n\n{}", t.render()));
    out.push_str(&format!(
        "\n* champion; median: {}; ratio: time / time of `against`, below 1 is faster\n\
         medians of different rows come from different sessions: compare by ratios only\n",
        match view.workloads.as_slice() {
            [one] => format!("of the times on {}", inert(one)),
            all => format!("geometric mean of the medians of {} workloads", all.len()),
        }
    ));
    if view.variants.iter().any(|r| !r.published.is_empty()) {
        out.push_str(
            "p: published and not measured here; compare such figures, no verdict follows from them\n",
        );
        out.push_str(&super::notes::doubted(view.variants.iter().flat_map(|r| {
            let times = r.published.iter();
            times.flat_map(|w| r.doubts(Some(w), CLAIMED_TIME))
        })));
    }
    if only_screened(view) {
        out.push_str(
            "screened: ranked by one process with a 90 % interval; open, and no verdict\n",
        );
    }
    if let Some(chain) = &view.chain {
        out.push_str(&stages::chain(chain));
    }
    if !view.contested.is_empty() {
        let settle = match view.read_only {
            true => "",
            false => "; settle it with `assay rollback NAME --reason TEXT`",
        };
        out.push_str(&format!(
            "the champion is contested by {}{settle}\n",
            inert(&view.contested.join(", "))
        ));
    }
    if !view.others.is_empty() {
        let all: Vec<String> = (view.others.iter())
            .map(|o| {
                format!(
                    "{} ({})",
                    inert(&o.campaign),
                    change::count(o.variants, "variant")
                )
            })
            .collect();
        out.push_str(&format!(
            "also in this ledger: {}; --campaign NAME reads another\n",
            all.join(", ")
        ));
    }
    if view.damaged > 0 {
        out.push_str(&format!(
            "{} damaged records are not in this list; `assay verify` names them\n",
            view.damaged
        ));
    }
    let unknown = view.unreadable.saturating_sub(view.damaged);
    if unknown > 0 {
        out.push_str(&format!(
            "{unknown} records that this version does not know are not in this list; see `assay verify`\n"
        ));
    }
    out
}

/// The median of a row, marked where a published figure is in it.
fn median(row: &VariantRow, workloads: &[String]) -> String {
    let Some(ns) = row.geomean_ns(workloads) else {
        return change::ABSENT.into();
    };
    match row.median_mark(None) {
        "" => format_ns(ns),
        mark => format!("{} {mark}", format_ns(ns)),
    }
}

/// Whether a row has nothing but its place in a ranking.
fn only_screened(view: &ListView) -> bool {
    let mut rows = view.variants.iter();
    rows.any(|r| r.verdict.is_none() && r.screened.is_some())
}

/// The verdict of a row, and whether its branch has moved on since.
fn verdict_word(row: &VariantRow) -> String {
    let screened = row.screened.as_ref().map(|_| "screened");
    let word = row.verdict.as_deref().or(screened);
    let word = word.unwrap_or(change::ABSENT);
    if row.stale {
        format!("{word}, stale")
    } else {
        word.to_owned()
    }
}

/// A verdict with its workloads.
pub fn verdict(v: &VerdictView) -> String {
    let mut out = format!(
        "{}: {} against {}\n{}\n",
        v.verdict,
        inert(&v.b),
        inert(&v.a),
        inert(&v.reason)
    );
    if !v.next.is_empty() {
        out.push_str(&format!("next: {}\n", inert(&v.next)));
    }
    for line in v.beside() {
        out.push_str(&format!("{line}\n"));
    }
    for w in &v.warnings {
        out.push_str(&format!("warning: {}\n", inert(w)));
    }
    let mut t = Table::default()
        .column("workload", Align::Left, 32)
        .column("weight", Align::Right, 8)
        .column(&format!("A {}", inert(&v.a)), Align::Right, 24)
        .column(&format!("B {}", inert(&v.b)), Align::Right, 24)
        .column("B/A [interval]", Align::Whole, 24)
        .column("", Align::Left, 24);
    for w in &v.workloads {
        let medians = times(&[w.a_median_ns, w.b_median_ns]);
        t.row([
            w.workload.as_str(),
            &format!("{}", w.weight),
            &medians[0],
            &medians[1],
            &change::ratio(w.ratio, w.interval),
            if w.guard_broken {
                "slower beyond guard"
            } else {
                ""
            },
        ]);
    }
    let gain = v.gain.map(|g| format!(" ({})", format_percent(g)));
    out.push_str(&format!(
        "procedure {}, policy {}{}, delta {}, {} processes\n",
        v.procedure,
        v.policy,
        gain.unwrap_or_default(),
        format_percent(v.delta),
        v.processes,
    ));
    if let Some(rate) = &v.false_accepts {
        let of = v.calibration.as_ref();
        let of = of.map_or_else(String::new, |id| format!(" (calibration {})", inert(id)));
        out.push_str(&format!("{}{of}\n", rate.sentence()));
    }
    out.push_str(&format!("\n{}", t.render()));
    out
}

/// One variant with its evidence.
pub fn show(v: &ShowView) -> String {
    let row = &v.variant;
    let mut out = format!("{}  [{}]\n", inert(&row.name), row.status);
    let mut line =
        |name: &str, value: &str| out.push_str(&format!("  {name:<12} {}\n", inert(value)));
    if row.status == "baseline" {
        line("what", "variants are measured against it; it has no branch");
    } else {
        line("why", &row.why);
        line(
            "parents",
            &if row.parents.is_empty() {
                change::ABSENT.into()
            } else {
                row.parents.join(", ")
            },
        );
    }
    if !v.branch.is_empty() {
        line("branch", &v.branch);
        line("tip", v.tip.as_deref().unwrap_or("the branch is gone"));
    }
    if let Some(commit) = row
        .commit
        .as_deref()
        .filter(|c| v.tip.as_deref() != Some(*c))
    {
        line("evidence of", commit);
    }
    if v.stale {
        line(
            "stale",
            "the branch holds other kernel content than the evidence below; run it again",
        );
    }
    if let Some(f) = &row.family {
        line("family", f);
    }
    row.knobs
        .iter()
        .for_each(|(k, x)| line("knob", &format!("{k}={x}")));
    if let Some(s) = &row.screened {
        line("screened", &stages::screened(s));
    }
    for p in &v.predictions {
        let seen = match p.observed_percent {
            Some(o) => format!("observed {o:+.2} %"),
            None => p.why.clone(),
        };
        let seen = match p.held {
            Some(true) => format!("held ({seen})"),
            Some(false) => format!("did not hold ({seen})"),
            None => seen,
        };
        line("predicted", &format!("{}: {seen}", p.text));
    }
    for g in &row.gates {
        let word = match (g.pass, &g.overridden) {
            (_, Some(reason)) => format!("overridden ({reason})"),
            (Some(true), _) => "pass".into(),
            (Some(false), _) => "FAIL".into(),
            (None, _) => "no evidence".into(),
        };
        let evidence = short_figures(&g.evidence);
        line("gate", &format!("{}: {word}: {evidence}", g.name));
    }
    for u in &v.untimed {
        line("not timed", &u.text());
    }
    if let Some(f) = &row.failure {
        line(
            "failure",
            &format!("{} in {}: {}", f.kind, f.stage, f.message),
        );
        if !f.stderr_tail.is_empty() {
            for l in inert_block(&f.stderr_tail).lines() {
                out.push_str(&format!("    | {l}\n"));
            }
        }
    }
    for d in &v.decisions {
        out.push_str(&format!(
            "  {:<12} {} by {} ({}), {}: {}\n",
            "decision",
            d.kind,
            inert(&d.by),
            d.decided_by,
            second(&d.at),
            inert(&d.reason)
        ));
    }
    for c in &v.checks {
        let err = |x: Option<f64>| x.map_or(change::ABSENT.into(), |e| format!("{e:.3e}"));
        out.push_str(&format!(
            "  {:<12} {}: {} (max abs {}, max rel {}) {}\n",
            "check",
            inert(&c.workload),
            if c.ok { "right" } else { "WRONG" },
            err(c.max_abs_error),
            err(c.max_rel_error),
            inert(&c.detail)
        ));
    }
    if let Some(twice) = &v.twice {
        out.push_str(&format!(
            "  {:<12} {}\n",
            "source",
            inert(&twice.sentence())
        ));
        for l in inert_block(&twice.hunk).lines() {
            out.push_str(&format!("    | {l}\n"));
        }
        if !twice.notice.is_empty() {
            out.push_str(&format!("    | {}\n", inert(&twice.notice)));
        }
    }
    if let Some(verdict_view) = &v.verdict {
        out.push_str(&format!("\n{}", verdict(verdict_view)));
    }
    if let Some(chain) = v
        .chain
        .as_ref()
        .map(stages::chain)
        .filter(|c| !c.is_empty())
    {
        out.push_str(&format!("\n{chain}"));
    }
    out.push_str(&super::notes::published_figures(&v.published, &v.variant));
    let mut t = Table::default()
        .column("figure", Align::Left, 40)
        .column("value", Align::Right, 20)
        .column("unit", Align::Whole, 16);
    // Published figures stand above, on all workloads.
    let is_published = |n: &&String| v.published.iter().any(|p| p.figures.contains_key(*n));
    let counters = v.counters.iter().filter(|(n, _)| !is_published(n));
    let figures: Vec<_> = counters.chain(&v.facts).collect();
    for (name, f) in &figures {
        t.row([name.as_str(), &number(f.value), unit(&f.unit)]);
    }
    if !figures.is_empty() {
        let tool = v.counter_tool.as_deref().unwrap_or("no profile");
        out.push_str(&format!(
            "\ncounters ({}) and facts of the generated source\n{}",
            inert(tool),
            t.render()
        ));
    }
    if !v.notes.is_empty() {
        out.push_str("\nnotes\n");
        out.push_str(&super::notes::notes(&v.notes, false));
    }
    for a in &v.attempts {
        out.push_str(&format!(
            "\nleft by the failed {} stage, {} ({}): not whole, and used for nothing\n",
            a.stage,
            second(&a.at),
            inert(&a.id)
        ));
        for f in &a.files {
            out.push_str(&format!("  {:>12}  {}\n", f.bytes, inert(&f.name)));
        }
        let name = inert(&row.name);
        out.push_str(&format!("  `assay show {name} --left DIR` writes them\n"));
    }
    out.push_str("\nevidence\n");
    for e in &v.evidence {
        out.push_str(&format!(
            "  {} {:<12} {} {}\n",
            e.id,
            e.kind,
            second(&e.at),
            inert(&e.summary)
        ));
    }
    out
}

/// The log, newest first.
pub fn log(v: &LogView) -> String {
    let mut t = Table::default()
        .column("when", Align::Whole, 20)
        .column("id", Align::Whole, 26)
        .column("kind", Align::Whole, 12)
        .column("variant", Align::Left, 28)
        .column("by", Align::Left, 20)
        .column("what", Align::Left, 96);
    for r in &v.records {
        t.row([
            second(&r.at),
            &r.id,
            &r.kind,
            r.variant.as_deref().unwrap_or(""),
            &r.by,
            &r.summary,
        ]);
    }
    t.render()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_says_that_medians_do_not_compare() {
        let view = ListView {
            others: Vec::new(),
            schema: "assay.list/1".into(),
            campaign: "c".into(),
            device: None,
            champion: None,
            contested: Vec::new(),
            workloads: Vec::new(),
            variants: Vec::new(),
            chain: None,
            unreadable: 0,
            damaged: 0,
            read_only: false,
        };
        let text = list(&view);
        assert!(text.contains("medians of different rows come from different sessions"));
    }
}
