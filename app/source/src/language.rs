//! Languages of kernel source: names, and recognition by path and content.

use std::fmt;
use std::str::FromStr;

use crate::{SourceError, SourceFile};

macro_rules! languages {
    ($($(#[$doc:meta])* $variant:ident = $name:literal),* $(,)?) => {
        /// A language that kernel source is written or generated in.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Language { $($(#[$doc])* $variant,)* }

        impl Language {
            /// Every language, in the order of this list.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The name in campaign files and records.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }
    };
}

languages! {
    /// x86-64 assembly for the GNU assembler, AT&T or Intel syntax.
    AsmX86_64 = "asm-x86_64",
    /// AArch64 assembly for the GNU assembler.
    AsmAarch64 = "asm-aarch64",
    /// C.
    C = "c",
    /// C++.
    Cpp = "cpp",
    /// CUDA C++.
    Cuda = "cuda",
    /// MACA C++ for MetaX devices.
    Maca = "maca",
    /// HIP C++.
    Hip = "hip",
    /// NVIDIA PTX.
    Ptx = "ptx",
    /// NVIDIA SASS as disassembled.
    Sass = "sass",
    /// Python, which includes TileLang and Triton sources.
    Python = "python",
    /// Anything else.
    Text = "text",
}

impl Language {
    /// Whether it is assembly that facts can be taken from.
    pub fn is_assembly(self) -> bool {
        matches!(self, Self::AsmX86_64 | Self::AsmAarch64)
    }

    /// Whether its comments and strings are those of C.
    pub fn is_c_like(self) -> bool {
        matches!(
            self,
            Self::C | Self::Cpp | Self::Cuda | Self::Maca | Self::Hip
        )
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Language {
    type Err = SourceError;

    fn from_str(s: &str) -> Result<Self, SourceError> {
        if let Some(found) = Self::ALL.iter().find(|l| l.name() == s) {
            return Ok(*found);
        }
        let names = || Self::ALL.iter().map(|l| l.name());
        let hint = assay_core::text::nearest(s, names().chain([AUTO_ASM]))
            .map(|n| format!(", did you mean `{n}`?"))
            .unwrap_or_default();
        Err(SourceError::Language {
            name: assay_core::text::inert(s).into_owned(),
            hint,
            known: names().chain([AUTO_ASM]).collect::<Vec<_>>().join(", "),
        })
    }
}

/// The name by which a campaign asks for assembly of whatever machine it runs on.
pub const AUTO_ASM: &str = "auto-asm";

/// The language that `name` stands for, looking at the files when it is [`AUTO_ASM`].
///
/// # Errors
/// When the name is unknown, or no file shows which machine it is for.
pub fn resolve(name: &str, files: &[SourceFile]) -> Result<Language, SourceError> {
    if name != AUTO_ASM {
        return name.parse();
    }
    files
        .iter()
        .filter_map(|f| f.text().ok())
        .find_map(machine_of)
        .ok_or_else(|| SourceError::UnknownMachine {
            files: files
                .iter()
                .map(|f| assay_core::text::inert(&f.path).into_owned())
                .collect::<Vec<_>>()
                .join(", "),
        })
}

/// Recognises the language of one file by its extension, and assembly by its content.
pub fn detect(path: &str, text: &str) -> Language {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let extension = name.rsplit_once('.').map_or("", |(_, e)| e);
    match extension {
        "s" | "S" | "asm" => machine_of(text).unwrap_or(Language::Text),
        "c" | "h" => Language::C,
        "cc" | "cpp" | "cxx" | "hpp" | "hh" => Language::Cpp,
        "cu" | "cuh" => Language::Cuda,
        "maca" => Language::Maca,
        "hip" => Language::Hip,
        "ptx" => Language::Ptx,
        "sass" => Language::Sass,
        "py" => Language::Python,
        _ => Language::Text,
    }
}

/// How many lines are looked at to tell one machine's assembly from another's.
const LINES_LOOKED_AT: usize = 20_000;

fn machine_of(text: &str) -> Option<Language> {
    let (mut x86, mut arm) = (0u32, 0u32);
    for line in text.lines().take(LINES_LOOKED_AT) {
        let line = line.trim_start();
        if line.starts_with(".intel_syntax") {
            return Some(Language::AsmX86_64);
        }
        if line.starts_with(".arch armv") || line.starts_with(".arch arm64") {
            return Some(Language::AsmAarch64);
        }
        if line.starts_with(['.', '#', '/']) {
            continue;
        }
        let Some((mnemonic, operands)) = line.split_once([' ', '\t']) else {
            continue;
        };
        let operands = operands.trim_start();
        if operands.contains("%r")
            || operands.contains("%e")
            || operands.contains("mm")
            || operands.contains(" PTR ")
        {
            x86 += 1;
        }
        let register = operands.as_bytes();
        let arm_register = matches!(register.first(), Some(b'x' | b'w' | b'v' | b'q'))
            && register.get(1).is_some_and(u8::is_ascii_digit);
        if arm_register || matches!(mnemonic, "adrp" | "ldp" | "stp" | "cbz" | "cbnz") {
            arm += 1;
        }
    }
    match (x86, arm) {
        (0, 0) => None,
        (x, a) if x >= a => Some(Language::AsmX86_64),
        _ => Some(Language::AsmAarch64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_reads_back_and_a_near_miss_is_named() {
        for l in Language::ALL {
            assert_eq!(l.name().parse::<Language>().unwrap(), *l);
        }
        let e = "asm-x86-64".parse::<Language>().unwrap_err().to_string();
        assert!(e.contains("did you mean `asm-x86_64`?"), "{e}");
    }

    #[test]
    fn auto_asm_looks_at_the_files() {
        let x = SourceFile::new("k.s", "\t.text\nf:\n\tmovq\t%rdi, %rax\n\tret\n");
        let i = SourceFile::new("k.s", "f:\n\tmov\trax, QWORD PTR [rdi]\n\tret\n");
        let a = SourceFile::new("k.s", "f:\n\tldr\tx0, [x1]\n\tret\n");
        let n = SourceFile::new("k.s", "hello\n");
        let get = |f: &SourceFile| resolve(AUTO_ASM, std::slice::from_ref(f));
        assert_eq!(get(&x).unwrap(), Language::AsmX86_64);
        assert_eq!(get(&i).unwrap(), Language::AsmX86_64);
        assert_eq!(get(&a).unwrap(), Language::AsmAarch64);
        assert!(get(&n).is_err());
        assert_eq!(detect("a/b.cu", ""), Language::Cuda);
        assert_eq!(detect("README", ""), Language::Text);
    }
}
