//! Arguments of `assay report`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Arguments of `assay report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Formats, with commas between; several need -o (default: md, and with -o also csv where there are imported benchmark logs).
    #[arg(long, value_enum, value_delimiter = ',')]
    pub format: Vec<ReportFormat>,
    /// Folder to write to (default: print to standard output).
    #[arg(short = 'o', long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Write Markdown and HTML by this template (default: report.template.md beside the campaign file, if it is there).
    #[arg(long, value_name = "FILE")]
    pub template: Option<PathBuf>,
    /// Write nothing: say what stands against a write-up of this campaign, and exit with 1 if anything does.
    #[arg(long, conflicts_with_all = ["format", "output"])]
    pub check: bool,
    /// With --check: reports exported earlier, to be held to what the records come to now.
    #[arg(requires = "check")]
    pub files: Vec<PathBuf>,
}

/// Report formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// Markdown.
    Md,
    /// One page with its pictures in it, for a browser or print.
    Html,
    /// One row a figure.
    Csv,
    /// Everything that the report is made of.
    Json,
    /// A pull-request description with a checklist that the records fill.
    Pr,
}
