//! Formats, one file each. A new one adds a line to the table here.

pub mod cachegrind;
pub mod callgrind;
pub mod mcprofiler;
pub mod ncu;
pub mod perf_json;
pub mod perf_stat;
mod pieces;
pub mod resources;
pub mod rocprof;
pub mod static_asm;
mod table;
pub mod trace;

pub(crate) use self::table::{Places, Table};
use std::io::Read;

use crate::encoding::utf8;
use crate::{Profile, ProfileError};
use mcprofiler::{
    csv as mc_csv, dumped as mc_dumped, raw as mc_raw, txt as mc_txt, txt_json as mc_txt_json,
};

macro_rules! formats {
    ($($(#[$doc:meta])* $variant:ident = $module:ident),* $(,)?) => {
        /// A format that bytes can be read in.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Format { $($(#[$doc])* $variant,)* }

        impl Format {
            /// Every format, in the order in which they are tried.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The name for people.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $module::NAME,)* }
            }

            /// Whether the content looks like this format.
            pub fn matches(self, bytes: &[u8]) -> bool {
                match self { $(Self::$variant => $module::matches(bytes),)* }
            }

            /// Reads the content in this format.
            ///
            /// # Errors
            /// When not one counter can be found.
            pub fn parse(self, bytes: &[u8]) -> Result<Profile, ProfileError> {
                let mut profile = match self { $(Self::$variant => $module::parse(bytes),)* }?;
                if !self.names_counters() {
                    crate::Catalog::builtin().name_counters(&mut profile);
                }
                Ok(profile)
            }
        }
    };
}

impl Format {
    /// Whether the reader itself gives counters their names in the catalog, which takes less time.
    fn names_counters(self) -> bool {
        matches!(
            self,
            Self::NsightCompute
                | Self::McProfilerDumped
                | Self::McProfilerTxtJson
                | Self::McProfilerTxt
                | Self::McProfilerCsv
        )
    }

    /// Reads content in this format as it comes, with memory for its counters and no more; none
    /// where the format is not read in that way, and the content is needed as a whole.
    ///
    /// # Errors
    /// When not one counter can be found.
    pub fn parse_reader(self, source: &mut dyn Read) -> Option<Result<Profile, ProfileError>> {
        let read = match self {
            Self::McProfilerHardware => mc_raw::parse_reader(source),
            Self::McTrace => trace::parse_reader(source),
            _ => return None,
        };
        Some(read.map(|mut profile| {
            crate::Catalog::builtin().name_counters(&mut profile);
            profile
        }))
    }

    /// Whether content can be read as it comes: see [`Format::parse_reader`].
    pub fn is_streamed(self) -> bool {
        matches!(self, Self::McProfilerHardware | Self::McTrace)
    }
}

formats! {
    /// `*_dumped_result.json` of mcProfiler.
    McProfilerDumped = mc_dumped,
    /// `*.txt.json` of mcProfiler.
    McProfilerTxtJson = mc_txt_json,
    /// `*.txt` of mcProfiler.
    McProfilerTxt = mc_txt,
    /// `*.txt.csv` of mcProfiler.
    McProfilerCsv = mc_csv,
    /// `<casename>.json` of mcProfiler.
    McProfilerHardware = mc_raw,
    /// Output of `ncu --csv`, any page.
    NsightCompute = ncu,
    /// Output file of `valgrind --tool=cachegrind`.
    Cachegrind = cachegrind,
    /// Output file of `valgrind --tool=callgrind`.
    Callgrind = callgrind,
    /// Output of `perf stat -j`.
    PerfStatJson = perf_json,
    /// Event trace of mcTracer, or a cycle trace.
    McTrace = trace,
    /// CSV of rocprofv3 or rocprof-compute.
    Rocprof = rocprof,
    /// What `ptxas -v` or `mxcc -resource-usage` prints.
    Resources = resources,
    /// Output of `perf stat -x`.
    PerfStat = perf_stat,
}

/// The format that the content is in, if it is one that is known.
pub fn detect(bytes: &[u8]) -> Option<Format> {
    let bytes = &utf8(bytes).bytes;
    Format::ALL.iter().copied().find(|f| f.matches(bytes))
}

/// Reads a profile in whatever format it is in.
///
/// # Errors
/// When the format is not known or the content has no counter.
pub fn parse(bytes: &[u8]) -> Result<Profile, ProfileError> {
    let content = utf8(bytes);
    let mut profile = parse_utf8(&content.bytes)?;
    profile.notices.extend(content.notice.map(str::to_owned));
    Ok(profile)
}

fn parse_utf8(bytes: &[u8]) -> Result<Profile, ProfileError> {
    let Some(format) = detect(bytes) else {
        let first = head(bytes);
        let first = first.lines().find(|l| !l.trim().is_empty()).unwrap_or("");
        let first = assay_core::text::inert(first).into_owned();
        return Err(ProfileError::Unknown {
            known: Format::ALL
                .iter()
                .map(|f| f.name())
                .collect::<Vec<_>>()
                .join(", "),
            seen: if first.is_empty() {
                "the content is empty".into()
            } else {
                format!("it begins `{}`", assay_core::text::truncate(&first, 60))
            },
        });
    };
    format.parse(bytes)
}

/// The beginning of the content, as far as recognition needs it.
fn head(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    let bytes = without_mark(bytes);
    String::from_utf8_lossy(&bytes[..bytes.len().min(64 << 10)])
}

/// The notice about bytes that are no text.
const NOT_UTF8: &str = "Some bytes are not UTF-8; they are shown as replacement characters.";

/// The content without a byte order mark, which shells of Windows write.
fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes)
}

/// The content as text; bytes that are not UTF-8 are replaced, and a notice says so.
pub(crate) fn text<'a>(bytes: &'a [u8], notices: &mut Vec<String>) -> std::borrow::Cow<'a, str> {
    let bytes = without_mark(bytes);
    // The check of the whole is several times faster than the search for what is wrong.
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text.into();
    }
    let text = String::from_utf8_lossy(bytes);
    if let std::borrow::Cow::Owned(_) = text {
        notices.push(NOT_UTF8.into());
    }
    text
}

/// A counter from a JSON number, which has lost how it was printed.
pub(crate) fn json_number(
    section: &str,
    name: &str,
    n: &serde_json::Number,
    unit: &str,
) -> crate::Counter {
    /// From here on not every integer is a double.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let mut c =
        crate::Counter::without_value(section, name, &n.to_string(), unit, crate::Status::Value);
    c.resolution = (!n.is_f64()).then_some(1.0);
    if n.is_f64() && n.as_f64().is_some_and(|f| f.abs() >= EXACT) {
        c.suspect
            .push("more digits than a 64-bit integer or a double holds: it may be rounded".into());
    }
    c.value = Some(n.clone());
    c
}
