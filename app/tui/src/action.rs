//! The one table of actions.
//!
//! The keymap, the hint bar, the help, the palette and `docs/keys.md` all come from [`ACTIONS`].

use crate::options::Lang;

/// Where a binding is live.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Context {
    /// Every screen, and non-text layers.
    Any,
    /// The Variants screen.
    Variants,
    /// The detail of a variant on the whole screen.
    Detail,
    /// The Compare screen.
    Compare,
    /// The Source screen.
    Source,
    /// The Jobs screen.
    Jobs,
    /// The History screen.
    History,
    /// The Workloads screen.
    Workloads,
    /// The Profile screen.
    Profile,
    /// The Report screen.
    Report,
    /// Any text or list while something is looked for in it; help and messages at any time.
    Found,
    /// Layers: forms, palette, help, messages.
    Layer,
}

impl Context {
    /// All contexts in the order of the documentation.
    pub const ALL: [Self; 12] = [
        Self::Any,
        Self::Variants,
        Self::Detail,
        Self::Compare,
        Self::Source,
        Self::Jobs,
        Self::History,
        Self::Workloads,
        Self::Profile,
        Self::Report,
        Self::Found,
        Self::Layer,
    ];

    /// The name in the documentation.
    pub fn title(self, lang: Lang) -> &'static str {
        let (en, zh) = match self {
            Self::Any => ("Everywhere", "全局"),
            Self::Variants => ("Variants", "变体"),
            Self::Detail => ("Detail", "详情"),
            Self::Compare => ("Compare", "对比"),
            Self::Source => ("Source", "源码"),
            Self::Jobs => ("Jobs", "任务"),
            Self::History => ("History", "历史"),
            Self::Workloads => ("Workloads", "工作负载"),
            Self::Profile => ("Profile", "剖析"),
            Self::Report => ("Report", "报告"),
            Self::Found => ("While searching; help and messages", "搜索时；帮助与消息"),
            Self::Layer => ("Forms and dialogs", "表单与对话框"),
        };
        match lang {
            Lang::En => en,
            Lang::Zh => zh,
        }
    }
}

macro_rules! actions {
    ($($id:ident $name:literal [$($ctx:ident),+] [$($key:literal),*] $en:literal $zh:literal $hint:literal;)*) => {
        /// A user action.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Action {
            $(#[doc = $en] $id,)*
        }

        /// The table.
        pub const ACTIONS: &[ActionInfo] = &[
            $(ActionInfo {
                action: Action::$id,
                name: $name,
                en: $en,
                zh: $zh,
                keys: &[$($key),*],
                contexts: &[$(Context::$ctx),+],
                hint: $hint,
            },)*
        ];
    };
}

/// One row of the table.
#[derive(Debug, Clone, Copy)]
pub struct ActionInfo {
    /// The action.
    pub action: Action,
    /// Stable name, by which a configuration would rebind it.
    pub name: &'static str,
    /// English title.
    pub en: &'static str,
    /// Chinese title.
    pub zh: &'static str,
    /// Default keys; the first is shown in hints.
    pub keys: &'static [&'static str],
    /// Where it is live.
    pub contexts: &'static [Context],
    /// Place in the hint bar, 1 first; 0 keeps it out.
    pub hint: u8,
}

impl ActionInfo {
    /// Title in a language.
    pub fn title(&self, lang: Lang) -> &'static str {
        match lang {
            Lang::En => self.en,
            Lang::Zh => self.zh,
        }
    }

    /// Whether it is live in `context`, by itself or because it is live everywhere.
    pub fn live_in(&self, context: Context) -> bool {
        self.contexts
            .iter()
            .any(|c| *c == context || (*c == Context::Any && context != Context::Layer))
    }
}

impl Action {
    /// Whether it runs, decides, declares or edits something.
    pub fn changes(self) -> bool {
        matches!(
            self,
            Self::Run
                | Self::RunAgain
                | Self::Accept
                | Self::Reject
                | Self::Park
                | Self::New
                | Self::Edit
        )
    }
}

/// The row of `action`.
pub fn info(action: Action) -> &'static ActionInfo {
    ACTIONS
        .iter()
        .find(|a| a.action == action)
        .unwrap_or(&ACTIONS[0])
}

actions! {
    Help "help" [Any] ["?", "f1"] "Help" "帮助" 0;
    Palette "palette" [Any] [":", "ctrl-p"] "Command palette" "命令面板" 9;
    Up "up" [Any] ["k", "up"] "Up" "上移" 0;
    Down "down" [Any] ["j", "down"] "Down" "下移" 0;
    Left "left" [Any] ["h", "left"] "Scroll left" "向左" 0;
    Right "right" [Any] ["l", "right"] "Scroll right" "向右" 0;
    PageUp "page-up" [Any] ["pgup", "ctrl-u"] "Page up" "上一页" 0;
    PageDown "page-down" [Any] ["pgdn", "ctrl-d"] "Page down" "下一页" 0;
    Top "top" [Any] ["g", "home"] "To the top" "到顶部" 0;
    Bottom "bottom" [Any] ["G", "end"] "To the bottom" "到底部" 0;
    ScreenVariants "screen.variants" [Any] ["1"] "Screen: Variants" "界面：变体" 0;
    ScreenCompare "screen.compare" [Any] ["2"] "Screen: Compare" "界面：对比" 0;
    ScreenSource "screen.source" [Any] ["3"] "Screen: Source" "界面：源码" 0;
    ScreenJobs "screen.jobs" [Any] ["4"] "Screen: Jobs" "界面：任务" 0;
    ScreenHistory "screen.history" [Any] ["5"] "Screen: History" "界面：历史" 0;
    ScreenWorkloads "screen.workloads" [Any] ["6"] "Screen: Workloads" "界面：工作负载" 0;
    ScreenProfile "screen.profile" [Any] ["7"] "Screen: Profile" "界面：剖析" 0;
    ScreenReport "screen.report" [Any] ["8"] "Screen: Report" "界面：报告" 0;
    NextScreen "screen.next" [Any] ["tab"] "Next screen" "下一界面" 0;
    PrevScreen "screen.previous" [Any] ["shift-tab"] "Previous screen" "上一界面" 0;
    Back "back" [Any] ["esc"] "Step out" "返回" 8;
    Quit "quit" [Any] ["q", "f10"] "Step out, or quit from Variants" "返回；在变体界面退出" 0;
    Cancel "cancel" [Any] ["ctrl-c"] "Cancel; twice quits" "取消；连按两次退出" 0;
    Redraw "redraw" [Any] ["ctrl-l"] "Draw the screen anew" "重绘屏幕" 0;
    Mouse "mouse" [Any] ["M", "f12"] "Mouse on or off" "开关鼠标" 0;
    Suspend "suspend" [Any] ["ctrl-z"] "Suspend to the shell" "挂起到 shell" 0;
    Reload "reload" [Any] ["f5"] "Read the ledger again" "重新读取账本" 0;
    Report "report" [Any] ["R", "f8"] "Write the report" "生成报告" 0;

    Open "variants.open" [Variants, Detail, History, Jobs] ["enter"] "Open" "打开" 1;
    Mark "variants.mark" [Variants] ["space"] "Mark" "标记" 2;
    Compare "compare" [Variants, Detail, Source, Jobs, History, Workloads, Profile] ["c", "f3"] "Compare" "对比" 3;
    Against "compare.against" [Variants, Detail, Compare] ["b"] "Compare with..." "与...对比" 0;
    Diff "diff" [Variants, Detail, Compare, Jobs, History, Workloads, Profile] ["d", "f4"] "Source diff" "源码差异" 4;
    DiffChampion "diff.champion" [Variants, Detail, Compare, Source, Jobs, History, Workloads, Profile] ["D", "shift-f4"] "Source diff: the champion, not the parent" "与最优变体（而非父变体）的源码差异" 0;
    Run "run" [Variants, Detail, Compare, Workloads] ["r", "f6"] "Run" "运行" 5;
    Accept "accept" [Variants, Detail, Compare, Source, Workloads, Profile] ["a", "f7"] "Accept" "接受" 6;
    Reject "reject" [Variants, Detail, Compare, Source, Workloads, Profile] ["x", "shift-f7"] "Reject" "拒绝" 7;
    Park "park" [Variants, Detail, Compare] ["p", "shift-f8"] "Park" "搁置" 7;
    New "variants.new" [Variants] ["n", "insert"] "New variant" "新建变体" 0;
    Filter "filter" [Variants, Profile] ["/", "&", "ctrl-f"] "Filter" "筛选" 7;
    SortNext "sort.next" [Variants, Workloads, Profile] [">", "s"] "Sort by the next column" "按下一列排序" 0;
    SortPrev "sort.previous" [Variants, Workloads, Profile] ["<"] "Sort by the previous column" "按上一列排序" 0;
    SortReverse "sort.reverse" [Variants, Workloads] ["S"] "Reverse the order" "反转顺序" 0;
    Edit "edit" [Variants, Detail, Compare, Source] ["E", "f11"] "Edit in $EDITOR" "用 $EDITOR 编辑" 0;
    NextMedian "median.next" [Variants, History] ["u"] "Median of the next workload" "下一工作负载的中位数" 0;
    Columns "columns" [Variants] ["C", "f2"] "Columns" "选择列" 0;
    SaveTable "table.export" [Variants, History, Workloads, Profile] ["w"] "Export this view" "导出当前视图" 0;
    DetailDown "detail.down" [Variants, Workloads, Profile] ["J", "shift-down"] "Scroll the detail down" "详情下滚" 0;
    DetailUp "detail.up" [Variants, Workloads, Profile] ["K", "shift-up"] "Scroll the detail up" "详情上滚" 0;
    Yank "copy" [Variants, Detail, Compare, Source, Jobs, History, Workloads, Profile, Report] ["y"] "Copy..." "复制..." 0;
    CopyRow "copy.row" [Variants, Detail, Workloads, Profile] ["Y"] "Copy the row as TSV" "以 TSV 复制整行" 0;

    Evidence "evidence" [Variants, Detail, Compare, Source, Jobs, History, Profile, Report] ["e", "ctrl-e"] "Evidence" "证据" 8;

    DiffParent "source.parent" [Source] ["d", "f4"] "Against the parent" "与父变体对比" 0;
    SwapSides "compare.swap" [Compare, Source] ["s"] "Swap A and B" "交换 A 与 B" 6;

    NextHunk "source.next-hunk" [Source] ["n", "]"] "Next hunk" "下一处改动" 1;
    PrevHunk "source.previous-hunk" [Source] ["p", "N", "["] "Previous hunk" "上一处改动" 2;
    ToggleLayout "source.layout" [Source] ["v"] "Side by side" "并排/统一" 4;
    ToggleGenerated "source.generated" [Source] ["t"] "Kernel/generated" "内核/生成代码" 5;
    ToggleNormalised "source.normalised" [Source] ["w"] "Raw/normalised" "原文/归一化" 6;
    FoldHere "source.fold" [Source] ["enter", "space"] "Fold here" "折叠/展开" 3;
    FoldAll "source.fold-all" [Source] ["z"] "Fold or unfold what is unchanged" "折叠或展开未改动的行" 0;
    FoldKernels "source.fold-kernels" [Source] ["Z"] "Fold or unfold all kernels" "折叠或展开全部内核" 0;
    NextKernel "source.next-kernel" [Source] ["}"] "Next kernel with a change" "下一个有改动的内核" 0;
    PrevKernel "source.previous-kernel" [Source] ["{"] "Previous kernel with a change" "上一个有改动的内核" 0;
    NextFile "source.next-file" [Source] [">"] "Next file" "下一个文件" 0;
    PrevFile "source.previous-file" [Source] ["<"] "Previous file" "上一个文件" 0;
    Kernels "source.kernels" [Source] ["o"] "Kernels" "内核列表" 7;
    Figures "source.figures" [Source] ["f"] "Show or hide figures" "显示或隐藏数值" 0;
    Notices "source.notices" [Source] ["i"] "All notices" "全部提示" 0;

    CellEvidence "workloads.evidence" [Workloads] ["enter", "e"] "Samples" "样本" 1;
    CellShows "workloads.cell" [Workloads] ["v"] "Ratio/interval/times" "比值/区间/时间" 2;
    SortHere "workloads.sort" [Workloads] ["o"] "Sort by this column" "按此列排序" 4;
    OpenProfile "profile.open" [Variants, Detail, Compare, Source, Jobs, History, Workloads] ["P", "f9"] "Counters" "计数器" 8;
    NextFinding "profile.next-finding" [Profile] ["n"] "Next finding" "下一项发现" 1;
    PrevFinding "profile.previous-finding" [Profile] ["N", "p"] "Previous finding" "上一项发现" 2;
    NextWorkload "profile.next-workload" [Profile] ["]"] "Next workload" "下一工作负载" 3;
    PrevWorkload "profile.previous-workload" [Profile] ["["] "Previous workload" "上一工作负载" 0;
    SidePane "profile.pane" [Profile] ["v"] "Counters/findings" "计数器/发现" 4;
    ChangedOnly "profile.changed" [Profile] ["u"] "Only what changed" "只看有变化的" 5;
    FoldSection "profile.fold" [Profile] ["enter", "space"] "Fold the section" "折叠/展开小节" 6;
    FoldSections "profile.fold-all" [Profile] ["z"] "Fold or unfold all sections" "折叠或展开全部小节" 0;

    Search "search" [Detail, Compare, Source, Jobs, History, Workloads, Report, Found] ["/", "ctrl-f"] "Search" "搜索" 7;
    SearchNext "search.next" [Detail, Compare, Jobs, History, Workloads, Report, Found] ["n"] "Next match" "下一处匹配" 0;
    SearchPrev "search.previous" [Detail, Compare, Jobs, History, Workloads, Report, Found] ["N"] "Previous match" "上一处匹配" 0;

    CancelJob "jobs.cancel" [Jobs] ["x", "delete"] "Cancel the job" "取消任务" 1;
    Follow "jobs.follow" [Jobs] ["f"] "Follow the log" "跟随日志" 3;
    RunAgain "jobs.again" [Jobs] ["r", "f6"] "Run again" "重新运行" 2;

    Contents "report.contents" [Report] ["o", "enter"] "Chapters" "章节" 1;
    NextChapter "report.next-chapter" [Report] ["]", "}"] "Next chapter" "下一章" 2;
    PrevChapter "report.previous-chapter" [Report] ["[", "{"] "Previous chapter" "上一章" 3;
    AllChecks "report.checks" [Report] ["i"] "All that was checked" "全部检查" 0;
    Export "report.export" [Report] ["w", "f6"] "Export" "导出" 5;
    ReportLang "report.language" [Report] ["t"] "English/Chinese" "中文/英文" 6;

    Confirm "layer.confirm" [Layer] ["enter"] "Confirm" "确认" 1;
    Close "layer.close" [Layer] ["esc"] "Close" "关闭" 2;
    FormEvidence "layer.evidence" [Layer] ["f9"] "Evidence" "证据" 4;
    NextField "layer.next" [Layer] ["tab", "down"] "Next field" "下一项" 3;
    PrevField "layer.previous" [Layer] ["shift-tab", "up"] "Previous field" "上一项" 0;
}
