//! What the names in a rule stand for.

use std::borrow::Cow;
use std::cell::OnceCell;

use assay_core::gate::Amount;
use assay_core::text::inert;

use super::movement::{self, Movement};
use super::names::Vocabulary;
use super::side::Side;
use super::template::Fill;
use super::{Context, On};
use crate::compare::version_differs;
use crate::{Launch, Profile, Scope};

/// The evidence that rules are tried on.
pub(super) struct Scene<'a> {
    pub(super) words: &'a Vocabulary,
    context: &'a Context,
    sides: Sides<'a>,
    movement: OnceCell<Option<Movement>>,
}

enum Sides<'a> {
    None,
    One(&'a Side<'a>),
    Two(&'a Side<'a>, &'a Side<'a>),
}

impl<'a> Scene<'a> {
    fn new(words: &'a Vocabulary, sides: Sides<'a>, context: &'a Context) -> Self {
        Self {
            words,
            context,
            sides,
            movement: OnceCell::new(),
        }
    }

    pub(super) fn of_launch(
        words: &'a Vocabulary,
        side: &'a Side<'a>,
        context: &'a Context,
    ) -> Self {
        Self::new(words, Sides::One(side), context)
    }

    pub(super) fn of_pair(
        words: &'a Vocabulary,
        a: &'a Side<'a>,
        b: &'a Side<'a>,
        context: &'a Context,
    ) -> Self {
        Self::new(words, Sides::Two(a, b), context)
    }

    pub(super) fn of_campaign(words: &'a Vocabulary, context: &'a Context) -> Self {
        Self::new(words, Sides::None, context)
    }

    /// What `has` and `count` search: the name of the kernel, of B in a pair.
    pub(super) fn text(&self) -> Option<&str> {
        match self.sides {
            Sides::None => None,
            Sides::One(side) | Sides::Two(_, side) => Some(&side.launch.kernel),
        }
    }

    /// Unit of a name.
    pub(super) fn unit(&self, name: &str) -> Option<String> {
        let on = match self.sides {
            Sides::None => On::Campaign,
            Sides::One(_) => On::Launch,
            Sides::Two(..) => On::Pair,
        };
        self.words.resolve(name, on, None)
    }

    /// Whether the tools of the reports have a name for a counter.
    pub(super) fn offers(&self, name: &str) -> bool {
        let offers = |side: &Side<'_>| self.words.offers(&side.profile.tool, name);
        match self.sides {
            Sides::None => true,
            Sides::One(side) => offers(side),
            Sides::Two(a, b) => offers(a) && offers(b),
        }
    }

    /// Whether a counter has a value, on both sides of a pair.
    pub(super) fn has_counter(&self, canonical: &str) -> bool {
        match self.sides {
            Sides::None => false,
            Sides::One(side) => side.figure(canonical).is_some(),
            Sides::Two(a, b) => a.figure(canonical).is_some() && b.figure(canonical).is_some(),
        }
    }

    /// Value of a name; `it` is the counter that `it` stands for.
    pub(super) fn value(&self, name: &str, it: Option<&str>) -> Option<f64> {
        let name = substitute(name, it);
        // 1 when a figure is there and 0 when not: for what is said only as long as nothing is known
        // against it.
        if let Some(rest) = name.strip_prefix("known.") {
            return Some(f64::from(self.value(rest, None).is_some()));
        }
        if let Some(value) = self.context.get(&name) {
            return Some(value);
        }
        match self.sides {
            Sides::None => self.digits(&name),
            Sides::One(side) => match name.strip_prefix("res.") {
                Some(counter) => side.resolution(counter).or_else(|| self.digits(&name)),
                None => side.value(&name),
            },
            Sides::Two(a, b) => self.in_pair(&name, a, b),
        }
    }

    /// A figure that the caller told without its digits is taken as exact.
    fn digits(&self, name: &str) -> Option<f64> {
        let figure = name.strip_prefix("res.")?;
        self.context.get(figure).map(|_| 0.0)
    }

    fn in_pair(&self, name: &str, a: &Side<'_>, b: &Side<'_>) -> Option<f64> {
        let on = |side: &Side<'_>, letter: &str, rest: &str| match rest.strip_prefix("res.") {
            Some(counter) => side.resolution(counter).or_else(|| {
                let told = self.context.get(&format!("{letter}.{counter}"));
                told.map(|_| 0.0)
            }),
            None => {
                let told = self.context.get(&format!("{letter}.{rest}"));
                told.or_else(|| side.value(rest))
            }
        };
        let both = |rest: &str| Some((on(a, "a", rest)?, on(b, "b", rest)?));
        let change = |(x, y): (f64, f64)| (x != 0.0).then(|| (y - x) / x.abs() * 100.0);
        if let Some(rest) = name.strip_prefix("a.") {
            return on(a, "a", rest);
        }
        if let Some(rest) = name.strip_prefix("b.") {
            return on(b, "b", rest);
        }
        if let Some(rest) = name.strip_prefix("change.") {
            return both(rest).and_then(change);
        }
        if let Some(rest) = name.strip_prefix("points.") {
            return both(rest).map(|(x, y)| y - x);
        }
        let flag = |b: bool| Some(f64::from(b));
        let (p, q) = (a.profile, b.profile);
        match name {
            "time.change" => both("claim.time").and_then(change),
            "pair.better" => Some(self.movement(a, b)?.count(Some(true)) as f64),
            "pair.worse" => Some(self.movement(a, b)?.count(Some(false)) as f64),
            "pair.moved" => Some(self.movement(a, b)?.count(None) as f64),
            "pair.only_a" => Some(movement::only(a, b) as f64),
            "pair.only_b" => Some(movement::only(b, a) as f64),
            "pair.tool_differs" => flag(p.tool != q.tool),
            "pair.version_differs" => {
                let stated = p.tool_version.is_some() && q.tool_version.is_some();
                stated.then(|| f64::from(version_differs(p, q)))
            }
            "pair.flavour_differs" => flag(p.tool == q.tool && p.flavour != q.flavour),
            "pair.kernel_differs" => flag(kernel(a) != kernel(b)),
            "pair.mode_differs" => flag(movement::modes_differ(a, b)),
            _ => None,
        }
    }

    fn movement(&self, a: &Side<'_>, b: &Side<'_>) -> Option<&Movement> {
        let movement = self
            .movement
            .get_or_init(|| Movement::between(self.words, a, b));
        movement.as_ref()
    }
}

/// A name with the counter that `it` stands for in its place.
pub(super) fn substitute<'n>(name: &'n str, it: Option<&'n str>) -> Cow<'n, str> {
    match it {
        Some(it) if name == "it" => Cow::Borrowed(it),
        Some(it) => match name.strip_suffix(".it") {
            Some(front) => Cow::Owned(format!("{front}.{it}")),
            None => Cow::Borrowed(name),
        },
        None => Cow::Borrowed(name),
    }
}

/// A kernel as findings name it: with its number where the report has several launches of it.
pub(super) fn of_several(profile: &Profile, launch: &Launch) -> String {
    let name = inert(&launch.kernel);
    let several = profile
        .launches
        .iter()
        .filter(|l| l.scope == Scope::PerKernel && l.kernel == launch.kernel)
        .nth(1)
        .is_some();
    match launch.occurrence {
        Some(n) if several && launch.scope == Scope::PerKernel => {
            format!("{name}, launch {n}")
        }
        _ => name.into_owned(),
    }
}

/// A scene with the counter that `it` stands for.
pub(super) struct Seen<'a> {
    pub(super) scene: &'a Scene<'a>,
    pub(super) it: Option<&'a str>,
}

impl Seen<'_> {
    pub(super) fn value(&self, name: &str) -> Option<f64> {
        self.scene.value(name, self.it)
    }
}

impl Fill for Seen<'_> {
    fn amount(&self, amount: &Amount) -> Option<f64> {
        amount
            .eval(&|name| self.value(name), self.scene.text())
            .ok()
    }

    fn it_name(&self) -> String {
        let canonical = self.it.unwrap_or("");
        let side = match self.scene.sides {
            Sides::None => None,
            Sides::One(side) | Sides::Two(side, _) => Some(side),
        };
        let read = side.and_then(|s| s.figure(canonical));
        let name = read.map_or(canonical, |r| r.counter.name());
        inert(name).into_owned()
    }

    fn it_unit(&self) -> String {
        let unit = self.it.and_then(|it| self.scene.words.unit(it));
        unit.unwrap_or("1").to_owned()
    }

    fn kernel(&self, side: &str) -> String {
        let launch = match (&self.scene.sides, side) {
            (Sides::None, _) => return String::new(),
            (Sides::Two(a, _), "a") => a.launch,
            (Sides::One(side) | Sides::Two(_, side), _) => side.launch,
        };
        inert(&launch.kernel).into_owned()
    }

    fn list(&self, which: &str) -> Option<String> {
        let (a, b) = match self.scene.sides {
            Sides::None => return None,
            Sides::One(side) => {
                return match which {
                    "suspect" => movement::list(side.suspect().map(inert)),
                    _ => movement::list(side.contradicted().map(inert)),
                };
            }
            Sides::Two(a, b) => (a, b),
        };
        let movement = self.scene.movement(a, b)?;
        movement.list(match which {
            "paid" => Some(false),
            "bought" => Some(true),
            _ => None,
        })
    }
}

/// The kernel that a launch is of; the sides and rows of a published table are no kernels.
fn kernel<'s>(side: &'s Side<'_>) -> &'s str {
    if side.profile.flavour == crate::mapping::TABLE {
        crate::mapping::before_side(&side.launch.kernel)
    } else if (side.launch.iter()).any(|c| c.canonical().is_some_and(|n| n.starts_with("claim."))) {
        ""
    } else {
        &side.launch.kernel
    }
}
