//! A program in a pseudo-terminal with a model of its screen. Waits for what is on the screen, never
//! for time.

use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

/// Longest a test waits for something that should come at once.
pub const DEADLINE: Duration = Duration::from_secs(20);

/// What came from the program.
pub struct Seen {
    pub parser: vt100::Parser,
    pub bytes: Vec<u8>,
    pub ended: bool,
    /// The reader lets the master go after its next read.
    pub let_go: bool,
}

/// A running program. Dropping it kills it.
pub struct Session {
    pub child: Box<dyn Child + Send + Sync>,
    pub master: Option<Box<dyn MasterPty + Send>>,
    pub keys: Option<Box<dyn Write + Send>>,
    pub seen: Arc<(Mutex<Seen>, Condvar)>,
}

impl Session {
    /// Starts a program in a terminal of so many columns and rows.
    pub fn start(
        mut command: CommandBuilder,
        env: &[(&str, &str)],
        (cols, rows): (u16, u16),
    ) -> Self {
        let pair = native_pty_system().openpty(size(cols, rows)).unwrap();
        command.env("TERM", "xterm-256color");
        command.env_remove("NO_COLOR");
        for (k, v) in env {
            command.env(k, v);
        }
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let mut out = pair.master.try_clone_reader().unwrap();
        let keys = pair.master.take_writer().unwrap();
        let seen = Seen {
            parser: vt100::Parser::new(nonzero(rows), nonzero(cols), 0),
            bytes: Vec::new(),
            ended: false,
            let_go: false,
        };
        let seen = Arc::new((Mutex::new(seen), Condvar::new()));
        let writes = seen.clone();
        std::thread::spawn(move || {
            let mut buf = [0; 4096];
            loop {
                let n = out.read(&mut buf).unwrap_or(0);
                let mut s = writes.0.lock().unwrap();
                s.parser.process(&buf[..n]);
                s.bytes.extend_from_slice(&buf[..n]);
                if n == 0 || s.let_go {
                    drop(out);
                    s.ended = true;
                    writes.1.notify_all();
                    return;
                }
                writes.1.notify_all();
            }
        });
        Self {
            child,
            master: Some(pair.master),
            keys: Some(keys),
            seen,
        }
    }

    pub fn wait(&self, what: &str, found: impl Fn(&Seen) -> bool) {
        let until = Instant::now() + DEADLINE;
        let mut s = self.seen.0.lock().unwrap();
        while !found(&s) {
            let left = until.saturating_duration_since(Instant::now());
            assert!(
                !left.is_zero(),
                "waited for {what}; the screen is\n{}",
                s.parser.screen().contents()
            );
            s = self.seen.1.wait_timeout(s, left).unwrap().0;
        }
    }

    pub fn see(&self, text: &str) {
        self.wait(text, |s| s.parser.screen().contents().contains(text));
    }

    pub fn press(&mut self, keys: &str) {
        self.keys
            .as_mut()
            .unwrap()
            .write_all(keys.as_bytes())
            .unwrap();
    }

    /// Changes the size of the terminal.
    pub fn resize(&self, cols: u16, rows: u16) {
        let mut seen = self.seen.0.lock().unwrap();
        let screen = seen.parser.screen_mut();
        screen.set_size(nonzero(rows), nonzero(cols));
        drop(seen);
        let master = self.master.as_ref().unwrap();
        master.resize(size(cols, rows)).unwrap();
    }

    /// What is on the screen.
    pub fn screen(&self) -> String {
        self.seen.0.lock().unwrap().parser.screen().contents()
    }

    /// Closes the terminal as a dropped connection does.
    pub fn hang_up(&mut self) {
        self.seen.0.lock().unwrap().let_go = true;
        // A redraw brings the reader back from its read.
        self.press("\x0c");
        self.wait("the reader", |s| s.ended);
        self.keys = None;
        self.master = None;
    }

    pub fn exit_code(&mut self) -> u32 {
        let until = Instant::now() + DEADLINE;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.exit_code();
            }
            assert!(
                Instant::now() < until,
                "the process is still there; the screen is\n{}",
                self.screen()
            );
            std::thread::yield_now();
        }
    }

    /// Processor time of the process so far, user and system (fields 14 and 15 of proc(5)), which the kernel
    /// counts in hundredths of a second.
    pub fn processor_time(&self) -> Duration {
        let stat = self.of_proc("stat");
        let rest = stat.rsplit_once(')').unwrap().1;
        let fields: Vec<&str> = rest.split_whitespace().collect();
        let ticks = fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap();
        Duration::from_millis(ticks * 10)
    }

    /// The most memory that the process had in RAM, in bytes.
    pub fn peak_memory(&self) -> u64 {
        let status = self.of_proc("status");
        let line = status.lines().find(|l| l.starts_with("VmHWM")).unwrap();
        let kib: u64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
        kib * 1024
    }

    fn of_proc(&self, file: &str) -> String {
        let pid = self.pid().as_raw_nonzero();
        std::fs::read_to_string(format!("/proc/{pid}/{file}")).unwrap()
    }

    pub fn pid(&self) -> rustix::process::Pid {
        rustix::process::Pid::from_raw(self.child.process_id().unwrap() as i32).unwrap()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn size(cols: u16, rows: u16) -> PtySize {
    PtySize {
        rows,
        cols,
        pixel_width: 0,
        pixel_height: 0,
    }
}

fn nonzero(n: u16) -> NonZeroU16 {
    NonZeroU16::new(n).unwrap()
}
