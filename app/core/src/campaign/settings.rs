//! The file of a user, `tui.toml`: how the terminal interface looks and which keys it has.

use toml::de::{DeTable, DeValue};

use super::doc::{Doc, Fault, describe, entries};
use super::keys::{Kind, Table, may};
use super::problem::ConfigError;
use super::section::child;
use super::walk::walk;

/// Keys of one action, as the file has them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Binding {
    /// Name of the action.
    pub action: String,
    /// Names of its keys; none takes its keys away.
    pub keys: Vec<String>,
    /// Line of the entry, from 1.
    pub line: usize,
    /// Column of the entry in characters, from 1.
    pub column: usize,
}

/// What the file sets. What it does not set, or sets to what cannot be, is absent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Settings {
    /// `en` or `zh`.
    pub language: Option<String>,
    /// Name of a theme.
    pub theme: Option<String>,
    /// How many colours: `auto`, `none`, `16`, `256`, `true`.
    pub color: Option<String>,
    /// Only ASCII marks and lines.
    pub ascii: Option<bool>,
    /// What lines of plots are drawn with: `braille` or `half-block`.
    pub plot: Option<String>,
    /// The mouse scrolls and selects from the start.
    pub mouse: Option<bool>,
    /// What tells that a job has ended: `off`, `bell`, `desktop`.
    pub notify: Option<String>,
    /// Keys, in the order of the file.
    pub keys: Vec<Binding>,
}

impl Settings {
    /// The languages.
    pub const LANGUAGES: &'static [&'static str] = &["en", "zh"];
    /// The themes.
    pub const THEMES: &'static [&'static str] =
        &["terminal", "dark", "light", "safe-dark", "safe-light"];
    /// How many colours.
    pub const COLORS: &'static [&'static str] = &["auto", "none", "16", "256", "true"];
    /// What lines of plots are drawn with.
    pub const PLOTS: &'static [&'static str] = &["braille", "half-block"];
    /// What tells of the end of a job.
    pub const NOTIFY: &'static [&'static str] = &["off", "bell", "desktop"];

    /// Reads the file. What is wrong comes beside what could be read: a fault in it must not keep
    /// anybody from working. Names of actions and keys are not looked at here.
    pub fn read(text: &str, file: &str) -> (Self, Option<ConfigError>) {
        let mut doc = Doc::new(text, file);
        let root = doc.read();
        walk(&mut doc, SETTINGS_TABLES, &root);
        let word = |key: &str, words: &[&str]| {
            let text = root.get(key)?.get_ref().as_str()?;
            words.contains(&text).then(|| text.to_owned())
        };
        let switch = |key: &str| root.get(key)?.get_ref().as_bool();
        let mut settings = Self {
            language: word("language", Self::LANGUAGES),
            theme: word("theme", Self::THEMES),
            color: word("color", Self::COLORS),
            ascii: switch("ascii"),
            plot: word("plot", Self::PLOTS),
            mouse: switch("mouse"),
            notify: word("notify", Self::NOTIFY),
            keys: Vec::new(),
        };
        if let Some(keys) = child(&root, "keys") {
            bindings(&mut doc, keys, "", &mut settings.keys);
        }
        let error = (!doc.is_clean()).then(|| doc.into_error());
        (settings, error)
    }
}

/// Entries of `[keys]`; a dotted name without quotes is a table of tables to TOML.
fn bindings(doc: &mut Doc<'_>, table: &DeTable<'_>, before: &str, out: &mut Vec<Binding>) {
    for (key, value) in entries(table) {
        let action = format!("{before}{}", key.get_ref());
        let keys = match value.get_ref() {
            DeValue::Table(inner) => {
                bindings(doc, inner, &format!("{action}."), out);
                continue;
            }
            DeValue::String(one) => Some(vec![one.to_string()]),
            DeValue::Array(all) => {
                let texts = all.iter().map(|v| v.get_ref().as_str().map(str::to_owned));
                texts.collect()
            }
            _ => None,
        };
        let Some(keys) = keys else {
            let found = describe(value.get_ref());
            let fault = Fault::new(found, "the name of a key, or an array of such names");
            doc.fault(value, format!("keys.{action}"), fault);
            continue;
        };
        let (line, column) = doc.place(key.span().start);
        out.push(Binding {
            action,
            keys,
            line,
            column,
        });
    }
}

/// The tables of `tui.toml`.
pub(super) static SETTINGS_TABLES: &[Table] = &[Table {
    path: "",
    doc: "What the terminal interface of one user looks like, and which keys it has.",
    keys: &[
        may(
            "language",
            Kind::Choice(Settings::LANGUAGES),
            "Language of the interface; that of the locale when absent.",
        ),
        may(
            "theme",
            Kind::Choice(Settings::THEMES),
            "Colours. `terminal` names only the sixteen colours of the terminal's own theme, and so \
             suits any background; `dark` and `light` bring their own for such a background; \
             `safe-dark` and `safe-light` tell better from worse by blue and orange, for those who \
             see no red or green. When absent, `terminal`.",
        ),
        may(
            "color",
            Kind::Choice(Settings::COLORS),
            "How many colours there are; `auto` asks `NO_COLOR`, `COLORTERM` and `TERM`.",
        ),
        may(
            "ascii",
            Kind::Switch,
            "Only ASCII marks and lines, for terminals that draw ambiguous characters two columns wide.",
        ),
        may(
            "plot",
            Kind::Choice(Settings::PLOTS),
            "What lines of plots are drawn with: dots of `braille` (when absent), or the coarser \
             `half-block` for fonts in which braille is missing or shows as boxes. With `ascii`, \
             plots are of ASCII too.",
        ),
        may(
            "mouse",
            Kind::Switch,
            "The mouse scrolls and selects from the start, and Shift selects text.",
        ),
        may(
            "notify",
            Kind::Choice(Settings::NOTIFY),
            "What tells that a job has ended: nothing (`off`, when absent), the `bell`, or a \
             notification of the terminal (`desktop`, OSC 9).",
        ),
        may(
            "keys",
            Kind::Bindings,
            "Keys by the names of actions in [keys.md](keys.md): a text or an array of texts, in the \
             place of the usual ones. A key that another action has in the same place is refused. \
             Names with a dot are written in quotes.",
        ),
    ],
}];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_it_is_read() {
        let text = "language = \"zh\"\ntheme = \"safe-dark\"\ncolor = \"256\"\nascii = true\nplot = \"half-block\"\nmouse = false\nnotify = \"bell\"\n\
                    [keys]\n\"variants.mark\" = [\"m\", \"space\"]\nmouse = \"f12\"\nvariants.new = \"i\"\n";
        let (s, error) = Settings::read(text, "tui.toml");
        assert_eq!(error, None);
        assert_eq!(s.language.as_deref(), Some("zh"));
        assert_eq!(s.plot.as_deref(), Some("half-block"));
        assert_eq!(s.theme.as_deref(), Some("safe-dark"));
        assert_eq!((s.ascii, s.mouse), (Some(true), Some(false)));
        let keys: Vec<_> = s
            .keys
            .iter()
            .map(|b| (b.action.as_str(), b.keys.join(" "), b.line))
            .collect();
        assert_eq!(
            keys,
            [
                ("variants.mark", "m space".to_owned(), 9),
                ("mouse", "f12".to_owned(), 10),
                ("variants.new", "i".to_owned(), 11)
            ]
        );
    }

    #[test]
    fn faults_are_told_and_the_rest_holds() {
        let text =
            "langage = \"zh\"\ntheme = \"drak\"\nmouse = \"yes\"\nascii = true\n[keys]\nhelp = 1\n";
        let (s, error) = Settings::read(text, "tui.toml");
        assert_eq!((s.theme, s.mouse, s.ascii), (None, None, Some(true)));
        assert_eq!(
            error.unwrap().to_string(),
            "tui.toml:1:1: expected one of language, theme, color, ascii, plot, mouse, notify, keys, found unknown key `langage`\n  hint: did you mean `language`?\n\
             tui.toml:2:9: theme: expected one of terminal, dark, light, safe-dark, safe-light, found \"drak\"\n  hint: did you mean `dark`?\n\
             tui.toml:3:9: mouse: expected true or false, found \"yes\"\n\
             tui.toml:6:8: keys.help: expected the name of a key, or an array of such names, found the number 1"
        );
        let (s, error) = Settings::read("theme = \"dark\"\nmouse = \n", "t");
        assert_eq!(s.theme.as_deref(), Some("dark"));
        assert!(
            error.unwrap().to_string().starts_with("t:2:"),
            "a syntax error has a place"
        );
    }
}
