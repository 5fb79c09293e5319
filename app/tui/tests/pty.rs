//! The real program in a real pseudo-terminal. Waits for what is on the screen, never for time.

#![cfg(unix)]
#![allow(clippy::unwrap_used)]

mod support;

use std::io::Read;
use std::time::Instant;

use portable_pty::CommandBuilder;
use support::terminal::{DEADLINE, Seen, Session};

/// The program with its standard files in the terminal, but in a session without one.
const DETACHED: &str = "exec setsid -w \"$@\" 9>\"$HELD\"";

/// The interface over fixed data in a terminal of 120 columns and 40 rows.
fn open(args: &[&str], env: &[(&str, &str)]) -> Session {
    let mut command = CommandBuilder::new(std::env::current_exe().unwrap());
    command.args(PROGRAM);
    command.env(ARGS, args.join(" "));
    start(command, env)
}

fn start(command: CommandBuilder, env: &[(&str, &str)]) -> Session {
    Session::start(command, env, (120, 40))
}

/// The program under test is this very file, started again to run [`program`] alone: what runs is
/// always what was built. `examples/fake.rs` is the same program for people.
const PROGRAM: [&str; 5] = [
    "program",
    "--exact",
    "--ignored",
    "--nocapture",
    "--test-threads=1",
];

/// Options of the program, which the test harness would not take as arguments.
const ARGS: &str = "ASSAY_TUI_FAKE_ARGS";

#[test]
#[ignore = "the program that the other tests start"]
fn program() {
    // Someone may run all ignored tests: without the variable this is not the program.
    let Ok(args) = std::env::var(ARGS) else {
        return;
    };
    let args: Vec<String> = args.split_whitespace().map(str::to_owned).collect();
    let code = support::program(&args);
    std::process::exit(if code == std::process::ExitCode::SUCCESS {
        0
    } else {
        4
    });
}

#[test]
fn a_whole_session() {
    let mut s = open(&[], &[]);
    s.see("tile-64  champion");
    s.wait("alternate screen", |s| {
        s.parser.screen().alternate_screen() && s.parser.screen().bracketed_paste()
    });
    s.press("j");
    s.see("four accumulators");
    s.press("c");
    s.see("A=tile-64  B=unroll-4");
    s.see("Samples: square-256");
    s.press("d");
    s.see("#define TILE 64");
    s.press("v");
    s.see("side by side");
    s.press("\x1b");
    s.see("Samples: square-256");
    s.press("1a");
    s.see("Accept unroll-4");
    // Bracketed paste and an input method's commit arrive as one piece.
    s.press("\x1b[200~14 % faster, \x1b[201~寄存器够用");
    s.see("14 % faster, 寄存器够用");
    s.press("\r");
    s.see("unroll-4: accepted; the champion is unroll-4");
    s.see("★ unroll-4");
    s.press("yy");
    s.wait("the clipboard", |s| {
        s.bytes.windows(5).any(|w| w == b"\x1b]52;")
    });
    s.press("q");
    assert_eq!(s.exit_code(), 0);
    s.wait("the end", |s| s.ended);
    let seen = s.seen.0.lock().unwrap();
    let screen = seen.parser.screen();
    assert!(!screen.alternate_screen() && !screen.hide_cursor() && !screen.bracketed_paste());
    // It never asks the terminal anything: an answer that does not come would hang it.
    for question in [b"\x1b[6n".as_slice(), b"\x1b[c", b"\x1b[>c", b"\x1b[?u"] {
        assert!(!seen.bytes.windows(question.len()).any(|w| w == question));
    }
}

#[test]
fn a_job_runs_and_is_cancelled() {
    let mut s = open(&[], &[]);
    s.see("tile-64  champion");
    s.press("r4");
    s.see("3/12");
    // What a job prints cannot act on the terminal.
    s.see("\\x1b[31m812 us");
    s.press("x\r");
    s.see("cancelled");
    s.press("\x03\x03");
    assert_eq!(s.exit_code(), 0);
}

#[test]
fn quitting_with_a_running_job_asks_what_becomes_of_it() {
    let mut s = open(&["--zh"], &[]);
    s.see("最优");
    s.press("r");
    s.see("任务 (1)");
    s.press("q");
    s.see("仍有任务在运行");
    s.press("\x1b");
    s.wait("the question to go", |s| {
        !s.parser.screen().contents().contains("仍有任务在运行")
    });
    s.press("q");
    s.see("仍有任务在运行");
    s.press("c");
    assert_eq!(s.exit_code(), 0);
}

/// Every answer of the backend waits until the file is there, as on a disk that hangs.
#[test]
fn nothing_waits_for_a_disk_that_hangs() {
    let dir = tempfile::tempdir().unwrap();
    let go = dir.path().join("go");
    let mut s = open(&["--until", go.to_str().unwrap()], &[]);
    s.see("reading");
    s.press("?");
    s.see("Help: Variants");
    s.press("\x1b");
    s.wait("the help to close", |s| {
        !s.parser.screen().contents().contains("Help: Variants")
    });
    // Every screen comes up at once and says that it is still reading.
    for (keys, screen) in [
        ("4", "4 Jobs"),
        ("5", "5 History"),
        ("6", "6 Workloads"),
        ("7", "7 Profile"),
        ("8", "8 Report"),
        ("2", "2 Compare"),
        ("3", "3 Source"),
        ("1", "1 Variants"),
    ] {
        s.press(keys);
        s.wait(screen, |s| {
            let screen_now = s.parser.screen();
            let row: String = screen_now.rows(0, 120).next().unwrap();
            let at = row.find(screen).unwrap_or(0);
            let x = assay_core::text::width(&row[..at]) as u16;
            row.contains(screen)
                && screen_now
                    .cell(0, x)
                    .is_some_and(|c| c.inverse() || c.bold())
        });
    }
    std::fs::write(&go, "").unwrap();
    s.see("tile-64  champion");
    s.press("q");
    assert_eq!(s.exit_code(), 0);
}

#[test]
fn a_disk_that_hangs_does_not_keep_the_program() {
    let mut s = open(&["--until", "/no/such/file"], &[]);
    s.see("reading");
    s.press("q");
    assert_eq!(s.exit_code(), 0);
}

#[test]
fn an_editor_has_the_terminal_to_itself() {
    // It waits for a line, as an editor waits for keys, and says what it was given.
    let editor = "sh -c 'echo EDITING \"$@\"; read line; echo \"$line\"; test \"$line\" = fine' sh";
    let mut s = open(&["--mouse"], &[("EDITOR", editor)]);
    s.see("tile-64  champion");
    let mouse = |s: &Seen| s.parser.screen().mouse_protocol_mode();
    s.wait("the mouse", |s| {
        mouse(s) == vt100::MouseProtocolMode::PressRelease
    });
    for (line, then) in [("fine", "Commit the edits?"), ("bad", "exit status: 1")] {
        s.press("E");
        s.see("EDITING kernel 核.cu");
        s.wait("the main screen", |s| {
            let screen = s.parser.screen();
            !screen.alternate_screen() && mouse(s) == vt100::MouseProtocolMode::None
        });
        s.press(&format!("{line}\n"));
        s.see(then);
        s.wait("ours again", |s| {
            let screen = s.parser.screen();
            screen.alternate_screen() && mouse(s) == vt100::MouseProtocolMode::PressRelease
        });
        s.press("\x1b");
        // An escape with a key right behind it would be another key.
        s.wait("the box to close", |s| {
            !s.parser.screen().contents().contains(then)
        });
    }
    // Keys come to one reader, and the mouse is heard.
    s.press("j");
    s.see("four accumulators");
    s.press("\x1b[<0;20;1M");
    s.see("A=");
    s.press("M");
    s.wait("no mouse", |s| mouse(s) == vt100::MouseProtocolMode::None);
    s.press("1q");
    assert_eq!(s.exit_code(), 0);
}

#[test]
fn resize_and_redraw() {
    let mut s = open(&[], &[]);
    s.see("tile-64  champion");
    for (cols, rows) in [(1, 1), (15, 3), (60, 20), (120, 40)] {
        s.resize(cols, rows);
    }
    s.see("tile-64  champion");
    s.press("\x0c5");
    s.see("evaluator pinned");
    s.press("qq");
    assert_eq!(s.exit_code(), 0);
}

/// Each key is answered by itself: nothing else comes that could carry it along.
#[test]
fn the_first_key_after_a_resize_is_heard() {
    let mut s = open(&[], &[]);
    s.see("tile-64  champion");
    for (cols, key, text) in [
        (110, "5", "evaluator pinned"),
        (120, "1", "tile-64  champion"),
    ] {
        let before = s.seen.0.lock().unwrap().bytes.len();
        s.resize(cols, 40);
        s.wait("the new size", |s| {
            s.bytes.len() > before && s.bytes.ends_with(b"\x1b[?2026l")
        });
        s.press(key);
        s.see(text);
    }
    s.press("q");
    assert_eq!(s.exit_code(), 0);
}

#[test]
fn without_colours_the_selection_still_shows() {
    let mut s = open(&["--no-color"], &[("NO_COLOR", "1")]);
    s.see("tile-64  champion");
    s.wait("a reversed row", |s| {
        let screen = s.parser.screen();
        (0..40).any(|y| {
            screen.cell(y, 5).is_some_and(|c| c.inverse())
                && screen.cell(y, 0).is_some_and(|c| c.contents() == "▌")
        })
    });
    s.press("q");
    assert_eq!(s.exit_code(), 0);
    let seen = s.seen.0.lock().unwrap();
    assert!(
        !seen.bytes.windows(3).any(|w| w == b"\x1b[m"),
        "a bare reset drops bold and reverse"
    );
}

#[test]
fn a_vanished_terminal_ends_the_process() {
    let mut s = open(&[], &[]);
    s.see("tile-64  champion");
    s.press("r");
    s.see("Jobs (1)");
    s.hang_up();
    assert_ne!(s.exit_code(), 0);
}

#[test]
fn a_vanished_terminal_is_noticed_without_a_signal() {
    // Outside the terminal's session no SIGHUP comes: only the watchdog can notice.
    let dir = std::env::temp_dir().join(format!("assay-tui-pty-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let fifo = dir.join("held");
    assert!(
        std::process::Command::new("mkfifo")
            .arg(&fifo)
            .status()
            .unwrap()
            .success()
    );
    let mut command = CommandBuilder::new("sh");
    command.args(["-c", DETACHED, "sh"]);
    command.arg(std::env::current_exe().unwrap());
    command.args(PROGRAM);
    command.env("HELD", &fifo);
    command.env(ARGS, "");
    let (ended, end) = std::sync::mpsc::channel();
    let path = fifo.clone();
    std::thread::spawn(move || {
        // Ends when the last process that holds the other side has gone.
        let mut all = Vec::new();
        let read = std::fs::File::open(path).and_then(|mut f| f.read_to_end(&mut all));
        let _ = ended.send(read);
    });
    let mut s = start(command, &[]);
    s.see("tile-64  champion");
    s.hang_up();
    end.recv_timeout(DEADLINE)
        .expect("the process ends")
        .unwrap();
    let _ = std::fs::remove_dir_all(&dir);
}

#[test]
fn suspends_to_the_shell_and_comes_back() {
    // A shell in front of it: a process that leads its session has nobody to come back from.
    let mut command = CommandBuilder::new("sh");
    command.args(["-c", "\"$@\"; exit $?", "sh"]);
    command.arg(std::env::current_exe().unwrap());
    command.args(PROGRAM);
    command.env(ARGS, "");
    let mut s = start(command, &[]);
    s.see("tile-64  champion");
    s.press("\x1a");
    s.wait("the main screen", |s| {
        !s.parser.screen().alternate_screen() && !s.parser.screen().hide_cursor()
    });
    // The stop may come after the screen was given back; it is continued until it is back.
    let until = Instant::now() + DEADLINE;
    let back = |s: &Session| s.seen.0.lock().unwrap().parser.screen().alternate_screen();
    while !back(&s) {
        assert!(Instant::now() < until, "it stays stopped");
        rustix::process::kill_process_group(s.pid(), rustix::process::Signal::CONT).unwrap();
        std::thread::yield_now();
    }
    s.see("tile-64  champion");
    s.press("j");
    s.see("four accumulators");
    s.press("q");
    assert_eq!(s.exit_code(), 0);
}

#[test]
fn suspending_without_a_shell_is_refused() {
    let mut s = open(&[], &[]);
    s.see("tile-64  champion");
    s.press("\x1a");
    s.see("cannot suspend");
    s.press("q");
    assert_eq!(s.exit_code(), 0);
}

#[test]
fn idle_writes_nothing() {
    let mut s = open(&[], &[]);
    s.see("tile-64  champion");
    // The last frame is complete when its synchronized update has ended.
    s.wait("the detail", |s| {
        s.parser.screen().contents().contains("Source facts") && s.bytes.ends_with(b"\x1b[?2026l")
    });
    let seen = s.seen.0.lock().unwrap();
    let before = seen.bytes.len();
    // Longer than the time between two looks at the ledger.
    let time = std::time::Duration::from_millis(1500);
    let (seen, _) = s
        .seen
        .1
        .wait_timeout_while(seen, time, |now| now.bytes.len() == before)
        .unwrap();
    assert_eq!(seen.bytes.len(), before);
    drop(seen);
    s.press("q");
    assert_eq!(s.exit_code(), 0);
}

#[test]
fn termination_restores_the_terminal() {
    use rustix::process::Signal;
    for (signal, number) in [(Signal::TERM, 15), (Signal::QUIT, 3)] {
        let mut s = open(&[], &[]);
        s.see("tile-64  champion");
        rustix::process::kill_process(s.pid(), signal).unwrap();
        assert_eq!(s.exit_code(), 128 + number);
        s.wait("the end", |s| s.ended);
        let seen = s.seen.0.lock().unwrap();
        assert!(!seen.parser.screen().alternate_screen() && !seen.parser.screen().hide_cursor());
    }
}

/// What a shell finds after the program fell over: the message on the main screen, and a terminal in
/// which one can type.
#[test]
fn a_panic_restores_the_terminal_and_says_what_happened() {
    let mut command = CommandBuilder::new("sh");
    command.args([
        "-c",
        "\"$@\"; echo \"exit code $?\"; stty -a; echo 'those were the modes'; read line",
        "sh",
    ]);
    command.arg(std::env::current_exe().unwrap());
    command.args(PROGRAM);
    command.env(ARGS, "--fails-at-history --mouse");
    command.env("RUST_BACKTRACE", "0");
    let mut s = start(command, &[]);
    s.see("tile-64  champion");
    s.wait("our modes", |s| {
        let screen = s.parser.screen();
        screen.alternate_screen()
            && screen.bracketed_paste()
            && screen.mouse_protocol_mode() != vt100::MouseProtocolMode::None
    });
    s.press("5");
    // It ends as a program does that fell over, and not as one that was left.
    s.see("exit code 101");
    // What stands behind all that is read below: a terminal's output comes in pieces.
    s.see("those were the modes");
    let text = s.screen();
    assert!(text.contains("drawing fell over"), "{text}");
    let words: Vec<&str> = text.split_whitespace().collect();
    for mode in ["icanon", "echo", "isig", "icrnl", "opost"] {
        let is_on = words.iter().any(|w| w.trim_end_matches(';') == mode);
        assert!(is_on, "{mode} is off in {text}");
    }
    let seen = s.seen.0.lock().unwrap();
    let screen = seen.parser.screen();
    assert!(!screen.alternate_screen() && !screen.hide_cursor() && !screen.bracketed_paste());
    assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None);
}

#[test]
fn no_terminal_is_an_error_that_says_what_to_do() {
    let out = std::process::Command::new(std::env::current_exe().unwrap())
        .args(PROGRAM)
        .env(ARGS, "")
        .output()
        .unwrap();
    assert_eq!(out.status.code(), Some(4));
    assert!(String::from_utf8_lossy(&out.stderr).contains("assay list"));
    assert!(!out.stdout.contains(&0x1b));
}
