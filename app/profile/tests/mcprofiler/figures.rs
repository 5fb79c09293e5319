//! Writes one table of made-up figures in every flavour, the way the tool prints them.

use std::fmt::Write;

/// How the tool prints a figure.
#[derive(Debug, Clone, PartialEq)]
pub enum Figure {
    /// An integer; with separators and as text from 1,000 on.
    Count(u64),
    /// A float; likewise, with one decimal if it is whole and else with two.
    Float(f64),
    /// A float with a unit behind it.
    Unit(f64, &'static str),
    /// Figures of a chart, as JSON.
    Chart(Vec<(&'static str, String)>),
    /// The chart with two sets of figures: what it is drawn from, and what is derived.
    Roofline(Vec<(&'static str, String)>, Vec<(&'static str, String)>),
}

pub struct Row {
    pub section: &'static str,
    pub name: &'static str,
    pub figure: Figure,
}

fn separated(text: &str) -> String {
    let (whole, rest) = text.find('.').map_or((text, ""), |at| text.split_at(at));
    let mut out = String::new();
    for (i, c) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out + rest
}

fn decimals(value: f64) -> String {
    if value.fract() == 0.0 {
        format!("{value:.1}")
    } else {
        format!("{value:.2}")
    }
}

fn object(members: &[(&str, String)], indent: usize) -> String {
    let pad = " ".repeat(indent);
    let lines: Vec<String> = members
        .iter()
        .map(|(k, v)| format!("{pad}    \"{k}\": {v}"))
        .collect();
    format!("{{\n{}\n{pad}}}", lines.join(",\n"))
}

impl Row {
    /// The text in `*.txt` and `*.txt.csv`.
    pub fn text(&self) -> String {
        match &self.figure {
            Figure::Count(n) => separated(&n.to_string()),
            Figure::Float(f) => separated(&decimals(*f)),
            Figure::Unit(f, unit) => separated(&decimals(*f)) + unit,
            _ => self.chart(0).unwrap_or_default(),
        }
    }

    /// The JSON value in `*.txt.json`.
    pub fn value(&self) -> String {
        match &self.figure {
            Figure::Count(n) if *n < 1000 => n.to_string(),
            Figure::Float(f) if *f < 1000.0 => format!("{:?}", (f * 100.0).round() / 100.0),
            Figure::Count(_) | Figure::Float(_) | Figure::Unit(..) => {
                format!("\"{}\"", self.text())
            }
            _ => self.chart(12).unwrap_or_default(),
        }
    }

    fn chart(&self, indent: usize) -> Option<String> {
        let picture = format!("\"/opt/tool/output/{}.png\"", self.name.replace(' ', "_"));
        Some(match &self.figure {
            Figure::Chart(data) => object(
                &[("data", object(data, indent + 4)), ("filename", picture)],
                indent,
            ),
            Figure::Roofline(from, derived) => object(
                &[
                    ("processed_data", object(from, indent + 4)),
                    ("data", object(derived, indent + 4)),
                    ("filename", picture),
                ],
                indent,
            ),
            _ => return None,
        })
    }

    /// Key and JSON value in `*_dumped_result.json`.
    pub fn raw(&self) -> (&'static str, String) {
        match &self.figure {
            Figure::Count(n) => ("data", n.to_string()),
            Figure::Float(f) | Figure::Unit(f, _) => ("data", format!("{f:?}")),
            Figure::Chart(data) => ("data", object(data, 12)),
            Figure::Roofline(from, _) => ("processed_data", object(from, 12)),
        }
    }
}

fn sections(rows: &[Row]) -> Vec<(&'static str, Vec<&Row>)> {
    let mut out: Vec<(&'static str, Vec<&Row>)> = Vec::new();
    for row in rows {
        match out.last_mut() {
            Some((section, list)) if *section == row.section => list.push(row),
            _ => out.push((row.section, vec![row])),
        }
    }
    out
}

fn json(rows: &[Row], row: impl Fn(&Row) -> String) -> String {
    let sections: Vec<String> = sections(rows)
        .into_iter()
        .map(|(section, list)| {
            let list: Vec<String> = list.into_iter().map(&row).collect();
            format!("    \"{section}\": [\n{}\n    ]", list.join(",\n"))
        })
        .collect();
    format!("{{\n{}\n}}", sections.join(",\n"))
}

pub fn txt_json(rows: &[Row]) -> String {
    json(rows, |r| {
        format!(
            "        {{\n            \"name\": \"{}\",\n            \"description\": \"about {}\",\n            \"value\": {}\n        }}",
            r.name,
            r.name,
            r.value()
        )
    })
}

pub fn dumped(rows: &[Row]) -> String {
    json(rows, |r| {
        let (key, value) = r.raw();
        format!(
            "        {{\n            \"{key}\": {value},\n            \"isError\": false,\n            \"message\": \"\",\n            \"name\": \"{}\"\n        }}",
            r.name
        )
    })
}

pub fn txt(rows: &[Row]) -> String {
    let mut out = String::new();
    for (section, list) in sections(rows) {
        let _ = writeln!(out, "{}\nSub-module: {section}", "#".repeat(30));
        for r in list {
            let _ = writeln!(
                out,
                "{}\nName: {}\nDescription: about {}\nValue: {}",
                "-".repeat(30),
                r.name,
                r.name,
                r.text()
            );
        }
    }
    out.pop();
    out
}

pub fn csv(rows: &[Row]) -> String {
    let mut out = String::from("Name,Description,Value\r\n");
    for r in rows {
        let text = r.text();
        let cell = if text.contains([',', '"', '\n']) {
            format!("\"{}\"", text.replace('"', "\"\""))
        } else {
            text
        };
        let _ = write!(out, "{},\"about {}, in words\",{cell}\r\n", r.name, r.name);
    }
    out
}

/// Made-up figures that follow from a seed.
pub struct Numbers(pub u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn share(&mut self) -> f64 {
        self.next() as f64 / (1u64 << 31) as f64
    }

    /// A figure of the kind that a letter stands for.
    fn figure(&mut self, kind: char) -> Figure {
        match kind {
            'i' => Figure::Count(self.next() * 7 + 1000),
            's' => Figure::Count(self.next() % 900),
            'w' => Figure::Float((self.next() * 5) as f64),
            'f' => Figure::Float(self.share() * 9e9 + 1000.0),
            'c' => Figure::Float(self.share() * 40.0),
            't' => Figure::Float(self.share() * 1e-4),
            'z' => Figure::Float(0.0),
            '%' => Figure::Unit(self.share() * 100.0, "%"),
            'k' => Figure::Unit(self.share() * 2e5, "(Kcycles)"),
            'm' => Figure::Unit(self.share() * 1e6, "(MB/s)"),
            _ => Figure::Unit((self.next() * 32) as f64, "byte"),
        }
    }

    fn members(&mut self, keys: &'static [&'static str]) -> Vec<(&'static str, String)> {
        keys.iter()
            .map(|k| {
                let value = match k.chars().last() {
                    _ if k.starts_with("l2c_G") => "null".into(),
                    Some('d' | 'r') => self.next().to_string(),
                    _ => format!("{:?}", self.share() * 3e8),
                };
                (*k, value)
            })
            .collect()
    }
}

const CHARTS: &[(&str, &[&str])] = &[
    (
        "Compute Instructions Cycles Rate",
        &[
            "MTE_4CYCLES",
            "MTE_16CYCLES",
            "MMA_16CYCLES",
            "MMA_32CYCLES",
        ],
    ),
    (
        "DPC Computing cycles comparison",
        &["0", "1", "2", "3", "4", "5", "6", "7"],
    ),
    (
        "ISU stall cycles layout",
        &[
            "wsm_stall",
            "vls_pipeline_stall",
            "vls_wdata_stall",
            "valu_stall",
        ],
    ),
    (
        "Instructions Comparison",
        &["MTE", "MMA", "STE", "GVM", "BSM", "LDU", "MISC"],
    ),
    (
        "Memory Data Flow Chart",
        &[
            "vl1c",
            "l2c",
            "sl1",
            "global_kernel_rd",
            "global_kernel_wr",
            "private_kernel_rd",
            "private_kernel_wr",
            "generic_kernel_rd",
            "generic_kernel_wr",
            "const_kernel_rd",
            "shared_kernel_rd",
            "shared_kernel_wr",
            "Ggeneric_vl1c_rd",
            "Ggeneric_vl1c_wr",
            "const_sl1c_rd",
            "sl1_l2c_rd",
            "vl1c_l2c_rd",
            "vl1c_l2c_wr",
            "l2c_Gmemory_rd",
            "l2c_Gmemory_wr",
        ],
    ),
    (
        "Dnoc Read Latency Histogram",
        &["0-255", "256-511", "512-1k", "1k-2k", "2k-"],
    ),
    (
        "VL1 partition stall cycles layout",
        &["pt0", "pt1", "pt2", "pt3"],
    ),
];

const SECTIONS: &[(&str, &[(char, &str)])] = &[
    (
        "Summary",
        &[
            ('i', "Total Instructions"),
            ('i', "Compute Instructions"),
            ('i', "Memory Instructions"),
            ('k', "Total Cycles"),
            ('m', "Memory Access per Second"),
            ('w', "Average AP busy cycles"),
            ('%', "AP busy Duty"),
            ('%', "Compute Instructions busy Duty"),
            ('R', "RoofLine"),
        ],
    ),
    (
        "CE Statistics",
        &[
            ('w', "WORKGROUPS"),
            ('w', "WAVES"),
            ('f', "Average Wave life cycles"),
        ],
    ),
    (
        "ISU Statistics",
        &[
            ('C', "Compute Instructions Cycles Rate"),
            ('C', "DPC Computing cycles comparison"),
            ('C', "ISU stall cycles layout"),
            ('C', "Instructions Comparison"),
        ],
    ),
    (
        "Memory Statistics",
        &[
            ('i', "Global Read Instructions"),
            ('s', "Global Write Instructions"),
            ('z', "Global Atomic Instructions"),
            ('i', "Private Read Instructions"),
            ('i', "Private Write Instructions"),
            ('i', "Constant Read Instructions"),
            ('i', "Constant Read SL1 Instructions"),
            ('i', "Constant Read L2 Instructions"),
            ('%', "Constant SL1 Hit Rate"),
            ('i', "VL1 Read Instructions"),
            ('i', "VL1 Write Instructions"),
            ('z', "VL1 Atomic Instructions"),
            ('%', "VL1 Hit Rate"),
            ('i', "L2C Read Instructions"),
            ('i', "L2C Write Instructions"),
            ('z', "L2C Atomic Instructions"),
            ('%', "L2C Hit Rate"),
            ('z', "Total Atomic Instructions"),
            ('w', "Dnoc Read Req"),
            ('w', "Dnoc Write Req"),
            ('b', "Global Memory Read bytes"),
            ('b', "Global Memory Write bytes"),
            ('c', "Dnoc Read Average Latency"),
            ('C', "Memory Data Flow Chart"),
            ('C', "Dnoc Read Latency Histogram"),
            ('C', "VL1 partition stall cycles layout"),
        ],
    ),
    (
        "Workgroup Memory",
        &[
            ('w', "load instructions"),
            ('w', "store instructions"),
            ('z', "atomic instructions"),
            ('w', "total instructions"),
            ('t', "average latency per load instruction"),
            ('c', "average latency per store instruction"),
            ('s', "average latency per atomic instruction"),
            ('c', "average latency of all stages per instruction"),
            ('c', "average cycles per load instruction"),
            ('t', "average cycles per store instruction"),
            ('s', "average cycles per atomic instruction"),
            ('c', "average conflict cycles per instruction"),
            ('c', "average cycles per instruction"),
            ('%', "shared memory access efficiency"),
        ],
    ),
    (
        "Occupancy",
        &[('w', "Achieved waves"), ('w', "Dispatched waves")],
    ),
    (
        "GPU Throughput Statistics",
        &[
            ('f', "AP active cycles"),
            ('%', "AP MTE Duty ratio"),
            ('%', "AP STE Duty ratio"),
            ('%', "AP MMA Duty ratio"),
            ('%', "VLS Duty ratio"),
            ('%', "L2C Duty ratio"),
        ],
    ),
    (
        "Compute workload",
        &[
            ('c', "instruction per cycle"),
            ('c', "instruction throughput"),
            ('%', "instruction throughput efficiency"),
        ],
    ),
    (
        "Instruction Statistics",
        &[('f', "instruction number"), ('f', "instructions per AP")],
    ),
];

/// A full report of made-up figures.
pub fn table(seed: u64) -> Vec<Row> {
    let mut n = Numbers(seed);
    let mut out = Vec::new();
    for (section, rows) in SECTIONS {
        for (kind, name) in *rows {
            let figure = match kind {
                'C' => {
                    let keys = CHARTS
                        .iter()
                        .find(|(c, _)| c == name)
                        .map_or(&[][..], |c| c.1);
                    Figure::Chart(n.members(keys))
                }
                'R' => Figure::Roofline(
                    n.members(&[
                        "all_ops",
                        "all_memacs",
                        "during",
                        "vl1_memacs",
                        "l2c_memacs",
                    ]),
                    n.members(&[
                        "core_clk",
                        "MAX_Flops_base",
                        "case_flops",
                        "MAX_Bandwith",
                        "MAX_I",
                        "case_I",
                        "case_bandwith",
                        "case_VL1_I",
                        "case_L2C_I",
                        "mc_clk",
                    ]),
                ),
                kind => n.figure(*kind),
            };
            out.push(Row {
                section,
                name,
                figure,
            });
        }
    }
    out
}
