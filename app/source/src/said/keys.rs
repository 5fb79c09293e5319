//! The one table of sentences.

use assay_core::view::Said;

use super::{plain, say};

macro_rules! keys {
    ($($key:ident $name:literal $en:literal $zh:literal;)*) => {
        /// A sentence, or a part of one. `{0}`, `{1}` are its places.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Key { $(#[doc = $en] $key,)* }

        impl Key {
            /// Every key.
            pub const ALL: &[Self] = &[$(Self::$key,)*];

            /// The name in views.
            pub fn name(self) -> &'static str {
                match self { $(Self::$key => $name,)* }
            }

            /// The text in English and in Chinese.
            pub fn texts(self) -> (&'static str, &'static str) {
                match self { $(Self::$key => ($en, $zh),)* }
            }
        }
    };
}

keys! {
    Text "text" "{0}" "{0}";
    ChangeComment "change-comment" "comment" "注释";
    ChangeMetadata "change-metadata" "metadata" "元数据";
    ChangeRename "change-rename" "rename" "改名";
    ChangeScheduling "change-scheduling" "scheduling" "调度";
    ChangeStack "change-stack" "stack" "栈";
    ChangeRegisters "change-registers" "registers" "寄存器";
    ChangeLiteral "change-literal" "literal" "字面量";
    ChangeReorder "change-reorder" "reorder" "重排";
    ChangeMoved "change-moved" "moved" "移动";
    ChangeInsert "change-insert" "insert" "新增";
    ChangeDelete "change-delete" "delete" "删除";
    ChangeEdit "change-edit" "edit" "修改";
    PassComments "pass-comments" "comments" "注释";
    PassDebugInfo "pass-debug-info" "debug-info" "调试信息";
    PassBanners "pass-banners" "banners" "工具横幅";
    PassPaths "pass-paths" "paths" "路径";
    PassPreamble "pass-preamble" "preamble" "前导代码";
    PassTemporaries "pass-temporaries" "temporaries" "临时变量";
    PassLabels "pass-labels" "labels" "标号";
    PassOffsets "pass-offsets" "offsets" "偏移";
    PassScheduling "pass-scheduling" "scheduling" "调度";
    PassWhitespace "pass-whitespace" "whitespace" "空白";
    EmptyFile "empty-file" "an empty file" "空文件";
    Nothing "none" "none" "无";
    ChangeTarget "change-target" "target" "目标架构";
    ChangeRebound "change-rebound" "rebound" "名称所指不同";
    ChangeOperands "change-operands" "operands" "操作数";
    ChangeOperator "change-operator" "operator" "运算符";
    ChangeType "change-type" "type" "类型";
    ChangePredicate "change-predicate" "predicate" "谓词";
    ChangeOpcode "change-opcode" "opcode" "操作码";
    Colon "colon" "{0}: {1}" "{0}：{1}";
    Pair "pair" "{0} {1}" "{0} {1}";

    Equal "equal" "the sources are equal after normalisation" "归一化后两份源码相同";
    EqualButNames "equal-but-names" "the sources differ in names, comments or addresses alone: they are equal after normalisation" "两份源码只在名称、注释或地址上不同：归一化后相同";
    Identical "identical" "identical, {0} bytes, sha256 {1}" "逐字节相同，{0} 字节，sha256 {1}";
    KernelRenamed "kernel-renamed" "kernel `{0}` is `{1}` now" "内核 `{0}` 现名为 `{1}`";
    KernelGone "kernel-gone" "kernel `{0}` is gone" "内核 `{0}` 已不存在";
    KernelNew "kernel-new" "kernel `{0}` is new" "内核 `{0}` 为新增";
    KernelsMore "kernels-more" "and other kernels that are renamed, new or gone" "另有其他内核改名、新增或删除";
    KernelsDiffer "kernels-differ" "the facts differ in {0}, of {1} kernels on both sides" "两侧共有的 {1} 个内核中，源码事实不同的是 {0}";
    OnlyLines "only-lines" "the facts do not differ; kinds of change by number of hunks: {0}" "源码事实没有不同；各类改动涉及的差异块数：{0}";
    LinesMoved "lines-moved" "{0} lines moved to another place" "{0} 行移动到了别处";
    Rescheduled "rescheduled" "the same instructions, scheduled otherwise" "指令相同，调度不同";

    StagedForth "staged-stores" "{0} give way to staging in shared memory and a bulk store: {1}" "{0}改为经共享内存暂存后批量存储：{1}";
    StagedBack "direct-stores" "staging in shared memory and a bulk store give way to {0}: {1}" "经共享内存暂存后的批量存储改为{0}：{1}";
    DirectStores "direct-stores-any" "direct global stores" "直接全局存储";
    DirectStoresOf "direct-stores-of" "direct {0} stores to global memory" "以 {0} 直接写全局内存";
    TmaStores "tma-stores" "TMA stores" "TMA 存储";
    Barriers "barriers" "barriers" "屏障";
    Fences "fences" "fences" "内存栅栏";

    GlobalLoads "global-loads" "global loads" "全局加载访存宽度";
    GlobalStores "global-stores" "global stores" "全局存储访存宽度";
    SharedLoads "shared-loads" "shared loads" "共享内存加载访存宽度";
    SharedStores "shared-stores" "shared stores" "共享内存存储访存宽度";
    LocalLoads "local-loads" "local memory (spills, arrays): loads" "本地内存（溢出、数组）：加载";
    LocalStores "local-stores" "local memory (spills, arrays): stores" "本地内存（溢出、数组）：存储";
    Become "become" "{0}: {1} -> {2}" "{0}：{1} -> {2}";
    WidthUnknown "width-unknown" "{0}: other ones whose width is not known" "{0}：其他宽度未知的访存有变化";
    OfBits "of-bits" "{0} of {1} bits ({2})" "{0} 次 {1} 位（{2}）";

    OfBitsCode "of-bits-code" "{0} of {1} bits" "{0} 次 {1} 位";

    NamedWith "named-with" "{0} ({1})" "{0}（{1}）";
    NamedAndMore "named-and-more" "{0} and {1} more" "{0} 以及另外 {1} 个";
    KernelsDifferAll "kernels-differ-all" "the facts differ in each of the {1} kernels on both sides: {0}" "两侧共有的 {1} 个内核的源码事实都不同：{0}";
    LargestOf "largest-of" "{0}, the most of any kernel" "{0}（各内核中的最大值）";
    SideWithoutKernel "side-without-kernel" "{0} has no kernel: the facts are those of the other side alone" "{0} 没有内核：源码事实仅来自另一侧";
    SideWithoutCode "side-without-code" "{0} has no instruction: the facts are those of the other side alone" "{0} 没有指令：源码事实仅来自另一侧";

    Matrix "matrix" "matrix instructions: {0}" "矩阵指令：{0}";
    Arrow "arrow" "{0} -> {1}" "{0} -> {1}";
    Fewer "fewer" "fewer {0}" "{0} 减少";
    More "more" "more {0}" "{0} 增多";
    InText "in-text" "{0} in the text" "代码中 {0}";
    OfThemSparse "sparse" "{0} with a sparse operand" "其中带稀疏操作数 {0}";
    Unrolled "unrolled" "{0} after unrolling" "展开后 {0}";
    InSteps "in-steps" "in {0} steps of the main loop" "主循环 {0} 步";
    InStepsSame "in-steps-same" "in {0} steps of the main loop, the same {1} in all" "主循环 {0} 步，总数同为 {1}";

    Pipeline "pipeline" "barrier objects of the pipeline: {0}" "流水线屏障对象：{0}";
    Stages "stages" "{0} ({1} stages, if each has a full and an empty one)" "{0}（若每级各有一满一空两个屏障，则为 {1} 级）";
    BlockOrder "block-order" "block order and swizzles: {0} -> {1}" "线程块次序与 swizzle：{0} -> {1}";
    Panels "panels" "{0} with panels of {1}" "{0}，面板宽 {1}";
    Also "also" "also: {0}" "另有：{0}";
    AlsoMore "also-more" "also: {0}, and {1} more" "另有：{0}，以及其余 {1} 项";

    GoesWith "goes-with" "{0} {1}; goes with {2} {3} ({4})" "{0} {1}；与之相符：{2} {3}（{4}）";
    Beside "beside" "{0} {1}; beside it: {2} {3} ({4})" "{0} {1}；并列：{2} {3}（{4}）";
    Unmoved "unmoved" "{0} {1}; {2} did not move: {3} ({4})" "{0} {1}；{2}未变：{3}（{4}）";
    Against "against" "{0} {1}; against what that lets expect, {2} {3} ({4})" "{0} {1}；与预期相反，{2} {3}（{4}）";
    NoCounter "no-counter" "{0} {1}; no counter that could go with it was taken on both sides ({2})" "{0} {1}；双方都没有可与之对照的计数器（{2}）";

    OtherLanguages "other-languages" "A is {0} and B is {1}: their facts are counted in other ways" "A 是 {0}，B 是 {1}：两者的源码事实计数方式不同";
    TwiceDiffers "twice-differs" "{0}: built twice: the sources differ; this weakens every claim about it" "{0}：两次构建的源码不同；这削弱了关于它的一切结论";
    TwiceDiffersIn "twice-differs-in" "{0}: built twice: the sources differ, first in {1}; this weakens every claim about it" "{0}：两次构建的源码不同，首先出现在 {1}；这削弱了关于它的一切结论";
    TakenOut "taken-out" "in {0} nothing differs but what normalisation takes out ({1}), which counts as unchanged; --raw shows it" "{0}仅在归一化去除的内容（{1}）上不同，视为未改动；--raw 可显示";
    TakenOutHere "taken-out-here" "in {0} nothing differs but what normalisation takes out ({1}), which counts as unchanged; {2} shows it" "{0}仅在归一化去除的内容（{1}）上不同，视为未改动；按 {2} 显示";
    Line "line" "{0} line" "{0} 行";
    Lines "lines" "{0} lines" "{0} 行";
    NoKernel "no-kernel" "no kernel found in {0} ({1}): no facts" "{0}（{1}）中未找到内核：没有源码事实";
    NoInstruction "no-instruction" "no instruction found in {0} ({1}): no facts" "{0}（{1}）中未找到指令：没有源码事实";

    Hidden "hidden-change" "The sides differ after normalisation, and no line was found to differ: their lines are compared as they are." "归一化后两侧不同，却找不到不同的行：以下按原文逐行比较。";
    Rebound "rebound-lines" "{0} lines have the same text on both sides and names in them mean something else: they count as changed." "{0} 行两侧文本相同，但其中的名称所指不同：视为改动。";
    SyncMoved "sync-moved" "{0} moved from line {1} of A to line {2} of B." "{0} 从 A 的第 {1} 行移到了 B 的第 {2} 行。";
    OtherTarget "other-target" "The code of A is for `{0}`, that of B for `{1}`." "A 的代码面向 `{0}`，B 的代码面向 `{1}`。";
    OtherOrder "other-order" "Kernels are in another order: {0}." "内核的次序不同：{0}。";
    OtherOrderMore "other-order-more" "Kernels are in another order: {0} and {1} more." "内核的次序不同：{0}，另有 {1} 个。";
    CoarseTime "coarse-time" "Coarse diff: the time for it was spent, and what was not compared by then counts as changed." "粗略差异：时间已用完，尚未比较的部分一律视为改动。";
    Coarse "coarse" "Coarse diff ({0}): everything between the first and the last difference counts as changed." "粗略差异（{0}）：第一处与最后一处不同之间的内容一律视为改动。";
    TimeSpent "time-spent" "the time for this diff was spent" "本次比较的时间已用完";
    Binary "binary" "binary" "二进制";
    TooLarge "too-large" "larger than {0} bytes" "大于 {0} 字节";
    LeftOut "left-out" "{0} changed lines are left out." "略去 {0} 行改动。";
    LongLines "long-lines" "Long lines are cut." "过长的行已截断。";
    NotMarked "not-marked" "What changed inside lines is not marked everywhere." "并非处处标出行内改动。";
    NotShown "not-shown" "`{0}` is binary; not shown, and no facts are taken. A: {1}. B: {2}." "`{0}` 是二进制文件，不显示，也不提取源码事实。A：{1}。B：{2}。";
    BytesOf "bytes-of" "{0} bytes, sha256 {1}" "{0} 字节，sha256 {1}";
    Absent "absent" "absent" "不存在";
    TwoLanguages "two-languages" "A is {0} and B is {1}." "A 是 {0}，B 是 {1}。";
    NotUtf8 "not-utf8" "`{0}` is not UTF-8 (byte {1}): those bytes are shown replaced." "`{0}` 不是 UTF-8（第 {1} 字节）：这些字节以替代字符显示。";
    Mark "byte-order-mark" "`{0}` begins with a byte order mark, which is left out." "`{0}` 以字节顺序标记开头，已略去。";
    Utf16 "utf16" "`{0}` is UTF-16 and is read as such." "`{0}` 是 UTF-16，按此读取。";
    Utf16Damaged "utf16-damaged" "`{0}` is UTF-16, and parts of it are damaged or cut: those are shown replaced." "`{0}` 是 UTF-16，部分内容损坏或不完整：以替代字符显示。";
    LoneReturns "lone-returns" "`{0}` ends its lines with carriage returns alone; they are read as line ends." "`{0}` 仅用回车符换行；按换行读取。";
    OpenComment "open-comment" "a comment that begins with `/*` in line {0} does not end: what follows it is no code" "第 {0} 行以 `/*` 开始的注释没有结束：其后的内容不算代码";
    NothingTaken "nothing-taken" "No facts and no kernels are taken, and nothing is normalised." "不提取源码事实和内核，也不做归一化。";
    NoFactsTooLarge "no-facts-too-large" "both sides are larger than {0} bytes: no facts and no kernels are taken" "两侧都大于 {0} 字节：不提取源码事实和内核";
    NoFactsBinary "no-facts-binary" "both sides are binary: no facts are taken" "两侧都是二进制文件：不提取源码事实";
    NoFactsOf "no-facts-of" "no facts are taken of {0}" "不从 {0} 中提取源码事实";
    CrlfA "crlf-a" "A has CRLF line ends and B does not; line ends are not compared." "A 用 CRLF 换行而 B 不用；不比较换行符。";
    CrlfB "crlf-b" "B has CRLF line ends and A does not; line ends are not compared." "B 用 CRLF 换行而 A 不用；不比较换行符。";
    CrlfBoth "crlf-both" "Both sides have CRLF line ends." "两侧都用 CRLF 换行。";
    NoFeedA "no-feed-a" "A has no line feed at its end." "A 末尾没有换行。";
    NoFeedB "no-feed-b" "B has no line feed at its end." "B 末尾没有换行。";

    Unbalanced "unbalanced" "braces outside of functions do not balance" "函数之外的花括号不配对";
    UnbalancedCut "unbalanced-cut" "the braces of `{0}` do not balance: it is cut where the next kernel begins" "`{0}` 的花括号不配对：截至下一个内核开始处";
    UnbalancedEnd "unbalanced-end" "the braces of `{0}` do not balance: it ends with the file" "`{0}` 的花括号不配对：直到文件末尾";
    UnbalancedListCut "unbalanced-list-cut" "the braces of a list of values do not balance: it is cut where the next kernel begins" "一个初始化列表的花括号不配对：截至下一个内核开始处";
    UnbalancedListEnd "unbalanced-list-end" "the braces of a list of values do not balance: it ends with the file" "一个初始化列表的花括号不配对：直到文件末尾";
    FunctionsLeftOut "functions-left-out" "{0} functions: only the first {1} are looked at" "共 {0} 个函数：只查看前 {1} 个";
    LabelsKept "labels-kept" "a function of more than {0} lines: its labels keep their names" "函数超过 {0} 行：其标号保留原名";
    JumpsKept "jumps-kept" "a function of more than {0} lines: jumps across its parts are not relative" "函数超过 {0} 行：跨段跳转不做相对化";
    FurtherNotices "further" "and further notices" "另有其他提示";
}

/// What readers say as text, by which it is found in the table.
const OF_READERS: &[Key] = &[
    Key::Unbalanced,
    Key::UnbalancedCut,
    Key::UnbalancedEnd,
    Key::OpenComment,
    Key::UnbalancedListCut,
    Key::UnbalancedListEnd,
    Key::FunctionsLeftOut,
    Key::LabelsKept,
    Key::JumpsKept,
    Key::FurtherNotices,
];

impl Key {
    /// The key of a name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|k| k.name() == name)
    }

    /// What a reader of sources said, by its English text; as it is where the table lacks it.
    pub fn found(text: &str) -> Said {
        let known = OF_READERS.iter().find_map(|k| {
            let values = filled(k.texts().0, text)?;
            Some(say(*k, values.into_iter().map(plain)))
        });
        known.unwrap_or_else(|| say(Self::Text, [plain(text)]))
    }
}

/// What fills the places of a text, in order.
fn filled(template: &str, text: &str) -> Option<Vec<String>> {
    let (head, mut rest) = template.split_once('{').unwrap_or((template, ""));
    let mut text = text.strip_prefix(head)?;
    let mut out = Vec::new();
    while !rest.is_empty() {
        let after = rest.split_once('}')?.1;
        let (between, next) = after.split_once('{').unwrap_or((after, ""));
        let end = match (next.is_empty(), between.is_empty()) {
            (true, _) => text.len().checked_sub(between.len())?,
            (false, true) => return None,
            (false, false) => text.find(between)?,
        };
        if text.get(end..end + between.len()) != Some(between) {
            return None;
        }
        out.push(text[..end].to_owned());
        text = &text[end + between.len()..];
        rest = next;
    }
    text.is_empty().then_some(out)
}
