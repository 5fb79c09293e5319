//! Phrases of few words that join others: tried when nothing else fits.

use super::Phrase;

pub(super) const PHRASES: &[Phrase] = &[
    // Kind and stage of a failure before its message.
    ("{failure} in {stage}: {*}", "{1} 阶段 {0}：{2}"),
    ("{failure}: {*}", "{0}：{1}"),
    // Who decided or wrote what was published elsewhere.
    ("{}, as published", "{0}（据其发布）"),
    ("as published", "据其发布"),
    // A side of a pair, and what became of it.
    ("`{w}` {*}", "`{0}` {1}"),
    // Figures of a rule: names and numbers, the same in every language.
    ("{w} = {w} {w} {w}", "{0} = {1} {2} {3}"),
];
