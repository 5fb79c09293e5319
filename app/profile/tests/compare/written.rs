//! Comparisons as Markdown and CSV.

use assay_core::view::FindingView;
use assay_profile::compare::{Options, to_csv, to_markdown};

use super::{sides, table};

#[test]
fn markdown_and_csv_hold_whatever_names_hold() {
    let a = table("ours", "k;s|t;=SUM(A1);7;1\nk;;<b>\u{1b}[31mx;2.50;%\n");
    let b = table("ours", "k;s|t;=SUM(A1);9;1\nk;;<b>\u{1b}[31mx;2.00;%\n");
    let view = sides(&[&a, &b], &Options::default());
    let text = to_markdown(&view);
    assert!(
        text.contains("| s\\|t | =SUM(A1) | 1 | 7 | 9 | +28.57 % |"),
        "{text}"
    );
    assert!(
        text.contains("&lt;b&gt;\\\\x1b\\[31mx | % | 2.50 | 2.00 | -20.00 ± 0.37 % (-0.50 pt) |"),
        "{text}"
    );
    let csv = to_csv(&view);
    let of = |start: &str| csv.lines().any(|l| l.starts_with(start));
    assert!(of("s|t,\"'=SUM(A1)\",,1,,0,A,ours csv,k,"), "{csv}");
    assert!(
        of(",<b>\\x1b[31mx,,%,,1,B,ours csv,k,0,false,value,2.0,2.00,0.01,,-0.5,-20,"),
        "{csv}"
    );
    assert!(!text.contains('\u{1b}') && !csv.contains('\u{1b}'));
    assert!(csv.lines().all(|l| l.matches(',').count() >= 27), "{csv}");
}

#[test]
fn markdown_has_what_rules_found() {
    let a = table("ours", "k;;n;1;1\n");
    let mut view = sides(&[&a, &a], &Options::default());
    assert!(!to_markdown(&view).contains("Findings"));
    view.findings.push(FindingView {
        rule: "kernels-differ".into(),
        kind: "audit".into(),
        severity: "info".into(),
        subject: "A|B".into(),
        message: "two <kernels>".into(),
        message_zh: String::new(),
        advice: String::new(),
        advice_zh: String::new(),
        counters: Vec::new(),
        evidence: "x = 1".into(),
        source: "a test".into(),
        source_zh: String::new(),
        of: Vec::new(),
    });
    let text = to_markdown(&view);
    let section = "## Findings\n\n- **info kernels-differ** (audit, A\\|B): two &lt;kernels&gt;\n  - because: x = 1\n  - rule from: a test\n";
    assert!(text.contains(section), "{text}");
}
