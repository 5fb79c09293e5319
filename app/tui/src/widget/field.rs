//! A one-line text field that takes what keyboards, pastes and input methods send.

use assay_core::text;
use crossterm::event::{KeyCode, KeyModifiers};
use tui_input::{Input, InputRequest};
use unicode_segmentation::UnicodeSegmentation;

use crate::keymap::Key;

/// The field.
#[derive(Debug, Clone, Default)]
pub struct Field {
    input: Input,
}

impl Field {
    /// A field with content, cursor at the end.
    pub fn with(value: &str) -> Self {
        Self {
            input: Input::new(value.to_owned()),
        }
    }

    /// Content.
    pub fn value(&self) -> &str {
        self.input.value()
    }

    /// Only blanks, or nothing.
    pub fn is_blank(&self) -> bool {
        self.value().trim().is_empty()
    }

    /// Edits by a key; false when the key means nothing here.
    pub fn key(&mut self, key: Key) -> bool {
        let ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
        let alt = key.modifiers.contains(KeyModifiers::ALT);
        let request = match key.code {
            KeyCode::Char(c) if !ctrl && !alt => return self.insert(c.encode_utf8(&mut [0; 4])),
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
    pub fn insert(&mut self, pasted: &str) -> bool {
        for c in pasted.chars().take(4096) {
            let c = if matches!(c, '\n' | '\r' | '\t') {
                ' '
            } else {
                c
            };
            if text::inert(c.encode_utf8(&mut [0; 4])).chars().eq([c]) {
                self.input.handle(InputRequest::InsertChar(c));
            }
        }
        true
    }

    /// The part to show in `columns` columns, and the column of the cursor in it.
    pub fn window(&self, columns: usize) -> (String, usize) {
        let columns = columns.max(1);
        let before: String = self.value().chars().take(self.input.cursor()).collect();
        // The cursor needs a column of its own behind the text.
        let mut skip = text::width(&before).saturating_sub(columns - 1);
        let (mut shown, mut used, mut cursor) = (String::new(), 0, text::width(&before));
        for g in self.value().graphemes(true) {
            let w = text::width(g);
            if skip > 0 {
                skip = skip.saturating_sub(w.max(1));
                cursor = cursor.saturating_sub(w);
                continue;
            }
            if used + w > columns {
                break;
            }
            used += w;
            shown.push_str(g);
        }
        (shown, cursor.min(columns - 1))
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
    fn the_window_follows_the_cursor_in_columns() {
        let mut f = Field::with("核函数核函数");
        assert_eq!(f.window(20), ("核函数核函数".into(), 12));
        let (shown, at) = f.window(6);
        assert!(text::width(&shown) <= 6 && at <= 5, "{shown} {at}");
        assert_eq!(shown, "函数");
        f.key(Key {
            code: KeyCode::Home,
            modifiers: KeyModifiers::NONE,
        });
        assert_eq!(f.window(6), ("核函数".into(), 0));
        assert_eq!(f.window(0).1, 0);
    }
}
