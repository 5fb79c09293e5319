//! Header lines and what they say about the rows after them.

use smol_str::SmolStr;

use super::Field;

/// What the rows under a header are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// One row a metric: details pages of all versions, and `--metrics`.
    Details,
    /// One row a launch, after a row of units.
    Raw,
    /// One row a metric, over all launches of a kernel.
    Summary,
    /// One row an instruction or source line.
    Source,
}

/// Columns by their place.
#[derive(Debug, Clone)]
pub(super) struct Header {
    pub kind: Kind,
    pub separator: u8,
    pub names: Vec<SmolStr>,
    pub id: Option<usize>,
    pub process: Option<usize>,
    pub program: Option<usize>,
    pub kernel: Option<usize>,
    pub block: Option<usize>,
    pub grid: Option<usize>,
    pub section: Option<usize>,
    pub metric: Option<usize>,
    pub unit: Option<usize>,
    pub value: Option<usize>,
    pub rule: Option<usize>,
    /// Columns that say which launch it is and have no other place in the model.
    pub identity: Vec<usize>,
    /// Whether a column is none of the above: in a raw page, a metric.
    pub others: Vec<bool>,
}

const BEGINNINGS: [&[u8]; 5] = [
    b"\"ID\",\"Process ID\"",
    b"\"Process ID\",\"Process Name\"",
    b"\"#\",\"Address\"",
    b"\"#\",\"Source\"",
    b"\"Address\",\"Source\"",
];

impl Header {
    /// The separator, if the line begins like a header. Spreadsheets write them again without
    /// quotes and with semicolons.
    pub fn begins(line: &[u8]) -> Option<u8> {
        if !matches!(
            line,
            [b'"', b'I' | b'P' | b'#' | b'A', ..] | [b'I' | b'P' | b'#' | b'A', ..]
        ) {
            return None;
        }
        let quoted = line.starts_with(b"\"");
        [b',', b';', b'\t'].into_iter().find(|separator| {
            BEGINNINGS.iter().any(|beginning| {
                let mut line = line.iter();
                beginning.iter().filter(|b| quoted || **b != b'"').all(|b| {
                    let want = if *b == b',' { *separator } else { *b };
                    line.next() == Some(&want)
                })
            })
        })
    }

    /// A header from its fields.
    pub fn new(fields: &[Field<'_>], separator: u8) -> Option<Self> {
        let at = |name: &str| fields.iter().position(|f| f == name);
        let kind = if at("#").is_some() || (at("Address").is_some() && at("Source").is_some()) {
            Kind::Source
        } else if at("Metric Name").is_none() {
            Kind::Raw
        } else if at("Invocations").is_some() && at("Average").is_some() {
            Kind::Summary
        } else if at("Metric Value").is_some() {
            Kind::Details
        } else {
            return None;
        };
        if kind != Kind::Source && at("Kernel Name").is_none() {
            return None;
        }
        let known = [
            "ID",
            "Process ID",
            "Process Name",
            "Host Name",
            "Kernel Name",
            "Block Size",
            "Grid Size",
            "Section Name",
            "Metric Name",
            "Metric Unit",
            "Metric Value",
        ];
        let identity = |f: &str| {
            [
                "Kernel Time",
                "Context",
                "Stream",
                "Device",
                "CC",
                "Invocations",
            ]
            .contains(&f)
                || f.starts_with("thread Domain:")
                || f.starts_with("Id:Domain:")
        };
        Some(Self {
            kind,
            separator,
            id: at("ID"),
            process: at("Process ID"),
            program: at("Process Name"),
            kernel: at("Kernel Name"),
            block: at("Block Size"),
            grid: at("Grid Size"),
            section: at("Section Name"),
            metric: at("Metric Name"),
            unit: at("Metric Unit"),
            value: at("Metric Value"),
            rule: at("Rule Name"),
            identity: (0..fields.len())
                .filter(|i| identity(&fields[*i]))
                .collect(),
            others: fields
                .iter()
                .map(|f| !known.contains(&f.as_ref()) && !identity(f))
                .collect(),
            names: fields.iter().map(SmolStr::new).collect(),
        })
    }
}

impl Header {
    /// The column after those that say which launch it is.
    pub fn first_metric(&self) -> usize {
        let first = self.others.iter().position(|o| *o);
        first.unwrap_or(self.others.len())
    }
}

/// `(64, 256, 1)` as numbers.
pub(super) fn dimensions(text: &str) -> Option<[u64; 3]> {
    let inner = text.trim().strip_prefix('(')?.strip_suffix(')')?;
    let mut parts = inner.split(',').map(|p| p.trim().parse::<u64>());
    let all = [
        parts.next()?.ok()?,
        parts.next()?.ok()?,
        parts.next()?.ok()?,
    ];
    parts.next().is_none().then_some(all)
}
