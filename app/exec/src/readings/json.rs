//! JSON whose numbers keep their text, because the digits are the resolution.
//!
//! Python's `NaN` and `Infinity` are read as what they are, so that they spoil one row and not the
//! document.

use std::borrow::Cow;

use assay_core::campaign::ParseKind;
use assay_core::text::inert;
use assay_core::units::TimeUnit;

use super::{Collect, Reading, Readings, ReadingsError};

const DEPTH_MAX: usize = 64;

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Node<'a> {
    /// `null`, `true`, `false`, `NaN`, `Infinity`, `-Infinity`.
    Word(&'a str),
    Number(&'a str),
    Text(Cow<'a, str>),
    List(Vec<Node<'a>>),
    Object(Vec<(Cow<'a, str>, Node<'a>)>),
}

impl<'a> Node<'a> {
    /// The first member of that name.
    pub(super) fn get(&self, key: &str) -> Option<&Node<'a>> {
        match self {
            Self::Object(members) => members.iter().find(|(k, _)| k == key).map(|(_, v)| v),
            _ => None,
        }
    }

    /// The only member of that name.
    pub(super) fn only(&self, key: &str) -> Result<&Node<'a>, String> {
        let Self::Object(members) = self else {
            return Err(format!(
                "`{}` is looked for in what is no object",
                inert(key)
            ));
        };
        let mut found = members.iter().filter(|(k, _)| k == key).map(|(_, v)| v);
        match (found.next(), found.next()) {
            (Some(value), None) => Ok(value),
            (None, _) => Err(format!("there is no `{}`", inert(key))),
            (Some(_), Some(_)) => Err(format!("`{}` stands there twice", inert(key))),
        }
    }

    pub(super) fn members(&self) -> &[(Cow<'a, str>, Node<'a>)] {
        match self {
            Self::Object(members) => members,
            _ => &[],
        }
    }

    pub(super) fn items(&self) -> &[Node<'a>] {
        match self {
            Self::List(items) => items,
            _ => &[],
        }
    }

    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(t) => Some(t),
            _ => None,
        }
    }

    pub(super) fn is_true(&self) -> bool {
        *self == Self::Word("true")
    }

    pub(super) fn count(&self) -> Option<u64> {
        self.printed().parse().ok()
    }

    /// A scalar as it was printed; empty for `null`, lists and objects.
    pub(super) fn printed(&self) -> &str {
        match self {
            Self::Word("null") | Self::List(_) | Self::Object(_) => "",
            Self::Word(w) | Self::Number(w) => w,
            Self::Text(t) => t,
        }
    }
}

/// Reads a document that is nothing but JSON.
pub(super) fn read(text: &str) -> Result<Node<'_>, String> {
    let mut reader = Reader { text, at: 0 };
    let node = reader.value(0)?;
    reader.blank();
    if reader.at < text.len() {
        return Err(
            reader.wrong("further text after the JSON document; keep other output away from it")
        );
    }
    Ok(node)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<u8> {
        self.rest().bytes().next()
    }

    fn blank(&mut self) {
        let rest = self.rest();
        let kept = rest.trim_start_matches([' ', '\t', '\r', '\n']);
        self.at += rest.len() - kept.len();
    }

    fn wrong(&self, what: &str) -> String {
        let line = 1 + self.text[..self.at].bytes().filter(|b| *b == b'\n').count();
        format!("line {line}: {what}")
    }

    fn value(&mut self, depth: usize) -> Result<Node<'a>, String> {
        self.blank();
        if depth > DEPTH_MAX {
            return Err(self.wrong("nested too deep"));
        }
        match self.peek() {
            None => Err(self.wrong("it ends in the middle of the JSON; was it cut off?")),
            Some(b'"') => self.string().map(Node::Text),
            Some(b'[') => self.list(depth),
            Some(b'{') => self.object(depth),
            Some(b) => {
                for word in ["null", "true", "false", "NaN", "Infinity", "-Infinity"] {
                    if self.rest().starts_with(word) {
                        let start = self.at;
                        self.at += word.len();
                        return Ok(Node::Word(&self.text[start..self.at]));
                    }
                }
                if b == b'-' || b.is_ascii_digit() {
                    return Ok(self.number());
                }
                Err(self.wrong("this is not JSON alone; keep other output away from it"))
            }
        }
    }

    fn number(&mut self) -> Node<'a> {
        let rest = self.rest();
        let is_part = |c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'e' | 'E');
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        self.at += end;
        Node::Number(&rest[..end])
    }

    fn list(&mut self, depth: usize) -> Result<Node<'a>, String> {
        self.at += 1;
        let mut items = Vec::new();
        self.blank();
        if self.take(b']') {
            return Ok(Node::List(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.blank();
            if self.take(b']') {
                return Ok(Node::List(items));
            }
            self.comma()?;
        }
    }

    fn object(&mut self, depth: usize) -> Result<Node<'a>, String> {
        self.at += 1;
        let mut members = Vec::new();
        self.blank();
        if self.take(b'}') {
            return Ok(Node::Object(members));
        }
        loop {
            self.blank();
            if self.peek() != Some(b'"') {
                return Err(self.wrong(match self.peek() {
                    None => "it ends in the middle of the JSON; was it cut off?",
                    Some(_) => "a name in quotes is missing",
                }));
            }
            let key = self.string()?;
            self.blank();
            if !self.take(b':') {
                return Err(self.wrong("`:` is missing"));
            }
            members.push((key, self.value(depth + 1)?));
            self.blank();
            if self.take(b'}') {
                return Ok(Node::Object(members));
            }
            self.comma()?;
        }
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn comma(&mut self) -> Result<(), String> {
        if self.take(b',') {
            return Ok(());
        }
        Err(self.wrong(match self.peek() {
            None => "it ends in the middle of the JSON; was it cut off?",
            Some(_) => "`,` is missing",
        }))
    }

    fn string(&mut self) -> Result<Cow<'a, str>, String> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let mut end = start + 1;
        let mut plain = true;
        loop {
            match bytes.get(end) {
                None => return Err(self.wrong("it ends in the middle of a text; was it cut off?")),
                Some(b'"') => break,
                Some(b'\\') => {
                    plain = false;
                    end += 2;
                }
                Some(_) => end += 1,
            }
        }
        self.at = end + 1;
        if plain {
            return Ok(Cow::Borrowed(&self.text[start + 1..end]));
        }
        // Escapes are rare and intricate: the library knows them.
        match serde_json::from_str::<String>(&self.text[start..=end]) {
            Ok(text) => Ok(Cow::Owned(text)),
            Err(_) => Err(self.wrong("a text with a wrong escape")),
        }
    }
}

/// Reads the times at a JSON pointer: a number, or an array of numbers.
///
/// # Errors
/// When the document cannot be read. A place that is not there or is no time fails the row.
pub fn pointed(
    bytes: &[u8],
    pointers: &[(String, String)],
    unit: TimeUnit,
) -> Result<Readings, ReadingsError> {
    let mut all = Collect::new(ParseKind::Json);
    let text = all.text(bytes)?;
    let root = match read(&text) {
        Ok(root) => root,
        Err(why) => return all.error(why),
    };
    for (workload, pointer) in pointers {
        let row = Reading {
            workload: workload.clone(),
            ..Reading::new(unit, 0)
        };
        let row = match at(&root, pointer) {
            Ok(Node::List(items)) if items.is_empty() => row.failed(
                super::RowFailureKind::NotAvailable,
                "the array of times is empty",
            ),
            Ok(Node::List(items)) => row.timed_json(items.iter().map(Node::printed)),
            Ok(node) => row.timed_json([node.printed()]),
            Err(why) => row.failed(
                super::RowFailureKind::NotAvailable,
                format!("{why} on the way of `{}`", inert(pointer)),
            ),
        };
        all.row(row)?;
    }
    drop(text);
    Ok(all.finish())
}

fn at<'n, 'a>(root: &'n Node<'a>, pointer: &str) -> Result<&'n Node<'a>, String> {
    let mut node = root;
    for part in pointer.split('/').skip(1) {
        let part = part.replace("~1", "/").replace("~0", "~");
        node = match node {
            Node::List(items) => {
                let index: Option<usize> = part.parse().ok();
                let item = index.and_then(|i| items.get(i));
                item.ok_or_else(|| format!("there is no element `{}`", inert(&part)))?
            }
            node => node.only(&part)?,
        };
    }
    Ok(node)
}
