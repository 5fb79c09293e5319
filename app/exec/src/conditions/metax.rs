//! What `mx-smi dmon … --format csv` and plain `mx-smi` print. Pure.
//!
//! The CSV has a line of names, one of units, and rows that may be shorter or longer than either.
//! It tells neither clocks nor reasons for a slowdown; the plain text adds the power limit and the
//! processes. Which options tell the rest is not documented well enough to rely on.

use assay_core::Timestamp;

use super::cells::{Quantity, absent, cells, figure, program_name, safe_name};
use super::reading::{Conditions, OtherProcess};

/// What is said of the source of a reading.
pub const SOURCE: &str = "mx-smi";

/// Arguments for a reading as CSV.
pub const DMON: [&str; 11] = [
    "dmon",
    "--show-temperature",
    "--show-board-power",
    "--show-usage",
    "--show-memory",
    "--total-memory",
    "--show-bdf",
    "--format",
    "csv",
    "-c",
    "1",
];

/// Columns with figures that are read.
const HEAT: [&str; 3] = ["hottemp", "coretemp", "soctemp"];
const POWER: &str = "power";
const USE: &str = "gpu";

/// The column with the bus address.
const BUS: &str = "bdfid";

/// The CSV by its parts.
struct Dmon<'t> {
    head: Vec<&'t str>,
    units: Vec<&'t str>,
    /// A row for each die.
    rows: Vec<Vec<&'t str>>,
}

impl<'t> Dmon<'t> {
    fn of(text: &'t str) -> Result<Self, String> {
        let mut lines = text.lines().map(str::trim).filter(|l| !l.is_empty());
        let head = lines
            .by_ref()
            .map(cells)
            .find(|row| row.first() == Some(&"dev"))
            .ok_or("there is no header that begins with `dev`")?;
        let units = lines
            .next()
            .map(cells)
            .filter(|u| u.first() == Some(&"idx"))
            .ok_or("there is no line of units below the header")?;
        let rows: Vec<Vec<&str>> = lines
            .map(cells)
            .filter(|row| row.first().is_some_and(|d| d.parse::<u32>().is_ok()))
            .collect();
        if rows.is_empty() {
            return Err("it lists no device".into());
        }
        Ok(Self { head, units, rows })
    }

    /// The place of a column, with its unit.
    fn column(&self, name: &str) -> Option<(usize, &'t str)> {
        let at = self.head.iter().position(|h| *h == name)?;
        Some((at, self.units.get(at).copied().unwrap_or("")))
    }

    fn cell<'r>(&self, row: &[&'r str], name: &str) -> Option<&'r str> {
        let (at, _) = self.column(name)?;
        row.get(at).copied().filter(|c| !absent(c))
    }

    fn number(&self, row: &[&str], name: &str, quantity: Quantity) -> Option<f64> {
        let (_, unit) = self.column(name)?;
        (unit == quantity.unit).then(|| quantity.read(self.cell(row, name)?))?
    }
}

/// Reads the CSV: a reading for each die, in order; a device is named by its bus address.
///
/// # Errors
/// What is wrong with the text, in words.
pub fn dmon(text: &str, at: Timestamp) -> Result<Vec<Conditions>, String> {
    let table = Dmon::of(text)?;
    let die = |row: &Vec<&str>| {
        let mut c = Conditions::unknown(SOURCE, at);
        c.device = table.cell(row, BUS).map(safe_name);
        let heat = HEAT.map(|name| table.number(row, name, Quantity::TEMPERATURE));
        c.temperature_c = heat.into_iter().flatten().reduce(f64::max);
        c.power_w = table.number(row, POWER, Quantity::POWER);
        c.utilisation = table.number(row, USE, Quantity::USE);
        c
    };
    Ok(table.rows.iter().map(die).collect())
}

/// What is odd in the row of a device, or in one that names none: that it is cut off, or the first figure that can
/// be none of its kind; in words.
pub fn odd(text: &str, device: Option<&str>) -> Option<String> {
    let table = Dmon::of(text).ok()?;
    let is_mine = |row: &&Vec<&str>| {
        let named = table.cell(row, BUS);
        named.is_none() || device.is_none_or(|d| named == Some(d))
    };
    let heat = HEAT.map(|name| (name, Quantity::TEMPERATURE));
    let figures = [(POWER, Quantity::POWER), (USE, Quantity::USE)];
    let read: Vec<_> = heat.into_iter().chain(figures).collect();
    let of_row = |row: &Vec<&str>| {
        let names = read.iter().map(|(name, _)| *name).chain([BUS]);
        let is_cut = names
            .filter_map(|name| table.column(name))
            .any(|(at, _)| at >= row.len());
        if is_cut {
            return Some(format!(
                "`{SOURCE}` prints {} of {} fields of a device, cut off: what is missing is not known",
                row.len(),
                table.head.len()
            ));
        }
        read.iter().find_map(|(name, quantity)| {
            let (at, unit) = table.column(name)?;
            let cell = row.get(at).filter(|c| !absent(c))?;
            let with_unit = match unit == quantity.unit {
                true => (*cell).to_owned(),
                false => format!("{cell} {unit}"),
            };
            quantity.odd(SOURCE, name, &with_unit)
        })
    };
    table.rows.iter().filter(is_mine).find_map(of_row)
}

/// A card as the plain text shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Card {
    /// Its number.
    pub index: u32,
    /// Its bus address.
    pub bus: Option<String>,
    /// Power limit in watts.
    pub power_cap_w: Option<f64>,
    /// Who works on it.
    pub processes: Vec<OtherProcess>,
}

/// Reads the plain text: cards with their power limits, and processes.
///
/// # Errors
/// What is wrong with the text, in words.
pub fn overview(text: &str) -> Result<Vec<Card>, String> {
    let mut cards: Vec<Card> = Vec::new();
    let mut in_processes = false;
    let mut told = false;
    for line in text.lines() {
        let Some(inner) = line.trim().strip_prefix('|') else {
            continue;
        };
        let columns: Vec<&str> = inner
            .trim_end_matches('|')
            .split('|')
            .map(str::trim)
            .collect();
        let words: Vec<&str> = inner.trim_end_matches('|').split_whitespace().collect();
        if words.first() == Some(&"Process:") {
            in_processes = true;
        } else if in_processes {
            told |= words.starts_with(&["no", "process"]);
            if let Some((card, process)) = process(&words) {
                told = true;
                if let Some(c) = cards.iter_mut().find(|c| c.index == card) {
                    c.processes.push(process);
                }
            }
        } else if let Some(index) = number_before_name(&columns) {
            let bus = columns.get(1).filter(|b| b.contains(':'));
            cards.push(Card {
                index,
                bus: bus.map(|b| safe_name(b)),
                power_cap_w: None,
                processes: Vec::new(),
            });
        } else if let (Some(card), Some(cap)) = (cards.last_mut(), cap(&words)) {
            card.power_cap_w.get_or_insert(cap);
        }
    }
    if cards.is_empty() {
        return Err("it lists no card".into());
    }
    if !told {
        return Err("its list of processes is missing or of an unknown form".into());
    }
    Ok(cards)
}

/// `0  MetaX C500` in the first of several columns: the number.
pub(crate) fn number_before_name(columns: &[&str]) -> Option<u32> {
    let (index, name) = columns.first()?.split_once(char::is_whitespace)?;
    let name = name.trim();
    (columns.len() > 1 && name.to_ascii_lowercase().starts_with("m")).then(|| index.parse().ok())?
}

/// `48W / 350W`: the limit.
fn cap(words: &[&str]) -> Option<f64> {
    words.windows(3).find_map(|w| match w {
        [used, "/", cap] if used.ends_with('W') => figure(cap.strip_suffix('W')?, "W"),
        _ => None,
    })
}

/// `0  4711  python3 train.py  858`: card and process.
fn process(words: &[&str]) -> Option<(u32, OtherProcess)> {
    let [card, pid, name @ .., memory] = words else {
        return None;
    };
    let (card, pid) = (card.parse().ok()?, pid.parse().ok()?);
    let name = name.join(" ");
    Some((
        card,
        OtherProcess {
            pid,
            name: program_name(&name, pid),
            memory_mib: figure(memory, "MiB"),
            busy_percent: None,
        },
    ))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CSV: &str = "\
dev, die, hottemp, soctemp, coretemp, power, gpu, vpue, vpud, visvram, vram, xtt, total, bdfid
idx, idx, C, C, C, W, %, %, %, %, %, %, GB,
0, 0, 52, 40, 55, 201, 93, 0, 0, 12, 13, 1, 64, 0000:3b:00.0
1, 0, N/A, 31, , 61, 0, 0, 0
";

    const TEXT: &str = "\
mx-smi  version: 2.2.9
|------------------------------------+---------------------+----------------------+
| GPU         NAME                   | Bus-id              | GPU-Util             |
| Temp        Pwr:Usage/Cap          | Memory-Usage        | GPU-State            |
|====================================+=====================+======================|
| 0           MetaX C500             | 0000:3b:00.0        | 93%                  |
| 52C         201W / 350W            | 9000/65536 MiB      | Available            |
+------------------------------------+---------------------+----------------------+
| 1           MXC550                 | 0000:5e:00.0        | 0%                   |
| 31C P0      NA / NA                | 858/65536 MiB       | Available            |
+---------------------------------------------------------------------------------+
| Process:                                                                        |
|  GPU                    PID         Process Name                 GPU Memory     |
|                                                                  Usage(MiB)     |
|=================================================================================|
|  0                     4711         python3 train.py             8142           |
|  0                     4712         N/A                          NA             |
+---------------------------------------------------------------------------------+
";

    #[test]
    fn ragged_rows_are_read_by_names_and_units() {
        let all = dmon(CSV, Timestamp::UNIX_EPOCH).unwrap();
        assert_eq!(all[0].device.as_deref(), Some("0000:3b:00.0"));
        assert_eq!(
            (all[0].temperature_c, all[0].power_w),
            (Some(55.0), Some(201.0))
        );
        assert_eq!(
            (all[0].utilisation, all[0].sm_clock_mhz),
            (Some(93.0), None)
        );
        assert_eq!(
            (all[1].temperature_c, all[1].device.as_deref()),
            (Some(31.0), None)
        );
        assert!(all[1].idle());
        let milli = CSV.replace(" W,", " mW,");
        let all = dmon(&milli, Timestamp::UNIX_EPOCH).unwrap();
        assert_eq!(all[0].power_w, None, "another unit is not read as watts");
    }

    #[test]
    fn a_row_that_is_cut_off_and_a_figure_that_is_none_are_told() {
        let of = |row: &str| {
            let text = format!(
                "{}\n{row}\n",
                CSV.lines().take(2).collect::<Vec<_>>().join("\n")
            );
            dmon(&text, Timestamp::UNIX_EPOCH).unwrap();
            odd(&text, Some("0000:3b:00.0"))
        };
        let whole = "0, 0, 52, 40, 55, 201, 93, 0, 0, 12, 13, 1, 64, 0000:3b:00.0";
        assert_eq!(of(whole), None);
        assert_eq!(of(&whole.replace("201", "N/A")), None);
        let cut = of("0, 0, 45, 44").unwrap();
        assert!(
            cut.contains("4 of 14 fields") && cut.contains("cut off"),
            "{cut}"
        );
        for (was, cell, column) in [
            ("201", "nan", "power"),
            ("201", "-5", "power"),
            ("201", "hot", "power"),
            ("55", "very", "coretemp"),
            ("93", "400", "gpu"),
        ] {
            let told = of(&whole.replace(was, cell)).unwrap();
            assert!(
                told.contains(&format!("`{cell}` for `{column}`, which is no")),
                "{told}"
            );
        }
        let milli = odd(&CSV.replace(" W,", " mW,"), Some("0000:3b:00.0")).unwrap();
        assert!(milli.contains("`201 mW` for `power`"), "{milli}");
        // That of another card is not ours.
        assert_eq!(of(&whole.replace("201", "nan").replace("3b", "5e")), None);
    }

    #[test]
    fn a_table_without_header_units_or_rows_is_an_error() {
        for (text, words) in [
            ("", "no header"),
            ("mx-smi: command failed\n", "no header"),
            ("dev, die, power\n0, 0, 5\n", "no line of units"),
            ("dev, die, power\nidx, idx, W\n", "lists no device"),
        ] {
            let said = dmon(text, Timestamp::UNIX_EPOCH).unwrap_err();
            assert!(said.contains(words), "{text:?}: {said}");
        }
    }

    #[test]
    fn the_plain_text_adds_limits_and_processes() {
        let cards = overview(TEXT).unwrap();
        assert_eq!(cards.len(), 2);
        assert_eq!(
            (cards[0].power_cap_w, cards[1].power_cap_w),
            (Some(350.0), None)
        );
        assert_eq!(cards[0].bus.as_deref(), Some("0000:3b:00.0"));
        let names: Vec<&str> = cards[0].processes.iter().map(|p| p.name.as_str()).collect();
        assert_eq!(names, ["python3 train.py", "process 4712"]);
        assert_eq!(cards[0].processes[0].memory_mib, Some(8142.0));
        assert!(cards[1].processes.is_empty());
        let quiet = TEXT
            .lines()
            .filter(|l| !l.contains("471"))
            .collect::<Vec<_>>()
            .join("\n");
        let said = overview(&quiet).unwrap_err();
        assert!(
            said.contains("list of processes"),
            "an empty list that nobody vouches for: {said}"
        );
        let quiet = format!("{quiet}\n|  no process found   |\n");
        assert!(
            overview(&quiet)
                .unwrap()
                .iter()
                .all(|c| c.processes.is_empty())
        );
        assert!(overview("no devices\n").is_err());
    }

    proptest! {
        #[test]
        fn no_text_makes_a_reader_panic(text in "\\PC{0,200}", tail in "[ -~\n]{0,300}") {
            for t in [&text, &tail, &format!("{CSV}{tail}"), &format!("{TEXT}{tail}")] {
                let _ = dmon(t, Timestamp::UNIX_EPOCH);
                let _ = overview(t);
            }
        }
    }
}
