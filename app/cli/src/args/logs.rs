//! Arguments about benchmark logs.

use assay_engine::logs::{ParseKind, ReadingsRule};
use clap::{Args, ValueEnum};

/// How a benchmark log is read, and what it is held against.
#[derive(Debug, Clone, Args)]
pub struct LogArgs {
    /// Form of the logs (default: told by content): tileops, tilelang, google-benchmark, nvbench, hyperfine, csv, json, markdown or regex.
    #[arg(long, value_name = "KIND", value_parser = kind, conflicts_with = "variant")]
    pub kind: Option<ParseKind>,
    /// What the time is, as in `[bench.parse]`: a column, a summary's tag, or for json `[NAME=]/POINTER` (repeatable).
    #[arg(
        long,
        visible_alias = "column",
        value_name = "COLUMN",
        conflicts_with = "variant"
    )]
    pub value: Vec<String>,
    /// Google Benchmark: which of its two times counts (default: real).
    #[arg(long, value_enum, conflicts_with_all = ["variant", "value"])]
    pub clock: Option<Clock>,
    /// Unit of the time (regex, csv, json, markdown): ns, us, ms or s.
    #[arg(long, value_name = "UNIT", conflicts_with = "variant")]
    pub unit: Option<String>,
    /// Regular expression (regex): its group `value`, or else its first one, is the time; groups `workload` and `tag` name rows.
    #[arg(long, value_name = "REGEX", conflicts_with = "variant")]
    pub pattern: Option<String>,
    /// Columns that name a row (csv, markdown), with commas between.
    #[arg(
        long,
        value_name = "COLUMN",
        value_delimiter = ',',
        conflicts_with = "variant"
    )]
    pub labels: Vec<String>,
    /// Column that names the subject (csv, markdown).
    #[arg(long, value_name = "COLUMN", conflicts_with = "variant")]
    pub tag_column: Option<String>,
    /// What stands between fields (csv): `,` `;` or tab.
    #[arg(long, value_name = "CHAR", conflicts_with = "variant")]
    pub delimiter: Option<String>,
    /// Subject that the others are held against; repeatable (default: the campaign's baselines, else what is called so, else the first).
    #[arg(long = "baseline", value_name = "SUBJECT", conflicts_with = "variant")]
    pub baselines: Vec<String>,
    /// Floating-point operations of a row by its own parameters, e.g. `2*batch*n*c`; without it the campaign's formula counts.
    #[arg(long, value_name = "FORMULA", conflicts_with = "variant")]
    pub flops: Option<String>,
    /// Bytes of a row by its own parameters; without it the campaign's formula counts.
    #[arg(long, value_name = "FORMULA", conflicts_with = "variant")]
    pub bytes: Option<String>,
    /// Say what would be read from the logs, and write nothing.
    #[arg(long, conflicts_with = "variant")]
    pub dry_run: bool,
    /// With --dry-run: print the table alone, as CSV with a line for each workload and subject.
    #[arg(long, requires = "dry_run")]
    pub csv: bool,
}

/// The times of Google Benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Clock {
    /// Wall time.
    Real,
    /// Time of the CPU.
    Cpu,
}

impl LogArgs {
    /// Whether a word was said that only means something for a benchmark log.
    pub fn is_given(&self) -> bool {
        self.kind.is_some() || self.dry_run || !self.baselines.is_empty() || !self.rule().is_empty()
    }

    /// What the form of a log does not say by itself.
    pub fn rule(&self) -> ReadingsRule {
        let clock = self.clock.map(|c| match c {
            Clock::Real => "real_time".to_owned(),
            Clock::Cpu => "cpu_time".to_owned(),
        });
        ReadingsRule {
            value: self.value.iter().cloned().chain(clock).collect(),
            unit: self.unit.clone(),
            pattern: self.pattern.clone(),
            labels: self.labels.clone(),
            tag_column: self.tag_column.clone(),
            delimiter: self.delimiter.clone(),
            flops: self.flops.clone(),
            bytes: self.bytes.clone(),
        }
    }
}

fn kind(word: &str) -> Result<ParseKind, String> {
    let names: Vec<&str> = ParseKind::ALL.iter().map(|k| k.name()).collect();
    ParseKind::from_name(word).ok_or_else(|| {
        let near = assay_core::text::nearest(word, names.iter().copied());
        let near = near.map_or_else(String::new, |n| format!("did you mean `{n}`? "));
        format!("{near}there are {}", names.join(", "))
    })
}
