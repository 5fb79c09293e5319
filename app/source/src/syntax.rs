//! Syntax colour: what each piece of a line is.
//!
//! The tokenisers are ours. Measured against a library of regular-expression grammars they are
//! smaller by orders of magnitude and know what such libraries do not: builtins of kernels, PTX,
//! SASS and AMDGCN. `docs/performance.md` has the numbers.
//!
//! A [`Highlighter`] goes through a text line by line and carries over what a line leaves open: a
//! block comment, a raw string, a directive that goes on. Time is linear in the line, and a line
//! longer than [`MAX_LINE`] is one plain piece.

mod asm;
mod c;
mod python;
mod table;

use crate::language::Language;

/// Lines longer than this many bytes are not looked into.
pub const MAX_LINE: usize = 16 << 10;

macro_rules! classes {
    ($($(#[$doc:meta])* $variant:ident = $name:literal;)*) => {
        /// What a piece of source is.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        pub enum Syntax { $($(#[$doc])* $variant,)* }

        impl Syntax {
            /// Every class.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The name, e.g. for a style sheet.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }
    };
}

classes! {
    /// Anything else: names, blanks, punctuation.
    #[default]
    Plain = "plain";
    /// A word of the language.
    Keyword = "keyword";
    /// A type.
    Type = "type";
    /// A builtin, an intrinsic, or a template of a kernel library.
    Intrinsic = "intrinsic";
    /// A number.
    Number = "number";
    /// A string or character.
    String = "string";
    /// A comment.
    Comment = "comment";
    /// A label or what jumps to it.
    Label = "label";
    /// A register.
    Register = "register";
    /// A directive of an assembler or preprocessor, an attribute.
    Directive = "directive";
    /// An instruction.
    Opcode = "opcode";
    /// A predicate or a modifier of an instruction.
    Modifier = "modifier";
}

/// A piece of a line, by bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// First byte.
    pub from: usize,
    /// Byte after the last.
    pub to: usize,
    /// What it is.
    pub class: Syntax,
}

/// What a line leaves open for the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Open {
    /// Nothing.
    #[default]
    Nothing,
    /// A block comment.
    Comment,
    /// A line comment that a backslash carries on.
    LineComment,
    /// A preprocessor line that a backslash carries on.
    Directive,
    /// A raw string, or a string of three quotes; the bytes that end it.
    Raw {
        /// The end mark.
        mark: [u8; 18],
        /// How many of its bytes count.
        length: u8,
    },
}

/// Colours a text line by line.
#[derive(Debug, Clone)]
pub struct Highlighter {
    language: Language,
    open: Open,
}

impl Highlighter {
    /// At the beginning of a text.
    pub fn new(language: Language) -> Self {
        Self {
            language,
            open: Open::Nothing,
        }
    }

    /// The pieces of the next line, which has no line end. They cover the line without gaps.
    pub fn line(&mut self, line: &str) -> Vec<Span> {
        let mut out = Pieces {
            list: Vec::new(),
            wanted: true,
        };
        self.read(line, &mut out);
        out.list
    }

    /// Goes past a line.
    pub fn skip(&mut self, line: &str) {
        // Only what opens or closes something can matter.
        let quiet = self.open == Open::Nothing
            && match self.language {
                l if l.is_c_like() => {
                    !line.contains("/*") && !line.ends_with('\\') && !line.contains("R\"")
                }
                Language::Python => !line.contains("\"\"\"") && !line.contains("'''"),
                _ => !line.contains("/*"),
            };
        if !quiet {
            self.read(line, &mut Pieces::default());
        }
    }

    fn read(&mut self, line: &str, out: &mut Pieces) {
        if line.len() > MAX_LINE {
            self.open = Open::Nothing;
            out.put(0, line.len(), Syntax::Plain);
            return;
        }
        match self.language {
            l if l.is_c_like() => c::line(line, &mut self.open, out),
            Language::Python => python::line(line, &mut self.open, out),
            Language::Text => out.put(0, line.len(), Syntax::Plain),
            l => asm::line(l, line, &mut self.open, out),
        }
        out.fill(line.len());
    }
}

/// Pieces being collected.
#[derive(Debug, Default)]
pub(crate) struct Pieces {
    list: Vec<Span>,
    wanted: bool,
}

impl Pieces {
    /// Adds a piece; what lies between it and the one before is plain.
    pub(crate) fn put(&mut self, from: usize, to: usize, class: Syntax) {
        if !self.wanted || from >= to {
            return;
        }
        self.fill(from);
        match self.list.last_mut() {
            Some(last) if last.class == class && last.to == from => last.to = to,
            _ => self.list.push(Span { from, to, class }),
        }
    }

    fn fill(&mut self, to: usize) {
        let from = self.list.last().map_or(0, |s| s.to);
        if self.wanted && from < to {
            match self.list.last_mut() {
                Some(last) if last.class == Syntax::Plain => last.to = to,
                _ => self.list.push(Span {
                    from,
                    to,
                    class: Syntax::Plain,
                }),
            }
        }
    }
}
