//! What findings of rules are about.

use super::Phrase;

pub(crate) const SUBJECTS: &[Phrase] = &[
    ("{*} (and {#} more launches)", "{0}（另有 {1} 次启动）"),
    (
        "{} against {} on {}: {*}",
        "{0} 对照 {1}，工作负载 {2}：{3}",
    ),
    ("{} against {} on {}", "{0} 对照 {1}，工作负载 {2}"),
    ("{} against {}", "{0} 对照 {1}"),
    ("{} on {}: {*}", "{0}，工作负载 {1}：{2}"),
    ("{} on {}", "{0}，工作负载 {1}"),
    ("{}, launch {#}", "{0}，第 {1} 次启动"),
    ("what the ledger could not read", "账本中无法读取的内容"),
];
