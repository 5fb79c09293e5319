//! A selected place in a list and the first row in view.

/// Selection and scroll of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cursor {
    /// Selected row.
    pub index: usize,
    /// First row in view.
    pub offset: usize,
}

impl Cursor {
    /// Moves by `by` rows within a list of `len` rows.
    pub fn step(&mut self, by: isize, len: usize) {
        self.index = self
            .index
            .saturating_add_signed(by)
            .min(len.saturating_sub(1));
    }

    /// Keeps the selection inside the list and in view, and the view full where it can be.
    pub fn settle(&mut self, len: usize, height: usize) {
        self.index = self.index.min(len.saturating_sub(1));
        let height = height.max(1);
        self.offset = self.offset.min(len.saturating_sub(height));
        if self.index < self.offset {
            self.offset = self.index;
        } else if self.index >= self.offset + height {
            self.offset = self.index + 1 - height;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_selection_stays_in_view() {
        let mut c = Cursor {
            index: 50,
            offset: 0,
        };
        c.settle(100, 10);
        assert_eq!(
            c,
            Cursor {
                index: 50,
                offset: 41
            }
        );
        c.settle(5, 10);
        assert_eq!(
            c,
            Cursor {
                index: 4,
                offset: 0
            }
        );
        c.settle(0, 0);
        assert_eq!(
            c,
            Cursor {
                index: 0,
                offset: 0
            }
        );
        c.step(-5, 3);
        c.step(9, 3);
        assert_eq!(c.index, 2);
    }
}
