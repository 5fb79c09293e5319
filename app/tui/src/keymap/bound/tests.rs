use super::*;

fn bind(entries: &[(&str, &[&str])]) -> (Keymap, Vec<String>) {
    let bindings: Vec<Binding> = (entries.iter().enumerate())
        .map(|(i, (action, keys))| Binding {
            action: (*action).into(),
            keys: usual(keys),
            line: i + 1,
            column: 1,
        })
        .collect();
    let mut map = Keymap::default();
    let problems = map.rebind(&bindings);
    let said = problems
        .iter()
        .map(|p| {
            let hint = p.hint.as_deref().unwrap_or_default();
            format!("{}: {} {hint}", p.line, p.message())
        })
        .collect();
    (map, said)
}

fn does(map: &Keymap, context: Context, name: &str) -> Option<Action> {
    map.lookup(context, Key::parse(name).unwrap())
}

#[test]
fn keys_are_taken_in_the_place_of_the_usual_ones() {
    let (map, said) = bind(&[
        ("variants.mark", &["m"]),
        ("variants.new", &["i", "insert"]),
    ]);
    assert_eq!(said, Vec::<String>::new());
    assert_eq!(does(&map, Context::Variants, "m"), Some(Action::Mark));
    assert_eq!(does(&map, Context::Variants, "space"), None);
    assert_eq!(map.labels(Action::New), ["i", "Insert"]);
    assert_eq!(map.label(Action::Mark), "m");
}

#[test]
fn two_may_change_places() {
    let (map, said) = bind(&[("up", &["j", "up"]), ("down", &["k", "down"])]);
    assert_eq!(said, Vec::<String>::new());
    assert_eq!(does(&map, Context::Jobs, "k"), Some(Action::Down));
}

#[test]
fn a_key_of_another_action_is_refused_and_the_usual_one_stays() {
    let (map, said) = bind(&[("variants.mark", &["j"])]);
    assert_eq!(
        said,
        [
            "1: keys.variants.mark: expected a key of its own, found `j`, which is the key of `down` too \
          give `down` another key in the same file"
        ]
    );
    assert_eq!(map, Keymap::default());
    // Of two that the user has set the later goes; then the first has its place.
    let (map, said) = bind(&[("run", &["m"]), ("variants.mark", &["m"])]);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].starts_with("2: keys.variants.mark"), "{said:?}");
    assert_eq!(does(&map, Context::Variants, "m"), Some(Action::Run));
    assert_eq!(does(&map, Context::Variants, "space"), Some(Action::Mark));
}

#[test]
fn taking_back_one_may_take_back_another() {
    // `space` was given away in the belief that mark would leave it.
    let (map, said) = bind(&[("run", &["space"]), ("variants.mark", &["j"])]);
    assert_eq!(said.len(), 2, "{said:?}");
    assert_eq!(map, Keymap::default());
}

#[test]
fn what_is_no_action_or_no_key_is_told_with_a_near_miss() {
    let (map, said) = bind(&[
        ("varants.mark", &["m"]),
        ("run", &["entr"]),
        ("quit", &[]),
        ("layer.confirm", &["y"]),
        ("redraw", &["z"]),
        ("park", &["ctrl-i"]),
    ]);
    assert_eq!(
        said,
        [
            "1: keys.varants.mark: expected the name of an action, found no action `varants.mark` did you mean `variants.mark`?",
            "2: keys.run: expected a character or the name of a key, with ctrl-, alt- or shift- before it, found `entr` did you mean `enter`?",
            "3: keys.quit: expected at least one key, found none ",
            "4: keys.layer.confirm: expected a key that types no text, found `y`, which is typed into fields ",
            "5: keys.redraw: expected a key that types no text, found `z`, which is typed into fields ",
            "6: keys.park: expected another key, found `ctrl-i`, which terminals send as `tab` ",
        ]
    );
    assert_eq!(map, Keymap::default());
}

#[test]
fn texts_have_the_keys_that_are_bound() {
    let (map, _) = bind(&[("variants.new", &["i"]), ("park", &[])]);
    let text = "Press {variants.new}, {0} or {park}; {nosuch} {";
    assert_eq!(map.fill(text), "Press i, {0} or -; {nosuch} {");
}
