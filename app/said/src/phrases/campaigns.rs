//! The words of the ready campaigns in `kernels/` and of the published ones in `experiments/`: titles,
//! hypotheses, messages of gates, notes beside tables. They are written by this project, and records
//! hold them as they were.

use super::Phrase;

pub(super) const PHRASES: &[Phrase] = &[
    // Titles.
    ("fp32 GEMM on the CPU", "CPU 上的 fp32 GEMM"),
    (
        "fp16 GEMM with tensor cores, CUDA C++",
        "使用张量核的 fp16 GEMM，CUDA C++",
    ),
    (
        "fp16 GEMM of a mixture of experts, TileLang",
        "混合专家模型的 fp16 GEMM，TileLang",
    ),
    (
        "fp16 matmul with TileLang: 288 configurations, a sweep of the depth, 2:4 sparsity",
        "TileLang 的 fp16 矩阵乘：288 个配置、深度扫描、2:4 稀疏",
    ),
    (
        "mhc_post with TileLang: a scaled copy of one row added to N branches",
        "TileLang 的 mhc_post：将一行缩放后加到 N 个分支",
    ),
    (
        "Kernels that cheat, and kernels that only look like it",
        "作弊的内核，以及只是看似作弊的内核",
    ),
    (
        "fp16 GEMM on MetaX C500 with TileLang, as published",
        "MetaX C500 上 TileLang 的 fp16 GEMM（据其发布）",
    ),
    (
        "mhc_post on MetaX C500 with TileLang, as published",
        "MetaX C500 上 TileLang 的 mhc_post（据其发布）",
    ),
    (
        "fp16 matmul on NVIDIA H800 with TileLang's autotuner, as published",
        "NVIDIA H800 上 TileLang 自动调优的 fp16 矩阵乘（据其发布）",
    ),
    // Messages of gates.
    (
        "an fp32 sum in any order stays below this; look for lower precision or for work that is left out",
        "任意次序的 fp32 求和都低于此值；请检查是否降低了精度或省略了工作",
    ),
    (
        "a kernel is asked for; the work may not be handed to a library",
        "要求的是内核；不得将工作交给库",
    ),
    (
        "work at load or in the first call is never timed; move it into the call",
        "加载时或首次调用中的工作从不计时；请移入调用之内",
    ),
    (
        "an fp32 sum in any order stays below this; look for a tail that is not handled or for lower precision",
        "任意次序的 fp32 求和都低于此值；请检查是否漏掉尾部或降低了精度",
    ),
    (
        "the contract is one thread; the caller divides the work",
        "约定为单线程；由调用者划分工作",
    ),
    (
        "the code no longer fits the first-level instruction cache of common cores; unroll less",
        "代码已超出常见核心的一级指令缓存；请减少展开",
    ),
    (
        "1 is what rounding the result to fp16 and summing in fp32 allow; look for an edge that is not handled or for sums in fp16",
        "1 是结果舍入到 fp16 且以 fp32 求和所允许的；请检查是否漏掉边缘或以 fp16 求和",
    ),
    (
        "half a unit in the last place of the largest result is 0.03; a larger error is not one of rounding",
        "最大结果末位的半个单位为 0.03；更大的误差并非舍入误差",
    ),
    (
        "the machine code has no matrix instruction: the operation was lowered to plain multiply-adds",
        "机器码中没有矩阵指令：运算被降级为普通乘加",
    ),
    (
        "more shared memory than the device gives one block",
        "共享内存超过设备给一个块的上限",
    ),
    (
        "registers are kept in local memory; take smaller tiles or fewer fragments at once",
        "寄存器溢出到本地内存；请减小 tile 或同时使用的 fragment",
    ),
    (
        "1 is what rounding to fp16 and summing in fp32 allow: look for rows at the edge, for a layout that is read otherwise than written, for sums in fp16",
        "1 是舍入到 fp16 且以 fp32 求和所允许的：请检查边缘的行、读写不一致的布局、以 fp16 求和",
    ),
    (
        "operands of -1, 0 and 1 have one right result: an element was left out, counted twice or stored elsewhere",
        "操作数为 -1、0、1 时结果唯一：有元素被漏掉、重复计算或存到别处",
    ),
    (
        "the source has another number of matrix instructions than a whole lowering of these settings: it fell back to plain multiply-adds, or is another schedule",
        "源码中的矩阵指令数与此设置的完整 lowering 不同：退回了普通乘加，或是另一种调度",
    ),
    (
        "not all of them are the fp16 instruction with fp32 sums: __builtin_mxc_mma_16x16x16f16 for maca, mma_sync or wgmma for cuda",
        "并非全部是 fp32 求和的 fp16 指令：maca 为 __builtin_mxc_mma_16x16x16f16，cuda 为 mma_sync 或 wgmma",
    ),
    (
        "a kernel of the vendor's libraries runs in a launch: those are the baseline's",
        "启动中运行了厂商库的内核：那属于基线",
    ),
    (
        "the generated source has no matrix instruction: the product was lowered to plain multiply-adds",
        "生成源码中没有矩阵指令：乘积被降级为普通乘加",
    ),
    (
        "more shared memory than the device gives one block: fewer stages or a smaller tile",
        "共享内存超过设备给一个块的上限：请减少 stage 或减小 tile",
    ),
    (
        "1 is what one rounding to bf16 and two operations in fp32 allow; look for a tail or for an intermediate result in bf16",
        "1 是一次舍入到 bf16 与两次 fp32 运算所允许的；请检查尾部或以 bf16 保存的中间结果",
    ),
    (
        "MMA_COUNT=2 in the generated source",
        "生成源码中 MMA_COUNT=2",
    ),
    // Steps that are not timed, and canaries.
    (
        "the weights of experts do not change between launches: they are packed once, when a model is loaded",
        "专家权重在各次启动之间不变：加载模型时打包一次",
    ),
    (
        "A is taken for weights, which are compressed once; a dense variant takes it as it is, at 0 ms",
        "A 视为权重，只压缩一次；稠密变体直接使用，为 0 ms",
    ),
    (
        "one element off by a thousandth is a wrong result",
        "一个元素差千分之一即为结果错误",
    ),
    (
        "half of the rows done twice have to show in the times",
        "一半的行做两遍必须在时间上看得出",
    ),
    // Hypotheses of the demo.
    (
        "The textbook loop, to have something that is right to compare with.",
        "教科书式的循环，作为正确的比较对象。",
    ),
    (
        "The inner loop walks B down a column, one cache line for each element. With k outside j, B and C are read along their rows.",
        "内层循环沿列遍历 B，每个元素占一条缓存行。把 k 放到 j 之外，B 与 C 便按行读取。",
    ),
    (
        "One element of B could stay in a register for a whole column of C. The counterpart to ikj; expected to lose its locality.",
        "B 的一个元素可在整列 C 的计算中留在寄存器里。与 ikj 相对；预期会失去局部性。",
    ),
    (
        "Every multiply-add loads and stores an element of C. A block of 4 by 4 in registers needs eight loads for sixteen multiply-adds and stores C once.",
        "每次乘加都要读写 C 的一个元素。寄存器中 4x4 的块每十六次乘加只需八次读取，且 C 只存一次。",
    ),
    (
        "B is still read in steps of a whole row. Copied into panels of 4 columns it would be read in order.",
        "B 仍以整行为步长读取。拷贝成 4 列的面板后可顺序读取。",
    ),
    (
        "Layout changes little while the arithmetic is the limit. Vectors of 8 do eight columns in one instruction.",
        "算术为瓶颈时布局影响甚微。长度为 8 的向量一条指令处理八列。",
    ),
    (
        "Four sums in flight do not cover the latency of a multiply-add, and each loaded vector of B serves only four rows. A tile as large as the register file gives twelve sums.",
        "四个并行的累加掩盖不了乘加的延迟，且每个读入的 B 向量只用于四行。与寄存器堆同大的 tile 可有十二个累加。",
    ),
    (
        "Now that arithmetic is fast, packing B may pay: rows in order, and zero padding replaces the scalar loop at the right edge.",
        "算术已快，打包 B 可能有收益：行按次序排列，右边缘的标量循环由补零代替。",
    ),
    (
        "Packing costs most where few rows share it, and helps most at the right edge. Pack only the columns after the last whole vector.",
        "共用的行少时打包代价最大，而在右边缘收益最大。只打包最后一个整向量之后的列。",
    ),
    (
        "Four steps of k for each branch: less loop overhead, more room for the scheduler.",
        "每次分支处理四步 k：循环开销更小，调度余地更大。",
    ),
    (
        "Rows of B lie a whole row apart, further than the hardware prefetcher follows. Ask for them 8 steps early.",
        "B 的行相距一整行，超出硬件预取器的跟踪范围。提前 8 步预取。",
    ),
    (
        "The inner loop may straddle a fetch window. Loops and functions at 64 bytes, by flags alone.",
        "内层循环可能跨越取指窗口。仅以编译选项将循环与函数对齐到 64 字节。",
    ),
    (
        "Clearer names before others read it. The machine code must not change.",
        "在他人阅读之前改用更清楚的名称。机器码不得改变。",
    ),
    (
        "The scalar loop at the right edge takes half the time of the tail workload. Count columns in whole vectors and drop it.",
        "右边缘的标量循环占尾部工作负载一半的时间。列按整向量计数，去掉该循环。",
    ),
    (
        "Bind the vectors of B once for each k.",
        "每个 k 只绑定一次 B 的向量。",
    ),
    (
        "One loop for the rows left over at the right edge.",
        "用一个循环处理右边缘余下的行。",
    ),
    // The campaign that was measured on an H200.
    (
        "C goes through shared memory with swizzle 256; panels of 4, 256 threads. The start: direct stores of fragments are narrow, and a tile in shared memory can be stored in whole rows.",
        "C 经共享内存，swizzle 256；面板为 4，256 个线程。起点：直接存储 fragment 过窄，而共享内存中的 tile 可整行存储。",
    ),
    (
        "The same with a swizzle of 128 bytes: other banks for the tile of C.",
        "同上，但 swizzle 为 128 字节：C 的 tile 用其他 bank。",
    ),
    (
        "B is packed so that four values along K lie side by side, which is what a lane of the matrix unit takes: fewer and wider reads of shared memory.",
        "打包 B，使沿 K 的四个值相邻，正合矩阵单元一个 lane 的取法：共享内存读取更少更宽。",
    ),
    (
        "Three stages of asynchronous copies hide the latency of loads, with B as it comes: its tiles are read by ldmatrix.",
        "三级异步拷贝掩盖读取延迟，B 保持原样：其 tile 由 ldmatrix 读取。",
    ),
    (
        "A control: the knob is another layer's, so that the source is that of pipeline3 and any difference is the measurement's.",
        "对照：该参数属于另一层，因此源码与 pipeline3 相同，任何差异都来自测量。",
    ),
    (
        "A control that is wrong by design: without the barriers that TileLang puts between writes and reads of shared memory there is nothing to wait for.",
        "有意出错的对照：没有 TileLang 在共享内存写与读之间放置的 barrier，便无所等待。",
    ),
    (
        "A control that cannot be launched: the tile of C with rows of 1024 bytes takes 256 KiB of shared memory, and a block of this device may have 227.",
        "无法启动的对照：行长 1024 字节的 C tile 占 256 KiB 共享内存，而此设备一个块最多 227 KiB。",
    ),
    (
        "On Hopper: tiles by TMA, products by wgmma from shared memory, a warp of its own for the loads, three stages.",
        "在 Hopper 上：以 TMA 取 tile，以 wgmma 从共享内存做乘法，读取由专门的 warp 负责，三级流水。",
    ),
    (
        "A fourth stage gives the warp of the loads more room before it waits.",
        "第四级流水让负责读取的 warp 在等待前有更多余地。",
    ),
    (
        "A tile of 128 by 256 reads A half as often, and each instruction multiplies twice as much.",
        "128x256 的 tile 读取 A 的次数减半，每条指令的乘法加倍。",
    ),
    ("what the others begin with; {*}", "其他变体的起点；{0}"),
    (
        "control, the source of its parent: {*}",
        "对照，源码与其父变体相同：{0}",
    ),
    ("control, wrong by design: {*}", "对照，有意出错：{0}"),
    (
        "control, more shared memory than a block may have: {*}",
        "对照，共享内存超过一个块的上限：{0}",
    ),
    ("first pin", "首次固定"),
    // Notes beside the tables of published work.
    (
        "What the tables were transcribed from.",
        "各表所依据的文档。",
    ),
    (
        "What the review says of machine, evaluator and tools. Versions of driver, MACA, TileLang and PyTorch are not printed.",
        "复盘中关于机器、评测程序与工具的说明。驱动、MACA、TileLang 与 PyTorch 的版本未印出。",
    ),
    (
        "Inputs and layouts of the baseline and of the TileLang GEMM: the same product of differently stored operands, the packing not timed.",
        "基线与 TileLang GEMM 的输入与布局：乘积相同，操作数存储方式不同，打包不计时。",
    ),
    (
        "What the review found in the generated source of the final version.",
        "复盘在最终版本的生成源码中所见。",
    ),
    (
        "The knobs that the review states of each version, and where. Others are not known.",
        "复盘对各版本说明的参数及其出处。其余未知。",
    ),
    (
        "The earliest profile in words and ranges; of which version is not printed.",
        "最早的剖析，以文字与范围给出；属于哪个版本未印出。",
    ),
    (
        "The swizzles of the shared tile of C that were tried.",
        "对 C 的共享 tile 试过的 swizzle。",
    ),
    (
        "What the review says of its figures in words; the audit holds the two of section 2 against the times.",
        "复盘对其数值的文字说明；审计将第 2 节的两项与时间核对。",
    ),
    (
        "The test environment that the pull request states, and the profiler of its counters.",
        "PR 所述的测试环境，及其计数器所用的剖析器。",
    ),
    (
        "The checks of the report with results and exit codes, at the commit that it names. 41 tests stand in two commit messages (test-counts).",
        "报告中的检查及其结果与退出码，对应其指明的提交。41 个测试见于两条提交说明（test-counts）。",
    ),
    (
        "The operations counted before and after, their ratio, and the bytes.",
        "修改前后计得的运算量、其比值与字节数。",
    ),
    (
        "The commits behind one report, as far as they are stated. That of the benchmark table is not.",
        "一份报告背后的各提交，以所说明者为限。基准测试表的提交未说明。",
    ),
    (
        "Dispatch and search space as the pull request states them.",
        "PR 所述的分派与搜索空间。",
    ),
    (
        "What the pull request says of all workloads; the audit works each figure out again.",
        "PR 对全部工作负载的说明；审计逐项重新计算。",
    ),
    (
        "What the pull request says of single workloads, of the bandwidth column and of the cache.",
        "PR 对个别工作负载、带宽列与缓存的说明。",
    ),
    (
        "What the article says of machine and timing. CUDA, TileLang and PyTorch are known by the commit of the repository only.",
        "文章关于机器与计时的说明。CUDA、TileLang 与 PyTorch 只能由仓库的提交得知。",
    ),
    (
        "The candidates of each knob; 288 points in all. Which one was best for each K is not printed.",
        "各参数的候选值；共 288 个点。每个 K 的最佳点未印出。",
    ),
    (
        "What the article reads off its table; the audit holds growth and bandwidth against the figures.",
        "文章从其表中得出的结论；审计将增长与带宽同数值核对。",
    ),
    // What the documents are.
    (
        "review of one round of optimisation, published as a blog article; measured by its author, nothing of it was measured here",
        "一轮优化的复盘，以博客文章发布；由其作者测得，均未在此测量",
    ),
    (
        "pull request to ccf-ai-infra/TileOPs-Metax, with its report; measured by its authors, nothing of it was measured here",
        "提交到 ccf-ai-infra/TileOPs-Metax 的 PR 及其报告；由其作者测得，均未在此测量",
    ),
    (
        "commit messages of the same pull request",
        "同一 PR 的提交说明",
    ),
    (
        "messages of the 7 commits that the pull request shows",
        "PR 所列 7 个提交的说明",
    ),
    (
        "article about benchmark/matmul of the TileLang repository, with the table of its README; partly written by a language model, as it says itself; nothing of it was measured here",
        "关于 TileLang 仓库 benchmark/matmul 的文章，附其 README 的表；据其自述部分由语言模型撰写；均未在此测量",
    ),
];
