//! The passes of normalisation: names, languages, and which of them are to run.

use crate::language::Language;

/// One kind of difference that is taken out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Pass {
    /// Comments.
    Comments,
    /// `.loc`, `.file`, `.ident`, `.cfi_*` and `#line` directives, and debug and note sections.
    DebugInfo,
    /// What tools print around the code: banners, hosts, build identifiers (SASS).
    Banners,
    /// Folders of absolute paths inside string literals; the file name stays.
    Paths,
    /// Whatever is not a kernel: helpers, includes, host code, headers. It goes to a channel of its
    /// own, so that a change in it does not look like a change of every kernel.
    Preamble,
    /// Names of temporaries: local variables of device source lose their numbers and are told apart
    /// by how many of their kind are alive, virtual registers of PTX are renumbered by first use.
    Temporaries,
    /// Local labels. Those of assembly: unused ones go, the others are renumbered in order of
    /// appearance, those of a function within it; the new names are as unique as the old ones.
    /// Those of PTX and SASS become nameless, and a jump says how many labels away its target is.
    Labels,
    /// Offsets and encodings of instructions (SASS).
    Offsets,
    /// Scheduling: stalls, yields, barriers and register reuse (SASS). They go to a channel of
    /// their own: the same instructions, scheduled otherwise, may well take another time.
    Scheduling,
    /// Carriage returns, blank lines, indentation of assembly, and runs of blanks.
    Whitespace,
}

impl Pass {
    /// All passes in the order in which they run.
    pub const ALL: [Self; 10] = [
        Self::Comments,
        Self::DebugInfo,
        Self::Banners,
        Self::Paths,
        Self::Preamble,
        Self::Temporaries,
        Self::Labels,
        Self::Offsets,
        Self::Scheduling,
        Self::Whitespace,
    ];

    /// The name in headers and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Comments => "comments",
            Self::DebugInfo => "debug-info",
            Self::Banners => "banners",
            Self::Paths => "paths",
            Self::Preamble => "preamble",
            Self::Temporaries => "temporaries",
            Self::Labels => "labels",
            Self::Offsets => "offsets",
            Self::Scheduling => "scheduling",
            Self::Whitespace => "whitespace",
        }
    }

    /// What it takes out, for the reference.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Comments => "comments",
            Self::DebugInfo => {
                "`.loc`, `.file`, `.ident`, `.cfi_*`, `#line`, and sections of debug information and notes"
            }
            Self::Banners => "what tools print around the code: banners, hosts, build identifiers",
            Self::Paths => "folders of absolute paths in string literals; the file name stays",
            Self::Preamble => {
                "whatever is no kernel: helpers, includes, host code; it is compared by itself"
            }
            Self::Temporaries => {
                "names of local variables and labels of device source, numbers of virtual registers of PTX"
            }
            Self::Labels => {
                "names of local labels: those of assembly are numbered in order, those of PTX and SASS become nameless and jumps relative"
            }
            Self::Offsets => "offsets and encodings of instructions",
            Self::Scheduling => {
                "stalls, yields, barriers and register reuse; they are compared by themselves"
            }
            Self::Whitespace => {
                "carriage returns, blank lines and indentation, runs of blanks, and in kernels of C++ every blank that parts no tokens; line breaks stay"
            }
        }
    }

    /// The languages for which it does something, for the reference.
    pub fn languages(self) -> String {
        if self == Self::Whitespace {
            return "all".into();
        }
        let of = |l: &Language| self.applies_to(*l);
        let names = Language::ALL.iter().copied().filter(of).map(Language::name);
        names.collect::<Vec<_>>().join(", ")
    }

    /// The pass of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|p| p.name() == name)
    }

    /// Whether it does anything for this language.
    pub fn applies_to(self, language: Language) -> bool {
        let sass = language == Language::Sass;
        let ptx = language == Language::Ptx;
        match self {
            Self::Whitespace => true,
            Self::Labels => language.is_asm_text() || ptx || sass,
            Self::Comments | Self::DebugInfo | Self::Paths => {
                language.is_asm_text() || language.is_c_like() || ptx
            }
            Self::Preamble => language.is_device_c() || ptx || sass,
            Self::Temporaries => language.is_device_c() || ptx,
            Self::Banners | Self::Offsets | Self::Scheduling => sass,
        }
    }
}

/// The passes in order as a table of Markdown.
pub fn passes_as_markdown() -> String {
    let mut out = String::from("| Pass | Languages | What it takes out |\n|---|---|---|\n");
    for p in Pass::ALL {
        out.push_str(&format!(
            "| `{}` | {} | {} |\n",
            p.name(),
            p.languages(),
            p.meaning()
        ));
    }
    out
}

/// A pass of a name that is not known.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown pass `{name}`{hint}; known are: {known}")]
pub struct UnknownPass {
    /// The name as given.
    pub name: String,
    /// `, did you mean ...?` or empty.
    pub hint: String,
    /// All names.
    pub known: String,
}

impl std::str::FromStr for Pass {
    type Err = UnknownPass;

    fn from_str(s: &str) -> Result<Self, UnknownPass> {
        let names = || Self::ALL.into_iter().map(Self::name);
        Self::from_name(s).ok_or_else(|| UnknownPass {
            name: assay_core::text::inert(s).into_owned(),
            hint: assay_core::text::nearest(s, names())
                .map(|n| format!(", did you mean `{n}`?"))
                .unwrap_or_default(),
            known: names().collect::<Vec<_>>().join(", "),
        })
    }
}

/// Which passes are to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Passes(u16);

impl Default for Passes {
    fn default() -> Self {
        Self::ALL
    }
}

impl Passes {
    /// Every pass.
    pub const ALL: Self = Self((1 << Pass::ALL.len()) - 1);

    /// No pass at all.
    pub fn none() -> Self {
        Self(0)
    }

    /// The same with one pass more.
    #[must_use]
    pub fn with(mut self, pass: Pass) -> Self {
        self.0 |= 1 << pass as u16;
        self
    }

    /// The same with one pass less.
    #[must_use]
    pub fn without(mut self, pass: Pass) -> Self {
        self.0 &= !(1 << pass as u16);
        self
    }

    /// Whether a pass is to run.
    pub fn has(&self, pass: Pass) -> bool {
        self.0 & (1 << pass as u16) != 0
    }
}
