//! The machine and the device that measure: which they are, whether they are the ones that are meant,
//! and whether they are free (`assay-exec`, `assay-engine`).

use super::Phrase;

pub(super) const PHRASES: &[Phrase] = &[
    (
        "{*}; nothing is measured on a device that nobody names: make it answer, or set [target.{}] unknown_device = true where there is no such tool",
        "{0}；不在无从辨认的设备上测量：请使其应答，若没有此工具则设 [target.{1}] unknown_device = true",
    ),
    (
        "the device was lost: {*}; nothing of this measurement counts",
        "设备丢失：{0}；此次测量全部无效",
    ),
    (
        "the device was lost: {*}; this says nothing of the variant, and the stage ended with: {*}",
        "设备丢失：{0}；这与变体无关，该阶段的结束情况：{1}",
    ),
    (
        "its tool names another one in its place: {} was {}, and is {}",
        "其工具在原处给出另一个设备：{0} 原为 {1}，现为 {2}",
    ),
    (
        "the device is in use by others ({}): {\"}; wait until they have ended, or choose another device by {} or [target.NAME] gpu",
        "设备正被他人使用（{0}）：{1}；请等其结束，或以 {2} 或 [target.NAME] gpu 另选设备",
    ),
    (
        "target `{}` is a whole card, and what CUDA sees is its MIG slice {}, whose figures say nothing of the card: set [target.{}] model and share for a slice, or disable MIG",
        "目标 `{0}` 是整张卡，而 CUDA 看到的是其 MIG 切片 {1}，其数值不代表整卡：若为切片请设 [target.{2}] model 与 share，或关闭 MIG",
    ),
    (
        "target `{}` is a share of {} of the card, and what CUDA sees is the whole card: choose the slice by [target.{}] gpu = \"MIG-...\", or remove `share`",
        "目标 `{0}` 占卡的 {1}，而 CUDA 看到的是整张卡：请以 [target.{2}] gpu = \"MIG-...\" 选择切片，或去掉 `share`",
    ),
    (
        "wrong device: target `{}` declares the model `{}`, and the tool of the device does not say which it is; remove `model`, or say which device it is by `gpu`",
        "设备不符：目标 `{0}` 声明型号 `{1}`，而设备的工具未说明型号；请去掉 `model`，或以 `gpu` 指明设备",
    ),
    (
        "wrong device: target `{}` declares the model `{}`, and the device is {}; choose another by `gpu`, or set the model that it is",
        "设备不符：目标 `{0}` 声明型号 `{1}`，而设备是 {2}；请以 `gpu` 另选，或改为实际型号",
    ),
    (
        "the card is sliced (`mx-smi` shows {}) and [target.{}] says nothing of a share: a slice is not set against a whole card; write `share = \"25%\"` with its quota beside `model`, or turn sGPU mode off",
        "该卡已切分（`mx-smi` 显示 {0}），而 [target.{1}] 未说明份额：切片不与整卡相比；请在 `model` 旁以其配额写 `share = \"25%\"`，或关闭 sGPU 模式",
    ),
    (
        "[target.{}] is a share of {} of the card, and `mx-smi` shows the whole card, with no mark of a slice: remove `share`, or choose the slice by `gpu`",
        "[target.{0}] 占卡的 {1}，而 `mx-smi` 显示的是整张卡，没有切片标记：请去掉 `share`，或以 `gpu` 选择切片",
    ),
    (
        "[target.{}] says share = {}, and `mx-smi` {} marks no slices: whether this is one is not known, and peaks are scaled by what the campaign file says",
        "[target.{0}] 写明 share = {1}，而 `mx-smi` {2} 不标记切片：这是否是切片未知，峰值按活动文件缩放",
    ),
    (
        "[target.{}] says share = {}, and `mx-smi` shows no mark of a slice: peaks are scaled by what the campaign file says",
        "[target.{0}] 写明 share = {1}，而 `mx-smi` 未显示切片：峰值按活动文件缩放",
    ),
    // Compilers and runtimes of a card.
    (
        "mxcc looks for its own headers elsewhere when CXX is set: run it without (`env -u CXX`), and take CXX out of [env] pass",
        "设有 CXX 时 mxcc 会在别处查找自己的头文件：请去掉后运行（`env -u CXX`），并从 [env] pass 中去掉 CXX",
    ),
    (
        "the templates of TileLang are not among the include folders: -I<package of tilelang>/src",
        "TileLang 的模板不在包含目录中：-I<tilelang 包>/src",
    ),
    (
        "the runtime is not found: pass LD_LIBRARY_PATH in [env], with the lib folder of MACA_PATH in it",
        "找不到运行库：请在 [env] 中传入 LD_LIBRARY_PATH，其中含 MACA_PATH 的 lib 目录",
    ),
    (
        "set MACA_PATH (usually /opt/maca) and pass it in [env]",
        "请设置 MACA_PATH（通常为 /opt/maca）并在 [env] 中传入",
    ),
    (
        "the card's files cannot be read: a container has to be given the card",
        "无法读取卡的设备文件：须将卡分配给容器",
    ),
    (
        "it was killed, usually for want of memory: parent and child must not both import TileLang",
        "被终止，通常因内存不足：父子进程不可都导入 TileLang",
    ),
    // Which device it is.
    (
        "which GPU measures is not known: {*}",
        "不知由哪个 GPU 测量：{0}",
    ),
    (
        "who else works on the GPU is not known: {*}",
        "不知还有谁在使用该 GPU：{0}",
    ),
    (
        "power limit and other processes of the card are not known: {*}",
        "不知该卡的功率上限与其他进程：{0}",
    ),
    ("{*}; it is not asked again", "{0}；不再询问"),
    (
        "there is no NVIDIA GPU here (`nvidia-smi`: No devices were found); in a container, start it with `--gpus all`",
        "此处没有 NVIDIA GPU（`nvidia-smi`：No devices were found）；若在容器中，请以 `--gpus all` 启动",
    ),
    (
        "the driver in the kernel and its libraries are of two versions (`nvidia-smi`: Driver/library version mismatch): load the kernel module again or reboot; in a container, start it again",
        "内核中的驱动与其库版本不同（`nvidia-smi`：Driver/library version mismatch）：请重新加载内核模块或重启；若在容器中，请重新启动容器",
    ),
    (
        "the NVIDIA driver is not loaded (`nvidia-smi` could not communicate with it): load or install it",
        "NVIDIA 驱动未加载（`nvidia-smi` 无法与其通信）：请加载或安装",
    ),
    (
        "MIG is enabled on the GPU and it has no slice, so that CUDA sees none: make one (`nvidia-smi mig -cgi`), or disable MIG",
        "GPU 已启用 MIG 却没有切片，因此 CUDA 看不到任何设备：请建立切片（`nvidia-smi mig -cgi`），或关闭 MIG",
    ),
    (
        "the GPU that was chosen, `{}`, is not here; `nvidia-smi -L` lists those that are, and CUDA_VISIBLE_DEVICES or [target.NAME] gpu chooses",
        "所选的 GPU `{0}` 不在此处；`nvidia-smi -L` 列出现有的，以 CUDA_VISIBLE_DEVICES 或 [target.NAME] gpu 选择",
    ),
    (
        "`nvidia-smi` prints no table with a column `uuid`",
        "`nvidia-smi` 未打印含 `uuid` 列的表",
    ),
    ("`nvidia-smi` lists no GPU", "`nvidia-smi` 未列出 GPU"),
    (
        "`nvidia-smi` prints {#} of {#} fields of the GPU: its answer is cut off",
        "`nvidia-smi` 只打印了 GPU 的 {1} 个字段中的 {0} 个：其应答被截断",
    ),
    (
        "there is no MetaX card here: `mx-smi` lists none; a container has to be given the card",
        "此处没有 MetaX 卡：`mx-smi` 未列出；须将卡分配给容器",
    ),
    (
        "the card that was chosen, `{}`, is not here; `mx-smi -L` lists those that are, and MACA_VISIBLE_DEVICES or [target.NAME] gpu chooses",
        "所选的卡 `{0}` 不在此处；`mx-smi -L` 列出现有的，以 MACA_VISIBLE_DEVICES 或 [target.NAME] gpu 选择",
    ),
    (
        "the card is not available: `mx-smi` says {}; a container has to be given the card, and its user must be allowed to open it",
        "该卡不可用：`mx-smi` 显示 {0}；须将卡分配给容器，且其用户须有权打开",
    ),
    // Tools that do not answer.
    (
        "`nvidia-smi` cannot be run: {\"}",
        "`nvidia-smi` 无法运行：{0}",
    ),
    (
        "`nvidia-smi` did not answer within {#} s and was stopped; the driver may hang",
        "`nvidia-smi` 在 {0} s 内未应答，已被停止；驱动可能挂起",
    ),
    ("`{}` cannot be run: {\"}", "`{0}` 无法运行：{1}"),
    (
        "`{}` cannot be asked for the state of the device: {\"}",
        "无法向 `{0}` 询问设备状态：{1}",
    ),
    (
        "`{}` did not answer within {#} s and was stopped; the driver may hang",
        "`{0}` 在 {1} s 内未应答，已被停止；驱动可能挂起",
    ),
    ("`{}` failed, {*}: {\"}", "`{0}` 失败，{1}：{2}"),
    ("`{}` failed, {*}", "`{0}` 失败，{1}"),
    (
        "the output of `{}` is not understood: {*}",
        "无法理解 `{0}` 的输出：{1}",
    ),
    (
        "`{}` tells of {#} devices, and which of them measures is not known; name it",
        "`{0}` 报告了 {1} 个设备，不知由哪一个测量；请指明",
    ),
    // Output of such tools.
    ("it says nothing", "没有内容"),
    ("it lists no device", "未列出设备"),
    ("it lists no card", "未列出卡"),
    (
        "there is no header with `{}`; it says: {\"}",
        "没有含 `{0}` 的表头；内容为：{1}",
    ),
    (
        "there is no header that begins with `dev`",
        "没有以 `dev` 开头的表头",
    ),
    (
        "there is no line of units below the header",
        "表头下没有单位行",
    ),
    (
        "its list of processes is missing or of an unknown form",
        "其进程列表缺失或格式未知",
    ),
    (
        "a row of {#} of {#} fields, cut off",
        "有一行只有 {1} 个字段中的 {0} 个，被截断",
    ),
    (
        "a row of {#} cells in the list of processes",
        "进程列表中有一行为 {0} 个单元格",
    ),
    ("`{}` is no number of a process", "`{0}` 不是进程号"),
    (
        "`{}` prints {#} of {#} fields of a device, cut off: what is missing is not known",
        "`{0}` 打印了一个设备 {2} 个字段中的 {1} 个，被截断：缺少的视为未知",
    ),
    (
        "`{}` tells `{}` for `{}`, which is no clock: it is not known",
        "`{0}` 对 `{2}` 给出 `{1}`，不是时钟：视为未知",
    ),
    (
        "`{}` tells `{}` for `{}`, which is no power: it is not known",
        "`{0}` 对 `{2}` 给出 `{1}`，不是功率：视为未知",
    ),
    (
        "`{}` tells `{}` for `{}`, which is no temperature: it is not known",
        "`{0}` 对 `{2}` 给出 `{1}`，不是温度：视为未知",
    ),
    (
        "`{}` tells `{}` for `{}`, which is no utilisation: it is not known",
        "`{0}` 对 `{2}` 给出 `{1}`，不是利用率：视为未知",
    ),
    (
        "`mx-smi` prints no end of its table: its answer is cut off",
        "`mx-smi` 未打印表的结尾：其回答被截断",
    ),
    (
        "`mx-smi` prints no table of cards; it says: {\"}",
        "`mx-smi` 未打印卡的表；其输出为：{0}",
    ),
    ("`mx-smi` prints nothing", "`mx-smi` 未打印任何内容"),
    (
        "`nvidia-smi` tells `{}` for `{}`, which is no clock: it is not known",
        "`nvidia-smi` 对 `{1}` 给出 `{0}`，不是时钟：视为未知",
    ),
];
