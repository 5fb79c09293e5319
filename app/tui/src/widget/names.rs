//! Names that have too little room: shortened so that both ends stay, and no two become one.

use std::collections::HashMap;

use unicode_segmentation::UnicodeSegmentation;

use assay_core::text::width;

use crate::theme::Theme;

/// The names, each in its room of columns.
///
/// The middle is left out first. Names that look the same then are alike at both ends: of those
/// what differs is kept, and where even that has no room they are numbered.
pub fn shorten(theme: &Theme, names: &[(&str, usize)]) -> Vec<String> {
    let mut out: Vec<String> = names.iter().map(|(n, w)| theme.squeeze(n, *w)).collect();
    for group in alike(names, &out) {
        let from = common(group.iter().map(|i| names[*i].0));
        for i in &group {
            out[*i] = apart(theme, names[*i].0, from, names[*i].1);
        }
    }
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    for group in alike(names, &out) {
        for i in group {
            let (name, room) = names[i];
            let next = numbers.len() + 1;
            let mark = format!("#{}", numbers.entry(name).or_insert(next));
            let head = theme.cut(name, room.saturating_sub(width(&mark)));
            out[i] = theme.cut(&format!("{head}{mark}"), room).into_owned();
        }
    }
    out
}

/// Places of different names that look the same, by first place.
fn alike(names: &[(&str, usize)], shown: &[String]) -> Vec<Vec<usize>> {
    let mut by: HashMap<&str, Vec<usize>> = HashMap::new();
    for (i, s) in shown.iter().enumerate() {
        by.entry(s).or_default().push(i);
    }
    let mut groups: Vec<Vec<usize>> = by
        .into_values()
        .filter(|g| g.iter().any(|i| names[*i].0 != names[g[0]].0))
        .collect();
    groups.sort();
    groups
}

/// How many graphemes all names begin with.
fn common<'n>(mut names: impl Iterator<Item = &'n str>) -> usize {
    let Some(first) = names.next() else { return 0 };
    let all = first.graphemes(true).count();
    names.fold(all, |n, name| {
        let same = first.graphemes(true).zip(name.graphemes(true));
        n.min(same.take_while(|(a, b)| a == b).count())
    })
}

/// The beginning of a name, and what comes from the grapheme on in which it differs.
fn apart(theme: &Theme, name: &str, from: usize, room: usize) -> String {
    let graphemes: Vec<&str> = name.graphemes(true).collect();
    // One grapheme before the difference shows where it stands.
    let tail = graphemes[from.saturating_sub(1).min(graphemes.len())..].concat();
    let gap = theme.gap();
    let tail = theme
        .cut(&tail, room.saturating_sub(width(gap) + 1).min(room * 2 / 3))
        .into_owned();
    let room = room.saturating_sub(width(&tail) + width(gap));
    let mut head = String::new();
    for g in &graphemes {
        if width(&head) + width(g) > room {
            break;
        }
        head.push_str(g);
    }
    format!("{head}{gap}{tail}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;

    fn of(names: &[&str], columns: usize) -> Vec<String> {
        let theme = Theme::new(&Options::default());
        let all: Vec<(&str, usize)> = names.iter().map(|n| (*n, columns)).collect();
        shorten(&theme, &all)
    }

    #[test]
    fn both_ends_stay() {
        assert_eq!(
            of(&["square", "v4-flash-decode-s"], 10),
            ["square", "v4-f…ode-s"]
        );
    }

    #[test]
    fn what_differs_in_the_middle_stays() {
        let names = [
            "gemm-with-tile-64-and-a-long-end",
            "gemm-with-tile-96-and-a-long-end",
        ];
        let short = of(&names, 16);
        assert_eq!(short, ["gemm-…-64-and-a…", "gemm-…-96-and-a…"]);
    }

    #[test]
    fn no_two_names_become_one_at_any_width() {
        let wide: Vec<String> = (0..30)
            .map(|i| format!("{}{i}{}", "核".repeat(40), "数".repeat(40)))
            .collect();
        let names: Vec<&str> = wide.iter().map(String::as_str).collect();
        for columns in 6..90 {
            let short = of(&names, columns);
            assert!(
                short.iter().all(|s| width(s) <= columns),
                "{columns} {short:?}"
            );
            let mut once = short.clone();
            once.sort();
            once.dedup();
            assert_eq!(once.len(), short.len(), "{columns} {short:?}");
        }
        for columns in 0..6 {
            assert!(
                of(&names, columns)
                    .iter()
                    .all(|s| width(s) <= columns.max(5))
            );
        }
    }

    #[test]
    fn the_same_name_twice_is_one_name() {
        let name = "a-name-that-is-much-too-long";
        let short = of(&[name, name], 12);
        assert_eq!(short[0], short[1]);
    }
}
