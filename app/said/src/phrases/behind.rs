//! What stands behind a summary or a warning, whatever it says: tried before everything else.

use super::Phrase;

pub(crate) const PHRASES: &[Phrase] = &[
    ("{\"} (correction: {\"})", "{0}（更正：{1}）"),
    ("{\"} (table {w})", "{0}（表 {1}）"),
    (
        "{\"} (of other content than the newest run)",
        "{0}（内容与最新运行不同）",
    ),
    (
        "{\"} (of the target {}, not that of the newest run)",
        "{0}（目标为 {1}，与最新运行不同）",
    ),
    ("{\"} (with an earlier evaluator)", "{0}（较早的评测程序）"),
    (
        "{*} (in {#} of {#} processes)",
        "{0}（见于 {2} 个进程中的 {1} 个）",
    ),
];
