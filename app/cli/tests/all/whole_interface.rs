//! A whole decision with nothing but keys: comparing two variants, reading the source diff, finding
//! why one was rejected, accepting one with a reason, exporting a report.

use std::fs;

use crate::support::Lab;
use crate::terminal::Session;

/// Waits for all of these.
fn see(s: &Session, parts: &[&str]) {
    parts.iter().for_each(|part| s.see(part));
}

fn gone(s: &Session, text: &str) {
    let what = format!("{text} to go");
    s.wait(&what, |s| !s.parser.screen().contents().contains(text));
}

/// Leaves only one variant in the table, which is selected then.
fn find(s: &mut Session, name: &str) {
    s.press("/");
    s.see("filter:");
    s.press(&format!("{name}\r"));
    see(s, &["1 of 3", &format!("▌   {name}")]);
}

#[test]
fn a_newcomer_decides_with_what_the_help_says() {
    let lab = Lab::new();
    lab.champion("plain", &[("cost", "95")]);
    lab.variant("fast", &[("cost", "80")]);
    lab.variant("slow", &[("cost", "140")]);
    lab.assay(&["run", "fast", "slow"]).ok();
    lab.assay(&["reject", "slow", "--reason", "the panel no longer fits"])
        .ok();
    for (w, h, lang) in [(80, 24, "en"), (200, 50, "en")] {
        let mut s = lab.interface(&["--lang", lang], (w, h));
        s.see("plain");
        // What can be done is said, and nothing else is used below.
        s.press("?");
        see(
            &s,
            &[
                "Help: Variants",
                "Compare",
                "Source diff",
                "Accept",
                "Filter",
            ],
        );
        s.press("\x1b");
        gone(&s, "Help: Variants");

        find(&mut s, "fast");
        s.press("c");
        see(&s, &["A=plain  B=fast", "FASTER"]);
        s.press("d");
        see(&s, &["cost = 95", "cost = 80"]);
        s.press("1");
        s.see("1 of 3");
        s.press("\x1b");
        gone(&s, "1 of 3");

        find(&mut s, "slow");
        s.press("\r");
        // Beside the list of a wide terminal all of this stood before: only the list that is gone tells
        // that the key has come, and an escape right behind it would be taken with the next one.
        gone(&s, "1 of 3");
        see(
            &s,
            &[
                "Verdict: slow / plain",
                "the panel no longer fits",
                "SLOWER",
            ],
        );
        s.press("\x1b");
        s.see("1 of 3");
        s.press("\x1b");
        gone(&s, "1 of 3");
        s.press("q");
        assert_eq!(s.exit_code(), 0);
    }
    let mut s = lab.interface(&[], (120, 40));
    s.see("plain");
    find(&mut s, "fast");
    s.press("a");
    see(
        &s,
        &["Accept fast", "FASTER 0.8", "against plain", "Gates pass"],
    );
    s.press("20 % on both sizes\r");
    see(&s, &["fast: accepted; the champion is fast", "★ fast"]);
    s.press("8");
    s.see("all that was checked");
    // From the figures of the page to the records that they are from, and what is stored beside them.
    s.press("e");
    s.see("Evidence: ");
    s.see("  1/");
    s.press("\r");
    s.see("Recorded");
    s.press("\x1b");
    gone(&s, "Recorded");
    s.press("\x1b");
    gone(&s, "Evidence: ");
    s.press("w");
    s.see("Markdown");
    s.press("\r");
    s.see("Written");
    let reports = lab.home().join(".local/state/assay/reports");
    let folder = fs::read_dir(reports).unwrap().next().unwrap().unwrap();
    let name = folder.file_name().into_string().unwrap();
    assert!(name.starts_with("lab-"), "{name}");
    let report = fs::read_to_string(folder.path().join("report.en.md")).unwrap();
    assert!(report.contains("20 % on both sizes"));
    s.press("\x03\x03");
    assert_eq!(s.exit_code(), 0);
    assert_eq!(lab.list()["champion"], "fast");
    lab.verify();
}

/// A git that does not answer must not stop a key.
#[test]
fn a_git_that_hangs_stops_nothing_but_what_needs_it() {
    let lab = Lab::new();
    lab.champion("plain", &[("cost", "95")]);
    lab.assay(&["new", "next", "--why", "x"]).ok();
    let mut s = lab.interface(&[], (120, 40));
    s.see("next");
    lab.sh("mkfifo \"$HOME/git-may-go\"");
    lab.tool(
        "git",
        "read -r _ < \"$HOME/git-may-go\"; PATH=${PATH#*:} exec git \"$@\"",
    );
    // A work tree needs git, which does not come back.
    s.press("GE");
    s.see("opening next");
    // Everything else goes on: screens, movement, help.
    for (keys, seen) in [
        ("6", "time / reference"),
        ("4", "No jobs"),
        ("?", "Help: Jobs"),
    ] {
        s.press(keys);
        s.see(seen);
    }
    s.press("\x03\x03");
    assert_eq!(s.exit_code(), 0);
}
