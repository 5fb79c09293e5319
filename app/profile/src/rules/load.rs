//! Rule files to rules.

use std::collections::BTreeMap;
use std::ops::Range;

use assay_core::gate::Rule as Condition;
use assay_core::text::{inert, nearest};
use serde::Deserialize;
use toml::Spanned;

use super::names::Vocabulary;
use super::template::Template;
use super::{Also, Kind, On, Rule, Rules, SCHEMA, Severity};
use crate::Catalog;

/// Why a rule file cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}:{line}:{column}: {}{}{}", inert(file), in_rule(rule.as_deref()), inert(problem), hint.as_ref().map(|h| format!("; {}", inert(h))).unwrap_or_default())]
pub struct RuleError {
    /// Name of the file.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The rule concerned, if it has a name yet.
    pub rule: Option<String>,
    /// What is wrong.
    pub problem: String,
    /// What may have been meant.
    pub hint: Option<String>,
}

fn in_rule(rule: Option<&str>) -> String {
    rule.map(|r| format!("rule `{}`: ", inert(r)))
        .unwrap_or_default()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    schema: Spanned<String>,
    kind: Spanned<String>,
    source: Option<Spanned<String>>,
    source_zh: Option<String>,
    #[serde(default)]
    rule: Vec<Spanned<Entry>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    id: Spanned<String>,
    on: Spanned<String>,
    #[serde(default)]
    tools: Vec<Spanned<String>>,
    each: Option<Spanned<String>>,
    severity: Spanned<String>,
    when: Spanned<String>,
    #[serde(default)]
    needs: Vec<Spanned<String>>,
    message: Spanned<String>,
    message_zh: Spanned<String>,
    advice: Option<Spanned<String>>,
    advice_zh: Option<Spanned<String>>,
    source: Option<Spanned<String>>,
    source_zh: Option<String>,
    #[serde(default)]
    also: Vec<AlsoEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AlsoEntry {
    when: Spanned<String>,
    message: Spanned<String>,
    message_zh: Spanned<String>,
}

const KEYS: &[&str] = &[
    "schema",
    "kind",
    "source",
    "source_zh",
    "rule",
    "id",
    "on",
    "tools",
    "each",
    "severity",
    "when",
    "needs",
    "message",
    "message_zh",
    "advice",
    "advice_zh",
    "also",
];

/// Reads rule files, given as (name, content); see [`Rules::load`].
pub(super) fn load<'a>(
    files: impl IntoIterator<Item = (&'a str, &'a str)>,
    catalog: &Catalog,
) -> Result<Rules, RuleError> {
    let mut rules = Rules {
        words: Vocabulary::new(catalog),
        ..Rules::default()
    };
    let mut places = BTreeMap::new();
    for (file, text) in files {
        let reader = Reader {
            file,
            text,
            words: &rules.words,
        };
        let read = reader.file()?;
        for rule in read {
            if let Some(first) = places.insert(rule.id.clone(), format!("{file}:{}", rule.line)) {
                let at = reader.line_start(rule.line);
                let problem = format!("there is a rule of this name already, at {first}");
                return Err(reader.error(at, Some(&rule.id), problem, None));
            }
            rules.rules.push(rule);
        }
    }
    Ok(rules)
}

struct Reader<'a> {
    file: &'a str,
    text: &'a str,
    words: &'a Vocabulary,
}

/// What a rule's texts are read against.
struct Setting<'a> {
    rule: &'a str,
    on: On,
    each: Option<&'a str>,
}

impl Reader<'_> {
    fn error(
        &self,
        at: usize,
        rule: Option<&str>,
        problem: impl Into<String>,
        hint: Option<String>,
    ) -> RuleError {
        let before = self.text.get(..at).unwrap_or(self.text);
        let line_start = before.rfind('\n').map_or(0, |n| n + 1);
        RuleError {
            file: self.file.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            rule: rule.map(str::to_owned),
            problem: problem.into(),
            hint,
        }
    }

    fn line_of(&self, at: usize) -> usize {
        let before = self.text.get(..at).unwrap_or(self.text);
        before.matches('\n').count() + 1
    }

    fn line_start(&self, line: usize) -> usize {
        let mut lines = self.text.split_inclusive('\n');
        lines
            .by_ref()
            .take(line.saturating_sub(1))
            .map(str::len)
            .sum()
    }

    /// Where the content of a quoted value stands in the file, plus an offset into it. With escapes
    /// in it, the start of the value: the offset has no exact place then.
    fn inside(&self, value: &Spanned<String>, offset: usize) -> usize {
        let span = value.span();
        let raw = self.text.get(span.clone()).unwrap_or("");
        match raw.find(value.get_ref().as_str()) {
            Some(start) => span.start + start + offset,
            None => span.start,
        }
    }

    fn file(&self) -> Result<Vec<Rule>, RuleError> {
        let read: File = toml::from_str(self.text).map_err(|e| self.toml(&e))?;
        if read.schema.get_ref() != SCHEMA {
            let problem = format!("schema `{}` is not `{SCHEMA}`", read.schema.get_ref());
            return Err(self.error(read.schema.span().start, None, problem, None));
        }
        let kind = self.word(
            &read.kind,
            None,
            "kind",
            &[("audit", Kind::Audit), ("diagnosis", Kind::Diagnosis)],
        )?;
        let source = read.source.map(Spanned::into_inner);
        let source = [source.as_deref(), read.source_zh.as_deref()];
        let mut rules = Vec::new();
        for entry in read.rule {
            let span = entry.span();
            rules.push(self.rule(entry.into_inner(), span, kind, source)?);
        }
        Ok(rules)
    }

    fn toml(&self, e: &toml::de::Error) -> RuleError {
        let at = e.span().map_or(0, |s| s.start);
        let message = e.message();
        let unknown = message
            .strip_prefix("unknown field `")
            .and_then(|m| m.split_once('`'))
            .map(|(key, _)| key);
        let hint = unknown.and_then(|key| nearest(key, KEYS.iter().copied()));
        let hint = hint.map(|key| format!("did you mean `{key}`?"));
        self.error(at, None, message.lines().next().unwrap_or("not TOML"), hint)
    }

    fn word<T: Copy>(
        &self,
        value: &Spanned<String>,
        rule: Option<&str>,
        key: &str,
        known: &[(&str, T)],
    ) -> Result<T, RuleError> {
        let word = value.get_ref().as_str();
        if let Some((_, t)) = known.iter().find(|(name, _)| *name == word) {
            return Ok(*t);
        }
        let names: Vec<&str> = known.iter().map(|(n, _)| *n).collect();
        let problem = format!(
            "{key}: expected one of {}, found `{word}`",
            names.join(", ")
        );
        let hint = nearest(word, names).map(|n| format!("did you mean `{n}`?"));
        Err(self.error(value.span().start, rule, problem, hint))
    }

    fn rule(
        &self,
        entry: Entry,
        span: Range<usize>,
        kind: Kind,
        source: [Option<&str>; 2],
    ) -> Result<Rule, RuleError> {
        let id = entry.id.get_ref().as_str();
        let good = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if id.is_empty() || !id.chars().all(good) {
            let problem = format!("id `{id}` is not of lower-case letters, digits and `-`");
            return Err(self.error(entry.id.span().start, None, problem, None));
        }
        let at = |v: &Spanned<String>| v.span().start;
        let on = self.word(
            &entry.on,
            Some(id),
            "on",
            &[
                ("launch", On::Launch),
                ("pair", On::Pair),
                ("campaign", On::Campaign),
                ("launch|campaign", On::Figures),
            ],
        )?;
        let severity = self.word(
            &entry.severity,
            Some(id),
            "severity",
            &[
                ("error", Severity::Error),
                ("warning", Severity::Warning),
                ("info", Severity::Info),
            ],
        )?;
        let each = match &entry.each {
            None => None,
            Some(pattern) => {
                if matches!(on, On::Campaign | On::Figures) {
                    return Err(self.error(
                        at(pattern),
                        Some(id),
                        "each: a rule of a campaign has no counters",
                        None,
                    ));
                }
                Some(self.each(pattern, id)?)
            }
        };
        let example = each.as_ref().and_then(|e| e.first()).map(String::as_str);
        let setting = Setting {
            rule: id,
            on,
            each: example,
        };
        if matches!(on, On::Campaign | On::Figures) && !entry.tools.is_empty() {
            return Err(self.error(
                span.start,
                Some(id),
                "tools: a rule of a campaign has no report",
                None,
            ));
        }
        let when = self.condition(&entry.when, &setting)?;
        for name in &entry.needs {
            self.known(name, name.get_ref(), 0, &setting)?;
        }
        let mut also = Vec::new();
        for extra in &entry.also {
            also.push(Also {
                when: self.condition(&extra.when, &setting)?,
                message: self.template(&extra.message, &setting)?,
                message_zh: self.template(&extra.message_zh, &setting)?,
            });
        }
        let optional = |text: &Option<Spanned<String>>| match text {
            Some(t) => self.template(t, &setting).map(Some),
            None => Ok(None),
        };
        let (advice, advice_zh) = (optional(&entry.advice)?, optional(&entry.advice_zh)?);
        if advice.is_some() != advice_zh.is_some() {
            let problem = "advice and advice_zh: one of the two is missing";
            return Err(self.error(span.start, Some(id), problem, None));
        }
        let (message, message_zh) = (
            self.template(&entry.message, &setting)?,
            self.template(&entry.message_zh, &setting)?,
        );
        // What the file says of its rules is not said of one that has a source of its own.
        let [source, source_zh] = match &entry.source {
            Some(own) => [Some(own.get_ref().as_str()), entry.source_zh.as_deref()],
            None => source,
        };
        let Some(source) = source.filter(|s| !s.trim().is_empty()) else {
            let problem = "source: neither the rule nor the file says where it comes from";
            return Err(self.error(span.start, Some(id), problem, None));
        };
        Ok(Rule {
            id: id.to_owned(),
            kind,
            on,
            severity,
            tools: entry.tools.iter().map(|t| t.get_ref().clone()).collect(),
            each_pattern: entry.each.as_ref().map(|e| e.get_ref().clone()),
            each,
            when,
            needs: entry.needs.iter().map(|n| n.get_ref().clone()).collect(),
            message,
            message_zh,
            advice,
            advice_zh,
            also,
            source: source.to_owned(),
            source_zh: source_zh.unwrap_or_default().to_owned(),
            file: self.file.to_owned(),
            line: self.line_of(at(&entry.id)),
        })
    }

    /// The counters that a pattern is for; `|` stands between alternatives.
    fn each(&self, pattern: &Spanned<String>, rule: &str) -> Result<Vec<String>, RuleError> {
        let start = pattern.span().start;
        let mut names = Vec::new();
        for one in pattern.get_ref().split('|').map(str::trim) {
            let good = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "._*".contains(c);
            if one.is_empty() || !one.chars().all(good) {
                let problem =
                    format!("each: `{one}` is not a counter name in which `*` stands for any text");
                return Err(self.error(start, Some(rule), problem, None));
            }
            let found = self.words.matching(one);
            if found.is_empty() {
                let hint = if one.contains('*') {
                    None
                } else {
                    self.words.suggest(one, On::Launch, None)
                };
                let problem = format!("each: no counter of the catalog matches `{one}`");
                return Err(self.error(start, Some(rule), problem, hint));
            }
            names.extend(found);
        }
        names.sort();
        names.dedup();
        Ok(names)
    }

    fn condition(
        &self,
        text: &Spanned<String>,
        setting: &Setting<'_>,
    ) -> Result<Condition, RuleError> {
        let condition = Condition::parse(text.get_ref()).map_err(|e| {
            let at = self.inside(text, e.span.start);
            self.error(
                at,
                Some(setting.rule),
                format!("condition: {}", e.message()),
                e.hint.clone(),
            )
        })?;
        if matches!(setting.on, On::Campaign | On::Figures) && condition.needs_text() {
            let problem = "condition: a rule of a campaign has no kernel name to search";
            return Err(self.error(text.span().start, Some(setting.rule), problem, None));
        }
        for name in condition.names() {
            let offset = word(text.get_ref(), name).unwrap_or(0);
            self.known(text, name, offset, setting)?;
        }
        Ok(condition)
    }

    fn known(
        &self,
        text: &Spanned<String>,
        name: &str,
        offset: usize,
        setting: &Setting<'_>,
    ) -> Result<(), RuleError> {
        if self.words.resolve(name, setting.on, setting.each).is_some() {
            return Ok(());
        }
        let at = self.inside(text, offset);
        let hint = self.words.suggest(name, setting.on, setting.each);
        let problem = format!("unknown name `{name}`");
        Err(self.error(at, Some(setting.rule), problem, hint))
    }

    fn template(
        &self,
        text: &Spanned<String>,
        setting: &Setting<'_>,
    ) -> Result<Template, RuleError> {
        if text.get_ref().trim().is_empty() {
            return Err(self.error(
                text.span().start,
                Some(setting.rule),
                "an empty message",
                None,
            ));
        }
        Template::parse(text.get_ref(), self.words, setting.on, setting.each).map_err(|f| {
            let at = self.inside(text, f.at);
            self.error(at, Some(setting.rule), f.problem, f.hint)
        })
    }
}

/// Where a name stands in a text as a whole word.
fn word(text: &str, name: &str) -> Option<usize> {
    let part =
        |b: Option<u8>| b.is_some_and(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'.');
    text.match_indices(name).map(|(at, _)| at).find(|at| {
        let before = at
            .checked_sub(1)
            .and_then(|i| text.as_bytes().get(i).copied());
        let after = text.as_bytes().get(at + name.len()).copied();
        !part(before) && !part(after)
    })
}
