//! Why a stage did not end as it should (`assay-exec`, `assay-engine`).

use super::Phrase;

pub(super) const PHRASES: &[Phrase] = &[
    // The stage before what came of it.
    ("bench: on {w}: {\"}", "bench：{0} 上：{1}"),
    ("build: {*}", "build：{0}"),
    ("source: {*}", "source：{0}"),
    ("check: {*}", "check：{0}"),
    ("bench: {*}", "bench：{0}"),
    ("profile: {*}", "profile：{0}"),
    // How a program ended.
    ("ended well", "正常结束"),
    (
        "exit code 127: a command was not found; see the log for its name",
        "退出码 127：找不到命令；其名称见日志",
    ),
    (
        "exit code 126: a command could not be executed",
        "退出码 126：命令无法执行",
    ),
    (
        "exit code {#}: a command was not found: {\"}; install it, or put its folder into PATH: `assay doctor` looks for the tools of each back end",
        "退出码 {0}：找不到命令：{1}；请安装，或将其所在文件夹加入 PATH：`assay doctor` 会查找各后端的工具",
    ),
    (
        "exit code {#}: a command could not be executed: {\"}",
        "退出码 {0}：命令无法执行：{1}",
    ),
    ("exit code {#}: {\"}", "退出码 {0}：{1}"),
    ("exit code {#}", "退出码 {0}"),
    (
        "killed by signal 4 (ILL: an instruction that this processor lacks?)",
        "被信号 4 终止（ILL：此处理器可能没有该指令）",
    ),
    (
        "killed by signal 9 (KILL: out of memory?)",
        "被信号 9 终止（KILL：可能内存不足）",
    ),
    ("killed by signal {}", "被信号 {0} 终止"),
    ("not done after {#} s", "{0} s 后仍未完成"),
    ("stopped after {#} bytes of output", "输出 {0} 字节后被停止"),
    (
        "cannot be started: the system gives no more threads",
        "无法启动：系统不再给出线程",
    ),
    ("cannot be started: {*}", "无法启动：{0}"),
    ("its end was not seen: {*}", "未见其结束：{0}"),
    ("the command is empty", "命令为空"),
    ("the folder `{}` does not exist", "文件夹 `{0}` 不存在"),
    ("cannot open the log `{}`: {\"}", "无法打开日志 `{0}`：{1}"),
    ("cannot watch the program: {\"}", "无法监视程序：{0}"),
    ("no pipe: {\"}", "没有管道：{0}"),
    ("`{}`: {\"} (in `{}`)", "`{0}`：{1}（在 `{2}` 中）"),
    (
        "{w} is not installed for this Python: `assay doctor` looks for it, and only what [env] pass names is seen of PYTHONPATH and PYTHON{w}",
        "此 Python 未安装 {0}：`assay doctor` 会查找；PYTHONPATH 与 PYTHON{1} 中只有 [env] pass 所列的可见",
    ),
    (
        "{w} is not installed for this Python: `assay doctor` looks for it, and only what [env] pass names is seen of PYTHONPATH and PYTHON",
        "此 Python 未安装 {0}：`assay doctor` 会查找；PYTHONPATH 与 PYTHON 中只有 [env] pass 所列的可见",
    ),
    (
        "ended without the `done` answer, so what it answered may be cut off",
        "结束时没有 `done` 应答，其应答可能被截断",
    ),
    (
        "{#} answers came without the run's nonce; code under test may have written them",
        "有 {0} 条应答不带此次运行的随机数；可能由被测代码写入",
    ),
    ("process {#}: {*}", "进程 {0}：{1}"),
    (
        "{*}; it is of {w}, which fails alone, too: {*}",
        "{0}；出自 {1}，它单独运行时也失败：{2}",
    ),
    (
        "{*}; {w} fails alone, too: {*}",
        "{0}；{1} 单独运行时也失败：{2}",
    ),
    (
        "{*}; {w} and {w} shared the process, and alone each of them ends well: which of them it was is not known; mode `resident` or `invocation` in [bench] keeps them apart; this says nothing of the variant",
        "{0}；{1} 与 {2} 共用该进程，单独运行时都正常结束：是哪一个未知；[bench] 的 `resident` 或 `invocation` 模式可将两者分开；这与变体无关",
    ),
    (
        "{*}; {w} and {w} shared the process, and alone each of them fails: {w}: {*}, {w}: {*}; it may be the device or the bench program as well as both; this says nothing of the variant",
        "{0}；{1} 与 {2} 共用该进程，单独运行时都失败：{3}：{4}，{5}：{6}；可能是设备或测试程序，也可能是两者；这与变体无关",
    ),
    (
        "{*}; {w} and {w} shared the process: which of them it was is not known",
        "{0}；{1} 与 {2} 共用该进程：是哪一个未知",
    ),
    ("answer line {#}: {*}", "应答第 {0} 行：{1}"),
    (
        "its answers do not fit the plan: {*}",
        "其应答与计划不符：{0}",
    ),
    (
        "it ended well but {#} of {#} legs are missing: {*}",
        "正常结束，但缺少 {1} 个测量段中的 {0} 个：{2}",
    ),
    (
        "conditions of workload {}, process {#}, block {#}: {*}",
        "工作负载 {0}、进程 {1}、区组 {2} 的条件：{3}",
    ),
    (
        "the plan has no such block or leg",
        "计划中没有此区组或测量段",
    ),
    ("told more than once", "报告了不止一次"),
    ("{}: the plan has no such leg", "{0}：计划中没有此测量段"),
    ("{} of `{}` has no samples", "`{1}` 的{0}没有样本"),
    (
        "{}: answered for `{}`, planned for `{}`",
        "{0}：应答的是 `{1}`，计划的是 `{2}`",
    ),
    (
        "the check's answers cannot be used: {*}",
        "检查的应答无法使用：{0}",
    ),
    ("the check said nothing of {}", "检查未说明 {0}"),
    // Results.
    (
        "wrong result on {w} and {#} more: {\"}",
        "{0} 及另外 {1} 个工作负载的结果错误：{2}",
    ),
    ("wrong result on {w}: {\"}", "{0} 的结果错误：{1}"),
    (
        "wrong result on {w} and {#} more: ",
        "{0} 及另外 {1} 个工作负载的结果错误",
    ),
    ("wrong result on {w}: ", "{0} 的结果错误"),
    (
        "a timed launch gave a wrong result on {w}: {\"}",
        "计时的一次启动在 {0} 上结果错误：{1}",
    ),
    (
        "the opponent {} could not be measured: on {w}: {\"}; this says nothing of the variant: measure again on a quieter machine or against another one (--against NAME), and look at {} if it stays",
        "对手 {0} 无法测量：{1} 上：{2}；这与变体无关：请在更安静的机器上重新测量，或换一个对手（--against NAME），若仍如此请检查 {3}",
    ),
    (
        "the opponent {} could not be measured: {*}; this says nothing of the variant: measure again on a quieter machine or against another one (--against NAME), and look at {} if it stays",
        "对手 {0} 无法测量：{1}；这与变体无关：请在更安静的机器上重新测量，或换一个对手（--against NAME），若仍如此请检查 {2}",
    ),
    (
        "the files that were built of {} have changed since; code under test may have rewritten them",
        "{0} 构建所得的文件此后已改变；可能被被测代码改写",
    ),
    (
        "the harness loaded {w} as {}, and {w} was built; look at what it opens",
        "测试程序将 {0} 当作 {1} 加载，而构建的是 {2}；请检查它打开的文件",
    ),
    (
        "{} does {} in {#} ns, and the peak of {} allows {#} ns at best; work is left out, or the formulas of the campaign ask for too much",
        "{0} 以 {2} ns 完成 {1}，而 {3} 的峰值最快只允许 {4} ns；有工作被省略，或活动的公式要求过多",
    ),
    (
        "{} does {} in {#} ns, and the bandwidth of {} allows {#} ns at best; work is left out, or the formulas of the campaign ask for too much",
        "{0} 以 {2} ns 完成 {1}，而 {3} 的带宽最快只允许 {4} ns；有工作被省略，或活动的公式要求过多",
    ),
    // Samples.
    (
        "the samples cannot be used: {*} (and {#} more); look at what the bench program times",
        "样本无法使用：{0}（另有 {1} 个）；请检查测试程序所计时的内容",
    ),
    (
        "the samples cannot be used: {*}; look at what the bench program times",
        "样本无法使用：{0}；请检查测试程序所计时的内容",
    ),
    ("the samples cannot be judged: {*}", "样本无法判定：{0}"),
    (
        "no verdict after {#} processes, twice as many as the procedure's last look: {*}",
        "{0} 个进程后仍无判定，已是程序最后一次查看的两倍：{1}",
    ),
    ("line {#}: {*}", "第 {0} 行：{1}"),
    ("value {#} ({#} ns) {*}", "值 {0}（{1} ns）{2}"),
    ("is not a number", "不是数"),
    ("is not above zero", "不大于零"),
    ("is below a thousandth of a nanosecond", "小于千分之一纳秒"),
    ("is above eleven days", "大于十一天"),
    (
        "{#} {w} is not a time that is believed: it is not from a thousandth of a nanosecond to eleven days",
        "{0} {1} 不是可信的时间：不在千分之一纳秒与十一天之间",
    ),
    (
        "{#} is not a time: a time is finite and above zero",
        "{0} 不是时间：时间须为有限值且大于零",
    ),
    (
        "workload {}, subject {}, process {#}, block {#}, leg {#} is claimed more than once (first on line {#}); none of them is used",
        "工作负载 {0}、对象 {1}、进程 {2}、区组 {3}、测量段 {4} 被多次声称（首见于第 {5} 行）；均不采用",
    ),
    // Programs that answer one by one.
    (
        "measured a leg that nobody asked for",
        "测量了未要求的测量段",
    ),
    (
        "was asked for {} and answered {} of `{}`",
        "被要求测量 {0}，应答的却是 `{2}` 的 {1}",
    ),
    ("ended before it was asked to", "在被要求之前结束"),
    (
        "was waited for when the {#} s of the process were over",
        "进程的 {0} s 用完时仍在等待",
    ),
    ("and its partner were cancelled", "及其搭档已被取消"),
    ("is suspect: {*}", "可疑：{0}"),
    (
        "`{w}` did not end when asked to and was stopped",
        "`{0}` 被要求结束时未结束，已被停止",
    ),
    // Builds and sources.
    (
        "the build ended well and did not make {}",
        "构建正常结束，却未生成 {0}",
    ),
    (
        "generated source {} is missing: {\"}",
        "缺少生成源码 {0}：{1}",
    ),
    ("the source stage names no files", "source 阶段未指明文件"),
    // Processes that stay.
    (
        "process {} left the group of the program, went on after its end and was killed",
        "进程 {0} 脱离程序的进程组，在其结束后仍运行，已被终止",
    ),
    (
        "processes {} left the group of the program, went on after its end and were killed",
        "进程 {0} 脱离程序的进程组，在其结束后仍运行，已被终止",
    ),
    (
        "process {#} does not end on KILL; a driver may hold it",
        "进程 {0} 收到 KILL 仍不结束；可能被驱动占住",
    ),
    ("it does not end on KILL", "收到 KILL 仍不结束"),
    (
        "a process outside the group still holds the output; the log may lack its end",
        "进程组外仍有进程占用输出；日志可能缺少结尾",
    ),
    (
        "children went on when the program had ended, and were stopped",
        "程序结束后子进程仍在运行，已被停止",
    ),
    ("the log is not whole: {\"}", "日志不完整：{0}"),
];
