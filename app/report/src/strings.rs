//! The words of a report, both languages side by side in one table.
//!
//! `{0}`, `{1}` … are filled in with lines of the document. A string that one language
//! lacks does not compile.

use assay_core::text;

use crate::doc::{Line, Piece};

/// Language of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Lang {
    /// English.
    #[default]
    En,
    /// Simplified Chinese.
    Zh,
}

impl Lang {
    /// Both languages.
    pub const ALL: [Self; 2] = [Self::En, Self::Zh];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Zh => "zh",
        }
    }

    /// The language of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|l| l.name() == name)
    }

    pub(crate) fn strings(self) -> &'static Strings {
        match self {
            Self::En => &EN,
            Self::Zh => &ZH,
        }
    }
}

macro_rules! strings {
    ($($name:ident: $en:literal, $zh:literal;)*) => {
        /// Every string of a report.
        pub(crate) struct Strings { $(pub $name: &'static str,)* }
        const EN: Strings = Strings { $($name: $en,)* };
        const ZH: Strings = Strings { $($name: $zh,)* };
        #[cfg(test)]
        const TABLE: &[(&str, &str, &str)] = &[$((stringify!($name), $en, $zh),)*];
    };
}

strings! {
    title: "Report: {0}", "报告：{0}";
    made: "Made {0} by {1} from the ledger of campaign {2}.", "{0} 由 {1} 根据优化活动 {2} 的台账生成。";
    yes: "yes", "是";
    no: "no", "否";
    colon: "{0}:", "{0}：";
    nothing: "None.", "无。";

    claim: "Claim", "结论";
    claim_measured: "{0} takes {1} times as long as {2} (confidence interval {3}), which is {4} times as fast. Verdict: {5}.", "{0} 的耗时是 {2} 的 {1} 倍（置信区间 {3}），即速度为其 {4} 倍。判定：{5}。";
    claim_unmeasured: "{0} is the accepted version, but there is no paired measurement of it: no speed-up is claimed.", "{0} 是已接受的版本，但没有成对测量数据：不宣称任何加速。";
    claim_unsupported: "This verdict does not support a claim of speed-up.", "该判定不支持加速的结论。";
    claim_none: "No variant has been accepted: no speed-up is claimed.", "尚无变体被接受：不宣称任何加速。";
    claim_contested: "Several accepted variants contest the place of the champion: {0}. Nothing is claimed until this is settled.", "多个已接受的变体在争夺最佳版本：{0}。在裁定之前不作任何宣称。";
    claim_scope: "Scope: device {0}; workloads {1}; fresh processes: {2}. Nothing is claimed beyond it.", "适用范围：设备 {0}；工作负载 {1}；{2} 个全新进程。范围之外不作宣称。";
    claim_total: "{0} takes {1} times as long as {2}, the first accepted version: {3} times as fast (product of {4} accepted steps, not measured as one pair).", "{0} 的耗时是首个已接受版本 {2} 的 {1} 倍，即速度为其 {3} 倍（{4} 个已接受步骤之积，并非作为一对直接测量）。";
    claim_untimed: "Not in the timed region: {0}.", "未计入计时区间：{0}。";
    claim_counts: "Workloads: {0} faster, {1} slower, {2} not settled, {3} without an interval.", "工作负载：{0} 个更快，{1} 个更慢，{2} 个未定，{3} 个没有区间。";
    claim_published: "Published summary: nothing in this campaign was measured here. Its figures are those that their authors published. They can be compared, and no verdict follows from them.", "已发布数据的汇总：本活动中没有任何数值在此测得，全部为其作者发布的数值。可以比较，但不构成判定。";
    claim_tries: "Variants tried: {0}; failed: {1}; rejected: {2}; runs counted: {3}.", "尝试的变体：{0}；失败：{1}；被拒绝：{2}；运行次数：{3}。";

    task: "Task", "任务约定";
    task_may_change: "A variant may change: {0}.", "变体可以修改：{0}。";
    task_protected: "The evaluator is pinned and may not be changed: {0} (commit {1}).", "评测程序已固定，不得修改：{0}（提交 {1}）。";
    task_timed: "Timed is the kernel call alone, as the harness defines it. Correctness is checked before anything is timed.", "只计量内核调用本身，以评测程序的定义为准。计时之前先检查正确性。";
    task_published: "What was timed, and how, is what the published documents say.", "计量的内容与方法以发布的文件为准。";
    gates: "Gates", "门限";
    baselines: "Baselines (measured beside the variants, never in competition)", "基线（与变体一同测量，不参与竞争）";
    baselines_published: "Baselines (as published)", "基线（发布的数值）";
    workload: "workload", "工作负载";
    dims: "dimensions", "维度";
    dtype: "type", "数据类型";
    weight: "weight", "权重";
    flops: "flop", "浮点运算";
    bytes: "bytes", "字节";
    gate: "gate", "门限";
    rule: "rule", "规则";
    baseline: "baseline", "基线";

    environment: "Environment", "环境";
    key: "key", "项目";
    value: "value", "值";
    environment_stated: "What the published documents state; nothing of it was read off a machine here.", "以下为发布文件所述，并非在此机器上读取。";
    environment_none: "No environment was recorded.", "没有环境记录。";

    protocol: "Protocol", "测量规程";
    p_delta: "effect that matters (delta)", "有意义的差异（delta）";
    p_guard: "loss allowed on one workload", "单个工作负载允许的损失";
    p_looks: "looks after so many processes", "在这些进程数之后查看";
    p_procedure: "procedure", "判定程序";
    p_policy: "policy", "策略";
    p_mode: "harness mode", "评测模式";
    p_blocks: "mirrored blocks per process", "每个进程的镜像区组";
    p_min_leg: "shortest leg", "最短测量段";
    p_cache: "cache", "缓存";
    p_timer: "timer", "计时器";
    p_regime: "regime (held throughout)", "测量条件（全程保持）";
    p_control: "control kernel", "对照内核";
    p_isolation: "time in a pair / alone", "成对测量耗时 / 单独测量耗时";
    p_isolated: "{0} ({1}): a pair does not disturb", "{0}（{1}）：成对测量没有干扰";
    p_unsettled: "{0} ({1}): whether a pair disturbs is not settled", "{0}（{1}）：成对测量是否有干扰尚无定论";
    p_disturbed: "{0} ({1}): a pair disturbs", "{0}（{1}）：成对测量有干扰";
    p_noise: "noise floor (A/A)", "噪声底限（A/A）";
    canaries: "Does the evaluator notice? Kernels that were broken or slowed on purpose, before the same stages:", "评测程序能否察觉？以下内核被故意改错或改慢，再经过同样的阶段：";
    canary_none: "The evaluator declares no canary: whether it notices a broken or slowed kernel was not tried.", "评测程序没有声明金丝雀：它能否察觉出错或变慢的内核，未经试验。";
    canary_name: "canary", "金丝雀";
    canary_expected: "expected", "预期";
    canary_outcome: "outcome", "结果";
    canary_seen: "seen", "所见";
    canary_noticed: "noticed", "已察觉";
    canary_survived: "NOT NOTICED", "未察觉";
    canary_unproven: "proves nothing", "不能说明问题";
    canary_not_run: "not run", "未运行";
    protocol_published: "Nothing was measured here. The documents that the figures are from say how they were measured.", "未在此作任何测量。测量方法见各数值所出自的文件。";
    protocol_unit: "The unit of evidence is a fresh process in which both sides alternate; ratios are time of the variant / time of the reference.", "证据单位是双方交替运行的全新进程；比值为变体耗时 / 参照耗时。";

    chain: "Result chain", "结果链";
    chain_median: "Medians are those of workload {0}.", "中位数取自工作负载 {0}。";
    chain_geomean: "Each median is the geometric mean of a version's medians over all workloads. Medians of different rows come from different sessions: only the ratios compare.", "每个中位数是该版本在全部工作负载上的中位数的几何平均值。不同行的中位数来自不同的测量会话，只有比值可以比较。";
    chain_published: "Medians marked (p) were published and not measured here.", "标有 (p) 的中位数为发布的数值，并非在此测得。";
    chain_published_mean: "Each median is the geometric mean of a version's published medians over all workloads.", "每个中位数是该版本在全部工作负载上发布的中位数的几何平均值。";
    chain_ends: "{0} against {1}, measured end to end in {2} processes: {3} ({4}). The {5} accepted steps promised {6} ({7}).", "{0} 对照 {1} 的端到端直接测量（{2} 个进程）：{3}（{4}）。{5} 个已接受步骤之积为 {6}（{7}）。";
    chain_overstates: "The accepted steps overstate what was measured end to end.", "已接受步骤之积高估了端到端测量的结果。";
    chain_due: "{0} steps were accepted since the chain was last measured end to end: the next assay run first measures {1} against {2}.", "自上次端到端测量以来已接受 {0} 个步骤：下一次 assay run 会先测量 {1} 对照 {2}。";
    chain_since: "Steps accepted since: {0}.", "此后接受的步骤：{0}。";
    screened: "screened", "已初筛";
    version: "version", "版本";
    parent: "parent", "父版本";
    median: "median", "中位数";
    against: "against", "对照";
    ratio: "ratio", "比值";
    interval: "interval", "区间";
    verdict: "verdict", "判定";
    gates_passed: "gates passed", "通过的门限";
    decision: "decision", "决定";
    chain_none: "No version has been accepted.", "没有版本被接受。";

    cards: "Accepted variants", "已接受的变体";
    cards_none: "The details of the accepted versions were not handed over.", "没有提供已接受版本的详细信息。";
    hypothesis: "Hypothesis: {0}", "假设：{0}";
    family_name: "family", "思路";
    family: "Family {0}; knobs: {1}.", "思路 {0}；参数：{1}。";
    predictions: "Predictions", "预测";
    prediction: "prediction", "预测";
    observed: "observed", "实测";
    held: "held", "是否成立";
    predictions_none: "No prediction was made.", "没有作出预测。";
    unknown: "not known", "未知";
    card_verdict: "Verdict: {0}. {1}", "判定：{0}。{1}";
    card_verdict_none: "There is no verdict.", "没有判定。";
    reference_median: "median of {0}", "{0} 的中位数";
    guard: "guard", "守护";
    guard_broken: "broken", "被突破";
    guard_kept: "kept", "守住";
    diff: "Change of the kernel against {0}", "内核相对 {0} 的改动";
    diff_cut: "{0} of {1} lines are shown.", "显示 {1} 行中的 {0} 行。";
    source_diff: "Change of the generated source against {0}", "生成源码相对 {0} 的改动";
    source_equal: "Both generated sources are equal after normalisation: nothing in them explains a difference in time.", "归一化后两份生成源码相同：时间差异无法用源码解释。";
    beside_counters: "Facts of the source and counters beside each other (what goes together, never a proof)", "源码事实与计数器对照（仅说明同时变化，不构成证明）";
    goes_with: "{0} {1}; goes with {2} {3}", "{0} {1}；与之相符的是 {2} {3}";
    goes_against: "{0} {1}; against what that lets expect, {2} {3}", "{0} {1}；与预期相反的是 {2} {3}";
    unmoved: "{0} {1}; {2} did not move ({3})", "{0} {1}；{2} 没有变化（{3}）";
    without_counter: "No counter of both sides to read with: {0}.", "双方都没有可与之对照的计数器：{0}。";
    twice_equal: "Built twice: the generated sources are equal byte for byte.", "构建两次：生成源码逐字节相同。";
    twice_normalised: "Built twice: the generated sources are equal after normalisation.", "构建两次：归一化后生成源码相同。";
    twice_differs: "Built twice: the generated sources differ even after normalisation, first in {0}. This weakens every claim about the source.", "构建两次：归一化后生成源码仍不同，首先出现在 {0}。这削弱了关于源码的一切结论。";
    facts: "Facts of the generated source", "生成代码的事实";
    counters: "Counters ({0})", "计数器（{0}）";
    counters_other_tool: "The counters of {0} come from another tool ({1}): no comparison.", "{0} 的计数器来自另一种工具（{1}）：不作比较。";
    figure: "figure", "指标";
    before: "before", "之前";
    after: "after", "之后";
    change: "change", "变化";
    direction: "direction", "方向";
    better: "better", "变好";
    worse: "worse", "变差";
    only_before: "only before", "仅之前有";
    only_after: "only after", "仅之后有";
    unchanged: "unchanged: {0}", "没有变化：{0}";
    decided: "Decision: {0} by {1} ({2}), {3}. Reason: {4}", "决定：{0}，{1}（{2}），{3}。理由：{4}";
    gate_overridden: "gate {0} was overridden: {1}", "门限 {0} 被豁免：{1}";
    gate_failed: "gate {0} failed: {1}", "门限 {0} 未通过：{1}";
    gate_unknown: "gate {0} could not be judged: {1}", "门限 {0} 无法判断：{1}";
    stale: "The branch has moved on: this evidence is about older content.", "分支已有新内容：这些证据对应旧内容。";
    by_policy: "by the written policy", "按书面策略";
    by_person: "by a person", "由人决定";
    accept: "accepted", "接受";
    reject: "rejected", "拒绝";
    park: "parked", "搁置";
    rollback: "rolled back to", "回退";
    open: "open", "未决定";

    rejected: "Rejected and parked directions", "被拒绝和搁置的方向";
    rejected_groups: "Each row is a group of things that were tried, with the reason that its document gives for the group, in its own words. Of a single one nothing is known beyond these words.", "每行为一组尝试，理由为文件对该组所述的原话。除此之外，各单独尝试的情况均不得而知。";
    group: "group", "组";
    tried: "what was tried", "尝试内容";
    knobs_name: "knobs", "参数";
    document_reason: "reason, as published", "理由（原文）";
    published: "Published tables", "已发布的表格";
    published_as_printed: "Published summary: nothing in these tables was measured here. Every cell is as printed; columns `document` and `section` say where.", "已发布数据的汇总：这些表中没有任何数值在此测得。各单元格均与原文一致；出处见 document 与 section 两列。";
    published_of: "From {0}; filed under {1}; records: {2}.", "来自 {0}；归入 {1}；记录：{2}。";
    table_problem: "The table {0} is not shown: {1}.", "表格 {0} 无法显示：{1}。";
    table_cut: "{0} of {1} rows are shown.", "显示 {1} 行中的 {0} 行。";
    notes: "Notes", "备注";
    note_campaign: "the campaign", "整个活动";
    note_by: "{0}, {1}, {2}", "{0}，{1}，{2}";
    verdict_later: "{0} (a later run, which the figures here are of: {1})", "{0}（后来的运行，本行数据来自它：{1}）";
    reason: "reason", "理由";
    why: "hypothesis", "假设";

    failures: "Failures", "失败";
    kind: "kind", "类别";
    stage: "stage", "阶段";
    message: "message", "信息";

    threats: "Threats to validity", "有效性威胁";
    t_single: "All evidence comes from one machine ({0}); another one may rank the variants differently.", "所有证据来自同一台机器（{0}）；换一台机器，排名可能不同。";
    t_device_unknown: "The device of the evidence is not recorded.", "没有记录证据所用的设备。";
    t_noise: "There is no A/A calibration: the noise floor of this machine is not known, and delta may lie below it.", "没有 A/A 校准：本机噪声底限未知，delta 可能低于它。";
    t_noise_above: "The noise floor ({0}) is above delta ({1}): effects of that size cannot be told from noise.", "噪声底限（{0}）高于 delta（{1}）：这种大小的差异无法与噪声区分。";
    t_undecided: "UNDECIDED verdicts: {0} ({1}).", "判定为 UNDECIDED：{0} 个（{1}）。";
    t_invalid: "INVALID measurements: {0} ({1}).", "测量为 INVALID：{0} 个（{1}）。";
    t_tries: "{0} variants were tried on the same workloads; the best of many looks better than it is.", "在同样的工作负载上尝试了 {0} 个变体；多次尝试中的最佳者往往看起来比实际更好。";
    t_overrides: "Gates were overridden for {0}.", "以下变体的门限被豁免：{0}。";
    t_guard: "{0} is proven slower on {1} beyond the guard.", "{0} 在 {1} 上被证明慢于守护范围。";
    t_stale: "The branches of {0} have moved on since they were measured.", "{0} 的分支在测量之后又有改动。";
    t_exploit: "An evaluator exploit is suspected for {0}.", "怀疑 {0} 利用了评测程序的漏洞。";
    t_static: "Counters of {0} are counts in the generated text, not of what ran.", "{0} 的计数器来自生成的文本，而不是实际执行。";
    t_simulated: "Counters of {0} come from a simulated machine.", "{0} 的计数器来自模拟的机器。";
    t_unreadable: "Records that this version could not read, and that are not in this report: {0}.", "本版本无法读取、因而未计入本报告的记录：{0} 条。";
    t_screened: "{0} variants were screened and not confirmed: {1}. Their ranks are from one process each, and are no verdicts.", "{0} 个变体只经初筛而未确认：{1}。其名次各来自一个进程，不是判定。";
    t_contested: "The place of the champion is contested.", "最佳版本存在争议。";
    t_environments: "The evidence does not come from one environment: {0} differs between variants.", "证据并非来自同一环境：各变体的 {0} 不同。";
    t_warning: "{0}: {1}", "{0}：{1}";

    reproduce: "Reproduce", "复现";
    reproduce_published: "There is nothing to run here: the published documents say how their figures were made.", "此处没有可运行的内容：数值的来由见所发布的文件。";
    reproduce_none: "No commands were handed over.", "没有提供命令。";

    evidence: "Evidence", "证据索引";
    record: "record", "记录";
    variant: "variant", "变体";
    at: "at", "时间";
    summary: "summary", "摘要";
    evidence_none: "No records were handed over.", "没有提供记录。";

    logs: "Imported benchmark logs", "导入的基准测试日志";
    logs_what: "These are figures that other programs printed. They are summaries and are compared without a verdict: no claim of this report rests on them.", "以下数字由其他程序打印，属于汇总数据，只作比较而不作判定：本报告的任何结论都不以此为据。";
    logs_speedup: "A speed-up is the time of the baseline / the time of the subject: above 1 is faster. In brackets stands the range that the printed digits leave. Where two times differ by one display digit at most, the log does not show which is less.", "加速比为基线耗时 / 被测对象耗时，大于 1 表示更快。括号内为打印位数所允许的范围。若两个时间相差不超过一个显示位，则日志无法表明哪个更小。";
    log_from: "Read as {0}; record {1}, imported {2} by {3}.", "按 {0} 格式读取；记录 {1}，由 {3} 于 {2} 导入。";
    log_fact: "{0}: {1}", "{0}：{1}";
    log_device: "Device", "设备";
    log_target: "Target", "目标";
    log_note: "Remark", "备注";
    log_notice: "Note: {0}", "注意：{0}";
    log_missing: "The rows cannot be shown: {0}", "无法显示各行：{0}";
    log_cut: "{0} of {1} rows are shown; the CSV form of the report has all.", "显示 {1} 行中的 {0} 行；CSV 格式的报告包含全部。";
    log_group: "group", "分组";
    log_time: "{0} ({1})", "{0}（{1}）";
    log_time_alone: "time", "耗时";
    log_against: "{0} over {1}", "{0} 相对 {1} 的加速比";
    log_rate: "{0}, {1}", "{0}，{1}";
    log_absent: "not in the log", "日志中没有";
    log_untold: "one display digit", "仅一个显示位";
    log_printed: "{0} (printed)", "{0}（日志打印）";
    log_printed_as: "{0} (printed as {1}, {2})", "{0}（日志打印为 {1}，{2}）";
    log_differs: "the log prints {0}, {1} times that", "日志打印 {0}，为其 {1} 倍";
    log_rates: "TFLOPS and GB/s are the work by formula / the printed time; those marked as printed are the log's own and were not computed again.", "TFLOPS 与 GB/s 为公式给出的工作量 / 打印的耗时；标为日志打印者取自日志，未重新计算。";
    log_disagrees: "Where the log prints another figure than its own times and the formula give, both are shown: one of the two formulas is wrong, or the figure was not made from this time.", "日志打印的数字与其自身耗时及公式不符时，两者一并列出：要么其中一个公式有误，要么该数字并非由此耗时得出。";
    log_subject: "subject", "被测对象";
    log_geomean: "geometric mean", "几何平均";
    log_wins: "faster", "更快";
    log_losses: "slower", "更慢";
    log_matched: "matched rows", "匹配的行";
    log_unmatched: "rows without a pair", "无配对的行";
    log_mean: "Geometric means are over the matched rows, each counted once; rows that only one side has a time for, or that were timed in different ways, are not in them.", "几何平均仅对匹配的行计算，每行计一次；只有一方有耗时的行，或计时方式不同的行，不计入。";
    log_failed: "Rows without a time: {0}.", "没有耗时的行：{0}。";
    log_failed_cut: "{0} of {1} are listed.", "列出 {1} 行中的 {0} 行。";
    log_line: "line", "行号";
    log_row: "row", "行";

    ck_correct: "The champion's results were checked on every workload and are right", "最佳版本的结果已在全部工作负载上验证正确";
    ck_gates: "No gate of an accepted variant failed or was overridden", "已接受变体的门限无一失败或被豁免";
    ck_verdict: "The claim rests on a verdict FASTER that nobody contests", "结论以无争议的 FASTER 判定为据";
    ck_fresh: "The branches of accepted variants hold what was measured", "已接受变体的分支内容与测量时一致";
    ck_one_environment: "The evidence of accepted variants comes from one environment", "已接受变体的证据来自同一环境";
    ck_one_build: "Counters and times of an accepted variant are of one build", "已接受变体的计数器与耗时来自同一次构建的内容";
    ck_noise: "The noise floor is calibrated and not above delta", "噪声底限已校准且不高于 delta";
    ck_formulas: "Every workload has formulas for operations and bytes", "每个工作负载都有运算量与字节数公式";
    ck_canaries: "The evaluator noticed every kernel that was broken on purpose", "评测程序识别出全部故意破坏的内核";
    ck_placeholders: "No text has a gap that somebody still has to fill in", "文本中没有待填的空缺";
    ck_verified: "Every record and every figure came out again (assay verify)", "全部记录与数值均可重新算出（assay verify）";

    card_records: "Records: {0}.", "记录：{0}。";

    rf_title: "Roofline and distance to the references", "Roofline 与参照的差距";
    rf_none: "No version has formulas of its work and a time: there is no roofline.", "没有同时具备工作量公式与耗时的版本：不作 Roofline。";
    rf_no_peaks: "The peaks of this device are not known: speeds stand without a roof. A device file, or `assay calibrate` for this CPU, gives them.", "本设备的峰值未知：速度没有屋顶可比。可用设备文件或 `assay calibrate`（本机 CPU）给出。";
    rf_peaks: "Peaks of {0}: {1} GB/s; {2}. Source: {3}.", "{0} 的峰值：{1} GB/s；{2}。来源：{3}。";
    rf_peak: "{0} {1} TFLOPS", "{0} {1} TFLOPS";
    rf_what: "version, workload", "版本与工作负载";
    rf_intensity: "flop/byte", "算术强度（flop/byte）";
    rf_speed: "Gflop/s", "Gflop/s";
    rf_rate: "GB/s", "GB/s";
    rf_share: "of its roof", "达到屋顶";
    rf_formula: "Work and bytes are those of the campaign's formulas / the median time; the roof is the lesser of the peak and intensity x bandwidth.", "工作量与字节数按活动公式计算，除以中位耗时；屋顶取峰值与（算术强度 × 带宽）中较小者。";
    rf_distance: "Time of each reference / time of {0} (above 1: {0} is faster). These are medians side by side and no verdicts.", "各参照耗时 / {0} 耗时（大于 1 表示 {0} 更快）。此处为中位数并列，不是判定。";
    rf_no_reference: "There is no baseline to hold the champion against.", "没有可供对照的基线。";
    rf_mean: "geometric mean (workloads)", "几何平均（工作负载数）";

    dg_title: "Remaining bottleneck and what to try next", "剩余瓶颈与下一步";
    dg_what: "What the profiles of {0} say, by rules whose conditions and thresholds stand beside them. A rule is silent where a counter is absent.", "{0} 的性能分析结果，按规则得出，条件与阈值列于旁边。缺少计数器时规则不作声。";
    dg_no_counters: "There are no counters of the champion: nothing can be said of its bottleneck.", "最佳版本没有计数器数据：无法判断其瓶颈。";
    dg_silent: "No rule has anything to say on the champion's counters.", "没有规则对最佳版本的计数器作出判断。";
    dg_about: "about", "对象";
    dg_found: "finding", "发现";
    dg_try: "to try, and what must move", "建议与应当变化的计数器";
    dg_evidence: "evidence", "依据";
    dg_source: "source of the rule", "规则来源";
    dg_cut: "{0} of {1} are shown.", "显示 {1} 项中的 {0} 项。";

    pr_title: "[{0}] optimize: {1}", "[{0}] optimize：{1}";
    pr_feat: "`feat`: a new operator or function", "`feat`：新增算子或功能";
    pr_optimize: "`optimize`: an existing implementation made faster", "`optimize`：优化已有实现";
    pr_evaluator: "evaluator (pinned commit)", "评测程序（固定提交）";
    pr_first: "first accepted version (commit)", "首个已接受版本（提交）";
    pr_head: "measured version (commit)", "实测版本（提交）";
    pr_branch: "branch", "分支";
    pr_changes: "1. What was optimized", "1. 优化方案";
    pr_step: "{0}: {1} Time / time of {3}: {2} ({4}), {5}.", "{0}：{1} 耗时 / {3} 的耗时：{2}（{4}），{5}。";
    pr_step_unmeasured: "{0}: {1} Not measured as a pair.", "{0}：{1} 没有成对测量。";
    pr_accuracy: "2. Accuracy", "2. 精度验证";
    pr_unchecked: "No check of the results is recorded.", "没有结果验证的记录。";
    pr_abs_error: "largest absolute error", "最大绝对误差";
    pr_rel_error: "largest relative error", "最大相对误差";
    pr_right: "right", "正确";
    pr_performance: "3. Performance", "3. 性能数据";
    pr_checklist: "4. Checklist", "4. 提交自检清单";
    pr_found: ": ", "：";

    tp_figures: "Figures of the text and their records", "正文数值及其记录";
    tp_reference: "reference", "引用";

    ck_title: "title", "标题";
    ck_at: "{0}, {1}", "{0}，{1}";
    ck_no_champion: "there is no champion", "没有最佳版本";
    ck_not_checked: "{0}: not checked", "{0}：未验证";
    ck_no_claim: "nothing is claimed", "没有作出结论";
    ck_no_verdict: "{0}: no verdict", "{0}：没有判定";
    ck_no_calibration: "there is no A/A calibration", "没有 A/A 校准";
    ck_floor: "{0} is above {1}", "{0} 高于 {1}";
    ck_no_file: "there is no campaign file", "没有活动配置文件";
    ck_no_formula: "{0}: no formula of {1}", "{0}：没有 {1} 的公式";
    ck_not_asked: "the ledger was not verified", "台账未经校验";
    ck_unchecked: "{0} could not be checked", "{0} 项无法校验";

    contents: "Contents", "目录";
    plots_left_out: "Pictures are shown for the last {0} of {1} accepted variants; the tables hold the figures of all.", "仅为最后 {0} 个（共 {1} 个）已接受的变体绘图；表格包含全部数据。";
    pl_none: "no data", "没有数据";
    pl_curve: "Median time by accepted version", "各已接受版本的中位耗时";
    pl_curve_desc: "{0} versions in the order of acceptance, from {1} to {2}.", "按接受顺序的 {0} 个版本，从 {1} 到 {2}。";
    pl_time: "time ({0})", "耗时（{0}）";
    pl_time_cut: "time ({0}); the axis does not start at 0", "耗时（{0}）；纵轴不从 0 开始";
    pl_time_log: "time ({0}), logarithmic", "耗时（{0}），对数轴";
    pl_labels_cut: "Labels are thinned out; the table names every version.", "标签已抽稀；表格列出全部版本。";
    pl_forest: "Ratios with confidence intervals", "比值与置信区间";
    pl_forest_desc: "Time against the reference; {0} rows, {1} faster, {2} slower.", "相对参照的耗时；{0} 行，其中 {1} 行更快，{2} 行更慢。";
    pl_ratio: "time / time of the reference; less is faster", "耗时 / 参照耗时；越小越快";
    pl_delta: "shaded: within ±{0}", "阴影：±{0} 以内";
    pl_shown: "{0} of {1} are shown: the {2} lowest and the {3} highest.", "显示 {1} 中的 {0} 个：最低的 {2} 个和最高的 {3} 个。";
    pl_samples: "Samples: {0} and {1}", "样本：{0} 与 {1}";
    pl_samples_desc: "Each dot is a sample; the box holds the middle half with the median, the line reaches from the lowest to the highest.", "每个点是一个样本；箱体为中间一半并标出中位数，横线从最小值到最大值。";
    pl_samples_of: "median {0}, n = {1}", "中位数 {0}，n = {1}";
    pl_dots: "{0} of {1} dots are shown.", "显示 {1} 个点中的 {0} 个。";
    pl_panels: "{0} of {1} workloads are shown.", "显示 {1} 个工作负载中的 {0} 个。";
    pl_roofline: "Roofline: {0}", "Roofline：{0}";
    pl_roofline_desc: "Speed against arithmetic intensity; {0} points. Bandwidth {1}.", "速度与算术强度；{0} 个点。带宽 {1}。";
    pl_intensity: "arithmetic intensity (flop/byte)", "算术强度（flop/byte）";
    pl_speed: "speed (Gflop/s)", "速度（Gflop/s）";
    pl_versus: "{0} / {1}", "{0} / {1}";
    pl_of_roof: "{0} flop/byte, {1} Gflop/s, {2} of its roof", "{0} flop/byte，{1} Gflop/s，达到屋顶的 {2}";
    pl_above_roof: "{0} flop/byte, {1} Gflop/s, {2} of its roof: impossible", "{0} flop/byte，{1} Gflop/s，达到屋顶的 {2}：不可能";
    pl_no_roof: "{0} flop/byte, {1} Gflop/s, no roof known", "{0} flop/byte，{1} Gflop/s，屋顶未知";
    pl_heat: "Ratios by variant and workload", "各变体在各工作负载上的比值";
    pl_heat_desc: "{0} variants by {1} workloads: time against each variant's own reference. Blue is faster, orange slower.", "{0} 个变体 × {1} 个工作负载：相对各自参照的耗时。蓝色更快，橙色更慢。";
    pl_faster: "faster", "更快";
    pl_slower: "slower", "更慢";
    pl_broken: "outlined: slower beyond the guard", "描边：慢于守护范围";
    pl_bars: "Changes of {0} against {1}", "{0} 相对 {1} 的变化";
    pl_bars_desc: "{0} figures: {1} better, {2} worse, {3} without direction.", "{0} 个指标：{1} 个变好，{2} 个变差，{3} 个无方向。";
    pl_bars_axis: "change in percent", "变化（百分比）";
    pl_bars_cut: "{0} of {1} are shown: those that changed most.", "显示 {1} 个中变化最大的 {0} 个。";
}

impl Strings {
    /// The word for a kind of decision; unknown kinds show as they are.
    pub(crate) fn decision_kind(&self, kind: &str) -> Line {
        match kind {
            "accept" => self.accept.into(),
            "reject" => self.reject.into(),
            "park" => self.park.into(),
            "rollback" => self.rollback.into(),
            other => Line::outside(other),
        }
    }

    /// What became of a kernel that was broken on purpose.
    pub(crate) fn canary_outcome(&self, outcome: &str) -> &'static str {
        match outcome {
            "noticed" => self.canary_noticed,
            "survived" => self.canary_survived,
            "unproven" => self.canary_unproven,
            _ => self.canary_not_run,
        }
    }

    /// Yes, no, or not known.
    pub(crate) fn yes_no(&self, value: Option<bool>) -> &'static str {
        match value {
            Some(true) => self.yes,
            Some(false) => self.no,
            None => self.unknown,
        }
    }
}

/// Fills the numbered places of a template, in one pass: a value cannot bring in new places.
pub(crate) fn fill(template: &'static str, values: &[Line]) -> Line {
    let mut out = Line::default();
    let own = |words: &'static str, out: &mut Line| {
        if !words.is_empty() {
            out.0.push(Piece::Own(words.into()));
        }
    };
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        own(&rest[..open], &mut out);
        let tail = &rest[open + 1..];
        let place = tail.find('}').map(|close| (close, &tail[..close]));
        match place.and_then(|(close, n)| Some((close, values.get(n.parse::<usize>().ok()?)?))) {
            Some((close, value)) => {
                out.0.extend(value.0.iter().cloned());
                rest = &tail[close + 1..];
            }
            None => {
                own("{", &mut out);
                rest = tail;
            }
        }
    }
    own(rest, &mut out);
    out
}

/// Names as a list, at most `limit` of them.
pub(crate) fn names<'a>(all: impl IntoIterator<Item = &'a str>, limit: usize) -> Line {
    let all: Vec<&str> = all.into_iter().collect();
    let mut out: Vec<Line> = all
        .iter()
        .take(limit)
        .map(|n| Line::outside(text::truncate(n, 80)))
        .collect();
    if all.len() > limit {
        out.push(Line::own(format!("… (+{})", all.len() - limit)));
    }
    Line::join(out, ", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(text: &str) -> Vec<String> {
        let mut found: Vec<String> = (0..9)
            .map(|n| format!("{{{n}}}"))
            .filter(|p| text.contains(p))
            .collect();
        found.sort();
        found
    }

    #[test]
    fn both_languages_fill_the_same_places() {
        for (name, en, zh) in TABLE {
            assert_eq!(places(en), places(zh), "{name}");
            assert!(!en.is_empty() && !zh.is_empty(), "{name}");
        }
    }

    #[test]
    fn a_value_cannot_bring_in_places() {
        let values = [Line::outside("{1}"), Line::own("b")];
        let filled = fill("{0} {1} {x} {", &values);
        assert_eq!(filled.plain(), "{1} b {x} {");
    }
}
