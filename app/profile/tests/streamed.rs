//! Content that comes in pieces reads like content that is there as a whole.

#[path = "../benches/generator/mod.rs"]
#[allow(dead_code)]
mod generator;

use std::io::Read;

use assay_profile::{Format, Profile, ProfileError};
use proptest::prelude::*;

/// Content of which a few bytes come at a time.
struct Drops<'a>(&'a [u8], usize);

impl Read for Drops<'_> {
    fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
        let n = self.1.min(to.len()).min(self.0.len());
        to[..n].copy_from_slice(&self.0[..n]);
        self.0 = &self.0[n..];
        Ok(n)
    }
}

fn streamed(format: Format, bytes: &[u8], drop: usize) -> Result<Profile, ProfileError> {
    let mut source = Drops(bytes, drop);
    format.parse_reader(&mut source).expect("a streamed format")
}

fn contents(format: Format) -> Vec<u8> {
    match format {
        Format::McProfilerHardware => {
            let text = generator::mc_hardware(2, 3);
            let odd = "\"umd_data\": {\"a\": [1]}, \"x\": null, \"perf_counters\": {\"1\": [5, {\"B\": {\"c\": \"w\", \"d\": null, \"d\": [1]}}], \"2\": 7}}";
            text.replace("\"umd_data\": {}}", odd).into_bytes()
        }
        _ => generator::mc_trace(40, 3).into_bytes(),
    }
}

const STREAMED: [Format; 2] = [Format::McProfilerHardware, Format::McTrace];

#[test]
fn whole_content_reads_alike() {
    for format in STREAMED {
        let bytes = contents(format);
        let whole = format.parse(&bytes).unwrap();
        for drop in [1, 7, 1 << 20] {
            assert_eq!(streamed(format, &bytes, drop).unwrap(), whole, "{drop}");
        }
        assert!(format.is_streamed());
    }
    let mut nothing = std::io::empty();
    assert!(Format::NsightCompute.parse_reader(&mut nothing).is_none());
}

#[test]
fn a_source_that_fails_is_told() {
    struct Fails;
    impl Read for Fails {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("the disk is gone"))
        }
    }
    for format in STREAMED {
        let bytes = contents(format);
        let mut source = (&bytes[..bytes.len() / 2]).chain(Fails);
        let p = format.parse_reader(&mut source).unwrap().unwrap();
        assert!(
            p.notices.iter().any(|n| n.contains("the disk is gone")),
            "{:?}",
            p.notices
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_content_reads_alike(
        which in 0usize..2,
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..3),
        cut in any::<prop::sample::Index>(),
        drop in 1usize..5000,
    ) {
        let format = STREAMED[which];
        let mut bytes = contents(format);
        for (at, b) in damage {
            let at = at.index(bytes.len());
            bytes[at] = b;
        }
        bytes.truncate(cut.index(bytes.len() + 1));
        match (format.parse(&bytes), streamed(format, &bytes, drop)) {
            (Ok(whole), Ok(pieces)) => {
                prop_assert_eq!(&whole.launches, &pieces.launches);
                prop_assert_eq!(whole.notices.is_empty(), pieces.notices.is_empty(), "{:?} {:?}", whole.notices, pieces.notices);
            }
            (whole, pieces) => prop_assert!(whole.is_err() && pieces.is_err(), "{:?} {:?}", whole, pieces),
        }
    }
}
