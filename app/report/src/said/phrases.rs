//! Sentences of records in both languages; the first that fits counts.

/// English with `{}` for what differs, and `{*}` for what is a sentence again; Chinese with the places
/// by number.
pub(super) const PHRASES: &[(&str, &str)] = &[
    // Decisions and their reasons.
    ("FASTER: {*}", "FASTER：{0}"),
    ("SLOWER: {*}", "SLOWER：{0}"),
    ("SAME: {*}", "SAME：{0}"),
    ("NO_GAIN: {*}", "NO_GAIN：{0}"),
    ("UNDECIDED: {*}", "UNDECIDED：{0}"),
    ("INVALID: {*}", "INVALID：{0}"),
    ("accept by policy: {*}", "接受（按策略）：{0}"),
    ("accept by person: {*}", "接受（由人决定）：{0}"),
    ("reject by policy: {*}", "拒绝（按策略）：{0}"),
    ("reject by person: {*}", "拒绝（由人决定）：{0}"),
    ("park by policy: {*}", "搁置（按策略）：{0}"),
    ("park by person: {*}", "搁置（由人决定）：{0}"),
    ("rollback by person: {*}", "回退（由人决定）：{0}"),
    (
        "the first variant that passes all gates; there was no champion to beat",
        "首个通过全部门限的变体；当时没有最优变体可比",
    ),
    (
        "published figures; nothing was run here",
        "已发布的数值；未在此运行",
    ),
    // The judge.
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
        "the difference is not above one tick of the timer ({})",
        "差异不超过计时器的一个刻度（{0}）",
    ),
    (
        "the difference is not above one step of the values ({})",
        "差异不超过数值的一个步长（{0}）",
    ),
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
    ("{} processes", "{0} 个进程"),
    ("1 process", "1 个进程"),
    // What stands beside a verdict.
    ("proven faster on {}", "已证明更快：{0}"),
    ("proven slower on {}", "已证明更慢：{0}"),
    (
        "workload {}: the difference is not above {*}",
        "工作负载 {0}：差异不超过 {1}",
    ),
    ("one tick of the timer ({})", "计时器的一个刻度（{0}）"),
    ("one step of the values ({})", "数值的一个步长（{0}）"),
    (
        "workload {} takes {} x ({} to {}): proven slower than the guard {} allows; {*}",
        "工作负载 {0} 的耗时为 {1} 倍（{2} 至 {3}）：已证明变慢超过护栏 {4}；{5}",
    ),
    (
        "workload {} takes {} x ({} to {}): proven slower than the guard {} allows",
        "工作负载 {0} 的耗时为 {1} 倍（{2} 至 {3}）：已证明变慢超过护栏 {4}",
    ),
    (
        "workload {}: the ratio has two levels, {} x in {*} and {} x in {*}; their mean describes neither",
        "工作负载 {0}：比值有两个水平，{2} 为 {1} 倍，{4} 为 {3} 倍；其平均值不能代表任何一个",
    ),
    (
        "workload {}: {} runs at two speeds, {} in {*} and {} in {*}",
        "工作负载 {0}：{1} 以两种速度运行，{3} 为 {2}，{5} 为 {4}",
    ),
    (
        "workload {}: {} changes between two speeds inside {*}, {} and {}",
        "工作负载 {0}：{1} 在 {2} 内于两种速度之间变化，{3} 与 {4}",
    ),
    (
        "workload {}: the same subject came first in every block, so what being first is worth is not cancelled",
        "工作负载 {0}：每个区组都由同一对象先行，先行的影响未被抵消",
    ),
    (
        "workload {} is noisy: the log-ratio varies by {} from process to process, more than [noise] max_cv = {}; measure again on a quieter machine",
        "工作负载 {0} 噪声大：各进程的对数比值波动 {1}，超过 [noise] max_cv = {2}；请在更安静的机器上重新测量",
    ),
    (
        "every process gave exactly the same ratio: either the clock is too coarse to show any spread, or these are not measured times",
        "每个进程的比值完全相同：要么时钟过粗而看不出离散，要么这些不是测得的时间",
    ),
    (
        "{*} are more than the last planned look at {}: the error rate holds only if their number was fixed beforehand",
        "{0} 多于计划的最后一次查看（{1}）：仅当进程数事先确定时误差率才成立",
    ),
    (
        "the samples do not state timer and cache mode",
        "样本未说明计时器与缓存模式",
    ),
    (
        "clocks were not locked, so the verdict is in time and not in cycles",
        "时钟未锁定，判定以时间而非周期数为准",
    ),
    (
        "clocks are known for some legs only, so the verdict is in time and not in cycles",
        "仅部分测量段的时钟已知，判定以时间而非周期数为准",
    ),
    (
        "delta {} is below the noise floor of this measurement, about {} with {*} (sd {} from process to process, seen in {*}): false accepts are less rare than they should be",
        "delta {0} 低于本次测量的噪声底限（{2} 时约 {1}；进程间标准差 {3}，见于 {4}）：误接受比应有的更多",
    ),
    (
        "there is no calibration of this machine in this mode: its noise floor is not known; `assay calibrate` measures it",
        "本机在此模式下没有校准：噪声底限未知；`assay calibrate` 可测量",
    ),
    (
        "no calibration of this machine in this mode: its noise floor is not known; `assay calibrate` measures it",
        "本机在此模式下没有校准：噪声底限未知；`assay calibrate` 可测量",
    ),
    (
        "other processes worked on the device: {}",
        "设备上有其他进程在工作：{0}",
    ),
    (
        "some task waited for a processor for {} of the time: other work, or more threads than processors (in {*})",
        "有 {0} 的时间存在等待处理器的任务：有其他工作，或线程多于处理器（{1}）",
    ),
    (
        "whether this evaluator notices a broken or slowed kernel is not known: {*}; `assay canary` tries it",
        "此评测程序能否察觉出错或变慢的内核尚不可知：{0}；`assay canary` 可试验",
    ),
    (
        "measured with evaluator {}, which is not the one pinned now: not comparable with newer evidence",
        "以评测程序 {0} 测得，并非当前固定的版本：不能与较新的证据相比",
    ),
    // Summaries of records.
    ("new root: {*}", "新建（无父版本）：{0}"),
    ("new, from {}: {*}", "新建，基于 {0}：{1}"),
    ("ran {} on {}", "已运行 {0}，目标 {1}"),
    ("failed in {}: {}: {*}", "在 {0} 失败：{1}：{2}"),
    ("build failed: {}", "构建失败：{0}"),
    ("built in {} s", "构建用时 {0} s"),
    (
        "{} source, {} facts, normalised {}",
        "{0} 源码，{1} 个事实，归一化 {2}",
    ),
    (
        "{} of {} workloads right, {} of {} gates passed{*}",
        "{1} 个工作负载中 {0} 个正确，{3} 个门限中 {2} 个通过{4}",
    ),
    (
        "{} of {} workloads right, {} of {} gates passed",
        "{1} 个工作负载中 {0} 个正确，{3} 个门限中 {2} 个通过",
    ),
    (
        "measured against {} in {} processes ({})",
        "与 {0} 成对测量，{1} 个进程（{2}）",
    ),
    ("{} against {}: time ratio {}", "{0}，对照 {1}：时间比 {2}"),
    (
        "p {}on {}, published, not measured here: {} figures, row {} of {*}",
        "p {0}工作负载 {1}，已发布，非在此测得：{2} 个数值，{4} 的行 {3}",
    ),
    (
        "p {}on {}, published, not measured here: 1 figure, row {} of {*}",
        "p {0}工作负载 {1}，已发布，非在此测得：1 个数值，{3} 的行 {2}",
    ),
    (
        "p on {}, published, not measured here: {} figures, row {} of {*}",
        "p 工作负载 {0}，已发布，非在此测得：{1} 个数值，{3} 的行 {2}",
    ),
    (
        "{} counters on {} from {}, kernel {}, imported, source not checked",
        "{0} 个计数器，工作负载 {1}，来自 {2}，内核 {3}，导入，未核对源码",
    ),
    (
        "{} counters on {} from {}, kernel {}",
        "{0} 个计数器，工作负载 {1}，来自 {2}，内核 {3}",
    ),
    (
        "{} counters on {} from {}",
        "{0} 个计数器，工作负载 {1}，来自 {2}",
    ),
    (
        "screened against {} in one process: time ratio {}",
        "对照 {0} 以一个进程初筛：时间比 {1}",
    ),
    (
        "{*} (of other content than the newest run)",
        "{0}（内容与最新运行不同）",
    ),
    (
        "{*} (of the target {}, not that of the newest run)",
        "{0}（目标为 {1}，与最新运行不同）",
    ),
    ("{*} (with an earlier evaluator)", "{0}（较早的评测程序）"),
    // Gates.
    ("no evidence: {*}", "无证据：{0}"),
    ("no measurement", "没有测量"),
    ("no verdict", "没有判定"),
];
