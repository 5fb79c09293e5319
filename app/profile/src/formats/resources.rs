//! What compilers say about the resources of kernels: `ptxas -v` and `mxcc -resource-usage`.
//!
//! Known before anything runs: registers, shared memory, stack and spills. One launch of the
//! profile is one kernel as compiled for one architecture.

use super::{head, text};
use crate::{Counter, Launch, Profile, ProfileError, Scope, Status};

/// Name of the format.
pub const NAME: &str = "ptxas -v or mxcc -resource-usage";

/// Tools by the beginning of their lines.
const TOOLS: [(&str, &str); 2] = [("ptxas info", "ptxas"), ("maca info", "mxcc")];

/// Messages that are kept word for word.
const MAX_NOTICES: usize = 100;

pub(super) fn matches(bytes: &[u8]) -> bool {
    head(bytes).lines().any(|l| message(l).is_some())
}

/// The tool and what it says.
fn message(line: &str) -> Option<(&'static str, &str)> {
    let line = line.trim_start();
    TOOLS.iter().find_map(|(prefix, tool)| {
        let rest = line.strip_prefix(prefix)?.trim_start();
        // `(C7510)` and the like may stand before the colon.
        let (code, rest) = rest.split_once(':')?;
        (code.is_empty() || code.starts_with('(')).then(|| (*tool, rest.trim()))
    })
}

pub(super) fn parse(bytes: &[u8]) -> Result<Profile, ProfileError> {
    let mut profile = Profile::new(TOOLS[0].1, "text");
    let text = text(bytes, &mut profile.notices);
    let mut r = Reader::default();
    let mut tool = None;
    for line in text.lines() {
        if let Some((t, said)) = message(line) {
            tool = tool.or(Some(t));
            if said.contains("Performance Loss") {
                r.notice(line);
            } else {
                r.message(said);
            }
        } else if r.properties && line.starts_with([' ', '\t']) {
            r.amounts(line, true);
        } else {
            let odd = ["ptxas warning", "ptxas error", "ptxas fatal"];
            if odd.iter().any(|p| line.trim_start().starts_with(p)) {
                r.notice(line);
            }
            r.properties = false;
        }
    }
    profile.tool = tool.unwrap_or(TOOLS[0].1).to_owned();
    if !text.ends_with(['\n', '\r']) {
        r.doubt_the_last();
    }
    profile.launches = r.kernels;
    profile.notices.append(&mut r.notices);
    if r.unread > 0 {
        profile.notices.push(format!(
            "{} messages could not be read as amounts.",
            r.unread
        ));
    }
    if profile.launches.iter().all(|l| l.is_empty()) {
        return Err(ProfileError::Unusable {
            format: NAME,
            problem: "no kernel in it; compile with `-Xptxas -v` or `-resource-usage`".into(),
        });
    }
    Ok(profile)
}

#[derive(Default)]
struct Reader {
    kernels: Vec<Launch>,
    /// The kernel being compiled, and the function that the properties are about.
    entry: Option<usize>,
    function: Option<usize>,
    properties: bool,
    notices: Vec<String>,
    unread: u64,
}

impl Reader {
    /// Keeps a line that is to be seen.
    fn notice(&mut self, line: &str) {
        if self.notices.len() < MAX_NOTICES {
            let line = assay_core::text::inert(line);
            self.notices
                .push(assay_core::text::truncate(&line, 300).into_owned());
        }
    }

    /// Marks what stands last in a file without a line end, of which digits could be missing.
    fn doubt_the_last(&mut self) {
        let launch = self.function.and_then(|at| self.kernels.get_mut(at));
        if let Some(launch) = launch
            && let Some(last) = launch.len().checked_sub(1)
        {
            let why = "the file ends here without a line end; it may be cut".to_owned();
            launch.counters.doubt(last, why);
        }
    }

    fn message(&mut self, said: &str) {
        self.properties = false;
        if let Some(rest) = said.strip_prefix("Compiling entry function ") {
            let mut words = rest.split('\'');
            let name = words.nth(1).unwrap_or(rest);
            let target = words.nth(1).unwrap_or("");
            let at = self.kernel(name);
            if !target.is_empty() {
                self.kernels[at].push(Counter::words("", "target", target));
            }
            self.entry = Some(at);
            self.function = Some(at);
        } else if let Some(name) = said.strip_prefix("Function properties for ") {
            let name = name.trim();
            let same = |at: &usize| self.kernels[*at].kernel == name;
            let at = match self.entry.filter(same) {
                Some(at) => at,
                None => self.kernel(name),
            };
            self.function = Some(at);
            // Where entry functions are announced, a function without is no kernel.
            if self.entry.is_none() || !self.in_ptxas() {
                self.entry = Some(at);
            }
            self.properties = true;
        } else if said.starts_with("Used ") {
            self.function = self.entry.or(self.function);
            self.amounts(said, false);
        } else if let Some((name, value)) = said.split_once(':')
            && self.entry.is_some()
        {
            self.push(name.trim(), value.trim(), "1");
        } else if let Some((name, value)) = said.split_once(" = ")
            && let Some((value, unit)) = value.trim().split_once(' ')
            && self.entry.is_some()
        {
            self.function = self.entry;
            self.push(name.trim(), value, unit);
        }
    }

    /// Whether entry functions are announced, so that other functions are not kernels.
    fn in_ptxas(&self) -> bool {
        self.kernels
            .iter()
            .any(|k| k.get(0).is_some_and(|c| c.name() == "target"))
    }

    fn kernel(&mut self, name: &str) -> usize {
        self.kernels.push(Launch::new(name, Scope::PerKernel));
        self.kernels.len() - 1
    }

    /// `8 bytes stack frame, 0 bytes spill stores` or `Used 32 registers, used 1 barriers`.
    fn amounts(&mut self, text: &str, indented: bool) {
        for part in text.split(',') {
            let words: Vec<&str> = part.split_whitespace().collect();
            let words = match words.as_slice() {
                [first, rest @ ..] if first.eq_ignore_ascii_case("used") => rest,
                all => all,
            };
            match words {
                [n, "bytes", name @ ..] if !name.is_empty() => {
                    self.push(&name.join(" "), n, "bytes")
                }
                [n, name @ ..]
                    if !name.is_empty() && n.starts_with(|c: char| c.is_ascii_digit()) =>
                {
                    self.push(&name.join(" "), n, "1");
                }
                _ if indented => self.properties = false,
                _ => self.unread += 1,
            }
        }
    }

    fn push(&mut self, name: &str, value: &str, unit: &str) {
        if let Some(launch) = self.function.and_then(|at| self.kernels.get_mut(at)) {
            launch.push(counter(name, value, unit));
        }
    }
}

/// A figure; the first versions of ptxas print one as static and dynamic part, `4096+16`.
fn counter(name: &str, value: &str, unit: &str) -> Counter {
    let mut c = Counter::read("", name, value, unit);
    let digits = |t: &str| {
        t.bytes()
            .all(|b| b.is_ascii_digit())
            .then(|| t.parse().ok())?
    };
    let parts = value.split_once('+').map(|(a, b)| (digits(a), digits(b)));
    if let Some((Some(a), Some(b))) = parts
        && let Some(sum) = u64::checked_add(a, b)
    {
        c = Counter::without_value("", name, value, unit, Status::Value);
        c.value = Some(sum.into());
        c.resolution = Some(1.0);
    }
    c
}
