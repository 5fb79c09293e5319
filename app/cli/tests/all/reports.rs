//! Reports of profilers, made up for the tests: the shapes are those of the tools, the figures are not.

use std::path::Path;

use crate::support::write;

/// Rows of an mcProfiler report: section, name, figure as printed, unit as printed, exact figure.
pub type Row = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
);

/// A report that nothing speaks against.
pub const SOUND: &[Row] = &[
    ("Summary", "Total Instructions", "3,101", "", "3101.0"),
    ("Summary", "AP busy Duty", "98.56", "%", "98.5615145450249"),
    (
        "Memory Statistics",
        "L2C Hit Rate",
        "64.81",
        "%",
        "64.80556142370405",
    ),
    (
        "Workgroup Memory",
        "total instructions",
        "532.0",
        "",
        "532.0",
    ),
    (
        "GPU Throughput Statistics",
        "AP MMA Duty ratio",
        "28.75",
        "%",
        "28.74899316988854",
    ),
];

/// The same with a unit that is busy for longer than there is time.
pub fn overfull() -> Vec<Row> {
    let mut rows = SOUND.to_vec();
    if let Some(last) = rows.last_mut() {
        (last.2, last.4) = ("128.75", "128.74899316988854");
    }
    rows
}

fn sections(rows: &[Row]) -> Vec<&'static str> {
    let mut out: Vec<&str> = Vec::new();
    for (section, ..) in rows {
        if !out.contains(section) {
            out.push(section);
        }
    }
    out
}

fn of<'r>(rows: &'r [Row], section: &str) -> impl Iterator<Item = &'r Row> {
    rows.iter().filter(move |r| r.0 == section)
}

fn json(rows: &[Row], row: impl Fn(&Row) -> String) -> String {
    let sections: Vec<String> = sections(rows)
        .iter()
        .map(|s| {
            let rows: Vec<String> = of(rows, s).map(&row).collect();
            format!("    \"{s}\": [{}]", rows.join(", "))
        })
        .collect();
    format!("{{\n{}\n}}", sections.join(",\n"))
}

/// `*.txt.json`.
pub fn txt_json(rows: &[Row]) -> String {
    json(rows, |(_, name, shown, unit, _)| {
        format!("{{\"name\": \"{name}\", \"description\": \"d\", \"value\": \"{shown}{unit}\"}}")
    })
}

/// `*_dumped_result.json`.
pub fn dumped(rows: &[Row]) -> String {
    json(rows, |(_, name, _, _, exact)| {
        format!(
            "{{\"data\": {exact}, \"isError\": false, \"message\": \"\", \"name\": \"{name}\"}}"
        )
    })
}

/// `*.txt`.
pub fn txt(rows: &[Row]) -> String {
    let mut out = String::new();
    for section in sections(rows) {
        out.push_str(&format!("{}\nSub-module: {section}\n", "#".repeat(30)));
        for (_, name, shown, unit, _) in of(rows, section) {
            out.push_str(&format!(
                "{}\nName: {name}\nDescription: d\nValue: {shown}{unit}\n",
                "-".repeat(30)
            ));
        }
    }
    out
}

/// `*.txt.csv`.
pub fn csv(rows: &[Row]) -> String {
    let mut out = String::from("Name,Description,Value\r\n");
    for (_, name, shown, unit, _) in rows {
        out.push_str(&format!("{name},d,\"{shown}{unit}\"\r\n"));
    }
    out
}

/// All flavours of one report in a folder, `stem` as the tool names it.
pub fn all_flavours(folder: &Path, stem: &str, rows: &[Row]) {
    for (ending, text) in [
        (".txt.json", txt_json(rows)),
        ("_dumped_result.json", dumped(rows)),
        (".txt", txt(rows)),
        (".txt.csv", csv(rows)),
    ] {
        write(&folder.join(format!("{stem}{ending}")), &text);
    }
}

/// A raw page of Nsight Compute with launches of these kernels.
pub fn ncu(kernels: &[&str]) -> String {
    let mut out = String::from("==PROF== Connected to process 7\nhello from the program\n");
    let identity = "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\"";
    out.push_str(&format!(
        "{identity},\"gpu__time_duration.sum\",\"sm__throughput.avg.pct_of_peak_sustained_elapsed\"\n"
    ));
    out.push_str(&format!("{}\"ns\",\"%\"\n", "\"\",".repeat(11)));
    for (i, kernel) in kernels.iter().enumerate() {
        let kernel = kernel.replace('"', "\"\"");
        out.push_str(&format!(
            "\"{i}\",\"7\",\"prog\",\"host\",\"{kernel}\",\"1\",\"7\",\"(128, 1, 1)\",\"(64, 2, 1)\",\"0\",\"9.0\",\"1,{}00\",\"5{i}.5\"\n",
            i + 2
        ));
    }
    out
}
