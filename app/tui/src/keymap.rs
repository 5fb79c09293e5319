//! Keys: parsing, names, folding of what an input method sends, and lookup in the action table.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::action::{ACTIONS, Action, Context};

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
                    (Some(c), None) => KeyCode::Char(c),
                    _ => return None,
                },
            },
        };
        Some(Self { code, modifiers })
    }
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

/// The action that `key` triggers in `context`.
pub fn lookup(context: Context, key: Key) -> Option<Action> {
    ACTIONS
        .iter()
        .filter(|a| a.live_in(context))
        .find(|a| a.keys.iter().any(|k| Key::parse(k) == Some(key)))
        .map(|a| a.action)
}

/// How a key is shown: `⏎`-free plain words, so that every terminal can show them.
pub fn label(name: &str) -> String {
    match name {
        "enter" => "Enter".into(),
        "esc" => "Esc".into(),
        "tab" => "Tab".into(),
        "shift-tab" => "Shift-Tab".into(),
        "space" => "Space".into(),
        "pgup" => "PgUp".into(),
        "pgdn" => "PgDn".into(),
        "up" | "down" | "left" | "right" | "home" | "end" | "insert" | "delete" | "backspace" => {
            capital(name)
        }
        n if n.starts_with("ctrl-") => format!("Ctrl-{}", &n[5..]),
        n if n.starts_with("shift-") => format!("Shift-{}", capital(&n[6..])),
        n if n.len() > 1 && n.starts_with('f') => n.to_uppercase(),
        n => n.to_owned(),
    }
}

fn capital(name: &str) -> String {
    let mut chars = name.chars();
    chars
        .next()
        .map_or_else(String::new, |c| c.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_of_the_table_parses() {
        for a in ACTIONS {
            for k in a.keys {
                assert!(Key::parse(k).is_some(), "{}: {k}", a.name);
            }
        }
    }

    #[test]
    fn no_context_binds_a_key_twice() {
        for context in Context::ALL {
            let mut seen = std::collections::HashMap::new();
            for a in ACTIONS.iter().filter(|a| a.live_in(context)) {
                for k in a.keys {
                    if let Some(other) = seen.insert(*k, a.name) {
                        panic!("{k} is bound to {other} and {} in {context:?}", a.name);
                    }
                }
            }
        }
    }

    #[test]
    fn names_are_unique_and_titles_present() {
        let mut names: Vec<_> = ACTIONS.iter().map(|a| a.name).collect();
        names.sort_unstable();
        let n = names.len();
        names.dedup();
        assert_eq!(names.len(), n);
        assert!(
            ACTIONS
                .iter()
                .all(|a| !a.en.is_empty() && !a.zh.is_empty() && !a.keys.is_empty())
        );
    }

    #[test]
    fn fullwidth_keys_fold_to_ascii() {
        let press = |c| {
            Key {
                code: KeyCode::Char(c),
                modifiers: KeyModifiers::NONE,
            }
            .folded()
        };
        assert_eq!(lookup(Context::Any, press('：')), Some(Action::Palette));
        assert_eq!(lookup(Context::Any, press('？')), Some(Action::Help));
        assert_eq!(lookup(Context::Variants, press('ｊ')), Some(Action::Down));
        assert_eq!(
            lookup(Context::Variants, press('》')),
            Some(Action::SortNext)
        );
        assert_eq!(lookup(Context::Variants, press('核')), None);
    }
}
