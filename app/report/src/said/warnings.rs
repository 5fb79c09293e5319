//! What stands beside measurements, and what audits are about, in both languages; the first that fits
//! counts, and these are tried after those of judge and summaries.

/// English with `{}` for what differs, and `{*}` for what is a sentence again; Chinese with the places
/// by number.
pub(super) const WARNINGS: &[(&str, &str)] = &[
    // Counts.
    ("{} of {} processes", "{1} 个进程中的 {0} 个"),
    ("{} blocks", "{0} 个区组"),
    ("1 block", "1 个区组"),
    ("the first block", "首个区组"),
    // Calibration and noise.
    (
        "no A/A calibration of this machine in this mode: its noise floor is not known; `assay calibrate` measures it",
        "本机在此模式下没有 A/A 校准：噪声底限未知；`assay calibrate` 可测量",
    ),
    (
        "the A/A calibration of this machine no longer holds ({}): its noise floor is not known; `assay calibrate --noise` measures it",
        "本机的 A/A 校准不再有效（{0}）：噪声底限未知；`assay calibrate --noise` 可测量",
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
        "noisy: the log-ratio varies by {} from process to process, more than [noise] max_cv = {}; measure again on a quieter machine",
        "噪声大：各进程的对数比值波动 {0}，超过 [noise] max_cv = {1}；请在更安静的机器上重新测量",
    ),
    // Conditions of the device.
    (
        "a power cap held in {} of {} stretches between readings: it came or went during the measurement",
        "两次读数之间的 {1} 段中有 {0} 段受功率上限限制：该限制在测量期间出现或消失",
    ),
    (
        "a power cap came or went: it came between the reading before the first block and the next one",
        "功率上限出现或消失：它在首个区组之前的读数与下一次读数之间出现",
    ),
    (
        "a power cap came or went: it went between the reading before the first block and the next one",
        "功率上限出现或消失：它在首个区组之前的读数与下一次读数之间消失",
    ),
    (
        "the clocks differ by {} over {*} ({}), more than {}: lock them, or let the device reach its steady state before it is measured",
        "{1} 之间时钟相差 {0}（{2}），超过 {3}：请锁定时钟，或待设备达到稳定状态后再测量",
    ),
    (
        "the clocks before and after {*} differ by {} ({}), and in which block they moved is not known: mode `resident` reads them after each block, and so does a harness that answers with `conditions`",
        "{0} 前后的时钟相差 {1}（{2}），在哪个区组中变化未知：`resident` 模式在每个区组之后读取，以 `conditions` 作答的测试程序亦然",
    ),
    (
        "{*} in one of {} blocks between two readings; mode resident tells which",
        "两次读数之间的 {1} 个区组之一中有{0}；resident 模式可指明是哪一个",
    ),
    (
        "some task waited for a processor for {} of the time: other work, or more threads than processors",
        "有 {0} 的时间存在等待处理器的任务：有其他工作，或线程多于处理器",
    ),
    (
        "the hypervisor gave {} of a processor to other machines",
        "虚拟机管理程序将一个处理器的 {0} 分给了其他机器",
    ),
    (
        "and {} more warnings about conditions; the measurement's record has them by process",
        "另有 {0} 条关于条件的警告；测量的记录按进程列出",
    ),
    ("a power cap", "功率上限"),
    ("a hardware slowdown", "硬件降速"),
    ("a thermal slowdown", "过热降速"),
    ("a thermal slowdown by the driver", "驱动的过热降速"),
    ("a thermal slowdown by the hardware", "硬件的过热降速"),
    ("a power brake", "电源制动"),
    ("{*} (in {*})", "{0}（见于 {1}）"),
    // Samples that did not enter.
    (
        "dropped block {} of process {} (workload {}): {*}",
        "舍弃进程 {1} 的区组 {0}（工作负载 {2}）：{3}",
    ),
    (
        "dropped block {} of process {}: {*}",
        "舍弃进程 {1} 的区组 {0}：{2}",
    ),
    (
        "dropped process {} (workload {}): {*}",
        "舍弃进程 {0}（工作负载 {1}）：{2}",
    ),
    ("dropped process {}: {*}", "舍弃进程 {0}：{1}"),
    (
        "void: the clocks of its legs differ by {} ({})",
        "作废：其测量段的时钟相差 {0}（{1}）",
    ),
    (
        "void: the clocks in it differ by {} ({})",
        "作废：其间时钟相差 {0}（{1}）",
    ),
    ("void: {*}", "作废：{0}"),
    (
        "the clocks in it differ by {} ({})",
        "其间时钟相差 {0}（{1}）",
    ),
    (
        "{} legs of A and {} of B, of {} each",
        "A 有 {0} 段、B 有 {1} 段，每侧应有 {2} 段",
    ),
    (
        "legs of A and B are not mirrored: drift is not cancelled",
        "A 与 B 的测量段不对称：漂移未被抵消",
    ),
    (
        "{} of {} blocks are complete, {} needed",
        "{1} 个区组中 {0} 个完整，需要 {2} 个",
    ),
    ("only {} was measured in it", "其中只测量了 {0}"),
    ("only {} was measured on it", "在其上只测量了 {0}"),
    ("its weight is 0", "其权重为 0"),
    (
        "all its values are those of process {}: a copy is no fresh process",
        "其所有数值与进程 {0} 相同：副本不是新的进程",
    ),
    (
        "{} of {} processes have a ratio",
        "{1} 个进程中 {0} 个有比值",
    ),
    (
        "all its {} blocks were measured and voided; the first: {*}",
        "其全部 {0} 个区组均已测量并作废；第一个：{1}",
    ),
    (
        "all its {} blocks were measured and dropped; the first: {*}",
        "其全部 {0} 个区组均已测量并舍弃；第一个：{1}",
    ),
    ("workload {} did not enter: {*}", "工作负载 {0} 未计入：{1}"),
    ("workload {} has no samples", "工作负载 {0} 没有样本"),
    (
        "and {} more workloads, blocks or processes that did not enter",
        "另有 {0} 个工作负载、区组或进程未计入",
    ),
    (
        "and {} more workloads with two levels",
        "另有 {0} 个工作负载有两个水平",
    ),
    (
        "workload {} takes {} x, about a factor of a thousand: check the units of either side",
        "工作负载 {0} 的耗时为 {1} 倍，约为千倍：请核对两侧的单位",
    ),
    (
        "{} legs state what cannot be, the first: {}; their times are used, and the harness should be looked at",
        "{0} 个测量段陈述了不可能的内容，第一个：{1}；其时间仍被采用，应检查测试程序",
    ),
    // The machine code, the control kernel and the rules of others.
    (
        "A and B have identical machine code: a null pair, which no policy may call faster",
        "A 与 B 的机器码相同：为空对照，任何策略都不得称其更快",
    ),
    (
        "this rule is documented for one look at {}, and judged {}",
        "该规则的说明为在 {0} 时查看一次，此次判定了 {1}",
    ),
    (
        "workload {} takes {} x: more than the guard {} allows; {*}",
        "工作负载 {0} 的耗时为 {1} 倍：超过护栏 {2}；{3}",
    ),
    (
        "workload {} takes {} x: more than the guard {} allows",
        "工作负载 {0} 的耗时为 {1} 倍：超过护栏 {2}",
    ),
    (
        "workload {}: the difference is not above one step of the timer or of the values ({})",
        "工作负载 {0}：差异不超过计时器或数值的一个步长（{1}）",
    ),
    ("consider a dispatch split", "可考虑按工作负载分派"),
    (
        "the control kernel {} could not be read, so that nothing vouches for this session; `assay log` says why",
        "对照内核 {0} 无法读取，因此此次会话没有保证；`assay log` 说明原因",
    ),
    (
        "the control kernel could not be read: {}",
        "对照内核无法读取：{0}",
    ),
    (
        "the generated sources of `{}` and `{}` are equal after normalisation: nothing in them explains a difference (launch parameters, shared memory asked for at launch and flags lie elsewhere)",
        "`{0}` 与 `{1}` 的生成源码归一化后相同：其中没有能解释差异之处（启动参数、启动时申请的共享内存和编译选项不在其中）",
    ),
    (
        "the generated source of `{}` differs from build to build, also after normalisation{}: this weakens every claim about it",
        "`{0}` 的生成源码每次构建都不同，归一化后亦然{1}：这会削弱关于它的一切结论",
    ),
    // Canaries.
    ("canary {} was never run, {*}", "canary {0} 从未运行，{1}"),
    (
        "canary {} proved nothing ({}), {*}",
        "canary {0} 未证明任何事（{1}），{2}",
    ),
    ("canary {} was never run", "canary {0} 从未运行"),
    (
        "canary {} proved nothing ({})",
        "canary {0} 未证明任何事（{1}）",
    ),
    // Failures, and how often something was measured.
    (
        "wrong result on {} and {} more: {}",
        "{0} 及另外 {1} 个工作负载的结果错误：{2}",
    ),
    ("wrong result on {}: {}", "{0} 的结果错误：{1}"),
    (
        "the samples cannot be used: {} (and {} more); look at what the bench program times",
        "样本无法使用：{0}（另有 {1} 个）；请检查测试程序所计时的内容",
    ),
    (
        "the samples cannot be used: {}; look at what the bench program times",
        "样本无法使用：{0}；请检查测试程序所计时的内容",
    ),
    (
        "measured {} times with this content; earlier verdicts: {*}",
        "此内容已测量 {0} 次；较早的判定：{1}",
    ),
    (
        "measured {} times with this content; other verdicts: {*}",
        "此内容已测量 {0} 次；其他判定：{1}",
    ),
    ("{}, and {} more", "{0}，另有 {1} 个"),
];

/// What a finding of an audit is about.
pub(super) const SUBJECTS: &[(&str, &str)] = &[
    ("{*} (and {} more launches)", "{0}（另有 {1} 次启动）"),
    ("{} against {} on {}: {}", "{0} 对照 {1}，工作负载 {2}：{3}"),
    ("{} against {} on {}", "{0} 对照 {1}，工作负载 {2}"),
    ("{} against {}", "{0} 对照 {1}"),
    ("{} on {}: {}", "{0}，工作负载 {1}：{2}"),
    ("{} on {}", "{0}，工作负载 {1}"),
];
