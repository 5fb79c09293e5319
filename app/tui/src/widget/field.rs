//! A one-line text field that takes what keyboards, pastes and input methods send.

use assay_core::text;
use crossterm::event::{KeyCode, KeyModifiers};
use tui_input::{Input, InputRequest};
use unicode_segmentation::UnicodeSegmentation;

use crate::keymap::Key;

/// Most characters that a field takes: far more than anybody writes on one line.
pub const MOST: usize = 65_536;

/// The field.
#[derive(Debug, Clone, Default)]
pub struct Field {
    input: Input,
    left_out: usize,
}

impl Field {
    /// A field with content, cursor at the end.
    pub fn with(value: &str) -> Self {
        Self {
            input: Input::new(value.to_owned()),
            left_out: 0,
        }
    }

    /// Content.
    pub fn value(&self) -> &str {
        self.input.value()
    }

    /// Characters of what came last that had no room.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// Only blanks, or nothing.
    pub fn is_blank(&self) -> bool {
        self.value().trim().is_empty()
    }

    /// Edits by a key; false when the key means nothing here.
    pub fn key(&mut self, key: Key) -> bool {
        self.left_out = 0;
        let ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
        let alt = key.modifiers.contains(KeyModifiers::ALT);
        let request = match key.code {
            KeyCode::Char(c) if !ctrl && !alt => {
                self.insert(c.encode_utf8(&mut [0; 4]));
                return true;
            }
            KeyCode::Char('a') if ctrl => InputRequest::GoToStart,
            KeyCode::Char('e') if ctrl => InputRequest::GoToEnd,
            KeyCode::Char('u') if ctrl => InputRequest::DeleteFromStart,
            KeyCode::Char('k') if ctrl => InputRequest::DeleteTillEnd,
            KeyCode::Char('w') if ctrl => InputRequest::DeletePrevWord,
            KeyCode::Char('h') if ctrl => InputRequest::DeletePrevChar,
            KeyCode::Backspace if ctrl || alt => InputRequest::DeletePrevWord,
            KeyCode::Backspace => InputRequest::DeletePrevChar,
            KeyCode::Delete => InputRequest::DeleteNextChar,
            KeyCode::Left if ctrl => InputRequest::GoToPrevWord,
            KeyCode::Right if ctrl => InputRequest::GoToNextWord,
            KeyCode::Left => InputRequest::GoToPrevChar,
            KeyCode::Right => InputRequest::GoToNextChar,
            KeyCode::Home => InputRequest::GoToStart,
            KeyCode::End => InputRequest::GoToEnd,
            _ => return false,
        };
        self.input.handle(request);
        true
    }

    /// Inserts text at the cursor: line ends become blanks, what could act on a terminal is dropped.
    /// What has no room is left out, and counted.
    pub fn insert(&mut self, pasted: &str) {
        let cleaned = pasted.chars().filter_map(|c| {
            let c = if matches!(c, '\n' | '\r' | '\t') {
                ' '
            } else {
                c
            };
            let is_inert = text::inert(c.encode_utf8(&mut [0; 4])).chars().eq([c]);
            is_inert.then_some(c)
        });
        let cleaned: Vec<char> = cleaned.collect();
        let room = MOST.saturating_sub(self.value().chars().count());
        let taken = cleaned.len().min(room);
        self.left_out = cleaned.len() - taken;
        let at = self.input.cursor();
        let mut value: String = self.value().chars().take(at).collect();
        value.extend(&cleaned[..taken]);
        value.extend(self.value().chars().skip(at));
        self.input = Input::new(value).with_cursor(at + taken);
    }

    /// The part to show in `columns` columns, and the column of the cursor in it. `gap`, one column
    /// wide, stands for what is left out on either side.
    pub fn window(&self, columns: usize, gap: &str) -> (String, usize) {
        let columns = columns.max(1);
        let before: String = self.value().chars().take(self.input.cursor()).collect();
        let before = text::width(&before);
        // The cursor needs a column of its own behind the text, and so does the mark.
        let marked = columns > 2;
        let over = before > columns - 1;
        let mut skip = match over {
            true => before - (columns - 1 - usize::from(marked)),
            false => 0,
        };
        let (mut shown, mut used, mut cursor) = (Vec::new(), 0, before);
        if over && marked {
            shown.push(gap);
            used = 1;
            cursor += 1;
        }
        let mut more = false;
        for g in self.value().graphemes(true) {
            let w = text::width(g);
            if skip > 0 {
                skip = skip.saturating_sub(w.max(1));
                cursor = cursor.saturating_sub(w);
                continue;
            }
            if used + w > columns {
                more = true;
                break;
            }
            used += w;
            shown.push(g);
        }
        let cursor = cursor.min(columns - 1);
        if more && marked {
            let mut rest = shown.clone();
            while used + 1 > columns {
                used -= rest.pop().map_or(used, text::width);
            }
            // What the cursor stands on is seen.
            if used > cursor {
                rest.push(gap);
                shown = rest;
            }
        }
        (shown.concat(), cursor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pasted_text_is_one_inert_line() {
        let mut f = Field::default();
        f.insert("分块 128\nnext\x1b[31m\u{202e}x");
        assert_eq!(f.value(), "分块 128 next[31mx");
    }

    #[test]
    fn a_long_text_is_taken_whole_and_what_has_no_room_is_counted() {
        let mut f = Field::with("ab");
        f.key(Key {
            code: KeyCode::Left,
            modifiers: KeyModifiers::NONE,
        });
        f.insert(&format!("{}尾", "x".repeat(4090)));
        assert_eq!((f.value().chars().count(), f.left_out()), (4093, 0));
        assert!(f.value().starts_with("ax") && f.value().ends_with("x尾b"));
        f.insert(&"y".repeat(MOST));
        assert_eq!((f.value().chars().count(), f.left_out()), (MOST, 4093));
        assert!(f.value().ends_with("yb"));
        let z = Key {
            code: KeyCode::Char('z'),
            modifiers: KeyModifiers::NONE,
        };
        f.key(z);
        assert_eq!((f.value().chars().count(), f.left_out()), (MOST, 1));
        f.key(Key {
            code: KeyCode::Backspace,
            ..z
        });
        assert_eq!(f.left_out(), 0);
    }

    #[test]
    fn the_window_follows_the_cursor_in_columns() {
        let mut f = Field::with("核函数核函数");
        assert_eq!(f.window(20, "…"), ("核函数核函数".into(), 12));
        let (shown, at) = f.window(6, "…");
        assert!(text::width(&shown) <= 6 && at <= 5, "{shown} {at}");
        assert_eq!((shown.as_str(), at), ("…函数", 5));
        f.key(Key {
            code: KeyCode::Home,
            modifiers: KeyModifiers::NONE,
        });
        assert_eq!(f.window(6, "…"), ("核函…".into(), 0));
        assert_eq!(f.window(0, "…").1, 0);
    }
}
