//! A small reader of 64-bit ELF files that believes nothing it reads.
//!
//! Every access is checked, and all work is charged to a budget that grows with the file, so that
//! overlapping sections cannot make a small file expensive.

/// What is wrong with a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ElfError {
    /// Something points outside of the file or is otherwise impossible.
    #[error("the ELF file is damaged: {0}")]
    Damaged(&'static str),
    /// Sections overlap so much that reading them costs far more than the file is large.
    #[error("the ELF file refers to its own bytes too often to be genuine")]
    Excessive,
}

use ElfError::{Damaged, Excessive};

pub(crate) const SHT_PROGBITS: u32 = 1;
pub(crate) const SHT_SYMTAB: u32 = 2;
pub(crate) const SHT_RELA: u32 = 4;
pub(crate) const SHT_NOBITS: u32 = 8;
pub(crate) const SHT_REL: u32 = 9;
pub(crate) const SHT_DYNSYM: u32 = 11;
pub(crate) const SHT_INIT_ARRAY: u32 = 14;
pub(crate) const SHT_PREINIT_ARRAY: u32 = 16;
pub(crate) const SHF_ALLOC: u64 = 2;
pub(crate) const SHF_EXECINSTR: u64 = 4;

/// A section header, with its name looked up.
#[derive(Debug, Clone)]
pub(crate) struct Section {
    pub name: String,
    pub kind: u32,
    pub flags: u64,
    pub address: u64,
    pub offset: u64,
    pub size: u64,
    pub link: u32,
    pub info: u32,
    pub entry_size: u64,
}

/// A symbol, with its name looked up.
#[derive(Debug, Clone)]
pub(crate) struct Symbol {
    pub name: String,
    pub info: u8,
    pub section: u16,
    pub value: u64,
    pub size: u64,
}

/// A relocation entry; `addend` is 0 for entries without one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Relocation {
    pub offset: u64,
    pub kind: u32,
    pub symbol: u32,
    pub addend: u64,
}

pub(crate) struct Elf<'a> {
    bytes: &'a [u8],
    big_endian: bool,
    /// Machine, e.g. 62 for x86-64.
    pub machine: u16,
    /// File kind: 1 object file, 2 executable, 3 shared object.
    pub kind: u16,
    pub sections: Vec<Section>,
    budget: u64,
}

impl<'a> Elf<'a> {
    /// Whether the bytes begin like a 64-bit ELF file.
    pub(crate) fn is_elf64(bytes: &[u8]) -> bool {
        bytes.starts_with(b"\x7fELF\x02")
    }

    /// Reads header and section table.
    pub(crate) fn read(bytes: &'a [u8]) -> Result<Self, ElfError> {
        let big_endian = match bytes.get(5) {
            Some(1) => false,
            Some(2) => true,
            _ => return Err(Damaged("the byte order is neither little nor big endian")),
        };
        let size = bytes.len() as u64;
        let mut elf = Self {
            bytes,
            big_endian,
            machine: 0,
            kind: 0,
            sections: Vec::new(),
            budget: size.saturating_mul(8).saturating_add(1 << 20),
        };
        elf.kind = elf.u16(16)?;
        elf.machine = elf.u16(18)?;
        let table = elf.u64(40)?;
        let entry = u64::from(elf.u16(58)?);
        let mut count = u64::from(elf.u16(60)?);
        let mut names = u32::from(elf.u16(62)?);
        if table == 0 {
            return Ok(elf);
        }
        if entry < 64 {
            return Err(Damaged("section headers are too small"));
        }
        // Files with very many sections keep the true numbers in the first header.
        if count == 0 {
            count = elf.u64(at(table, 32)?)?;
        }
        if names == 0xffff {
            names = elf.u32(at(table, 40)?)?;
        }
        if count.checked_mul(entry).is_none_or(|all| all > size) {
            return Err(Damaged("the section table is larger than the file"));
        }
        let mut raw = Vec::new();
        for i in 0..count {
            raw.push(elf.header(at(table, i * entry)?)?);
        }
        let strings = raw.get(names as usize).map(|(_, s)| s.clone());
        for (name_at, mut section) in raw {
            if let Some(strings) = &strings {
                section.name = elf.string(strings, name_at)?;
            }
            elf.sections.push(section);
        }
        Ok(elf)
    }

    fn header(&self, o: u64) -> Result<(u32, Section), ElfError> {
        let section = Section {
            name: String::new(),
            kind: self.u32(at(o, 4)?)?,
            flags: self.u64(at(o, 8)?)?,
            address: self.u64(at(o, 16)?)?,
            offset: self.u64(at(o, 24)?)?,
            size: self.u64(at(o, 32)?)?,
            link: self.u32(at(o, 40)?)?,
            info: self.u32(at(o, 44)?)?,
            entry_size: self.u64(at(o, 56)?)?,
        };
        Ok((self.u32(o)?, section))
    }

    /// The bytes of a section; empty for one that takes no room in the file.
    pub(crate) fn content(&mut self, section: &Section) -> Result<&'a [u8], ElfError> {
        if section.kind == SHT_NOBITS {
            return Ok(&[]);
        }
        self.charge(section.size)?;
        self.slice(section.offset, section.size)
    }

    /// The symbols of a symbol table.
    pub(crate) fn symbols(&mut self, table: &Section) -> Result<Vec<Symbol>, ElfError> {
        const ENTRY: usize = 24;
        let content = self.content(table)?;
        let strings = self
            .sections
            .get(table.link as usize)
            .cloned()
            .ok_or(Damaged("a symbol table has no string table"))?;
        let mut out = Vec::new();
        for e in content.chunks_exact(ENTRY) {
            let name_at = self.number(&e[0..4]);
            out.push(Symbol {
                name: self.string(&strings, u32::try_from(name_at).unwrap_or(u32::MAX))?,
                info: e[4],
                section: u16::try_from(self.number(&e[6..8])).unwrap_or(0),
                value: self.number(&e[8..16]),
                size: self.number(&e[16..24]),
            });
        }
        Ok(out)
    }

    /// The entries of a relocation section.
    pub(crate) fn relocations(&mut self, s: &Section) -> Result<Vec<Relocation>, ElfError> {
        let entry = if s.kind == SHT_RELA { 24 } else { 16 };
        if s.entry_size != entry as u64 {
            return Err(Damaged("relocation entries have an unexpected size"));
        }
        let content = self.content(s)?;
        let number = |b: &[u8]| self.number(b);
        Ok(content
            .chunks_exact(entry)
            .map(|e| {
                let info = number(&e[8..16]);
                Relocation {
                    offset: number(&e[0..8]),
                    kind: (info & 0xffff_ffff) as u32,
                    symbol: (info >> 32) as u32,
                    addend: if entry == 24 { number(&e[16..24]) } else { 0 },
                }
            })
            .collect())
    }

    fn string(&mut self, table: &Section, offset: u32) -> Result<String, ElfError> {
        let start = at(table.offset, u64::from(offset))?;
        let end = at(table.offset, table.size)?;
        if start >= end {
            return if offset == 0 {
                Ok(String::new())
            } else {
                Err(Damaged("a name lies outside of its string table"))
            };
        }
        let tail = self.slice(start, end - start)?;
        let length = tail
            .iter()
            .position(|b| *b == 0)
            .ok_or(Damaged("a name has no end"))?;
        self.charge(length as u64 + 1)?;
        Ok(String::from_utf8_lossy(&tail[..length]).into_owned())
    }

    fn charge(&mut self, work: u64) -> Result<(), ElfError> {
        self.budget = self.budget.checked_sub(work).ok_or(Excessive)?;
        Ok(())
    }

    fn slice(&self, offset: u64, size: u64) -> Result<&'a [u8], ElfError> {
        let end = at(offset, size)?;
        let range = usize::try_from(offset).ok().zip(usize::try_from(end).ok());
        range
            .and_then(|(a, b)| self.bytes.get(a..b))
            .ok_or(Damaged("something lies beyond the end of the file"))
    }

    fn number(&self, bytes: &[u8]) -> u64 {
        let fold = |n: u64, b: &u8| (n << 8) | u64::from(*b);
        if self.big_endian {
            bytes.iter().fold(0, fold)
        } else {
            bytes.iter().rev().fold(0, fold)
        }
    }

    fn u16(&self, offset: u64) -> Result<u16, ElfError> {
        Ok(u16::try_from(self.number(self.slice(offset, 2)?)).unwrap_or(0))
    }

    fn u32(&self, offset: u64) -> Result<u32, ElfError> {
        Ok(u32::try_from(self.number(self.slice(offset, 4)?)).unwrap_or(0))
    }

    fn u64(&self, offset: u64) -> Result<u64, ElfError> {
        Ok(self.number(self.slice(offset, 8)?))
    }
}

fn at(a: u64, b: u64) -> Result<u64, ElfError> {
    a.checked_add(b)
        .ok_or(Damaged("an offset is larger than any file"))
}
