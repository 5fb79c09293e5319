//! The outline of a source file: where its functions begin and end, and which are kernels.

use std::collections::BTreeSet;

use super::conditions::{Branch, Conditions, Dead, branch};
use super::macros::Define;
use crate::c_lex::{Class, Kind, Tokens};

/// What a piece of a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// A kernel with its body.
    Kernel,
    /// Any other function with its body.
    Function,
    /// The declaration of a kernel, or a type alias: both belong to the kernel's text.
    Context,
}

/// A piece of a file, by the places of tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Piece {
    pub role: Role,
    /// First token.
    pub first: usize,
    /// The name of a function.
    pub name: usize,
    /// The `{` of a body.
    pub open: usize,
    /// The last token: `}` or `;`.
    pub last: usize,
}

/// More functions than this are not told apart.
pub(crate) const MAX_FUNCTIONS: usize = 4096;

#[derive(Default)]
struct Header {
    first: usize,
    round: usize,
    words: usize,
    global: bool,
    alias: bool,
    typedef: bool,
    scope: bool,
    record: bool,
    is_enum: bool,
    assigned: bool,
    name: Option<usize>,
}

impl Header {
    fn at(first: usize) -> Self {
        Self {
            first,
            ..Self::default()
        }
    }

    fn word(&mut self, t: &Tokens<'_>, i: usize, kernels: &BTreeSet<String>) {
        let word = t.at(i);
        if self.words == 0 {
            self.alias = matches!(word, "typedef" | "using");
            self.typedef = word == "typedef";
        }
        self.words += 1;
        if self.round > 0 {
            return;
        }
        // `LAUNCH(256, 1) void name(…)`: what stood there was a macro, and no name.
        if self.name.is_some() && i > 0 && t.mark(i - 1) == b')' && !follows_parameters(word) {
            self.name = None;
        }
        if !kernels.is_empty() && kernels.contains(word) {
            self.global = true;
            // `KERNEL(name)(…)`: the name is its argument.
            self.name = (t.mark(i + 1) == b'(' && t.mark(i + 3) == b')' && t.mark(i + 4) == b'(')
                .then_some(i + 2);
            return;
        }
        match word {
            "__global__" => {
                self.global = true;
                self.name = None;
            }
            "namespace" => self.scope = true,
            // A plain linkage block; a function that is `extern "C"` has a name as well.
            "extern" if t.kind(i + 1) == Some(Kind::Text) => self.scope = true,
            "struct" | "class" | "union" if self.name.is_none() => self.record = true,
            "enum" => self.is_enum = true,
            _ if self.name.is_none() && opens_parameters(t, i) && !is_attribute(word) => {
                self.name = Some(i);
            }
            _ => {}
        }
    }
}

fn is_attribute(word: &str) -> bool {
    matches!(
        word,
        "__launch_bounds__"
            | "__attribute__"
            | "__align__"
            | "alignas"
            | "__declspec"
            | "decltype"
            | "noexcept"
            | "requires"
            | "__cluster_dims__"
            | "__maxnreg__"
            | "__block_size__"
            | "static_assert"
    )
}

/// Words that stand between the parameters of a function and its body.
fn follows_parameters(word: &str) -> bool {
    matches!(
        word,
        "const"
            | "volatile"
            | "noexcept"
            | "override"
            | "final"
            | "requires"
            | "throw"
            | "try"
            | "mutable"
            | "__attribute__"
            | "__restrict__"
    )
}

/// Whether the parameters of a function follow a name: `f(` or, where a template is specialised,
/// `f<float, 4>(`.
fn opens_parameters(t: &Tokens<'_>, i: usize) -> bool {
    match t.mark(i + 1) {
        b'(' => true,
        b'<' => t
            .closing_angle(i + 1)
            .is_some_and(|close| t.mark(close + 1) == b'('),
        _ => false,
    }
}

/// Macros for the head of a kernel that are kept.
const MAX_MACROS: usize = 256;

/// Times that a body is looked at again with more tokens: conditions of the preprocessor hide where
/// it ends.
const MAX_TRIES: usize = 16;

/// Reads the outline of a file part by part.
#[derive(Default)]
pub(crate) struct Outliner {
    header: Header,
    conditions: Conditions,
    /// Macros that stand for `__global__` and more.
    kernels: BTreeSet<String>,
    tries: usize,
    open_scopes: usize,
    unmatched: bool,
    /// The token to go on at.
    at: usize,
    /// Pieces so far.
    count: usize,
    notices: Vec<String>,
}

impl Outliner {
    /// Reads the next part, of which the tokens of before are forgotten, and adds its pieces; what
    /// lies between them is the preamble. `None` when there are too many tokens.
    ///
    /// A part ends where a declaration ends, so that no piece lies in two.
    pub(crate) fn part(&mut self, t: &mut Tokens<'_>, pieces: &mut Vec<Piece>) -> Option<()> {
        t.drop_read();
        pieces.clear();
        (self.header, self.at) = (Header::at(0), 0);
        self.conditions.begin();
        loop {
            t.more()?;
            self.read(t, pieces);
            if self.header.first == t.len() || t.is_at_end() {
                self.conditions.end(t.len());
                return Some(());
            }
        }
    }

    /// What the preprocessor leaves out of the part that was read last.
    pub(crate) fn dead(&self) -> &Dead {
        self.conditions.dead()
    }

    /// The outline of a text that was read as a whole.
    #[cfg(test)]
    pub(crate) fn whole(&mut self, t: &Tokens<'_>) -> Vec<Piece> {
        let mut pieces = Vec::new();
        self.conditions.begin();
        self.read(t, &mut pieces);
        self.conditions.end(t.len());
        pieces
    }

    /// What was odd.
    pub(crate) fn finish(mut self) -> Vec<String> {
        if self.unmatched || self.open_scopes > 0 {
            self.notices
                .push("braces outside of functions do not balance".into());
        }
        if self.count > MAX_FUNCTIONS {
            self.notices.push(format!(
                "{} functions: only the first {MAX_FUNCTIONS} are looked at",
                self.count
            ));
        }
        self.notices
    }

    fn read(&mut self, t: &Tokens<'_>, out: &mut Vec<Piece>) {
        let mut i = self.at;
        while i < t.len() {
            if t.mark(i) == 0 && t.kind(i) == Some(Kind::Directive) {
                self.directive(t, i);
                if self.header.first == i {
                    self.header = Header::at(i + 1);
                }
                i += 1;
                continue;
            }
            if self.conditions.leaves_out() {
                if self.header.first == i {
                    self.header = Header::at(i + 1);
                }
                i += 1;
                continue;
            }
            let h = &mut self.header;
            match t.mark(i) {
                // Defaults of parameters are no values of what follows.
                0 if h.round == 0 && t.mark(i + 1) == b'<' && t.is(i, "template") => {
                    h.words += 1;
                    i = t.closing_angle(i + 1).unwrap_or(i);
                }
                b'(' | b'[' => h.round += 1,
                b')' | b']' => h.round = h.round.saturating_sub(1),
                b'=' if h.round == 0 => h.assigned = true,
                b';' => {
                    // `using namespace` names no type.
                    if (h.alias && (h.typedef || h.assigned)) || h.global {
                        self.push(out, Role::Context, i, i);
                    }
                    self.header = Header::at(i + 1);
                }
                b'{' => {
                    let function = h.name.is_some() && !h.assigned && !h.alias;
                    let scope =
                        (h.scope || h.record) && !h.is_enum && !h.assigned && !h.alias && !function;
                    if scope {
                        self.open_scopes += 1;
                        *h = Header::at(i + 1);
                    } else {
                        let name = h.name.filter(|_| function);
                        let global = h.global;
                        let open = i;
                        let Some(last) = self.body_end(t, open, name) else {
                            break;
                        };
                        // An initialiser or a list of names: its end is not the end of the
                        // statement.
                        i = last;
                        if function {
                            let role = if global { Role::Kernel } else { Role::Function };
                            self.push(out, role, open, last);
                            self.header = Header::at(last + 1);
                        }
                    }
                }
                b'}' => {
                    self.unmatched |= self.open_scopes == 0;
                    self.open_scopes = self.open_scopes.saturating_sub(1);
                    *h = Header::at(i + 1);
                }
                _ if t.is_word(i) => h.word(t, i, &self.kernels),
                _ => {}
            }
            i += 1;
        }
        self.at = i;
    }

    fn directive(&mut self, t: &Tokens<'_>, i: usize) {
        let line = t.at(i);
        if let Some(b) = branch(line) {
            self.conditions.step(b, line, i);
        } else if line.contains("__global__")
            && self.kernels.len() < MAX_MACROS
            && !self.conditions.leaves_out()
            && let Some(d) = Define::read(line)
        {
            self.kernels.insert(d.name.to_owned());
        }
    }

    /// The `}` of a body. A body without an end ends where the next kernel begins, or with the
    /// file. `None` when its end may be among tokens that are still to be read.
    ///
    /// Of a condition of the preprocessor the braces of the first branch count: each has its own.
    fn body_end(&mut self, t: &Tokens<'_>, open: usize, name: Option<usize>) -> Option<usize> {
        let mut c = self.conditions.clone();
        let since = c.depth();
        let mut counts = true;
        let (mut depth, mut statement) = (0usize, open + 1);
        for i in open..t.len() {
            match t.mark(i) {
                0 if t.kind(i) == Some(Kind::Directive) => {
                    let line = t.at(i);
                    let Some(b) = branch(line) else { continue };
                    // The head of the function has branches: the others are other heads.
                    if b == Branch::Else && c.depth() <= since && !c.leaves_out() {
                        c.leave_out_rest(i);
                    } else {
                        c.step(b, line, i);
                    }
                    counts = !c.leaves_out() && !c.in_other_branch(since);
                }
                _ if c.leaves_out() => {}
                b'{' if counts => {
                    depth += 1;
                    statement = i + 1;
                }
                b'}' if counts => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        self.conditions = c;
                        return Some(i);
                    }
                    statement = i + 1;
                }
                b';' => statement = i + 1,
                0 if name.is_some() && t.class(i) == Class::Global => {
                    self.notices.push(unbalanced(
                        t,
                        name,
                        "it is cut where the next kernel begins",
                    ));
                    return Some(statement.max(open + 1) - 1);
                }
                _ => {}
            }
        }
        if !t.is_at_end() && self.tries < MAX_TRIES {
            self.tries += 1;
            return None;
        }
        self.notices
            .push(unbalanced(t, name, "it ends with the file"));
        Some(t.len().saturating_sub(1))
    }

    fn push(&mut self, out: &mut Vec<Piece>, role: Role, open: usize, last: usize) {
        self.count += 1;
        if self.count <= MAX_FUNCTIONS {
            let h = &self.header;
            out.push(Piece {
                role,
                first: h.first,
                name: h.name.unwrap_or(h.first),
                open,
                last,
            });
        }
    }
}

fn unbalanced(t: &Tokens<'_>, name: Option<usize>, what: &str) -> String {
    let Some(name) = name else {
        return format!("the braces of a list of values do not balance: {what}");
    };
    let short: String = t.at(name).chars().take(80).collect();
    format!(
        "the braces of `{}` do not balance: {what}",
        assay_core::text::inert(&short)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> (Vec<(Role, String)>, usize) {
        let t = Tokens::read(text).unwrap();
        let mut outliner = Outliner::default();
        let (pieces, notices) = (outliner.whole(&t), outliner.finish());
        let names = pieces.iter().map(|p| (p.role, t.at(p.name).to_owned()));
        (names.collect(), notices.len())
    }

    #[test]
    fn kernels_helpers_and_aliases_are_found_wherever_they_stand() {
        let (found, notices) = names(
            "#include <x>\nusing index_t = int;\nint table[] = {1, 2};\nnamespace n { struct S { int f() { return 1; } }; enum E { A };\n\
             template <int N> __device__ __forceinline__ void h(float* p) { if (1) { } } }\n\
             extern \"C\" __global__ void k(int);\n\
             extern \"C\" { __global__ __launch_bounds__(512, 1) void k(int a) { for (;;) { } } }\n\
             __global__ void __attribute__((x(1))) k2(int a) { }\nint main() { k<<<1, 2>>>(3); }",
        );
        use Role::*;
        let n: Vec<_> = found.iter().map(|(r, n)| (*r, n.as_str())).collect();
        assert_eq!(
            n,
            [
                (Context, "using"),
                (Function, "f"),
                (Function, "h"),
                (Context, "k"),
                (Kernel, "k"),
                (Kernel, "k2"),
                (Function, "main")
            ]
        );
        assert_eq!(notices, 0);
    }

    #[test]
    fn a_missing_brace_costs_one_kernel_and_not_the_next() {
        let (found, notices) =
            names("__global__ void a() { if (x) { y(); \n__global__ void b() { z(); }\n}");
        assert_eq!(found.len(), 2);
        assert!(notices > 0);
        let (found, notices) = names("__global__ void a() { {");
        assert_eq!((found.len(), notices), (1, 1));
    }
}
