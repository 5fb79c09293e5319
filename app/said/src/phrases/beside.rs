//! What stands beside a verdict: warnings of the judge, of calibration, of sources and canaries.

use super::Phrase;

pub(super) const PHRASES: &[Phrase] = &[
    (
        "A/A alarm: a null pair reads as a difference, so this measurement is biased by more than it claims",
        "A/A 警报：空对照被读作差异，此次测量的偏差大于其所称",
    ),
    (
        "A and B have identical generated source: a null pair, which no policy may call faster",
        "A 与 B 的生成源代码相同：为空对照，任何策略都不得称其更快",
    ),
    (
        "A and B have identical machine code: a null pair, which no policy may call faster",
        "A 与 B 的机器码相同：为空对照，任何策略都不得称其更快",
    ),
    (
        "without the control this would be: {*}",
        "若无对照则为：{0}",
    ),
    (
        "the control kernel could not be read: {*}",
        "对照内核无法读取：{0}",
    ),
    (
        "the control kernel {} could not be read, so that nothing vouches for this session; `assay log` says why",
        "对照内核 {0} 无法读取，因此此次会话没有保证；`assay log` 说明原因",
    ),
    (
        "the control kernel {} is not available on this machine: nothing vouches for this session",
        "本机没有对照内核 {0}：此次会话没有保证",
    ),
    // Workloads.
    ("proven faster on {}", "已证明更快：{0}"),
    ("proven slower on {}", "已证明更慢：{0}"),
    (
        "workload {}: the difference is not above one step of the timer or of the values ({})",
        "工作负载 {0}：差异不超过计时器或数值的一个步长（{1}）",
    ),
    (
        "workload {}: the difference is not above {*}",
        "工作负载 {0}：差异不超过{1}",
    ),
    (
        "workload {} takes {} x ({} to {}): proven slower than the guard {} allows; {*}",
        "工作负载 {0} 的耗时为 {1} 倍（{2} 至 {3}）：已证明变慢超过护栏 {4}；{5}",
    ),
    (
        "workload {} takes {} x ({} to {}): proven slower than the guard {} allows",
        "工作负载 {0} 的耗时为 {1} 倍（{2} 至 {3}）：已证明变慢超过护栏 {4}",
    ),
    (
        "workload {} takes {} x: more than the guard {} allows; {*}",
        "工作负载 {0} 的耗时为 {1} 倍：超过护栏 {2}；{3}",
    ),
    (
        "workload {} takes {} x: more than the guard {} allows",
        "工作负载 {0} 的耗时为 {1} 倍：超过护栏 {2}",
    ),
    ("consider a dispatch split", "可考虑按工作负载分派"),
    (
        "workload {} takes {} x, about a factor of a thousand: check the units of either side",
        "工作负载 {0} 的耗时为 {1} 倍，约为千倍：请核对两侧的单位",
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
        "noisy: the log-ratio varies by {} from process to process, more than [noise] max_cv = {}; measure again on a quieter machine",
        "噪声大：各进程的对数比值波动 {0}，超过 [noise] max_cv = {1}；请在更安静的机器上重新测量",
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
        "this rule does not know how much the ratio moves from process to process; how often it accepts a change that does nothing is its false-accept rate, which a calibration tells",
        "该规则不知道比值在进程之间波动多少；它误接受无效改动的频率即误接受率，由校准给出",
    ),
    (
        "this rule is documented for one look at {*}, and judged {*}",
        "该规则的说明为在 {0} 时查看一次，此次判定了 {1}",
    ),
    (
        "{#} legs state what cannot be, the first: {}; their times are used, and the harness should be looked at",
        "{0} 个测量段陈述了不可能的内容，第一个：{1}；其时间仍被采用，应检查测试程序",
    ),
    // What views say beside it.
    (
        "regime: {} throughout; differing clocks voided nothing",
        "测量条件：始终为 {0}；时钟不同未使任何区组作废",
    ),
    (
        "in cycles (time x clock): {}",
        "按周期数（时间 × 时钟）：{0}",
    ),
    (
        "dispatch split proposed: {} to {}, the rest stays with {}: expected {} of the time of {} (all to {}: {}); from {#} processes",
        "建议按工作负载分派：{0} 改用 {1}，其余仍用 {2}：预期为 {4} 耗时的 {3}（全部改用 {5} 则为 {6}）；来自 {7} 个进程",
    ),
    (
        "control kernel {}: read {} x itself in {#} processes",
        "对照内核 {0}：{2} 个进程中读数为自身的 {1} 倍",
    ),
    (
        "control kernel {}: could not be read",
        "对照内核 {0}：无法读取",
    ),
    (
        "policy {} accepts {} ({} to {}) of changes that do nothing on this machine: {#} campaigns drawn from {#} A/A processes",
        "策略 {0} 在本机误接受无效改动的比例为 {1}（{2} 至 {3}）：由 {5} 个 A/A 进程抽取 {4} 次得出",
    ),
    // Calibration and noise.
    (
        "there is no calibration of this machine in this mode: its noise floor is not known; `assay calibrate` measures it",
        "本机在此模式下没有校准：噪声底限未知；`assay calibrate` 可测量",
    ),
    (
        "no calibration of this machine in this mode: its noise floor is not known; `assay calibrate` measures it",
        "本机在此模式下没有校准：噪声底限未知；`assay calibrate` 可测量",
    ),
    (
        "no A/A calibration of this machine in this mode: its noise floor is not known; `assay calibrate` measures it",
        "本机在此模式下没有 A/A 校准：噪声底限未知；`assay calibrate` 可测量",
    ),
    (
        "the A/A calibration of this machine no longer holds ({*}): its noise floor is not known; `assay calibrate --noise` measures it",
        "本机的 A/A 校准不再有效（{0}）：噪声底限未知；`assay calibrate --noise` 可测量",
    ),
    ("tool.{w} was {\"} and is {\"}", "tool.{0} 由 {1} 变为 {2}"),
    ("gpu.{w} was {\"} and is {\"}", "gpu.{0} 由 {1} 变为 {2}"),
    ("os.{w} was {\"} and is {\"}", "os.{0} 由 {1} 变为 {2}"),
    ("not known", "未知"),
    (
        "the A/A calibration {} does not come out of its samples again ({*}) and is not used; `assay verify` names what is wrong, `assay calibrate --noise` measures anew",
        "A/A 校准 {0} 不能由其样本重新得出（{1}），未予采用；`assay verify` 指出问题，`assay calibrate --noise` 可重新测量",
    ),
    (
        "the calibration of this machine is of timer {}, and this was measured with {}: its noise floor is not known",
        "本机的校准使用计时器 {0}，而此次以 {1} 测量：噪声底限未知",
    ),
    (
        "the calibration of this machine has no times within a factor of ten of those of {}",
        "本机的校准中没有与 {0} 的时间相差十倍以内的时间",
    ),
    (
        "this machine was calibrated for {} {}, and {} is {}: how often policy {} accepts a change that does nothing is not known",
        "本机按 {0} {1} 校准，而 {2} 为 {3}：策略 {4} 误接受无效改动的频率未知",
    ),
    (
        "measuring two at once disturbs in mode `{}`: {} takes {} times as long in a pair as alone{*}, more than {} off: {*}",
        "在 `{0}` 模式下同时测量两者会互相干扰：{1} 成对测量的耗时为单独测量的 {2} 倍{3}，偏差超过 {4}：{5}",
    ),
    (
        "measuring two at once disturbs in mode `{}`: {} takes {} times as long in a pair as alone, more than {} off: {*}",
        "在 `{0}` 模式下同时测量两者会互相干扰：{1} 成对测量的耗时为单独测量的 {2} 倍，偏差超过 {3}：{4}",
    ),
    (
        "mode `resident` or `invocation` in [bench] keeps the two apart",
        "[bench] 中的 `resident` 或 `invocation` 模式可将两者分开",
    ),
    (
        "mode `invocation` in [bench] keeps the two apart",
        "[bench] 中的 `invocation` 模式可将两者分开",
    ),
    (
        "no workload was measured both in pairs and alone",
        "没有既成对又单独测量的工作负载",
    ),
    (" (95 % interval {} to {})", "（95 % 区间 {0} 至 {1}）"),
    (
        "a tick of the timer or a bias between equal sides is larger: time more launches in one sample, or find out what differs between the two sides",
        "计时器的一个刻度或相同两侧之间的偏差更大：请在一个样本中对更多次启动计时，或查明两侧的不同之处",
    ),
    (
        "this machine is too noisy for delta {}: its noise floor is {}; {*}",
        "本机噪声过大，不适于 delta {0}：噪声底限为 {1}；{2}",
    ),
    (
        "{*} would show it, or a quieter machine fewer",
        "{0} 可以看出，更安静的机器所需更少",
    ),
    (
        "no number of processes up to 1000 would show it",
        "1000 个以内的进程都看不出",
    ),
    (
        "this machine is not calibrated in this mode: the intervals of the screening lack what differs from process to process, and are too narrow; `assay calibrate` measures it",
        "本机在此模式下未校准：初筛的区间缺少进程之间的差异，因而过窄；`assay calibrate` 可测量",
    ),
    // Sources.
    (
        "the generated sources of `{}` and `{}` are equal after normalisation: nothing in them explains a difference (launch parameters, shared memory asked for at launch and flags lie elsewhere)",
        "`{0}` 与 `{1}` 的生成源码归一化后相同：其中没有能解释差异之处（启动参数、启动时申请的共享内存和编译选项不在其中）",
    ),
    (
        "the generated source of `{}` differs from build to build, also after normalisation, first in {}: this weakens every claim about it",
        "`{0}` 的生成源码每次构建都不同，归一化后亦然，首见于 {1}：这会削弱关于它的一切结论",
    ),
    (
        "the generated source of `{}` differs from build to build, also after normalisation: this weakens every claim about it",
        "`{0}` 的生成源码每次构建都不同，归一化后亦然：这会削弱关于它的一切结论",
    ),
    // Canaries.
    (
        "DO NOT TRUST THIS: the evaluator did not notice the canary {} ({} was expected): {*}; mend the evaluator, then `assay canary`",
        "请勿采信：评测程序未察觉 canary {0}（应为 {1}）：{2}；请修正评测程序，再运行 `assay canary`",
    ),
    (
        "whether this evaluator notices a broken or slowed kernel is not known: {*}; `assay canary` tries it",
        "此评测程序能否察觉出错或变慢的内核尚不可知：{0}；`assay canary` 可试验",
    ),
    ("canary {w} was never run, {*}", "canary {0} 从未运行，{1}"),
    (
        "canary {w} proved nothing ({*}), {*}",
        "canary {0} 未证明任何事（{1}），{2}",
    ),
    ("canary {w} was never run", "canary {0} 从未运行"),
    (
        "canary {w} proved nothing ({*})",
        "canary {0} 未证明任何事（{1}）",
    ),
    // The chain, and how often something was measured.
    (
        "measured {#} times with this content; earlier verdicts: {*}",
        "此内容已测量 {0} 次；较早的判定：{1}",
    ),
    (
        "measured {#} times with this content; other verdicts: {*}",
        "此内容已测量 {0} 次；其他判定：{1}",
    ),
    (
        "{verdict} {#} (`{}` against `{}`), {*}",
        "{0} {1}（`{2}` 对照 `{3}`），{4}",
    ),
    (
        "{verdict} {#} (`{}` against `{}`)",
        "{0} {1}（`{2}` 对照 `{3}`）",
    ),
    (
        "{verdict} (`{}` against `{}`), {*}",
        "{0}（`{1}` 对照 `{2}`），{3}",
    ),
    ("{verdict} (`{}` against `{}`)", "{0}（`{1}` 对照 `{2}`）"),
    ("{}, and {#} more", "{0}，另有 {1} 个"),
];
