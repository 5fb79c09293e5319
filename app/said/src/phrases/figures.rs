//! What figures of an audit are: names that mappings and this program give to what was derived.

use super::Phrase;

pub(crate) const FIGURES: &[Phrase] = &[
    ("all", "全部"),
    ("bandwidth", "带宽"),
    ("bandwidth-bound", "受带宽限制"),
    ("bytes", "字节数"),
    ("FLOPs", "浮点运算数"),
    ("intensity", "算术强度"),
    ("roof", "屋顶"),
    ("throughput", "吞吐量"),
    ("false_accepts", "误接受率"),
    ("prediction {*}", "预测 {0}"),
    ("linear in {}", "随 {0} 线性"),
    ("share of the roof", "达到屋顶的比例"),
    ("share of {*}", "占 {0} 的比例"),
    ("latency as in {*}", "耗时（同 {0} 处）"),
    ("TFLOPS as in {*}", "TFLOPS（同 {0} 处）"),
    ("rows that are faster over {}", "相对 {0} 更快的行数"),
    ("reduction over {}", "相对 {0} 的降幅"),
    ("increase over {}", "相对 {0} 的增幅"),
    ("speed-up over {}", "相对 {0} 的加速比"),
    ("min over {}", "相对 {0} 的最小值"),
    ("max over {}", "相对 {0} 的最大值"),
    ("median over {}", "相对 {0} 的中位数"),
    ("geomean over {}", "相对 {0} 的几何平均"),
    ("min of {}", "{0} 的最小值"),
    ("max of {}", "{0} 的最大值"),
    ("median of {}", "{0} 的中位数"),
    ("geomean of {}", "{0} 的几何平均"),
    ("{*} over {}", "{0}（相对 {1}）"),
];
