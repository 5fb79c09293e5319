//! Launch shape, occupancy and balance.

use crate::launches::{Case, NONE};
use crate::support::Tool::{McProfiler, Mxcc};

pub const LAUNCH_SHAPE: &[Case] = &[
    Case {
        id: "workgroup-not-whole-waves",
        block: "(100, 1, 1)",
        figures: &[("inst.executed", "2541792")],
        context: &[("device.wave", 32.0)],
        says: &["100 threads", "3.125 waves of 32"],
        beside: &[&[("device.wave", "50")]],
        optional: &["inst.executed"],
        ..NONE
    },
    Case {
        id: "grid-smaller-than-device",
        figures: &[("launch.workgroups", "131"), ("launch.units", "132")],
        says: &["131 workgroups for 132 compute units"],
        beside: &[&[("launch.workgroups", "132")]],
        ..NONE
    },
    Case {
        id: "grid-smaller-than-device",
        tool: McProfiler,
        figures: &[("launch.workgroups", "64.0")],
        context: &[("device.units", 104.0)],
        says: &["64 workgroups for 104 compute units"],
        beside: &[&[("launch.workgroups", "104.0")]],
        ..NONE
    },
    Case {
        id: "few-workgroups-with-barriers",
        figures: &[
            ("launch.workgroups", "263"),
            ("launch.units", "132"),
            ("resource.barriers", "1"),
        ],
        says: &["263 workgroups", "132 compute units"],
        beside: &[
            &[("launch.workgroups", "264")],
            &[("launch.workgroups", "131")],
            &[("resource.barriers", "0")],
        ],
        ..NONE
    },
    Case {
        id: "tail-round",
        figures: &[("launch.rounds", "1.52")],
        says: &["fill the device 1.52 times", "24 % of all places"],
        beside: &[
            &[("launch.rounds", "0.52")],
            &[("launch.rounds", "2")],
            &[("launch.rounds", "1.94")],
            &[("launch.rounds", "5.3")],
        ],
        ..NONE
    },
    Case {
        id: "occupancy-limited-by-registers",
        figures: &[
            ("occupancy.theoretical", "18.75"),
            ("occupancy.limit.registers", "1"),
            ("occupancy.limit.shared", "2"),
            ("occupancy.limit.waves", "5"),
            ("occupancy.limit.workgroups", "32"),
            ("resource.registers", "168"),
        ],
        says: &["18.75 %", "a unit holds 1 workgroups; 168 for each thread"],
        beside: &[
            &[("occupancy.theoretical", "50.1")],
            &[("occupancy.limit.registers", "3")],
            &[("occupancy.limit.barriers", "0")],
            &[("duty.mma", "60")],
        ],
        optional: &["resource.registers"],
        ..NONE
    },
    Case {
        id: "occupancy-limited-by-shared-memory",
        figures: &[
            ("occupancy.theoretical", "12.5"),
            ("occupancy.limit.registers", "10"),
            ("occupancy.limit.shared", "1"),
            ("occupancy.limit.waves", "8"),
            ("occupancy.limit.workgroups", "32"),
            ("resource.shared.total", "201024"),
        ],
        says: &["12.5 %", "holds 1 workgroups", "201,024 bytes"],
        beside: &[
            &[("occupancy.theoretical", "50.1")],
            &[("occupancy.limit.shared", "9")],
            &[("occupancy.limit.barriers", "0")],
            &[("duty.mma", "60")],
        ],
        optional: &["resource.shared.total"],
        ..NONE
    },
    Case {
        id: "occupancy-limited-by-workgroup-size",
        block: "(32, 1, 1)",
        figures: &[
            ("occupancy.theoretical", "50"),
            ("occupancy.limit.registers", "64"),
            ("occupancy.limit.shared", "100"),
            ("occupancy.limit.waves", "64"),
            ("occupancy.limit.workgroups", "32"),
        ],
        says: &["no more than 32", "50 %"],
        beside: &[
            &[("occupancy.theoretical", "50.1")],
            &[("occupancy.limit.registers", "32")],
        ],
        ..NONE
    },
    Case {
        id: "occupancy-limited-by-barriers",
        figures: &[
            ("occupancy.theoretical", "12.5"),
            ("occupancy.limit.registers", "2"),
            ("occupancy.limit.shared", "2"),
            ("occupancy.limit.waves", "8"),
            ("occupancy.limit.workgroups", "32"),
            ("occupancy.limit.barriers", "1"),
        ],
        says: &["12.5 %", "holds 1 workgroups"],
        beside: &[
            &[("occupancy.theoretical", "50.1")],
            &[("occupancy.limit.barriers", "2")],
        ],
        ..NONE
    },
    Case {
        id: "occupancy-low-compiled",
        tool: Mxcc,
        figures: &[
            ("resource.stack", "0"),
            ("resource.registers", "256"),
            ("resource.waves_per_scheduler", "1"),
        ],
        context: &[("device.waves_per_unit", 32.0)],
        says: &["1 waves fit", "12.5 %"],
        beside: &[&[("resource.waves_per_scheduler", "2")]],
        optional: &[
            "resource.stack",
            "resource.registers",
            "resource.waves_per_scheduler",
        ],
        ..NONE
    },
    Case {
        id: "occupancy-gap",
        figures: &[
            ("occupancy.theoretical", "100"),
            ("occupancy.achieved", "88.51"),
        ],
        says: &["88.51 %", "100 % would fit"],
        beside: &[
            &[("occupancy.achieved", "90.01")],
            &[("launch.rounds", "0.99")],
        ],
        ..NONE
    },
    Case {
        id: "units-unbalanced",
        figures: &[
            ("cycles.unit_active", "151,496.95"),
            ("cycles.unit_active.max", "199,992"),
        ],
        says: &["199,992 cycles", "24.2485 % less"],
        beside: &[
            &[("cycles.unit_active", "189,993")],
            &[("launch.workgroups", "131"), ("launch.units", "132")],
        ],
        ..NONE
    },
    Case {
        id: "l2-slices-unbalanced",
        figures: &[
            ("cache.l2.cycles", "89"),
            ("cache.l2.cycles.max", "100"),
            ("cycles.unit_active.max", "200"),
        ],
        says: &["100 cycles", "for 89"],
        beside: &[
            &[("cache.l2.cycles", "90.1")],
            &[("cycles.unit_active.max", "201")],
        ],
        ..NONE
    },
    Case {
        id: "clusters-unbalanced",
        tool: McProfiler,
        figures: &[
            ("cycles.cluster0", "100.0"),
            ("cycles.cluster1", "100.0"),
            ("cycles.cluster2", "100.0"),
            ("cycles.cluster3", "100.0"),
            ("cycles.cluster4", "100.0"),
            ("cycles.cluster5", "100.0"),
            ("cycles.cluster6", "100.0"),
            ("cycles.cluster7", "130.0"),
        ],
        says: &["25.3012 % more cycles"],
        beside: &[&[("cycles.cluster7", "111.2")]],
        ..NONE
    },
    Case {
        id: "waves-diverge",
        block: "(100, 1, 1)",
        figures: &[("wave.active_threads", "23.9")],
        says: &["23.9 of 32 threads", "100 threads in a workgroup"],
        beside: &[&[("wave.active_threads", "24")]],
        ..NONE
    },
];
