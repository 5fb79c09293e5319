//! Arguments of `diff`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// What `diff` compares.
#[derive(Debug, Args)]
#[command(
    after_help = "Generated source is compared after normalisation: renumbered temporaries, moved labels, comments and addresses \
are no change, literals are. Above the diff stands what the facts of both sides come to, and, for variants that \
were profiled, which counters go with them. That is no proof of a reason. Exit code: 0 also when they differ."
)]
pub struct DiffArgs {
    /// Variant A (default: the parent of B).
    pub a: Option<String>,
    /// Variant B.
    pub b: Option<String>,
    /// The kernel as written (default).
    #[arg(long, conflicts_with = "generated")]
    pub kernel: bool,
    /// The generated source.
    #[arg(long)]
    pub generated: bool,
    /// Both sides beside each other.
    #[arg(long)]
    pub side_by_side: bool,
    /// Compare lines as they are: what normalisation takes out counts as a change.
    #[arg(long)]
    pub raw: bool,
    /// Leave passes of normalisation out, e.g. `comments,whitespace`; the names stand in
    /// docs/source.md. Lines are compared after the others.
    #[arg(
        long,
        value_name = "PASS",
        value_delimiter = ',',
        conflicts_with = "raw"
    )]
    pub without: Vec<String>,
    /// List the facts of both sides also where they are the same.
    #[arg(long)]
    pub facts: bool,
    /// How to print it.
    #[arg(long, value_enum, default_value_t = DiffFormat::Text)]
    pub format: DiffFormat,
    /// Colour: on a terminal unless NO_COLOR is set, always, or never.
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Colour::Auto)]
    pub color: Colour,
    /// Compare two files, without a campaign; their language is told by name and content.
    #[arg(long, num_args = 2, value_names = ["F1", "F2"], conflicts_with_all = ["a", "b"])]
    pub files: Option<Vec<PathBuf>>,
}

/// Forms of a diff.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DiffFormat {
    /// Text, as wide as the terminal.
    Text,
    /// One page of HTML that needs nothing else.
    Html,
    /// One JSON document, as with --json.
    Json,
}

/// Whether there is colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Colour {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}
