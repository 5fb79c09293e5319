//! The table of a log, and its two forms.

use assay_core::campaign::ParseKind;
use assay_exec::readings::table::{Rate, Work, table, to_csv, to_markdown};
use assay_exec::readings::{join, read};

use super::*;

fn dim(row: &Reading, name: &str) -> f64 {
    let found = row.params.iter().find(|(n, _)| n == name);
    found.map_or(0.0, |(_, v)| v.parse().unwrap())
}

/// Work of the fixture's first operator; nothing is known of the second one.
fn work(row: &Reading) -> Option<Work> {
    let count = dim(row, "batch") * dim(row, "n_expand") * dim(row, "c_x");
    (row.group == "MHCPostOp").then_some(Work {
        flops: 2.0 * count,
        bytes: 4.5 * count,
    })
}

#[test]
fn speed_ups_are_made_from_the_figures_with_their_range() {
    let readings = read(ParseKind::TileOps, TILEOPS).unwrap();
    let t = table(&readings, Some("torch-ref"), &work);
    assert_eq!(t.tags, ["tileops", "torch-ref"]);
    assert_eq!((t.rows.len(), t.base.as_deref()), (4, Some("torch-ref")));
    let cell = t.rows[0].cells[0].as_ref().unwrap();
    assert_eq!(
        cell.latency_ns.unwrap().range.map(f64::round),
        [3450.0, 3550.0]
    );
    let speedup = cell.speedup.unwrap();
    assert!((speedup.value - 136.0 / 35.0).abs() < 1e-9);
    assert!(speedup.range[0] < 3.82 && speedup.range[1] > 3.95);
    assert_eq!(
        t.rows[1].cells[0].as_ref().unwrap().speedup,
        None,
        "the base is N/A"
    );
    assert_eq!(t.rows[3].cells[1], None, "the base has no such row");
    let Some(Rate::Computed(tflops)) = &t.rows[2].cells[0].as_ref().unwrap().tflops else {
        panic!("{:?}", t.rows[2])
    };
    assert!((tflops.value - 268_435_456.0 / 410_200.0 / 1e3).abs() < 1e-12);
    let printed = t.rows[3].cells[0]
        .as_ref()
        .unwrap()
        .tflops
        .as_ref()
        .unwrap();
    let expected = Rate::Printed {
        name: "tflops".into(),
        text: "224.57".into(),
    };
    assert_eq!(*printed, expected);
}

#[test]
fn a_rate_that_cannot_be_is_said() {
    let readings = read(ParseKind::TileOps, TILEOPS).unwrap();
    let honest = table(&readings, None, &|r| {
        Some(Work {
            bytes: 0.0,
            ..work(r)?
        })
    });
    let about = |t: &assay_exec::readings::table::ReadingsTable, word: &str| {
        t.notices
            .iter()
            .filter(|n| n.contains(word))
            .cloned()
            .collect::<Vec<_>>()
    };
    assert!(
        about(&honest, "tflops is printed").is_empty(),
        "{:?}",
        honest.notices
    );
    let inflated = String::from_utf8_lossy(TILEOPS).replace("0.6544", "10722.0");
    let readings = read(ParseKind::TileOps, inflated.as_bytes()).unwrap();
    let said = about(&table(&readings, None, &work), "tflops is printed");
    assert_eq!(said.len(), 1);
    assert!(said[0].contains("tflops is printed as 10722.0"), "{said:?}");
    assert!(
        said[0].contains("the printed one is 16384 times that"),
        "{said:?}"
    );
}

#[test]
fn figures_timed_in_different_ways_have_no_speed_up() {
    let text =
        String::from_utf8_lossy(TILEOPS).replace("| 0.0035 |", "| 0.0035 (event fallback) |");
    let readings = read(ParseKind::TileOps, text.as_bytes()).unwrap();
    let t = table(&readings, Some("torch-ref"), &|_| None);
    assert_eq!(t.rows[0].cells[0].as_ref().unwrap().speedup, None);
    assert!(t.rows[2].cells[0].as_ref().unwrap().speedup.is_some());
    let t = table(&readings, Some("cublas"), &|_| None);
    assert!(t.base.is_none() && t.notices.iter().any(|n| n.contains("no tag `cublas`")));
}

#[test]
fn both_forms_show_what_was_printed_and_no_more() {
    let readings = read(ParseKind::TileOps, TILEOPS).unwrap();
    let t = table(&readings, Some("torch-ref"), &work);
    let md = to_markdown(&t);
    let row = md.lines().find(|l| l.starts_with("| MHC")).unwrap();
    assert_eq!(
        row,
        "| MHCPostOp | batch=1, n_expand=4, c_x=1280, dtype=torch.bfloat16 | 3.5 | 3.89x (3.82 to 3.96) | 0.0029 | 6.6 | 13.6 | 0.000753 | 1.69 |"
    );
    assert!(md.contains("| Group | Workload | tileops us | Speed-up | TFLOPS | GB/s | torch-ref us | TFLOPS | GB/s |"));
    assert!(
        md.contains("not available: the log has `N/A` for its latency") || md.contains("\\`N/A\\`"),
        "{md}"
    );
    assert!(md.contains("224.57 (printed, tflops)"));
    assert!(md.contains("612.0 (0.6120 (event fallback))"), "{md}");
    let text = to_csv(&t);
    assert_eq!(text.lines().count(), 8);
    let fields = text.lines().next().unwrap().split(',').count();
    assert_eq!(fields, 17);
    let gemm = text.lines().last().unwrap();
    assert!(
        gemm.starts_with("GemmOp,\"m=4096, n=4096, k=4096, dtype=torch.float16\",tileops,612000,"),
        "{gemm}"
    );
    assert!(
        gemm.contains(",224.57,printed: tflops,0.1645,printed: bandwidth_tbs,"),
        "{gemm}"
    );
}

#[test]
fn hostile_names_stay_in_their_cells() {
    let text = "name,impl,t\n\"=1+1|<b>x</b>\u{1b}[2J\",@who,2.0\n";
    let readings = csv(
        text.as_bytes(),
        &columns("t", TimeUnit::Ms, &["name"], "impl"),
        b',',
    )
    .unwrap();
    let t = table(&readings, Some("@who"), &|_| None);
    let md = to_markdown(&t);
    let row = md.lines().last().unwrap();
    assert_eq!(row, "| =1+1\\|&lt;b&gt;x&lt;/b&gt;\\\\x1b\\[2J | 2000 |");
    let line = to_csv(&t).lines().last().unwrap().to_owned();
    assert!(
        line.starts_with(",\"'=1+1|<b>x</b>\\x1b[2J\",\"'@who\",2000000,"),
        "{line}"
    );
}

#[test]
fn logs_of_several_variants_stand_side_by_side() {
    let log = |from: &str, to: &str| {
        let text = String::from_utf8_lossy(TILEOPS).replace(from, to);
        read(ParseKind::TileOps, text.as_bytes()).unwrap()
    };
    let later = log("07:36:10", "09:00:00");
    let faster = String::from_utf8_lossy(TILEOPS).replace("| 0.4102 |", "| 0.2051 |");
    let faster = read(ParseKind::TileOps, faster.as_bytes()).unwrap();
    let both = join(vec![("v1".into(), later), ("v2".into(), faster)]).unwrap();
    let t = table(&both, Some("v1 / tileops"), &|_| None);
    assert_eq!(
        t.tags,
        [
            "v1 / tileops",
            "v1 / torch-ref",
            "v2 / tileops",
            "v2 / torch-ref"
        ]
    );
    let cell = t.rows[2].cells[2].as_ref().unwrap();
    assert_eq!(cell.speedup.unwrap().value, 2.0);
    assert!(t.facts.contains(&("GPU model".into(), "MetaX C500".into())));
    assert!(
        t.facts
            .contains(&("v1: Generated".into(), "2026-08-05 09:00:00".into()))
    );
    assert!(join(Vec::new()).is_none());
}
