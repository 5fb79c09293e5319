//! Keys: parsing, names, folding of what an input method sends, and which action has which.

mod bound;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

pub use bound::Keymap;

/// A key with its modifiers in one canonical form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    /// Code.
    pub code: KeyCode,
    /// Modifiers; never SHIFT with a character.
    pub modifiers: KeyModifiers,
}

impl Key {
    /// From a terminal event: SHIFT is dropped for characters, which carry it themselves.
    pub fn from_event(event: KeyEvent) -> Self {
        let mut modifiers =
            event.modifiers & (KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SHIFT);
        if matches!(event.code, KeyCode::Char(_) | KeyCode::BackTab) {
            modifiers.remove(KeyModifiers::SHIFT);
        }
        Self {
            code: event.code,
            modifiers,
        }
    }

    /// The same key as an ASCII keyboard would have sent it.
    ///
    /// With an input method on, `ｊ` (fullwidth) or `：` arrive instead of `j` and `:`.
    pub fn folded(self) -> Self {
        match self.code {
            KeyCode::Char(c) => Self {
                code: KeyCode::Char(fold(c)),
                ..self
            },
            _ => self,
        }
    }

    /// Whether it types a character into a field.
    pub fn types_text(self) -> bool {
        let plain = !(self.modifiers).intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
        matches!(self.code, KeyCode::Char(_)) && plain
    }

    /// Parses a name such as `ctrl-p`, `G`, `pgdn`, `shift-tab`.
    pub fn parse(name: &str) -> Option<Self> {
        let mut rest = name;
        let mut modifiers = KeyModifiers::NONE;
        loop {
            if let Some(r) = rest.strip_prefix("ctrl-") {
                modifiers |= KeyModifiers::CONTROL;
                rest = r;
            } else if let Some(r) = rest.strip_prefix("alt-") {
                modifiers |= KeyModifiers::ALT;
                rest = r;
            } else if let Some(r) = rest.strip_prefix("shift-") {
                modifiers |= KeyModifiers::SHIFT;
                rest = r;
            } else {
                break;
            }
        }
        let mut chars = rest.chars();
        let code = match rest {
            "tab" if modifiers.contains(KeyModifiers::SHIFT) => {
                modifiers.remove(KeyModifiers::SHIFT);
                KeyCode::BackTab
            }
            "f1" | "f2" | "f3" | "f4" | "f5" | "f6" | "f7" | "f8" | "f9" | "f10" | "f11"
            | "f12" => KeyCode::F(rest[1..].parse().ok()?),
            _ => match NAMED.iter().find(|(n, _)| *n == rest) {
                Some((_, code)) => *code,
                None => match (chars.next(), chars.next()) {
                    (Some(c), None) => KeyCode::Char(plain(c, &mut modifiers)?),
                    _ => return None,
                },
            },
        };
        Some(Self { code, modifiers })
    }
}

/// A character as terminals send it: Shift makes letters capital, and Ctrl has no capitals.
fn plain(c: char, modifiers: &mut KeyModifiers) -> Option<char> {
    let ctrl = modifiers.contains(KeyModifiers::CONTROL);
    match modifiers.contains(KeyModifiers::SHIFT) {
        true if ctrl || !c.is_ascii_alphabetic() => return None,
        true => modifiers.remove(KeyModifiers::SHIFT),
        false if ctrl => return Some(c.to_ascii_lowercase()),
        false => return Some(c),
    }
    Some(c.to_ascii_uppercase())
}

const NAMED: &[(&str, KeyCode)] = &[
    ("enter", KeyCode::Enter),
    ("esc", KeyCode::Esc),
    ("tab", KeyCode::Tab),
    ("space", KeyCode::Char(' ')),
    ("up", KeyCode::Up),
    ("down", KeyCode::Down),
    ("left", KeyCode::Left),
    ("right", KeyCode::Right),
    ("home", KeyCode::Home),
    ("end", KeyCode::End),
    ("pgup", KeyCode::PageUp),
    ("pgdn", KeyCode::PageDown),
    ("insert", KeyCode::Insert),
    ("delete", KeyCode::Delete),
    ("backspace", KeyCode::Backspace),
];

/// Folds one character that a Chinese, Japanese or Korean input method sends to ASCII.
pub fn fold(c: char) -> char {
    match c {
        '\u{FF01}'..='\u{FF5E}' => char::from_u32(c as u32 - 0xFEE0).unwrap_or(c),
        '\u{3000}' => ' ',
        '。' => '.',
        '、' => '/',
        '《' => '<',
        '》' => '>',
        '【' => '[',
        '】' => ']',
        c => c,
    }
}

/// How a key is shown: plain words, so that every terminal can show them.
pub fn label(name: &str) -> String {
    let mut out = String::new();
    let mut rest = name;
    while let Some((prefix, after)) = ["ctrl-", "alt-", "shift-"]
        .iter()
        .find_map(|p| Some((p, rest.strip_prefix(p)?)))
    {
        out.push_str(&capital(prefix));
        rest = after;
    }
    out.push_str(&match rest {
        "pgup" => "PgUp".into(),
        "pgdn" => "PgDn".into(),
        n if n.chars().count() > 1 => capital(n),
        n => n.to_owned(),
    });
    out
}

fn capital(name: &str) -> String {
    let mut chars = name.chars();
    chars
        .next()
        .map_or_else(String::new, |c| c.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests;
