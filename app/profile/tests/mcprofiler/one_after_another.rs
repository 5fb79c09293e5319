//! Reports share keys with the one before. What was read before never shows in what is read.

use std::sync::Arc;

use assay_profile::{Profile, parse};

use super::figures::{Figure, Row, csv, dumped, table, txt, txt_json};

const FLAVOURS: [fn(&[Row]) -> String; 4] = [txt_json, dumped, txt, csv];

fn read(text: &str) -> Profile {
    parse(text.as_bytes()).expect("a report")
}

/// A new thread has read nothing before.
fn read_alone(text: &str) -> Profile {
    std::thread::scope(|s| s.spawn(|| read(text)).join()).expect("a thread that ends")
}

/// Tables with the rows of the first one, and with some that are missing, moved, new or repeated.
fn tables() -> Vec<Vec<Row>> {
    let all = || table(3);
    let without = |from: usize, to: usize| {
        let mut rows = all();
        rows.drain(from..to);
        rows
    };
    let changed = |change: fn(&mut Vec<Row>)| {
        let mut rows = all();
        change(&mut rows);
        rows
    };
    vec![
        all(),
        without(0, 1),
        without(3, 5),
        without(2, 30),
        without(20, 60),
        changed(|rows| rows.swap(2, 3)),
        changed(|rows| rows.reverse()),
        changed(|rows| rows[5].name = "of another version"),
        changed(|rows| rows[5].name = rows[4].name),
        changed(|rows| rows[3].figure = Figure::Unit(2.5, "(cycles)")),
        changed(|rows| rows[0].figure = Figure::Chart(vec![("a", "1".into()), ("b", "{}".into())])),
        changed(|rows| {
            for _ in 0..2500 {
                rows.extend(table(1).into_iter().take(1));
            }
        }),
        all(),
    ]
}

#[test]
fn what_was_read_before_does_not_show() {
    for write in FLAVOURS {
        let texts: Vec<String> = tables().iter().map(|t| write(t)).collect();
        let alone: Vec<Profile> = texts.iter().map(|t| read_alone(t)).collect();
        for (first, profile) in texts.iter().zip(&alone) {
            for (text, alone) in texts.iter().zip(&alone) {
                assert_eq!(&read(first), profile);
                assert_eq!(&read(text), alone);
            }
        }
    }
}

#[test]
fn rows_of_the_report_before_are_shared() {
    for write in FLAVOURS {
        let (a, b) = (read(&write(&table(1))), read(&write(&table(2))));
        let mut pairs = a.launches[0].iter().zip(b.launches[0].iter());
        assert!(pairs.all(|(a, b)| Arc::ptr_eq(a.key(), b.key())));
    }
}
