//! Pictures: well-formed, inert, with figures in text, whatever the data.

#[path = "common/xml.rs"]
mod xml;

use assay_report::Lang;
use assay_report::plot::{
    Bar, Bars, Curve, CurvePoint, Forest, ForestRow, Heat, HeatRow, Reference, Roof, RoofPoint,
    Roofline, Spread, SpreadPanel, SpreadSide, Svg,
};

const EVIL: &str = "<img src=x onerror=\"alert(1)\"> & 'x' \x1b[2J\u{202e}\u{ffff}核函数";

fn curve(label: &str, times: &[f64]) -> Curve {
    Curve {
        points: times
            .iter()
            .map(|ns| CurvePoint {
                label: label.into(),
                ns: Some(*ns),
                note: label.into(),
            })
            .collect(),
        references: vec![Reference {
            label: label.into(),
            ns: 16.47e6,
        }],
    }
}

fn forest(label: &str, ratios: &[f64]) -> Forest {
    Forest {
        rows: ratios
            .iter()
            .map(|r| ForestRow {
                label: label.into(),
                ratio: Some(*r),
                interval: Some([r * 0.99, r * 1.01]),
                verdict: label.into(),
            })
            .collect(),
        delta: Some(0.01),
    }
}

fn heat(label: &str, ratios: &[f64], workloads: usize) -> Heat {
    Heat {
        is_published: false,
        workloads: vec![label.into(); workloads],
        rows: ratios
            .iter()
            .map(|r| HeatRow {
                label: label.into(),
                ratio: Some(*r),
                cells: vec![Some(*r); workloads],
                broken: vec![true; workloads],
                doubted: Vec::new(),
                unproven: vec![false; workloads],
            })
            .collect(),
        delta: Some(0.01),
    }
}

fn spread(label: &str, ns: &[f64]) -> Spread {
    let side = SpreadSide {
        label: label.into(),
        ns: ns.to_vec(),
    };
    let panel = SpreadPanel {
        label: label.into(),
        a: side.clone(),
        b: side,
    };
    let (a, b) = (label.into(), label.into());
    let panels = vec![panel];
    Spread { a, b, panels }
}

fn roofline(label: &str, ns: &[f64]) -> Roofline {
    Roofline {
        device: label.into(),
        bytes_per_s: 1.6e12,
        roofs: vec![
            Roof {
                dtype: "f16".into(),
                flops_per_s: 2.8e14,
            },
            Roof {
                dtype: "f32".into(),
                flops_per_s: 1.8e13,
            },
        ],
        points: ns
            .iter()
            .map(|ns| RoofPoint {
                label: label.into(),
                subject: label.into(),
                dtype: "f16".into(),
                flops: 3.85e12,
                bytes: 2.4e9,
                ns: *ns,
                is_reference: false,
            })
            .collect(),
    }
}

fn bars(label: &str, after: &[f64]) -> Bars {
    Bars {
        after: label.into(),
        before: label.into(),
        bars: after
            .iter()
            .enumerate()
            .map(|(i, v)| Bar {
                label: label.into(),
                before: 100.0,
                after: *v,
                unit: label.into(),
                is_better: [Some(true), Some(false), None][i % 3],
            })
            .collect(),
    }
}

fn all(label: &str, values: &[f64]) -> Vec<Svg> {
    let mut out = Vec::new();
    for lang in Lang::ALL {
        out.push(curve(label, values).svg(lang));
        out.push(forest(label, values).svg(lang));
        out.push(heat(label, values, 17).svg(lang));
        out.push(heat(label, values, 1).svg(lang));
        out.push(spread(label, values).svg(lang));
        out.push(roofline(label, values).svg(lang));
        out.push(bars(label, values).svg(lang));
    }
    out
}

/// Checks the file and gives it back.
fn checked(svg: &Svg) -> String {
    let text = svg.standalone();
    let elements = xml::elements(&text);
    assert_eq!(elements[..3], ["svg", "title", "desc"]);
    assert!(!elements.iter().any(|e| e == "script" || e == "img"));
    xml::has_no_impossible_number(&text);
    assert!(text.contains("role=\"img\" aria-labelledby=\"t d\""));
    assert!(text.contains("prefers-color-scheme:dark"));
    // The only address is the name of the format.
    assert_eq!(text.matches("http").count(), 1);
    text
}

#[test]
fn any_data_makes_a_well_formed_picture() {
    let many: Vec<f64> = (0..500).map(|i| 0.5 + f64::from(i) * 0.002).collect();
    let cases: [&[f64]; 9] = [
        &[],
        &[1.0],
        &[0.0],
        &[f64::NAN],
        &[f64::INFINITY, 1.0, -1.0],
        &[1e-300, 1e300],
        &[5e6, 5e6, 5e6],
        &[36.16e6, 35.81e6, 33.59e6, 32.82e6],
        &many,
    ];
    for values in cases {
        for label in ["gemm", EVIL, "", &"宽".repeat(200)] {
            for svg in all(label, values) {
                checked(&svg);
            }
        }
    }
}

#[test]
fn figures_stand_beside_the_shapes() {
    let text = checked(&curve("c", &[36.166e6, 32.82e6]).svg(Lang::En));
    for part in ["36.17 ms", "32.82 ms", "16.47 ms", "time (ms)"] {
        assert!(text.contains(part), "{part} {text}");
    }
    let text = checked(&forest("f", &[0.44, 1.2]).svg(Lang::En));
    for part in ["0.4400 [0.4356 .. 0.4444]", "1.200 [", "±1 %"] {
        assert!(text.contains(part), "{part} {text}");
    }
    let text = checked(&heat("h", &[0.44], 2).svg(Lang::En));
    assert!(text.matches(">0.44<").count() == 2, "{text}");
    let text = checked(&spread("s", &[1e6, 2e6, 3e6]).svg(Lang::En));
    assert!(text.contains("median 2.000 ms, n = 3"), "{text}");
    // 3.85e12 flop over 2.4e9 bytes is right of the ridge at 175 flop/byte.
    let text = checked(&roofline("r", &[32.82e6]).svg(Lang::En));
    let point = "1604 flop/byte, 1.173e5 Gflop/s, 41.9 % of its roof";
    let point_plain = "1604 flop/byte, 117,307 Gflop/s, 41.9 % of its roof";
    assert!(text.contains(point) || text.contains(point_plain), "{text}");
    assert!(
        text.contains("175 flop/byte") && !text.contains("f32:"),
        "{text}"
    );
    let text = checked(&bars("b", &[45.65, 150.0, 99.0]).svg(Lang::En));
    for part in ["-54.35 %", "+50.00 %", ">better<", ">worse<", "-1.00 %"] {
        assert!(text.contains(part), "{part} {text}");
    }
}

#[test]
fn many_rows_are_thinned_and_the_picture_says_so() {
    let many: Vec<f64> = (0..500).map(|i| 0.5 + f64::from(i) * 0.002).collect();
    let text = checked(&forest("v", &many).svg(Lang::En));
    assert!(text.contains("60 of 500 are shown: the 45 lowest and the 15 highest."));
    assert!(text.contains("0.5000 [") && text.contains("1.498 [") && !text.contains(">1.000 ["));
    let text = checked(&heat("v", &many, 15).svg(Lang::Zh));
    assert!(text.contains("显示 500 中的 60 个"), "{text}");
    let text = checked(&curve("v", &many).svg(Lang::En));
    assert!(text.contains("Labels are thinned out"));
    let text = checked(&spread("v", &many).svg(Lang::En));
    assert!(text.contains("300 of 1000 dots are shown."));
    let text = checked(&bars("v", &many).svg(Lang::En));
    assert!(text.contains("40 of 500 are shown"));
}

#[test]
fn good_and_bad_differ_in_shape_and_not_only_in_colour() {
    let mut plot = forest("f", &[0.5, 0.99, 2.0]);
    for (row, word) in plot.rows.iter_mut().zip(["FASTER", "SAME", ""]) {
        row.verdict = word.into();
    }
    let text = checked(&plot.svg(Lang::En));
    let shapes = |class: &str| text.matches(&format!("<path class=\"{class}\"")).count();
    assert_eq!((shapes("good"), shapes("bad")), (1, 1));
    assert!(text.contains("<circle class=\"plain\""));
}

#[test]
fn an_interval_beyond_the_axis_ends_in_an_arrow() {
    let mut plot = forest("f", &[0.9, 0.95]);
    plot.rows[1].interval = Some([0.01, 90.0]);
    let text = checked(&plot.svg(Lang::En));
    assert_eq!(text.matches("<path class=\"plain\"").count(), 2, "{text}");
}

#[test]
fn a_small_forest_as_it_is() {
    insta::assert_snapshot!(
        forest("blocked / naive", &[0.44])
            .svg(Lang::En)
            .standalone()
    );
}

#[test]
fn many_points_of_a_roofline_have_one_mark_a_subject() {
    let mut r = roofline("r", &[]);
    for (k, subject) in ["ours", "vendor", "plain"].into_iter().enumerate() {
        for i in 0..15 {
            r.points.push(RoofPoint {
                label: format!("{subject}, w{i}"),
                subject: subject.into(),
                dtype: "f16".into(),
                flops: 1e6,
                bytes: 2e6,
                // From 5 to 75 Gflop/s of the 800 that the bandwidth lets have.
                ns: 1e6 / (0.5 * f64::from(i + 1) * 10.0) * (1.0 + k as f64),
                is_reference: k > 0,
            });
        }
    }
    let text = checked(&r.svg(Lang::En));
    for part in [
        "ours: 15 points, 0.6 % to 9.4 % of the roof",
        "vendor: 15 points, 0.3 % to 4.7 % of the roof",
        "f16: 280,000 Gflop/s, ridge at 175 flop/byte, right of the picture",
        "stand a little aside of each other",
        // Every point still says its figures under the pointer.
        "<title>plain, w14: 0.500 flop/byte",
    ] {
        assert!(text.contains(part), "{part} {text}");
    }
    assert!(
        text.contains("class=\"square\"") && !text.contains(">45<"),
        "{text}"
    );
    let r = Roofline {
        points: r.points[..12].to_vec(),
        ..r
    };
    assert!(checked(&r.svg(Lang::En)).contains(">12<"));
}

#[test]
fn ratios_of_doubted_times_are_marked_on_the_map() {
    let mut map = heat("w", &[0.5], 2);
    let plain = map.svg(Lang::En).standalone();
    assert!(
        !plain.contains("0.50!") && !plain.contains("marked !"),
        "{plain}"
    );
    map.rows[0].doubted = vec![false, true];
    let marked = map.svg(Lang::En).standalone();
    assert_eq!(marked.matches("0.50!").count(), 1, "{marked}");
    assert!(marked.contains("marked !"), "{marked}");
}
