//! Records in one line each, as the log and the evidence of a variant have them (`assay-core`).

use super::Phrase;

pub(super) const PHRASES: &[Phrase] = &[
    // Decisions.
    ("accept by policy: {\"}", "接受（按策略）：{0}"),
    ("accept by person: {\"}", "接受（由人决定）：{0}"),
    ("reject by policy: {\"}", "拒绝（按策略）：{0}"),
    ("reject by person: {\"}", "拒绝（由人决定）：{0}"),
    ("park by policy: {\"}", "搁置（按策略）：{0}"),
    ("park by person: {\"}", "搁置（由人决定）：{0}"),
    ("rollback by policy: {\"}", "回退（按策略）：{0}"),
    ("rollback by person: {\"}", "回退（由人决定）：{0}"),
    // Declarations.
    ("evaluator pinned at {w}: {\"}", "评测程序固定于 {0}：{1}"),
    ("new root: {\"}", "新建（无父版本）：{0}"),
    ("new, from {w}: {\"}", "新建，基于 {0}：{1}"),
    ("new, from {*}: {\"}", "新建，基于 {0}：{1}"),
    ("rebased onto {w}", "已变基到 {0}"),
    ("{w} and {w} together", "{0} 与 {1} 合并"),
    (
        "what {} contributes to {w}: this is {w} without it",
        "{0} 对 {1} 的贡献：此为去掉它的 {2}",
    ),
    // Runs and builds.
    ("ran {stage} on {}", "已运行 {0}，目标 {1}"),
    ("failed in {stage}: {failure}: {*}", "在 {0} 失败：{1}：{2}"),
    ("build failed: {*}", "构建失败：{0}"),
    ("built in {#} s", "构建用时 {0} s"),
    (
        "{w} source, {#} facts, normalised {w}; built twice: {}",
        "{0} 源码，{1} 个事实，归一化 {2}；构建两次：{3}",
    ),
    (
        "{w} source, {#} facts, normalised {w}",
        "{0} 源码，{1} 个事实，归一化 {2}",
    ),
    (
        "{#} of {#} workloads right, {#} of {#} gates passed",
        "{1} 个工作负载中 {0} 个正确，{3} 个门限中 {2} 个通过",
    ),
    // Measurements.
    (
        "measured against {w} in {#} processes ({})",
        "与 {0} 成对测量，{1} 个进程（{2}）",
    ),
    (
        "measured against itself in {#} processes ({}, {}): floor {}; smallest effect {*}",
        "与自身成对测量，{0} 个进程（{1}，{2}）：底限 {3}；最小可辨效应 {4}",
    ),
    (
        "measured against itself in {#} processes ({}, {}): floor {}; smallest effect ",
        "与自身成对测量，{0} 个进程（{1}，{2}）：底限 {3}；最小可辨效应不详",
    ),
    ("{#} with {#}, {*}", "{0}（{1} 个进程），{2}"),
    ("{#} with {#}", "{0}（{1} 个进程）"),
    (
        "control kernel, {#} processes of {#} blocks in {#} s: {*}",
        "对照内核，{0} 个进程，各 {1} 个区组，用时 {2} s：{3}",
    ),
    ("read {#} x itself", "读数为自身的 {0} 倍"),
    (
        "read {#} x itself, which voids its session",
        "读数为自身的 {0} 倍，使此次会话作废",
    ),
    ("could not be read: {*}", "无法读取：{0}"),
    ("its samples cannot be used: {*}", "其样本无法使用：{0}"),
    // Verdicts and rankings.
    ("{verdict} against {}: {*}", "{0}，对照 {1}：{2}"),
    ("time ratio {#} [{#}, {#}]", "时间比 {0} [{1}, {2}]"),
    ("time ratio {#}, no interval", "时间比 {0}，无区间"),
    ("no time ratio", "无时间比"),
    (
        "screened against {} in one process: {*}",
        "对照 {0} 以一个进程初筛：{1}",
    ),
    (
        "screened {#} variants against {w}; {*}",
        "对照 {1} 初筛 {0} 个变体；{2}",
    ),
    (
        "screened {#} variants against {w}",
        "对照 {1} 初筛 {0} 个变体",
    ),
    ("keep: {}", "保留：{0}"),
    ("spare: {}", "暂留：{0}"),
    ("drop: {}", "舍弃：{0}"),
    ("unranked: {}", "未排名：{0}"),
    (
        "measured end to end against {} after {#} accepted steps: {*}; {*}",
        "与 {0} 端到端测量，此前已接受 {1} 步：{2}；{3}",
    ),
    // Profiles.
    (
        "{#} counters on {} from {}, kernel {*}",
        "{0} 个计数器，工作负载 {1}，来自 {2}，内核 {3}",
    ),
    (
        "{#} counters on {} from {*}",
        "{0} 个计数器，工作负载 {1}，来自 {2}",
    ),
    (
        "{\"}, launch {#} of {#}, imported",
        "{0}，第 {1} 次启动（共 {2} 次），导入",
    ),
    (
        "{\"}, launch {#} of {#}, imported, source not checked",
        "{0}，第 {1} 次启动（共 {2} 次），导入，未核对源码",
    ),
    (
        "{\"}, launch {#} of {#}, imported, of other source",
        "{0}，第 {1} 次启动（共 {2} 次），导入，源码不同",
    ),
    ("{\"}, launch {#} of {#}", "{0}，第 {1} 次启动（共 {2} 次）"),
    (
        "{\"}, medians of {#} launches, imported",
        "{0}，{1} 次启动的中位数，导入",
    ),
    (
        "{\"}, medians of {#} launches, imported, source not checked",
        "{0}，{1} 次启动的中位数，导入，未核对源码",
    ),
    (
        "{\"}, medians of {#} launches, imported, of other source",
        "{0}，{1} 次启动的中位数，导入，源码不同",
    ),
    ("{\"}, medians of {#} launches", "{0}，{1} 次启动的中位数"),
    (
        "{\"}, imported, source not checked",
        "{0}，导入，未核对源码",
    ),
    ("{\"}, imported, of other source", "{0}，导入，源码不同"),
    ("{\"}, imported", "{0}，导入"),
    ("{\"}, whole process", "{0}，整个进程"),
    (
        "p {} on {}, published, not measured here: {*} of {}",
        "p {0} 工作负载 {1}，已发布，非在此测得：{2}，来自 {3}",
    ),
    (
        "p on {}, published, not measured here: {*} of {}",
        "p 工作负载 {0}，已发布，非在此测得：{1}，来自 {2}",
    ),
    (
        "p {} published, not measured here: {*} of {}",
        "p {0} 已发布，非在此测得：{1}，来自 {2}",
    ),
    (
        "p published, not measured here: {*} of {}",
        "p 已发布，非在此测得：{0}，来自 {1}",
    ),
    ("1 figure, row {}", "1 个数值，行 {0}"),
    ("{#} figures, row {}", "{0} 个数值，行 {1}"),
    ("1 figure", "1 个数值"),
    ("{#} figures", "{0} 个数值"),
    // Logs of other programs.
    ("benchmark log {} ({}): {*}", "基准测试日志 {0}（{1}）：{2}"),
    (
        "{*} of {#} subjects, {*} without a time",
        "{1} 个对象的{0}，{2}没有时间",
    ),
    ("{*} of {#} subjects", "{1} 个对象的{0}"),
    ("{*}, {*} without a time", "{0}，{1}没有时间"),
    ("1 time", "1 个时间"),
    ("{#} times", "{0} 个时间"),
    ("1 row", "1 行"),
    ("{#} rows", "{0} 行"),
    // Canaries.
    (
        "canary {w} noticed by evaluator {w} ({w} expected): {*}",
        "canary {0} 被评测程序 {1} 察觉（应为 {2}）：{3}",
    ),
    (
        "canary {w} NOT NOTICED by evaluator {w} ({w} expected): {*}",
        "canary {0} 未被评测程序 {1} 察觉（应为 {2}）：{3}",
    ),
    (
        "canary {w} not put to the test by evaluator {w} ({w} expected): {*}",
        "canary {0} 未被评测程序 {1} 检验（应为 {2}）：{3}",
    ),
    ("it ended otherwise: {*}", "以其他方式结束：{0}"),
    ("it does not build: {*}", "无法构建：{0}"),
    (
        "it was compiled to the machine code of the subject, so that nothing is changed",
        "编译所得机器码与对象相同，没有任何改动",
    ),
    ("it builds", "可以构建"),
    (
        "its check passed on {#} of {#} workloads, and was timed: {w}",
        "{1} 个工作负载中 {0} 个通过检查，并已计时：{2}",
    ),
    (
        "its check passed on {#} of {#} workloads",
        "{1} 个工作负载中 {0} 个通过检查",
    ),
    ("no gate fails; {#} pass", "没有门限不通过；{0} 个通过"),
    ("it was not timed", "未计时"),
    (
        "{verdict}, time ratio {#} in {#} processes",
        "{0}，时间比 {1}，{2} 个进程",
    ),
    ("{verdict} in {#} processes", "{0}，{1} 个进程"),
    // Others.
    ("removed {w} {id}: {\"}", "已移除 {0} {1}：{2}"),
    (
        "not understood by this version: {}: {*}",
        "此版本无法理解：{0}：{1}",
    ),
    ("unknown kind", "未知种类"),
    // Notes by their topics.
    ("documents: {\"}", "文档：{0}"),
    ("environment: {\"}", "环境：{0}"),
    ("layout contract: {\"}", "布局约定：{0}"),
    ("generated source: {\"}", "生成源码：{0}"),
    ("knobs: {\"}", "参数：{0}"),
    ("early counters: {\"}", "早期计数器：{0}"),
    ("swizzles tried: {\"}", "试过的 swizzle：{0}"),
    ("statements: {\"}", "说明：{0}"),
    ("tests: {\"}", "测试：{0}"),
    ("formula correction: {\"}", "公式更正：{0}"),
    ("snapshots: {\"}", "提交快照：{0}"),
    ("summary: {\"}", "汇总：{0}"),
    ("search space: {\"}", "搜索空间：{0}"),
    ("remaining bottleneck: {\"}", "剩余瓶颈：{0}"),
    ("suspected: on {w}: {\"}", "嫌疑：{0} 上：{1}"),
    ("suspected: {\"}", "嫌疑：{0}"),
    (
        "published figures; nothing was run here",
        "已发布的数值；未在此运行",
    ),
];
