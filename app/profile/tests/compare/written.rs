//! Comparisons as Markdown and CSV.

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
        text.contains("&lt;b&gt;\\\\x1b\\[31mx | % | 2.50 | 2.00 | -20.00 %, -0.50 points |"),
        "{text}"
    );
    let csv = to_csv(&view);
    assert!(
        csv.lines()
            .nth(1)
            .unwrap()
            .starts_with("s|t,\"'=SUM(A1)\",,1,,0,A,ours csv,k,"),
        "{csv}"
    );
    assert!(!text.contains('\u{1b}') && !csv.contains('\u{1b}'));
}
