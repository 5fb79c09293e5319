//! Words of a text by number, so that each is read once and compared by number from then on.

use crate::normalise::marks::{fold, hash, seed};

macro_rules! classes {
    ($($(#[$doc:meta])* $name:ident: $($word:literal)|*;)*) => {
        /// What a word means to whoever reads statements; [`Class::Other`] for most.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u8)]
        pub(crate) enum Class {
            /// Any other word, or no word at all.
            Other,
            $($(#[$doc])* $name,)*
        }

        impl Class {
            fn of(word: &str) -> Self {
                match word {
                    $($($word)|* => Self::$name,)*
                    _ => Self::Other,
                }
            }

            /// The class of a number that was made by [`Class::number`].
            pub(super) fn from_number(number: u32) -> Self {
                const ALL: &[Class] = &[Class::Other, $(Class::$name,)*];
                ALL.get(number as usize).copied().unwrap_or(Class::Other)
            }
        }
    };
}

classes! {
    /// `for`.
    For: "for";
    /// `while`.
    While: "while";
    /// `if`.
    If: "if";
    /// `switch`.
    Switch: "switch";
    /// `else`.
    Else: "else";
    /// `do`.
    Do: "do";
    /// `return`.
    Return: "return";
    /// Inline assembly.
    Asm: "asm" | "__asm__";
    /// Further words that begin a statement or an expression, and no declaration.
    Statement: "goto" | "case" | "delete" | "new" | "throw" | "using" | "typedef" | "break"
        | "continue" | "default" | "public" | "private" | "template" | "operator" | "sizeof"
        | "co_return" | "static_assert" | "namespace";
    /// Inline assembly by a name that may begin a declaration.
    OtherAsm: "__asm";
    /// Constants.
    Const: "const" | "constexpr";
    /// `__shared__`.
    Shared: "__shared__";
    /// `extern`.
    Extern: "extern";
    /// Qualifiers with arguments.
    Attribute: "alignas" | "__align__" | "__attribute__";
    /// Further qualifiers.
    Qualifier: "static" | "volatile" | "register" | "inline" | "__constant__" | "__device__"
        | "__restrict__" | "__restrict" | "restrict" | "__grid_constant__" | "typename" | "struct"
        | "class" | "mutable";
    /// Signs and sizes of integers.
    Size: "unsigned" | "signed" | "long" | "short";
    /// `__global__`.
    Global: "__global__";
    /// `reinterpret_cast`.
    NamedCast: "reinterpret_cast";
    /// Attributes that say how a kernel is launched.
    Launch: "__launch_bounds__" | "amdgpu_flat_work_group_size" | "__cluster_dims__" | "__maxnreg__";
}

impl Class {
    pub(super) fn number(self) -> u32 {
        self as u32
    }

    /// Whether it begins a statement or an expression, and no declaration.
    pub(crate) fn is_statement(self) -> bool {
        (Self::For.number()..=Self::Statement.number()).contains(&self.number())
    }

    /// Whether it stands before a type and is none.
    pub(crate) fn is_qualifier(self) -> bool {
        (Self::Const.number()..=Self::Qualifier.number()).contains(&self.number())
    }

    /// Whether parentheses after it hold a condition or the head of a loop.
    pub(crate) fn has_header(self) -> bool {
        (Self::For.number()..=Self::Switch.number()).contains(&self.number())
    }
}

/// A word by its first place.
#[derive(Debug, Clone, Copy)]
struct Symbol {
    start: u32,
    end: u32,
    /// Its first eight bytes.
    head: u64,
    class: Class,
}

/// The words of a text.
#[derive(Debug)]
pub(super) struct Symbols {
    list: Vec<Symbol>,
    /// Number of a symbol plus one, by hash; 0 for none.
    table: Vec<u32>,
    /// Of this process, so that nobody can write words that fill one place.
    seed: u64,
}

impl Symbols {
    /// For a text of so many bytes.
    pub(super) fn new(bytes: usize) -> Self {
        // Generators give most of their temporaries a number of their own. What a text has fewer
        // words for is never touched.
        let words = (bytes / 64).min(1 << 20);
        let table = match bytes {
            // Most texts that are read in between are a few words.
            0..4096 => Vec::new(),
            _ => vec![0; (words * 2).next_power_of_two()],
        };
        Self {
            list: Vec::with_capacity(words),
            table,
            seed: seed(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// The place where a word stands for the first time.
    pub(super) fn place(&self, symbol: u32) -> (usize, usize) {
        self.list
            .get(symbol as usize)
            .map_or((0, 0), |s| (s.start as usize, s.end as usize))
    }

    /// The number and class of the word at a place. The text is shorter than 4 GiB.
    #[inline]
    pub(super) fn number(&mut self, text: &str, start: usize, end: usize) -> (u32, Class) {
        let b = text.as_bytes();
        let (head, hash) = Self::key(self.seed, b, start, end);
        if self.table.len() < self.list.len() * 2 + 2 {
            self.grow(b);
        }
        let mask = self.table.len() - 1;
        // The upper bits of the hash are not needed to find a place.
        let mut at = hash as usize & mask;
        while let Some(number) = self.table[at].checked_sub(1) {
            let s = &self.list[number as usize];
            if s.head == head
                && (s.end - s.start) as usize == end - start
                && (end - start <= 8
                    || b[start + 8..end] == b[s.start as usize + 8..s.end as usize])
            {
                return (number, s.class);
            }
            at = (at + 1) & mask;
        }
        let place = |i: usize| u32::try_from(i).unwrap_or(u32::MAX);
        let class = Class::of(text.get(start..end).unwrap_or(""));
        let number = place(self.list.len());
        self.list.push(Symbol {
            start: place(start),
            end: place(end),
            head,
            class,
        });
        self.table[at] = number + 1;
        (number, class)
    }

    /// The first eight bytes of a word, and a hash of all.
    #[inline(always)]
    fn key(seed: u64, b: &[u8], start: usize, end: usize) -> (u64, u64) {
        let n = end - start;
        let eight = |at: usize| match b[at..].first_chunk::<8>() {
            Some(w) => u64::from_le_bytes(*w),
            None => (b[at..].iter().rev()).fold(0u64, |h, c| h << 8 | u64::from(*c)),
        };
        let head = eight(start);
        if n <= 8 {
            let head = head & (u64::MAX >> (64 - 8 * n as u32));
            (head, fold(head ^ seed, seed.rotate_left(32) ^ n as u64))
        } else if n <= 16 {
            let tail = eight(end - 8);
            (
                head,
                fold(head ^ seed, tail ^ seed.rotate_left(32)) ^ n as u64,
            )
        } else {
            (head, hash(n as u64, &b[start..end]))
        }
    }

    #[cold]
    fn grow(&mut self, b: &[u8]) {
        let size = (self.table.len() * 2).max(1024);
        self.table = vec![0; size];
        for (i, s) in self.list.iter().enumerate() {
            let (_, hash) = Self::key(self.seed, b, s.start as usize, s.end as usize);
            let mut at = hash as usize & (size - 1);
            while self.table[at] != 0 {
                at = (at + 1) & (size - 1);
            }
            self.table[at] = u32::try_from(i + 1).unwrap_or(u32::MAX);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::c_lex::{Kind, Tokens};

    #[test]
    fn classes_are_told_apart() {
        use super::Class;
        let t = Tokens::read("for __shared__ unsigned x namespace __asm 12 (").unwrap();
        let classes: Vec<Class> = (0..t.len()).map(|i| t.class(i)).collect();
        use Class::{For, Other, OtherAsm, Shared, Size, Statement};
        assert_eq!(
            classes,
            [For, Shared, Size, Other, Statement, OtherAsm, Other, Other]
        );
        assert!(For.is_statement() && For.has_header() && Shared.is_qualifier());
        assert!(!OtherAsm.is_statement() && !Size.is_qualifier() && !Other.is_statement());
    }

    proptest! {
        /// Numbers of words and marks of gaps say the same as the text does.
        #[test]
        fn numbers_say_what_the_text_says(
            parts in prop::collection::vec(
                prop_oneof![
                    "[a-c_$]{1,3}", "[a-b]{7,9}", "[a-b]{15,18}", "核?[x-z]{1,2}[0-9]{0,2}", "[0-9]{1,3}",
                    "[ \n\t]{1,2}", "[(){};<>/*#\"'\\\\]", Just("// c\n".to_owned()),
                    Just("/* d */".to_owned()), Just("\n# e\n".to_owned()),
                ],
                0..80,
            )
        ) {
            let text = parts.concat();
            let t = Tokens::read(&text).unwrap();
            let mut end = 0;
            for i in 0..t.len() {
                let (start, next) = t.place(i);
                prop_assert!(start >= end && next > start);
                prop_assert_eq!(t.is_near(i), matches!(&text[end..start], "" | " "));
                prop_assert_eq!(t.start(i), Some(start));
                let mark = t.kind(i) == Some(Kind::Mark);
                prop_assert_eq!(if mark { text.as_bytes()[start] } else { 0 }, t.mark(i));
                for j in 0..i {
                    let same = t.is_word(i) && t.is_word(j) && t.at(i) == t.at(j);
                    prop_assert_eq!(same, t.is_word(i) && t.symbol(i) == t.symbol(j));
                }
                let run = (i..t.len())
                    .take_while(|j| {
                        t.is_near(*j) && !matches!(t.kind(*j), Some(Kind::Text | Kind::Directive))
                    })
                    .count();
                prop_assert_eq!(t.near_run(i, t.len()), i + run);
                end = next;
            }
        }
    }
}
