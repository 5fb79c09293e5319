//! Tables and JSON that a mapping file explains.

use assay_profile::{Mapping, Profile, Status};

use super::{bytes, named, notices, sure, whole};

fn read(name: &str, ending: &str) -> Profile {
    let text = String::from_utf8(bytes(&format!("mapping/{name}.toml"))).expect("text");
    let mapping = Mapping::read(name, &text).expect("a mapping");
    mapping
        .parse(&bytes(&format!("mapping/{name}.{ending}")))
        .expect("a profile")
}

#[test]
fn json_rows() {
    let p = read("results", "json");
    assert_eq!(p.launches.len(), 3);
    assert_eq!(whole(named(&p, 0, "bytes")), u64::MAX);
    let time = named(&p, 0, "time");
    assert_eq!(
        (sure(time), time.raw(), time.resolution()),
        ((12.5, "us"), "12.50", Some(0.01))
    );
    assert_eq!(p.launches[1].occurrence, Some(1));
    assert_eq!(whole(named(&p, 1, "bytes")), 1_048_576);
    assert_eq!(named(&p, 2, "time").status(), Status::Absent);
    assert_eq!(notices(&p, "1 row lacks").len(), 1);
}

#[test]
fn table_rows() {
    let p = read("table", "csv");
    assert_eq!(p.launches.len(), 3);
    let l = &p.launches[0];
    assert_eq!(sure(l.counter("time", "duration").unwrap()), (1234.5, "us"));
    assert_eq!(whole(l.counter("time", "cycles").unwrap()), 117_344);
    assert_eq!(whole(l.counter("mem", "duration").unwrap()), 7);
    assert_eq!(
        (p.launches[1].occurrence, whole(named(&p, 1, "duration"))),
        (Some(1), 1234)
    );
    assert_eq!(named(&p, 2, "duration").status(), Status::Error);
    assert_eq!(notices(&p, "1 row lacks").len(), 1);
}
