//! The output of a program as lines, told while it runs.
//!
//! What a program writes has no bounds and is not to be trusted: lines are made inert and parted where
//! they are long, a line that the program writes over itself is told now and then, and what comes
//! faster than anybody reads is left out and counted. Memory is that of one line.

use std::time::{Duration, Instant};

use assay_core::text::{inert, width};

use crate::progress::Progress;

/// Longest line that is told in one piece, in bytes.
const LINE: usize = 4 << 10;

/// Bytes that are told however fast they come.
const BURST: u64 = 256 << 10;

/// Bytes a second that are told beyond these.
const RATE: u64 = 128 << 10;

/// Time between two states of a line that the program writes over itself, such as a bar.
const OVERWRITTEN: Duration = Duration::from_millis(500);

/// Columns between two stops of a tab.
const TAB: usize = 8;

/// Makes lines of output, and tells them.
pub(super) struct Live<'a> {
    to: &'a dyn Progress,
    line: Vec<u8>,
    /// A carriage return came: what follows is written over the line, unless a line feed does.
    returned: bool,
    /// When a line was last told that the program went on to write over.
    overwritten: Option<Instant>,
    /// Bytes that may be told now, and when that was so.
    room: (u64, Instant),
    /// Lines left out since one was told.
    left_out: u64,
}

impl<'a> Live<'a> {
    pub(super) fn new(to: &'a dyn Progress) -> Self {
        Self {
            to,
            line: Vec::new(),
            returned: false,
            overwritten: None,
            room: (BURST, Instant::now()),
            left_out: 0,
        }
    }

    /// Takes output as it came.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.push_at(bytes, Instant::now());
    }

    fn push_at(&mut self, bytes: &[u8], now: Instant) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let end = rest.iter().position(|b| matches!(b, b'\n' | b'\r'));
            let (text, after) = rest.split_at(end.unwrap_or(rest.len()));
            self.add(text, now);
            rest = match after.split_first() {
                Some((b'\n', next)) => {
                    self.returned = false;
                    self.tell(now);
                    next
                }
                Some((_, next)) => {
                    self.returned = true;
                    next
                }
                None => return,
            };
        }
    }

    /// Adds text without ends of lines.
    fn add(&mut self, mut text: &[u8], now: Instant) {
        if text.is_empty() {
            return;
        }
        if std::mem::take(&mut self.returned) {
            let lately = |t: Instant| now.saturating_duration_since(t) < OVERWRITTEN;
            match self.overwritten.is_some_and(lately) || self.line.is_empty() {
                true => self.line.clear(),
                false => {
                    self.overwritten = Some(now);
                    self.tell(now);
                }
            }
        }
        while self.line.len() + text.len() > LINE {
            let (head, tail) = text.split_at((LINE - self.line.len()).min(text.len()));
            self.line.extend_from_slice(head);
            text = tail;
            // The bytes of one character stay together.
            let begun = self.line.iter().rev().take(3);
            let begun = begun.take_while(|b| *b & 0xc0 == 0x80).count() + 1;
            let cut = match self.line.get(LINE - begun) {
                Some(b) if *b >= 0xc0 => LINE - begun,
                _ => LINE,
            };
            let kept = self.line.split_off(cut);
            self.tell(now);
            self.line = kept;
        }
        self.line.extend_from_slice(text);
    }

    /// Tells the line, or counts it as left out.
    fn tell(&mut self, now: Instant) {
        let line = std::mem::take(&mut self.line);
        let (room, since) = self.room;
        let passed = now.saturating_duration_since(since).as_millis();
        let more = u64::try_from(passed).unwrap_or(u64::MAX);
        let more = more.saturating_mul(RATE) / 1000;
        let room = room.saturating_add(more).min(BURST);
        let cost = line.len() as u64 + 1;
        if cost > room {
            // What is less than a byte is not lost: the time is taken anew only with some.
            if more > 0 {
                self.room = (room, now);
            }
            self.left_out += 1;
            return;
        }
        self.room = (room - cost, now);
        self.tell_left_out();
        self.to.said(&shown(&line));
    }

    fn tell_left_out(&mut self) {
        let n = std::mem::take(&mut self.left_out);
        if n > 0 {
            self.to.line(&format!(
                "[assay: {n} lines of output came too fast and are left out here; the log of the stage has them]"
            ));
        }
    }
}

impl Drop for Live<'_> {
    fn drop(&mut self) {
        if !self.line.is_empty() {
            self.tell(Instant::now());
        }
        self.tell_left_out();
    }
}

/// A line with blanks for its tabs, inert.
fn shown(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let mut out = String::with_capacity(text.len());
    for (i, part) in text.split('\t').enumerate() {
        if i > 0 {
            out.push_str(&" ".repeat(TAB - width(&out) % TAB));
        }
        out.push_str(&inert(part));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::{Collect, Told};

    fn said(pushes: &[(&[u8], u64)]) -> Vec<String> {
        let all = Collect::default();
        let mut live = Live::new(&all);
        let begun = Instant::now();
        for (bytes, ms) in pushes {
            live.push_at(bytes, begun + Duration::from_millis(*ms));
        }
        drop(live);
        let text = |t| match t {
            Told::Said(text) | Told::Line(text) => text,
            other => panic!("{other:?}"),
        };
        all.told().into_iter().map(text).collect()
    }

    #[test]
    fn lines_are_told_as_they_end_and_the_last_without_an_end() {
        assert_eq!(
            said(&[(b"on", 0), (b"e\r", 0), (b"\ntwo\n\nth", 0), (b"ree", 0)]),
            ["one", "two", "", "three"]
        );
        assert_eq!(said(&[(b"", 0)]), [""; 0]);
    }

    #[test]
    fn output_is_inert_and_keeps_its_columns() {
        let text = "\x1b[31mred\x1b[0m\u{202e}\nab\tc\n核\tc\n".as_bytes();
        assert_eq!(
            said(&[(text, 0)]),
            ["\\x1b[31mred\\x1b[0m\\u{202e}", "ab      c", "核      c"]
        );
        assert_eq!(said(&[(b"\xff\xfe\n", 0)]), ["\u{fffd}\u{fffd}"]);
    }

    #[test]
    fn a_line_that_is_written_over_is_told_now_and_then() {
        let bar = [
            (&b"\r 10 %"[..], 0),
            (b"\r 20 %", 10),
            (b"\r 30 %", 20),
            (b"\r 40 %", 900),
            (b"\r100 %\n", 910),
        ];
        assert_eq!(said(&bar), [" 10 %", " 30 %", "100 %"]);
    }

    #[test]
    fn long_lines_are_parted_between_characters() {
        let long = "核".repeat(LINE);
        let got = said(&[(long.as_bytes(), 0)]);
        assert_eq!(got.concat(), long);
        assert!(
            got.len() == 4 && got.iter().all(|l| l.len() <= LINE),
            "{}",
            got.len()
        );
        let bytes = vec![0x80; LINE + 10];
        assert_eq!(said(&[(&bytes, 0)]).len(), 2);
    }

    #[test]
    fn a_flood_is_left_out_and_counted() {
        let line = [b'x'; 1023]
            .iter()
            .chain(b"\n")
            .copied()
            .collect::<Vec<u8>>();
        let flood = line.repeat(1000);
        let got = said(&[(&flood, 0), (b"after\n", 1000)]);
        assert_eq!(got.len(), 256 + 2);
        assert!(got[256].contains("744 lines of output"), "{}", got[256]);
        assert_eq!(got[257], "after");
        // Also where nothing follows.
        let got = said(&[(&flood, 0)]);
        assert!(got.last().is_some_and(|l| l.contains("744 lines")));
    }
}
