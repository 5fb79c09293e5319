//! Whether all of a report was read.

/// What readers say in a notice when content is missing from what they read.
const WORDS: [&str; 8] = [
    "cut short",
    "cut off",
    "may be cut",
    "damaged",
    "was not read",
    "were not read",
    "could not be read",
    "the others are missing",
];

/// The first notice that says that part of the content is missing; none when all of it was read.
pub fn partly(notices: &[String]) -> Option<&str> {
    let mut found = notices.iter().filter(|n| {
        let n = n.to_lowercase();
        WORDS.iter().any(|w| n.contains(w))
    });
    found.next().map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_readers_say_of_cut_content_is_known() {
        let whole = b"Kernel,Time (us)\nk,1\nk,2\n";
        let mapping = "schema = \"assay.mapping/1\"\ntool = \"t\"\nformat = \"csv\"\nkernel = \"Kernel\"\n[[counters]]\nfrom = \"Time (us)\"\n";
        let mapping = crate::Mapping::read("m", mapping).unwrap();
        assert_eq!(partly(&mapping.parse(whole).unwrap().notices), None);
        let cut = mapping.parse(&whole[..whole.len() - 1]).unwrap();
        assert!(
            partly(&cut.notices).unwrap().contains("line 3"),
            "{:?}",
            cut.notices
        );
        let ncu = include_bytes!("../../../docs/samples/gemm_h200_ncu_raw.csv");
        assert_eq!(partly(&crate::parse(ncu).unwrap().notices), None);
        let cut = crate::parse(&ncu[..9000]).unwrap();
        assert!(partly(&cut.notices).is_some(), "{:?}", cut.notices);
        let json = br#"{"rows":[{"k":"a","v":1},{"k":"b","#;
        let mapping = "schema = \"assay.mapping/1\"\ntool = \"t\"\nformat = \"json\"\nrows = \"/rows\"\nkernel = \"/k\"\n[[counters]]\nfrom = \"/v\"\n";
        let mapping = crate::Mapping::read("m", mapping).unwrap();
        assert!(partly(&mapping.parse(json).unwrap().notices).is_some());
    }

    #[test]
    fn rows_that_lack_something_are_told_by_line() {
        let text = "Kernel,Time (us)\n\nk,1\n,2\nk,3,4\nk,\"a\nb\"\nk\n";
        let mapping = "schema = \"assay.mapping/1\"\ntool = \"t\"\nformat = \"csv\"\nkernel = \"Kernel\"\n[[counters]]\nfrom = \"Time (us)\"\n";
        let mapping = crate::Mapping::read("m", mapping).unwrap();
        let notices = mapping.parse(text.as_bytes()).unwrap().notices;
        assert!(
            notices
                .iter()
                .any(|n| n.contains("1 row lacks what the mapping names (line 4)")),
            "{notices:?}"
        );
        assert!(
            notices.iter().any(|n| n.contains("(lines 5, 8)")),
            "{notices:?}"
        );
    }
}
