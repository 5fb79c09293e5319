//! What facts are called that stand for themselves in a summary.

use super::Lang;

/// A fact that stands for itself, with those that say no more than it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Topic {
    /// What it is, in English and in Chinese.
    labels: (&'static str, &'static str),
    /// Names of facts, the one that is said first.
    pub facts: &'static [&'static str],
}

impl Topic {
    /// What it is, in a language.
    pub fn label(&self, lang: Lang) -> &'static str {
        match lang {
            Lang::En => self.labels.0,
            Lang::Zh => self.labels.1,
        }
    }
}

macro_rules! topics {
    ($($en:literal $zh:literal [$($fact:literal),+];)*) => {
        /// The topics, in the order in which they are said.
        pub const TOPICS: &[Topic] = &[$(Topic {
            labels: ($en, $zh),
            facts: &[$($fact),+],
        },)*];
    };
}

topics! {
    "threads a block" "每线程块线程数" ["launch.threads", "launch.bounded"];
    "blocks asked for on a multiprocessor" "要求每个多处理器上的线程块数" ["launch.min_blocks"];
    "blocks of a cluster" "每簇线程块数" ["launch.cluster"];
    "kernels" "内核数" ["kernel.count"];
    "barriers" "屏障（同步）" ["barrier.count", "barrier.block", "barrier.partial", "barrier.warp"];
    "steps of the main loop" "主循环步数" ["loop.trips"];
    "arrays of a thread (accumulators and fragments)" "每线程数组（累加器与片段）" ["local.array_bytes"];
    "registers a thread, as the compiler stated" "每线程寄存器（编译器报告）" ["registers.count"];
    "highest register" "用到的最高寄存器" ["registers.seen"];
    "spill stores" "寄存器溢出存储" ["spill.store_bytes"];
    "spill loads" "寄存器溢出加载" ["spill.load_bytes"];
    "stack frame" "栈帧" ["stack.bytes"];
    "largest stack frame" "最大栈帧" ["frame.bytes"];
    "static shared memory" "静态共享内存" ["shared.static_bytes", "shared.declarations"];
    "last buffer in dynamic shared memory at" "动态共享内存中最后一个缓冲区位于" ["shared.dynamic_offset"];
    "bulk copies announced in the text (one stage, if one loop fills it)" "代码中批量拷贝声明的字节数（若由一个循环填充，即为一级）" ["tma.expect_bytes"];
    "widest vector" "最宽向量" ["vector.width_bits"];
    "vector multiply-adds" "向量乘加" ["vector.fma"];
    "stores of registers to the stack" "寄存器存到栈" ["stack.spills"];
    "instructions" "指令数" ["inst.total"];
}
