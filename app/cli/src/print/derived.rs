//! Figures worked out from counters, beside what the report says of them.

use assay_core::text::{inert, pad_left, pad_right, truncate, width};
use assay_core::view::DerivedView;

use super::change::{self, number};
use super::counters::Layout;

/// Room that a formula must have to be worth showing.
const LEAST: usize = 16;

/// Derived figures, one a line.
pub fn derived(out: &mut String, figures: &[DerivedView], layout: &Layout) {
    if figures.is_empty() {
        return;
    }
    let paint = layout.paint;
    out.push_str(&format!("  {}\n", paint.bold("worked out from these")));
    let name = figures.iter().map(|d| width(&d.name)).max();
    let name = name.unwrap_or(0).min(40);
    let said: Vec<String> = figures.iter().map(said).collect();
    let verdict = said.iter().map(|s| width(s)).max().unwrap_or(0);
    for (d, said) in figures.iter().zip(&said) {
        let line = format!(
            "    {}  {}  {}  ",
            pad_right(&inert(&d.name), name),
            pad_left(&number(d.value), 16),
            pad_right(&inert(change::unit(&d.unit)), 9),
        );
        let said = pad_right(said, verdict);
        let room = layout.columns.saturating_sub(width(&line) + verdict + 2);
        let formula = inert(&d.formula);
        let formula = truncate(&formula, if room < LEAST { 0 } else { room });
        let said = match d.agrees {
            Some(false) => paint.warning(&said),
            _ => said,
        };
        let line = format!("{line}{said}  {}", paint.dim(&formula));
        out.push_str(line.trim_end());
        out.push('\n');
    }
}

/// What the report says of a figure, in words.
fn said(d: &DerivedView) -> String {
    match (d.reported, d.agrees) {
        (Some(r), Some(true)) if number(r) != number(d.value) => {
            format!("agrees with {}", number(r))
        }
        (_, Some(true)) => "as reported".into(),
        (Some(r), Some(false)) => format!("but reported: {}", number(r)),
        (Some(r), None) => format!("reported: {}", number(r)),
        (None, _) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Lang;
    use crate::print::paint::Paint;

    #[test]
    fn a_figure_says_whether_the_report_agrees() {
        let figure = |name: &str, reported, agrees| DerivedView {
            name: name.into(),
            formula: "a / b".into(),
            value: 5.0,
            unit: "1".into(),
            reported,
            agrees,
        };
        let layout = Layout {
            lang: Lang::En,
            columns: 90,
            paint: Paint::PLAIN,
            all: false,
            each: false,
        };
        let mut out = String::new();
        let figures = [
            figure("x", Some(5.0), Some(true)),
            figure("y", Some(7.0), Some(false)),
            figure("z", None, None),
            // Within what the printed digits allow, and not the same figure.
            figure("w", Some(5.01), Some(true)),
        ];
        derived(&mut out, &figures, &layout);
        let lines: Vec<&str> = out.lines().collect();
        assert!(
            lines[1].contains("as reported") && lines[1].ends_with("a / b"),
            "{out}"
        );
        assert!(lines[2].contains("but reported: 7"), "{out}");
        assert!(!lines[3].contains("reported"), "{out}");
        assert!(lines[4].contains("agrees with 5.01"), "{out}");
    }
}
