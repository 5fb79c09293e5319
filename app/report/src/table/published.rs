//! What was published, as rows of the CSV: cells as printed, reasons and notes as texts.

use super::{About, Rows};
use crate::ReportModel;

/// Writes a row for every cell that is not empty, every reason of a direction given up, and every note.
///
/// Their unit is `as printed` or `text`: none of them was worked out here.
pub(super) fn write(out: &mut Rows, m: &ReportModel) {
    if m.is_published() {
        for v in &m.list.variants {
            let Some(d) = &v.decision else { continue };
            let about = About {
                variant: &v.name,
                source: "published summary",
                ..About::default()
            };
            out.text(about, &format!("reason of {}", d.kind), &d.reason, "text");
        }
    }
    for v in &m.list.variants {
        for d in &v.doubted {
            let about = About {
                record: &d.record,
                variant: &v.name,
                workload: d.workload.as_deref().unwrap_or_default(),
                source: "audit",
            };
            out.text(
                about,
                &format!("{}: {}", d.figure, d.rule),
                &d.message,
                "text",
            );
        }
    }
    for n in &m.notes {
        let about = About {
            record: &n.id,
            variant: n.about.as_deref().unwrap_or_default(),
            source: "note",
            ..About::default()
        };
        let topic = n.topic.as_deref().unwrap_or("note");
        out.text(about, topic, &n.text, "text");
        if let Some(t) = &n.table {
            cells(out, about, t);
        }
    }
    for t in &m.tables {
        let [record] = t.records.as_slice() else {
            cells(out, About::default(), &t.table);
            continue;
        };
        let about = About {
            record,
            ..About::default()
        };
        cells(out, about, &t.table);
    }
}

/// The cells of a table, with the place that its row names.
fn cells(out: &mut Rows, about: About, t: &assay_core::view::TableView) {
    for (at, row) in t.rows.iter().enumerate() {
        let of = |name: &str| {
            let column = t.columns.iter().position(|c| c == name);
            column.and_then(|i| row.get(i)).map_or("", String::as_str)
        };
        let place = [of("document"), of("section")].join(" ");
        // A spreadsheet counts the header as row 1.
        let source = match place.trim() {
            "" => format!("table {}, row {}", t.name, at + 2),
            place => format!("table {}, row {}: {place}", t.name, at + 2),
        };
        let about = About {
            source: &source,
            ..about
        };
        for (column, cell) in t.columns.iter().zip(row) {
            if !matches!(column.as_str(), "document" | "section") {
                out.text(about, column, cell, "as printed");
            }
        }
    }
}
