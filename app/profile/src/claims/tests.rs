//! Figures of published documents, each with the section that prints it.

use super::{Held, Outcome, Work, hold};
use crate::Mapping;

pub(super) fn held(mapping: &str, table: &str, work: &dyn Fn(&str) -> Work) -> Vec<Held> {
    let mapping = format!(
        "schema = \"assay.mapping/1\"\ntool = \"t\"\nformat = \"csv\"\ndecimal = \".\"\n{mapping}"
    );
    let mapping = Mapping::read("m.toml", &mapping).unwrap();
    let profile = mapping.parse(table.as_bytes()).unwrap();
    hold(&mapping, &profile, work)
}

#[track_caller]
pub(super) fn one<'h>(all: &'h [Held], row: &str, figure: &str) -> &'h Held {
    let mut found = all
        .iter()
        .filter(|h| h.rows[0] == row && h.figure.starts_with(figure));
    found
        .next()
        .unwrap_or_else(|| panic!("{row}, {figure}: {all:#?}"))
}

fn no_work(_: &str) -> Work {
    Work::default()
}

/// A review of a GEMM, section 1: 2*M*N*K with M=131072, N=2048, K=7168.
pub(super) fn gemm(_: &str) -> Work {
    Work {
        flops: Some(2.0 * 131_072.0 * 2048.0 * 7168.0),
        ..Work::default()
    }
}

#[test]
fn throughputs_and_changes_of_a_chain_of_versions() {
    // The review, section 2: five versions, and what the last step is said to have brought.
    let table = "version,latency,TFLOPS\n\
        swizzle256,36.166145 ms,106.405885\n\
        swizzle128,36.160896 ms,106.421331\n\
        interleave4,35.812864 ms,107.455541\n\
        panel2,33.586561 ms,114.578288\n\
        a-copy,32.820992 ms,117.250897\n";
    let mapping = r#"
kernel = "version"
[[counters]]
from = "latency"
name = "latency"
unit = "ms"
canonical = "claim.time"
[[counters]]
from = "TFLOPS"
name = "TFLOPS"
unit = "TFLOPS"
canonical = "claim.tflops"
[[claims]]
what = "reduction"
row = "a-copy"
against = "panel2"
stated = "2.3326%"
[[claims]]
what = "speedup"
row = "a-copy"
against = "previous"
stated = "1.0233x"
[[claims]]
what = "reduction"
row = "a-copy"
against = "nothing"
stated = "2 %"
"#;
    let all = held(mapping, table, &gemm);
    for h in all.iter().filter(|h| h.figure == "TFLOPS") {
        // Section 2 prints 106.405885, and other digits of the same run give 106.405886.
        assert!(
            matches!(h.outcome, Outcome::Agrees | Outcome::Rounding),
            "{h:#?}"
        );
        let [low, high] = h.interval.unwrap();
        assert!(
            high - low < 1e-5 && low <= h.stated.unwrap() + 1e-6,
            "{h:#?}"
        );
    }
    let other = held(mapping, &table.replace("106.405885", "106.405886"), &gemm);
    let digit = [&all, &other].map(|a| one(a, "swizzle256", "TFLOPS").outcome);
    assert!(
        digit.contains(&Outcome::Agrees) && digit.contains(&Outcome::Rounding),
        "{digit:?}"
    );
    let change = one(&all, "a-copy", "reduction over panel2");
    assert_eq!(change.outcome, Outcome::Ambiguous);
    assert_eq!(
        change.why,
        "it is the speed-up minus 1 (2.33256); the reduction in time is 2.27939"
    );
    assert!(change.why_zh.contains("加速比减一"), "{change:#?}");
    assert_eq!(
        one(&all, "a-copy", "speed-up over previous").outcome,
        Outcome::Agrees
    );
    let nothing = one(&all, "a-copy", "reduction over nothing");
    assert_eq!(nothing.outcome, Outcome::NotRecomputed);
    assert!(nothing.why.contains("no row `nothing`"), "{nothing:#?}");
}

/// A benchmark article, section 5: M = N = 8192.
fn sweep(row: &str) -> Work {
    let k: f64 = row.trim_start_matches('K').parse().unwrap();
    Work {
        dims: [("K".to_owned(), k)].into(),
        flops: Some(2.0 * 8192.0 * 8192.0 * k),
        bytes: Some(2.0 * (8192.0 * k + 8192.0 * k + 8192.0 * 8192.0)),
        bandwidth: Some(3350.0),
    }
}

const SWEEP: &str = "case,K,s,TFLOPS\nK256,256,0.089056,386\nK512,512,0.132064,520\nK1024,1024,0.218816,628\n\
    K2048,2048,0.390112,705\nK4096,4096,0.746752,736\nK8192,8192,1.449888,758\nK16384,16384,2.871168,766\n";

const SWEEP_MAPPING: &str = r#"
workload = "case"
[[counters]]
from = "s"
name = "latency"
unit = "s"
canonical = "claim.time"
[[counters]]
from = "TFLOPS"
name = "throughput"
unit = "TFLOPS"
canonical = "claim.tflops"
[[claims]]
what = "linear"
in = "K"
stated = "the latency grows about linearly with K"
[[claims]]
what = "bandwidth-bound"
row = "K256"
stated = "close to bandwidth-bound"
"#;

#[test]
fn a_slip_of_the_unit_a_growth_and_a_bound_that_are_not() {
    let all = held(SWEEP_MAPPING, SWEEP, &sweep);
    let slips: Vec<_> = all.iter().filter(|h| h.figure == "throughput").collect();
    assert_eq!(slips.len(), 7);
    for h in slips {
        assert_eq!(h.outcome, Outcome::Disagrees);
        assert!(h.why.contains("a power of a thousand"), "{h:#?}");
    }
    let growth = all.iter().find(|h| h.figure == "linear in K").unwrap();
    assert_eq!(growth.outcome, Outcome::Disagrees);
    assert!(
        growth
            .why
            .starts_with("64.0000 times the K take 32.2400 times the time"),
        "{growth:#?}"
    );
    assert!(
        (growth.computed.unwrap() - 0.835).abs() < 1e-3,
        "{growth:#?}"
    );
    let bound = one(&all, "K256", "bandwidth-bound");
    assert_eq!(bound.outcome, Outcome::Disagrees);
    assert!(
        bound.why.contains("89.056 ms are 0.05 %") && bound.why.contains("47.8 %"),
        "{bound:#?}"
    );
    // In milliseconds all throughputs come out, and the two sentences stay wrong.
    let right = SWEEP_MAPPING.replace("unit = \"s\"", "unit = \"ms\"");
    let all = held(&right, SWEEP, &sweep);
    let wrong: Vec<&str> = (all.iter().filter(|h| h.outcome == Outcome::Disagrees))
        .map(|h| h.figure.as_str())
        .collect();
    assert_eq!(wrong, ["linear in K", "bandwidth-bound"], "{all:#?}");
    let gone = held(SWEEP_MAPPING, SWEEP, &no_work);
    assert!(
        gone.iter().all(|h| h.outcome == Outcome::NotRecomputed),
        "{gone:#?}"
    );
    assert!(gone[0].why.contains("no `flops` formula"), "{:?}", gone[0]);
}

/// A pull request, section 3: fifteen workloads, with a framework and the kernel before.
const MHC: &str = "case,us,torch,over torch,base,over base,GB/s,share\n\
    small,3.50,27.40,7.829×,3.70,1.057×,8.8,0.5%\n\
    medium,3.60,22.80,6.333×,3.50,0.972×,25.9,1.4%\n\
    large,3.70,21.50,5.811×,4.00,1.081×,66.8,3.6%\n\
    v4-flash-decode-s,6.00,44.80,7.467×,5.50,0.917×,395.9,21.5%\n\
    v4-pro-decode-s,6.30,59.20,9.397×,7.30,1.159×,659.9,35.8%\n\
    v4-flash-decode-m,11.70,111.20,9.504×,12.10,1.034×,812.2,44.1%\n\
    v4-pro-decode-m,14.80,178.20,12.041×,19.00,1.284×,1123.6,61.0%\n\
    v4-flash-decode-l,31.60,377.60,11.949×,38.90,1.231×,1202.9,65.3%\n\
    v4-pro-decode-l,51.60,645.00,12.500×,69.20,1.341×,1289.1,69.9%\n\
    v4-flash-prefill-s,56.80,734.20,12.926×,90.30,1.590×,1338.4,72.6%\n\
    v4-pro-prefill-s,97.00,1267.30,13.065×,145.50,1.500×,1371.5,74.4%\n\
    v4-flash-prefill-l,405.60,5747.60,14.171×,1262.70,3.113×,1499.4,81.4%\n\
    v4-pro-prefill-l,367.60,5024.20,13.668×,1029.70,2.801×,1447.6,78.5%\n\
    expand2-c2048,5.70,60.40,10.596×,11.60,2.035×,554.8,30.1%\n\
    expand8-c1024,7.00,58.30,8.329×,8.50,1.214×,903.5,49.0%\n";

const MHC_MAPPING: &str = r#"
workload = "case"
[[counters]]
from = "us"
name = "latency"
unit = "us"
canonical = "claim.time"
side = "new"
[[counters]]
from = "over torch"
name = "speed-up over torch"
canonical = "claim.speedup"
side = "new"
against = "torch"
[[counters]]
from = "over base"
name = "speed-up over base"
canonical = "claim.speedup"
side = "new"
against = "base"
[[counters]]
from = "GB/s"
name = "bandwidth"
unit = "GB/s"
canonical = "claim.bandwidth"
side = "new"
[[counters]]
from = "share"
name = "share"
unit = "%"
side = "new"
formula = "bandwidth / 1843 * 100"
[[counters]]
from = "torch"
name = "latency"
unit = "us"
canonical = "claim.time"
side = "torch"
[[counters]]
from = "base"
name = "latency"
unit = "us"
canonical = "claim.time"
side = "base"
"#;

const MHC_CLAIMS: &str = r#"
[[claims]]
what = "geomean"
side = "new"
against = "torch"
stated = "约 9.998×"
[[claims]]
what = "geomean"
side = "new"
against = "base"
stated = "约 1.385×"
[[claims]]
what = "median"
of = "speed-up over torch"
stated = "10.596×"
[[claims]]
what = "max"
of = "speed-up over base"
stated = "3.113×"
[[claims]]
what = "min"
side = "new"
against = "base"
stated = "0.917×"
[[claims]]
what = "faster"
side = "new"
against = "torch"
stated = "15"
[[claims]]
what = "faster"
side = "new"
against = "base"
stated = "13"
[[claims]]
what = "increase"
row = "medium"
side = "new"
against = "base"
stated = "2.8%"
[[claims]]
what = "increase"
row = "v4-flash-decode-s"
side = "new"
against = "base"
stated = "8.3%"
"#;

fn mhc(row: &str) -> Work {
    let (b, n, c) = match row.split(" · ").next().unwrap() {
        "v4-flash-decode-m" => (128.0, 4.0, 4096.0),
        "expand2-c2048" => (128.0, 2.0, 2048.0),
        _ => return Work::default(),
    };
    Work {
        bytes: Some((b * c + 2.0 * b * n * c) * 2.0 + b * n * 4.0),
        ..Work::default()
    }
}

#[test]
fn speed_ups_means_losers_and_regressions_of_fifteen_workloads() {
    let all = held(&format!("{MHC_MAPPING}{MHC_CLAIMS}"), MHC, &mhc);
    let speedups: Vec<_> = all
        .iter()
        .filter(|h| h.figure.starts_with("speed-up over"))
        .collect();
    assert_eq!(speedups.len(), 30);
    assert!(
        speedups.iter().all(|h| h.outcome == Outcome::Agrees),
        "{speedups:#?}"
    );
    let shares: Vec<_> = all.iter().filter(|h| h.figure == "share").collect();
    assert_eq!(shares.len(), 15);
    assert!(
        shares
            .iter()
            .all(|h| matches!(h.outcome, Outcome::Agrees | Outcome::Rounding)),
        "{shares:#?}"
    );
    for figure in [
        "geomean over torch",
        "geomean over base",
        "median",
        "max",
        "min",
        "rows that are faster",
    ] {
        let of: Vec<_> = all
            .iter()
            .filter(|h| h.figure.starts_with(figure))
            .collect();
        assert!(
            !of.is_empty() && of.iter().all(|h| h.outcome == Outcome::Agrees),
            "{figure}: {of:#?}"
        );
    }
    let base = all
        .iter()
        .find(|h| h.figure == "rows that are faster over base")
        .unwrap();
    assert_eq!(base.computed, Some(13.0));
    assert!(
        base.why.starts_with("slower: medium · new, v4-flash-decode-s · new; within one step of the display: medium · new"),
        "{base:#?}"
    );
    for (row, what) in [("medium", "(2.78)"), ("v4-flash-decode-s", "(8.33)")] {
        let h = one(&all, &format!("{row} · new"), "increase over base");
        assert_eq!(h.outcome, Outcome::Ambiguous, "{h:#?}");
        assert!(
            h.why.contains("1 minus the speed-up") && h.why.contains(what),
            "{h:#?}"
        );
    }
    // 3.5 against 3.6 us: printed with two decimals, shown in steps of 0.1 us.
    let medium = one(&all, "medium · new", "speed-up over base");
    assert!(medium.remark, "{medium:#?}");
    assert!(
        medium
            .why
            .contains("are one step of the display, 0.1 us, apart"),
        "{medium:#?}"
    );
    assert!(
        medium.why.ends_with(
            "; printed to 0.01 us, but all 15 times of the column move in steps of 0.1 us"
        ),
        "{medium:#?}"
    );
    // The bandwidth column counts what the mapping of the kernel reads again.
    let wide = one(&all, "expand2-c2048 · new", "bandwidth");
    assert_eq!(wide.outcome, Outcome::Disagrees);
    assert!(wide.why.contains("+20.59 % off"), "{wide:#?}");
    assert_eq!(
        one(&all, "small · new", "bandwidth").outcome,
        Outcome::NotRecomputed
    );
}

/// The step of a time is that of its own digits; a column may have times of several.
#[test]
fn each_time_has_the_step_of_its_own_digits() {
    let mapping = "workload = \"case\"\n[[counters]]\nfrom = \"us\"\nname = \"t\"\nunit = \"us\"\ncanonical = \"claim.time\"\nside = \"new\"\n\
        [[counters]]\nfrom = \"x\"\nname = \"x\"\ncanonical = \"claim.speedup\"\nside = \"new\"\nagainst = \"old\"\n\
        [[counters]]\nfrom = \"old\"\nname = \"t\"\nunit = \"us\"\ncanonical = \"claim.time\"\nside = \"old\"\n";
    let table = "case,us,x,old\n\
        coarse,3.6,0.972,3.5\n\
        fine,3.62,0.994,3.60\n\
        digit,3.61,0.997,3.60\n\
        one,4.6,0.978,4.50\n\
        five,5.25,1,5.25\n";
    let all = held(mapping, table, &no_work);
    let why = |row: &str| one(&all, &format!("{row} · new"), "x over old").why.clone();
    assert!(
        why("coarse")
            .contains("one step of the display, 0.1 us, apart: this is no finding about speed")
    );
    assert_eq!(why("fine"), "", "two steps of 0.01 us");
    assert!(
        why("digit")
            .ends_with("one step of the display, 0.01 us, apart: this is no finding about speed")
    );
    assert!(
        why("one").contains("0.1 us, apart"),
        "known no better than the coarser of both"
    );
    assert!(why("five").contains("the same to the step of the display, 0.01 us"));
}

#[test]
fn what_cannot_be_divided_is_told_and_wrong_figures_are_found() {
    let mapping = "workload = \"case\"\n[[counters]]\nfrom = \"us\"\nname = \"t\"\nunit = \"us\"\ncanonical = \"claim.time\"\nside = \"new\"\n\
        [[counters]]\nfrom = \"x\"\nname = \"x\"\ncanonical = \"claim.speedup\"\nside = \"new\"\nagainst = \"old\"\n\
        [[counters]]\nfrom = \"old\"\nname = \"t\"\nunit = \"us\"\ncanonical = \"claim.time\"\nside = \"old\"\n\
        [[claims]]\nwhat = \"geomean\"\nside = \"new\"\nagainst = \"old\"\nstated = \"2\"\n";
    let table = "case,us,x,old\nzero,0.0,2.0,4.0\nminus,-2.0,2.0,4.0\nnan,NaN,2.0,4.0\nwrong,2.0,3.00,4.0\nswapped,2.00,0.50,4.00\nnone,2.0,-,4.0\n";
    let all = held(mapping, table, &no_work);
    let of = |row: &str| one(&all, &format!("{row} · new"), "x over old").outcome;
    for row in ["zero", "minus", "nan"] {
        assert_eq!(of(row), Outcome::NotRecomputed, "{row}");
    }
    assert_eq!(of("wrong"), Outcome::Disagrees);
    assert_eq!(of("swapped"), Outcome::Ambiguous);
    assert!(
        !all.iter().any(|h| h.rows[0] == "none · new"),
        "nothing is stated there"
    );
    let mean = all.iter().find(|h| h.figure == "geomean over old").unwrap();
    assert_eq!(mean.outcome, Outcome::NotRecomputed);
}

#[test]
fn a_mapping_that_says_too_little_of_a_claim_is_refused() {
    let head = "schema = \"assay.mapping/1\"\ntool = \"t\"\nformat = \"csv\"\n[[counters]]\nfrom = \"a\"\nname = \"a\"\n";
    for (more, says) in [
        ("formula = \"a +\"\n", "`formula` of `a`"),
        (
            "formula = \"a\"\nagainst = \"b\"\n",
            "both `formula` and `against`",
        ),
        (
            "[[claims]]\nwhat = \"geomean\"\nstated = \"1\"\n",
            "`of`, the counter",
        ),
        (
            "[[claims]]\nwhat = \"linear\"\nstated = \"1\"\n",
            "lacks `in`",
        ),
        (
            "[[claims]]\nwhat = \"fastest\"\nstated = \"1\"\n",
            "unknown variant `fastest`",
        ),
    ] {
        let error = Mapping::read("m.toml", &format!("{head}{more}")).unwrap_err();
        assert!(error.problem.contains(says), "{says}: {error}");
    }
}

proptest::proptest! {
    #[test]
    fn no_table_is_a_panic(
        cells in proptest::collection::vec("(-?[0-9]{0,5}\\.?[0-9]{0,5}(e[0-9]{1,3})?|NaN|inf|-|×|.{0,6})", 24),
        what in proptest::sample::select(vec!["geomean", "median", "min", "faster", "slower", "speedup", "reduction", "increase", "linear", "bandwidth-bound"]),
        stated in ".{0,12}",
    ) {
        let mut table = "case,us,x,old\n".to_owned();
        for row in cells.chunks(4) {
            let row: Vec<String> = row.iter().map(|c| format!("\"{}\"", c.replace(['"', '\n', '\r'], ""))).collect();
            table.push_str(&format!("{}\n", row.join(",")));
        }
        let stated = stated.replace(['\\', '"', '\n', '\r'], "").chars().filter(|c| !c.is_control()).collect::<String>();
        let mapping = format!("schema = \"assay.mapping/1\"\ntool = \"t\"\nformat = \"csv\"\ndecimal = \".\"\nworkload = \"case\"\n\
            [[counters]]\nfrom = \"us\"\nname = \"t\"\nunit = \"us\"\ncanonical = \"claim.time\"\nside = \"new\"\n\
            [[counters]]\nfrom = \"x\"\nname = \"x\"\ncanonical = \"claim.speedup\"\nside = \"new\"\nagainst = \"old\"\n\
            [[counters]]\nfrom = \"old\"\nname = \"t\"\nunit = \"us\"\ncanonical = \"claim.time\"\nside = \"old\"\n\
            [[counters]]\nfrom = \"old\"\nname = \"f\"\nside = \"new\"\nformula = \"t / x - K\"\n\
            [[claims]]\nwhat = \"{what}\"\nrow = \"\"\nside = \"new\"\nagainst = \"old\"\nin = \"K\"\nstated = \"{stated}\"\n");
        let Ok(mapping) = Mapping::read("m.toml", &mapping) else { return Ok(()) };
        if let Ok(profile) = mapping.parse(table.as_bytes()) {
            let work = |_: &str| Work { dims: [("K".to_owned(), 0.0)].into(), flops: Some(f64::MAX), bytes: Some(0.0), bandwidth: Some(-1.0) };
            for h in hold(&mapping, &profile, &work) {
                let finite = h.computed.into_iter().chain(h.interval.into_iter().flatten());
                proptest::prop_assert!(finite.into_iter().all(f64::is_finite), "{h:?}");
            }
        }
    }
}
