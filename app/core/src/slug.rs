//! Names of variants: what can be the last component of a branch name.

use crate::text::inert;

/// Longest name, in bytes: file systems hold a branch as a file of that name.
pub const MAX_LENGTH: usize = 100;

/// Why a name cannot be a variant's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` cannot be a variant's name: {why}{}", inert(name), suggestion.as_ref().map(|s| format!("; try `{s}`")).unwrap_or_default())]
pub struct SlugError {
    /// The name.
    pub name: String,
    /// The rule that it breaks.
    pub why: String,
    /// A name near to it that is allowed; absent when nothing of it is left.
    pub suggestion: Option<String>,
}

/// Checks that `name` can be a variant's: a component that `git check-ref-format` accepts, without
/// white space or invisible characters, of at most [`MAX_LENGTH`] bytes. Any script is fine.
///
/// # Errors
/// Says which rule is broken, and suggests a name that breaks none.
pub fn check(name: &str) -> Result<(), SlugError> {
    match broken_rule(name) {
        None => Ok(()),
        Some(why) => Err(SlugError {
            name: name.to_owned(),
            why,
            suggestion: suggest(name),
        }),
    }
}

/// Whether a character may stand in a name.
fn allowed(c: char) -> bool {
    !c.is_whitespace()
        && !invisible(c)
        && !matches!(c, '~' | '^' | ':' | '?' | '*' | '[' | '\\' | '/')
}

fn invisible(c: char) -> bool {
    let mut buffer = [0u8; 4];
    let text: &str = c.encode_utf8(&mut buffer);
    inert(text) != text
}

fn broken_rule(name: &str) -> Option<String> {
    if name.is_empty() {
        return Some("it is empty".into());
    }
    if name.len() > MAX_LENGTH {
        return Some(format!(
            "it is {} bytes long, {MAX_LENGTH} are allowed",
            name.len()
        ));
    }
    if let Some(c) = name.chars().find(|c| !allowed(*c)) {
        return Some(match c {
            c if c.is_whitespace() && !c.is_control() => "it holds a space".into(),
            c if invisible(c) => format!(
                "it holds the invisible character `{}`",
                inert(&c.to_string())
            ),
            c => format!("it holds `{c}`"),
        });
    }
    let starts = ["-", "."].into_iter().find(|s| name.starts_with(s));
    if let Some(s) = starts {
        return Some(format!("it starts with `{s}`"));
    }
    if let Some(s) = ["..", "@{"].into_iter().find(|s| name.contains(s)) {
        return Some(format!("it holds `{s}`"));
    }
    let lower = name.to_ascii_lowercase();
    if let Some(s) = [".lock", "."].into_iter().find(|s| lower.ends_with(s)) {
        return Some(format!("it ends with `{s}`"));
    }
    (name == "@").then(|| "git reads `@` as the current commit".into())
}

/// A name near to `name` that [`check`] accepts, if anything of it is left.
pub fn suggest(name: &str) -> Option<String> {
    let mut out = String::new();
    for c in name.chars() {
        let c = if allowed(c) { c } else { '-' };
        let follows = out.chars().next_back();
        if (c == '-' && follows == Some('-')) || (c == '.' && follows == Some('.')) {
            continue;
        }
        if out.len() + c.len_utf8() > MAX_LENGTH {
            break;
        }
        out.push(if c == '{' && follows == Some('@') {
            '-'
        } else {
            c
        });
    }
    let mut fixed = out.as_str();
    loop {
        let before = fixed.len();
        fixed = fixed
            .trim_start_matches(['-', '.'])
            .trim_end_matches(['-', '.']);
        if fixed.to_ascii_lowercase().ends_with(".lock") {
            fixed = &fixed[..fixed.len() - ".lock".len()];
        }
        if fixed.len() == before {
            break;
        }
    }
    broken_rule(fixed).is_none().then(|| fixed.to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_of_any_script_are_fine() {
        for name in [
            "b-interleave",
            "核函数-分块",
            "v2.1",
            "a_b",
            "x@y",
            "tile=4",
            "Ω",
        ] {
            assert_eq!(check(name), Ok(()), "{name}");
        }
    }

    #[test]
    fn bad_names_say_why_and_suggest_a_good_one() {
        let long = "核".repeat(40);
        for (name, why, suggestion) in [
            ("", "it is empty", None),
            ("my idea", "it holds a space", Some("my-idea")),
            ("核\u{3000}函", "it holds a space", Some("核-函")),
            (
                "a\u{1b}[2J",
                "it holds the invisible character `\\x1b`",
                Some("a-2J"),
            ),
            (
                "a\u{202e}b",
                "it holds the invisible character `\\u{202e}`",
                Some("a-b"),
            ),
            (
                "a\nb",
                "it holds the invisible character `\\n`",
                Some("a-b"),
            ),
            ("a..b", "it holds `..`", Some("a.b")),
            ("a~1", "it holds `~`", Some("a-1")),
            ("a/b", "it holds `/`", Some("a-b")),
            ("a:b^c?d*e[f\\g", "it holds `:`", Some("a-b-c-d-e-f-g")),
            ("-f", "it starts with `-`", Some("f")),
            (".hidden", "it starts with `.`", Some("hidden")),
            ("x.lock", "it ends with `.lock`", Some("x")),
            ("x.LOCK", "it ends with `.lock`", Some("x")),
            ("x.", "it ends with `.`", Some("x")),
            ("a@{1}", "it holds `@{`", Some("a@-1}")),
            ("@", "git reads `@` as the current commit", None),
            ("..", "it starts with `.`", None),
            (
                long.as_str(),
                "it is 120 bytes long, 100 are allowed",
                Some(&long[..99]),
            ),
        ] {
            let e = check(name).unwrap_err();
            assert_eq!(
                (e.why.as_str(), e.suggestion.as_deref()),
                (why, suggestion),
                "{name}"
            );
        }
        assert_eq!(
            check("my idea").unwrap_err().to_string(),
            "`my idea` cannot be a variant's name: it holds a space; try `my-idea`"
        );
    }

    proptest! {
        #[test]
        fn every_suggestion_is_accepted(name in any::<String>()) {
            if let Some(fixed) = suggest(&name) {
                prop_assert_eq!(check(&fixed), Ok(()));
            }
        }

        #[test]
        fn every_suggestion_for_nasty_names_is_accepted(name in "[-.@{}a/ lock]{0,12}(\\.lock)?") {
            if let Some(fixed) = suggest(&name) {
                prop_assert_eq!(check(&fixed), Ok(()));
            }
        }
    }
}
