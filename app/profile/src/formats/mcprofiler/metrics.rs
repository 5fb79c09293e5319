//! The rows that reports of the tool are known to have: their section and their unit.
//!
//! The raw flavour prints no units and the CSV flavour no sections, so both are looked up here. A
//! row that is not listed is kept all the same, without what its flavour does not say.

use std::collections::HashMap;
use std::sync::LazyLock;

use smol_str::SmolStr;

use crate::quick::Quick;

/// Rows of one section: names with the unit as the report prints it.
type Rows = &'static [(&'static str, &'static str)];

const KNOWN: &[(&str, Rows)] = &[
    (
        "Summary",
        &[
            ("Total Instructions", "1"),
            ("Compute Instructions", "1"),
            ("Memory Instructions", "1"),
            ("Total Cycles", "Kcycles"),
            ("Memory Access per Second", "MB/s"),
            ("Average AP busy cycles", "1"),
            ("AP busy Duty", "%"),
            ("Compute Instructions busy Duty", "%"),
            ("RoofLine", "1"),
            ("RoofLine.data.all_memacs", "byte"),
            ("RoofLine.processed_data.all_memacs", "byte"),
            ("RoofLine.processed_data.vl1_memacs", "byte"),
            ("RoofLine.processed_data.l2c_memacs", "byte"),
            ("RoofLine.data.core_clk", "GHz"),
            ("RoofLine.data.mc_clk", "GHz"),
            ("RoofLine.data.MAX_Bandwith", "GB/s"),
            ("RoofLine.data.case_bandwith", "GB/s"),
        ],
    ),
    (
        "CE Statistics",
        &[
            ("WORKGROUPS", "1"),
            ("WAVES", "1"),
            ("Average Wave life cycles", "1"),
        ],
    ),
    (
        "ISU Statistics",
        &[
            ("Compute Instructions Cycles Rate", "1"),
            ("DPC Computing cycles comparison", "1"),
            ("ISU stall cycles layout", "1"),
            ("Instructions Comparison", "1"),
        ],
    ),
    (
        "Memory Statistics",
        &[
            ("Global Read Instructions", "1"),
            ("Global Write Instructions", "1"),
            ("Global Atomic Instructions", "1"),
            ("Private Read Instructions", "1"),
            ("Private Write Instructions", "1"),
            ("Constant Read Instructions", "1"),
            ("Constant Read SL1 Instructions", "1"),
            ("Constant Read L2 Instructions", "1"),
            ("Constant SL1 Hit Rate", "%"),
            ("VL1 Read Instructions", "1"),
            ("VL1 Write Instructions", "1"),
            ("VL1 Atomic Instructions", "1"),
            ("VL1 Hit Rate", "%"),
            ("L2C Read Instructions", "1"),
            ("L2C Write Instructions", "1"),
            ("L2C Atomic Instructions", "1"),
            ("L2C Hit Rate", "%"),
            ("Total Atomic Instructions", "1"),
            ("Dnoc Read Req", "1"),
            ("Dnoc Write Req", "1"),
            ("Global Memory Read bytes", "byte"),
            ("Global Memory Write bytes", "byte"),
            ("Dnoc Read Average Latency", "1"),
            ("Memory Data Flow Chart", "1"),
            ("Memory Data Flow Chart.vl1c", "%"),
            ("Memory Data Flow Chart.l2c", "%"),
            ("Memory Data Flow Chart.sl1", "%"),
            ("Dnoc Read Latency Histogram", "1"),
            ("VL1 partition stall cycles layout", "1"),
        ],
    ),
    (
        "Workgroup Memory",
        &[
            ("load instructions", "1"),
            ("store instructions", "1"),
            ("atomic instructions", "1"),
            ("total instructions", "1"),
            ("average latency per load instruction", "1"),
            ("average latency per store instruction", "1"),
            ("average latency per atomic instruction", "1"),
            ("average latency of all stages per instruction", "1"),
            ("average cycles per load instruction", "1"),
            ("average cycles per store instruction", "1"),
            ("average cycles per atomic instruction", "1"),
            ("average conflict cycles per instruction", "1"),
            ("average cycles per instruction", "1"),
            ("shared memory access efficiency", "%"),
        ],
    ),
    (
        "Occupancy",
        &[("Achieved waves", "1"), ("Dispatched waves", "1")],
    ),
    (
        "GPU Throughput Statistics",
        &[
            ("AP active cycles", "1"),
            ("AP MTE Duty ratio", "%"),
            ("AP STE Duty ratio", "%"),
            ("AP MMA Duty ratio", "%"),
            ("VLS Duty ratio", "%"),
            ("L2C Duty ratio", "%"),
        ],
    ),
    (
        "Compute workload",
        &[
            ("instruction per cycle", "1"),
            ("instruction throughput", "1"),
            ("instruction throughput efficiency", "%"),
        ],
    ),
    (
        "Instruction Statistics",
        &[("instruction number", "1"), ("instructions per AP", "1")],
    ),
];

/// By name: its section and unit. No two sections have a row of the same name, case included.
static BY_NAME: LazyLock<HashMap<&str, (&str, &str), Quick>> = LazyLock::new(|| {
    KNOWN
        .iter()
        .flat_map(|(section, rows)| {
            rows.iter()
                .map(move |(name, unit)| (*name, (*section, *unit)))
        })
        .collect()
});

/// The unit that the tool prints for a row, where the row is known.
pub(super) fn unit(section: &str, name: &str) -> Option<&'static str> {
    known(section, name).1
}

/// A name to keep, which costs nothing where the row is known, and the unit of the row.
pub(super) fn known(section: &str, name: &str) -> (SmolStr, Option<&'static str>) {
    match BY_NAME.get_key_value(name) {
        Some((name, (of, unit))) if *of == section => (SmolStr::new_static(name), Some(unit)),
        _ => (SmolStr::new(name), None),
    }
}

/// The section that a row belongs to, where the row is known.
pub(super) fn section(name: &str) -> Option<&'static str> {
    BY_NAME.get(name).map(|(section, _)| *section)
}

/// Whether reports have a section of this name.
pub(super) fn is_section(name: &str) -> bool {
    KNOWN.iter().any(|(section, _)| *section == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_belongs_to_one_section() {
        let rows: usize = KNOWN.iter().map(|(_, rows)| rows.len()).sum();
        assert_eq!(BY_NAME.len(), rows);
        assert_eq!(section("total instructions"), Some("Workgroup Memory"));
        assert_eq!(section("Total Instructions"), Some("Summary"));
        assert_eq!(unit("Memory Statistics", "Total Instructions"), None);
        assert!(is_section("Compute workload") && !is_section("Compute Workload"));
    }
}
