//! The identity of built machine code, apart from whatever does not run.
//!
//! Equal identities mean a null pair: the two files hold the same instructions at the same
//! addresses, the same constants and initial data, the same references to other symbols and the
//! same entry points, so that no measurement between them can show anything but noise. What is
//! left out is what may differ between two builds of the same code: build ids and other notes,
//! symbol names of local things, debug information, compiler banners, unwind tables.
//!
//! In doubt the identities differ (e.g. when a renamed static function is referred to in an object
//! file). That costs a measurement; the other mistake would hide a difference.

use assay_core::Sha256;

use crate::elf::{self, Elf, ElfError, Relocation, Section, Symbol};

/// What runs in a built file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MachineCode {
    /// Hash over code, constants, initial data, references and entry points.
    pub sha256: Sha256,
    /// Size of the executable sections in bytes.
    pub code_bytes: u64,
    /// The executable sections and their sizes in bytes, in the order of the file.
    pub sections: Vec<(String, u64)>,
}

/// Why a file has no identity of machine code.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoMachineCode {
    /// Some other kind of file.
    #[error("not a 64-bit ELF file: machine code is not compared")]
    NotElf,
    /// All section headers were stripped.
    #[error("the ELF file has no section with code in it: machine code is not compared")]
    NoCode,
    /// Damaged or hostile.
    #[error("{0}: machine code is not compared")]
    Unreadable(#[from] ElfError),
}

/// Reads a shared object, executable or object file.
///
/// # Errors
/// When the file is not a 64-bit ELF file with code, or is damaged. Never panics.
pub fn machine_code(bytes: &[u8]) -> Result<MachineCode, NoMachineCode> {
    if !Elf::is_elf64(bytes) {
        return Err(NoMachineCode::NotElf);
    }
    let mut elf = Elf::read(bytes)?;
    let sections = elf.sections.clone();
    let executable: Vec<(String, u64)> = sections
        .iter()
        .filter(|s| runs(s) && s.flags & elf::SHF_EXECINSTR != 0 && s.kind != elf::SHT_NOBITS)
        .map(|s| (s.name.clone(), s.size))
        .collect();
    // A section may claim any size; only those that pass `content` below are real, and a sum of
    // checked sizes cannot overflow.
    let code_bytes = executable
        .iter()
        .fold(0u64, |n, (_, s)| n.saturating_add(*s));
    if code_bytes == 0 {
        return Err(NoMachineCode::NoCode);
    }
    let mut parts: Vec<Vec<u8>> = vec![numbers(&[elf.machine.into(), elf.kind.into()])];
    for section in sections.iter().filter(|s| runs(s)) {
        let content = elf.content(section)?;
        parts.push(section.name.clone().into_bytes());
        parts.push(numbers(&[section.flags, section.address, section.size]));
        parts.push(content.to_vec());
    }
    for section in &sections {
        relocations(&mut elf, section, &sections, &mut parts)?;
        entry_points(&mut elf, section, &sections, &mut parts)?;
    }
    Ok(MachineCode {
        sha256: Sha256::of_parts(parts),
        code_bytes,
        sections: executable,
    })
}

/// Whether a section is loaded and part of what runs.
fn runs(s: &Section) -> bool {
    let kind = matches!(s.kind, elf::SHT_PROGBITS | elf::SHT_NOBITS)
        || (elf::SHT_INIT_ARRAY..=elf::SHT_PREINIT_ARRAY).contains(&s.kind);
    let unwinding = [".eh_frame", ".gcc_except_table", ".note", ".interp"];
    kind && s.flags & elf::SHF_ALLOC != 0 && !unwinding.iter().any(|p| s.name.starts_with(p))
}

/// What the code refers to: without it, two calls of different functions have the same bytes.
fn relocations(
    elf: &mut Elf<'_>,
    section: &Section,
    all: &[Section],
    parts: &mut Vec<Vec<u8>>,
) -> Result<(), ElfError> {
    if !matches!(section.kind, elf::SHT_RELA | elf::SHT_REL) {
        return Ok(());
    }
    // In an object file a relocation section belongs to the section that it patches.
    let patched = all.get(section.info as usize);
    let wanted = section.flags & elf::SHF_ALLOC != 0 || patched.is_some_and(runs);
    if !wanted {
        return Ok(());
    }
    let symbols = match all.get(section.link as usize) {
        Some(table) if matches!(table.kind, elf::SHT_SYMTAB | elf::SHT_DYNSYM) => {
            elf.symbols(table)?
        }
        _ => Vec::new(),
    };
    parts.push(patched.map_or_else(Vec::new, |p| p.name.clone().into_bytes()));
    for Relocation {
        offset,
        kind,
        symbol,
        addend,
    } in elf.relocations(section)?
    {
        let target = match symbols.get(symbol as usize) {
            None if symbol == 0 => Vec::new(),
            None => {
                return Err(ElfError::Damaged(
                    "a relocation names a symbol that is not there",
                ));
            }
            Some(s) => target(s, all),
        };
        parts.push(numbers(&[offset, kind.into(), addend]));
        parts.push(target);
    }
    Ok(())
}

/// A symbol by name, or by place when it has none (sections).
fn target(s: &Symbol, all: &[Section]) -> Vec<u8> {
    if !s.name.is_empty() {
        return s.name.clone().into_bytes();
    }
    let section = all.get(s.section as usize).map_or("", |x| x.name.as_str());
    let mut out = section.as_bytes().to_vec();
    out.push(0);
    out.extend(numbers(&[s.value]));
    out
}

/// Functions and objects that others can reach: the same bytes under another name are other code.
fn entry_points(
    elf: &mut Elf<'_>,
    section: &Section,
    all: &[Section],
    parts: &mut Vec<Vec<u8>>,
) -> Result<(), ElfError> {
    let has_dynamic = all.iter().any(|s| s.kind == elf::SHT_DYNSYM);
    let wanted =
        section.kind == elf::SHT_DYNSYM || (section.kind == elf::SHT_SYMTAB && !has_dynamic);
    if !wanted {
        return Ok(());
    }
    let mut found: Vec<Vec<u8>> = elf
        .symbols(section)?
        .into_iter()
        .filter(|s| s.info >> 4 != 0 && s.section != 0 && !s.name.is_empty())
        .map(|s| {
            let mut part = s.name.clone().into_bytes();
            part.push(0);
            part.extend(numbers(&[s.value, s.size, s.info.into()]));
            part
        })
        .collect();
    found.sort();
    parts.extend(found);
    Ok(())
}

fn numbers(values: &[u64]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}
