//! The columns of the Variants table: which fit, how wide, how aligned.

use crate::layout;
use crate::state::State;
use crate::state::columns::Chosen;
pub use crate::state::columns::Kind;
use crate::state::variants::SortColumn;
use crate::strings::Strings;

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
            Kind::Updated => SortColumn::Updated,
            _ => return None,
        })
    }

    /// Its title.
    pub fn text(&self, s: &Strings) -> &'static str {
        self.kind.title(s)
    }
}

/// Columns of the terminal that a column takes.
///
/// Published medians have a mark behind them, for which there is room where there are some.
fn width_of(kind: Kind, published: bool) -> usize {
    match kind {
        Kind::Name => 18,
        Kind::Status => 11,
        Kind::Verdict => 10,
        Kind::Ratio => 6,
        Kind::Interval => 11,
        Kind::Median if published => 11,
        Kind::Median => 9,
        Kind::Gates => 7,
        Kind::Against | Kind::Parent => 16,
        Kind::Family => 14,
        Kind::Knobs => 24,
        Kind::Commit => 9,
        Kind::Updated => 16,
        Kind::Why => 40,
    }
}

/// The columns that fit; the name stays in its place and gets what is left.
pub fn columns(width: u16, published: bool, chosen: &Chosen) -> Vec<Column> {
    use Kind::*;
    let room = usize::from(width).saturating_sub(4);
    let least = if width < layout::ONE_PANE_WIDTH {
        14
    } else {
        18
    };
    let kinds = chosen.kinds().into_iter();
    let mut rest: Vec<(Kind, usize)> = kinds.map(|k| (k, width_of(k, published))).collect();
    let used = |rest: &[(Kind, usize)]| -> usize { rest.iter().map(|(_, w)| w + 2).sum() };
    if chosen.fitting() {
        // Least needed dropped first.
        for drop in [Gates, Interval, Median, Status, Ratio, Verdict] {
            if room.saturating_sub(used(&rest)) >= least {
                break;
            }
            rest.retain(|(k, _)| *k != drop);
        }
    } else {
        rest.drain(..chosen.left.min(rest.len()));
        while rest.len() > 1 && room.saturating_sub(used(&rest)) < least {
            let Some((kind, _)) = rest.pop() else { break };
            // Running text is of use when it is cut, figures are not.
            let left = room.saturating_sub(used(&rest) + least + 2);
            if matches!(kind, Why | Knobs) && left >= 8 {
                rest.push((kind, left));
                break;
            }
        }
        // A column that alone is too wide is cut and not left out.
        if let [(_, w)] = rest.as_mut_slice() {
            *w = (*w).min(room.saturating_sub(least + 2)).max(1);
        }
    }
    let name = room.saturating_sub(used(&rest)).min(40);
    std::iter::once((Name, name))
        .chain(rest)
        .map(|(kind, width)| Column { kind, width })
        .collect()
}

/// A cell, filled to the width of its column.
pub fn cell(state: &State, text: &str, column: &Column) -> String {
    match column.kind {
        Kind::Name => state.theme.left(text, column.width),
        Kind::Ratio | Kind::Interval | Kind::Median | Kind::Gates => {
            format!("  {}", state.theme.right(text, column.width))
        }
        _ => format!("  {}", state.theme.left(text, column.width)),
    }
}
