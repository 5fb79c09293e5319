//! Lines into statements: comments, labels, directives, instructions, sections.

use std::borrow::Cow;

use crate::language::Language;

/// How a file is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dialect {
    /// AArch64 rather than x86-64.
    pub aarch64: bool,
    /// Mach-O output of clang: `;` begins a comment on AArch64, and local labels begin with `L`.
    pub darwin: bool,
    /// AMDGCN: `;` and `//` begin a comment.
    pub amdgcn: bool,
}

impl Dialect {
    pub(crate) fn of(language: Language, text: &str) -> Self {
        Self {
            aarch64: language == Language::AsmAarch64,
            amdgcn: language == Language::AsmAmdgcn,
            darwin: text
                .lines()
                .take(200)
                .any(|l| l.contains("__TEXT,__text") || l.contains(".subsections_via_symbols")),
        }
    }

    fn separator(self) -> char {
        if (self.darwin && self.aarch64) || self.amdgcn {
            // The Darwin assembler separates statements with `%%`, which compilers do not emit.
            '\u{0}'
        } else {
            ';'
        }
    }
}

/// One statement, borrowed from a line without comments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Statement<'a> {
    /// `name:`
    Label(&'a str),
    /// `.name arguments`, and assignments with the name `=`.
    Directive(&'a str, &'a str),
    /// `mnemonic operands`, without prefixes such as `lock`.
    Instruction(&'a str, &'a str),
}

/// Splits a line into code and comment; block comments may run over lines.
pub(crate) fn split_comment<'a>(
    line: &'a str,
    dialect: Dialect,
    in_block: &mut bool,
) -> (Cow<'a, str>, String) {
    let bytes = line.as_bytes();
    let line_start = line.len() - line.trim_start().len();
    if !*in_block && !line.contains(['#', '/', ';']) {
        return (Cow::Borrowed(line), String::new());
    }
    let (mut code, mut comment) = (String::new(), String::new());
    let (mut i, mut kept, mut quoted) = (0, 0, false);
    while i < bytes.len() {
        let two = &bytes[i..(i + 2).min(bytes.len())];
        if *in_block {
            if two == b"*/" {
                *in_block = false;
                comment.push_str(&line[kept..i + 2]);
                i += 2;
                kept = i;
                continue;
            }
        } else if quoted {
            match bytes[i] {
                b'\\' => i += 1,
                b'"' => quoted = false,
                _ => {}
            }
        } else if bytes[i] == b'"' {
            quoted = true;
        } else if two == b"/*" {
            code.push_str(&line[kept..i]);
            code.push(' ');
            *in_block = true;
            kept = i;
            i += 2;
            continue;
        } else {
            let begins = match bytes[i] {
                b'#' => !(dialect.aarch64 || dialect.amdgcn) || i == line_start,
                b'/' => two == b"//" && (dialect.aarch64 || dialect.amdgcn),
                b';' => (dialect.darwin && dialect.aarch64) || dialect.amdgcn,
                _ => false,
            };
            if begins {
                code.push_str(&line[kept..i]);
                comment.push_str(&line[i..]);
                return (Cow::Owned(code), comment);
            }
        }
        i += 1;
    }
    // A backslash at the very end may have stepped past it.
    let rest = line.get(kept..).unwrap_or("");
    if *in_block {
        comment.push_str(rest);
    } else {
        code.push_str(rest);
    }
    (Cow::Owned(code), comment)
}

/// Calls `f` with each statement of a line without comments, and the text it stands in.
pub(crate) fn each_statement<'a>(
    code: &'a str,
    dialect: Dialect,
    mut f: impl FnMut(Statement<'a>, &'a str),
) {
    for part in split_outside_quotes(code, dialect.separator()) {
        let mut rest = part.trim();
        while let Some((label, after)) = label(rest) {
            f(Statement::Label(label), &rest[..rest.len() - after.len()]);
            rest = after.trim_start();
        }
        if rest.is_empty() {
            continue;
        }
        f(statement(rest), rest);
    }
}

fn statement(text: &str) -> Statement<'_> {
    let (head, tail) = head_tail(text);
    if head.starts_with('.') {
        return Statement::Directive(head, tail);
    }
    if tail.starts_with('=') || head.contains('=') {
        return Statement::Directive("=", text);
    }
    let is_prefix = matches!(
        head,
        "lock" | "rep" | "repe" | "repz" | "repne" | "repnz" | "notrack" | "bnd" | "data16"
    ) || head.starts_with('{');
    if is_prefix && !tail.is_empty() {
        return statement(tail);
    }
    Statement::Instruction(head, tail)
}

fn head_tail(text: &str) -> (&str, &str) {
    match text.find(char::is_whitespace) {
        Some(i) => (&text[..i], text[i..].trim()),
        None => (text, ""),
    }
}

fn label(text: &str) -> Option<(&str, &str)> {
    if let Some(quoted) = text.strip_prefix('"') {
        let end = quoted.find('"')?;
        let after = quoted[end + 1..].strip_prefix(':')?;
        return Some((&quoted[..end], after));
    }
    let end = text.find(|c: char| !is_symbol(c))?;
    let after = text[end..].strip_prefix(':')?;
    (end > 0).then_some((&text[..end], after))
}

/// Whether a character can stand in a symbol name.
pub(crate) fn is_symbol(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$') || !c.is_ascii()
}

fn split_outside_quotes(text: &str, separator: char) -> Vec<&str> {
    if !text.contains(separator) {
        return vec![text];
    }
    let mut out = Vec::new();
    let (mut start, mut quoted, mut escaped) = (0, false, false);
    for (i, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            c if c == separator && !quoted => {
                out.push(&text[start..i]);
                start = i + c.len_utf8();
            }
            _ => {}
        }
    }
    out.push(&text[start..]);
    out
}

/// The section that the assembler is in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Section {
    name: String,
    code: bool,
    stack: Vec<(String, bool)>,
    previous: Option<(String, bool)>,
}

impl Default for Section {
    fn default() -> Self {
        Self {
            name: ".text".into(),
            code: true,
            stack: Vec::new(),
            previous: None,
        }
    }
}

/// Nesting beyond this is not followed; no compiler comes near it.
const MAX_SECTION_DEPTH: usize = 64;

impl Section {
    /// Whether it holds code.
    pub(crate) fn is_code(&self) -> bool {
        self.code
    }

    /// Whether it holds debug information, notes or comments that never reach memory as code.
    pub(crate) fn is_debug(&self) -> bool {
        [".debug", ".comment", ".note", ".llvm_addrsig", "__DWARF"]
            .iter()
            .any(|p| self.name.starts_with(p))
    }

    /// Follows a directive; true when it is one that changes the section.
    pub(crate) fn follow(&mut self, name: &str, args: &str) -> bool {
        match name {
            ".text" | ".data" | ".bss" => self.enter(name.to_owned(), name == ".text"),
            ".section" | ".pushsection" => {
                if name == ".pushsection" && self.stack.len() < MAX_SECTION_DEPTH {
                    self.stack.push((self.name.clone(), self.code));
                }
                let mut parts = args.split(',');
                let section = parts.next().unwrap_or("").trim().trim_matches('"');
                let flags = parts.next().unwrap_or("").trim();
                let code = section.starts_with(".text")
                    || (section == "__TEXT" && flags == "__text")
                    || (flags.starts_with('"') && flags.contains('x'));
                self.enter(section.to_owned(), code);
            }
            ".popsection" => {
                if let Some((name, code)) = self.stack.pop() {
                    self.enter(name, code);
                }
            }
            ".previous" => {
                if let Some((name, code)) = self.previous.take() {
                    self.enter(name, code);
                }
            }
            _ => return false,
        }
        true
    }

    fn enter(&mut self, name: String, code: bool) {
        let old = std::mem::replace(&mut self.name, name);
        self.previous = Some((old, self.code));
        self.code = code;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const X86: Dialect = Dialect {
        aarch64: false,
        darwin: false,
        amdgcn: false,
    };
    const ARM: Dialect = Dialect {
        aarch64: true,
        darwin: false,
        amdgcn: false,
    };

    fn read(line: &str, d: Dialect) -> (Vec<String>, String) {
        let mut block = false;
        let (code, comment) = split_comment(line, d, &mut block);
        let mut out = Vec::new();
        each_statement(&code, d, |s, _| out.push(format!("{s:?}")));
        (out, comment)
    }

    #[test]
    fn comments_depend_on_the_machine() {
        assert_eq!(
            read("\tmov x0, #1 // one", ARM),
            (
                vec!["Instruction(\"mov\", \"x0, #1\")".into()],
                "// one".into()
            )
        );
        assert_eq!(
            read("\tmovl $1, %eax # one", X86),
            (
                vec!["Instruction(\"movl\", \"$1, %eax\")".into()],
                "# one".into()
            )
        );
        assert_eq!(read("\t.string \"a#b;c\"", X86).0.len(), 1);
        assert_eq!(read("#APP", ARM).0.len(), 0);
        assert_eq!(read("a: b: lock addl $1, (%rax); nop", X86).0.len(), 4);
        assert_eq!(
            read("movl /* x */ $1, %eax", X86).0,
            ["Instruction(\"movl\", \"$1, %eax\")"]
        );
    }

    #[test]
    fn sections_are_followed() {
        let mut s = Section::default();
        assert!(s.follow(".section", ".debug_info,\"\",@progbits") && s.is_debug());
        s.follow(".previous", "");
        assert!(s.is_code());
        s.follow(".section", ".init,\"ax\",@progbits");
        assert!(s.is_code());
        s.follow(".pushsection", ".rodata");
        assert!(!s.is_code());
        s.follow(".popsection", "");
        assert!(s.is_code());
        assert!(!s.follow(".globl", "x"));
    }
}
