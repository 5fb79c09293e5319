//! Finding an action by a few letters of its name, in either language.

use crate::action::{ACTIONS, Action, ActionInfo};
use crate::keymap::fold;
use crate::state::State;

/// Initials of the pinyin of the characters in titles of actions; two where a character is read
/// in two ways.
const INITIALS: &[(char, &str)] = &[
    ('a', "按"),
    ('b', "变帮并报本板标比编表部闭"),
    ('c', "出处差成查次此藏重"),
    ('d', "代到动叠对导底当打的读顶"),
    ('e', "而"),
    ('f', "反发复父负返非"),
    ('g', "个关告工归挂搁改滚跟"),
    ('h', "化回或换核绘行"),
    ('j', "交件建拒据接检界绝节计记辑间"),
    ('k', "开看"),
    ('l', "两令列历录连"),
    ('m', "命幕码面"),
    ('n', "内"),
    ('p', "剖匹屏排配"),
    ('q', "全前区取器情确起"),
    ('r', "任日认"),
    ('s', "上受史搜数时生示筛索视随顺鼠"),
    ('t', "体图提统退"),
    ('w', "位务文未"),
    ('x', "下向小序新显析消现行详选项"),
    ('y', "一优与以样原右异有源用移英运隐页"),
    ('z', "中最作值制助只在展左志折择整章置证账转载重"),
];

/// Actions that fit `text`, best first: those live on the screen below.
pub fn hits(state: &State, text: &str) -> Vec<Action> {
    // An input method may send full-width letters.
    let text: String = text.chars().map(fold).collect();
    let words: Vec<String> = text
        .to_lowercase()
        .split_whitespace()
        .map(str::to_owned)
        .collect();
    let live = ACTIONS.iter();
    let live = live.filter(|a| {
        a.live_in(state.below()) && a.action != Action::Cancel && state.offers(a.action)
    });
    let mut hits: Vec<(usize, Action)> = live
        .filter_map(|a| {
            let scores = words.iter().map(|w| score(w, a));
            let all: usize = scores.sum::<Option<usize>>()?;
            // What is hinted at the bottom is what is wanted most.
            let place = if a.hint == 0 { 50 } else { usize::from(a.hint) };
            Some((all * 64 + place, a.action))
        })
        .collect();
    hits.sort_by_key(|(score, _)| *score);
    hits.into_iter().map(|(_, a)| a).collect()
}

/// How far a word is from an action, 0 being its beginning; absent where it does not fit.
fn score(word: &str, a: &ActionInfo) -> Option<usize> {
    let title = a.en.to_lowercase();
    // A word that begins one of the title comes before one in the middle of another.
    let within = |text: &str| {
        let at = text.find(word)?;
        let begins = text[..at]
            .chars()
            .next_back()
            .is_none_or(|c| !c.is_alphanumeric());
        Some(at + if begins { 0 } else { 20 })
    };
    let exact = [
        within(&title),
        a.zh.find(word),
        within(a.name).map(|at| at + 4),
        pinyin(word, a.zh).map(|at| at + 6),
    ];
    exact.into_iter().flatten().min().or_else(|| {
        let loose = [scattered(word, &title), scattered(word, a.name)];
        loose.into_iter().flatten().min().map(|gaps| gaps + 60)
    })
}

/// The place of characters whose initials are those of a word, e.g. `bgjb` for 标记并....
fn pinyin(word: &str, title: &str) -> Option<usize> {
    let title: Vec<char> = title.chars().filter(|c| c.is_alphanumeric()).collect();
    let word: Vec<char> = word.chars().collect();
    if word.len() < 2 {
        return None;
    }
    (0..title.len()).find(|from| {
        let rest = &title[*from..];
        word.len() <= rest.len() && word.iter().zip(rest).all(|(w, c)| reads(*c, *w))
    })
}

fn reads(c: char, initial: char) -> bool {
    let known = INITIALS
        .iter()
        .any(|(i, all)| *i == initial && all.contains(c));
    known || c.to_ascii_lowercase() == initial
}

/// Whether the letters of a word come in this order, the first at the beginning of a word: how many
/// others lie between them, those before the beginning of a word apart.
fn scattered(word: &str, text: &str) -> Option<usize> {
    let text: Vec<char> = text.chars().collect();
    let starts = |i: usize| i == 0 || !text[i - 1].is_alphanumeric();
    let begin = word.chars().next()?;
    let from = (0..text.len()).filter(|i| starts(*i) && text[*i] == begin);
    from.filter_map(|from| {
        let (mut at, mut gaps) = (from, 0);
        for w in word.chars().skip(1) {
            let next = text[at + 1..].iter().position(|c| *c == w)?;
            at += next + 1;
            gaps += if starts(at) { 0 } else { next };
        }
        // More than that is chance.
        (gaps <= word.chars().count()).then_some(gaps)
    })
    .min()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::info;
    use crate::options::Options;

    fn best(text: &str) -> Option<Action> {
        hits(&State::new(Options::default(), (80, 24)), text)
            .first()
            .copied()
    }

    #[test]
    fn every_character_of_a_title_has_an_initial() {
        for a in ACTIONS {
            for c in
                a.zh.chars()
                    .filter(|c| matches!(c, '\u{4e00}'..='\u{9fff}'))
            {
                assert!(
                    INITIALS.iter().any(|(_, all)| all.contains(c)),
                    "{}: {c}",
                    a.zh
                );
            }
        }
    }

    #[test]
    fn words_letters_and_initials_find_an_action() {
        for (text, action) in [
            ("mark", Action::Mark),
            ("source diff", Action::Diff),
            ("diff", Action::Diff),
            ("srt nxt", Action::SortNext),
            ("scrw", Action::ScreenWorkloads),
            ("标记", Action::Mark),
            ("bj", Action::Mark),
            ("yx", Action::Run),
            ("ｑｕｉ", Action::Quit),
            ("ＱＵＩＴ", Action::Quit),
            ("cxdq", Action::Reload),
            ("variants.new", Action::New),
        ] {
            assert_eq!(best(text), Some(action), "{text}");
        }
        assert_eq!(best("qqqq"), None);
        assert_eq!(info(Action::Mark).zh, "标记");
    }
}
