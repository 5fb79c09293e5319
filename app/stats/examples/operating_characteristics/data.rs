//! The real legs, and shares as they are printed.

use assay_stats::Samples;
use assay_stats::simulate::Tally;

const H200: &str = include_str!("../../tests/data/h200_gemm.csv");

/// A count as a share of the campaigns; all and none are only printed where they are exact.
pub fn percent(t: &Tally, count: u32) -> String {
    let share = 100.0 * t.share(count).unwrap_or(0.0);
    match count {
        0 => "0".into(),
        n if n == t.campaigns => "100 %".into(),
        _ if !(10.0..99.95).contains(&share) => format!("{share:.2} %"),
        _ => format!("{share:.1} %"),
    }
}

/// The legs of the file, as the harness would have written them.
pub fn h200() -> Samples {
    let lines: Vec<String> = H200
        .lines()
        .filter_map(|line| {
            let cells: Vec<&str> = line.splitn(5, ',').collect();
            let values: Option<Vec<String>> = (cells.get(4)?.split(','))
                .map(|v| Some(format!("{}", v.parse::<f64>().ok()? / 1e5)))
                .collect();
            Some(format!(
                r#"{{"assay":1,"kind":"samples","workload":"gemm","subject":"{}","process":{},"block":{},"leg":{},"unit":"ms","values":[{}],"timer":"cuda_event","cache":"rotating"}}"#,
                cells[3], cells[0], cells[1], cells[2], values?.join(",")
            ))
        })
        .collect();
    Samples::parse_jsonl(&lines.join("\n")).0
}
