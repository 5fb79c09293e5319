//! Memory of streamed formats does not grow with the content. One test to a program: it looks at
//! the peak of the whole process.

#![cfg(target_os = "linux")]

use std::io::Read;

use assay_profile::{Format, Profile};

/// The same piece of text again and again, between a beginning and an end.
struct Repeated<'a> {
    parts: [&'a str; 3],
    times: usize,
    at: usize,
    part: usize,
}

impl Read for Repeated<'_> {
    fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
        let Some(text) = self.parts.get(self.part) else {
            return Ok(0);
        };
        let rest = &text.as_bytes()[self.at..];
        let n = rest.len().min(to.len());
        to[..n].copy_from_slice(&rest[..n]);
        self.at += n;
        if self.at == text.len() {
            self.at = 0;
            match (self.part, self.times) {
                (1, 2..) => self.times -= 1,
                _ => self.part += 1,
            }
        }
        Ok(n)
    }
}

fn read(format: Format, parts: [&str; 3], times: usize) -> Profile {
    let mut source = Repeated {
        parts,
        times,
        at: 0,
        part: 0,
    };
    format
        .parse_reader(&mut source)
        .expect("a streamed format")
        .expect("a profile")
}

/// Peak memory of this process in KiB.
fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("a status");
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    let number = line.and_then(|l| l.split_whitespace().next());
    number.and_then(|n| n.parse().ok()).expect("a number")
}

#[test]
fn peaks_do_not_grow_with_the_content() {
    let event = "{\"ph\":\"X\",\"cat\":\"0\",\"ts\":1789465586316884736,\"dur\":70,\"name\":\"k(int)\",\"args\":{\"grid\":{\"x\":4,\"y\":1,\"z\":1},\"block\":{\"x\":256,\"y\":1,\"z\":1},\"mtreg_occupancy(%)\":1,\"submit_ts\":7}},\n";
    let last = "{\"ph\":\"X\",\"cat\":\"api\",\"dur\":1,\"name\":\"call\"}]}";
    let trace = ["{\"traceEvents\":[", event, last];
    let side = "{\"frame\": [1, 2, 3]},\n";
    let beside = [
        "{\"stackFrames\":[",
        side,
        "0], \"traceEvents\":[{\"ph\":\"X\",\"cat\":\"MMA\",\"name\":\"m\",\"dur\":4}]}",
    ];
    let unread = [
        "{\"umd_data\": [",
        side,
        "0], \"perf_counters\": {\"0\": [{\"CE\": {\"generic\": {\"W\": 1}}}]}}",
    ];
    let all = |times: usize| {
        // More launches than are listed one by one.
        let p = read(Format::McTrace, trace, 12_000 * times);
        assert_eq!(p.launches.len(), 10_000 + 2);
        read(Format::McTrace, beside, 100_000 * times);
        read(Format::McProfilerHardware, unread, 100_000 * times);
    };
    all(1);
    let before = peak();
    all(8);
    let grown = peak() - before;
    assert!(
        grown < 4 << 10,
        "{grown} KiB more for eight times the content"
    );
}
