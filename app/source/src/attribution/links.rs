//! The one table of which facts go with which counters.

use crate::said::Lang;

/// In which sense a counter goes with a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sense {
    /// Both grow.
    Same,
    /// One grows, the other shrinks.
    Opposite,
    /// It may go either way, and yet belongs together.
    Either,
}

/// A fact and the counters to read beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// Name of the fact. `load.global.mean_bits` and its like are the mean over the histogram,
    /// `load.local.count` and its like its sum in code, where arrays of a thread are registers.
    pub fact: &'static str,
    /// What the fact is, in a sentence, in English and in Chinese.
    labels: (&'static str, &'static str),
    /// The counters.
    pub counters: &'static [Linked],
}

/// A counter to read beside a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Linked {
    /// Canonical name.
    pub name: &'static str,
    /// What it is, in a sentence, in English and in Chinese.
    labels: (&'static str, &'static str),
    /// In which sense it goes with the fact.
    pub sense: Sense,
}

impl Link {
    /// What the fact is, in a sentence.
    pub fn label(&self, lang: Lang) -> &'static str {
        one(self.labels, lang)
    }
}

impl Linked {
    /// What the counter is, in a sentence.
    pub fn label(&self, lang: Lang) -> &'static str {
        one(self.labels, lang)
    }
}

fn one((en, zh): (&'static str, &'static str), lang: Lang) -> &'static str {
    match lang {
        Lang::En => en,
        Lang::Zh => zh,
    }
}

macro_rules! links {
    ($($fact:literal, $label:literal, $zh:literal: $($counter:literal, $name:literal, $chinese:literal, $sense:ident;)*)|*) => {
        /// Facts and the counters that go with them.
        pub const LINKS: &[Link] = &[$(Link {
            fact: $fact,
            labels: ($label, $zh),
            counters: &[$(Linked {
                name: $counter,
                labels: ($name, $chinese),
                sense: Sense::$sense,
            }),*],
        }),*];
    };
}

links! {
    "load.global.mean_bits", "mean width of global loads", "全局加载的平均访存宽度":
        "inst.global.load", "global read instructions", "全局读指令", Opposite;
        "global.load.requests", "global load requests", "全局加载请求", Opposite; |
    "load.global.count", "global loads in the text", "代码中的全局加载":
        "inst.global.load", "global read instructions", "全局读指令", Same;
        "global.load.requests", "global load requests", "全局加载请求", Same; |
    "store.global.mean_bits", "mean width of global stores", "全局存储的平均访存宽度":
        "inst.global.store", "global write instructions", "全局写指令", Opposite;
        "global.store.requests", "global store requests", "全局存储请求", Opposite; |
    "store.global.count", "global stores in the text", "代码中的全局存储":
        "inst.global.store", "global write instructions", "全局写指令", Same;
        "global.store.requests", "global store requests", "全局存储请求", Same; |
    "load.shared.mean_bits", "mean width of shared loads", "共享内存加载的平均访存宽度":
        "inst.shared.load", "shared read instructions", "共享内存读指令", Opposite; |
    "store.shared.mean_bits", "mean width of shared stores", "共享内存存储的平均访存宽度":
        "inst.shared.store", "shared write instructions", "共享内存写指令", Opposite; |
    "ldmatrix.count", "matrix loads from shared memory", "从共享内存的矩阵加载":
        "shared.bank_conflicts.load", "bank conflicts of shared loads", "共享内存加载的 bank 冲突", Either; |
    "stmatrix.count", "matrix stores to shared memory", "向共享内存的矩阵存储":
        "shared.bank_conflicts.store", "bank conflicts of shared stores", "共享内存存储的 bank 冲突", Either;
        "inst.shared.store", "shared write instructions", "共享内存写指令", Same; |
    "tma.load", "bulk loads", "批量加载":
        "inst.global.load", "global read instructions", "全局读指令", Opposite; |
    "tma.store", "bulk stores", "批量存储":
        "inst.global.store", "global write instructions", "全局写指令", Opposite;
        "global.store.sectors", "sectors written to global memory", "写入全局内存的扇区", Opposite; |
    "cp_async.count", "asynchronous copies", "异步拷贝":
        "inst.shared.store", "shared write instructions", "共享内存写指令", Opposite; |
    "mma.count", "matrix instructions in the text", "代码中的矩阵指令":
        "inst.mma", "matrix instructions executed", "执行的矩阵指令", Either; |
    "mma.unrolled", "matrix instructions after unrolling", "展开后的矩阵指令":
        "stall.issue.gmma", "stalls on matrix instructions", "矩阵指令停顿", Either;
        "duty.mma", "use of the matrix unit", "矩阵单元利用率", Either; |
    "loop.trips", "steps of the longest loop", "最长循环的步数":
        "branch.executed", "branches executed", "执行的分支", Same;
        "stall.issue.barrier", "stalls at barriers", "屏障（同步）停顿", Same; |
    "barrier.count", "barriers in the text", "代码中的屏障":
        "stall.issue.barrier", "stalls at barriers", "屏障（同步）停顿", Same; |
    "mbarrier.init", "barrier objects", "屏障对象":
        "stall.issue.long_scoreboard", "stalls on global memory", "全局内存停顿", Either;
        "resource.shared.total", "shared memory of a block", "每线程块共享内存", Same; |
    "shared.dynamic_offset", "last buffer in dynamic shared memory", "动态共享内存中最后一个缓冲区":
        "resource.shared.dynamic", "dynamic shared memory", "动态共享内存", Same;
        "occupancy.limit.shared", "blocks that shared memory allows", "共享内存允许的线程块数", Opposite; |
    "tma.expect_bytes", "bytes that bulk copies are to bring", "批量拷贝声明的字节数":
        "resource.shared.dynamic", "dynamic shared memory", "动态共享内存", Same;
        "resource.shared.total", "shared memory of a block", "每线程块共享内存", Same;
        "occupancy.limit.shared", "blocks that shared memory allows", "共享内存允许的线程块数", Opposite; |
    "shared.static_bytes", "static shared memory", "静态共享内存":
        "resource.shared.static", "static shared memory of the binary", "二进制中的静态共享内存", Same;
        "occupancy.limit.shared", "blocks that shared memory allows", "共享内存允许的线程块数", Opposite; |
    "launch.threads", "threads a block may have", "每线程块允许的线程数":
        "launch.workgroup_threads", "threads of a block", "每线程块线程数", Same;
        "resource.registers", "registers a thread", "每线程寄存器", Opposite; |
    "registers.count", "registers a thread", "每线程寄存器":
        "resource.registers", "registers a thread of the binary", "每线程寄存器", Same;
        "occupancy.theoretical", "theoretical occupancy", "理论占用率", Opposite; |
    "local.array_bytes", "arrays of a thread", "每线程数组":
        "resource.registers", "registers a thread", "每线程寄存器", Same; |
    "spill.store_bytes", "spill stores", "寄存器溢出存储":
        "inst.spill", "spill instructions", "溢出指令", Same;
        "resource.spill.stores", "spill stores of the binary", "二进制中的溢出存储", Same; |
    "spill.load_bytes", "spill loads", "寄存器溢出加载":
        "inst.spill", "spill instructions", "溢出指令", Same;
        "resource.spill.loads", "spill loads of the binary", "二进制中的溢出加载", Same; |
    "spill.count", "registers that are spilled", "溢出的寄存器":
        "inst.spill", "spill instructions", "溢出指令", Same;
        "resource.stack", "private memory of a thread", "每线程私有内存", Same; |
    "store.local.count", "stores to local memory in the code", "代码中写本地内存的指令":
        "inst.spill", "spill instructions", "溢出指令", Same;
        "resource.spill.stores", "spill stores of the binary", "二进制中的溢出存储", Same;
        "flow.private.store", "stores to private memory", "私有内存存储", Same; |
    "load.local.count", "loads from local memory in the code", "代码中读本地内存的指令":
        "inst.spill", "spill instructions", "溢出指令", Same;
        "resource.spill.loads", "spill loads of the binary", "二进制中的溢出加载", Same;
        "flow.private.load", "loads from private memory", "私有内存加载", Same; |
    "stack.bytes", "stack frame of a thread", "每线程栈帧":
        "resource.stack", "private memory of a thread", "每线程私有内存", Same;
        "inst.spill", "spill instructions", "溢出指令", Same; |
    "swizzle.panel", "panel of the block order", "线程块次序的面板宽":
        "cache.l2.hit_rate", "hit rate of the L2 cache", "L2 缓存命中率", Either;
        "mem.read_bytes", "bytes read from memory", "从内存读取的字节", Either; |
    "swizzle.count", "calls that order blocks or swizzle addresses", "线程块排序或地址 swizzle 的调用":
        "cache.l2.hit_rate", "hit rate of the L2 cache", "L2 缓存命中率", Either;
        "mem.read_bytes", "bytes read from memory", "从内存读取的字节", Either;
        "shared.bank_conflicts", "bank conflicts", "bank 冲突", Either; |
    "vector.width_bits", "widest vector", "最宽向量":
        "inst.total", "instructions", "指令数", Opposite; |
    "vector.fma", "vector multiply-adds in the text", "代码中的向量乘加":
        "inst.fma", "multiply-adds executed", "执行的乘加", Either;
        "inst.total", "instructions", "指令数", Either; |
    "stack.spills", "stores of registers to the stack", "寄存器存到栈":
        "cache.l1d.write_misses", "write misses of the L1 cache", "L1 缓存写缺失", Either;
        "inst.total", "instructions", "指令数", Same; |
    "branch.total", "branches in the text", "代码中的分支":
        "branch.executed", "branches executed", "执行的分支", Same;
        "branch.missed", "branches missed", "预测失败的分支", Same;
}

/// The table as Markdown, for the reference pages.
pub fn links_as_markdown() -> String {
    let mut out =
        String::from("| Fact | What it is | Counters, and how they go with it |\n|---|---|---|\n");
    for l in LINKS {
        let counters: Vec<String> = (l.counters.iter())
            .map(|c| {
                let how = match c.sense {
                    Sense::Same => "same way",
                    Sense::Opposite => "other way",
                    Sense::Either => "either way",
                };
                format!("`{}` ({how})", c.name)
            })
            .collect();
        out.push_str(&format!(
            "| `{}` | {} | {} |\n",
            l.fact,
            l.label(Lang::En),
            counters.join(", ")
        ));
    }
    out
}
