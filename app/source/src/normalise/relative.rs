//! Labels without names: a jump says how many labels away its target is.
//!
//! Numbering labels anew makes every line after a label differ once that label goes. Told by
//! distance, only the jumps across it do.

use std::collections::HashMap;

/// One line of a function.
#[derive(Debug, Default)]
pub(super) struct Row {
    /// The label that is defined here; such a row holds nothing else.
    pub label: Option<String>,
    /// Code, as it is to be written.
    pub code: String,
    /// Line of the input, from 0.
    pub origin: usize,
}

/// Functions of more lines than this keep their labels as they are.
pub(super) const MAX_ROWS: usize = 1_000_000;

fn is_symbol(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'.') || b >= 0x80
}

/// Calls `f` with each symbol of a line outside of quotes, by its place.
pub(super) fn each_symbol(code: &str, mut f: impl FnMut(usize, usize)) {
    let b = code.as_bytes();
    let (mut i, mut quoted) = (0, false);
    while i < b.len() {
        if b[i] == b'"' {
            quoted = !quoted;
        } else if !quoted && is_symbol(b[i]) {
            let start = i;
            while i < b.len() && is_symbol(b[i]) {
                i += 1;
            }
            f(start, i);
            continue;
        }
        i += 1;
    }
}

/// Makes the labels of one function relative. Labels that nothing refers to go; those that are
/// defined more than once keep their names.
pub(super) fn relative(rows: &mut Vec<Row>) {
    let mut uses: HashMap<&str, (usize, usize)> = HashMap::new();
    for label in rows.iter().filter_map(|r| r.label.as_deref()) {
        uses.entry(label).or_default().0 += 1;
    }
    if uses.is_empty() {
        return;
    }
    for row in rows.iter().filter(|r| r.label.is_none()) {
        each_symbol(&row.code, |start, end| {
            if let Some(u) = uses.get_mut(&row.code[start..end]) {
                u.1 += 1;
            }
        });
    }
    let mut place: HashMap<String, usize> = HashMap::new();
    let mut unused: Vec<bool> = Vec::new();
    for row in rows.iter() {
        let Some(label) = &row.label else { continue };
        let (definitions, references) = uses.get(label.as_str()).copied().unwrap_or_default();
        unused.push(references == 0);
        if definitions == 1 && references > 0 {
            place.insert(label.clone(), place.len());
        }
    }
    drop(uses);
    let mut labels = unused.into_iter();
    rows.retain(|r| r.label.is_none() || !labels.next().unwrap_or(false));
    let mut passed = 0usize;
    for row in rows {
        if let Some(label) = &row.label {
            if place.contains_key(label) {
                passed += 1;
                row.code = "@:".into();
            }
            continue;
        }
        let mut out = String::new();
        let mut copied = 0;
        each_symbol(&row.code, |start, end| {
            if let Some(at) = place.get(&row.code[start..end]) {
                out.push_str(&row.code[copied..start]);
                let away = if *at >= passed {
                    format!("@+{}", at - passed + 1)
                } else {
                    format!("@-{}", passed - at)
                };
                out.push_str(&away);
                copied = end;
            }
        });
        if copied > 0 {
            out.push_str(&row.code[copied..]);
            row.code = out;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(text: &str) -> String {
        let mut rows: Vec<Row> = text
            .lines()
            .map(|l| Row {
                label: l.strip_suffix(':').map(str::to_owned),
                code: l.to_owned(),
                origin: 0,
            })
            .collect();
        relative(&mut rows);
        rows.iter().map(|r| r.code.clone() + ";").collect()
    }

    #[test]
    fn jumps_say_how_far_and_a_label_that_goes_moves_only_what_crosses_it() {
        assert_eq!(
            run("bra $A\n$U:\n$A:\nx\nbra $A\nbra $B\n$B:\n"),
            "bra @+1;@:;x;bra @-1;bra @+1;@:;"
        );
        let with = run("L1:\nbra L1\nbra L3\nL2:\ny\nL3:\nbra L3\nbra L2");
        let without = run("L1:\nbra L1\nbra L3\ny\nL3:\nbra L3");
        assert!(with.ends_with("bra @-1;bra @-2;"));
        assert!(without.ends_with("@:;bra @-1;"));
    }

    #[test]
    fn names_defined_twice_and_text_in_quotes_stay() {
        assert_eq!(run("A:\nbra A\nA:\n"), "A:;bra A;A:;");
        assert_eq!(run("A:\nbra A \"A\"\n"), "@:;bra @-1 \"A\";");
    }
}
