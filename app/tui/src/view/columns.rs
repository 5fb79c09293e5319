//! The columns of the Variants table: which fit, how wide, how aligned.

use crate::layout;
use crate::state::State;
use crate::state::variants::SortColumn;
use crate::strings::Strings;

/// What a column shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Name,
    Status,
    Verdict,
    Ratio,
    Interval,
    Median,
    Gates,
}

/// A column with its width.
pub struct Column {
    /// What it shows.
    pub kind: Kind,
    /// Columns of the terminal, without the blanks in front.
    pub width: usize,
}

impl Column {
    /// What sorts by it.
    pub fn sort(&self) -> Option<SortColumn> {
        Some(match self.kind {
            Kind::Name => SortColumn::Name,
            Kind::Status => SortColumn::Status,
            Kind::Verdict => SortColumn::Verdict,
            Kind::Ratio => SortColumn::Ratio,
            Kind::Median => SortColumn::Median,
            Kind::Interval | Kind::Gates => return None,
        })
    }

    /// Its title.
    pub fn text(&self, s: &Strings) -> &'static str {
        match self.kind {
            Kind::Name => s.col_name,
            Kind::Status => s.col_status,
            Kind::Verdict => s.col_verdict,
            Kind::Ratio => s.col_ratio,
            Kind::Interval => s.col_interval,
            Kind::Median => s.col_median,
            Kind::Gates => s.col_gates,
        }
    }
}

/// The columns that fit, least needed dropped first; the name gets what is left.
///
/// Published medians have a mark behind them, for which there is room where there are some.
pub fn columns(width: u16, published: bool) -> Vec<Column> {
    use Kind::*;
    let room = usize::from(width).saturating_sub(4);
    let mut rest = vec![
        (Status, 11),
        (Verdict, 10),
        (Ratio, 6),
        (Interval, 11),
        (Median, if published { 11 } else { 9 }),
        (Gates, 5),
    ];
    let least = if width < layout::ONE_PANE_WIDTH {
        14
    } else {
        18
    };
    for drop in [Gates, Interval, Median, Status, Ratio, Verdict] {
        let used: usize = rest.iter().map(|(_, w)| w + 2).sum();
        if room.saturating_sub(used) >= least {
            break;
        }
        rest.retain(|(k, _)| *k != drop);
    }
    let used: usize = rest.iter().map(|(_, w)| w + 2).sum();
    let name = room.saturating_sub(used).min(40);
    std::iter::once((Name, name))
        .chain(rest)
        .map(|(kind, width)| Column { kind, width })
        .collect()
}

/// A cell, filled to the width of its column.
pub fn cell(state: &State, text: &str, column: &Column) -> String {
    match column.kind {
        Kind::Name => state.theme.left(text, column.width),
        Kind::Status | Kind::Verdict => format!("  {}", state.theme.left(text, column.width)),
        _ => format!("  {}", state.theme.right(text, column.width)),
    }
}
