//! What `nvidia-smi --query-… --format=csv` prints. Pure.
//!
//! Columns are found by their names, so that neither their order nor further ones matter. Drivers
//! differ in what they can be asked; [`QUERIES`] goes from the most to the least.

use std::collections::BTreeSet;

use assay_core::Timestamp;

use super::cells::{Quantity, absent, cells, figure, program_name, safe_name};
use super::reading::{Conditions, OtherProcess, Reason};

/// What is said of the source of a reading.
pub const SOURCE: &str = "nvidia-smi";

/// Fields to ask for, first those of new drivers; a driver refuses a list with one unknown name.
pub const QUERIES: [&str; 3] = [
    "uuid,clocks.sm,clocks.mem,power.draw,enforced.power.limit,temperature.gpu,utilization.gpu,\
     clocks_event_reasons.active,clocks_event_reasons_counters.sw_power_cap,\
     clocks_event_reasons_counters.sw_thermal_slowdown,\
     clocks_event_reasons_counters.hw_thermal_slowdown,\
     clocks_event_reasons_counters.hw_power_brake_slowdown",
    "uuid,clocks.sm,clocks.mem,power.draw,enforced.power.limit,temperature.gpu,utilization.gpu,\
     clocks_event_reasons.active",
    "uuid,clocks.sm,clocks.mem,power.draw,enforced.power.limit,temperature.gpu,utilization.gpu,\
     clocks_throttle_reasons.active",
];

/// Columns of the clock of the compute units.
const SM_CLOCK: [&str; 2] = ["clocks.current.sm", "clocks.sm"];

/// Columns of the clock of the memory.
const MEMORY_CLOCK: [&str; 2] = ["clocks.current.memory", "clocks.mem"];

/// Columns of the other figures that are read.
const POWER: [&str; 2] = ["power.draw", "power.draw.instant"];
const POWER_CAP: [&str; 2] = ["enforced.power.limit", "power.limit"];
const TEMPERATURE: [&str; 1] = ["temperature.gpu"];
const USE: [&str; 1] = ["utilization.gpu"];

/// What stands in a column that is read.
fn quantity(name: &str) -> Option<Quantity> {
    let of: [(&[&str], Quantity); 6] = [
        (&SM_CLOCK, Quantity::CLOCK),
        (&MEMORY_CLOCK, Quantity::CLOCK),
        (&POWER, Quantity::POWER),
        (&POWER_CAP, Quantity::POWER),
        (&TEMPERATURE, Quantity::TEMPERATURE),
        (&USE, Quantity::USE),
    ];
    let found = of.into_iter().find(|(names, _)| names.contains(&name));
    found.map(|(_, quantity)| quantity)
}

/// Fields of the list of processes.
pub const APPS: &str = "gpu_uuid,pid,process_name,used_gpu_memory";

/// Whether the tool refused a name in the list, so that a shorter list is worth a try.
pub fn refused(said: &str) -> bool {
    said.contains("is not a valid field to query")
}

/// Bits of the mask of reasons, from the NVML interface (`nvmlClocksEventReasons`).
const BITS: [(u64, Reason); 9] = [
    (0x1, Reason::Idle),
    (0x2, Reason::ClockSetting),
    (0x4, Reason::PowerCap),
    (0x8, Reason::HardwareSlowdown),
    (0x10, Reason::SyncBoost),
    (0x20, Reason::SoftwareThermal),
    (0x40, Reason::HardwareThermal),
    (0x80, Reason::PowerBrake),
    (0x100, Reason::DisplayClock),
];

/// The reasons in a mask; bits without a name are [`Reason::Unnamed`].
pub fn reasons(mask: u64) -> BTreeSet<Reason> {
    let named = BITS.iter().filter(|(bit, _)| mask & bit != 0);
    let mut out: BTreeSet<Reason> = named.map(|(_, r)| *r).collect();
    if BITS.iter().fold(mask, |left, (bit, _)| left & !bit) != 0 {
        out.insert(Reason::Unnamed);
    }
    out
}

/// Reads the answer to one of [`QUERIES`]: a reading for each GPU.
///
/// # Errors
/// What is wrong with the text, in words.
pub fn gpus(text: &str, at: Timestamp) -> Result<Vec<Conditions>, String> {
    let (head, rows) = table(text, "uuid")?;
    if let Some(short) = rows.iter().find(|row| row.len() < head.len()) {
        return Err(format!(
            "a row of {} of {} fields, cut off",
            short.len(),
            head.len()
        ));
    }
    Ok(rows.iter().map(|row| gpu(&head, row, at)).collect())
}

fn gpu(head: &[&str], row: &[&str], at: Timestamp) -> Conditions {
    let text = |names: &[&str]| {
        let column = head.iter().position(|h| names.contains(&bare(h)))?;
        row.get(column).copied().filter(|c| !absent(c))
    };
    let number = |names: &[&str], unit: &str| figure(text(names)?, unit);
    let mut c = Conditions::unknown(SOURCE, at);
    c.device = text(&["uuid", "gpu_uuid"]).map(safe_name);
    let told = |names: &[&str], quantity: Quantity| quantity.read(text(names)?);
    c.sm_clock_mhz = told(&SM_CLOCK, Quantity::CLOCK);
    c.mem_clock_mhz = told(&MEMORY_CLOCK, Quantity::CLOCK);
    c.power_w = told(&POWER, Quantity::POWER);
    c.power_cap_w = told(&POWER_CAP, Quantity::POWER);
    c.temperature_c = told(&TEMPERATURE, Quantity::TEMPERATURE);
    c.utilisation = told(&USE, Quantity::USE);
    let mask = text(&[
        "clocks_event_reasons.active",
        "clocks_throttle_reasons.active",
    ]);
    c.throttle = mask.and_then(hexadecimal).map(reasons);
    for (name, reason) in [
        ("sw_power_cap", Reason::PowerCap),
        ("sw_thermal_slowdown", Reason::SoftwareThermal),
        ("hw_thermal_slowdown", Reason::HardwareThermal),
        ("hw_power_brake_slowdown", Reason::PowerBrake),
    ] {
        let column = format!("clocks_event_reasons_counters.{name}");
        if let Some(us) = number(&[&column], "us") {
            c.throttle_counts.insert(reason, us as u64);
        }
    }
    // The tool does not say whether clocks are locked. A clock that only its setting holds down is.
    let only_set = BTreeSet::from([Reason::ClockSetting]);
    c.locked = c
        .throttle
        .as_ref()
        .filter(|t| **t == only_set)
        .map(|_| true);
    c
}

/// The first figure in an answer that can be none of its kind, e.g. a negative clock, in words.
pub fn odd(text: &str) -> Option<String> {
    let (head, rows) = table(text, "uuid").ok()?;
    let columns = head.iter().enumerate();
    let read = columns.filter_map(|(at, name)| Some((at, bare(name), quantity(bare(name))?)));
    let mut odd = read.flat_map(|(at, name, quantity)| {
        let cells = rows.iter().filter_map(move |row| row.get(at).copied());
        cells.filter_map(move |cell| quantity.odd(SOURCE, name, cell))
    });
    odd.next()
}

/// Reads the answer to `--query-compute-apps` with [`APPS`]: the processes on `device`, or on all
/// GPUs where it is `None`.
///
/// # Errors
/// What is wrong with the text, in words.
pub fn processes(text: &str, device: Option<&str>) -> Result<Vec<OtherProcess>, String> {
    if text
        .to_ascii_lowercase()
        .contains("no running processes found")
    {
        return Ok(Vec::new());
    }
    let (_, rows) = table(text, "gpu_uuid")?;
    let mut out = Vec::new();
    for row in rows {
        // The name may hold commas; what stands around it does not.
        let [uuid, pid, name @ .., memory] = row.as_slice() else {
            return Err(format!(
                "a row of {} cells in the list of processes",
                row.len()
            ));
        };
        if device.is_some_and(|d| d != *uuid) {
            continue;
        }
        let Ok(pid) = pid.parse() else {
            return Err(format!("`{}` is no number of a process", safe_name(pid)));
        };
        let name = name.join(", ");
        out.push(OtherProcess {
            pid,
            name: program_name(&name, pid),
            memory_mib: figure(memory, "MiB"),
            busy_percent: None,
        });
    }
    Ok(out)
}

type Table<'a> = (Vec<&'a str>, Vec<Vec<&'a str>>);

/// The table whose header has the column `key`; lines before it are the tool's remarks.
fn table<'a>(text: &'a str, key: &str) -> Result<Table<'a>, String> {
    let mut lines = text.lines().map(str::trim).filter(|l| !l.is_empty());
    let head = lines
        .by_ref()
        .map(cells)
        .find(|row| row.iter().any(|c| bare(c) == key))
        .ok_or_else(
            || match text.lines().map(str::trim).find(|l| !l.is_empty()) {
                Some(first) => format!(
                    "there is no header with `{key}`; it says: {}",
                    safe_name(first)
                ),
                None => "it says nothing".to_owned(),
            },
        )?;
    Ok((head, lines.map(cells).collect()))
}

/// The name of a column without its unit: `power.draw` of `power.draw [W]`.
fn bare(header: &str) -> &str {
    header.split_once(" [").map_or(header, |(name, _)| name)
}

fn hexadecimal(cell: &str) -> Option<u64> {
    u64::from_str_radix(cell.strip_prefix("0x")?, 16).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const FULL: &str = "\
uuid, clocks.current.sm [MHz], clocks.current.memory [MHz], power.draw [W], enforced.power.limit [W], temperature.gpu, utilization.gpu [%], clocks_event_reasons.active, clocks_event_reasons_counters.sw_power_cap [us], clocks_event_reasons_counters.sw_thermal_slowdown [us], clocks_event_reasons_counters.hw_thermal_slowdown [us], clocks_event_reasons_counters.hw_power_brake_slowdown [us]
GPU-1111, 1545 MHz, 2619 MHz, 298.53 W, 300.00 W, 71, 100 %, 0x0000000000000024, 51234 us, 0 us, 17 us, 0 us
GPU-2222, 210 MHz, 405 MHz, [N/A], [Not Supported], 31, 0 %, 0x0000000000000001, [N/A], [N/A], [N/A], [N/A]
";

    fn epoch() -> Timestamp {
        Timestamp::UNIX_EPOCH
    }

    #[test]
    fn figures_reasons_and_counters_are_read_by_the_names_of_columns() {
        let all = gpus(FULL, epoch()).unwrap();
        let busy = &all[0];
        assert_eq!(busy.device.as_deref(), Some("GPU-1111"));
        assert_eq!(
            (busy.sm_clock_mhz, busy.mem_clock_mhz),
            (Some(1545.0), Some(2619.0))
        );
        assert_eq!(
            (busy.power_w, busy.power_cap_w),
            (Some(298.53), Some(300.0))
        );
        assert_eq!(
            (busy.temperature_c, busy.utilisation),
            (Some(71.0), Some(100.0))
        );
        let both = BTreeSet::from([Reason::PowerCap, Reason::SoftwareThermal]);
        assert_eq!(busy.throttle, Some(both));
        assert_eq!(busy.throttle_counts[&Reason::PowerCap], 51234);
        assert_eq!(busy.throttle_counts[&Reason::HardwareThermal], 17);
        assert!(!busy.idle() && busy.locked.is_none());
        let idle = &all[1];
        assert_eq!((idle.power_w, idle.power_cap_w), (None, None));
        assert!(idle.throttle_counts.is_empty() && idle.idle());
    }

    #[test]
    fn a_figure_that_is_none_is_not_known_and_told() {
        assert_eq!(odd(FULL), None);
        for (was, cell, column) in [
            ("298.53 W", "1e99 W", "power.draw"),
            ("300.00 W", "much", "enforced.power.limit"),
            (", 71,", ", NaN,", "temperature.gpu"),
            ("100 %", "400 %", "utilization.gpu"),
        ] {
            let told = odd(&FULL.replacen(was, cell, 1)).unwrap();
            assert!(told.contains(&format!("`{column}`, which is no")), "{told}");
        }
        let hot = gpus(&FULL.replace("298.53 W", "1e99 W"), epoch()).unwrap();
        assert_eq!(hot[0].power_w, None);
        for (cell, is_odd) in [
            ("-5 MHz", true),
            ("9999999 MHz", true),
            ("fast", true),
            ("0 MHz", false),
            ("[N/A]", false),
        ] {
            let text = FULL.replace("1545 MHz", cell);
            assert_eq!(gpus(&text, epoch()).unwrap()[0].sm_clock_mhz, None);
            let told = odd(&text);
            assert_eq!(told.is_some(), is_odd, "{cell}: {told:?}");
            assert!(told.is_none_or(|t| t.contains(cell) && t.contains("clocks.current.sm")));
        }
    }

    #[test]
    fn older_names_other_orders_and_remarks_before_the_table_are_read() {
        let text = "Unable to set something\n\nclocks_throttle_reasons.active, clocks.sm [MHz], uuid\n0x0000000000000002, 1410 MHz, GPU-3\n";
        let all = gpus(text, epoch()).unwrap();
        assert_eq!(all[0].sm_clock_mhz, Some(1410.0));
        assert_eq!(all[0].locked, Some(true), "only the setting holds it down");
        assert_eq!(all[0].temperature_c, None);
    }

    #[test]
    fn masks_are_told_by_their_bits() {
        assert!(reasons(0).is_empty());
        assert_eq!(reasons(4), BTreeSet::from([Reason::PowerCap]));
        let odd = BTreeSet::from([Reason::HardwareSlowdown, Reason::Unnamed]);
        assert_eq!(reasons(0x8000_0000_0000_0008), odd);
    }

    #[test]
    fn what_is_damaged_is_unknown_or_said() {
        assert_eq!(gpus("", epoch()).unwrap_err(), "it says nothing");
        let failed =
            "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n";
        let said = gpus(failed, epoch()).unwrap_err();
        assert!(
            said.contains("no header with `uuid`; it says: NVIDIA-SMI has failed"),
            "{said}"
        );
        let short = gpus("uuid, power.draw [W], temperature.gpu\nGPU-1\n", epoch()).unwrap_err();
        assert!(short.contains("1 of 3 fields"), "{short}");
        let text = "uuid, power.draw [W], utilization.gpu [%], clocks_event_reasons.active\n\
            GPU-1, 9 kW, 400 %, Active\n";
        let wrong = gpus(text, epoch()).unwrap().remove(0);
        assert_eq!(
            (wrong.power_w, wrong.utilisation, wrong.throttle),
            (None, None, None)
        );
        assert!(refused(
            "Field \"clocks_event_reasons.active\" is not a valid field to query."
        ));
        assert!(!refused("No devices were found"));
    }

    #[test]
    fn processes_are_listed_with_commas_in_their_names() {
        let text = "gpu_uuid, pid, process_name, used_gpu_memory [MiB]\n\
            GPU-1, 4711, python3 a,b, 512 MiB\n\
            GPU-2, 12, [Not Found], [N/A]\n\
            GPU-1, 13, \u{1b}[31mred, 1 MiB\n";
        let mine = processes(text, Some("GPU-1")).unwrap();
        assert_eq!(mine.len(), 2);
        assert_eq!((mine[0].pid, mine[0].name.as_str()), (4711, "python3 a, b"));
        assert_eq!(mine[0].memory_mib, Some(512.0));
        assert!(!mine[1].name.contains('\u{1b}'));
        let all = processes(text, None).unwrap();
        assert_eq!(
            (all[1].name.as_str(), all[1].memory_mib),
            ("process 12", None)
        );
        let none = "gpu_uuid, pid, process_name, used_gpu_memory [MiB]\n";
        assert_eq!(processes(none, None), Ok(Vec::new()));
        assert_eq!(
            processes("No running processes found\n", None),
            Ok(Vec::new())
        );
        let head = "gpu_uuid, pid, process_name, used_gpu_memory [MiB]\n";
        assert!(processes(&format!("{head}GPU-1, 5\n"), None).is_err());
        assert!(processes(&format!("{head}GPU-1, five, x, 1 MiB\n"), None).is_err());
    }

    proptest! {
        #[test]
        fn no_text_makes_a_reader_panic(text in "\\PC{0,200}", tail in "[ -~\n]{0,300}") {
            for t in [&text, &tail, &format!("{FULL}{tail}"), &format!("gpu_uuid, pid\n{tail}")] {
                for c in gpus(t, epoch()).into_iter().flatten() {
                    prop_assert!(c.power_w.is_none_or(|w| w.is_finite() && w >= 0.0));
                }
                let _ = processes(t, Some("GPU-1"));
            }
        }
    }
}
