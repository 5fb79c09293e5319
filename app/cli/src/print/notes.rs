//! Notes with their tables and what published times come to, as text.

use std::collections::BTreeSet;

use assay_core::record::CLAIMED_TIME;
use assay_core::text::inert;
use assay_core::units::format_ns;
use assay_core::view::{
    DOUBTED_MARK, DoubtedFigure, NoteView, PublishedFigures, PublishedTimes, TableView, VariantRow,
    doubting_rules,
};

use super::change::{ABSENT, exact, exact_time, number, percent, second, unit};
use super::table::{Align, Table};

/// Widest that a column is shown; the file in the ledger has all.
const CELL: usize = 60;

/// Notes, oldest first; of several subjects each with what it is about.
pub fn notes(notes: &[NoteView], of_several: bool) -> String {
    let mut out = String::new();
    for n in notes {
        let topic = match &n.topic {
            Some(topic) => format!("{}: ", inert(topic)),
            None => String::new(),
        };
        let about = match &n.about {
            Some(name) if of_several => format!("{}: ", inert(name)),
            _ => String::new(),
        };
        out.push_str(&format!(
            "  {}, {}: {about}{topic}{}\n",
            inert(&n.by),
            second(&n.at),
            inert(&n.text)
        ));
        if let Some(table) = &n.table {
            for line in shown(table).lines() {
                out.push_str(&format!("    {line}\n"));
            }
        }
    }
    out
}

/// A table as it stands.
fn shown(table: &TableView) -> String {
    let name = inert(&table.name);
    if let Some(why) = &table.problem {
        return format!("table {name} is not shown: {}\n", inert(why));
    }
    let head = table.columns.iter().map(|c| inert(c).into_owned());
    let mut t = head.fold(Table::default(), |t, c| t.column(&c, Align::Left, CELL));
    for row in &table.rows {
        t.row(row);
    }
    let more = match table.left_out {
        0 => String::new(),
        n => format!("and {n} more rows; --json names the file in the ledger\n"),
    };
    format!("table {name}\n{}{more}", t.render())
}

/// What the mark behind doubted figures says, with the findings; nothing where there are none.
pub fn doubted<'d>(doubts: impl Iterator<Item = &'d DoubtedFigure>) -> String {
    let rules = doubting_rules(doubts);
    match rules.is_empty() {
        true => String::new(),
        false => format!(
            "{DOUBTED_MARK}: cannot be right as published ({}): `assay audit` says why\n",
            inert(&rules.join(", "))
        ),
    }
}

/// Published figures of a row of the list, one line for each workload.
pub fn published_figures(rows: &[PublishedFigures], of: &VariantRow) -> String {
    let names: BTreeSet<(&String, &String)> = (rows.iter())
        .flat_map(|r| r.figures.iter().map(|(n, f)| (n, &f.unit)))
        .collect();
    // Times first: they are what the others follow from.
    let is_time = |(name, _): &&(&String, &String)| *name == CLAIMED_TIME;
    let (times, others): (Vec<_>, Vec<_>) = names.iter().partition(is_time);
    let names: Vec<_> = times.into_iter().chain(others).collect();
    if names.is_empty() {
        return String::new();
    }
    let doubts = |r: &PublishedFigures, name: &str| -> Vec<&DoubtedFigure> {
        let fits = |d: &&DoubtedFigure| d.workload == r.workload && d.figure == name;
        of.doubted.iter().filter(fits).collect()
    };
    let mut t = Table::default().column("workload", Align::Left, 32);
    for (name, of) in &names {
        let title = match unit(of) {
            _ if *name == CLAIMED_TIME => "time".to_owned(),
            "" => (*name).clone(),
            of => format!("{name} [{of}]"),
        };
        t = t.column(&inert(&title), Align::Right, 32);
    }
    for row in rows {
        let cell = |(name, of): &&(&String, &String)| {
            let figure = row.figures.get(*name).filter(|f| f.unit == **of);
            let text = match figure {
                None => return ABSENT.to_owned(),
                Some(f) if *name == CLAIMED_TIME => exact_time(f.value),
                Some(f) => exact(f.value),
            };
            match doubts(row, name).first() {
                Some(_) => format!("{text} {DOUBTED_MARK}"),
                None => text,
            }
        };
        let workload = row.workload.clone().unwrap_or_else(|| ABSENT.into());
        t.row(std::iter::once(workload).chain(names.iter().map(|n| cell(&n))));
    }
    let shown = rows
        .iter()
        .flat_map(|r| r.figures.keys().flat_map(|n| doubts(r, n)));
    let marks = doubted(shown);
    format!(
        "\npublished figures, not measured here\n{}{marks}",
        t.render()
    )
}

/// What published times come to, with the workloads on which B is slower.
pub fn published(p: &PublishedTimes) -> String {
    let (a, b) = (inert(&p.a), inert(&p.b));
    let mut out = format!(
        "published: {b} takes less time than {a} on {} of {} workloads, in the geometric mean {} times as fast\n",
        p.faster,
        p.workloads,
        number(p.speedup)
    );
    let slower: Vec<String> = (p.slower.iter())
        .map(|w| {
            format!(
                "{} {} (1 - speed-up: {:.2} %)",
                w.workload,
                percent(Some(w.change_percent)),
                w.one_minus_speedup_percent
            )
        })
        .collect();
    if !slower.is_empty() {
        out.push_str(&format!("slower on: {}\n", inert(&slower.join(", "))));
    }
    if let (Some(step), false) = (p.step_ns, p.within_step.is_empty()) {
        out.push_str(&format!(
            "one step of the display, {}, apart, which is no finding about speed: {}\n",
            format_ns(step),
            inert(&p.within_step.join(", "))
        ));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_of_a_note_stands_below_it_and_nothing_of_it_is_active() {
        let table = TableView {
            name: "environment.csv".into(),
            columns: vec!["item".into(), "printed".into()],
            rows: vec![vec!["GPU".into(), "C500\x1b[2J，完整".into()]],
            left_out: 2,
            ..TableView::default()
        };
        let mut note = NoteView {
            id: "01J".into(),
            about: None,
            topic: Some("environment".into()),
            text: "as stated".into(),
            by: "ann".into(),
            at: "2026-11-30T10:00:00.5Z".into(),
            table: Some(table),
        };
        let text = notes(std::slice::from_ref(&note), false);
        assert!(
            text.contains("ann, 2026-11-30T10:00:00: environment: as stated\n"),
            "{text}"
        );
        assert!(
            text.contains("    item  printed\n    GPU   C500\\x1b[2J，完整\n"),
            "{text}"
        );
        assert!(text.contains("and 2 more rows"), "{text}");
        note.table = Some(TableView {
            problem: Some("it is not stored here".into()),
            ..TableView::default()
        });
        assert!(notes(&[note], false).contains("is not shown: it is not stored here"));
    }
}
