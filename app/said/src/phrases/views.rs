//! What views say of variants side by side, of stale evidence and of what is left out.

use super::Phrase;

pub(super) const PHRASES: &[Phrase] = &[
    (
        "measured with evaluator {}, which is not the one pinned now: not comparable with newer evidence",
        "以评测程序 {0} 测得，并非当前固定的版本：不能与较新的证据相比",
    ),
    (
        "a later run of this content ended {failure} in {stage} ({*}): the evidence before it stands",
        "此内容后来的一次运行在 {1} 以 {0} 结束（{2}）：此前的证据仍有效",
    ),
    (
        "these times were published and not measured here: a comparison, never a verdict",
        "这些时间为已发布的数值，非在此测得：只是比较，不是判定",
    ),
    (
        "the medians are of different sessions: no change of times is computed; a paired measurement gives one",
        "中位数来自不同会话：不计算时间变化；成对测量可给出",
    ),
    (
        "none was measured here: the times of both were published",
        "均未在此测量：两者的时间都是已发布的数值",
    ),
    ("both are the same variant", "两者是同一变体"),
    (
        "`{}` was not measured in a pair with `{}` with their present contents; run `{}`",
        "`{0}` 与 `{1}` 的现有内容未曾成对测量；请运行 `{2}`",
    ),
    (
        "`{}` was not measured in a pair with `{}` with their present contents",
        "`{0}` 与 `{1}` 的现有内容未曾成对测量",
    ),
    (
        "a verdict is about two subjects; compare two of these",
        "判定只涉及两个对象；请从中选两个对比",
    ),
    (
        "`{}` and `{}` were built with different toolchains",
        "`{0}` 与 `{1}` 由不同的工具链构建",
    ),
    (
        "`{}` was measured with another device than `{}`: their times are not set against each other",
        "`{0}` 与 `{1}` 在不同的设备上测得：不作时间比较",
    ),
    (
        "`{}` was measured with another device than `{}` ({}, not {}): their times are not set against each other",
        "`{0}` 与 `{1}` 在不同的设备上测得（{2}，而非 {3}）：不作时间比较",
    ),
    (
        "`{}` was measured with another evaluator than `{}`: their times are not set against each other",
        "`{0}` 与 `{1}` 以不同的评测程序测得：不作时间比较",
    ),
    (
        "`{}` was measured with another toolchain than `{}` ({\"}): their times are not set against each other",
        "`{0}` 与 `{1}` 以不同的工具链（{2}）测得：不作时间比较",
    ),
    (
        "`{}` was measured with another toolchain than `{}`: their times are not set against each other",
        "`{0}` 与 `{1}` 以不同的工具链测得：不作时间比较",
    ),
    (
        "the counters come from different tools, workloads, devices or evaluators: no change is computed",
        "计数器来自不同的工具、工作负载、设备或评测程序：不计算变化",
    ),
    (
        "turned over from {verdict} of `{}` against `{}`: {*}",
        "由 `{1}` 对照 `{2}` 的 {0} 反转而来：{3}",
    ),
    (
        "measured as `{}` against `{}` (verdict {}); ratio and interval are turned over, and the guard was not judged in this direction",
        "以 `{0}` 对照 `{1}` 测得（判定 {2}）；比值与区间已反转，护栏未按此方向判定",
    ),
    // The chain of accepted steps.
    (
        "{} against {}, measured end to end in {#} processes: {} for {#} accepted steps; one step was accepted since",
        "{0} 对照 {1}，端到端测量，{2} 个进程：{3}，已接受 {4} 步；此后又接受 1 步",
    ),
    (
        "{} against {}, measured end to end in {#} processes: {} for {#} accepted steps; {#} steps were accepted since",
        "{0} 对照 {1}，端到端测量，{2} 个进程：{3}，已接受 {4} 步；此后又接受 {5} 步",
    ),
    (
        "{} against {}, measured end to end in {#} processes: {} for {#} accepted steps",
        "{0} 对照 {1}，端到端测量，{2} 个进程：{3}，已接受 {4} 步",
    ),
    (
        "{#} steps were accepted since the chain was last measured end to end: the next `assay run` first measures {} against {}",
        "自上次端到端测量以来已接受 {0} 步：下一次 `assay run` 将先测量 {1} 对照 {2}",
    ),
    // Sources, and steps that are not timed.
    (
        "built twice: the sources are equal byte for byte",
        "构建两次：源码逐字节相同",
    ),
    (
        "built twice: the sources are equal after normalisation",
        "构建两次：源码归一化后相同",
    ),
    (
        "built twice: the sources differ, first in {}",
        "构建两次：源码不同，首见于 {0}",
    ),
    ("built twice: the sources differ", "构建两次：源码不同"),
    (
        "a step is left out of the times that the campaign file does not declare: {}; say why in [[untimed]], or time it",
        "有一个步骤未计入时间且活动文件中未声明：{0}；请在 [[untimed]] 中说明原因，或将其计时",
    ),
    (
        "the step {} is not timed, and the harness did not report what it costs",
        "步骤 {0} 未计时，测试程序也未报告其开销",
    ),
    // The result of a job.
    ("{w}: done", "{0}：完成"),
    ("{w}: cancelled", "{0}：已取消"),
    ("{w}: {failure} in {stage}: {*}", "{0}：{2} 阶段 {1}：{3}"),
    ("{w}: {verdict} against {w}", "{0}：{1}，对照 {2}"),
    ("cancelled", "已取消"),
];
