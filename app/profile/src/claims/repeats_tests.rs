//! Figures that a document prints more than once.

use super::Outcome;
use super::tests::{gemm, held, one};
use crate::Mapping;

#[test]
fn a_figure_that_is_printed_in_several_places_follows_from_the_most_digits() {
    // The review, sections 3, 14 and 18: one baseline with 17, 5 and 4 digits of its time.
    let table = "subject,section,latency,TFLOPS\n\
        torch-mm,3,16.474111557006836 ms,233.59625093586484\n\
        torch-mm,14,16.474 ms,233.60\n\
        torch-mm,18,16.47 ms,233.6\n\
        other,3,32.821 ms,117.25\n";
    let columns = "workload = \"section\"\nkernel = \"subject\"\n\
        [[counters]]\nfrom = \"latency\"\nname = \"latency\"\nunit = \"ms\"\ncanonical = \"claim.time\"\n\
        [[counters]]\nfrom = \"TFLOPS\"\nname = \"TFLOPS\"\nunit = \"TFLOPS\"\ncanonical = \"claim.tflops\"\n";
    let repeats = format!("repeats = true\n{columns}");
    let all = held(&repeats, table, &gemm);
    assert!(all.iter().all(|h| h.outcome == Outcome::Agrees), "{all:#?}");
    let rounded = one(&all, "torch-mm · 18", "TFLOPS");
    assert_eq!(rounded.rows, ["torch-mm · 18", "torch-mm · 3"]);
    assert!(
        (rounded.computed.unwrap() - 233.596_250_9).abs() < 1e-6,
        "{rounded:#?}"
    );
    let as_in = all
        .iter()
        .filter(|h| h.figure.ends_with(" as in torch-mm · 3"));
    assert_eq!(as_in.count(), 4);
    // Nobody says so: 16.47 ms stand for themselves, and leave room for it.
    let alone = held(columns, table, &gemm);
    let rounded = one(&alone, "torch-mm · 18", "TFLOPS");
    assert_eq!(rounded.outcome, Outcome::Rounding);
    assert!(
        rounded.why.contains("allow 233.58 to 233.73"),
        "{rounded:#?}"
    );
    // Another time under the same name is told, and no throughput follows from it.
    let other = held(&repeats, &table.replace("16.47 ms", "16.57 ms"), &gemm);
    let print = one(&other, "torch-mm · 18", "latency as in");
    assert_eq!(print.outcome, Outcome::Disagrees);
    assert!(
        print.why.contains("printed otherwise in torch-mm · 3"),
        "{print:#?}"
    );
    let rate = one(&other, "torch-mm · 18", "TFLOPS");
    assert!((rate.computed.unwrap() - 232.244).abs() < 1e-2, "{rate:#?}");
    let unsaid = Mapping::read(
        "m.toml",
        "schema = \"assay.mapping/1\"\ntool = \"t\"\nformat = \"csv\"\nrepeats = true\n[[counters]]\nfrom = \"a\"\nname = \"a\"\n",
    );
    assert!(unsaid.unwrap_err().problem.contains("`repeats` needs"));
}
