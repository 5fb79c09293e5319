//! The state of the device while it was measured, and samples that did not enter (`assay-exec`,
//! `assay-stats`).

use super::Phrase;

pub(super) const PHRASES: &[Phrase] = &[
    ("{#} of {#} processes", "{1} 个进程中的 {0} 个"),
    ("{#} blocks", "{0} 个区组"),
    ("1 block", "1 个区组"),
    ("the first block", "首个区组"),
    (
        "a power cap held in {#} of {#} stretches between readings: it came or went during the measurement",
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
        "clocks were not sampled: neither the tool of the device nor the bench program tells them, so that blocks at differing clocks go unseen",
        "未采样时钟：设备的工具与测试程序均未给出，因此无法发现时钟不同的区组",
    ),
    (
        "clocks were not sampled in {#} of {#} processes: neither the tool of the device nor the bench program tells them, so that blocks at differing clocks go unseen",
        "{1} 个进程中有 {0} 个未采样时钟：设备的工具与测试程序均未给出，因此无法发现时钟不同的区组",
    ),
    (
        "the clocks differ by {} over {*} ({} to {} MHz), more than {}: lock them, or let the device reach its steady state before it is measured",
        "{1}之间时钟相差 {0}（{2} 至 {3} MHz），超过 {4}：请锁定时钟，或待设备达到稳定状态后再测量",
    ),
    (
        "the clocks before and after {*} differ by {} ({} to {} MHz), and in which block they moved is not known: mode `resident` reads them after each block, and so does a harness that answers with `conditions`",
        "{0}前后的时钟相差 {1}（{2} 至 {3} MHz），在哪个区组中变化未知：`resident` 模式在每个区组之后读取，以 `conditions` 作答的测试程序亦然",
    ),
    (
        "{*} in one of {#} blocks between two readings; mode resident tells which",
        "两次读数之间的 {1} 个区组之一中有{0}；resident 模式可指明是哪一个",
    ),
    (
        "{*} in one of the {#} blocks between two readings",
        "两次读数之间的 {1} 个区组之一中有{0}",
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
        "other processes worked on the device: {}",
        "设备上有其他进程在工作：{0}",
    ),
    (
        "and {#} more warnings about conditions; the measurement's record has them by process",
        "另有 {0} 条关于条件的警告；测量的记录按进程列出",
    ),
    ("the bench program notes: {\"}", "测试程序说明：{0}"),
    ("{w} has marks for: {*}", "{0} 的标记：{1}"),
    ("a clock setting", "时钟设置"),
    ("a power cap", "功率上限"),
    ("power cap", "功率上限"),
    ("a hardware slowdown", "硬件降速"),
    ("a thermal slowdown", "过热降速"),
    ("a thermal slowdown by the driver", "驱动的过热降速"),
    ("a thermal slowdown by the hardware", "硬件的过热降速"),
    ("a power brake", "电源制动"),
    ("a boost in step with other devices", "与其他设备同步的加速"),
    ("the clock of a display", "显示用时钟"),
    ("a reason without a name", "未具名的原因"),
    // Samples that did not enter.
    (
        "dropped block {#} of process {#} (workload {}): {*}",
        "舍弃进程 {1} 的区组 {0}（工作负载 {2}）：{3}",
    ),
    (
        "dropped block {#} of process {#}: {*}",
        "舍弃进程 {1} 的区组 {0}：{2}",
    ),
    (
        "dropped process {#} (workload {}): {*}",
        "舍弃进程 {0}（工作负载 {1}）：{2}",
    ),
    ("dropped process {#}: {*}", "舍弃进程 {0}：{1}"),
    (
        "void: the clocks of its legs differ by {} ({} to {} MHz)",
        "作废：其测量段的时钟相差 {0}（{1} 至 {2} MHz）",
    ),
    ("void: {\"}", "作废：{0}"),
    (
        "the clocks in it differ by {} ({} to {} MHz)",
        "其间时钟相差 {0}（{1} 至 {2} MHz）",
    ),
    (
        "mixed devices: readings around it tell of {} and of {}",
        "设备混杂：前后的读数分别来自 {0} 与 {1}",
    ),
    (
        "{#} legs of A and {#} of B, of {#} each",
        "A 有 {0} 段、B 有 {1} 段，每侧应有 {2} 段",
    ),
    (
        "legs of A and B are not mirrored: drift is not cancelled",
        "A 与 B 的测量段不对称：漂移未被抵消",
    ),
    (
        "{#} of {#} blocks are complete, {#} needed",
        "{1} 个区组中 {0} 个完整，需要 {2} 个",
    ),
    ("only {} was measured in it", "其中只测量了 {0}"),
    ("only {} was measured on it", "在其上只测量了 {0}"),
    ("not measured on it", "未在其上测量"),
    ("its weight is 0", "其权重为 0"),
    (
        "all its values are those of process {#}: a copy is no fresh process",
        "其所有数值与进程 {0} 相同：副本不是新的进程",
    ),
    (
        "{#} of {#} processes have a ratio",
        "{1} 个进程中 {0} 个有比值",
    ),
    (
        "all its {#} blocks were measured and voided; the first: {*}",
        "其全部 {0} 个区组均已测量并作废；第一个：{1}",
    ),
    (
        "all its {#} blocks were measured and dropped; the first: {*}",
        "其全部 {0} 个区组均已测量并舍弃；第一个：{1}",
    ),
    ("workload {} did not enter: {*}", "工作负载 {0} 未计入：{1}"),
    ("workload {} has no samples", "工作负载 {0} 没有样本"),
    (
        "and {#} more workloads, blocks or processes that did not enter",
        "另有 {0} 个工作负载、区组或进程未计入",
    ),
    (
        "and {#} more workloads with two levels",
        "另有 {0} 个工作负载有两个水平",
    ),
];
