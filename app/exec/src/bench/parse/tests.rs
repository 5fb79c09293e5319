use super::*;
use std::collections::BTreeMap;

fn values(parse: &StdoutParse, output: &str) -> Result<Vec<f64>, String> {
    let workload = WorkloadSpec {
        name: "w".into(),
        dtype: "f32".into(),
        dims: BTreeMap::new(),
        flops: None,
        bytes: None,
    };
    let legs = parse.legs(output.as_bytes(), &[workload])?;
    Ok(legs.into_iter().flat_map(|l| l.values).collect())
}

#[test]
fn every_match_is_a_value_and_no_match_is_said() {
    let p = StdoutParse::regex(r"^time: ([0-9.eE+-]+)", "ms").unwrap();
    assert_eq!(
        values(&p, "x\ntime: 1.5\ntime: 2e0 ms\n").unwrap(),
        [1.5, 2.0]
    );
    assert!(values(&p, "fast").unwrap_err().contains("nothing"));
    assert!(values(&p, "time: -1").unwrap_err().contains("`-1`"));
    assert!(values(&p, "time: 1.2.3").unwrap_err().contains("1.2.3"));
}

#[test]
fn a_group_named_value_wins_over_the_first_one() {
    let p = StdoutParse::regex(r"(min|max): (?<value>\d+)", "us").unwrap();
    assert_eq!(values(&p, "min: 4, max: 9").unwrap(), [4.0, 9.0]);
}

#[test]
fn a_pattern_without_a_group_is_refused() {
    for bad in ["(", "time", "(?:a)"] {
        assert!(StdoutParse::regex(bad, "ms").is_err(), "{bad}");
    }
    let e = StdoutParse::regex("(a)", "h").unwrap_err().to_string();
    assert_eq!(
        e,
        "bench.parse.pattern: unit `h` is not one of ns, us, ms, s"
    );
}
