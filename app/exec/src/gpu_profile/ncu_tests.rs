//! The command line of `ncu`.

use super::super::ncu_said::tests::spec;
use super::*;

fn line(change: impl FnOnce(&mut ProfileSpec)) -> (String, Vec<String>) {
    let mut how = spec(Some("^gemm_[a-z]+"));
    change(&mut how);
    let mut notes = Vec::new();
    let words = words(Path::new("/c/ncu"), &how, Path::new("/f"), &mut notes);
    (words.join(" "), notes)
}

#[test]
fn the_command_line_follows_the_keys() {
    let (plain, notes) = line(|_| {});
    assert_eq!(
        plain,
        "/c/ncu --target-processes all --csv --page raw --print-units base --log-file /f/profile.ncu-rep.csv \
         --export /f/profile.ncu-rep --force-overwrite --clock-control none --cache-control all --set full \
         --kernel-name-base demangled --kernel-name regex:^gemm_[a-z]+ --launch-count 3"
    );
    assert!(notes.is_empty());
    let (all, _) = line(|how| {
        how.metrics = [
            "basic",
            "SpeedOfLight",
            "sm__cycles_active.avg",
            "group:memory__chart",
        ]
        .map(str::to_owned)
        .into();
        how.clock_control = assay_core::campaign::ClockControl::Base;
        how.cache_control = assay_core::campaign::CacheControl::None;
        how.launch_skip = 2;
        how.launch_count = None;
        how.options = vec!["--nvtx".into()];
    });
    for words in [
        "--clock-control base --cache-control none",
        "--set basic --section SpeedOfLight --metrics sm__cycles_active.avg,group:memory__chart",
        "--launch-skip 2 --nvtx",
    ] {
        assert!(all.contains(words), "{all}");
    }
    assert!(
        !all.contains("--set full") && !all.contains("--launch-count"),
        "{all}"
    );
}

#[test]
fn what_ncu_cannot_read_is_not_given_to_it_and_its_budget_neither() {
    for pattern in ["(?i)gemm", r"\pL+", r"gemm\z"] {
        let (line, notes) = line(|how| how.kernel = Some(pattern.into()));
        assert!(
            !line.contains("--kernel-name") && !line.contains("--launch-count"),
            "{line}"
        );
        assert!(notes[0].contains("chosen afterwards"), "{notes:?}");
    }
    let (line, notes) = line(|how| how.kernel = Some("^(?:a|b)<128>".into()));
    assert!(
        line.contains("regex:^(?:a|b)<128>") && notes.is_empty(),
        "{line}"
    );
}
