//! Sentences as records hold them, whole and put together.

use assay_said::{chinese, chinese_figure, chinese_subject, english, unsaid};

#[test]
fn sentences_of_the_judge_are_said_in_chinese() {
    let reason = "b takes 0.241 x the time of a (99.95 % interval 0.092 to 0.631, 4 processes); the gain exceeds delta 1 %";
    let said =
        "b 的耗时为 a 的 0.241 倍（99.95 % 区间 0.092 至 0.631，4 个进程）；增益超过 delta 1 %";
    assert_eq!(chinese(reason), said);
    assert_eq!(
        chinese(&format!("FASTER: {reason}")),
        format!("FASTER：{said}")
    );
    assert_eq!(english(reason), reason);
}

#[test]
fn what_stands_beside_a_verdict_has_no_english_left() {
    for text in [
        "no A/A calibration of this machine in this mode: its noise floor is not known; `assay calibrate` measures it",
        "the A/A calibration of this machine no longer holds (tool.cc was cc 12 and is cc 13; os.kernel was not known and is 6.8): its noise floor is not known; `assay calibrate --noise` measures it",
        "a power cap held in 1 of 12 stretches between readings: it came or went during the measurement (in 12 of 12 processes)",
        "the clocks differ by 1.5 % over 4 processes (1740 to 1766 MHz), more than 1 %: lock them, or let the device reach its steady state before it is measured",
        "a thermal slowdown by the driver in one of 3 blocks between two readings; mode resident tells which",
        "dropped block 0 of process 1: void: the clocks of its legs differ by 1.5 % (1740 to 1766 MHz)",
        "dropped block 0 of process 1 (workload w): legs of A and B are not mirrored: drift is not cancelled",
        "dropped process 3 (workload w): 1 of 6 blocks are complete, 2 needed",
        "whether this evaluator notices a broken or slowed kernel is not known: canary x was never run, canary y proved nothing (it builds), canary z was never run; `assay canary` tries it",
        "workload w takes 1.100 x (1.050 to 1.150): proven slower than the guard 2 % allows; consider a dispatch split",
        "workload w did not enter: all its 6 blocks were measured and voided; the first: void: the clocks in it differ by 1.1 % (1400 to 1415 MHz)",
        "wrong result on w and 1 more: 3",
        "some task waited for a processor for 33 % of the time: other work, or more threads than processors (in 12 of 12 processes)",
        "measuring two at once disturbs in mode `pair`: x takes 1.034 times as long in a pair as alone (95 % interval 1.010 to 1.050), more than 1 % off: mode `resident` or `invocation` in [bench] keeps the two apart",
        "correctness in check: wrong result on small: 3",
        "x: compile in build: exit code 1",
        "3 errors and 1 warning: Invalid read (2 times); and 1 more kinds (memcheck, workload small)",
        "measured 3 times with this content; earlier verdicts: FASTER 0.9123, SAME 0.9990 (`a` against `b`), and 2 more",
    ] {
        let left = unsaid(text);
        assert!(left.is_empty(), "{left:?}\n{}", chinese(text));
    }
}

#[test]
fn what_findings_are_about_is_said_in_chinese() {
    assert_eq!(
        chinese_subject("a against b on w: k, launch 1 (and 2 more launches)"),
        "a 对照 b，工作负载 w：k，第 1 次启动（另有 2 次启动）"
    );
    assert_eq!(chinese_subject("a"), "a");
}

#[test]
fn a_quotation_is_shown_in_the_language_of_the_reader() {
    let text = "很快 [review 2] (translation: Fast.)";
    assert_eq!(chinese(text), "很快 [review 2]");
    assert_eq!(english(text), "Fast. [review 2] (original: 很快)");
    let summary = "accept by person: 很快 [review 2] (translation: Fast.)";
    assert_eq!(chinese(summary), "接受（由人决定）：很快 [review 2]");
    let figures =
        "max_abs_error = 0.0；MMA_COUNT=2 [review 1] (translation: It is 0.0, and there are 2.)";
    assert_eq!(
        chinese(figures),
        "max_abs_error = 0.0；MMA_COUNT=2 [review 1]"
    );
    let older = format!("{summary} (with an earlier evaluator)");
    assert_eq!(
        chinese(&older),
        "接受（由人决定）：很快 [review 2]（较早的评测程序）"
    );
    let note = "layout: What is packed (in Chinese: 打包的内容) (table layout.csv)";
    assert_eq!(english(note), "layout: What is packed (table layout.csv)");
}

/// What the interface shows when something is refused, line by line.
#[test]
fn refusals_and_hints_are_said_in_chinese() {
    for (english, said) in [
        (
            "`wrong-tail` cannot be accepted:",
            "无法接受 `wrong-tail`：",
        ),
        (
            "kernel: failed: the branch is gone",
            "kernel：未通过：分支已不存在",
        ),
        ("failed: the branch is gone", "未通过：分支已不存在"),
        (
            "spills: no evidence: no measurement",
            "spills：无证据：没有测量",
        ),
        (
            "hint: --override kernel=REASON sets it aside, and shows for ever",
            "提示：--override kernel=REASON 可将其豁免，并永久显示",
        ),
        (
            "hint: assay run x --stages build,source",
            "提示：assay run x --stages build,source",
        ),
        ("there is no generated source of `x`", "没有 `x` 的生成源码"),
        (
            "this is a ledger in a plain folder: it can be read, and nothing else",
            "这是普通文件夹中的账本：只能读取",
        ),
        (
            "hint: `assay import` takes it into a repository",
            "提示：`assay import` 可将其导入仓库",
        ),
        (
            "there is no branch `assay/gemm/x`",
            "没有分支 `assay/gemm/x`",
        ),
        (
            "campaign `gemm` is not approved on this machine; leave with q, look at it with `assay trust`, and approve",
            "活动 `gemm` 在此机器上尚未批准；请按 q 退出，用 `assay trust` 查看并批准",
        ),
        (
            "tui.toml:2:9: theme: expected one of terminal, dark, found \"drak\"",
            "tui.toml:2:9：theme：应为 terminal, dark 之一，实为 \"drak\"",
        ),
        ("hint: did you mean `dark`?", "提示：是否指 `dark`？"),
        ("x: committed as 0123456", "x：已提交为 0123456"),
    ] {
        assert_eq!(chinese(english), said);
    }
    assert_eq!(chinese_subject("workload small"), "工作负载 small");
}

#[test]
fn figures_of_an_audit_have_names_in_chinese() {
    for (figure, said) in [
        ("bandwidth", "带宽"),
        ("share of the roof", "达到屋顶的比例"),
        ("share of 1843 GB/s", "占 1843 GB/s 的比例"),
        ("geomean over torch-ref", "相对 torch-ref 的几何平均"),
        (
            "相对 PyTorch 加速比 over torch-ref",
            "相对 PyTorch 加速比（相对 torch-ref）",
        ),
        ("latency as in torch-mm · 3", "耗时（同 torch-mm · 3 处）"),
        ("max of passed", "passed 的最大值"),
        ("claim.time", "claim.time"),
    ] {
        assert_eq!(chinese_figure(figure), said);
    }
}
