//! The reference page of facts of generated source.

use assay_source::attribution::links_as_markdown;
use assay_source::kernel::facts_as_markdown;

/// What stands before the tables.
const INTRODUCTION: &str = include_str!("introduction.md");

/// The page, as Markdown.
pub fn source_markdown() -> String {
    format!(
        "{INTRODUCTION}\n## Facts of device source\n\n{}\n## Counters that facts are read with\n\n{}",
        facts_as_markdown(),
        links_as_markdown()
    )
}
