use super::*;
use crate::sample::row;

#[test]
fn words_and_fields_narrow_down() {
    let mut v = row("tile-128-核", Some("base"));
    v.verdict = Some("FASTER".into());
    v.ratio = Some(0.9);
    v.status = "rejected".into();
    v.median_ns.insert("square".into(), 9_000.0);
    v.updated_at = "2026-11-30T01:55:00Z".into();
    v.knobs.insert("tile".into(), "128".into());
    for (text, hit) in [
        ("", true),
        ("TILE", true),
        ("核", true),
        ("verdict:faster status:rej", true),
        ("verdict:slower", false),
        ("ratio<0.95", true),
        ("ratio>0.95", false),
        ("ratio<", false),
        ("knob:tile=128", true),
        ("tile=128", true),
        ("gate:fail", false),
        ("nosuch:field", false),
        ("verdict:", false),
        ("name~TILE", true),
        ("name=tile", false),
        ("status=rejected", true),
        ("-status:rejected", false),
        ("-verdict:slower", true),
        ("-tile", false),
        ("err:0", true),
        ("err>0", false),
        ("err:x", false),
        ("ratio<=0.9", true),
        ("median<10us", true),
        ("time>=9us", true),
        ("median<10000ns", true),
        ("median<10000", false),
        ("median<9parsecs", false),
        ("updated>2020", true),
        ("updated<2020", false),
        ("updated=2026-11", true),
        ("updated=2026-11-30", true),
        ("updated=2026-12", false),
        ("updated>=2026-11-30T01", true),
        ("updated>=2026-11-30t01:56", false),
        ("name<z", false),
    ] {
        assert_eq!(Filter::parse(text).matches(&v, None), hit, "{text}");
    }
}

#[test]
fn every_field_has_an_example_that_reads() {
    for f in FIELDS {
        let filter = Filter::parse(f.example);
        assert_eq!(filter.problem, None, "{}", f.example);
        let [t] = &filter.terms[..] else {
            panic!("{}", f.example)
        };
        assert!(!matches!(t.what, What::Word(_)), "{}", f.example);
        assert!(f.example.trim_start_matches('-').starts_with(f.name));
    }
}

#[test]
fn what_is_no_field_or_no_value_is_told_with_a_near_miss() {
    let s = crate::strings::strings(crate::options::Lang::En);
    let said = |text: &str| Filter::parse(text).problem.map(|p| p.said(s));
    for (text, problem) in [
        (
            "verdit:faster",
            "no field `verdit`: did you mean `verdict`?",
        ),
        ("-statsu:new", "no field `statsu`: did you mean `status`?"),
        ("xyzzy:1", "no field `xyzzy`"),
        (
            "verdict:fastr",
            "verdict is never `fastr`: did you mean `faster`?",
        ),
        ("ratio<low", "ratio takes a number, such as 0.95"),
        ("err:x", "err takes a number, such as 0.95"),
        ("median<9parsecs", "median takes a time, such as 10us"),
        ("name<z", "name has no order: use : or = or ~"),
        (
            "median<10",
            "median needs a unit (ns, us, ms, s), such as 10us",
        ),
        ("ratio<nan", "ratio takes a number, such as 0.95"),
        (
            "verdict:",
            "verdict has nothing to compare with yet: write it as verdict:faster",
        ),
        (
            "status=",
            "status has nothing to compare with yet: write it as -status:rejected",
        ),
        (
            "knob:",
            "knob has nothing to compare with yet: write it as knob:tile=128",
        ),
        (
            "-ratio<",
            "ratio has nothing to compare with yet: write it as ratio<0.95",
        ),
    ] {
        assert_eq!(said(text).as_deref(), Some(problem), "{text}");
    }
    for text in ["tile", "tile=128", "verdict:f", "-x", ":", "a b"] {
        assert_eq!(said(text), None, "{text}");
    }
}

#[test]
fn a_date_is_one_of_the_calendar() {
    let s = crate::strings::strings(crate::options::Lang::En);
    for text in [
        "2026-13-45",
        "2026-11-31",
        "2026-00",
        "26-11",
        "soon",
        "2026-11T05",
        "2026-11-30T25",
    ] {
        let problem = Filter::parse(&format!("updated>={text}")).problem;
        let said = problem.map(|p| p.said(s));
        let wanted = "updated takes a date or its beginning, such as 2026-11-30";
        assert_eq!(said.as_deref(), Some(wanted), "{text}");
    }
    for text in [
        "2026",
        "2026-11",
        "2024-02-29",
        "2026-11-30T01:55:00Z",
        "2026-11-30T01:55:00.25Z",
    ] {
        assert_eq!(
            Filter::parse(&format!("updated<{text}")).problem,
            None,
            "{text}"
        );
    }
    // A part of a moment is looked for as it stands.
    assert_eq!(Filter::parse("updated:11-30").problem, None);
}
