//! Evidence of gates, and the decisions that policies make of them.

use super::Phrase;

pub(super) const PHRASES: &[Phrase] = &[
    // Decisions of policies.
    (
        "the first variant that passes all gates; there was no champion to beat",
        "首个通过全部门限的变体；当时没有最优变体可比",
    ),
    ("gate {w} failed: {*}", "门限 {0} 未通过：{1}"),
    ("no evidence for gate {w}: {*}", "门限 {0} 没有证据：{1}"),
    ("gate {w}: {*}", "门限 {0}：{1}"),
    // Predictions.
    (
        "from 0 to {}: there is no percentage of 0",
        "由 0 变为 {0}：0 没有百分比",
    ),
    (
        "from {} to {}: that change has no percentage",
        "由 {0} 变为 {1}：此变化没有百分比",
    ),
    // Before a decision.
    (
        "git knows no name here, and the decision would be by \"unknown\": start with `--as NAME`, or set `git config user.name NAME`",
        "git 在此不知姓名，决定将署名为 \"unknown\"：请以 `--as NAME` 启动，或设置 `git config user.name NAME`",
    ),
    // Decisions that are refused.
    (
        "`{w}` was accepted, and the champion {} rests on it: a step is not rejected",
        "`{0}` 已被接受，最优变体 {1} 以其为依据：不能拒绝其中一步",
    ),
    (
        "`{w}` was accepted, and it holds or contests the place of the champion: a step is not rejected",
        "`{0}` 已被接受，且占据或争夺最优变体之位：不能拒绝其中一步",
    ),
    (
        "hint: `assay rollback NAME --reason TEXT` makes an earlier one the champion first",
        "提示：先用 `assay rollback NAME --reason TEXT` 使较早的变体重新成为最优变体",
    ),
    (
        "`{w}` was not accepted: another decision came first, and the champion is contested by {} now",
        "`{0}` 未被接受：另一决定已先行作出，现在最优变体有争议：{1}",
    ),
    (
        "`{w}` was not accepted: another decision came first, and the champion is {} now",
        "`{0}` 未被接受：另一决定已先行作出，现在的最优变体是 {1}",
    ),
    (
        "`{w}` was not accepted: another decision came first, and there is no champion now",
        "`{0}` 未被接受：另一决定已先行作出，现在没有最优变体",
    ),
    (
        "hint: the gates are judged anew: look at them and decide again",
        "提示：门限已重新判定：请查看后再作决定",
    ),
    // Evaluator and evidence.
    ("no evidence: {*}", "无证据：{0}"),
    ("no evidence", "无证据"),
    ("no measurement", "没有测量"),
    ("no verdict", "没有判定"),
    (
        "no protected file differs from where the variant began",
        "受保护的文件与变体起点相同",
    ),
    (
        "the variant changes protected files (they were not used): {}",
        "变体改动了受保护的文件（未被采用）：{0}",
    ),
    (
        "not looked at in a list of so many; `assay show` tells",
        "列表过多，未予核对；`assay show` 可说明",
    ),
    ("no such variant", "没有此变体"),
    ("nothing was run", "尚未运行"),
    ("the branch is gone", "分支已不存在"),
    (
        "the branch holds other kernel content than was run; run it again",
        "分支上的内核内容与所运行的不同；请重新运行",
    ),
    (
        "measured with an earlier evaluator; run it again",
        "以较早的评测程序测得；请重新运行",
    ),
    ("correctness was not checked", "未检查正确性"),
    (
        "the run was interrupted before it ended; run it again",
        "运行在结束前被中断；请重新运行",
    ),
    ("content {} was built and checked", "内容 {0} 已构建并检查"),
    (
        "the result on {w} is wrong: {\"}; {*}",
        "{0} 上的结果错误：{1}；{2}",
    ),
    ("the result on {w} is wrong; {*}", "{0} 上的结果错误；{1}"),
    (
        "nothing is known of the present content",
        "对现有内容一无所知",
    ),
    (
        "gates judged again with the counters of the profile stage",
        "已用剖析阶段的计数器重新判定门限",
    ),
    // Verdict and guard.
    ("there is no champion to beat yet", "尚无最优变体可比"),
    (
        "the champion is contested; settle that first",
        "最优变体有争议；请先解决",
    ),
    (
        "not measured against the champion {}",
        "未与最优变体 {0} 成对测量",
    ),
    (
        "measured against {}, and the champion is {}",
        "对照 {0} 测得，而最优变体为 {1}",
    ),
    (
        "no workload is proven more than {} slower",
        "没有工作负载被证明变慢超过 {0}",
    ),
    ("proven slower beyond {}: {}", "已证明变慢超过 {0}：{1}"),
    // Sanitizer.
    (
        "there is no {w} in PATH, in CUDA_HOME or in /usr/local/cuda*/bin: install the CUDA toolkit",
        "在 PATH、CUDA_HOME 或 /usr/local/cuda*/bin 中没有 {0}：请安装 CUDA 工具包",
    ),
    (
        "no error is reported, and the check did not end well under it: {*} ({w}, workload {w})",
        "未报告错误，但检查在其下未正常结束：{0}（{1}，工作负载 {2}）",
    ),
    (
        "its report has no summary: {*} ({w}, workload {w})",
        "其报告没有汇总：{0}（{1}，工作负载 {2}）",
    ),
    ("{*} ({w}, workload {w})", "{0}（{1}，工作负载 {2}）"),
    (
        "{#} errors and 1 warning: {\"}",
        "{0} 个错误，1 个警告：{1}",
    ),
    ("{#} errors and 1 warning", "{0} 个错误，1 个警告"),
    (
        "{#} errors and {#} warnings: {\"}",
        "{0} 个错误，{1} 个警告：{2}",
    ),
    ("{#} errors and {#} warnings", "{0} 个错误，{1} 个警告"),
    ("{#} errors: {\"}", "{0} 个错误：{1}"),
    ("{#} errors", "{0} 个错误"),
    ("1 error and 1 warning: {\"}", "1 个错误，1 个警告：{0}"),
    ("1 error and 1 warning", "1 个错误，1 个警告"),
    (
        "1 error and {#} warnings: {\"}",
        "1 个错误，{0} 个警告：{1}",
    ),
    ("1 error and {#} warnings", "1 个错误，{0} 个警告"),
    ("1 error: {\"}", "1 个错误：{0}"),
    ("1 error", "1 个错误"),
    ("and {#} more kinds", "另有 {0} 种"),
    // Limits of the device.
    (
        "{#} bytes of shared memory of {#} ({#} static by {*}, {#} dynamic)",
        "共享内存 {0} 字节，上限 {1}（静态 {2}，据{3}；动态 {4}）",
    ),
    (
        "{#} bytes of shared memory, {#} are allowed ({#} static by {*}, {#} dynamic)",
        "共享内存 {0} 字节，允许 {1}（静态 {2}，据{3}；动态 {4}）",
    ),
    ("the compiler", "编译器"),
    ("the source", "源码"),
    (
        "at least {#} bytes of shared memory, {#} are allowed",
        "共享内存至少 {0} 字节，允许 {1}",
    ),
    (
        "not known: {*}; {#} bytes are allowed",
        "未知：{0}；允许 {1} 字节",
    ),
    (
        "how much is laid out statically is not known",
        "静态分配的大小未知",
    ),
    (
        "a buffer in dynamic memory begins at {#} bytes; how much a launch asks for stands in no device source",
        "动态内存中有缓冲区从第 {0} 字节开始；启动时申请的大小不在设备源码中",
    ),
    (
        "how much dynamic memory a launch asks for stands in no device source",
        "启动时申请的动态内存大小不在设备源码中",
    ),
    (
        "not known: the build shows no `mxcc -resource-usage`, which prints the stack frame",
        "未知：构建输出中没有 `mxcc -resource-usage`，而栈帧由它打印",
    ),
    (
        "{*}; a stack frame means spilled registers",
        "{0}；有栈帧即表示寄存器溢出",
    ),
    (
        "{#} bytes of private memory a thread of {#}",
        "每线程私有内存 {0} 字节，上限 {1}",
    ),
    (
        "{#} bytes of private memory a thread, {#} are allowed",
        "每线程私有内存 {0} 字节，允许 {1}",
    ),
    ("{#} threads a block of {#}", "每块 {0} 个线程，上限 {1}"),
    (
        "{#} threads a block, {#} are allowed",
        "每块 {0} 个线程，允许 {1}",
    ),
    (
        "{}: {#} threads a block are no multiple of {#}, the threads of a wave",
        "{0}：每块 {1} 个线程，不是波的线程数 {2} 的倍数",
    ),
    (
        "all launch bounds are multiples of {#}, the threads of a wave",
        "所有启动界限都是波的线程数 {0} 的倍数",
    ),
    (
        "no generated source with a kernel was captured",
        "未取得含内核的生成源码",
    ),
    (
        "of {#} kernels {#} state their launch bounds",
        "{0} 个内核中有 {1} 个说明了启动界限",
    ),
    ("the launch bounds are no numbers", "启动界限不是数值"),
    (
        "the kernel exceeds a limit of {}: {w}: {*}",
        "内核超出 {0} 的限制：{1}：{2}",
    ),
    ("not known: {*}", "未知：{0}"),
    // Rules of the campaign file.
    (
        "there is no generated source to search",
        "没有可供查找的生成源码",
    ),
    (
        "division by zero at character {#}",
        "第 {0} 个字符处除数为零",
    ),
    ("division by zero", "除数为零"),
    (
        "the value is not finite at character {#}",
        "第 {0} 个字符处的值不是有限数",
    ),
    ("the value is not finite", "值不是有限数"),
    (
        "log2 needs a number above zero at character {#}",
        "第 {0} 个字符处：log2 需要大于零的数",
    ),
    (
        "ceildiv needs whole numbers, and a divisor above zero at character {#}",
        "第 {0} 个字符处：ceildiv 需要整数，且除数大于零",
    ),
    (
        "{} has no value, unknown whether {}",
        "{0} 没有值，无法判断是否 {1}",
    ),
    ("{w} has no value", "{0} 没有值"),
    ("{} have no value", "{0} 没有值"),
    ("has({}): not found ({\"})", "has({0})：未找到（{1}）"),
    ("has({}): found", "has({0})：找到"),
    ("has({}): not found", "has({0})：未找到"),
    (
        "has({}): there is no generated source to search",
        "has({0})：没有可供查找的生成源码",
    ),
    (
        "{} = {}, not {\"} (they differ by {#})",
        "{0} = {1}，不满足 {2}（相差 {3}）",
    ),
    ("{} = {}, not {\"} ({\"})", "{0} = {1}，不满足 {2}（{3}）"),
    ("{} = {}, not {\"}", "{0} = {1}，不满足 {2}"),
    ("{} = {}, unknown whether {}", "{0} = {1}，无法判断是否 {2}"),
    ("{} = {} (they differ by {#})", "{0} = {1}（相差 {2}）"),
];
