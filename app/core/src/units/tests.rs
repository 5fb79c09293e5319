use super::*;

#[test]
fn quantities_are_read_exactly() {
    for (text, ns) in [
        ("10ms", 10_000_000),
        ("2s", 2_000_000_000),
        ("1m", 60_000_000_000),
        ("1min", 60_000_000_000),
        ("500us", 500_000),
        ("0.1us", 100),
        ("1.1ms", 1_100_000),
        ("1.5 s", 1_500_000_000),
        ("1h", 3_600_000_000_000),
        ("0ns", 0),
    ] {
        assert_eq!(text.parse(), Ok(DurationNs(ns)), "{text}");
    }
    assert_eq!("1GiB".parse(), Ok(Bytes(1 << 30)));
    assert_eq!("64KiB".parse(), Ok(Bytes(65_536)));
    assert_eq!("1kB".parse(), Ok(Bytes(1_000)));
    assert_eq!("1%".parse(), Ok(Ratio(0.01)));
    assert_eq!("0.5%".parse(), Ok(Ratio(0.005)));
    assert_eq!("100%".parse(), Ok(Ratio(1.0)));
}

#[test]
fn what_is_not_a_quantity_says_what_would_be() {
    for text in [
        "",
        "ms",
        "1",
        "1 parsec",
        "-1s",
        "0.5ns",
        "1..2s",
        "1.s",
        "99999999999999h",
        "1e3s",
        "NaN%",
        "inf",
        "1\u{1b}s",
    ] {
        assert!(text.parse::<DurationNs>().is_err(), "{text}");
        assert!(text.parse::<Bytes>().is_err(), "{text}");
        assert!(text.parse::<Ratio>().is_err(), "{text}");
    }
    let e = "0.01".parse::<Ratio>().unwrap_err();
    assert_eq!(e.hint.as_deref(), Some("did you mean \"0.01%\"?"));
    let e = "10MS".parse::<DurationNs>().unwrap_err();
    assert_eq!(
        e.to_string(),
        "expected a duration such as \"10ms\", \"2s\" or \"1m\" (ns, us, ms, s, m, h), found `10MS`; did you mean `ms`?"
    );
}

#[test]
fn harness_times_become_nanoseconds() {
    assert_eq!(
        "ms".parse::<TimeUnit>().unwrap().to_ns(1.5),
        Some(1_500_000.0)
    );
    assert_eq!(TimeUnit::S.to_ns(f64::INFINITY), None);
    assert_eq!(TimeUnit::Ns.to_ns(-1.0), None);
    assert!("sec".parse::<TimeUnit>().is_err());
    assert!(
        TimeUnit::NAMES
            .iter()
            .all(|n| n.parse::<TimeUnit>().unwrap().name() == *n)
    );
}

#[test]
fn figures_are_shown_with_four_digits_and_a_unit() {
    for (ns, text) in [
        (0.0, "0 ns"),
        (100.0, "100 ns"),
        (12.25, "12.25 ns"),
        (999.96, "1.000 us"),
        (1_234.0, "1.234 us"),
        (1_234_000.0, "1.234 ms"),
        (12_345_678.0, "12.35 ms"),
        (999_990_000.0, "1.000 s"),
        (60e9, "60.00 s"),
        (123_456e9, "123456 s"),
        (f64::NAN, "not finite"),
    ] {
        assert_eq!(format_ns(ns), text);
    }
    assert_eq!(format_bytes(65_536.0), "64.00 KiB");
    assert_eq!(format_bytes(1000.0), "1000 B");
    assert_eq!(format_count(33_554_432.0), "33.55 M");
    assert_eq!(format_rate(19.5e12, "flop"), "19.50 Tflop/s");
    assert_eq!(format_rate(12.0, "flop"), "12 flop/s");
    assert_eq!(format_percent(0.01), "1 %");
    assert_eq!(format_percent(0.0025), "0.25 %");
    assert_eq!(format_percent(-0.000_000_1), "0 %");
    assert_eq!(format_ratio_change(0.9532), "-4.68 %");
    assert_eq!(format_ratio_change(1.0), "+0.00 %");
    assert_eq!(format_ratio_change(0.999_999_9), "+0.00 %");
    assert_eq!(format_factor(0.9532), "1.049x");
    assert_eq!(format_factor(0.0), "not finite");
}
