//! Verdicts: reason, next step, and what policies and screenings say (`assay-stats`).

use super::Phrase;

pub(super) const PHRASES: &[Phrase] = &[
    // Words of the verdict before a reason.
    ("FASTER: {*}", "FASTER：{0}"),
    ("SLOWER: {*}", "SLOWER：{0}"),
    ("SAME: {*}", "SAME：{0}"),
    ("NO_GAIN: {*}", "NO_GAIN：{0}"),
    ("UNDECIDED: {*}. Next: {*}", "UNDECIDED：{0}。下一步：{1}"),
    ("INVALID: {*}. Next: {*}", "INVALID：{0}。下一步：{1}"),
    ("UNDECIDED: {*}.", "UNDECIDED：{0}。"),
    ("INVALID: {*}.", "INVALID：{0}。"),
    ("UNDECIDED: {*}", "UNDECIDED：{0}"),
    ("INVALID: {*}", "INVALID：{0}"),
    // Settings that make no sense.
    ("gain {w} is not from 0 to 1", "增益 {0} 不在 0 与 1 之间"),
    (
        "delta {w} is not between 0 and 1",
        "delta {0} 不在 0 与 1 之间",
    ),
    (
        "guard {w} is not a number from 0",
        "护栏 {0} 不是不小于 0 的数",
    ),
    (
        "weight {w} of workload {} is not between 0 and 1e9",
        "工作负载 {1} 的权重 {0} 不在 0 与 1e9 之间",
    ),
    ("no looks are planned", "未计划任何查看"),
    (
        "the first look is at {#} processes; the procedure needs {#}",
        "第一次查看在 {0} 个进程；程序需要 {1} 个",
    ),
    ("the looks do not ascend", "各次查看未递增"),
    (
        "{#} looks are planned; at most 10 are possible",
        "计划了 {0} 次查看；最多可为 10 次",
    ),
    // Reasons.
    (
        "identical generated source: a null pair; {*}",
        "生成的源代码相同，为空对照；{0}",
    ),
    (
        "identical machine code: a null pair; {*}",
        "机器码相同，为空对照；{0}",
    ),
    (
        "{} takes {} x the time of {} ({} interval {} to {}, {*}); {*}",
        "{0} 的耗时为 {2} 的 {1} 倍（{3} 区间 {4} 至 {5}，{6}）；{7}",
    ),
    ("{*}; measured under {}", "{0}；测量条件：{1}"),
    ("the gain exceeds delta {}", "增益超过 delta {0}"),
    ("the slowdown is proven", "变慢已被证明"),
    (
        "the interval lies within +-delta {}",
        "区间位于 ±delta {0} 之内",
    ),
    (
        "a gain of delta {} is excluded, a loss is not",
        "已排除 delta {0} 的增益，未排除变慢",
    ),
    (
        "the difference is not above the resolution of the timer",
        "差异不超过计时器的分辨率",
    ),
    ("the difference is not above {*}", "差异不超过{0}"),
    ("one tick of the timer ({})", "计时器的一个刻度（{0}）"),
    ("one step of the values ({})", "数值的一个步长（{0}）"),
    (
        "nothing in the code explains this",
        "代码中没有能解释此差异之处",
    ),
    (
        "a gain is proven, whether it exceeds delta {} is not",
        "增益已被证明，是否超过 delta {0} 则未被证明",
    ),
    (
        "neither a difference nor its absence is proven",
        "有差异与无差异均未被证明",
    ),
    (
        "this does not hold in cycles, of which it takes {} x ({} to {}): the two sides ran at different clocks",
        "按周期数则不成立，周期数为其 {0} 倍（{1} 至 {2}）：两侧运行的时钟不同",
    ),
    (
        "all samples of {} on workload {} are the same number: not measured times, or a timer too coarse to show any spread",
        "{0} 在工作负载 {1} 上的所有样本为同一数值：不是测得的时间，或计时器过粗而看不出离散",
    ),
    (
        "{*}; the procedure needs {#}; {*}",
        "{0}；程序需要 {1} 个；{2}",
    ),
    ("{*}; the procedure needs {#}", "{0}；程序需要 {1} 个"),
    ("{*}; {#} are planned; {*}", "{0}；计划为 {1} 个；{2}"),
    ("{*}; {#} are planned", "{0}；计划为 {1} 个"),
    ("{#} processes", "{0} 个进程"),
    ("1 process", "1 个进程"),
    // Control kernel.
    (
        "the control kernel {} read {} x itself ({} to {}, {*}), further from 1 than {}: something else changed in this session",
        "对照内核 {0} 的读数为自身的 {1} 倍（{2} 至 {3}，{4}），偏离 1 超过 {5}：此次会话中另有变化",
    ),
    ("{*} of the control; 2 are needed", "对照只有{0}；需要 2 个"),
    // Samples that cannot be paired.
    ("there are no samples", "没有样本"),
    (
        "A and B are both {}; a subject cannot be paired with itself",
        "A 与 B 均为 {0}；对象不能与自身成对",
    ),
    (
        "there are no samples of {}; the samples are of {}",
        "没有 {0} 的样本；现有样本属于 {1}",
    ),
    (
        "the samples mix the timers {}; times of different timers cannot be compared",
        "样本混有计时器 {0}；不同计时器的时间不能相比",
    ),
    (
        "the samples mix the cache modes {}; they cannot be compared",
        "样本混有缓存模式 {0}；不能相比",
    ),
    (
        "the samples mix the devices {}; times of different devices cannot be compared",
        "样本混有设备 {0}；不同设备的时间不能相比",
    ),
    (
        "no workload was measured with both {} and {} in the same blocks",
        "没有在相同区组中同时测量 {0} 与 {1} 的工作负载",
    ),
    (
        "{#} blocks were measured with both {} and {} and voided, so that too few are left; the first: {*}",
        "同时测量 {1} 与 {2} 的 {0} 个区组已作废，余下过少；第一个：{3}",
    ),
    (
        "{#} blocks were measured with both {} and {} and dropped, so that too few are left; the first: {*}",
        "同时测量 {1} 与 {2} 的 {0} 个区组已舍弃，余下过少；第一个：{3}",
    ),
    // What would settle it.
    (
        "measure {#} more for the next look, at {*}",
        "再测量 {0} 个以达到下一次查看（{1}）",
    ),
    ("measure {#} more", "再测量 {0} 个"),
    (
        "nothing is to be settled of a null pair: the interval is what this machine cannot tell apart at the observed spread (sd {} a process); a quieter machine narrows it",
        "空对照无需判定：区间即本机在观察到的离散下无法分辨的范围（每进程标准差 {0}）；更安静的机器可将其收窄",
    ),
    (
        "a fresh measurement of about {*} would settle it at the observed spread (sd {} a process); a quieter machine needs fewer",
        "按观察到的离散（每进程标准差 {1}），重新测量约 {0} 可作出判定；更安静的机器所需更少",
    ),
    (
        "more than 1000 processes would be needed at the observed spread (sd {} a process): the effect is too close to delta, so treat it as no gain or choose another delta",
        "按观察到的离散（每进程标准差 {0}）需要超过 1000 个进程：效应过于接近 delta，请视为无增益，或另选 delta",
    ),
    (
        "measure on to the next look: a loss is likely, and would then be proven",
        "继续测量至下一次查看：很可能变慢，届时可证明",
    ),
    (
        "time more launches in one sample, so that the difference spans several ticks; state the tick if it is finer",
        "在一个样本中对更多次启动计时，使差异跨越数个刻度；若刻度更细请予说明",
    ),
    (
        "find out why the two sides ran at different clocks, and measure again at a clock that both can hold",
        "查明两侧时钟不同的原因，并在两侧都能保持的时钟下重新测量",
    ),
    (
        "repeat the null pair on a quieter machine, and look for what differs between the two sides: load order, alignment, inputs",
        "在更安静的机器上重复空对照，并查找两侧的不同之处：加载次序、对齐、输入",
    ),
    (
        "measure with a finer timer, or more launches in one sample, and keep every digit of the values",
        "使用更细的计时器，或在一个样本中计时更多次启动，并保留数值的所有位数",
    ),
    (
        "find out why the processes were dropped; the warnings list them",
        "查明进程被舍弃的原因；警告中已列出",
    ),
    (
        "find out what disturbed the session, and measure again",
        "查明干扰此次会话的原因，并重新测量",
    ),
    (
        "measure in a mirrored order, ABBA and BAAB in turn, so that a steady drift falls out of the comparison",
        "按对称次序（ABBA 与 BAAB 交替）测量，使稳定的漂移在比较中抵消",
    ),
    (
        "find out what voided the blocks, and measure again once it is gone",
        "查明区组作废的原因，待其消失后重新测量",
    ),
    (
        "find out why the blocks were dropped, which the warnings list, and measure again",
        "查明区组被舍弃的原因（警告中已列出），并重新测量",
    ),
    ("run `assay run {}`", "请运行 `assay run {0}`"),
    // Policies of others.
    (
        "rule {}: the median of {} is {} below that of {}; {*}",
        "规则 {0}：{1} 的中位数比 {3} 低 {2}；{4}",
    ),
    (
        "rule {}: the median of {} is {} above that of {}; {*}",
        "规则 {0}：{1} 的中位数比 {3} 高 {2}；{4}",
    ),
    (
        "Mann-Whitney on raw samples: p {} against {}",
        "原始样本的 Mann-Whitney 检验：p {0}，界限 {1}",
    ),
    ("the threshold is {}", "阈值为 {0}"),
    ("any difference counts", "任何差异都算"),
    ("the rule would say {}", "该规则会说 {0}"),
    // The chain of accepted steps.
    (
        "the accepted steps promise {} x ({} to {}) and overstate what was measured end to end, {} x ({} to {}) by {}",
        "已接受的各步预期为 {0} 倍（{1} 至 {2}），高估了端到端的实测 {3} 倍（{4} 至 {5}），差 {6}",
    ),
    (
        "the accepted steps promise {} x ({} to {}) and agree with what was measured end to end, {} x ({} to {})",
        "已接受的各步预期为 {0} 倍（{1} 至 {2}），与端到端的实测 {3} 倍（{4} 至 {5}）相符",
    ),
    // Screening.
    (
        "fewer than two complete blocks on a workload",
        "某个工作负载的完整区组不足两个",
    ),
    ("a loss beyond {} is certain", "变慢超过 {0} 已可确定"),
    ("among the {#} fastest", "属于最快的 {0} 个"),
    ("cannot be told from the fastest", "与最快者无法区分"),
    (
        "not among the fastest, and a loss beyond {} is possible",
        "不在最快者之列，且可能变慢超过 {0}",
    ),
    (
        "not among the fastest, and no clear loss",
        "不在最快者之列，也没有明显变慢",
    ),
    (
        "the screening ended before its ranking",
        "初筛在排名之前结束",
    ),
    (
        "measured to screen; a verdict needs fresh samples",
        "为初筛而测；判定需要新的样本",
    ),
    (
        "process {#} of {} on {} is the one measured to screen; a verdict needs fresh processes, because the best of many was chosen by these very samples",
        "{1} 在 {2} 上的进程 {0} 是为初筛而测的；判定需要新的进程，因为正是凭这些样本从众多候选中选出了最好的",
    ),
];
