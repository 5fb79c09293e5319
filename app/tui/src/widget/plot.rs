//! A small plot of lines and letters, in braille dots, in halves of characters or in ASCII.

use crate::options::PlotMarks;

/// A raster of cells: dots of lines below, letters above them.
pub struct Plot {
    columns: usize,
    rows: usize,
    marks: PlotMarks,
    dots: Vec<u8>,
    letters: Vec<Option<char>>,
}

/// Dots of a braille cell, by column and row (Unicode 15, block 2800).
const DOTS: [[u8; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];

impl Plot {
    /// An empty plot of so many character cells.
    pub fn new(columns: usize, rows: usize, marks: PlotMarks) -> Self {
        let cells = columns * rows;
        Self {
            columns,
            rows,
            marks,
            dots: vec![0; cells],
            letters: vec![None; cells],
        }
    }

    /// The cell and the dot in it of a place from 0 to 1, from the left and from below.
    fn place(&self, x: f64, y: f64) -> Option<(usize, u8)> {
        let inside = (0.0..=1.0).contains(&x) && (0.0..=1.0).contains(&y);
        if !inside || self.columns == 0 || self.rows == 0 {
            return None;
        }
        let scale = |v: f64, n: usize| ((v * n as f64) as usize).min(n - 1);
        let (dx, dy) = (
            scale(x, self.columns * 2),
            self.rows * 4 - 1 - scale(y, self.rows * 4),
        );
        Some((dy / 4 * self.columns + dx / 2, DOTS[dx % 2][dy % 4]))
    }

    /// Draws a line between two places; parts outside are left out. With `gap` above 1 only every
    /// so many dots.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), gap: usize) {
        let steps = (self.columns * 2).max(self.rows * 4).max(1) * 2;
        for i in 0..=steps {
            if i / 2 % gap.max(1) != 0 {
                continue;
            }
            let t = i as f64 / steps as f64;
            let at = |a: f64, b: f64| a + (b - a) * t;
            if let Some((cell, dot)) = self.place(at(from.0, to.0), at(from.1, to.1)) {
                self.dots[cell] |= dot;
            }
        }
    }

    /// Puts a letter; what is outside is moved to the edge, and a cell keeps its first letter.
    pub fn letter(&mut self, x: f64, y: f64, letter: char) {
        let inside = |v: f64| {
            if v.is_finite() {
                v.clamp(0.0, 1.0)
            } else {
                0.0
            }
        };
        if let Some((cell, _)) = self.place(inside(x), inside(y)) {
            self.letters[cell].get_or_insert(letter);
        }
    }

    /// The rows from above, each as wide as the plot; letters are told from lines.
    pub fn rows(&self) -> Vec<Vec<(String, bool)>> {
        (0..self.rows)
            .map(|r| {
                let mut out: Vec<(String, bool)> = Vec::new();
                for c in 0..self.columns {
                    let cell = r * self.columns + c;
                    let (symbol, is_letter) = match self.letters[cell] {
                        Some(l) => (l, true),
                        None => (self.dot(self.dots[cell]), false),
                    };
                    match out.last_mut().filter(|(_, l)| *l == is_letter) {
                        Some((text, _)) => text.push(symbol),
                        None => out.push((symbol.to_string(), is_letter)),
                    }
                }
                out
            })
            .collect()
    }

    fn dot(&self, dots: u8) -> char {
        const UPPER: u8 = DOTS[0][0] | DOTS[0][1] | DOTS[1][0] | DOTS[1][1];
        match (dots, self.marks) {
            (0, _) => ' ',
            (_, PlotMarks::Ascii) => '.',
            (d, PlotMarks::HalfBlock) => match (d & UPPER != 0, d & !UPPER != 0) {
                (true, true) => '█',
                (true, false) => '▀',
                (false, _) => '▄',
            },
            (d, PlotMarks::Braille) => char::from_u32(0x2800 + u32::from(d)).unwrap_or('.'),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(p: &Plot) -> Vec<String> {
        p.rows()
            .into_iter()
            .map(|r| r.into_iter().map(|(t, _)| t).collect())
            .collect()
    }

    #[test]
    fn lines_and_letters_land_where_they_belong() {
        let mut p = Plot::new(4, 2, PlotMarks::Ascii);
        p.line((0.0, 0.0), (1.0, 1.0), 1);
        p.letter(0.99, 0.01, 'a');
        p.letter(7.0, -3.0, 'b');
        assert_eq!(text(&p), ["  ..", "..  ".replace("  ", " a").as_str()]);
        let mut p = Plot::new(2, 1, PlotMarks::Braille);
        p.line((0.0, 0.0), (1.0, 0.0), 1);
        assert_eq!(text(&p), ["\u{28C0}\u{28C0}"]);
        let mut p = Plot::new(3, 1, PlotMarks::HalfBlock);
        p.line((0.0, 0.0), (0.3, 0.0), 1);
        p.line((0.4, 0.9), (0.6, 0.9), 1);
        p.line((0.99, 0.0), (0.99, 1.0), 1);
        assert_eq!(text(&p), ["▄▀█"]);
    }

    #[test]
    fn nothing_is_drawn_without_room_or_outside() {
        let mut p = Plot::new(0, 0, PlotMarks::Braille);
        p.line((0.0, 0.0), (1.0, 1.0), 0);
        p.letter(0.5, 0.5, 'a');
        assert!(p.rows().is_empty());
        let mut p = Plot::new(1, 1, PlotMarks::Ascii);
        p.line((2.0, 2.0), (3.0, 3.0), 1);
        p.letter(f64::NAN, 0.5, 'n');
        assert_eq!(text(&p), ["n"]);
    }
}
