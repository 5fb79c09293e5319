//! What a harness answers: JSON lines on the runner's pipe, read with suspicion.
//!
//! A line counts only with the nonce of its run. Lines without it are counted apart, because only
//! code under test has a reason to write them. What is not sound is a [`Problem`], never data.

mod parse;
mod state;

use std::collections::BTreeMap;
use std::fmt;

use assay_core::Sha256;
use assay_core::record::CheckResult;

pub use state::DeviceState;

/// Bytes of one line beyond which the rest of it is thrown away.
pub const LINE_MAX: usize = 1 << 20;
/// Bytes of all lines of one process beyond which the rest is thrown away.
pub const TOTAL_MAX: u64 = 256 << 20;
/// Problems kept word by word; further ones are counted.
const PROBLEMS_MAX: usize = 100;

/// One sound answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// Samples of one leg.
    Samples(Samples),
    /// Correctness on one workload.
    Check(CheckAnswer),
    /// A resource figure, e.g. registers per thread.
    Resource {
        /// Name.
        name: String,
        /// Value; finite.
        value: f64,
        /// Unit.
        unit: String,
    },
    /// Which file of a subject was loaded, by its content.
    Loaded {
        /// Id of the subject.
        subject: String,
        /// SHA-256 of the loaded file.
        sha256: Sha256,
    },
    /// The harness suspects a subject of not doing the work that is timed.
    Suspect(Suspicion),
    /// State of the device.
    Conditions(DeviceState),
    /// Something to tell people.
    Note(String),
    /// The program has done its part.
    Done,
}

/// Samples of one leg.
#[derive(Debug, Clone, PartialEq)]
pub struct Samples {
    /// Workload.
    pub workload: String,
    /// Id of the subject.
    pub subject: String,
    /// Number of the process, from 1.
    pub process: u32,
    /// Block, from 0.
    pub block: u32,
    /// Position in the block, from 0.
    pub leg: u32,
    /// Time of one launch in nanoseconds, one value for each timed batch; finite and positive.
    pub values_ns: Vec<f64>,
    /// Launches behind the values, if stated.
    pub launches: Option<u64>,
    /// Timer backend, if stated.
    pub timer: Option<String>,
}

impl Samples {
    fn leg_key(&self) -> LegKey {
        LegKey {
            workload: self.workload.clone(),
            process: self.process,
            block: self.block,
            leg: self.leg,
        }
    }
}

/// Correctness of one subject on one workload.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckAnswer {
    /// Id of the subject, if stated.
    pub subject: Option<String>,
    /// The result as records have it.
    pub result: CheckResult,
}

/// What a harness suspects a subject of, from how long things took; no result was wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suspicion {
    /// Id of the subject.
    pub subject: String,
    /// Workload.
    pub workload: String,
    /// What was seen, with the figures.
    pub detail: String,
}

/// A leg of one process: there is one line for each.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LegKey {
    /// Workload.
    pub workload: String,
    /// Number of the process.
    pub process: u32,
    /// Block, from 0.
    pub block: u32,
    /// Position in the block, from 0.
    pub leg: u32,
}

impl fmt::Display for LegKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "workload {}, process {}, block {}, leg {}",
            self.workload, self.process, self.block, self.leg
        )
    }
}

/// A line that did not become an answer, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Number of the line in the answers, from 1; 0 where it is about no single line.
    pub line: u64,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => f.write_str(&self.message),
            n => write!(f, "answer line {n}: {}", self.message),
        }
    }
}

/// A sound answer with its canonical text.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Number of the line, from 1.
    pub line: u64,
    /// The answer.
    pub answer: Answer,
    /// Canonical JSON of the line as it came, without the nonce.
    pub json: String,
}

/// Everything that one process answered.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answers {
    /// Sound answers, in order.
    pub lines: Vec<Line>,
    /// What was not sound.
    pub problems: Vec<Problem>,
    /// Problems beyond those that are kept.
    pub more_problems: u64,
    /// Lines without the right nonce: more than none means that the run is suspect.
    pub suspect: u64,
}

impl Answers {
    /// The canonical JSON of the sample lines, in order: the evidence.
    pub fn sample_lines(&self) -> Vec<String> {
        self.samples().map(|(line, _)| line.json.clone()).collect()
    }

    /// The samples, in order.
    pub fn samples(&self) -> impl Iterator<Item = (&Line, &Samples)> {
        self.lines.iter().filter_map(|l| match &l.answer {
            Answer::Samples(s) => Some((l, s)),
            _ => None,
        })
    }

    /// What was said of the state of the device, in order.
    pub fn states(&self) -> impl Iterator<Item = (&Line, &DeviceState)> {
        self.lines.iter().filter_map(|l| match &l.answer {
            Answer::Conditions(s) => Some((l, s)),
            _ => None,
        })
    }

    /// The checks, in order.
    pub fn checks(&self) -> impl Iterator<Item = &CheckAnswer> {
        self.lines.iter().filter_map(|l| match &l.answer {
            Answer::Check(c) => Some(c),
            _ => None,
        })
    }

    /// What subjects are suspected of, in order.
    pub fn suspicions(&self) -> impl Iterator<Item = &Suspicion> {
        self.lines.iter().filter_map(|l| match &l.answer {
            Answer::Suspect(s) => Some(s),
            _ => None,
        })
    }

    /// What was loaded: subjects by their ids, with the content of the file.
    pub fn loaded(&self) -> impl Iterator<Item = (&str, Sha256)> {
        self.lines.iter().filter_map(|l| match &l.answer {
            Answer::Loaded { subject, sha256 } => Some((subject.as_str(), *sha256)),
            _ => None,
        })
    }

    /// The notes, in order.
    pub fn notes(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().filter_map(|l| match &l.answer {
            Answer::Note(n) => Some(n.as_str()),
            _ => None,
        })
    }

    /// Whether the program said that it has done its part.
    pub fn done(&self) -> bool {
        self.lines.iter().any(|l| l.answer == Answer::Done)
    }

    /// The problems as text, with the count of those that are not kept.
    pub fn problem_texts(&self) -> Vec<String> {
        let mut texts: Vec<String> = self.problems.iter().map(Problem::to_string).collect();
        if self.more_problems > 0 {
            texts.push(format!("and {} more problems", self.more_problems));
        }
        texts
    }

    fn problem(&mut self, line: u64, message: impl Into<String>) {
        if self.problems.len() < PROBLEMS_MAX {
            self.problems.push(Problem {
                line,
                message: message.into(),
            });
        } else {
            self.more_problems += 1;
        }
    }
}

/// Reads answers as they come.
pub struct Reader {
    nonce: String,
    held: Vec<u8>,
    overlong: bool,
    total: u64,
    line: u64,
    seen: BTreeMap<LegKey, u64>,
    answers: Answers,
}

impl Reader {
    /// A reader for the run with this nonce.
    pub fn new(nonce: &str) -> Self {
        Self {
            nonce: nonce.to_owned(),
            held: Vec::new(),
            overlong: false,
            total: 0,
            line: 0,
            seen: BTreeMap::new(),
            answers: Answers::default(),
        }
    }

    /// Takes bytes from the pipe. Returns the sound answers that they complete.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Answer> {
        let before = self.total;
        self.total += bytes.len() as u64;
        if before > TOTAL_MAX {
            return Vec::new();
        }
        if self.total > TOTAL_MAX {
            let message = format!("more than {TOTAL_MAX} bytes of answers; the rest is left out");
            self.answers.problem(0, message);
            return Vec::new();
        }
        let from = self.answers.lines.len();
        let mut rest = bytes;
        while let Some(i) = rest.iter().position(|&b| b == b'\n') {
            self.hold(&rest[..i]);
            self.end_line();
            rest = &rest[i + 1..];
        }
        self.hold(rest);
        let new = &self.answers.lines[from..];
        new.iter().map(|l| l.answer.clone()).collect()
    }

    /// Takes the last line, which may lack its line feed, and hands out everything.
    pub fn finish(mut self) -> Answers {
        if !self.held.is_empty() {
            self.end_line();
        }
        self.answers
    }

    fn hold(&mut self, bytes: &[u8]) {
        let room = LINE_MAX - self.held.len();
        self.overlong |= bytes.len() > room;
        self.held.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    fn end_line(&mut self) {
        self.line += 1;
        let line = self.line;
        let bytes = std::mem::take(&mut self.held);
        if std::mem::take(&mut self.overlong) {
            let message = format!("longer than {LINE_MAX} bytes");
            return self.answers.problem(line, message);
        }
        if bytes.trim_ascii().is_empty() {
            return;
        }
        match parse::line(&bytes, &self.nonce) {
            Ok((answer, json)) => {
                if let Answer::Samples(s) = &answer
                    && let Some(first) = self.seen.insert(s.leg_key(), line)
                {
                    let message = format!("{} is claimed before on line {first}", s.leg_key());
                    self.answers.problem(line, message);
                }
                self.answers.lines.push(Line { line, answer, json });
            }
            Err(parse::Bad::Nonce) => self.answers.suspect += 1,
            Err(parse::Bad::Line(message)) => self.answers.problem(line, message),
        }
    }
}

#[cfg(test)]
mod tests;
