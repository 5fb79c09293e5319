//! Profilers: why there are no counters (`assay-exec`).

use super::Phrase;

/// What is said where Nsight Compute and the driver are of two versions.
const OTHER_DRIVER: Phrase = (
    "this `ncu` does not fit the driver: install the Nsight Compute of the driver's CUDA version, or a newer driver",
    "此 `ncu` 与驱动不符：请安装与驱动 CUDA 版本相应的 Nsight Compute，或更新驱动",
);

pub(super) const PHRASES: &[Phrase] = &[
    OTHER_DRIVER,
    (
        "there is no `ncu` in PATH, in CUDA_HOME, in /usr/local/cuda*/bin or in /opt/nvidia/nsight-compute: install Nsight Compute, or take counters elsewhere and `assay import` the report",
        "在 PATH、CUDA_HOME、/usr/local/cuda*/bin 或 /opt/nvidia/nsight-compute 中没有 `ncu`：请安装 Nsight Compute，或在别处取得计数器后以 `assay import` 导入报告",
    ),
    (
        "this host lets only the administrator read the counters of the GPU (ERR_NVGPUCTRPERM). That is a setting of the host's driver, not of the container or of the kernel: its administrator sets `options nvidia NVreg_RestrictProfilingToAdminUsers=0` in /etc/modprobe.d and loads the driver again, or runs this as root or with CAP_SYS_ADMIN. Everything but counters works without",
        "此主机只允许管理员读取 GPU 计数器（ERR_NVGPUCTRPERM）。这是主机驱动的设置，与容器或内核无关：请其管理员在 /etc/modprobe.d 中设 `options nvidia NVreg_RestrictProfilingToAdminUsers=0` 并重新加载驱动，或以 root 或 CAP_SYS_ADMIN 运行。除计数器外均可照常工作",
    ),
    (
        "another tool holds the counters of the GPU (DCGM, a monitoring exporter, another profiler): stop it (`dcgmi profiling --pause`) and run again",
        "另有工具占用 GPU 计数器（DCGM、监控导出程序、其他剖析器）：请停止它（`dcgmi profiling --pause`）后重新运行",
    ),
    (
        "clocks cannot be held on a MIG slice: set [profile] clock_control = \"none\"",
        "MIG 切片上不能锁定时钟：请设 [profile] clock_control = \"none\"",
    ),
    (
        "this `ncu` cannot speak to the driver: it is newer than the driver, or a stub of libcuda.so is found first (LD_LIBRARY_PATH)",
        "此 `ncu` 无法与驱动通信：它比驱动新，或先找到了 libcuda.so 的桩（LD_LIBRARY_PATH）",
    ),
    (
        "this version of Nsight Compute does not know the GPU (`ncu --list-chips`): install a newer one",
        "此版本的 Nsight Compute 不认识该 GPU（`ncu --list-chips`）：请安装更新的版本",
    ),
    (
        "another user's lock file of Nsight Compute is in the way: remove nsight-compute-lock in TMPDIR or /tmp, or set another TMPDIR",
        "另一用户的 Nsight Compute 锁文件造成阻碍：请删除 TMPDIR 或 /tmp 中的 nsight-compute-lock，或另设 TMPDIR",
    ),
    (
        "there is no CUDA device here, or CUDA_VISIBLE_DEVICES hides it",
        "此处没有 CUDA 设备，或被 CUDA_VISIBLE_DEVICES 隐藏",
    ),
    (
        "ncu was not done after {#} s and was stopped; what it had counted is not used. It runs each launch many times over: collect less ([profile] metrics), fewer launches (launch_count), or give it longer (timeout)",
        "ncu 在 {0} s 后仍未完成，已被停止；已有计数不采用。它会把每次启动重复运行多次：请少采集（[profile] metrics）、减少启动次数（launch_count），或给更长时间（timeout）",
    ),
    (
        "ncu could not count {}, and what it did count is not used: {\"}",
        "ncu 无法为 {0} 计数，已有计数不采用：{1}",
    ),
    (
        "ncu could not count {}, and what it did count is not used",
        "ncu 无法为 {0} 计数，已有计数不采用",
    ),
    (
        "under ncu the program ended with exit code {#}, so that what was counted is not used; see the end of its output",
        "程序在 ncu 下以退出码 {0} 结束，因此已有计数不采用；见其输出末尾",
    ),
    (
        "ncu failed: {\"}; all that it said is kept: `assay show NAME --left DIR` writes it",
        "ncu 失败：{0}；其全部输出已保存：`assay show NAME --left DIR` 写出",
    ),
    ("ncu failed: {\"}", "ncu 失败：{0}"),
    (
        "ncu, or the program under it: {*}; run the program without it (`assay run NAME --stages check`) to see which of the two it is, and see the end of its output",
        "ncu 或其下的程序：{0}；请不带 ncu 运行该程序（`assay run NAME --stages check`）以判断是哪一个，并查看其输出末尾",
    ),
    ("ncu, or the program under it: {*}", "ncu 或其下的程序：{0}"),
    (
        "ncu ended well and left no table of counters: see what it left (`assay show NAME --left DIR` writes it), and whether there is space where builds lie and in TMPDIR",
        "ncu 正常结束，却未留下计数器表：请查看其留下的文件（`assay show NAME --left DIR` 写出），以及构建所在处和 TMPDIR 是否还有空间",
    ),
    (
        "ncu ended well and left no table of counters",
        "ncu 正常结束，却未留下计数器表",
    ),
    (
        "the table that ncu left ends within a line: its disk may be full; nothing of it is used",
        "ncu 留下的表在一行中间结束：其磁盘可能已满；不予采用",
    ),
    (
        "no kernel that was launched matches [profile] kernel = \"{}\"; {*}",
        "启动的内核都不符合 [profile] kernel = \"{0}\"；{1}",
    ),
    (
        "the program launched no kernel that ncu could see",
        "程序未启动 ncu 可见的内核",
    ),
    (
        "ncu profiled none of the kernels; {*}",
        "ncu 未剖析任何内核；{0}",
    ),
    ("ncu does not say which ones it saw", "ncu 未说明看到了哪些"),
    ("ncu saw {}", "ncu 看到 {0}"),
    (
        "ncu could not print its report: {\"}",
        "ncu 无法打印其报告：{0}",
    ),
    // mcProfiler.
    (
        "there is no `{}` in PATH or in {}: install it, set {} to its folder, or take counters elsewhere and `assay import` the report",
        "在 PATH 或 {1} 中没有 `{0}`：请安装，或将 {2} 设为其文件夹，或在别处取得计数器后以 `assay import` 导入报告",
    ),
    (
        "{} is there, and the folder with `{}/` that it has to be started in is neither beside it nor in {}: set {} to that folder",
        "有 {0}，但启动它所需的含 `{1}/` 的文件夹既不在其旁边，也不在 {2} 中：请将 {3} 设为该文件夹",
    ),
    (
        "{} is there, and the folder with `{}/` that it has to be started in is not: it was looked for beside it and in {}; set {} to that folder",
        "有 {0}，但没有启动它所需的含 `{1}/` 的文件夹：已在其旁边和 {2} 中查找；请将 {3} 设为该文件夹",
    ),
    (
        "{w} is {}, and there is no `{}` in it: name the folder that mcProfiler is installed in",
        "{0} 为 {1}，其中没有 `{2}`：请指明 mcProfiler 的安装文件夹",
    ),
    (
        "a {w} of an aborted run is in the way{\"} (\"clean server failed\"): end that process, then run again",
        "中止的运行留下的 {0} 造成阻碍{1}（\"clean server failed\"）：请结束该进程后重新运行",
    ),
    (
        "a {w} of an aborted run is in the way (\"clean server failed\"): end that process, then run again",
        "中止的运行留下的 {0} 造成阻碍（\"clean server failed\"）：请结束该进程后重新运行",
    ),
    (
        "it found no `config/` in the folder that it was started in: set ASSAY_MCPROFILER to the folder that it is installed in",
        "它在启动所在的文件夹中找不到 `config/`：请将 ASSAY_MCPROFILER 设为其安装文件夹",
    ),
    (
        "mcProfiler was not done after {#} s and was stopped: {*}; it said last: {\"}",
        "mcProfiler 在 {0} s 后仍未完成，已被停止：{1}；其最后输出：{2}",
    ),
    (
        "mcProfiler was not done after {#} s and was stopped: {*}",
        "mcProfiler 在 {0} s 后仍未完成，已被停止：{1}",
    ),
    (
        "it waits for its own service: a proxy in the environment of the user or a service of an aborted run does that",
        "它在等待自己的服务：用户环境中的代理或中止的运行留下的服务会造成此现象",
    ),
    (
        "it runs the program once for each batch of counters, ten to a hundred times slower: raise [profile] timeout, or count less (metrics, launch_count, a smaller workload)",
        "它为每批计数器运行一次程序，慢十至百倍：请提高 [profile] timeout，或少计数（metrics、launch_count、较小的工作负载）",
    ),
    (
        "mcProfiler ended without saying that it is through: {*}; it is not used, and kept with the failed run",
        "mcProfiler 结束时未说明已完成：{0}；不予采用，与失败的运行一起保存",
    ),
    (
        "mcProfiler ended without saying that it is through: {*}; it is not used, and lies beside the build until the next profile",
        "mcProfiler 结束时未说明已完成：{0}；不予采用，在下次剖析之前留在构建旁边",
    ),
    (
        "raw counters may be there, and no report",
        "可能有原始计数器，但没有报告",
    ),
    ("there is no report", "没有报告"),
    (
        "a report is there, and may be cut short",
        "有报告，但可能不完整",
    ),
    (
        "mcProfiler {*}: {*}; what it left is not used, and kept with the failed run",
        "mcProfiler {0}：{1}；其留下的内容不采用，与失败的运行一起保存",
    ),
    (
        "mcProfiler {*}; what it left is not used, and kept with the failed run",
        "mcProfiler {0}；其留下的内容不采用，与失败的运行一起保存",
    ),
    (
        "mcProfiler {*}: {*}; what it left is not used",
        "mcProfiler {0}：{1}；其留下的内容不采用",
    ),
    (
        "mcProfiler {*}; what it left is not used",
        "mcProfiler {0}；其留下的内容不采用",
    ),
    (
        "its port was taken in the meantime: set another [profile] port",
        "其端口同时被占用：请另设 [profile] port",
    ),
    (
        "this version cannot write its values out (grpc UNIMPLEMENTED, as with MACA 3.7.0): use another one",
        "此版本无法写出数值（grpc UNIMPLEMENTED，如 MACA 3.7.0）：请换用其他版本",
    ),
    (
        "its report generator divided by zero, as it does when kernels without work are counted: name the kernel with [profile] kernel, and capture the generated source",
        "其报告生成器除数为零，在对无工作的内核计数时会如此：请以 [profile] kernel 指明内核，并取得生成源码",
    ),
    ("the program failed under it", "程序在其下失败"),
    ("it could not count", "它无法计数"),
    (
        "it could not draw the roofline: the work is too small for a single pass, and its figures are doubtful",
        "它无法绘制 roofline：工作量对单遍采集过小，其数值存疑",
    ),
    (
        "mcProfiler saw no launch of {*}; with `custom` only launches between mcProfilerStart and mcProfilerStop count; the sum over all kernels is not used",
        "mcProfiler 未见 {0} 的启动；设 `custom` 时只计 mcProfilerStart 与 mcProfilerStop 之间的启动；不采用所有内核之和",
    ),
    (
        "mcProfiler saw no launch of {*}; with `custom` only launches between mcProfilerStart and mcProfilerStop count",
        "mcProfiler 未见 {0} 的启动；设 `custom` 时只计 mcProfilerStart 与 mcProfilerStop 之间的启动",
    ),
    (
        "mcProfiler saw no launch of {*}; the sum over all kernels is not used",
        "mcProfiler 未见 {0} 的启动；不采用所有内核之和",
    ),
    (
        "mcProfiler saw no launch of {*}",
        "mcProfiler 未见 {0} 的启动",
    ),
    ("any kernel", "任何内核"),
    // Profilers of the host.
    (
        "{w} ended well and left no readable output",
        "{0} 正常结束，却未留下可读的输出",
    ),
    ("{w} left no file", "{0} 未留下文件"),
    (
        "nothing was counted: no figure in the report has a value; run the profiler by hand on the same program to see why: what it left is kept with the failed run (`assay show NAME --left DIR` writes it)",
        "未计得任何数据：报告中没有一个数据有值；请手动对同一程序运行性能分析器以查明原因：其留下的文件与失败的运行一起保存（`assay show NAME --left DIR` 写出）",
    ),
    (
        "the report is one of {}, and the device of target `{}` is of the kind {w}",
        "报告出自 {0}，而目标 `{1}` 的设备类别为 {2}",
    ),
    (
        "the report is of a device of compute capability {}, and the one that measures has {}",
        "报告来自计算能力为 {0} 的设备，而进行测量的设备为 {1}",
    ),
    (
        "the report is of {}, and target `{}` declares the model `{}`",
        "报告来自 {0}，而目标 `{1}` 声明型号 `{2}`",
    ),
    (
        "{*}: nothing of it is used; choose the device by [target.NAME] gpu, and pass what the profiler chooses it by in [env]",
        "{0}：其中的数据一概不用；请以 [target.NAME] gpu 选择设备，并在 [env] 中传入性能分析器据以选择设备的变量",
    ),
    (
        "the report is of {}, and the device that measures is {}",
        "报告来自 {0}，而进行测量的设备是 {1}",
    ),
    (
        "{*}: it is filed all the same; --target names the target that it is of",
        "{0}：仍予归档；--target 指明其所属目标",
    ),
    (
        "the report is not whole, and nothing of it is used: {\"}",
        "报告不完整，不予采用：{0}",
    ),
];
