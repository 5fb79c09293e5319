//! Counters of a launch as they are stored: 16 bytes each beside the figures as printed.
//!
//! A report can have millions of them. What they are (their keys) is shared between the launches of
//! a report, the printed figures of a launch stand in one text, and what few counters have (doubts,
//! say) is kept apart.

mod reference;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde_json::Number;

use crate::keys::Keys;
use crate::number::Read;
use crate::{Counter, Status};

pub use reference::CounterRef;

/// The counters of one launch.
#[derive(Clone, Default)]
pub(crate) struct Counters {
    pub keys: Keys,
    cells: Vec<Cell>,
    /// Printed figures; what stands between them does not matter.
    text: String,
    rare: BTreeMap<usize, Rare>,
}

/// What most counters do not have.
#[derive(Clone, Default)]
struct Rare {
    suspect: Arc<[String]>,
    /// The word, where it is not the figure as printed.
    word: Option<Box<str>>,
    /// The figure as printed, where it does not stand in the text.
    raw: Option<Box<str>>,
    /// What the last digit is worth, where that is no power of ten.
    resolution: Option<f64>,
}

impl Rare {
    fn is_empty(&self) -> bool {
        self.suspect.is_empty()
            && self.word.is_none()
            && self.raw.is_none()
            && self.resolution.is_none()
    }
}

/// Which number the bits of a cell are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    None,
    Unsigned,
    Signed,
    Float,
}

/// One counter but for its key.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cell {
    bits: u64,
    /// Where the printed figure begins in the text, and its length.
    at: u32,
    len: u16,
    /// The last digit printed is worth ten to the minus this; [`NO_DECIMALS`] where that is not known.
    decimals: i8,
    /// [`Kind`], [`Status`] and whether something of the counter is kept apart.
    kind: Kind,
    status: Status,
    rare: bool,
}

const NO_DECIMALS: i8 = i8::MIN;

/// The longest text of printed figures, and the longest figure in it.
const MAX_TEXT: usize = u32::MAX as usize;
const MAX_RAW: usize = u16::MAX as usize;

/// Powers of ten that a double holds exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// What the last digit of so many decimals is worth.
const FINE: [f64; 18] = [
    1e-0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13, 1e-14,
    1e-15, 1e-16, 1e-17,
];

fn resolution_of(decimals: i8) -> f64 {
    match POWERS.get(usize::from(decimals.unsigned_abs())) {
        Some(p) if decimals >= 0 => 1.0 / p,
        Some(p) => *p,
        None => 10f64.powi(-i32::from(decimals)),
    }
}

/// The decimals that a resolution comes from, if it is a power of ten.
fn decimals_of(resolution: f64) -> Option<i8> {
    // Nearly all figures have no more decimals than a double.
    if let Some(d) = FINE.iter().position(|f| *f == resolution) {
        return i8::try_from(d).ok();
    }
    let near = -resolution.log10().round();
    // The limits of i8, without the value that stands for none.
    let decimals = (-127.0..=127.0).contains(&near).then_some(near as i8)?;
    (resolution_of(decimals) == resolution).then_some(decimals)
}

impl Cell {
    /// A cell without number.
    #[inline]
    pub fn none(status: Status) -> Self {
        Self {
            bits: 0,
            at: 0,
            len: 0,
            decimals: NO_DECIMALS,
            kind: Kind::None,
            status,
            rare: false,
        }
    }

    /// A count.
    #[inline]
    pub fn unsigned(n: u64) -> Self {
        Self {
            bits: n,
            decimals: 0,
            kind: Kind::Unsigned,
            ..Self::none(Status::Value)
        }
    }

    /// A count that may be negative.
    #[inline]
    pub fn signed(n: i64) -> Self {
        match u64::try_from(n) {
            Ok(n) => Self::unsigned(n),
            Err(_) => Self {
                kind: Kind::Signed,
                ..Self::unsigned(n.cast_unsigned())
            },
        }
    }

    /// A double that was printed with so many decimals.
    #[inline]
    pub fn float(f: f64, decimals: i8) -> Self {
        Self {
            bits: f.to_bits(),
            decimals,
            kind: Kind::Float,
            ..Self::none(Status::Value)
        }
    }

    fn number(&mut self, n: &Number) {
        (self.kind, self.bits) = if let Some(n) = n.as_u64() {
            (Kind::Unsigned, n)
        } else if let Some(n) = n.as_i64() {
            (Kind::Signed, n.cast_unsigned())
        } else {
            match n.as_f64() {
                Some(f) => (Kind::Float, f.to_bits()),
                None => (Kind::None, 0),
            }
        };
    }
}

impl Counters {
    /// No counters yet, and keys that are expected.
    pub fn expecting(keys: Keys) -> Self {
        Self {
            cells: Vec::with_capacity(keys.expected()),
            keys,
            ..Self::default()
        }
    }

    /// No counters yet, and the keys of these expected.
    pub fn again(&self) -> Self {
        Self::expecting(self.keys.expected_again())
    }

    /// No counters yet, keys that are expected, and room for so much text.
    pub fn with_room(keys: Keys, bytes: usize) -> Self {
        Self {
            text: String::with_capacity(bytes),
            ..Self::expecting(keys)
        }
    }

    /// Takes over text that has printed figures, before there are any counters; not where it is too
    /// long.
    pub fn take_text(&mut self, text: &str) -> bool {
        let fits = self.text.is_empty() && text.len() <= MAX_TEXT;
        if fits {
            self.text.push_str(text);
        }
        fits
    }

    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Bytes of the printed figures.
    pub fn text_len(&self) -> usize {
        self.text.len()
    }

    pub fn get(&self, at: usize) -> Option<CounterRef<'_>> {
        (at < self.cells.len()).then_some(CounterRef { of: self, at })
    }

    pub fn iter(
        &self,
    ) -> impl DoubleEndedIterator<Item = CounterRef<'_>> + ExactSizeIterator + Clone {
        (0..self.cells.len()).map(|at| CounterRef { of: self, at })
    }

    /// Adds the counter whose key is the one that was put last.
    pub fn cell(&mut self, mut cell: Cell, raw: &str) {
        let at = u32::try_from(self.text.len());
        match (at, u16::try_from(raw.len())) {
            (Ok(at), Ok(len)) => {
                self.text.push_str(raw);
                (cell.at, cell.len) = (at, len);
            }
            _ => {
                cell.rare = true;
                let place = self.cells.len();
                self.rare.entry(place).or_default().raw = Some(raw.into());
            }
        }
        self.cells.push(cell);
    }

    /// Adds the counter whose key is the one that was put last, with the number that was read.
    pub fn number(&mut self, read: Read, raw: &str, stands: Option<usize>) {
        let place = self.cells.len();
        let mut cell = Cell::none(Status::Value);
        cell.number(&read.value);
        let decimals = decimals_of(read.resolution);
        cell.decimals = decimals.unwrap_or(NO_DECIMALS);
        self.cell_in(cell, raw, stands);
        if decimals.is_none() || read.suspect.is_some() {
            self.cells[place].rare = true;
            let rare = self.rare.entry(place).or_default();
            rare.resolution = decimals.is_none().then_some(read.resolution);
            rare.suspect = read.suspect.into_iter().collect();
        }
    }

    /// Adds a counter whose printed figure stands in the text already, from `at` on.
    #[inline]
    pub fn cell_at(&mut self, mut cell: Cell, at: usize, len: usize) {
        debug_assert!(at <= MAX_TEXT && len <= MAX_RAW);
        // The text is not longer than that, and its figures are not.
        (cell.at, cell.len) = (at as u32, len as u16);
        self.cells.push(cell);
    }

    /// Adds a counter; with it, where its printed figure stands in the text, if it does.
    pub fn cell_in(&mut self, cell: Cell, raw: &str, stands: Option<usize>) {
        let in_text = stands.filter(|at| {
            let len = raw.len();
            len <= MAX_RAW && self.text.as_bytes().get(*at..*at + len) == Some(raw.as_bytes())
        });
        match in_text {
            Some(at) => self.cell_at(cell, at, raw.len()),
            None => self.cell(cell, raw),
        }
    }

    pub fn push(&mut self, c: Counter) {
        let place = self.cells.len();
        let mut cell = Cell::none(c.status);
        if let Some(n) = &c.value {
            cell.number(n);
        }
        let decimals = c.resolution.and_then(decimals_of);
        let is_word = c.text.as_deref().is_none_or(|t| t == c.raw);
        cell.decimals = decimals.unwrap_or(NO_DECIMALS);
        let is_plain =
            is_word && c.suspect.is_empty() && decimals.is_some() == c.resolution.is_some();
        self.cell(cell, &c.raw);
        if is_plain {
            self.keys.put(c.into_key());
        } else {
            self.keys.put(Arc::clone(c.key()));
            self.set(place, c);
        }
    }

    pub fn extend(&mut self, counters: impl IntoIterator<Item = Counter>) {
        for c in counters {
            self.push(c);
        }
    }

    /// Puts another counter in a place.
    pub fn set(&mut self, place: usize, c: Counter) {
        let same = self
            .get(place)
            .is_some_and(|old| old.raw() == c.raw.as_str());
        let Some(cell) = self.cells.get_mut(place) else {
            return;
        };
        let mut rare = Rare::default();
        let before = self.rare.remove(&place);
        cell.kind = Kind::None;
        if let Some(n) = &c.value {
            cell.number(n);
        }
        cell.status = c.status;
        cell.decimals = NO_DECIMALS;
        if let Some(r) = c.resolution {
            match decimals_of(r) {
                Some(d) => cell.decimals = d,
                None => rare.resolution = Some(r),
            }
        }
        rare.raw = match same {
            true => before.and_then(|b| b.raw),
            false => Some(c.raw.as_str().into()),
        };
        rare.word = c.text.clone().filter(|t| **t != *c.raw);
        if !c.suspect.is_empty() {
            rare.suspect = c.suspect.as_slice().into();
        }
        cell.rare = !rare.is_empty();
        if cell.rare {
            self.rare.insert(place, rare);
        }
        self.keys.set(place, c.key());
    }

    /// Changes a counter.
    pub fn edit(&mut self, place: usize, change: impl FnOnce(&mut Counter)) {
        if let Some(old) = self.get(place) {
            let mut c = Counter::from(old);
            change(&mut c);
            self.set(place, c);
        }
    }

    /// Says of a counter why it should not be taken at face value.
    pub fn doubt(&mut self, place: usize, why: String) {
        if let Some(cell) = self.cells.get_mut(place) {
            cell.rare = true;
            let suspect = &mut self.rare.entry(place).or_default().suspect;
            *suspect = suspect.iter().cloned().chain([why]).collect();
        }
    }

    /// Takes the number of a counter and says why it has none.
    pub fn refuse(&mut self, place: usize, why: &Arc<[String]>) {
        if let Some(cell) = self.cells.get_mut(place) {
            *cell = Cell {
                at: cell.at,
                len: cell.len,
                rare: true,
                ..Cell::none(Status::Error)
            };
            let rare = self.rare.entry(place).or_default();
            *rare = Rare {
                raw: rare.raw.take(),
                suspect: Arc::clone(why),
                ..Rare::default()
            };
        }
    }

    /// Gives a counter a number; doubts about it stay.
    pub fn settle(&mut self, place: usize, value: Cell) {
        if let Some(cell) = self.cells.get_mut(place) {
            *cell = Cell {
                at: cell.at,
                len: cell.len,
                rare: cell.rare,
                ..value
            };
        }
    }
}

impl PartialEq for Counters {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl fmt::Debug for Counters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
