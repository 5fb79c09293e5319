//! The devices that are built in, files of one's own, and how a report shows its device.

use assay_profile::device::{FIGURES, known_figure, parse_spec, unit_of};
use assay_profile::{Counter, Device, Devices, Launch, Profile, Scope};

fn builtin(name: &str) -> &'static Device {
    Devices::builtin().get(name).expect("a built-in device")
}

fn with(text: &str) -> Result<Devices, String> {
    let files = Devices::builtin_files().iter().copied();
    Devices::load(files.chain([("mine.toml", text)])).map_err(|e| e.to_string())
}

#[test]
fn the_builtin_files_are_valid_and_each_figure_has_an_origin() {
    Devices::load(Devices::builtin_files().iter().copied()).unwrap();
    let names: Vec<&str> = Devices::builtin().iter().map(|d| d.name.as_str()).collect();
    assert_eq!(names, ["c500", "h200", "h800"]);
    for d in Devices::builtin().iter() {
        for f in &d.figures {
            let known = known_figure(&f.name).unwrap();
            assert_eq!(f.unit, known.unit, "{} {}", d.name, f.name);
            assert!(f.origin.len() > 5, "{} {}", d.name, f.name);
            assert!(!f.origin_zh.is_empty(), "{} {}", d.name, f.name);
        }
        for needed in [
            "units",
            "wave",
            "bandwidth",
            "peak.fp16",
            "peak.fp32",
            "peak.int8",
            "clock",
        ] {
            assert!(d.figure(needed).is_some(), "{} {needed}", d.name);
        }
        for (name, _) in d.values(Some("fp16")) {
            assert!(unit_of(name.strip_prefix("device.").unwrap()).is_some());
        }
    }
    for f in FIGURES {
        assert!(f.meaning.ends_with('.'), "{}", f.name);
    }
}

#[test]
fn the_c500_reckons_with_the_profilers_clock_and_keeps_the_other_peaks() {
    let c500 = builtin("c500");
    let v = c500.values(Some("float16"));
    let shown = |name: &str| format!("{:.2}", v[name]);
    assert_eq!(v["device.units"], 104.0);
    assert_eq!(v["device.bandwidth"], 1843.2);
    assert_eq!(shown("device.peak.fp16"), "239.62");
    assert_eq!(shown("device.peak"), "239.62");
    assert_eq!(v["device.peak.most"], 280.0);
    assert_eq!(shown("device.peak.fp32"), "14.98");
    assert_eq!(shown("device.peak.int8"), "479.23");
    assert_eq!(shown("device.ridge"), "130.00");
    assert_eq!(shown("device.ridge.int8"), "260.00");
    assert_eq!(v["device.mma_flops"], 8192.0);
    assert_eq!(v["device.share"], 1.0);
    let peaks = c500.figures.iter().filter(|f| f.name == "peak.fp16");
    let values: Vec<f64> = peaks.map(|f| f.value).collect();
    assert_eq!(values, [239.616, 280.0, 233.6]);
    assert_eq!(c500.figure("peak.fp16").unwrap().clock, Some(1.125));
    let without = c500.values(None);
    assert!(!without.contains_key("device.peak") && without.contains_key("device.ridge.fp16"));
    assert!(
        !c500.values(Some("fp8")).contains_key("device.peak"),
        "there is no fp8"
    );
}

#[test]
fn tensor_peaks_of_nvidia_are_dense() {
    for name in ["h200", "h800"] {
        let v = builtin(name).values(Some("bf16"));
        assert_eq!(v["device.peak"], 989.4);
        let computed = v["device.units"] * 4096.0 * v["device.clock"] / 1e3;
        assert!((computed - 989.4).abs() < 0.1, "{computed}");
    }
    assert_eq!(builtin("h200").values(None)["device.bandwidth"], 4800.0);
    assert_eq!(builtin("h800").values(None)["device.bandwidth"], 3350.0);
    assert_eq!(builtin("h800").values(None)["device.peak.fp64"], 1.0);
}

#[test]
fn a_slice_scales_what_is_shared_and_says_so() {
    let slice = Devices::builtin().find("c500@25%").unwrap();
    let v = slice.values(Some("fp16"));
    assert_eq!(v["device.bandwidth"], 460.8);
    assert_eq!(v["device.units"], 26.0);
    assert_eq!(format!("{:.1}", v["device.peak"]), "59.9");
    assert_eq!(v["device.share"], 0.25);
    assert_eq!(v["device.ridge"], 130.0, "a ratio of two shares");
    assert_eq!(v["device.shared_per_block"], 65536.0);
    assert_eq!(v["device.clock.max"], 1.6);
    assert!(
        slice.title.contains("25") && slice.title.contains("convention"),
        "{}",
        slice.title
    );
    assert!(slice.figure("bandwidth").unwrap().origin.contains("scaled"));
    let whole = builtin("c500");
    assert_eq!(&whole.slice(1.0), whole);
    assert_eq!(&whole.slice(0.0), whole);
    assert_eq!(&whole.slice(f64::NAN), whole);
    assert_eq!(whole.slice(0.5).slice(0.5).share, 0.25);
}

#[test]
fn a_spec_is_a_name_and_perhaps_a_share() {
    assert_eq!(parse_spec("c500"), Ok(("c500", 1.0)));
    assert_eq!(parse_spec("c500@25%"), Ok(("c500", 0.25)));
    assert_eq!(parse_spec("c500@12.5%"), Ok(("c500", 0.125)));
    for (bad, why) in [
        ("c500@0%", "above 0 %"),
        ("c500@101%", "at most 100 %"),
        ("c500@25", "did you mean \"25%\"?"),
        ("c500@", "percentage"),
        ("c500@-5%", "percentage"),
    ] {
        let e = parse_spec(bad).unwrap_err().to_string();
        assert!(e.contains(why), "{bad}: {e}");
    }
    let e = Devices::builtin().find("c50").unwrap_err().to_string();
    assert!(
        e.contains("c500, h200, h800") && e.contains("did you mean `c500`?"),
        "{e}"
    );
}

#[test]
fn a_file_of_ones_own_chooses_another_peak_or_describes_another_device() {
    let chosen = with(
        "schema = \"assay.device/1\"\nname = \"c500\"\nbase = \"c500\"\nchoose = [{ figure = \"peak.fp16\", label = \"nominal\" }]\n",
    )
    .unwrap();
    assert_eq!(chosen.iter().count(), 3);
    let v = chosen.get("c500").unwrap().values(Some("fp16"));
    assert_eq!((v["device.peak"], v["device.units"]), (280.0, 104.0));

    let own = with(
        "schema = \"assay.device/1\"\nname = \"bench-c500\"\nbase = \"c500\"\ntitle = \"ours\"\n[[figure]]\nname = \"peak.fp16\"\nlabel = \"ours\"\ndefault = true\nvalue = 200\nunit = \"TFLOPS\"\norigin = \"measured here\"\n",
    )
    .unwrap();
    let d = own.get("bench-c500").unwrap();
    assert_eq!(d.title, "ours");
    assert_eq!(d.values(Some("fp16"))["device.peak"], 200.0);
    assert_eq!(own.get("c500").unwrap(), builtin("c500"));
}

#[test]
fn a_broken_file_is_refused_with_its_line() {
    let head = "schema = \"assay.device/1\"\nname = \"x\"\ntitle = \"X\"\nvendor = \"V\"\nkind = \"gpu\"\n";
    let figure = |rest: &str| format!("{head}[[figure]]\n{rest}");
    let good = "name = \"units\"\nvalue = 4\nunit = \"1\"\norigin = \"counted\"\n";
    assert!(with(&figure(good)).is_ok());
    for (text, line, why) in [
        (
            "schema = \"assay.device/2\"\nname = \"x\"\n".to_owned(),
            1,
            "assay.device/1",
        ),
        (
            "schema = \"assay.device/1\"\nname = \"X\"\n".to_owned(),
            2,
            "a-z",
        ),
        (
            "schema = \"assay.device/1\"\nname = \"x\"\ntitle = \"X\"\n".to_owned(),
            2,
            "`vendor` is missing",
        ),
        (format!("{head}bse = \"c500\"\n"), 6, "bse"),
        (
            format!("{head}base = \"c5000\"\n"),
            6,
            "did you mean `c500`?",
        ),
        (
            figure(&good.replace("units", "unit")),
            6,
            "did you mean `units`?",
        ),
        (
            figure(&good.replace("unit = \"1\"", "unit = \"GHz\"")),
            6,
            "give it in `1`",
        ),
        (figure(&good.replace('4', "0")), 6, "above zero"),
        (figure(&good.replace('4', "nan")), 6, "above zero"),
        (figure(&good.replace("counted", " ")), 6, "origin"),
        (
            figure(&good.replace("value = 4", "value = \"4\"")),
            8,
            "invalid type",
        ),
        (
            format!("{}[[figure]]\n{good}", figure(good)),
            11,
            "stands twice",
        ),
        (
            format!("{}[[figure]]\n{good}label = \"b\"\n", figure(good)),
            2,
            "mark one of them",
        ),
        (
            format!(
                "{}default = true\n[[figure]]\n{good}label = \"b\"\ndefault = true\n",
                figure(good)
            ),
            12,
            "two defaults",
        ),
        (
            format!(
                "{}[[choose]]\nfigure = \"units\"\nlabel = \"b\"\n",
                figure(good)
            ),
            11,
            "label `b` is not there",
        ),
        (
            format!("{head}[[recognise]]\ntool = \"ncu\"\n"),
            6,
            "every report",
        ),
        ("schema = ".to_owned(), 1, "mine.toml"),
    ] {
        let e = with(&text).unwrap_err();
        let place = format!("device file `mine.toml`, line {line}: ");
        assert!(e.starts_with(&place) && e.contains(why), "{e}\n{text}");
        assert!(!e.contains('\n'), "{e}");
    }
}

fn report(tool: &str, counters: Vec<Counter>) -> Profile {
    let mut profile = Profile::new(tool, "test");
    let mut launch = Launch::new("k", Scope::PerKernel);
    for counter in counters {
        launch.push(counter);
    }
    profile.launches.push(launch);
    assay_profile::Catalog::builtin().name_counters(&mut profile);
    profile
}

#[test]
fn a_report_shows_its_device() {
    let devices = Devices::builtin();
    let ncu = |name: &str, units: &str| {
        report(
            "ncu",
            vec![
                Counter::words("", "device__attribute_display_name", name),
                Counter::read("", "device__attribute_multiprocessor_count", units, ""),
            ],
        )
    };
    let (d, why) = devices.recognise(&ncu("NVIDIA H200", "132")).unwrap();
    assert_eq!(d.name, "h200");
    assert!(
        why.contains("`NVIDIA H200`") && why.contains("132"),
        "{why}"
    );
    let (d, _) = devices.recognise(&ncu("NVIDIA H800", "132")).unwrap();
    assert_eq!(d.name, "h800");
    assert_eq!(devices.recognise(&ncu("NVIDIA H200 NVL", "132")), None);
    assert_eq!(
        devices.recognise(&ncu("NVIDIA H200", "16")),
        None,
        "a part of one"
    );

    let metax = |units: &str, bandwidth: &str| {
        report(
            "mcProfiler",
            vec![
                Counter::read("Summary", "RoofLine.data.block_num", units, ""),
                Counter::read("Summary", "RoofLine.data.MAX_Bandwith", bandwidth, "GB/s"),
            ],
        )
    };
    let (d, why) = devices.recognise(&metax("104", "1843.2")).unwrap();
    assert_eq!(d.name, "c500");
    assert!(why.starts_with("taken to be MetaX C500 because"), "{why}");
    assert_eq!(devices.recognise(&metax("104", "4800.0")), None);
    assert_eq!(devices.recognise(&report("mcProfiler", Vec::new())), None);
    assert_eq!(devices.recognise(&Profile::new("perf stat", "csv")), None);
}

#[test]
fn a_device_answers_to_the_names_of_its_driver_alone() {
    let called = |devices: &Devices, name: &str| devices.called(name).map(|d| d.name.clone());
    for (name, device) in [
        ("NVIDIA H200", Some("h200")),
        (" NVIDIA H200 ", Some("h200")),
        ("NVIDIA H800", Some("h800")),
        ("MetaX C500", Some("c500")),
        // Others of the family have figures of their own, and so have parts of one.
        ("NVIDIA H200 NVL", None),
        ("NVIDIA H800 PCIe", None),
        ("MetaX C500 (slice of 25 %)", None),
        ("nvidia h200", None),
        ("", None),
    ] {
        assert_eq!(
            called(Devices::builtin(), name).as_deref(),
            device,
            "{name}"
        );
    }
    let with = |text: &str| {
        let files = Devices::builtin_files().iter().copied();
        Devices::load(files.chain([("mine.toml", text)])).unwrap()
    };
    let head = "schema = \"assay.device/1\"\nbase = \"h200\"\n";
    let same = with(&format!("{head}name = \"h200\"\n"));
    assert_eq!(called(&same, "NVIDIA H200").as_deref(), Some("h200"));
    let beside = with(&format!("{head}name = \"mine\"\n"));
    assert_eq!(called(&beside, "NVIDIA H200").as_deref(), Some("h200"));
    let rival = with(&format!(
        "{head}name = \"mine\"\nnames = [\"NVIDIA H200\"]\n"
    ));
    assert_eq!(called(&rival, "NVIDIA H200"), None, "two claim it");
}

#[test]
fn a_report_of_an_h200_is_recognised() {
    let text = include_bytes!("fixtures/ncu_raw.csv");
    let profile = assay_profile::parse(text).unwrap();
    let found = Devices::builtin().recognise(&profile);
    assert_eq!(found.map(|(d, _)| d.name.as_str()), Some("h200"));
}
