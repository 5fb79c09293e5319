//! Normalisation of PTX.

use std::collections::{BTreeSet, HashMap};

use super::relative::{MAX_ROWS, Row, relative};
use super::{Channels, Pass, Passes, collapse, shorten_paths};

struct State<'p> {
    passes: &'p Passes,
    in_comment: bool,
    /// Line of the input being read, from 0.
    at: usize,
    depth: usize,
    /// Whether the function being read, or its header, is a kernel.
    kernel: bool,
    /// Whether a debug section is being left out.
    debug: bool,
    rows: Vec<Row>,
    /// Prefixes of the virtual registers that are declared.
    prefixes: BTreeSet<String>,
    /// New numbers of virtual registers, and how many there are of each prefix.
    numbers: HashMap<String, usize>,
    next: HashMap<String, usize>,
}

pub(super) fn run(text: &str, passes: &Passes, out: &mut Channels) {
    let mut s = State {
        passes,
        in_comment: false,
        at: 0,
        depth: 0,
        kernel: false,
        debug: false,
        rows: Vec::new(),
        prefixes: BTreeSet::new(),
        numbers: HashMap::new(),
        next: HashMap::new(),
    };
    for (at, line) in text.lines().enumerate() {
        s.at = at;
        s.line(line, out);
    }
    s.end(out);
}

impl State<'_> {
    fn line(&mut self, line: &str, out: &mut Channels) {
        let (mut code, comment) = self.without_comment(line);
        let bare = code.trim().to_owned();
        let bare = bare.as_str();
        let emptied = bare.is_empty() && !line.trim().is_empty();
        if emptied && comment.is_empty() {
            return;
        }
        let word = bare.split(char::is_whitespace).next().unwrap_or("");
        if self.passes.has(Pass::DebugInfo) {
            if self.debug {
                self.debug = !bare.contains('}');
                return;
            }
            if matches!(word, ".loc" | ".file") {
                return;
            }
            if word == ".section" && bare.contains(".debug") {
                self.debug = !bare.contains('}');
                return;
            }
        }
        let is_head = self.depth == 0 && (bare.contains(".entry") || bare.contains(".func"));
        if is_head {
            self.end(out);
            self.kernel = bare.contains(".entry");
        }
        if self.passes.has(Pass::Temporaries) && self.depth > 0 {
            self.declared(bare);
            code = self.registers(&code);
        }
        if self.passes.has(Pass::Paths) && code.contains("\"/") {
            code = shorten_paths(&code);
        }
        let label = bare
            .strip_suffix(':')
            .filter(|l| self.passes.has(Pass::Labels) && is_label(l))
            .map(str::to_owned);
        // Braces in quotes are rare enough in PTX to be followed like any other.
        let opens = code.matches('{').count();
        let closes = code.matches('}').count();
        let closed = self.depth > 0 && (self.depth + opens).saturating_sub(closes) == 0;
        self.depth = (self.depth + opens).saturating_sub(closes);
        let mut code = if self.passes.has(Pass::Whitespace) {
            collapse(&code)
        } else {
            code
        };
        if !comment.is_empty() {
            if self.passes.has(Pass::Whitespace) && !code.is_empty() {
                code.push(' ');
            }
            code.push_str(&comment);
        }
        if code.is_empty() && self.passes.has(Pass::Whitespace) {
            return;
        }
        self.rows.push(Row {
            label,
            code,
            origin: self.at,
        });
        if closed {
            self.end(out);
        } else if self.rows.len() >= MAX_ROWS {
            if out.notices.is_empty() && self.passes.has(Pass::Labels) {
                out.notices.push(format!(
                    "a function of more than {MAX_ROWS} lines: its labels keep their names"
                ));
            }
            self.flush(out);
        }
    }

    /// Code, and the comment when comments are kept.
    fn without_comment(&mut self, line: &str) -> (String, String) {
        if !self.in_comment && !line.contains('/') {
            return (line.trim_end_matches('\r').to_owned(), String::new());
        }
        let (mut code, mut comment) = (String::new(), String::new());
        let mut rest = line;
        while !rest.is_empty() {
            if self.in_comment {
                let end = rest.find("*/").map_or(rest.len(), |e| e + 2);
                self.in_comment = !rest[..end].ends_with("*/");
                comment.push_str(&rest[..end]);
                rest = &rest[end..];
                continue;
            }
            let line_comment = rest.find("//");
            let block = rest.find("/*");
            match (line_comment, block) {
                (Some(l), b) if b.is_none_or(|b| l < b) => {
                    code.push_str(&rest[..l]);
                    comment.push_str(&rest[l..]);
                    rest = "";
                }
                (_, Some(b)) => {
                    code.push_str(&rest[..b]);
                    code.push(' ');
                    comment.push_str("/*");
                    rest = &rest[b + 2..];
                    self.in_comment = true;
                }
                _ => {
                    code.push_str(rest);
                    rest = "";
                }
            }
        }
        if self.passes.has(Pass::Comments) {
            comment.clear();
        }
        (code, comment)
    }

    /// `.reg .b32 %r<35>;` declares the prefix `%r`.
    fn declared(&mut self, code: &str) {
        if !code.contains(".reg") || self.prefixes.len() > 256 {
            return;
        }
        for part in code.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';')) {
            if let Some((prefix, _)) = part.split_once('<')
                && prefix.starts_with('%')
                && prefix.len() <= 32
            {
                self.prefixes.insert(prefix.to_owned());
            }
        }
    }

    fn registers(&mut self, code: &str) -> String {
        let mut out = String::with_capacity(code.len());
        let mut rest = code;
        while let Some(at) = rest.find('%') {
            out.push_str(&rest[..at]);
            rest = &rest[at..];
            let end = rest[1..]
                .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '$')))
                .map_or(rest.len(), |e| e + 1);
            let name = &rest[..end];
            let prefix = name.trim_end_matches(|c: char| c.is_ascii_digit());
            if prefix.len() < name.len() && self.prefixes.contains(prefix) {
                let number = match self.numbers.get(name) {
                    Some(n) => *n,
                    None => {
                        let next = self.next.entry(prefix.to_owned()).or_default();
                        *next += 1;
                        self.numbers.insert(name.to_owned(), *next);
                        *next
                    }
                };
                out.push_str(prefix);
                out.push_str(&number.to_string());
            } else {
                out.push_str(name);
            }
            rest = &rest[end..];
        }
        out.push_str(rest);
        out
    }

    /// Writes the rows read so far.
    fn flush(&mut self, out: &mut Channels) {
        let to = if self.passes.has(Pass::Preamble) && !self.kernel {
            &mut out.preamble
        } else {
            &mut out.text
        };
        for row in self.rows.drain(..) {
            if let Some(m) = &mut out.marks {
                m.put_lines(row.origin, row.code.trim_start());
            }
            to.push_str(&row.code);
            to.push('\n');
        }
    }

    /// Ends a function, or what stands between two.
    fn end(&mut self, out: &mut Channels) {
        if self.passes.has(Pass::Labels) {
            relative(&mut self.rows);
        }
        self.flush(out);
        self.kernel = false;
        self.depth = 0;
        self.prefixes.clear();
        self.numbers.clear();
        self.next.clear();
    }
}

fn is_label(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$'))
}
