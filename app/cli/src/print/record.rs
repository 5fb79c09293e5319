//! One record, and the text of what is stored beside it.

use assay_core::text::{inert, inert_block};
use assay_core::view::{RecordView, StoredFile};

use super::change::second;

/// The record as text.
pub fn record(v: &RecordView) -> String {
    let r = &v.record;
    let variant = r.variant.as_deref().unwrap_or("");
    let head = format!("{} {} {variant}", r.kind, r.id);
    let mut out = format!("{}\n{}\n", inert(head.trim_end()), inert(&r.summary));
    out.push_str(&format!("{} by {}\n", inert(second(&r.at)), inert(&r.by)));
    if let Some(old) = &r.supersedes {
        let why = v.reason.as_deref().unwrap_or_default();
        out.push_str(&inert(&format!("corrects {old}: {why}")));
        out.push('\n');
    }
    out.push('\n');
    for line in v.outline() {
        out.push_str(&format!("{line}\n"));
    }
    v.files.iter().for_each(|f| file(f, &mut out));
    out
}

fn file(f: &StoredFile, out: &mut String) {
    let stored = if f.stored { "" } else { ", not stored here" };
    out.push_str(&format!(
        "\n--- {} ({} bytes{stored}) ---\n",
        inert(&f.name),
        f.bytes
    ));
    match &f.text {
        Some(text) => {
            out.push_str(&inert_block(text));
            if !text.ends_with('\n') && !text.is_empty() {
                out.push('\n');
            }
        }
        None if f.stored => out.push_str("no text\n"),
        None => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use assay_core::view::LogRow;

    #[test]
    fn a_record_is_shown_with_its_logs_and_nothing_in_it_acts() {
        let file = |name: &str, stored, text: Option<&str>| StoredFile {
            name: name.into(),
            bytes: 7,
            stored,
            text: text.map(str::to_owned),
            ..StoredFile::default()
        };
        let view = RecordView {
            schema: "assay.record-view/1".into(),
            campaign: "c".into(),
            record: LogRow {
                id: "01J".into(),
                at: "2026-11-30T02:00:00Z".into(),
                by: "ann".into(),
                kind: "build".into(),
                variant: Some("one".into()),
                summary: "built in 1.0 s".into(),
                supersedes: None,
            },
            reason: None,
            body: serde_json::json!({ "wall_ns": 12 }),
            files: vec![
                file("build.log", true, Some("\x1b[2Jwarning: x")),
                file("k.o", true, None),
                file("raw", false, None),
            ],
        };
        let text = record(&view);
        for part in [
            "build 01J one\nbuilt in 1.0 s\n",
            "\nwall_ns: 12\n",
            "--- build.log (7 bytes) ---\n\\x1b[2Jwarning: x\n",
            "--- k.o (7 bytes) ---\nno text\n",
            "--- raw (7 bytes, not stored here) ---\n",
        ] {
            assert!(text.contains(part), "no {part:?} in {text}");
        }
    }
}
