//! The one table of keys that checks, defaults, the JSON schema and the reference page come from.

use super::keys::{Kind, Table, may, need, or};
use super::languages::{LANGUAGES, MEANING};

/// The name and version of the format.
pub const SCHEMA: &str = "assay.campaign/1";

pub(crate) const MODES: &[&str] = &["pair", "resident", "invocation"];
pub(crate) const CACHES: &[&str] = &["hot", "cold", "rotating"];
pub(crate) const POLICIES: &[&str] = &["assay", "median-lower", "threshold", "mann-whitney"];
pub(crate) const DEVICES: &[&str] = &["cpu", "cuda", "metax"];

const COMMAND: &str =
    "What to run: a text for `sh -c`, or an array of a program and its arguments.";
const TIMEOUT: Kind = Kind::Duration { zero: false };

/// The tables of `assay.toml`.
pub(crate) static TABLES: &[Table] = &[
    Table {
        path: "",
        doc: "What a campaign is: one optimisation effort, its kernel, workloads and rules.",
        keys: &[
            need(
                "schema",
                Kind::Choice(&[SCHEMA]),
                "Name and version of this format.",
            ),
            need(
                "name",
                Kind::CampaignName,
                "Name of the campaign; its branches are `assay/<name>/<variant>`.",
            ),
            or(
                "title",
                Kind::Text,
                "",
                "Title for people; the name when absent.",
            ),
            need(
                "kernel",
                Kind::Table("kernel"),
                "What a variant may change.",
            ),
            may(
                "dims",
                Kind::Formulas,
                "Derived dims, in order; each may use the dims of the workload, numeric parameters and the derived dims before it.",
            ),
            need("formulas", Kind::Table("formulas"), "Work of one launch."),
            need(
                "workload",
                Kind::Tables {
                    path: "workload",
                    least: 1,
                },
                "What is measured.",
            ),
            may(
                "params",
                Kind::Params,
                "Parameters of a variant with their defaults; `variant.toml` overrides them.",
            ),
            may(
                "baseline",
                Kind::Tables {
                    path: "baseline",
                    least: 0,
                },
                "References measured beside the variants, never in competition.",
            ),
            need("build", Kind::Table("build"), "How a variant is built."),
            may(
                "source",
                Kind::Table("source"),
                "How the generated source is captured.",
            ),
            need(
                "check",
                Kind::Table("check"),
                "How results are checked; a wrong result is never timed.",
            ),
            need("bench", Kind::Table("bench"), "How a pair is timed."),
            may("profile", Kind::Table("profile"), "How counters are taken."),
            may(
                "gate",
                Kind::Tables {
                    path: "gate",
                    least: 0,
                },
                "Conditions that a variant must meet.",
            ),
            may(
                "canary",
                Kind::Tables {
                    path: "canary",
                    least: 0,
                },
                "Kernels that are broken or slowed on purpose: what the evaluator must notice.",
            ),
            may(
                "untimed",
                Kind::Tables {
                    path: "untimed",
                    least: 0,
                },
                "Steps that belong to using the kernel and are not timed.",
            ),
            may("decide", Kind::Table("decide"), "What counts as faster."),
            may("noise", Kind::Table("noise"), "What counts as noisy."),
            may(
                "control",
                Kind::Table("control"),
                "A kernel that never changes, measured against itself once a session.",
            ),
            may(
                "env",
                Kind::Table("env"),
                "The environment of all commands.",
            ),
            may(
                "target",
                Kind::Named("target.NAME"),
                "Where it runs; `local` is always there.",
            ),
        ],
    },
    Table {
        path: "kernel",
        doc: "Files and folders, relative to the campaign file.",
        keys: &[
            need(
                "paths",
                Kind::Paths { least: 1 },
                "What a variant may change.",
            ),
            or(
                "protected",
                Kind::Paths { least: 0 },
                "assay.toml",
                "The evaluator, always taken from the pinned commit; `assay.toml` is always part of it.",
            ),
        ],
    },
    Table {
        path: "formulas",
        doc: "Work of one launch, from the dims of the workload. Checked for every workload when the file is read: every name is declared, the value is finite, not negative, at most 2^53, and whole when all dims used are whole. The unit follows from the key; `dtype_bytes` is the size of one element where the dtype is known.",
        keys: &[
            need("flops", Kind::Formula, "Floating-point operations (flop)."),
            need(
                "bytes",
                Kind::Formula,
                "Bytes that must be moved at least (bytes).",
            ),
            may(
                "outputs",
                Kind::Formula,
                "Output elements. With `ops_per_output`, `assay audit` holds `flops` against it and finds a formula that is wrong in itself.",
            ),
            may(
                "ops_per_output",
                Kind::Formula,
                "Floating-point operations that one output element needs, e.g. `2*K`.",
            ),
            may(
                "groups",
                Kind::Formula,
                "Workgroups of one launch; a report of another number is of another kernel or of several launches.",
            ),
            may(
                "published_flops",
                Kind::Formula,
                "Floating-point operations as a document counts them, where that is not `flops`: `assay audit` holds it against `outputs` and `ops_per_output` too.",
            ),
            may(
                "published_where",
                Kind::Text,
                "Where that document says so: its name and section, which `assay audit` names.",
            ),
        ],
    },
    Table {
        path: "workload",
        doc: "One problem to measure.",
        keys: &[
            need("name", Kind::Label, "Name, unique in the campaign."),
            may(
                "dims",
                Kind::Dims,
                "Dims by name: non-negative numbers, sizes in elements.",
            ),
            or(
                "dtype",
                Kind::Label,
                "f32",
                "Element type, e.g. `f32`, `bf16`.",
            ),
            or(
                "weight",
                Kind::Positive,
                "1",
                "Weight in the geometric mean over workloads.",
            ),
        ],
    },
    Table {
        path: "baseline",
        doc: "One reference implementation.",
        keys: &[
            need("name", Kind::Slug, "Name, unique in the campaign."),
            need(
                "build",
                Kind::Command,
                "Command that builds it, in the environment of a variant's build.",
            ),
            may(
                "requires",
                Kind::Command,
                "Command that exits with 0 where the baseline is available.",
            ),
        ],
    },
    Table {
        path: "build",
        doc: "Runs in the campaign folder and writes into `$ASSAY_BUILD`.",
        keys: &[
            need("command", Kind::Command, COMMAND),
            need(
                "artefact",
                Kind::Path,
                "What it makes, relative to `$ASSAY_BUILD`.",
            ),
            or("timeout", TIMEOUT, "60s", "Time limit."),
        ],
    },
    Table {
        path: "source",
        doc: "Writes the generated source into `$ASSAY_BUILD`.",
        keys: &[
            may(
                "command",
                Kind::Command,
                "What to run; absent when the build already writes the files.",
            ),
            need(
                "files",
                Kind::Paths { least: 1 },
                "The files, relative to `$ASSAY_BUILD`. PTX and SASS beside their source (`.ptx`, `.sass`) have facts of their own.",
            ),
            or("language", Kind::Choice(LANGUAGES), "auto-asm", MEANING),
            or("timeout", TIMEOUT, "60s", "Time limit."),
        ],
    },
    Table {
        path: "check",
        doc: "Compares results with the oracle's and answers one `check` line for each workload.",
        keys: &[
            need("command", Kind::Command, COMMAND),
            or("timeout", TIMEOUT, "60s", "Time limit."),
            super::sanitizer::KEY,
        ],
    },
    Table {
        path: "bench",
        doc: "Times two subjects in mirrored blocks and answers `samples` lines.",
        keys: &[
            need("command", Kind::Command, COMMAND),
            or(
                "mode",
                Kind::Choice(MODES),
                "pair",
                "`pair`: one process holds both subjects; `resident`: one process for each, measuring on request; `invocation`: one process for each leg.",
            ),
            or(
                "blocks",
                Kind::Count {
                    least: 1,
                    most: 1000,
                },
                "6",
                "Mirrored blocks (ABBA) in one process.",
            ),
            or(
                "min_leg",
                Kind::Duration { zero: false },
                "10ms",
                "Least time of one leg.",
            ),
            or(
                "warmup",
                Kind::Duration { zero: true },
                "50ms",
                "Untimed work before the first leg.",
            ),
            or(
                "cache",
                Kind::Choice(CACHES),
                "hot",
                "State of the caches before each launch.",
            ),
            or("timeout", TIMEOUT, "120s", "Time limit for one process."),
            may(
                "parse",
                Kind::Table("bench.parse"),
                "How to read the output of an existing program; only with `mode = \"invocation\"`.",
            ),
        ],
    },
    super::parse::TABLE,
    super::profiling::TABLE,
    Table {
        path: "gate",
        doc: "One condition over check results (the worst over all workloads), facts, resources and counters.",
        keys: &[
            need("name", Kind::Slug, "Name, unique in the campaign."),
            need(
                "rule",
                Kind::Rule,
                "Condition, e.g. `max_abs_error <= 1e-3` or `fact[\"vector.fma\"] > 0`.",
            ),
            or(
                "message",
                Kind::Text,
                "",
                "What to tell a person when it is not met.",
            ),
        ],
    },
    super::integrity::CANARY,
    super::integrity::UNTIMED,
    Table {
        path: "decide",
        doc: "The decision procedure.",
        keys: &[
            or(
                "delta",
                Kind::Percent { zero: false },
                "1%",
                "The effect that matters.",
            ),
            or(
                "guard",
                Kind::Percent { zero: true },
                "2%",
                "No single workload may be proven slower by more than this.",
            ),
            or(
                "policy",
                Kind::Choice(POLICIES),
                "assay",
                "Rule that turns samples into a verdict.",
            ),
            or(
                "threshold",
                Kind::Percent { zero: true },
                "3%",
                "Least gain for `policy = \"threshold\"`.",
            ),
        ],
    },
    Table {
        path: "noise",
        doc: "The noise that is put up with.",
        keys: &[or(
            "max_cv",
            Kind::Percent { zero: false },
            "5%",
            "A workload whose log-ratio varies more than this between processes is noisy.",
        )],
    },
    Table {
        path: "control",
        doc: "The control kernel: before the first pair of each `assay run` it is measured against itself on the same device. Where it reads further from 1 than 1 %, something else than the kernels changed, and every verdict of that run is INVALID. Without this table nothing is measured.",
        keys: &[
            need(
                "baseline",
                Kind::Slug,
                "Name of the baseline that is the control kernel.",
            ),
            or(
                "processes",
                Kind::Count {
                    least: 2,
                    most: 100,
                },
                "4",
                "Fresh processes of it.",
            ),
            or(
                "blocks",
                Kind::Count {
                    least: 1,
                    most: 1000,
                },
                "2",
                "Mirrored blocks in each of them.",
            ),
        ],
    },
    Table {
        path: "env",
        doc: "Commands see PATH, HOME, TMPDIR, USER, LANG and LC_ALL=C, and what stands here.",
        keys: &[or(
            "pass",
            Kind::Variables,
            "",
            "Names of variables to pass on.",
        )],
    },
    Table {
        path: "target.NAME",
        doc: "One place to run on; keys of its stages override those of the stage for this target.",
        keys: &[
            or("device", Kind::Choice(DEVICES), "cpu", "Kind of device."),
            may(
                "model",
                Kind::Slug,
                "Name of the device file whose peaks counters are held against, e.g. `c500`; without it the device is recognised in the report where it can be.",
            ),
            may(
                "share",
                Kind::Percent { zero: false },
                "Share of the device that the target is given (sGPU), e.g. `25%`; all of it when absent.",
            ),
            may(
                "gpu",
                Kind::Label,
                "Which device is watched while it is measured, as its tool names it: a UUID or an index for `nvidia-smi`, an address on the bus, a UUID or an index for `mx-smi`. Where there are several; without it the first in `CUDA_VISIBLE_DEVICES` or `MACA_VISIBLE_DEVICES`, where that is passed on, else the first of all.",
            ),
            or(
                "unknown_device",
                Kind::Flag,
                "false",
                "Measure although no tool says which device it is, e.g. where there is none; it is recorded as unknown.",
            ),
            may("build", Kind::Table("build"), "Overrides for the build."),
            may(
                "source",
                Kind::Table("source"),
                "Overrides for the source stage.",
            ),
            may("check", Kind::Table("check"), "Overrides for the check."),
            may(
                "bench",
                Kind::Table("bench"),
                "Overrides for the benchmark.",
            ),
            may(
                "profile",
                Kind::Table("profile"),
                "Overrides for the profile.",
            ),
        ],
    },
];

/// The tables of `variant.toml`.
pub(crate) static VARIANT_TABLES: &[Table] = &[
    Table {
        path: "",
        doc: "What a variant sets without changing source.",
        keys: &[
            may(
                "params",
                Kind::Params,
                "Values of the campaign's parameters.",
            ),
            may("build", Kind::Table("build"), "Changes to the build."),
        ],
    },
    Table {
        path: "build",
        doc: "Changes to the build.",
        keys: &[or(
            "flags",
            Kind::Text,
            "",
            "Flags to add to the compiler's.",
        )],
    },
];
