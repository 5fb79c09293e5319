//! What the name of a report says: the reports themselves do not name their kernel.

/// What a report is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Subject {
    /// All kernels of the process added up, those of the framework included.
    AllKernels,
    /// One launch of a kernel.
    Kernel {
        /// Its place among the launches that were recorded, from 1.
        index: u32,
        /// The name of the kernel.
        kernel: String,
    },
    /// The name says neither; this is it without its ending.
    Unclear(String),
}

/// Endings of the flavours, longest first where one ends with another.
const ENDINGS: &[&str] = &[
    "_dumped_result.json",
    ".txt.json",
    ".txt.csv",
    ".txt",
    ".json",
    ".csv",
];

/// The folder of a path and the name of the file in it.
pub(super) fn split(path: &str) -> (&str, &str) {
    path.rfind(['/', '\\'])
        .map_or(("", path), |at| (&path[..at], &path[at + 1..]))
}

/// What a report is about by its path: `report.*`, or `<n>_<kernel>.*`.
pub fn subject(path: &str) -> Subject {
    let file = split(path).1;
    let stem = ENDINGS
        .iter()
        .find_map(|e| file.strip_suffix(e))
        .unwrap_or(file);
    if stem == "report" {
        return Subject::AllKernels;
    }
    let kernel = stem.split_once('_').and_then(|(index, kernel)| {
        let is_index = !kernel.is_empty() && index.bytes().all(|b| b.is_ascii_digit());
        let index = index.parse().ok().filter(|i| is_index && *i > 0)?;
        Some(Subject::Kernel {
            index,
            kernel: kernel.to_owned(),
        })
    });
    kernel.unwrap_or_else(|| Subject::Unclear(stem.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_which_kernel_and_which_launch() {
        let kernel = |index, kernel: &str| Subject::Kernel {
            index,
            kernel: kernel.into(),
        };
        for (path, expected) in [
            ("out/report.txt.json", Subject::AllKernels),
            ("report_dumped_result.json", Subject::AllKernels),
            ("a\\12_gemm_kernel_1.txt", kernel(12, "gemm_kernel_1")),
            ("3_k_dumped_result.json", kernel(3, "k")),
            ("3__Z4gemmPf.txt.csv", kernel(3, "_Z4gemmPf")),
            ("0_k.txt", Subject::Unclear("0_k".into())),
            ("+1_k.txt", Subject::Unclear("+1_k".into())),
            ("1_.txt", Subject::Unclear("1_".into())),
            (
                "99999999999_k.txt",
                Subject::Unclear("99999999999_k".into()),
            ),
            ("../../x", Subject::Unclear("x".into())),
            ("", Subject::Unclear(String::new())),
        ] {
            assert_eq!(subject(path), expected, "{path}");
        }
    }
}
