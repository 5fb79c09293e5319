//! Languages of generated source, as a campaign file names them.

use serde::{Deserialize, Serialize};

words! {
    /// Language of generated source.
    Language {
        /// Found from the paths and contents of the files.
        Auto = "auto",
        /// x86-64 or AArch64 assembly, found from its content.
        AutoAsm = "auto-asm",
        /// x86-64 assembly.
        AsmX86 = "asm-x86_64",
        /// AArch64 assembly.
        AsmAarch64 = "asm-aarch64",
        /// AMDGCN assembly.
        AsmAmdgcn = "asm-amdgcn",
        /// C.
        C = "c",
        /// C++.
        Cpp = "cpp",
        /// CUDA C++.
        Cuda = "cuda",
        /// MACA C++.
        Maca = "maca",
        /// HIP C++.
        Hip = "hip",
        /// PTX.
        Ptx = "ptx",
        /// SASS.
        Sass = "sass",
        /// Python.
        Python = "python",
        /// Anything else.
        Text = "text",
    }
}

/// The names, in the order of [`Language::ALL`].
pub(crate) const LANGUAGES: &[&str] = &[
    "auto",
    "auto-asm",
    "asm-x86_64",
    "asm-aarch64",
    "asm-amdgcn",
    "c",
    "cpp",
    "cuda",
    "maca",
    "hip",
    "ptx",
    "sass",
    "python",
    "text",
];

/// What each name says, for the reference page.
pub(crate) const MEANING: &str = "What the files are. `auto`: told by their paths and contents; \
`auto-asm`: x86-64 or AArch64 assembly, told by its content; `asm-x86_64`, `asm-aarch64`, \
`asm-amdgcn`: assembly of these machines; `cuda`, `maca`, `hip`: C++ for devices of NVIDIA, MetaX \
and AMD, as TileLang and others generate it; `ptx`, `sass`: code for NVIDIA devices, before and \
after the assembler; `c`, `cpp`, `python`, `text`: compared and hashed, no facts are taken. Which \
facts there are says docs/source.md.";
