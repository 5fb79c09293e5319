//! A write-up with all that a page is made of, and the checks of it.

use assay_tui::{Lang, ReportChecks, ReportText, RuleLine};

const EN: &str = r#"# Report: fp32 GEMM on the CPU

Made 2026-11-30T02:00:00Z by assay from the ledger of campaign gemm-cpu.

## Claim

**tile-64** takes 0.913 of the time of **base** (interval 0.905 to 0.921), as `assay verify` works out again.

- it keeps the B tile in registers, which saves loads in the inner loop and is what the counters show
- gates: all passed
  - \x1b]0;owned\x07 stays text

## Result chain

| version | parent | median | against | ratio | interval | verdict | decision |
| --- | --- | ---: | --- | ---: | ---: | --- | --- |
| tile-32 | base | 890.2 us | base | 1.043 | 1.031-1.055 | SLOWER | rejected |
| tile-64 | base | 812.0 us | base | 0.913 | 0.905-0.921 | FASTER | accepted |
| 分块-寄存器-核函数优化 | tile-64 | 799.1 us | tile-64 | 0.984 | 0.970-0.998 | NO_GAIN | parked |

## Reproduce

```sh
assay run 'tile-64' --again && assay verify && assay report --format md --lang en -o reports
```

```diff
@@ -1 +1 @@
-for (k = 0; k < K; k++)
+for (k = 0; k < K; k += 4)
```
"#;

const ZH: &str = "# 报告：CPU 上的 fp32 GEMM\n\n## 结论\n\n**tile-64** 耗时为 **base** 的 0.913 倍，置信区间 0.905 至 0.921，可由 `assay verify` 重新算出。\n\n## 结果链\n\n| 版本 | 父版本 | 中位数 | 结论 | 决定及其理由 |\n| --- | --- | ---: | --- | --- |\n| tile-64 | base | 812.0 us | FASTER | 已接受：在全部工作负载上更快，且各项门限均已通过 |\n| 分块-寄存器-核函数优化 | tile-64 | 799.1 us | NO_GAIN | 已搁置 |\n";

pub fn text(lang: Lang) -> ReportText {
    ReportText {
        markdown: match lang {
            Lang::En => EN.replace("\\x1b", "\x1b").replace("\\x07", "\x07"),
            Lang::Zh => ZH.to_owned(),
        },
        folder: "state/reports/gemm-cpu".into(),
    }
}

pub fn checks(lang: Lang) -> ReportChecks {
    let say = |en: &str, zh: &str| match lang {
        Lang::En => en.to_owned(),
        Lang::Zh => zh.to_owned(),
    };
    let rule = |holds, text, found: &[&str]| RuleLine {
        holds,
        text,
        found: found.iter().map(|f| (*f).to_owned()).collect(),
    };
    ReportChecks {
        rules: vec![
            rule(
                Some(true),
                say(
                    "No gate of an accepted variant failed",
                    "已接受的变体没有未通过的门限",
                ),
                &[],
            ),
            rule(
                Some(false),
                say(
                    "Every record and every figure came out again (assay verify)",
                    "每条记录和每个数值均可重新算出 (assay verify)",
                ),
                &[
                    "verdict 01KB: recorded 0.913, computed 0.914",
                    "blob \x1b[31m: missing",
                    "third",
                    "fourth",
                ],
            ),
            rule(
                None,
                say(
                    "The evaluator noticed every broken kernel",
                    "评测程序发现了每个被故意改坏的内核",
                ),
                &["no canary is declared"],
            ),
        ],
    }
}
