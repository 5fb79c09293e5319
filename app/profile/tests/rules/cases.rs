//! Cases of rules as text: see `audit.cases`.

use std::collections::BTreeMap;

use assay_profile::rules::{Context, Found, On, Rules, on_campaign, on_launch, on_pair};
use assay_profile::{Catalog, Counter, Launch, Profile, Scope};

/// One case.
#[derive(Debug, Clone, Default)]
pub struct Case {
    pub rule: String,
    pub line: usize,
    figures: Vec<(String, String)>,
    pub says: Vec<String>,
    silent: Vec<Vec<(String, String)>>,
}

/// Reads cases.
pub fn read(text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for (n, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(rule) = line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
            cases.push(Case {
                rule: rule.to_owned(),
                line: n + 1,
                ..Case::default()
            });
            continue;
        }
        let case = cases.last_mut().expect("a figure before the first case");
        if let Some(text) = line.strip_prefix("> ") {
            case.says.push(text.to_owned());
        } else if let Some(other) = line.strip_prefix("but ") {
            case.silent.push(other.split(';').map(pair).collect());
        } else {
            case.figures.push(pair(line));
        }
    }
    cases
}

fn pair(text: &str) -> (String, String) {
    let (name, value) = text.split_once('=').unwrap_or_else(|| panic!("{text}"));
    (name.trim().to_owned(), value.trim().to_owned())
}

impl Case {
    /// What the rules of its kind find.
    pub fn found(&self, rules: &Rules) -> Found {
        self.tried(rules, &self.figures)
    }

    /// How many near cases there are, on which the rule must be silent.
    pub fn near(&self) -> usize {
        self.silent.len()
    }

    /// What the rules find in a near case.
    pub fn found_near(&self, rules: &Rules, which: usize) -> Found {
        let other = &self.silent[which];
        let mut figures = self.figures.clone();
        figures.retain(|(name, _)| other.iter().all(|(n, _)| n != name));
        figures.extend(other.iter().filter(|(_, v)| v != "-").cloned());
        self.tried(rules, &figures)
    }

    fn tried(&self, rules: &Rules, figures: &[(String, String)]) -> Found {
        let rule = rules.iter().find(|r| r.id() == self.rule);
        let rule = rule.unwrap_or_else(|| panic!("no rule is called {}", self.rule));
        let mut context = Context::default();
        match rule.on() {
            On::Campaign => {
                for (name, value) in figures {
                    context.set(name.as_str(), number(value));
                }
                on_campaign(rules, "it", &context)
            }
            On::Launch | On::Figures => {
                let profile = side(figures, "", &mut context);
                on_launch(rules, rule.kind(), &profile, &profile.launches[0], &context)
            }
            On::Pair => {
                let a = side(figures, "a.", &mut context);
                let b = side(figures, "b.", &mut context);
                let sides = ((&a, &a.launches[0]), (&b, &b.launches[0]));
                on_pair(rules, rule.kind(), sides.0, sides.1, &context)
            }
        }
    }
}

fn number(text: &str) -> f64 {
    text.parse().unwrap_or_else(|_| panic!("{text}"))
}

/// The report of one side; what is no counter goes into the context.
fn side(figures: &[(String, String)], prefix: &str, context: &mut Context) -> Profile {
    let mut words: BTreeMap<&str, &str> = BTreeMap::new();
    let mut counters = Vec::new();
    let of_other = |name: &str| prefix.is_empty() || name.starts_with(prefix);
    for (name, value) in figures {
        let Some(name) = name.strip_prefix(prefix).filter(|_| of_other(name)) else {
            let of_a_side = name.starts_with("a.") || name.starts_with("b.");
            if !of_a_side {
                context.set(name.as_str(), number(value));
            }
            continue;
        };
        if let Some(entry) = Catalog::builtin().get(name) {
            counters.push(counter(name, value, &entry.unit));
        } else if name.contains('.') {
            context.set(name.trim_start_matches('@'), number(value));
        } else {
            words.insert(name, value);
        }
    }
    let word = |name: &str, otherwise: &str| {
        words
            .get(name)
            .map_or_else(|| otherwise.to_owned(), |w| (*w).to_owned())
    };
    let mut profile = Profile::new(&word("tool", "mcProfiler"), &word("flavour", "test"));
    profile.tool_version = words.get("version").map(|w| (*w).to_owned());
    profile.command = words.get("command").map(|w| (*w).to_owned());
    let scope = match word("scope", "kernel").as_str() {
        "kernel" => Scope::PerKernel,
        "aggregate" => Scope::Aggregate,
        other => panic!("scope {other}"),
    };
    let mut launch = Launch::new(word("kernel", "main_kernel"), scope);
    let size = |text: &str| {
        let mut sizes = text.split(' ').map(|n| n.parse().expect("a size"));
        std::array::from_fn(|_| sizes.next().expect("three sizes"))
    };
    launch.grid = words.get("grid").map(|w| size(w));
    launch.block = words.get("block").map(|w| size(w));
    for c in counters {
        launch.push(c);
    }
    profile.launches.push(launch);
    profile
}

fn counter(name: &str, text: &str, unit: &str) -> Counter {
    let (text, mark) = match text.split_once('?') {
        Some((text, mark)) => (text.trim(), Some(mark)),
        None => (text, None),
    };
    let (raw, unit) = text.split_once(' ').unwrap_or((text, unit));
    let mut counter = Counter::read("", name, &raw.replace(',', ""), unit);
    counter.canonical = Some(name.into());
    counter.suspect.extend(mark.map(str::to_owned));
    counter
}
