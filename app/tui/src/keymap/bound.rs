//! Which key does what: the action table, and what the user has made of it.

use std::collections::HashMap;

use assay_core::campaign::{Binding, Problem};
use assay_core::text::nearest;

use super::{Key, NAMED, label};
use crate::action::{ACTIONS, Action, Context, info};

/// Actions that must keep a key: without one there would be no way on.
const ESSENTIAL: &[Action] = &[
    Action::Help,
    Action::Back,
    Action::Quit,
    Action::Cancel,
    Action::Confirm,
    Action::Close,
];

/// What is done while text is typed, by keys that type none.
const BESIDE_TEXT: &[Action] = &[Action::Cancel, Action::Redraw, Action::Suspend];

/// Keys that terminals send as others, and as which.
const TWINS: &[(&str, &str)] = &[
    ("ctrl-i", "tab"),
    ("ctrl-m", "enter"),
    ("ctrl-[", "esc"),
    ("ctrl-h", "backspace"),
];

/// The keys of all actions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keymap {
    /// Names of keys by the place of the action in the table.
    names: Vec<Vec<String>>,
    live: HashMap<(Context, Key), Action>,
}

impl Default for Keymap {
    fn default() -> Self {
        let names = ACTIONS.iter().map(|a| usual(a.keys)).collect();
        let mut map = Self {
            names,
            live: HashMap::new(),
        };
        map.index();
        map
    }
}

fn usual(keys: &[&str]) -> Vec<String> {
    keys.iter().map(|k| (*k).to_owned()).collect()
}

fn place(action: Action) -> usize {
    let at = ACTIONS.iter().position(|a| a.action == action);
    at.unwrap_or_default()
}

/// As a key is looked up.
fn key(name: &str) -> Option<Key> {
    Key::parse(name).map(Key::folded)
}

/// A key of a context that two actions have, as places in the table.
struct Conflict {
    name: String,
    between: [usize; 2],
}

impl Keymap {
    /// The action that `key` triggers in `context`.
    pub fn lookup(&self, context: Context, key: Key) -> Option<Action> {
        self.live.get(&(context, key)).copied()
    }

    /// The keys of an action as they are shown.
    pub fn labels(&self, action: Action) -> Vec<String> {
        let names = self.names.get(place(action)).into_iter().flatten();
        names.map(|n| label(n)).collect()
    }

    /// The key of an action that is shown in hints; a dash when it has none.
    pub fn label(&self, action: Action) -> String {
        let first = self.labels(action).into_iter().next();
        first.unwrap_or_else(|| "-".into())
    }

    /// Fills in the keys of a text: `{help}` stands for that of the action of this name.
    pub fn fill(&self, text: &str) -> String {
        let (mut out, mut rest) = (String::new(), text);
        while let Some(at) = rest.find('{') {
            let (before, after) = rest.split_at(at);
            out.push_str(before);
            let name = after[1..].split_once('}').map(|(name, _)| name);
            let action = name.and_then(|n| ACTIONS.iter().find(|a| a.name == n));
            match action {
                Some(a) => {
                    out.push_str(&self.label(a.action));
                    rest = &after[a.name.len() + 2..];
                }
                None => {
                    out.push('{');
                    rest = &after[1..];
                }
            }
        }
        out + rest
    }

    /// Takes the user's keys. What cannot be is left as it was, and told.
    pub fn rebind(&mut self, bindings: &[Binding]) -> Vec<Problem> {
        let mut problems = Vec::new();
        // Who set the keys of an action, as places in `bindings`.
        let mut set: HashMap<usize, usize> = HashMap::new();
        for (n, b) in bindings.iter().enumerate() {
            match checked(b) {
                Ok(at) => {
                    self.names[at].clone_from(&b.keys);
                    set.insert(at, n);
                }
                Err(p) => problems.push(p),
            }
        }
        // Only what was set can be in conflict: each turn takes one of them back.
        while let Some(c) = self.conflict() {
            let [first, second] = c.between;
            let later = [first, second]
                .into_iter()
                .filter_map(|at| Some((*set.get(&at)?, at)))
                .max();
            let Some((n, at)) = later else { break };
            let other = if at == first { second } else { first };
            let (b, a) = (&bindings[n], &ACTIONS[other]);
            let found = format!("`{}`, which is the key of `{}` too", c.name, a.name);
            let hint = format!("give `{}` another key in the same file", a.name);
            problems.push(problem(b, "a key of its own", found, Some(hint)));
            self.names[at] = usual(ACTIONS[at].keys);
            set.remove(&at);
        }
        self.index();
        problems
    }

    fn conflict(&self) -> Option<Conflict> {
        for context in Context::ALL {
            let mut seen: HashMap<Key, usize> = HashMap::new();
            let live = ACTIONS.iter().enumerate();
            for (at, _) in live.filter(|(_, a)| a.live_in(context)) {
                for name in &self.names[at] {
                    let Some(key) = key(name) else { continue };
                    match seen.insert(key, at) {
                        Some(other) if other != at => {
                            return Some(Conflict {
                                name: name.clone(),
                                between: [other, at],
                            });
                        }
                        _ => {}
                    }
                }
            }
        }
        None
    }

    fn index(&mut self) {
        self.live.clear();
        for context in Context::ALL {
            let live = ACTIONS.iter().zip(&self.names);
            for (a, names) in live.filter(|(a, _)| a.live_in(context)) {
                for key in names.iter().filter_map(|n| key(n)) {
                    self.live.entry((context, key)).or_insert(a.action);
                }
            }
        }
    }
}

fn problem(b: &Binding, expected: &str, found: String, hint: Option<String>) -> Problem {
    Problem {
        line: b.line,
        column: b.column,
        context: format!("keys.{}", b.action),
        found,
        expected: expected.to_owned(),
        hint,
    }
}

/// The place of the action of an entry, unless something is wrong with the entry by itself.
fn checked(b: &Binding) -> Result<usize, Problem> {
    let near = |word: &str, words: &mut dyn Iterator<Item = &'static str>| {
        nearest(word, words).map(|n| format!("did you mean `{n}`?"))
    };
    let Some(at) = ACTIONS.iter().position(|a| a.name == b.action) else {
        let hint = near(&b.action, &mut ACTIONS.iter().map(|a| a.name));
        let found = format!("no action `{}`", b.action);
        return Err(problem(b, "the name of an action", found, hint));
    };
    let action = ACTIONS[at].action;
    if b.keys.is_empty() && ESSENTIAL.contains(&action) {
        return Err(problem(b, "at least one key", "none".into(), None));
    }
    let types = info(action).contexts == [Context::Layer] || BESIDE_TEXT.contains(&action);
    for name in &b.keys {
        if let Some((_, as_what)) = TWINS.iter().find(|(twin, _)| twin == name) {
            let found = format!("`{name}`, which terminals send as `{as_what}`");
            return Err(problem(b, "another key", found, None));
        }
        let Some(key) = Key::parse(name) else {
            let hint = near(name, &mut NAMED.iter().map(|(n, _)| *n));
            let expected = "a character or the name of a key, with ctrl-, alt- or shift- before it";
            return Err(problem(b, expected, format!("`{name}`"), hint));
        };
        if types && key.types_text() {
            let found = format!("`{name}`, which is typed into fields");
            return Err(problem(b, "a key that types no text", found, None));
        }
    }
    Ok(at)
}

#[cfg(test)]
mod tests;
