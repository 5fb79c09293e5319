//! What the compiler says of the resources of kernels in the log of a build.

use std::collections::BTreeMap;

use assay_core::record::Figure;
use assay_profile::{Format, launch_figures};

/// Names in the catalog of counters, and those that gates know; several may add up to one.
const NAMES: [(&str, &str); 7] = [
    ("resource.registers", "registers"),
    ("resource.registers.scalar", "registers_scalar"),
    ("resource.shared.static", "shared_bytes"),
    ("resource.stack", "stack_bytes"),
    ("resource.spill.stores", "spill_bytes"),
    ("resource.spill.loads", "spill_bytes"),
    ("resource.barriers", "barriers"),
];

/// The largest figure of all kernels that the log speaks of, by the names that gates know: registers
/// of a thread, bytes of shared memory of a block as compiled, of stack, and of spills (stores and
/// loads of one thread in the text). Empty where the compiler was not asked (`-Xptxas -v`).
pub fn of_log(log: &[u8]) -> BTreeMap<String, Figure> {
    let mut out: BTreeMap<String, Figure> = BTreeMap::new();
    let Some(profile) = Some(Format::Resources)
        .filter(|f| f.matches(log))
        .and_then(|f| f.parse(log).ok())
    else {
        return out;
    };
    for launch in &profile.launches {
        let figures = launch_figures(launch);
        let mut own: BTreeMap<&str, Figure> = BTreeMap::new();
        for (canonical, name) in NAMES {
            let Some(figure) = figures.get(canonical) else {
                continue;
            };
            own.entry(name)
                .and_modify(|f| f.value += figure.value)
                .or_insert_with(|| figure.clone());
        }
        for (name, figure) in own {
            match out.get_mut(name) {
                Some(known) => known.value = known.value.max(figure.value),
                None => {
                    out.insert(name.to_owned(), figure);
                }
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const PTXAS: &str = "\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z4gemmPf' for 'sm_90'
ptxas info    : Function properties for _Z4gemmPf
    64 bytes stack frame, 40 bytes spill stores, 24 bytes spill loads
ptxas info    : Used 128 registers, used 1 barriers, 16384 bytes smem, 560 bytes cmem[0]
ptxas info    : Compiling entry function '_Z4fillPf' for 'sm_90'
ptxas info    : Function properties for _Z4fillPf
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 168 registers, 380 bytes cmem[0]
";

    #[test]
    fn the_largest_of_all_kernels_counts_and_nothing_is_made_up() {
        let got = of_log(format!("nvcc warning: something\n{PTXAS}").as_bytes());
        let told: Vec<String> = (got
            .iter()
            .map(|(n, f)| format!("{n}={} {}", f.value, f.unit)))
        .collect();
        assert_eq!(
            told,
            [
                "barriers=1 1",
                "registers=168 1",
                "shared_bytes=16384 bytes",
                "spill_bytes=64 bytes",
                "stack_bytes=64 bytes"
            ]
        );
        assert!(of_log(b"cc -O3 kernel.c\n").is_empty());
        assert!(of_log(b"").is_empty());
    }
}
