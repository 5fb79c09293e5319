//! Renumbering of local labels.
//!
//! A label defined in the code of a function becomes `.L<function>.<n>`, any other local label
//! `.L<n>`, with n counted in order of appearance. Every local label is renamed, so that no new
//! name can meet an old one; and the mapping is one to one, so that two texts become equal only
//! when their labels correspond.

use std::collections::{BTreeSet, HashMap};

use super::asm::Line;
use crate::asm::statement::is_symbol;
use crate::asm::{Dialect, Statement, each_statement};
use crate::facts::declared_functions;

pub(super) fn renumber(lines: &mut Vec<Line>, text: &str, dialect: Dialect) {
    let scan = Scan::of(lines, text, dialect);
    let mut names = Names::default();
    lines.retain_mut(|line| {
        if !line.code.contains('L') {
            return true;
        }
        if let Some(label) = sole_label(&line.code, dialect)
            && scan.is_local(label)
            && scan.uses.get(label) == Some(&1)
        {
            return false;
        }
        line.code = rename(&line.code, &scan, &mut names);
        true
    });
}

/// The label that a line consists of, if it is nothing else.
fn sole_label(code: &str, dialect: Dialect) -> Option<&str> {
    let mut found = None;
    let mut statements = 0u32;
    each_statement(code, dialect, |s, _| {
        statements += 1;
        if let Statement::Label(name) = s {
            found = Some(name);
        }
    });
    found.filter(|_| statements == 1)
}

#[derive(Default)]
struct Names {
    given: HashMap<String, String>,
    next: HashMap<Option<String>, u64>,
}

impl Names {
    fn of(&mut self, label: &str, scan: &Scan) -> &str {
        if !self.given.contains_key(label) {
            let function = scan.home.get(label).cloned().flatten();
            let n = self.next.entry(function.clone()).or_default();
            *n += 1;
            let name = match function {
                Some(f) => format!(".L{f}.{n}"),
                None => format!(".L{n}"),
            };
            self.given.insert(label.to_owned(), name);
        }
        self.given.get(label).map_or("", String::as_str)
    }
}

struct Scan {
    darwin: bool,
    /// Where each label is defined: in the code of a function, or elsewhere.
    home: HashMap<String, Option<String>>,
    /// How often each local label stands in the text, its definition included.
    uses: HashMap<String, u64>,
}

impl Scan {
    fn of(lines: &[Line], text: &str, dialect: Dialect) -> Self {
        let functions: BTreeSet<String> = declared_functions(text);
        let mut scan = Self {
            darwin: dialect.darwin,
            home: HashMap::new(),
            uses: HashMap::new(),
        };
        let mut function: Option<String> = None;
        for line in lines {
            each_statement(&line.code, dialect, |s, _| match s {
                Statement::Label(name) if scan.looks_local(name) => {
                    let home = function.clone().filter(|_| line.in_code);
                    scan.home.entry(name.to_owned()).or_insert(home);
                }
                Statement::Label(name) => {
                    let begins = functions.contains(name)
                        || (functions.is_empty()
                            && line.in_code
                            && !name.bytes().all(|b| b.is_ascii_digit()));
                    if begins {
                        function = Some(name.to_owned());
                    }
                }
                Statement::Directive(".size", args) => {
                    let name = args.split(',').next().unwrap_or("").trim();
                    if function.as_deref() == Some(name) {
                        function = None;
                    }
                }
                _ => {}
            });
        }
        for line in lines {
            for (start, end) in symbols(&line.code) {
                let name = &line.code[start..end];
                if scan.is_local(name) {
                    *scan.uses.entry(name.to_owned()).or_default() += 1;
                }
            }
        }
        scan
    }

    fn looks_local(&self, name: &str) -> bool {
        name.starts_with(".L")
            || (self.darwin && (name.starts_with('L') || name.starts_with("lCPI")))
    }

    /// On Mach-O a bare `L...` is local only if it is defined here: registers and symbols of other
    /// files may begin with that letter.
    fn is_local(&self, name: &str) -> bool {
        name.starts_with(".L") || (self.looks_local(name) && self.home.contains_key(name))
    }
}

fn rename(code: &str, scan: &Scan, names: &mut Names) -> String {
    let mut out = String::with_capacity(code.len());
    let mut copied = 0;
    for (start, end) in symbols(code) {
        let name = &code[start..end];
        if scan.is_local(name) {
            out.push_str(&code[copied..start]);
            out.push_str(names.of(name, scan));
            copied = end;
        }
    }
    out.push_str(&code[copied..]);
    out
}

/// The byte ranges of symbols outside of string literals.
fn symbols(code: &str) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    let (mut quoted, mut escaped) = (false, false);
    let mut start = None;
    for (i, c) in code.char_indices() {
        if quoted {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => quoted = false,
                _ => {}
            }
        } else if is_symbol(c) {
            start.get_or_insert(i);
        } else {
            if let Some(s) = start.take() {
                out.push((s, i));
            }
            quoted = c == '"';
        }
    }
    if let Some(s) = start {
        out.push((s, code.len()));
    }
    out
}
