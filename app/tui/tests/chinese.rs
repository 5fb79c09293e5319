//! What records say reads Chinese wherever the Chinese interface shows it.

#![allow(clippy::unwrap_used)]

mod support;

use assay_core::view::*;
use assay_tui::event::{Event, Loaded};
use assay_tui::options::{Lang, Options};
use assay_tui::state::Log;
use support::dump;
use support::jobs::job;
use support::play::Play;
use support::said::left;
use support::{Fake, data, published};

const REASON: &str = "tile-64 takes 0.518 x the time of base (99.95 % interval 0.510 to 0.526, 4 processes); the gain exceeds delta 1 %";

/// A screen so tall that whole documents stand on it.
fn tall() -> Play {
    let options = Options {
        lang: Lang::Zh,
        ..Options::default()
    };
    Play::new(options, (160, 160))
}

#[track_caller]
fn reads_chinese(p: &Play, pieces: &[&str]) {
    let screen = dump::plain(&p.state);
    // A wide character takes two cells, and a line is cut where it ends.
    let joined: String = screen.split_whitespace().collect();
    for piece in pieces {
        let piece: String = piece.split_whitespace().collect();
        assert!(joined.contains(&piece), "no `{piece}` in\n{screen}");
    }
    let left = left(&screen);
    assert!(left.is_empty(), "{left:?} in\n{screen}");
}

fn gates() -> Vec<GateView> {
    let mut late = data::gate("late", Some(false), "correctness was not checked");
    late.overridden =
        Some("the first variant that passes all gates; there was no champion to beat".into());
    vec![
        data::gate("verdict", Some(true), &format!("FASTER: {REASON}")),
        data::gate(
            "guard",
            Some(true),
            "no workload is proven more than 2 % slower",
        ),
        data::gate("spills", Some(false), "spills = 12, not == 0"),
        data::gate(
            "vector",
            None,
            "vector.fma has no value; there is no generated source to search",
        ),
        late,
    ]
}

fn verdict(mut v: VerdictView) -> VerdictView {
    v.reason = REASON.into();
    v.next = "measure 4 more for the next look, at 8 processes".into();
    v.warnings = vec![
        "clocks were not locked, so the verdict is in time and not in cycles".into(),
        "a power cap held in 1 of 12 stretches between readings: it came or went during the measurement (in 2 of 4 processes)".into(),
    ];
    v.regime = Some("power cap".into());
    v.false_accepts = Some(FalseAcceptsView {
        policy: "threshold".into(),
        rate: 0.31,
        interval: [0.28, 0.34],
        campaigns: 1000,
        processes: 24,
        procedure: "threshold/1".into(),
        accepted: 310,
    });
    v.cycles = Some(CyclesView {
        ratio: 0.52,
        interval: [0.51, 0.53],
    });
    v.wins = vec!["square-256".into()];
    v.control = Some(ControlView {
        name: "copy".into(),
        ratio: Some(1.0),
        interval: Some([0.99, 1.01]),
        processes: 4,
        record: String::new(),
        ok: Some(true),
    });
    v
}

fn show(p: &Play) -> ShowView {
    let row = p.state.variants.find("tile-64").unwrap().clone();
    let mut show = data::show(row);
    show.variant.gates = gates();
    show.verdict = show.verdict.map(verdict);
    show.notes = vec![NoteView {
        text: "on the card as it stands (in Chinese: 以该卡现状)".into(),
        ..note()
    }];
    show.evidence = [
        "measured against base in 4 processes (pair)",
        "12 counters on square-256 from perf, whole process (of other content than the newest run)",
        "2 of 2 workloads right, 3 of 4 gates passed (with an earlier evaluator)",
    ]
    .map(|summary| EvidenceView {
        id: "01KB0000000000000000000000".into(),
        kind: "any".into(),
        at: "2026-11-29T10:00:00Z".into(),
        summary: summary.into(),
    })
    .to_vec();
    show.decisions = vec![DecisionView {
        kind: "accept".into(),
        reason: format!("FASTER: {REASON}"),
        by: "ann".into(),
        decided_by: "policy".into(),
        at: "2026-11-30T02:00:00Z".into(),
    }];
    show
}

fn note() -> NoteView {
    NoteView {
        id: String::new(),
        about: None,
        topic: None,
        text: String::new(),
        by: "ann".into(),
        at: String::new(),
        table: None,
    }
}

fn failed(p: &Play) -> VariantRow {
    let mut row = p.state.variants.find("tile-64").unwrap().clone();
    row.failure = Some(FailureView {
        kind: "exploit_suspected".into(),
        stage: "bench".into(),
        message:
            "bench: 3 answers came without the run's nonce; code under test may have written them"
                .into(),
        stderr_tail: "the tail is what a program printed".into(),
    });
    row.decision = Some(DecisionView {
        kind: "reject".into(),
        reason: "gate spills failed: spills = 12, not == 0".into(),
        by: "ann".into(),
        decided_by: "policy".into(),
        at: String::new(),
    });
    row
}

#[test]
fn the_detail() {
    let mut p = tall();
    let show = show(&p);
    p.keys("enter");
    p.event(Event::Loaded(Loaded::Show(
        "tile-64".into(),
        Ok(Box::new(show)),
    )));
    reads_chinese(
        &p,
        &[
            "tile-64 的耗时为 base 的 0.518 倍",
            "下一步: 再测量 4 个以达到下一次查看（8 个进程）",
            "时钟未锁定",
            "测量条件：始终为 power cap",
            "策略 threshold 在本机误接受无效改动的比例为",
            "按周期数",
            "对照内核 copy",
            "没有工作负载被证明变慢超过 2 %",
            "spills = 12，不满足 == 0",
            "vector.fma 没有值；没有可供查找的生成源码",
            "首个通过全部门限的变体",
            "以该卡现状",
            "与 base 成对测量，4 个进程（pair）",
            "内容与最新运行不同",
            "较早的评测程序",
            "增益超过 delta 1 %",
        ],
    );
}

#[test]
fn a_failure_and_a_reason_in_the_list() {
    let mut p = tall();
    let mut list = data::list();
    let row = failed(&p);
    for v in list.variants.iter_mut().filter(|v| v.name == "tile-64") {
        *v = row.clone();
    }
    p.event(Event::Loaded(Loaded::List(Ok(Box::new(list)))));
    p.event(Event::Loaded(Loaded::Show(
        "tile-64".into(),
        Ok(Box::new(data::show(row))),
    )));
    p.keys("enter");
    reads_chinese(
        &p,
        &[
            "有 3 条应答不带此次运行的随机数",
            "门限 spills 未通过：spills = 12，不满足 == 0",
        ],
    );
}

#[test]
fn a_comparison() {
    let mut p = tall();
    p.keys("j j c");
    let names = p.state.compare.pair.clone();
    let rows = names
        .iter()
        .map(|n| p.state.variants.find(n).unwrap().clone());
    let mut view = data::compare(rows.collect());
    view.verdict = view.verdict.map(verdict);
    view.warnings = vec![
        "`a` and `b` were built with different toolchains".into(),
        "measured 2 times with this content; earlier verdicts: SAME 0.9990".into(),
    ];
    for v in &mut view.variants {
        v.gates = gates();
    }
    p.event(Event::Loaded(Loaded::Compare(
        names.clone(),
        Ok(Box::new(view.clone())),
    )));
    reads_chinese(
        &p,
        &[
            "由不同的工具链构建",
            "此内容已测量 2 次；较早的判定：SAME 0.9990",
            "增益超过 delta 1 %",
        ],
    );
    view.verdict = None;
    view.verdict_missing = Some("`b` was not measured in a pair with `a` with their present contents; run `assay run b --against a`".into());
    p.event(Event::Loaded(Loaded::Compare(names, Ok(Box::new(view)))));
    reads_chinese(
        &p,
        &["现有内容未曾成对测量；请运行 `assay run b --against a`"],
    );
}

#[test]
fn the_history_and_its_search() {
    let mut p = tall();
    p.keys("5");
    let mut view = data::log();
    let texts = [
        "FASTER against base: time ratio 0.5180 [0.5100, 0.5260]".to_owned(),
        format!("accept by policy: FASTER: {REASON}"),
        "failed in build: compile: build: exit code 1".into(),
        "ran build, source, check, bench on local".into(),
        "evaluator pinned at 0123456789ab: mine".into(),
    ];
    for (row, text) in view.records.iter_mut().zip(&texts) {
        row.summary.clone_from(text);
    }
    view.records.truncate(texts.len());
    p.event(Event::Loaded(Loaded::Log(Ok(Log::new(view, Lang::Zh)))));
    reads_chinese(
        &p,
        &[
            "FASTER，对照 base：时间比 0.5180 [0.5100, 0.5260]",
            "接受（按策略）：FASTER：tile-64",
            "在 build 失败：compile：build：退出码 1",
            "已运行 build, source, check, bench，目标 local",
            "评测程序固定于 0123456789ab：mine",
        ],
    );
    // What is looked for is what is shown.
    p.keys("/ \"退出码\" enter");
    assert_eq!(p.state.history.find.row(), Some(2));
    p.keys("y");
    reads_chinese(&p, &["退出码 1"]);
}

#[test]
fn the_form_of_a_decision() {
    let mut p = tall();
    p.keys("j j");
    let name = p.state.variants.current().unwrap().name.clone();
    let mut show = show(&p);
    show.variant = p.state.variants.find(&name).unwrap().clone();
    show.variant.gates = gates();
    p.keys("a");
    p.event(Event::Loaded(Loaded::Show(name, Ok(Box::new(show)))));
    reads_chinese(&p, &["spills = 12，不满足 == 0", "未检查正确性"]);
}

#[test]
fn the_result_of_a_job_and_the_line_that_tells_of_it() {
    let mut p = tall();
    let text = "tile-32: FASTER against base\ntile-16: correctness in check: wrong result on square-256: 3\nk.c:1: error";
    let ended = JobView {
        result: Some(text.into()),
        ..job("tile-32", JobState::Failed)
    };
    p.fake.jobs.add(ended, "== tile-32: bench\n");
    p.keys("4");
    p.look_at_jobs();
    reads_chinese(
        &p,
        &[
            "tile-32：FASTER，对照 base",
            "tile-16：check 阶段 correctness：square-256 的结果错误：3",
        ],
    );
}

#[test]
fn what_is_refused() {
    let mut p = tall();
    p.event(Event::Loaded(Loaded::Show(
        "tile-64".into(),
        Err("the branch is gone".into()),
    )));
    p.keys("enter");
    reads_chinese(&p, &["分支已不存在"]);
}

#[test]
fn published_campaigns() {
    let options = Options {
        lang: Lang::Zh,
        ..Options::default()
    };
    let mut p = Play::with(support::Fake::with(published::list()), options, (160, 60));
    for keys in ["", "enter", "esc 5", "6"] {
        p.keys(keys);
        reads_chinese(&p, &[]);
    }
}

#[test]
fn a_reader_of_english_is_shown_the_words_of_the_ledger() {
    let mut p = Play::new(Options::default(), (160, 160));
    let show = show(&p);
    p.keys("enter");
    p.event(Event::Loaded(Loaded::Show(
        "tile-64".into(),
        Ok(Box::new(show)),
    )));
    let screen = dump::plain(&p.state);
    assert!(screen.contains("the gain exceeds delta 1 %"), "{screen}");
    assert!(screen.contains("on the card as it stands") && !screen.contains("in Chinese"));
}

/// What is shown is found, and what is recorded too.
#[test]
fn the_filter_finds_a_hypothesis_in_the_words_that_are_shown() {
    let why = "B is still read in steps of a whole row. Copied into panels of 4 columns it would be read in order.";
    for (lang, text, found) in [
        (Lang::Zh, "面板后", 1),
        (Lang::Zh, "why~面板后", 1),
        (Lang::Zh, "panels", 1),
        (Lang::Zh, "-why~面板后", 12),
        (Lang::En, "面板后", 0),
        (Lang::En, "panels", 1),
    ] {
        let mut list = data::list();
        list.variants[1].why = why.into();
        let options = Options {
            lang,
            ..Options::default()
        };
        let mut play = Play::with(Fake::with(list), options, (120, 40));
        play.keys(&format!("/ \"{text}\" enter"));
        assert_eq!(play.state.variants.rows.len(), found, "{lang:?} {text}");
    }
}

/// What comes after a key was pressed, and what stands in lists.
#[test]
fn answers_and_kinds_are_in_chinese() {
    let zh = || Options {
        lang: Lang::Zh,
        ..Options::default()
    };
    let notice = |p: &Play| {
        p.state
            .notice
            .as_ref()
            .map(|n| n.text.clone())
            .unwrap_or_default()
    };
    let mut p = Play::new(zh(), (120, 40));
    p.keys("j x \"慢\" enter");
    assert_eq!(notice(&p), "unroll-4：已拒绝；最优变体为 tile-64");
    p.keys("n \"next\" tab \"why\" enter");
    assert_eq!(notice(&p), "已声明 next；E 打开其工作树");
    p.keys("5");
    let text = dump::plain(&p.state);
    for word in ["决策", "测量", "变体"] {
        assert!(
            text.split_whitespace().any(|w| w == word),
            "{word} in {text}"
        );
    }
    p.keys("1 / \"prefetch\" enter");
    let text = dump::plain(&p.state);
    assert!(
        text.contains("编译失败") && !text.contains("compile"),
        "{text}"
    );
    // A refusal of several lines, and its hint.
    let mut p = Play::new(zh(), (120, 40));
    p.fake.refusal = Some("`unroll-4` cannot be accepted:\n  kernel: failed: the branch is gone\n  hint: --override kernel=REASON sets it aside, and shows for ever".into());
    p.keys("j a \"快\" enter");
    let text = dump::plain(&p.state);
    for part in [
        "无法接受 `unroll-4`：",
        "未通过：分支已不存在",
        "并永久显示",
    ] {
        assert!(text.contains(part), "no {part} in {text}");
    }
    // What is wrong with the settings.
    let options = Options {
        faults: Some("tui.toml:2:9: theme: expected one of dark, light, found \"drak\"\n  hint: did you mean `dark`?".into()),
        ..zh()
    };
    let text = dump::plain(&Play::new(options, (120, 40)).state);
    assert!(
        text.contains("应为 dark, light 之一") && text.contains("是否指 `dark`？"),
        "{text}"
    );
    // Refusals of a screen.
    let mut p = Play::new(zh(), (120, 40));
    p.keys("j d");
    let key = p.state.source.key.clone().unwrap();
    p.state.source.slot.clear();
    p.event(Event::Loaded(Loaded::Diff(
        key,
        Err(
            "there is no generated source of `x`\n  hint: assay run x --stages build,source".into(),
        ),
    )));
    let text = dump::plain(&p.state);
    assert!(
        text.contains("没有 `x` 的生成源码") && text.contains("提示：assay run x"),
        "{text}"
    );
}
