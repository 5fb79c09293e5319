//! The command line: every command and flag, with the text that `--help` and `docs/cli.md` show.

use std::path::PathBuf;

use assay_core::campaign::Settings;
use assay_engine::counters::AUTO;
use clap::{Args, Parser, Subcommand, ValueEnum};

mod diff;
mod logs;
mod profiles;
mod report;
mod run;

pub use diff::{Colour, DiffArgs, DiffFormat};
pub use logs::LogArgs;
pub use profiles::{AuditArgs, CompareArgs, ImportArgs, TableFormat};
pub use report::{ReportArgs, ReportFormat};
pub use run::{JobsArgs, RunArgs, of_request};

/// A workbench for people who make kernels faster.
#[derive(Debug, Parser)]
#[command(
    name = "assay",
    version,
    about,
    max_term_width = 100,
    infer_subcommands = false
)]
#[command(
    after_help = "Exit codes of compare and verdict: 0 FASTER or SAME, 1 SLOWER, 2 NO_GAIN, UNDECIDED or INVALID, or \
no verdict on the pair. Of run: 0 it ran to its end and is recorded, whatever the verdict (compare \
gives its code); 1 a variant failed, or its samples are INVALID. Of accept and merge: 1 a gate is in \
the way. Of all commands: 0 done, 3 usage or input error, 4 environment or tool failure. Others name \
theirs in their own help."
)]
pub struct Cli {
    /// Work in this folder: a campaign, or a ledger as a plain folder.
    #[arg(short = 'C', long = "dir", global = true, value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// Read this campaign, of a ledger that holds several (default: the one of the campaign file here).
    #[arg(long, global = true, value_name = "NAME")]
    pub campaign: Option<String>,
    /// Print one JSON document instead of text (reading commands).
    #[arg(long, global = true)]
    pub json: bool,
    /// Language of the terminal interface, of reports, of findings and of source diffs; other output is English.
    #[arg(long, global = true, value_enum)]
    pub lang: Option<Lang>,
    /// Approve the campaign's commands and variants without asking (for scripts; you answer for them).
    #[arg(long, global = true)]
    pub trust: bool,
    /// Record this name as author instead of the one in git's configuration.
    #[arg(long = "as", global = true, value_name = "NAME")]
    pub author: Option<String>,
    /// The mouse scrolls and selects in the terminal interface (M switches it there).
    #[arg(long)]
    pub mouse: bool,
    /// How many colours the terminal interface has: auto asks NO_COLOR, COLORTERM and TERM.
    #[arg(long, value_name = "COLOURS", value_parser = clap::builder::PossibleValuesParser::new(Settings::COLORS))]
    pub color: Option<String>,
    /// Theme of the terminal interface.
    #[arg(long, value_name = "THEME", value_parser = clap::builder::PossibleValuesParser::new(Settings::THEMES))]
    pub theme: Option<String>,
    /// What to do; without a command the terminal interface opens.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// Languages of the interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Lang {
    /// English.
    En,
    /// Simplified Chinese.
    Zh,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make the CPU demo campaign, run it whole, and open it (continues an earlier one).
    Demo {
        /// Folder of the demo, inside DIR when `-C DIR` is given (default: DIR, else `assay-demo`).
        folder: Option<PathBuf>,
        /// Print the summary instead of opening the terminal interface.
        #[arg(long)]
        no_tui: bool,
    },
    /// Make a campaign file here if there is none, and pin the evaluator.
    Init {
        /// Why the evaluator is pinned anew (required when it changed).
        #[arg(long, value_name = "TEXT")]
        why: Option<String>,
    },
    /// Say what this machine has, what is missing, and what to do about it.
    Doctor {
        /// Only what this target of the campaign needs counts as missing.
        #[arg(long)]
        target: Option<String>,
    },
    /// Measure this machine: its noise in a campaign, and the peak rates of the CPU (under a minute).
    Calibrate(CalibrateArgs),
    /// Break or slow the kernel on purpose, and say whether the evaluator notices.
    Canary(CanaryArgs),
    /// Show what would be run, and approve it.
    Trust {
        /// Withdraw the approval instead.
        #[arg(long)]
        revoke: bool,
    },
    /// Start a variant: a branch with a hypothesis.
    New {
        /// Name of the variant.
        name: String,
        /// Start from this variant or revision (default: the champion).
        #[arg(long, value_name = "REV")]
        from: Option<String>,
        /// The hypothesis: what should get better and why.
        #[arg(long, value_name = "TEXT")]
        why: String,
        /// Family of ideas it belongs to.
        #[arg(long, value_name = "F")]
        family: Option<String>,
        /// A knob that it sets, `K=V`; repeatable.
        #[arg(long = "knob", value_name = "K=V")]
        knobs: Vec<String>,
        /// A counter that must move, e.g. `inst.total<-30%` or `time<-5%`; repeatable.
        #[arg(long = "predict", value_name = "COUNTER<P%")]
        predictions: Vec<String>,
    },
    /// Open the work tree of a variant (outside your checkout) and print its path.
    Edit {
        /// The variant.
        name: String,
        /// Only print the path.
        #[arg(long)]
        no_editor: bool,
    },
    /// Commit the edits of a variant's work tree to its branch.
    Commit {
        /// The variant.
        name: String,
        /// Commit message (default: the hypothesis).
        #[arg(short, long)]
        message: Option<String>,
    },
    /// Move a variant onto the champion (or another variant).
    Rebase {
        /// The variant.
        name: String,
        /// Onto this variant instead of the champion.
        #[arg(long, value_name = "REF")]
        onto: Option<String>,
    },
    /// Make a variant of the changes of two.
    Combine {
        /// First variant.
        a: String,
        /// Second variant.
        b: String,
        /// Name of the new variant (default: `a+b`).
        #[arg(long)]
        name: Option<String>,
        /// The hypothesis.
        #[arg(long, value_name = "TEXT")]
        why: Option<String>,
    },
    /// Make one variant for each part of a step, each without that part.
    Ablate {
        /// The variant to take apart.
        name: String,
    },
    /// Build, check, bench and profile variants.
    Run(RunArgs),
    /// Show the jobs of this campaign, or one with its log; cancel it, or run it again.
    Jobs(JobsArgs),
    /// List the variants.
    List {
        /// Terms such as `verdict:FASTER`, `status:rejected`, `family:simd`, or part of a name.
        filter: Vec<String>,
        /// Sort by this column.
        #[arg(long)]
        sort: Option<String>,
        /// Largest first.
        #[arg(long)]
        reverse: bool,
        /// Print CSV.
        #[arg(long)]
        csv: bool,
    },
    /// Show one variant with its evidence, or one record with the logs and samples stored beside it.
    Show {
        /// The variant, or the id of a record as `assay log --json` and reports have it.
        name: String,
        /// Write the files that failed stages left (partial reports of a profiler) below this folder instead.
        #[arg(long, value_name = "DIR")]
        left: Option<PathBuf>,
    },
    /// Show the records of the ledger, newest first.
    Log {
        /// Only records about this variant.
        name: Option<String>,
        /// At most this many.
        #[arg(short = 'n', long, default_value_t = 50)]
        limit: usize,
    },
    /// Compare two or more variants, or the counters of their profiles or of report files.
    Compare(CompareArgs),
    /// Show what differs in the source of two variants, or of two files, and what that comes to.
    Diff(DiffArgs),
    /// Read profiler reports: counters, and what rules say of them; needs no campaign.
    Inspect(InspectArgs),
    /// Apply the decision procedure to raw samples, without a campaign.
    Verdict {
        /// Samples as the harness writes them, JSON lines.
        samples: PathBuf,
        /// Subject A: what B is measured against.
        #[arg(long)]
        a: String,
        /// Subject B.
        #[arg(long)]
        b: String,
        /// The effect that matters.
        #[arg(long, default_value = "1%")]
        delta: String,
        /// The rule: `assay`, `median-lower`, `threshold` or `mann-whitney`.
        #[arg(long, value_name = "P", default_value = "assay")]
        policy: String,
        /// Least gain that the policy `threshold` accepts (default: 3 %).
        #[arg(long, value_name = "P%")]
        threshold: Option<String>,
    },
    /// Accept a variant: it becomes the champion.
    Accept(DecideArgs),
    /// Reject a variant.
    Reject(DecideArgs),
    /// Put a variant aside.
    Park(DecideArgs),
    /// Make an earlier champion the champion again, or settle a contest.
    Rollback(DecideArgs),
    /// Keep a note in the ledger; without a text, print the notes that there are.
    Note {
        /// The text.
        text: Option<String>,
        /// The variant or baseline that it is about (default: the campaign; of printed notes: all).
        #[arg(long, value_name = "NAME")]
        about: Option<String>,
        /// What kind of thing it says, in a few words; `environment`: the machine of published figures.
        #[arg(long, value_name = "WORDS", requires = "text")]
        topic: Option<String>,
        /// A table that belongs to it: CSV with a header, or .tsv; it is shown as it stands.
        #[arg(long, value_name = "FILE", requires = "text")]
        table: Option<PathBuf>,
    },
    /// Write the report of the campaign, or check whether it can be trusted.
    Report(ReportArgs),
    /// Hash everything again and recompute every verdict from the raw samples.
    Verify {
        /// A bundle that `assay export --bundle` wrote (default: the campaign here).
        bundle: Option<PathBuf>,
        /// First list the records of a plain folder in `records.sha256`, so that one that is deleted as a
        /// whole is noticed later; `assay export` writes the list by itself.
        #[arg(long, conflicts_with = "bundle")]
        cover: bool,
    },
    /// Write the ledger as a plain folder, or the whole campaign as one file.
    Export {
        /// Folder to write; must not exist or be a ledger already.
        #[arg(required_unless_present = "bundle")]
        folder: Option<PathBuf>,
        /// Pack records, samples, sources, profiles and the report into this new .tar.gz file.
        #[arg(long, value_name = "FILE", conflicts_with = "folder")]
        bundle: Option<PathBuf>,
    },
    /// Take the records of other ledgers, or file a benchmark log or a profiler report.
    Import(Box<ImportArgs>),
    /// Say what in the profiles of the campaign cannot be right, or is not what it seems.
    Audit(AuditArgs),
    /// Exchange records and variants with a git remote.
    Sync {
        /// The remote.
        #[arg(default_value = "origin")]
        remote: String,
        /// Large blobs too.
        #[arg(long)]
        blobs: bool,
    },
    /// Remove records that were corrected, leaving tombstones.
    Gc {
        /// Only say what would go.
        #[arg(long)]
        dry_run: bool,
        /// Why (required for the real run).
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
    },
    /// Print a JSON schema: `campaign` or the name of a view.
    Schema {
        /// Which; without it the names are listed.
        name: Option<String>,
    },
    /// Print the completion script of a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Print a generated page of the documentation.
    #[command(hide = true)]
    Docs {
        /// `cli`, `config`, `keys` or `source`.
        page: String,
    },
    /// Draw a screen of the interface as SVG: the one that these keys lead to.
    #[command(hide = true)]
    Screen {
        /// Names of keys in blanks, or text in quotes, e.g. `7 / "l2" enter`.
        keys: String,
        /// Columns and rows.
        #[arg(long, default_value = "120x34")]
        size: String,
    },
}

/// What `calibrate` measures.
#[derive(Debug, Args)]
#[command(
    after_help = "Noise is what is left when a subject is measured against a copy of itself. It is recorded in the \
campaign, and runs are warned by it. Peaks are kept as a device, which rates are held against. \
Outside a campaign only peaks are measured."
)]
pub struct CalibrateArgs {
    /// Measured against itself (default: the champion, else the first baseline).
    pub name: Option<String>,
    /// Fresh processes for the noise: 4 at least.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(4..=1000))]
    pub processes: u32,
    /// Target in the campaign file.
    #[arg(long, default_value = "local")]
    pub target: String,
    /// Only the noise.
    #[arg(long)]
    pub noise: bool,
    /// See whether measuring two at once disturbs: the same subject alone as well (modes pair, resident).
    #[arg(long, conflicts_with_all = ["peaks", "history"])]
    pub isolation: bool,
    /// Only the peaks.
    #[arg(long, conflicts_with_all = ["noise", "name"])]
    pub peaks: bool,
    /// Measure nothing: show the calibrations of this device in the campaign.
    #[arg(long, conflicts_with_all = ["noise", "peaks", "name"])]
    pub history: bool,
    /// Do not wait for the device; fail when it is in use.
    #[arg(long)]
    pub no_wait: bool,
}

/// Which canaries are tried.
#[derive(Debug, Args)]
#[command(
    after_help = "The campaign file declares them as [[canary]]. A broken one must fail its check, a slowed one must measure \
SLOWER. What came of it is recorded, and stands beside every verdict of this evaluator until all are noticed. \
Exit codes: 0 all were noticed, 1 one survived, 2 one proves nothing."
)]
pub struct CanaryArgs {
    /// Names (default: all that are declared).
    pub names: Vec<String>,
    /// The variant to change (default: the champion, else the kernel at the evaluator's commit).
    #[arg(long, value_name = "VARIANT")]
    pub of: Option<String>,
    /// Target in the campaign file.
    #[arg(long, default_value = "local")]
    pub target: String,
    /// Run nothing: show how the canaries of the pinned evaluator stand.
    #[arg(long, conflicts_with_all = ["names", "of"])]
    pub history: bool,
    /// Do not wait for the device; fail when it is in use.
    #[arg(long)]
    pub no_wait: bool,
}

/// What `inspect` looks at.
#[derive(Debug, Args)]
#[command(
    after_help = "Findings do not change the exit code, unless --strict is given: 0 something was read, \
1 with --strict when an audit rule found an error, 3 nothing could be read, or usage, 4 a tool is missing."
)]
pub struct InspectArgs {
    /// Files and folders of any profiler that is known here, or `-` for standard input.
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// The format; `auto` tells it by content.
    #[arg(long, value_name = "NAME", default_value = AUTO)]
    pub format: String,
    /// Read a CSV or JSON that no reader knows as this file says.
    #[arg(long, value_name = "FILE", conflicts_with = "format")]
    pub mapping: Option<PathBuf>,
    /// Hold rates against this device, or a share of it (`c500@25%`); default: as the report says.
    #[arg(long, value_name = "NAME[@SHARE%]")]
    pub device: Option<String>,
    /// Data type whose peak rates are held against: fp16, bf16, fp32, fp64 or int8.
    #[arg(long, value_name = "TYPE")]
    pub dtype: Option<String>,
    /// Only kernels whose names contain this.
    #[arg(long, value_name = "TEXT")]
    pub kernel: Option<String>,
    /// Only this launch of each kernel, from 0; without it many launches are summarised.
    #[arg(long, value_name = "N")]
    pub launch: Option<u32>,
    /// Read counters, devices and rules of your own in this folder as well.
    #[arg(long, value_name = "DIR")]
    pub profiles: Option<PathBuf>,
    /// Print every launch and every counter.
    #[arg(long)]
    pub all: bool,
    /// End with 1 when an audit rule found an error.
    #[arg(long)]
    pub strict: bool,
}

/// A decision.
#[derive(Debug, Args)]
pub struct DecideArgs {
    /// The variant.
    pub name: String,
    /// Why.
    #[arg(long, value_name = "TEXT")]
    pub reason: String,
    /// Override a failing gate, `GATE=REASON`; repeatable, and shown for ever.
    #[arg(long = "override", value_name = "GATE=REASON")]
    pub overrides: Vec<String>,
}
