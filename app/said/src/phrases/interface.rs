//! What the engine answers to what a person asks of the terminal interface: refusals, and what to do.
//! They are in no record.

use super::Phrase;

pub(super) const PHRASES: &[Phrase] = &[
    ("hint: {\"}", "提示：{0}"),
    // Decisions (`engine/src/decide.rs`).
    ("a decision needs a reason", "决策需要理由"),
    ("no variant `{w}`", "没有变体 `{0}`"),
    ("`{w}` is the champion already", "`{0}` 已是最优变体"),
    ("`{w}` is the champion", "`{0}` 是最优变体"),
    (
        "`assay rollback NAME --reason TEXT` makes an earlier one the champion first",
        "先用 `assay rollback NAME --reason TEXT` 使较早的变体成为最优变体",
    ),
    (
        "overriding gate `{w}` needs a reason of its own",
        "豁免门限 `{0}` 需要单独的理由",
    ),
    ("gate `{w}` cannot be overridden", "门限 `{0}` 不可豁免"),
    (
        "take the edits of protected files out of the variant; this gate cannot be overridden",
        "请从变体中去掉对受保护文件的改动；此门限不可豁免",
    ),
    (
        "take the edits of protected files out of the variant",
        "请从变体中去掉对受保护文件的改动",
    ),
    ("no gate `{w}`", "没有门限 `{0}`"),
    ("did you mean {}?", "是否指 {0}？"),
    ("the champion is contested by {}", "最优变体有争议：{0}"),
    (
        "settle it first: `assay rollback NAME --reason TEXT` with the one that shall hold",
        "请先裁定：`assay rollback NAME --reason TEXT`，指定应保留的变体",
    ),
    ("`{w}` cannot be accepted:", "无法接受 `{0}`："),
    (
        "--override {w}=REASON sets it aside, and shows for ever",
        "--override {0}=REASON 可将其豁免，并永久显示",
    ),
    (
        "`assay run {w}` makes the evidence that is missing",
        "`assay run {0}` 可补上所缺的证据",
    ),
    ("failed: {*}", "未通过：{0}"),
    ("{w}: failed: {*}", "{0}：未通过：{1}"),
    ("{w}: no evidence: {*}", "{0}：无证据：{1}"),
    ("{w}: no evidence:", "{0}：无证据"),
    ("`{w}` was never accepted", "`{0}` 从未被接受"),
    (
        "a roll-back goes to an earlier champion; `assay accept` makes a new one",
        "回退指向较早的最优变体；`assay accept` 产生新的",
    ),
    // Sources (`engine/src/diff.rs`).
    (
        "there is no generated source of `{w}`",
        "没有 `{0}` 的生成源码",
    ),
    ("`{w}` has no parent variant", "`{0}` 没有父变体"),
    ("name both sides", "请指明两侧"),
    ("{w} ({w}) is not stored here", "{0}（{1}）未存于此处"),
    // Branches, campaigns and ledgers.
    ("there is no branch {w}", "没有分支 {0}"),
    ("the branch {w} is gone", "分支 {0} 已不存在"),
    (
        "fetch it, or make it again: git branch {w} COMMIT, with the one that `assay show` names",
        "请取回，或重新建立：git branch {0} COMMIT，提交见 `assay show`",
    ),
    ("branch {w} exists already", "分支 {0} 已存在"),
    ("branch {w} is checked out at {}", "分支 {0} 已在 {1} 检出"),
    (
        "work there, or switch that work tree to another branch",
        "请在那里工作，或将该工作树切换到其他分支",
    ),
    ("choose another name", "请换一个名称"),
    (
        "there is a variant or baseline `{w}` already",
        "已有名为 `{0}` 的变体或基线",
    ),
    ("a variant needs a hypothesis", "变体需要假设"),
    (
        "this is a ledger in a plain folder: it can be read, and nothing else",
        "这是普通文件夹中的账本：只能读取",
    ),
    (
        "`assay import` takes it into a repository",
        "`assay import` 可将其导入仓库",
    ),
    (
        "the evaluator of campaign `{w}` is not pinned yet",
        "活动 `{0}` 的评测程序尚未固定",
    ),
    (
        "commit the campaign and run `assay init`",
        "请提交活动并运行 `assay init`",
    ),
    (
        "the evaluator's commit {w} is not in this clone",
        "此克隆中没有评测程序的提交 {0}",
    ),
    (
        "fetch the branch that holds it; of a shallow clone: git fetch --unshallow",
        "请取回含有它的分支；浅克隆则：git fetch --unshallow",
    ),
    (
        "this ledger comes without an assay.toml",
        "此账本不带 assay.toml",
    ),
    (
        "`{w}` could be {}; write more of the name",
        "`{0}` 可能是 {1}；请多写几个字符",
    ),
    (
        "no variant is called `{w}` in this campaign; did you mean `{w}`?",
        "此活动中没有名为 `{0}` 的变体；是否指 `{1}`？",
    ),
    (
        "no variant is called `{w}` in this campaign; `assay list` shows the names",
        "此活动中没有名为 `{0}` 的变体；`assay list` 列出名称",
    ),
    (
        "campaign `{w}` is not approved on this machine; leave with q, look at it with `assay trust`, and approve",
        "活动 `{0}` 在此机器上尚未批准；请按 q 退出，用 `assay trust` 查看并批准",
    ),
    (
        "there are no jobs in a plain folder",
        "普通文件夹中没有任务",
    ),
    (
        "there is no record {id} in the ledger",
        "账本中没有记录 {0}",
    ),
    ("there is no record {w} in the ledger", "账本中没有记录 {0}"),
    (
        "`{w}` was changed by another process; nothing was written",
        "`{0}` 被另一进程改动；未写入任何内容",
    ),
    ("look at what changed and repeat", "请查看改动后重试"),
    ("`{w}` is not the id of a job", "`{0}` 不是任务的标识"),
    ("`assay jobs` lists them", "`assay jobs` 列出任务"),
    // Editing (`cli/src/backend`).
    (
        "no editor is set: set VISUAL or EDITOR; the work tree of {w} is {}",
        "未设置编辑器：请设置 VISUAL 或 EDITOR；{0} 的工作树是 {1}",
    ),
    ("{w}: committed as {w}", "{0}：已提交为 {1}"),
    (
        "{} was left uncommitted: it belongs to the evaluator, which is the same for all variants",
        "{0} 未提交：它属于评测程序，所有变体相同",
    ),
    (
        "{} was left uncommitted: it is outside the kernel's paths ({})",
        "{0} 未提交：不在内核路径（{1}）之内",
    ),
    (
        "nothing to commit: the kernel files of `{w}` are as they were",
        "没有可提交的：`{0}` 的内核文件未变",
    ),
    (
        "only the kernel's files can be changed by a variant; `assay init` pins changes of the evaluator",
        "变体只能改动内核文件；评测程序的改动由 `assay init` 固定",
    ),
    ("written before that: {}", "此前已写入：{0}"),
    // The settings of a user (`core/src/campaign/problem.rs`).
    (
        "{w}: expected one of {}, found unknown key {}",
        "{0}：未知的键 {2}，应为 {1} 之一",
    ),
    (
        "{w}: {w}: expected one of {}, found {}",
        "{0}：{1}：应为 {2} 之一，实为 {3}",
    ),
    (
        "{w}: {w}: expected {}, found {}",
        "{0}：{1}：应为 {2}，实为 {3}",
    ),
    ("{w}: expected {}, found {}", "{0}：应为 {1}，实为 {2}"),
    ("{w}: {#} more problems", "{0}：另有 {1} 个问题"),
];
