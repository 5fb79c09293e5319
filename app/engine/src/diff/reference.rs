//! The reference page of facts of generated source.

use assay_source::attribution::links_as_markdown;
use assay_source::facts::asm_facts_as_markdown;
use assay_source::kernel::facts_as_markdown;
use assay_source::normalise::passes_as_markdown;

/// What stands before the tables.
const INTRODUCTION: &str = include_str!("introduction.md");

/// The page, as Markdown.
pub fn source_markdown() -> String {
    format!(
        "{INTRODUCTION}\n## Facts of device source\n\n{}\n## Facts of host assembly\n\nOf `asm-x86_64` and `asm-aarch64`; those of several functions are added, of widths and frames the largest counts.\n\n{}\n## Passes of normalisation\n\nThey run in this order. `assay diff A B --without PASS,PASS` leaves some of them out.\n\n{}\n## Counters that facts are read with\n\nA counter that may go either way with its fact is shown beside it and is no evidence.\n\n{}",
        facts_as_markdown(),
        asm_facts_as_markdown(),
        passes_as_markdown(),
        links_as_markdown()
    )
}
