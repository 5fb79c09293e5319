//! The order in which A and B run: mirrored blocks, flipped from block to block.
//!
//! ABBA cancels a linear drift inside a block; flipping to BAAB in the next block cancels what
//! being first is worth. Who starts, and which artefact is loaded first, alternates from process
//! to process, with the seed choosing where the alternation begins.

use crate::prng::SplitMix64;

/// Leg orders of one process, one string a block, e.g. `["ABBA", "BAAB", "ABBA"]`.
///
/// Consecutive processes start with opposite orders.
pub fn orders(process: u32, blocks: u32, seed: u64) -> Vec<String> {
    let start = bits(seed) & 1;
    (0..u64::from(blocks))
        .map(|block| {
            if (u64::from(process) + block + start).is_multiple_of(2) {
                "ABBA".to_owned()
            } else {
                "BAAB".to_owned()
            }
        })
        .collect()
}

/// Which artefact a process loads first: `AB` or `BA`.
///
/// It changes every second process, so that within four processes each load order meets each
/// starting order once and the two effects are not confounded.
pub fn load_order(process: u32, seed: u64) -> &'static str {
    let start = (bits(seed) >> 1) & 1;
    if (u64::from(process) / 2 + start).is_multiple_of(2) {
        "AB"
    } else {
        "BA"
    }
}

fn bits(seed: u64) -> u64 {
    SplitMix64::new(seed).next_u64()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn blocks_alternate_and_the_same_seed_gives_the_same_plan() {
        for seed in 0..8 {
            let o = orders(1, 6, seed);
            assert_eq!(o.len(), 6);
            assert!(o.windows(2).all(|w| w[0] != w[1]), "{o:?}");
            assert_eq!(o, orders(1, 6, seed));
            assert_ne!(o[0], orders(2, 6, seed)[0]);
        }
        assert!(orders(1, 0, 0).is_empty());
    }

    #[test]
    fn four_processes_meet_every_pair_of_start_and_load_order() {
        for seed in 0..8 {
            for first in 1..6 {
                let met: BTreeSet<_> = (first..first + 4)
                    .map(|p| (orders(p, 1, seed)[0].clone(), load_order(p, seed)))
                    .collect();
                assert_eq!(met.len(), 4, "seed {seed}, from process {first}");
            }
        }
    }

    #[test]
    fn the_seed_chooses_the_start() {
        let starts: BTreeSet<_> = (0..16).map(|s| orders(1, 1, s)[0].clone()).collect();
        let loads: BTreeSet<_> = (0..16).map(|s| load_order(1, s)).collect();
        assert_eq!((starts.len(), loads.len()), (2, 2));
    }
}
