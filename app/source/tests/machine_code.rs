//! The identity of machine code, on ELF files put together here.

use assay_source::{NoMachineCode, machine_code};
use proptest::prelude::*;

/// A section to put into a file.
#[derive(Clone)]
struct Part {
    name: &'static str,
    kind: u32,
    flags: u64,
    content: Vec<u8>,
    link: u32,
    info: u32,
    entry: u64,
}

fn part(name: &'static str, kind: u32, flags: u64, content: &[u8]) -> Part {
    Part {
        name,
        kind,
        flags,
        content: content.to_vec(),
        link: 0,
        info: 0,
        entry: 0,
    }
}

/// An object file with the given sections after the empty one; the names come last.
fn elf(parts: &[Part]) -> Vec<u8> {
    let mut all = vec![part("", 0, 0, b"")];
    all.extend_from_slice(parts);
    let mut names = Vec::new();
    let mut name_at = Vec::new();
    for p in &all {
        name_at.push(u32::try_from(names.len()).expect("small"));
        names.extend_from_slice(p.name.as_bytes());
        names.push(0);
    }
    name_at.push(u32::try_from(names.len()).expect("small"));
    names.extend_from_slice(b".shstrtab\0");
    all.push(part(".shstrtab", 3, 0, &names));
    let mut out = vec![0u8; 64];
    out[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
    out[16..18].copy_from_slice(&1u16.to_le_bytes());
    out[18..20].copy_from_slice(&62u16.to_le_bytes());
    let mut headers = Vec::new();
    for (p, name) in all.iter().zip(name_at) {
        headers.extend(name.to_le_bytes());
        headers.extend(p.kind.to_le_bytes());
        headers.extend(p.flags.to_le_bytes());
        headers.extend(0u64.to_le_bytes());
        headers.extend((out.len() as u64).to_le_bytes());
        headers.extend((p.content.len() as u64).to_le_bytes());
        headers.extend(p.link.to_le_bytes());
        headers.extend(p.info.to_le_bytes());
        headers.extend(1u64.to_le_bytes());
        headers.extend(p.entry.to_le_bytes());
        out.extend_from_slice(&p.content);
    }
    let table = out.len() as u64;
    out.extend(headers);
    out[40..48].copy_from_slice(&table.to_le_bytes());
    out[58..60].copy_from_slice(&64u16.to_le_bytes());
    out[60..62].copy_from_slice(&u16::try_from(all.len()).expect("small").to_le_bytes());
    out[62..64].copy_from_slice(&u16::try_from(all.len() - 1).expect("small").to_le_bytes());
    out
}

fn symbol(name_at: u32, info: u8, section: u16, value: u64) -> Vec<u8> {
    let mut s = name_at.to_le_bytes().to_vec();
    s.extend([info, 0]);
    s.extend(section.to_le_bytes());
    s.extend(value.to_le_bytes());
    s.extend(0u64.to_le_bytes());
    s
}

/// `.text`, constants, a note, and one call of the function `callee`.
fn object(code: &[u8], constants: &[u8], note: &[u8], callee: &str) -> Vec<u8> {
    let mut strings = b"\0gemm\0".to_vec();
    strings.extend_from_slice(callee.as_bytes());
    strings.push(0);
    let mut symbols = symbol(0, 0, 0, 0);
    symbols.extend(symbol(1, 0x12, 1, 0));
    symbols.extend(symbol(6, 0x10, 0, 0));
    let mut rela = 1u64.to_le_bytes().to_vec();
    rela.extend((2u64 << 32 | 4).to_le_bytes());
    rela.extend((-4i64).to_le_bytes());
    let mut symtab = part(".symtab", 2, 0, &symbols);
    symtab.link = 5;
    symtab.entry = 24;
    let mut relocations = part(".rela.text", 4, 0, &rela);
    (relocations.link, relocations.info, relocations.entry) = (4, 1, 24);
    elf(&[
        part(".text", 1, 6, code),
        part(".rodata", 1, 2, constants),
        part(".note.gnu.build-id", 7, 2, note),
        symtab,
        part(".strtab", 3, 0, &strings),
        relocations,
        part(".comment", 1, 0, note),
        part(".eh_frame", 1, 2, note),
    ])
}

#[test]
fn notes_and_banners_do_not_count_and_everything_else_does() {
    let base = machine_code(&object(b"\xe8\0\0\0\0\xc3", b"1234", b"id-1", "expf")).unwrap();
    assert_eq!(base.code_bytes, 6);
    assert_eq!(base.sections, [(".text".to_owned(), 6)]);
    let same = machine_code(&object(b"\xe8\0\0\0\0\xc3", b"1234", b"id-2", "expf")).unwrap();
    assert_eq!(base, same);
    for other in [
        object(b"\xe9\0\0\0\0\xc3", b"1234", b"id-1", "expf"),
        object(b"\xe8\0\0\0\0\xc3", b"1235", b"id-1", "expf"),
        object(b"\xe8\0\0\0\0\xc3", b"1234", b"id-1", "sinf"),
    ] {
        assert_ne!(machine_code(&other).unwrap().sha256, base.sha256);
    }
}

#[test]
fn other_files_have_a_reason() {
    assert_eq!(machine_code(b""), Err(NoMachineCode::NotElf));
    assert_eq!(machine_code(b"#!/bin/sh\n"), Err(NoMachineCode::NotElf));
    assert_eq!(machine_code(&elf(&[])), Err(NoMachineCode::NoCode));
    assert!(matches!(
        machine_code(b"\x7fELF\x02\x01"),
        Err(NoMachineCode::Unreadable(_))
    ));
}

#[test]
fn overlapping_sections_cannot_make_it_slow() {
    let mut bytes = elf(&vec![part(".text", 1, 6, b"\xc3"); 2000]);
    let size = bytes.len() as u64;
    let table = u64::from_le_bytes(bytes[40..48].try_into().unwrap()) as usize;
    for i in 1..=2000 {
        let at = table + i * 64;
        bytes[at + 24..at + 32].copy_from_slice(&0u64.to_le_bytes());
        bytes[at + 32..at + 40].copy_from_slice(&size.to_le_bytes());
    }
    assert!(matches!(
        machine_code(&bytes),
        Err(NoMachineCode::Unreadable(_))
    ));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damage_never_panics(at in 0usize..2000, value: u8, cut in 0usize..3000) {
        let mut bytes = object(b"\xe8\0\0\0\0\xc3", b"1234", b"id-1", "expf");
        if let Some(b) = bytes.get_mut(at) {
            *b = value;
        }
        bytes.truncate(cut.max(5));
        let _ = machine_code(&bytes);
    }

    #[test]
    fn arbitrary_bytes_never_panic(tail in proptest::collection::vec(any::<u8>(), 0..400)) {
        let mut bytes = b"\x7fELF\x02\x01".to_vec();
        bytes.extend(tail);
        let _ = machine_code(&bytes);
    }
}
