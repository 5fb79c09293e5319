//! Devices, kernels and blocks on their way into launches.

use std::sync::Arc;

use smol_str::SmolStr;

use super::super::input::{self, part};
use super::super::json::{Node, Reader};
use super::super::{figure, rows};
use super::{ALL_KERNELS, NAME, ROOT};
use crate::counters::{Cell, Counters};
use crate::keys::{KeyList, Keys};
use crate::{Key, Launch, Profile, ProfileError, Scope, Status};

/// What a kernel is called that has no name but its place in the order of the launches, from 1.
pub(in crate::formats::mcprofiler) fn nameless(index: usize) -> String {
    format!("(kernel {index})")
}

/// What was read so far.
pub(super) struct Devices {
    profile: Profile,
    /// Notices that stand before those of the document.
    before: usize,
    /// Names of the devices, and where their launches begin.
    devices: Vec<(SmolStr, usize)>,
    /// The launch that is cut off.
    cut: Option<usize>,
    /// Keys of the launch before, which the next one mostly has too, and whether none is repeated.
    keys: Option<(KeyList, bool)>,
}

impl Devices {
    pub fn new(profile: Profile) -> Self {
        Self {
            before: profile.notices.len(),
            profile,
            devices: Vec::new(),
            cut: None,
            keys: None,
        }
    }

    fn notice(&mut self, notice: String) {
        self.profile.notices.push(notice);
    }

    /// A notice before all others.
    pub fn notice_first(&mut self, notice: String) {
        self.profile.notices.insert(0, notice);
        self.before += 1;
    }

    /// A member of the document.
    pub fn root(&mut self, r: &mut Reader<'_>, key: &str) -> Option<()> {
        if key == ROOT && r.begins() == Some(b'{') {
            return r.each_member(1, |r, device| self.device(r, &device));
        }
        let value = r.value(1)?;
        self.beside(key, &value);
        Some(())
    }

    /// A part of the document that is no counters.
    pub fn beside(&mut self, key: &str, value: &Node<'_>) {
        let is_empty = match value {
            Node::Null => true,
            Node::Object(members, _) => members.is_empty(),
            Node::List(items, _) => items.is_empty(),
            _ => false,
        };
        if !is_empty {
            self.not_read(key);
        }
    }

    pub fn not_read(&mut self, key: &str) {
        self.notice(format!("`{}` is not read.", input::shown(key)));
    }

    fn device(&mut self, r: &mut Reader<'_>, device: &str) -> Option<()> {
        self.begin_device(device);
        if r.begins() != Some(b'[') {
            r.value(2)?;
            self.no_list(device);
            return Some(());
        }
        r.each_item(2, |r| self.kernel(r))
    }

    pub fn begin_device(&mut self, device: &str) {
        let name = SmolStr::new(part(device));
        self.devices.push((name, self.profile.launches.len()));
    }

    pub fn no_list(&mut self, device: &str) {
        self.notice(format!(
            "Device `{}` has no list of kernels.",
            input::shown(device)
        ));
    }

    /// An item of a device's list.
    pub fn kernel(&mut self, r: &mut Reader<'_>) -> Option<()> {
        let keys = match &self.keys {
            Some((list, _)) => Keys::expecting(Arc::clone(list)),
            None => Keys::default(),
        };
        let mut blocks = Blocks {
            counters: Counters::expecting(keys),
            path: String::new(),
            section: None,
        };
        let is_whole = if r.begins() == Some(b'{') {
            blocks.read(r, 3).is_some()
        } else {
            let value = r.value(3)?;
            value.is_whole()
        };
        let mut counters = blocks.counters;
        self.mark_repeated(&mut counters);
        let first = self.devices.last().map_or(0, |(_, first)| *first);
        let place = self.profile.launches.len();
        let (name, scope) = match place - first {
            0 => (ALL_KERNELS.to_owned(), Scope::Aggregate),
            i => (nameless(i), Scope::PerKernel),
        };
        let mut launch = Launch::new(name, scope);
        launch.counters = counters;
        self.profile.launches.push(launch);
        if !is_whole {
            self.cut = Some(place);
        }
        Some(())
    }

    fn mark_repeated(&mut self, counters: &mut Counters) {
        let list = counters.keys.list();
        if let Some((known, true)) = &self.keys
            && Arc::ptr_eq(known, &list)
        {
            return;
        }
        let repeated = rows::mark_repeated(counters);
        self.keys = Some((list, !repeated));
    }

    /// The profile; with it, where and why the document ended early.
    pub fn finish(mut self, problem: Option<String>) -> Result<Profile, ProfileError> {
        if self.devices.len() > 1 {
            let ends = self.devices.iter().skip(1).map(|(_, first)| *first);
            let ends = ends.chain([self.profile.launches.len()]);
            for ((device, first), end) in self.devices.iter().zip(ends) {
                let launches = self.profile.launches.get_mut(*first..end);
                for l in launches.into_iter().flatten() {
                    l.kernel = format!("device {device}: {}", l.kernel);
                }
            }
        }
        if let Some(l) = self.cut.and_then(|at| self.profile.launches.get(at)) {
            let last = input::shown(&l.kernel);
            self.notice(format!("{last}: cut off, not all its counters are there."));
        }
        let damage = problem.map(|p| input::damage(&p));
        let before = self.before;
        self.profile.notices.splice(before..before, damage);
        if self.profile.launches.iter().all(Launch::is_empty) {
            return Err(ProfileError::Unusable {
                format: NAME,
                problem: match self.profile.notices.as_slice() {
                    [] => "no counter in it".into(),
                    all => format!("no counter in it: {}", all.join(" ")),
                },
            });
        }
        Ok(self.profile)
    }
}

/// Blocks hold instances, and instances hold counters.
struct Blocks {
    counters: Counters,
    path: String,
    /// The path, once it is needed to keep.
    section: Option<SmolStr>,
}

impl Blocks {
    fn read(&mut self, r: &mut Reader<'_>, depth: usize) -> Option<()> {
        r.each_member(depth, |r, key| {
            if r.begins() == Some(b'{') {
                let end = self.path.len();
                if end > 0 {
                    self.path.push('/');
                }
                self.path.push_str(&part(&key));
                self.section = None;
                let inner = self.read(r, depth + 1);
                self.path.truncate(end);
                self.section = None;
                return inner;
            }
            let value = r.value(depth + 1)?;
            self.counter(&key, &value);
            Some(())
        })
    }

    fn counter(&mut self, name: &str, value: &Node<'_>) {
        let expected = self.counters.keys.next();
        if expected.is_some_and(|k| k.name == name && k.section == self.path && k.unit == "1") {
            self.counters.keys.advance();
        } else {
            let section = self.section.get_or_insert_with(|| SmolStr::new(&self.path));
            self.counters.keys.put(Arc::new(Key {
                section: section.clone(),
                name: name.into(),
                canonical: None,
                unit: SmolStr::new_static("1"),
            }));
        }
        let place = self.counters.len();
        match value {
            Node::Number(raw) => match figure::exact(raw) {
                Ok(read) => self.counters.number(read, raw, None),
                Err(why) => {
                    self.counters.cell(Cell::none(Status::Error), raw);
                    self.counters.doubt(place, why);
                }
            },
            Node::Text(text) => self.counters.cell(Cell::none(Status::Text), text),
            Node::Null => self.counters.cell(Cell::none(Status::Absent), "null"),
            other => {
                self.counters.cell(Cell::none(Status::Error), other.brief());
                self.counters.doubt(place, "not a number".into());
            }
        }
    }
}
