//! Hardware counters that come in pieces: one kernel at a time is in memory as text.

use std::borrow::Cow;
use std::io::Read;

use super::super::json::{self, Node, Reader};
use super::super::rows::TOOL;
use super::devices::Devices;
use super::{FLAVOUR, ROOT};
use crate::formats::pieces::{Pieces, Value};
use crate::formats::{NOT_UTF8, pieces};
use crate::{Profile, ProfileError};

pub(in crate::formats) fn parse_reader(source: &mut dyn Read) -> Result<Profile, ProfileError> {
    let mut stream = Stream {
        pieces: Pieces::new(source),
        is_utf8: true,
    };
    let mut devices = Devices::new(Profile::new(TOOL, FLAVOUR));
    if stream.pieces.begins() == Some(b'{') {
        stream.root(&mut devices);
    }
    let Stream { pieces, is_utf8 } = stream;
    let problem = pieces.finish();
    let place = |p: pieces::Problem| format!("line {}, column {}: {}", p.line, p.column, p.why);
    if !is_utf8 {
        devices.notice_first(NOT_UTF8.to_owned());
    }
    devices.finish(problem.map(place))
}

struct Stream<'r> {
    pieces: Pieces<'r>,
    is_utf8: bool,
}

impl Stream<'_> {
    fn text<'b>(&mut self, bytes: &'b [u8]) -> Cow<'b, str> {
        let text = String::from_utf8_lossy(bytes);
        self.is_utf8 &= matches!(text, Cow::Borrowed(_));
        text
    }

    fn key(&mut self) -> Option<String> {
        let name = self.pieces.key()?;
        let text = self.text(&name);
        match json::read(&text) {
            (Some(Node::Text(name)), None) => Some(name.into_owned()),
            _ => {
                self.pieces.fail("expected a name in quotation marks");
                None
            }
        }
    }

    fn root(&mut self, devices: &mut Devices) {
        let mut first = true;
        self.pieces.open();
        while self.pieces.goes_on(b'}', std::mem::take(&mut first)) {
            let Some(key) = self.key() else { return };
            if key == ROOT && self.pieces.begins() == Some(b'{') {
                self.devices(devices);
                continue;
            }
            self.beside(&key, devices);
        }
    }

    /// A part that is no counters: of what is in brackets only whether it is empty matters.
    fn beside(&mut self, key: &str, devices: &mut Devices) {
        let end = match self.pieces.begins() {
            Some(b'{') => b'}',
            Some(b'[') => b']',
            _ => {
                let Some(value) = self.pieces.value() else {
                    return;
                };
                return self.with(value, |r| {
                    if let Some(value) = r.value(1) {
                        devices.beside(key, &value);
                    }
                });
            }
        };
        self.pieces.open();
        if self.pieces.goes_on(end, true) {
            self.pieces.skip_inside();
            devices.not_read(key);
        }
    }

    fn devices(&mut self, devices: &mut Devices) {
        let mut first = true;
        self.pieces.open();
        while self.pieces.goes_on(b'}', std::mem::take(&mut first)) {
            let Some(device) = self.key() else { return };
            devices.begin_device(&device);
            if self.pieces.begins() == Some(b'[') {
                self.kernels(devices);
                continue;
            }
            let Some(value) = self.pieces.value() else {
                return;
            };
            self.with(value, |r| {
                if r.value(2).is_some() {
                    devices.no_list(&device);
                }
            });
        }
    }

    fn kernels(&mut self, devices: &mut Devices) {
        let mut first = true;
        self.pieces.open();
        while self.pieces.goes_on(b']', std::mem::take(&mut first)) {
            let Some(value) = self.pieces.value() else {
                return;
            };
            self.with(value, |r| {
                devices.kernel(r);
            });
        }
    }

    /// Reads a value that is in memory as a whole, and takes over where it is damaged.
    fn with(&mut self, value: Value, read: impl FnOnce(&mut Reader<'_>)) {
        let text = String::from_utf8_lossy(self.pieces.bytes(value));
        let is_utf8 = matches!(text, Cow::Borrowed(_));
        // A number ends where something else begins.
        let is_word = !text.starts_with(['{', '[', '"']);
        let text = match value.whole && is_word {
            true => Cow::Owned(format!("{text} ")),
            false => text,
        };
        let mut reader = Reader::new(&text);
        read(&mut reader);
        let problem = reader.problem();
        self.is_utf8 &= is_utf8;
        if let Some((at, why)) = problem {
            self.pieces.fail_in(value, at, why);
        }
    }
}
