//! Declarations of variables, recognised without knowing the types.

use crate::c_lex::{Class, Kind, Tokens, integer};

/// A declaration of one or more variables.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Declaration {
    /// Last name of the type, e.g. `uint2` of `const ::uint2`.
    pub type_name: usize,
    /// In shared memory.
    pub shared: bool,
    /// `extern`.
    pub external: bool,
    /// A constant.
    pub constant: bool,
    /// The variables.
    pub variables: Vec<Variable>,
}

/// A variable of a declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Variable {
    /// Its name.
    pub name: usize,
    /// Whether it is a pointer.
    pub pointer: bool,
    /// Number of `[…]` after the name.
    pub dims: usize,
    /// First token of the initialiser; 0 when there is none.
    pub value: usize,
    /// Token after the declarator: `,`, `;`, `)` or `:`.
    pub end: usize,
}

/// Variables of one declaration that are looked at.
const MAX_VARIABLES: usize = 256;

/// Tokens of one declarator that are looked at; a longer one counts as ended there.
const MAX_DECLARATOR: usize = 4096;

/// The declaration that begins at a token, if one does. Tokens from `end` on are not looked at.
pub(crate) fn declaration(t: &Tokens<'_>, begin: usize, end: usize) -> Option<Declaration> {
    let mut d = Declaration::default();
    read_declaration(t, begin, end, &mut d).then_some(d)
}

/// As [`declaration`], into one that is used again; false when none begins there.
pub(crate) fn read_declaration(
    t: &Tokens<'_>,
    begin: usize,
    end: usize,
    d: &mut Declaration,
) -> bool {
    let mut variables = std::mem::take(&mut d.variables);
    variables.clear();
    *d = Declaration {
        variables,
        ..Declaration::default()
    };
    declared(t, begin, end, d).is_some()
}

fn declared(t: &Tokens<'_>, begin: usize, end: usize, d: &mut Declaration) -> Option<()> {
    let mut i = qualifiers(t, begin, end, d);
    if !t.is_word(i) || t.class(i).is_statement() {
        // `::type` is a type as well.
        if !(t.mark(i) == b':' && t.mark(i + 1) == b':' && t.is_word(i + 2)) {
            return None;
        }
    }
    i = type_name(t, i, end, d)?;
    let mut pointer = false;
    loop {
        match t.mark(i) {
            b'*' => pointer = true,
            b'&' => {}
            0 if t.class(i).is_qualifier() => {
                let next = qualifiers(t, i, end, d);
                if next == i {
                    break;
                }
                i = next;
                continue;
            }
            _ => break,
        }
        i += 1;
    }
    if let Some(v) = to_array(t, i, end) {
        d.variables.push(v);
        return Some(());
    }
    loop {
        if i >= end || !t.is_word(i) || t.class(i).is_statement() {
            break;
        }
        let v = variable(t, i, end, pointer)?;
        i = v.end;
        d.variables.push(v);
        if t.mark(i) != b',' || d.variables.len() >= MAX_VARIABLES {
            break;
        }
        i += 1;
        pointer = false;
        while matches!(t.mark(i), b'*' | b'&') {
            pointer |= t.mark(i) == b'*';
            i += 1;
        }
    }
    (!d.variables.is_empty()).then_some(())
}

fn qualifiers(t: &Tokens<'_>, mut i: usize, end: usize, d: &mut Declaration) -> usize {
    while i < end && t.class(i).is_qualifier() {
        match t.class(i) {
            Class::Shared => d.shared = true,
            Class::Extern => d.external = true,
            Class::Const => d.constant = true,
            Class::Attribute if t.mark(i + 1) == b'(' => {
                // Attributes are short; what has no end near by is none.
                i = t.closing(i + 1, end.min(i + 64)).unwrap_or(i);
            }
            _ => {}
        }
        i += 1;
    }
    i
}

/// Steps over the name of a type, with scopes and template arguments.
fn type_name(t: &Tokens<'_>, mut i: usize, end: usize, d: &mut Declaration) -> Option<usize> {
    if t.mark(i) == b':' {
        i += 2;
    }
    while i < end {
        d.type_name = i;
        if t.class(i) == Class::Size {
            while t.class(i + 1) == Class::Size || matches!(t.at(i + 1), "int" | "char" | "double")
            {
                i += 1;
                // `unsigned char` is as wide as `char`, `unsigned long` as `long`.
                if !matches!(t.at(i), "int" | "unsigned" | "signed") {
                    d.type_name = i;
                }
            }
        }
        i += 1;
        if t.mark(i) == b'<' {
            i = t.closing_angle(i)? + 1;
        }
        if t.mark(i) == b':' && t.mark(i + 1) == b':' && t.is_word(i + 2) {
            i += 2;
            continue;
        }
        return Some(i);
    }
    None
}

/// `(*a)[16]` after a type: a pointer to an array.
fn to_array(t: &Tokens<'_>, i: usize, end: usize) -> Option<Variable> {
    if t.mark(i) != b'(' || t.mark(i + 1) != b'*' {
        return None;
    }
    let mut name = i + 2;
    while t.class(name).is_qualifier() {
        name += 1;
    }
    if !t.is_word(name) || t.mark(name + 1) != b')' || t.mark(name + 2) != b'[' {
        return None;
    }
    // The name and its parenthesis are stepped over: what follows is as after any array.
    let mut v = variable(t, name + 1, end, true)?;
    v.name = name;
    v.dims += 1;
    Some(v)
}

fn variable(t: &Tokens<'_>, name: usize, end: usize, pointer: bool) -> Option<Variable> {
    let mut v = Variable {
        name,
        pointer,
        dims: 0,
        value: 0,
        end: name + 1,
    };
    let mut i = name + 1;
    while t.mark(i) == b'[' {
        i = t.closing(i, end.min(i + 256))? + 1;
        v.dims += 1;
    }
    if i >= end {
        return None;
    }
    match t.mark(i) {
        b'=' if t.mark(i + 1) != b'=' => v.value = i + 1,
        b'{' | b'(' => v.value = i,
        b';' | b',' => {}
        // The variable of a loop over a range; a label has no type before it.
        b':' if t.mark(i + 1) != b':' => v.value = i + 1,
        b')' if i + 1 >= end => {}
        _ => return None,
    }
    // To the end of the declarator.
    let mut depth = 0usize;
    while i < end.min(t.len()).min(name + MAX_DECLARATOR) {
        match t.mark(i) {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' if depth == 0 => break,
            b')' | b']' | b'}' => depth -= 1,
            b',' | b';' if depth == 0 => break,
            b'<' if depth == 0 && t.is_word(i - 1) => {
                if let Some(close) = t.closing_angle(i)
                    && matches!(t.mark(close + 1), b'(' | b':' | b'{')
                {
                    i = close;
                }
            }
            0 if t.kind(i) == Some(Kind::Directive) => break,
            _ => {}
        }
        i += 1;
    }
    v.end = i;
    Some(v)
}

/// The product of constant array sizes from `[` on; `None` when one is not plain.
pub(crate) fn elements(
    t: &Tokens<'_>,
    mut i: usize,
    constant: &dyn Fn(&str) -> Option<u64>,
) -> Option<u64> {
    let mut product = 1u64;
    while t.mark(i) == b'[' {
        let close = t.closing(i, i + 64)?;
        product = product.checked_mul(value(t, i + 1, close, constant)?)?;
        i = close + 1;
    }
    Some(product)
}

/// The value of a constant expression of shifts, sums and products.
pub(crate) fn value(
    t: &Tokens<'_>,
    begin: usize,
    end: usize,
    constant: &dyn Fn(&str) -> Option<u64>,
) -> Option<u64> {
    let mut e = Expression {
        t,
        at: begin,
        end,
        constant,
    };
    let value = e.level(0, 0)?;
    (e.at == end).then_some(value)
}

/// A constant expression being read.
struct Expression<'e, 'a> {
    t: &'e Tokens<'a>,
    at: usize,
    end: usize,
    constant: &'e dyn Fn(&str) -> Option<u64>,
}

/// Operators by how little they bind, the loosest first.
const OPERATORS: &[&[&str]] = &[&["<<", ">>"], &["+", "-"], &["*", "/", "%"]];

impl Expression<'_, '_> {
    fn level(&mut self, level: usize, depth: usize) -> Option<u64> {
        if depth > 16 {
            return None;
        }
        let Some(operators) = OPERATORS.get(level) else {
            return self.factor(depth);
        };
        let mut left = self.level(level + 1, depth)?;
        while let Some(op) = self.operator(operators) {
            self.at += op.len();
            let right = self.level(level + 1, depth)?;
            left = match op {
                "+" => left.checked_add(right)?,
                "-" => left.checked_sub(right)?,
                "*" => left.checked_mul(right)?,
                "/" => left.checked_div(right)?,
                "%" => left.checked_rem(right)?,
                "<<" => left.checked_mul(1u64.checked_shl(u32::try_from(right).ok()?)?)?,
                _ => left.checked_shr(u32::try_from(right).ok()?)?,
            };
        }
        Some(left)
    }

    fn operator(&self, operators: &[&'static str]) -> Option<&'static str> {
        let mark = |i: usize| if i < self.end { self.t.mark(i) } else { 0 };
        operators.iter().copied().find(|op| {
            op.bytes()
                .enumerate()
                .all(|(n, c)| mark(self.at + n) == c && (n == 0 || self.t.is_glued(self.at + n)))
        })
    }

    fn factor(&mut self, depth: usize) -> Option<u64> {
        if self.at >= self.end {
            return None;
        }
        let i = self.at;
        self.at += 1;
        match self.t.kind(i)? {
            Kind::Number => integer(self.t.at(i)),
            Kind::Word if self.t.is(i, "sizeof") => self.size(),
            Kind::Word => (self.constant)(self.t.at(i)),
            _ if self.t.mark(i) == b'(' => {
                let inner = self.level(0, depth + 1)?;
                (self.t.mark(self.at) == b')').then(|| self.at += 1)?;
                Some(inner)
            }
            _ => None,
        }
    }

    /// Bytes of the type in the parentheses after `sizeof`.
    fn size(&mut self) -> Option<u64> {
        let close = self.t.closing(self.at, self.end)?;
        let words = self.at + 1..close;
        self.at = close + 1;
        // Of `unsigned char` and `tl::uint4` the last word counts; a pointer has another size.
        let last = words.end.checked_sub(1).filter(|i| words.contains(i))?;
        words
            .clone()
            .all(|i| self.t.is_word(i) || self.t.mark(i) == b':')
            .then(|| super::types::bits(self.t.at(last)))?
            .map(|bits| bits.div_ceil(8))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Variables = Vec<(String, bool, usize)>;

    fn read(text: &str) -> Option<(String, Variables)> {
        let t = Tokens::read(text).unwrap();
        declaration(&t, 0, t.len()).map(|d| {
            let vars = d.variables.iter();
            (
                t.at(d.type_name).to_owned(),
                vars.map(|v| (t.at(v.name).to_owned(), v.pointer, v.dims))
                    .collect(),
            )
        })
    }

    #[test]
    fn declarations_are_told_from_expressions() {
        let one = |ty: &str, n: &str, p, d| Some((ty.to_owned(), vec![(n.to_owned(), p, d)]));
        assert_eq!(read("float Cl[128];"), one("float", "Cl", false, 1));
        assert_eq!(
            read("const uint4* __restrict__ p = x;"),
            one("uint4", "p", true, 0)
        );
        assert_eq!(read("unsigned char c = 1;"), one("char", "c", false, 0));
        assert_eq!(
            read("tl::GmmaDescriptor desc_a;"),
            one("GmmaDescriptor", "desc_a", false, 0)
        );
        assert_eq!(
            read("wmma::fragment<wmma::a, 16, half> a, b;")
                .unwrap()
                .1
                .len(),
            2
        );
        assert_eq!(
            read("auto x = f<1, b, 3>(y), *q = z;").unwrap().1,
            [("x".to_owned(), false, 0), ("q".to_owned(), true, 0)]
        );
        assert_eq!(
            read("__shared__ __align__(16) half As[32][32], Bs[32][32];")
                .unwrap()
                .1
                .len(),
            2
        );
        for text in [
            "f(x);",
            "x = 1;",
            "a.b(c);",
            "return x;",
            "a[1] = 2;",
            "tl::f<1>(x);",
            "*p = 1;",
            "x + y;",
            "goto a;",
            "{ int x; }",
            "",
            "a::b::c(d);",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn sizes_are_computed_when_they_are_plain() {
        let size = |text: &str| {
            let t = Tokens::read(text).unwrap();
            elements(&t, 0, &|n| (n == "BM").then_some(64))
        };
        assert_eq!(size("[2][BM * (4 + 4)]"), Some(1024));
        assert_eq!(size("[BM / 4 % 5 << 3]"), Some(8));
        assert_eq!(
            size("[sizeof(unsigned char) * 2 + sizeof(float4)]"),
            Some(18)
        );
        assert_eq!(size("[4 / 0]"), None);
        assert_eq!(size("[sizeof(x)]"), None);
        assert_eq!(size("[1 << 99]"), None);
        assert_eq!(size("[N]"), None);
        assert_eq!(size("[1 +]"), None);
        assert_eq!(size("[]"), None);
        assert_eq!(size("[2 3]"), None);
    }
}
