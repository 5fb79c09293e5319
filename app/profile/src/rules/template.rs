//! Messages with figures in braces.

use assay_core::gate::Amount;

use super::On;
use super::names::Vocabulary;
use super::show;

/// A message whose figures are filled in when a rule has found something.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Template {
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq)]
enum Part {
    Text(String),
    /// The name of the counter that the rule was tried on, as the report prints it.
    ItName,
    /// A name of the kernel: of A, of B, or of the only side.
    Kernel(&'static str),
    /// A list of counters that moved.
    List(&'static str),
    Figure {
        amount: Amount,
        unit: Option<String>,
        change: bool,
    },
}

/// What is wrong with a template.
pub(super) struct Fault {
    /// Where in the text, in bytes.
    pub(super) at: usize,
    pub(super) problem: String,
    pub(super) hint: Option<String>,
}

/// What a template is filled in with.
pub(super) trait Fill {
    /// Value of an amount.
    fn amount(&self, amount: &Amount) -> Option<f64>;
    /// Name of the counter that the rule was tried on, safe to show.
    fn it_name(&self) -> String;
    /// Unit of that counter.
    fn it_unit(&self) -> String;
    /// Name of a kernel, safe to show; `side` is `a`, `b` or empty.
    fn kernel(&self, side: &str) -> String;
    /// A list of counters that moved, if any did.
    fn list(&self, which: &str) -> Option<String>;
}

/// Lists of counters, and the rules that have them.
const LISTS: &[(&str, On)] = &[
    ("paid", On::Pair),
    ("bought", On::Pair),
    ("moved", On::Pair),
    ("suspect", On::Launch),
    ("contradicted", On::Launch),
];

const KERNELS: &[(&str, &str)] = &[("kernel", ""), ("a.kernel", "a"), ("b.kernel", "b")];

impl Template {
    /// Reads a template; `{{` and `}}` stand for braces.
    pub(super) fn parse(
        text: &str,
        words: &Vocabulary,
        on: On,
        each: Option<&str>,
    ) -> Result<Self, Fault> {
        let mut parts = Vec::new();
        let mut plain = String::new();
        let mut at = 0;
        while let Some(c) = text[at..].chars().next() {
            let rest = &text[at..];
            if rest.starts_with("{{") || rest.starts_with("}}") {
                plain.push(c);
                at += 2;
            } else if c == '}' {
                return Err(fault(
                    at,
                    "a `}` without its `{`",
                    Some("write `}}` for a brace"),
                ));
            } else if c == '{' {
                let Some(length) = rest.find('}') else {
                    return Err(fault(
                        at,
                        "a `{` without its `}`",
                        Some("write `{{` for a brace"),
                    ));
                };
                if !plain.is_empty() {
                    parts.push(Part::Text(std::mem::take(&mut plain)));
                }
                parts.push(Part::parse(&rest[1..length], at + 1, words, on, each)?);
                at += length + 1;
            } else {
                plain.push(c);
                at += c.len_utf8();
            }
        }
        if !plain.is_empty() {
            parts.push(Part::Text(plain));
        }
        Ok(Self { parts })
    }

    /// The names whose figures it shows.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.parts
            .iter()
            .flat_map(|p| match p {
                Part::Figure { amount, .. } => amount.names(),
                _ => Vec::new(),
            })
            .map(|(name, _)| name)
    }

    /// Fills the figures in; `none` is said of those that have no value. A figure whose other spelling
    /// in brackets behind it comes out alike, `1.5 s (1.5 s)`, stands once.
    pub(super) fn fill(&self, with: &impl Fill, none: &str) -> String {
        let filled: Vec<String> = self.parts.iter().map(|p| p.fill(with, none)).collect();
        let mut out = String::new();
        let mut at = 0;
        while let Some(text) = filled.get(at) {
            out.push_str(text);
            at += 1;
            let spelling = matches!(self.parts.get(at - 1), Some(Part::Figure { .. }));
            if let (true, Some([open, again, close])) = (spelling, filled.get(at..at + 3))
                && again == text
                && let Some((_, closing)) = BRACKETS.iter().find(|(opening, _)| open == opening)
                && let Some(behind) = close.strip_prefix(closing)
            {
                out.push_str(behind);
                at += 3;
            }
        }
        out
    }
}

/// What other spellings of a figure stand between, in English and in Chinese.
const BRACKETS: [(&str, &str); 2] = [(" (", ")"), ("（", "）")];

impl Part {
    fn fill(&self, with: &impl Fill, none: &str) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::ItName => with.it_name(),
            Self::Kernel(side) => with.kernel(side),
            Self::List(which) => with.list(which).unwrap_or_else(|| none.to_owned()),
            Self::Figure {
                amount,
                unit,
                change,
            } => {
                let unit = match (unit, with.it_unit()) {
                    (Some(unit), _) => unit.clone(),
                    (None, unit) if *change && unit == "%" => "points".to_owned(),
                    (None, unit) => unit,
                };
                match with.amount(amount) {
                    Some(v) if *change => show::change(v, &unit),
                    Some(v) => show::figure(v, &unit),
                    None => none.to_owned(),
                }
            }
        }
    }
}

impl Part {
    fn parse(
        inner: &str,
        at: usize,
        words: &Vocabulary,
        on: On,
        each: Option<&str>,
    ) -> Result<Self, Fault> {
        let (expression, unit) = match inner.split_once('|') {
            Some((expression, unit)) => (expression, Some(unit.trim())),
            None => (inner, None),
        };
        let name = expression.trim();
        let at = at + (expression.len() - expression.trim_start().len());
        if name == "it.name" {
            return match each {
                Some(_) => Ok(Self::ItName),
                None => Err(fault(at, "`it` in a rule without `each`", None)),
            };
        }
        if let Some((list, of)) = LISTS.iter().find(|(l, _)| *l == name) {
            if *of == on {
                return Ok(Self::List(list));
            }
            let what = if *of == On::Pair { "pair" } else { "launch" };
            let problem = format!("`{name}` in a rule that is not about a {what}");
            return Err(fault(at, &problem, None));
        }
        if let Some((_, side)) = KERNELS.iter().find(|(k, _)| *k == name) {
            let fits = match on {
                On::Campaign | On::Figures => false,
                On::Launch => side.is_empty(),
                On::Pair => true,
            };
            return if fits {
                Ok(Self::Kernel(side))
            } else {
                Err(fault(
                    at,
                    &format!("`{name}` where there is no such kernel"),
                    None,
                ))
            };
        }
        if unit.is_some_and(|u| u.is_empty() || u.chars().count() > 16) {
            return Err(fault(
                at,
                "a unit that is empty or longer than 16 characters",
                None,
            ));
        }
        let amount = Amount::parse(name).map_err(|e| Fault {
            at: at + e.span.start,
            problem: format!("placeholder `{name}`: {}", e.message()),
            hint: e.hint,
        })?;
        let names = amount.names();
        for (used, span) in &names {
            if words.resolve(used, on, each).is_none() {
                return Err(Fault {
                    at: at + span.start,
                    problem: format!("unknown name `{used}` in a placeholder"),
                    hint: words.suggest(used, on, each),
                });
            }
        }
        let alone = names.iter().find(|(n, _)| *n == name).map(|(n, _)| *n);
        let change = alone.is_some_and(|n| {
            n.starts_with("change.") || n.starts_with("points.") || n == "time.change"
        });
        let unit = match (unit, alone) {
            (Some(unit), _) => Some(unit.to_owned()),
            // The unit of `it` is that of the counter that it stands for.
            (None, Some(n)) if n != "change.it" && (n == "it" || n.ends_with(".it")) => None,
            (None, Some(name)) => words.resolve(name, on, each),
            (None, None) => Some("1".to_owned()),
        };
        Ok(Self::Figure {
            amount,
            unit,
            change,
        })
    }
}

fn fault(at: usize, problem: &str, hint: Option<&str>) -> Fault {
    Fault {
        at,
        problem: problem.to_owned(),
        hint: hint.map(str::to_owned),
    }
}
