//! What the helpers for harnesses in `kernels/harness` say of results and launches.

use super::Phrase;

pub(super) const PHRASES: &[Phrase] = &[
    (
        "{#} of {#} elements wrong ({#} never written, {#} not finite); first at row {#} column {#}: expected {w}, got {w}",
        "{1} 个元素中 {0} 个错误（{2} 个未写入，{3} 个不是有限数）；首个在行 {4} 列 {5}：应为 {6}，得到 {7}",
    ),
    ("error above the tolerance", "误差超过容许值"),
    (
        "wrong by {w} times what is allowed",
        "误差为容许值的 {0} 倍",
    ),
    (
        "a timed launch is wrong by {w} times what is allowed",
        "计时的一次启动误差为容许值的 {0} 倍",
    ),
    (
        "a timed launch gave a wrong result",
        "计时的一次启动结果错误",
    ),
    (
        "{w}: wrong by {w} times what is allowed",
        "{0}：误差为容许值的 {1} 倍",
    ),
    (
        "{w}: a difference of {w}, and none is allowed",
        "{0}：相差 {1}，而不容许任何差异",
    ),
    ("max_abs_error is {w}", "max_abs_error 为 {0}"),
    ("max_rel_error is {w}", "max_rel_error 为 {0}"),
    (
        "repeated launches seem to reuse earlier results: {*}",
        "重复启动似乎沿用了先前的结果：{0}",
    ),
    (
        "a launch on changed inputs takes {#} us, a repeated one {#} us (the best of {#} pairs in turn; {#} in a row agree)",
        "输入改变后的启动耗时 {0} us，重复启动 {1} us（轮流 {2} 对中的最好值；连续 {3} 对一致）",
    ),
    (
        "whether launches of {} on {} reuse earlier results could not be settled, because the machine is busy: {*}",
        "{0} 在 {1} 上的启动是否沿用先前结果无法判定，因机器繁忙：{2}",
    ),
    (
        "clocks and power of the device are not known: {\"}",
        "设备的时钟与功率未知：{0}",
    ),
    (
        "the device works on after the stop event, up to {#} us: launches use a stream that the events do not see",
        "停止事件之后设备仍在工作，最长 {0} us：启动使用了事件看不到的流",
    ),
    (
        "the result is a {w}, not a plain tensor",
        "结果是 {0}，不是普通张量",
    ),
    ("the result has no memory behind it", "结果没有对应的内存"),
    (
        "launches leave more and more threads behind",
        "启动遗留的线程越来越多",
    ),
];
