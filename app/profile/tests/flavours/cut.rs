//! Files that end too early, at every place: what is read is right or marked.

use std::path::Path;

use assay_profile::{CounterRef, Format, Profile, Scope, Status, detect};

use super::fixtures;

fn all(folder: &Path, out: &mut Vec<(String, Vec<u8>)>) {
    for entry in std::fs::read_dir(folder).expect("the fixtures") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            all(&path, out);
        } else {
            let mut bytes = std::fs::read(&path).expect("a fixture");
            bytes.truncate(6 << 10);
            out.push((path.display().to_string(), bytes));
        }
    }
}

/// Whether a part of the rows can give another figure, which no file tells: sums.
fn is_sum(format: Format, l: Scope, c: CounterRef<'_>) -> bool {
    match format {
        Format::Rocprof => {
            c.raw().contains(" + ") || c.name() != "Counter_Value" && c.section() != "launch"
        }
        Format::Cachegrind | Format::Callgrind => true,
        Format::McTrace => l == Scope::Aggregate,
        Format::NsightCompute => c.section() == "all lines",
        _ => false,
    }
}

fn hold(name: &str, format: Format, whole: &Profile, part: &Profile, cut: &[u8]) {
    let at = cut.len();
    let at_line_end = cut.ends_with(b"\n") || cut.ends_with(b"\"");
    for (i, l) in part.launches.iter().enumerate() {
        for c in l
            .iter()
            .filter(|c| c.status() == Status::Value && c.suspect().is_empty())
        {
            let full = whole
                .launches
                .iter()
                .filter(|w| w.kernel == l.kernel || w.occurrence.is_none());
            let same = full
                .chain(whole.launches.get(i))
                .flat_map(|w| w.iter())
                .filter(|w| w.section() == c.section() && w.name() == c.name())
                .any(|w| {
                    let near = |r: f64| {
                        w.number()
                            .zip(c.number())
                            .is_some_and(|(a, b)| (a - b).abs() < r)
                    };
                    w.unit() == c.unit()
                        && (w.exact() == c.exact()
                            || c.resolution().is_some_and(|r| r < 1.0 && near(r)))
                });
            let excused = is_sum(format, l.scope, c) && (at_line_end || !part.notices.is_empty());
            assert!(
                same || excused,
                "{name} cut at {at}: {c:?}\n{:?}",
                part.notices
            );
        }
    }
}

#[test]
fn a_file_cut_anywhere_says_so_or_is_right() {
    let mut files = Vec::new();
    all(&fixtures(), &mut files);
    files.sort();
    assert!(files.len() > 30);
    for (name, bytes) in files {
        let Some(format) = detect(&bytes) else {
            continue;
        };
        let Ok(whole) = format.parse(&bytes) else {
            continue;
        };
        // Every place of a short file, and places that are no multiple of a line of a long one.
        let step = 1 + bytes.len() / 1500;
        for at in (0..bytes.len()).step_by(step) {
            if let Ok(part) = format.parse(&bytes[..at]) {
                hold(&name, format, &whole, &part, &bytes[..at]);
            }
            let _ = detect(&bytes[..at]);
        }
    }
}
