use assay_profile::{Catalog, Counter};

use super::*;

/// A profile of launches (kernel, MMA instructions); an empty name is the whole process.
fn profile(launches: &[(&str, f64)]) -> Profile {
    let mut p = Profile::new("mcProfiler", "folder");
    for (kernel, value) in launches {
        let scope = if kernel.is_empty() {
            Scope::Aggregate
        } else {
            Scope::PerKernel
        };
        let mut l = Launch::new(*kernel, scope);
        let section = "ISU Statistics";
        l.push(Counter::read(
            section,
            "Instructions Comparison.MMA",
            &value.to_string(),
            "1",
        ));
        p.launches.push(l);
    }
    Catalog::builtin().name_counters(&mut p);
    p
}

fn wanted(kernel: Option<&str>, pattern: Option<&str>, launch: Option<u32>) -> Wanted {
    Wanted {
        kernel: kernel.map(str::to_owned),
        pattern: pattern.map(|p| Regex::new(p).unwrap()),
        launch,
        aggregate: false,
        in_stage: false,
    }
}

fn fails(p: &Profile, w: &Wanted) -> String {
    choose(p, w).unwrap_err().to_string()
}

#[test]
fn one_kernel_needs_no_name_and_several_need_one() {
    let one = profile(&[("", 9.0), ("gemm", 1.0)]);
    let chosen = choose(&one, &Wanted::default()).unwrap();
    assert_eq!((chosen.kernel.as_deref(), chosen.main), (Some("gemm"), 1));
    let two = profile(&[("gemm", 1.0), ("fill", 2.0), ("gemm_2", 1.0)]);
    let e = fails(&two, &Wanted::default());
    assert!(
        e.contains("3 kernels in 3 launches: `gemm`, `fill`, `gemm_2`"),
        "{e}"
    );
    assert!(e.contains("--kernel NAME"), "{e}");
    let by = |k| choose(&two, &wanted(Some(k), None, None)).map(|c| c.main);
    assert_eq!(by("gemm").unwrap(), 0, "the whole name goes before a part");
    assert_eq!(by("fi").unwrap(), 1);
    let e = fails(&two, &wanted(Some("m"), None, None));
    assert!(
        e.contains("a part of several kernels: `gemm`, `gemm_2`"),
        "{e}"
    );
    let e = fails(&two, &wanted(Some("gemn"), None, None));
    assert!(
        e.contains("did you mean `gemm`?") && e.contains("`fill`"),
        "{e}"
    );
}

#[test]
fn the_campaign_says_which_kernel_is_ours() {
    let two = profile(&[("gemm_kernel", 1.0), ("fill", 2.0)]);
    let found = choose(&two, &wanted(None, Some("^gemm_.*"), None)).unwrap();
    assert_eq!(found.kernel.as_deref(), Some("gemm_kernel"));
    assert_eq!(found.others, ["fill"]);
    let e = fails(&two, &wanted(None, Some("^conv"), None));
    assert!(e.contains("matches [profile] kernel = \"^conv\""), "{e}");
    assert!(e.contains("`gemm_kernel`, `fill`"), "{e}");
    let e = fails(&two, &wanted(None, Some("."), None));
    assert!(e.contains("several kernels match"), "{e}");
    assert_eq!(
        choose(&two, &wanted(Some("fill"), Some("^gemm"), None))
            .unwrap()
            .main,
        1
    );
}

#[test]
fn the_whole_process_is_never_taken_for_a_kernel() {
    let whole = profile(&[("", 9.0)]);
    let e = fails(&whole, &Wanted::default());
    assert!(
        e.contains("all kernels added up") && e.contains("--aggregate"),
        "{e}"
    );
    let e = fails(&whole, &wanted(Some("gemm"), None, None));
    assert!(e.contains("all kernels added up"), "{e}");
    let all = Wanted {
        aggregate: true,
        ..Wanted::default()
    };
    assert_eq!(choose(&whole, &all).unwrap().kernel, None);
    assert!(fails(&profile(&[("gemm", 1.0)]), &all).contains("no figures of the whole process"));
    let mut unnamed = profile(&[("", 9.0)]);
    unnamed.launches[0].kernel = assay_profile::formats::mcprofiler::UNNAMED.to_owned();
    let e = fails(&unnamed, &Wanted::default());
    assert!(e.contains("does not say which kernel"), "{e}");
    let said = choose(&unnamed, &wanted(Some("gemm"), None, None)).unwrap();
    assert_eq!(said.kernel.as_deref(), Some("gemm"));
}

#[test]
fn of_several_launches_the_median_is_taken_and_a_real_one_speaks_for_them() {
    let p = profile(&[
        ("k", 10.0),
        ("k", 90.0),
        ("other", 1.0),
        ("k", 30.0),
        ("k", 20.0),
    ]);
    let all = choose(&p, &wanted(Some("k"), None, None)).unwrap();
    assert_eq!((all.launches.as_slice(), all.main), (&[0, 1, 3, 4][..], 3));
    let figures: Vec<_> = all
        .launches
        .iter()
        .map(|l| launch_figures(&p.launches[*l]))
        .collect();
    let (mma, range) = &middle(&figures)["inst.mma"];
    assert_eq!(
        (mma.value, *range),
        (25.0, [10.0, 90.0]),
        "never the sum, 150"
    );
    let one = choose(&p, &wanted(Some("k"), None, Some(1))).unwrap();
    assert_eq!(
        (one.launches.as_slice(), one.main, one.occurrence),
        (&[1][..], 1, Some(1))
    );
    let e = fails(&p, &wanted(Some("k"), None, Some(4)));
    assert!(
        e.contains("no launch 4 of `k`") && e.contains("launches 0 to 3"),
        "{e}"
    );
}

#[test]
fn a_stage_is_told_of_keys_and_not_of_options() {
    let several = profile(&[("gemm_kernel", 1.0), ("fill", 2.0)]);
    let mut unnamed = profile(&[("", 9.0)]);
    unnamed.launches[0].kernel = assay_profile::formats::mcprofiler::UNNAMED.to_owned();
    for (report, pattern) in [
        (&several, None),
        (&several, Some("^conv")),
        (&several, Some(".")),
        (&unnamed, None),
        (&profile(&[("", 9.0)]), None),
    ] {
        let asked = |in_stage| Wanted {
            in_stage,
            ..wanted(None, pattern, None)
        };
        let hint = |w: &Wanted| choose(report, w).unwrap_err().hint.unwrap();
        assert!(hint(&asked(false)).contains("--"), "{pattern:?}");
        let said = hint(&asked(true));
        assert!(
            said.contains("[profile] kernel") && !said.contains("--"),
            "{said}"
        );
    }
}
