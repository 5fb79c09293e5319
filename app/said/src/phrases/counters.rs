//! What speaks against counters and against comparing them (`assay-profile`, `assay-engine`).

use super::Phrase;

pub(super) const PHRASES: &[Phrase] = &[
    (
        "different tools ({}, {}) count the same thing in different ways; counters are paired by canonical name.",
        "不同的工具（{0}、{1}）计数方式不同；计数器按规范名称配对。",
    ),
    (
        "different versions of {} ({}, {}), so that no change is said: profile both with one version.",
        "{0} 的版本不同（{1}、{2}），因此不给出变化：请以同一版本剖析两者。",
    ),
    (
        "{w} was run in different modes, so that no change is said: profile both with the same options.",
        "{0} 以不同的模式运行，因此不给出变化：请以相同选项剖析两者。",
    ),
    (
        "{} is one kernel, {} is the whole program or several launches added up.",
        "{0} 为单个内核，{1} 为整个程序或多次启动之和。",
    ),
    (
        "different kernels (`{}`, `{}`).",
        "内核不同（`{0}`、`{1}`）。",
    ),
    (
        "different launches of the kernel ({#}, {#}; counted from 0).",
        "内核的启动不同（{0}、{1}；从 0 起数）。",
    ),
    ("another launch of the kernel.", "内核的另一次启动。"),
    ("different grids ({}).", "grid 不同（{0}）。"),
    ("different blocks ({}).", "block 不同（{0}）。"),
    (
        "{} (column {#}) against {} (column {#}): {*}",
        "{0}（第 {1} 列）对照 {2}（第 {3} 列）：{4}",
    ),
    (
        "columns {} against {} (column {#}): {*}",
        "第 {0} 列对照 {1}（第 {2} 列）：{3}",
    ),
    (
        "all columns against {} (column {#}): {*}",
        "所有列对照 {0}（第 {1} 列）：{2}",
    ),
    ("columns {}: {*}", "第 {0} 列：{1}"),
    ("all columns: {*}", "所有列：{0}"),
    (
        "{#} of 1 counter, by the tools' names, only in {} (column {#}): {}.",
        "按工具的名称，1 个计数器中有 {0} 个仅见于 {1}（第 {2} 列）：{3}。",
    ),
    (
        "{#} of {#} counters, by the tools' names, only in {} (column {#}): {}.",
        "按工具的名称，{1} 个计数器中有 {0} 个仅见于 {2}（第 {3} 列）：{4}。",
    ),
    (
        "1 figure should not be taken at face value: {}.",
        "有 1 个数值不可照字面理解：{0}。",
    ),
    (
        "{#} figures should not be taken at face value: {}.",
        "有 {0} 个数值不可照字面理解：{1}。",
    ),
    (
        "{}: 1 counter in the report more than once with other figures; paired in the order of the reports.",
        "{0}：有 1 个计数器在报告中以不同数值多次出现；按报告次序配对。",
    ),
    (
        "{}: {#} counters in the report more than once with other figures; paired in the order of the reports.",
        "{0}：有 {1} 个计数器在报告中以不同数值多次出现；按报告次序配对。",
    ),
    (
        "{}: {} has {#} counters of this name with different figures ({}), so that none is paired with another tool's.",
        "{0}：{1} 有 {2} 个同名而数值不同的计数器（{3}），因此不与其他工具的配对。",
    ),
    (
        "{}: the row is in `{}`, {}; the units cannot be converted, so that no change is said.",
        "{0}：该行单位为 `{1}`，{2}；单位无法换算，因此不给出变化。",
    ),
    (
        "{#} launches and none for the whole program: no figure speaks for all of them",
        "有 {0} 次启动而没有整个程序的数值：没有数值能代表全部",
    ),
    (
        "none of its {#} figures has a value: {*}",
        "其 {0} 项数据均无值：{1}",
    ),
    ("{}: `{}` is missing, {*}", "{0}：缺少 `{1}`，{2}"),
    ("each for a reason of its own", "原因各不相同"),
    ("this machine does not have it", "本机没有"),
    ("the tool did not count it", "工具未计数"),
    (
        "what the tool printed cannot be read for certain",
        "工具所打印的内容无法确定读取",
    ),
    (
        "{}: `{}` is in `{}`, which cannot be converted to `{}`",
        "{0}：`{1}` 的单位为 `{2}`，无法换算为 `{3}`",
    ),
    (
        "{}: reported more than once with different values (per interval, CPU or core type)",
        "{0}：以不同的值多次报告（按区间、CPU 或核心类型）",
    ),
    (
        "{}: {#} launches of the kernel; shown is launch {#}, the nearest to the median of all (--launch N shows another)",
        "{0}：内核启动 {1} 次；所示为第 {2} 次，最接近全部的中位数（--launch N 显示其他）",
    ),
    (
        "{}: no verdict, and no published time on both sides: rules about faster or slower were not judged.",
        "{0}：没有判定，两侧也没有已发布的时间：关于快慢的规则未予判定。",
    ),
    (
        "no verdict, and no published time on both sides: rules about faster or slower were not judged.",
        "没有判定，两侧也没有已发布的时间：关于快慢的规则未予判定。",
    ),
    (
        "{w}: profiled with an earlier evaluator",
        "{0}：以较早的评测程序剖析",
    ),
    (
        "profiles of different targets ({})",
        "剖析来自不同的目标（{0}）",
    ),
    (
        "there is no profile of `{}` in this ledger",
        "此账本中没有 `{0}` 的剖析",
    ),
    (
        "there is no profile of `{}` as it was run last",
        "没有 `{0}` 最近一次运行的剖析",
    ),
    (
        "there is no profile of `{}` on the workload `{}`",
        "没有 `{0}` 在工作负载 `{1}` 上的剖析",
    ),
    (
        "the variants have no workload in common that was profiled ({})",
        "各变体没有共同剖析过的工作负载（{0}）",
    ),
    ("there are profiles on {}", "剖析过的有 {0}"),
    (
        "assay run {} --stages build,profile, or assay import REPORT --variant {}",
        "assay run {0} --stages build,profile，或 assay import REPORT --variant {1}",
    ),
    ("{} (column {#}): {*}", "{0}（第 {1} 列）：{2}"),
];
