//! Every reader against damaged files: nothing panics, nothing is wrong in silence, nothing grows
//! out of proportion. How many cases: the environment variable `PROPTEST_CASES`.

mod damage;
mod grown;
mod oracle;
mod seeds;

use assay_profile::formats::mcprofiler::read_folder;
use assay_profile::{Format, Mapping, Profile, detect, parse};
use proptest::prelude::*;

use damage::{Edit, apply, edit};
use seeds::SEEDS;

/// What a run without `PROPTEST_CASES` tries.
const CASES: u32 = 48;

fn config() -> ProptestConfig {
    let mut c = ProptestConfig::default();
    if std::env::var_os("PROPTEST_CASES").is_none() {
        c.cases = CASES;
    }
    c.failure_persistence = None;
    c.max_shrink_iters = 20_000;
    c
}

fn hold(bytes: &[u8], p: &Profile, tool: &str) -> Result<(), TestCaseError> {
    oracle::check(bytes, p, tool).map_err(|why| {
        let text = String::from_utf8_lossy(bytes).into_owned();
        TestCaseError::fail(format!("{} {}: {why}\n{text}", p.tool, p.flavour))
    })
}

/// Reads the content in every way that it may be read in.
fn read_all(bytes: &[u8], formats: &[Format]) -> Result<(), TestCaseError> {
    if let Ok(p) = parse(bytes) {
        hold(bytes, &p, &p.tool)?;
    }
    for f in formats {
        let read = f.parse(bytes);
        if let Ok(p) = &read {
            hold(bytes, p, &p.tool)?;
        }
        // In pieces, the content has the same figures.
        if let Some(streamed) = f.parse_reader(&mut &bytes[..]) {
            let launches = |r: Result<Profile, _>| r.ok().map(|p| p.launches);
            let (a, b) = (launches(read), launches(streamed));
            prop_assert!(a == b, "{} {:?} {:?}", f.name(), a, b);
        }
    }
    Ok(())
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    proptest::collection::vec(edit(), 0..8)
}

fn maps() -> Vec<Mapping> {
    let text = |format: &str, more: &str| {
        format!("schema = \"assay.mapping/1\"\ntool = \"mapped\"\nformat = \"{format}\"\n{more}")
    };
    [
        text("json", "rows = \"/results\"\nkernel = \"/kernel/name\"\n[[counters]]\nfrom = \"/time\"\nunit = \"us\"\n[[counters]]\nfrom = \"/bytes\"\n"),
        text("csv", "separator = \";\"\ndecimal = \",\"\nkernel = \"Kernel\"\nsection = \"Group\"\ncounter = \"Metric\"\nvalue = \"Value\"\nunit = \"Unit\"\n"),
        text("csv", "separator = \";\"\nkernel = \"Kernel\"\ncounter = \"Metric\"\nvalue = \"Value\"\n"),
    ]
    .iter()
    .map(|t| Mapping::read("m.toml", t).expect("a mapping"))
    .collect()
}

#[test]
fn the_seeds_themselves_hold() {
    assert!(SEEDS.len() > 30);
    for s in SEEDS.iter() {
        let read = read_all(&s.bytes, Format::ALL);
        read.unwrap_or_else(|e| panic!("{}: {e}", s.name));
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn damaged_files(which: prop::sample::Index, changes in edits(), other in 0..Format::ALL.len()) {
        let seed = which.get(&SEEDS[..]);
        let mut bytes = seed.bytes.clone();
        apply(&mut bytes, &changes);
        let _ = detect(&bytes);
        let mut formats = vec![Format::ALL[other]];
        formats.extend(seed.format.filter(|f| *f != formats[0]));
        read_all(&bytes, &formats)?;
    }

    #[test]
    fn two_files_in_one(
        a: prop::sample::Index,
        b: prop::sample::Index,
        at: prop::sample::Index,
        from: prop::sample::Index,
        changes in edits(),
    ) {
        let (a, b) = (a.get(&SEEDS[..]), b.get(&SEEDS[..]));
        let mut bytes = a.bytes.clone();
        bytes.truncate(at.index(bytes.len() + 1));
        bytes.extend(&b.bytes[from.index(b.bytes.len())..]);
        apply(&mut bytes, &changes);
        let formats: Vec<Format> = a.format.into_iter().chain(b.format).collect();
        read_all(&bytes, &formats)?;
    }

    #[test]
    fn mapped_files(which: prop::sample::Index, changes in edits()) {
        let seed = which.get(&SEEDS[..]);
        let mapped = SEEDS.iter().filter(|s| s.name.contains("mapping"));
        for seed in mapped.chain([seed]) {
            let mut bytes = seed.bytes.clone();
            apply(&mut bytes, &changes);
            for m in maps() {
                if let Ok(p) = m.parse(&bytes) {
                    hold(&bytes, &p, "mapped")?;
                }
            }
            let _ = Mapping::read("m.toml", &String::from_utf8_lossy(&bytes));
        }
    }

    #[test]
    fn folders_of_damaged_files(
        files in proptest::collection::vec((any::<prop::sample::Index>(), edits(), "(report|[0-9]{1,2}_k|[0-9]{1,11}_.{0,4}|(\\.\\./){0,3}.{0,3})(\\.txt|\\.txt\\.json|_dumped_result\\.json|\\.txt\\.csv|\\.json)"), 0..5),
    ) {
        let reports: Vec<_> = SEEDS.iter().filter(|s| s.name.contains("mcprofiler")).collect();
        let files: Vec<(String, Vec<u8>)> = files
            .into_iter()
            .map(|(which, changes, name)| {
                let mut bytes = which.get(&reports).bytes.clone();
                apply(&mut bytes, &changes);
                (name, bytes)
            })
            .collect();
        let all: Vec<u8> = files.iter().flat_map(|(_, b)| b.iter().copied()).collect();
        let folder = read_folder(files.iter().map(|(n, b)| (n.as_str(), b.as_slice())));
        prop_assert_eq!(folder.files.len(), files.len());
        for run in &folder.runs {
            let profiles = [&run.kernels, &run.aggregate, &run.unclear];
            for p in profiles.into_iter().flatten().chain(&run.hardware) {
                hold(&all, p, &p.tool)?;
            }
        }
    }

    #[test]
    fn grown_json(text in grown::json(), formats in proptest::sample::subsequence(Format::ALL.to_vec(), 2)) {
        read_all(text.as_bytes(), &formats)?;
        if let Ok(p) = maps()[0].parse(text.as_bytes()) {
            hold(text.as_bytes(), &p, "mapped")?;
        }
    }

    #[test]
    fn grown_tables(text in grown::table(), formats in proptest::sample::subsequence(Format::ALL.to_vec(), 2)) {
        read_all(text.as_bytes(), &formats)?;
        for m in &maps()[1..] {
            if let Ok(p) = m.parse(text.as_bytes()) {
                hold(text.as_bytes(), &p, "mapped")?;
            }
        }
    }

    #[test]
    fn grown_lines(text in grown::lines(), formats in proptest::sample::subsequence(Format::ALL.to_vec(), 3)) {
        read_all(text.as_bytes(), &formats)?;
    }

    #[test]
    fn any_bytes(bytes: Vec<u8>) {
        read_all(&bytes, Format::ALL)?;
    }
}
