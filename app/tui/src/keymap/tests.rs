use super::*;
use crate::action::{ACTIONS, Action, Context};

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
    let keys = Keymap::default();
    let press = |c| {
        Key {
            code: KeyCode::Char(c),
            modifiers: KeyModifiers::NONE,
        }
        .folded()
    };
    let lookup = |context, c| keys.lookup(context, press(c));
    assert_eq!(lookup(Context::Any, '：'), Some(Action::Palette));
    assert_eq!(lookup(Context::Any, '？'), Some(Action::Help));
    assert_eq!(lookup(Context::Variants, 'ｊ'), Some(Action::Down));
    assert_eq!(lookup(Context::Variants, '》'), Some(Action::SortNext));
    assert_eq!(lookup(Context::Variants, '核'), None);
}

#[test]
fn names_of_keys_are_read_and_shown() {
    for (name, shown) in [
        ("j", "j"),
        ("G", "G"),
        ("f10", "F10"),
        ("pgdn", "PgDn"),
        ("ctrl-p", "Ctrl-p"),
        ("shift-tab", "Shift-Tab"),
        ("alt-enter", "Alt-Enter"),
        ("ctrl-alt-x", "Ctrl-Alt-x"),
    ] {
        assert!(Key::parse(name).is_some(), "{name}");
        assert_eq!(label(name), shown);
    }
    // As terminals send them.
    assert_eq!(Key::parse("shift-a"), Key::parse("A"));
    assert_eq!(Key::parse("ctrl-P"), Key::parse("ctrl-p"));
    for name in ["", "ctrl-", "nosuch", "shift-1", "ctrl-shift-a", "f13"] {
        assert_eq!(Key::parse(name), None, "{name}");
    }
}

#[test]
fn what_a_campaign_needs_has_a_key_that_an_input_method_leaves_alone() {
    use Action::*;
    let needed = [
        Help,
        Palette,
        Up,
        Down,
        PageUp,
        PageDown,
        Back,
        Quit,
        Open,
        Mark,
        Compare,
        Diff,
        Run,
        Accept,
        Reject,
        Park,
        New,
        Filter,
        Search,
        Report,
        OpenProfile,
        CellEvidence,
        FoldHere,
        FoldSection,
        CancelJob,
        Contents,
        Export,
        Confirm,
        Close,
    ];
    for action in needed {
        let a = crate::action::info(action);
        let plain = a
            .keys
            .iter()
            .filter_map(|k| Key::parse(k))
            .any(|k| !matches!(k.code, KeyCode::Char(c) if c != ' ' && k.modifiers.is_empty()));
        assert!(plain, "{}", a.name);
    }
}
