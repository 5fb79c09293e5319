//! Children under their parents, with what a row needs to draw its branch.

use std::collections::HashMap;

use assay_core::view::VariantRow;

/// A row of the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node {
    /// Place in the list.
    pub index: usize,
    /// Distance from the root.
    pub depth: u32,
    /// Bit i is set when the ancestor i levels up (0 is the row itself) is the last child of its
    /// parent. More than 64 levels are never drawn.
    lasts: u64,
}

impl Node {
    /// A row without a branch.
    pub fn flat(index: usize) -> Self {
        Self {
            index,
            depth: 0,
            lasts: 0,
        }
    }

    /// The branch in front of the name: at most `levels` levels; `tree` has the glyphs for a
    /// passing line, a branch and a last branch.
    pub fn prefix(&self, levels: u32, tree: [&str; 3]) -> String {
        let mut out = String::new();
        let levels = levels.min(63);
        let mut shown = self.depth.min(levels);
        if shown == 0 {
            return out;
        }
        // The number of hidden levels stands where the outermost level would be drawn.
        if self.depth > levels {
            shown = levels.saturating_sub(1).max(1);
            out.push_str(&format!("{}+", self.depth - shown));
        }
        for level in (1..shown).rev() {
            let last = self.lasts >> level & 1 == 1;
            out.push_str(if last { "  " } else { tree[0] });
        }
        out.push_str(if self.lasts & 1 == 1 {
            tree[2]
        } else {
            tree[1]
        });
        out
    }
}

/// All rows, parents before children, siblings oldest first.
///
/// A parent that is unknown makes a root. A cycle cannot be made by the tool, but a ledger is a
/// file: its members come last, as roots.
pub fn order(rows: &[VariantRow]) -> Vec<Node> {
    let by_name: HashMap<&str, usize> = rows
        .iter()
        .enumerate()
        .map(|(i, v)| (v.name.as_str(), i))
        .collect();
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); rows.len()];
    let mut roots = Vec::new();
    for (i, v) in rows.iter().enumerate() {
        match v.parent.as_deref().and_then(|p| by_name.get(p)) {
            Some(p) if *p != i => children[*p].push(i),
            _ => roots.push(i),
        }
    }
    let mut out = Vec::with_capacity(rows.len());
    let mut seen = vec![false; rows.len()];
    let mut stack: Vec<Node> = roots.into_iter().rev().map(Node::flat).collect();
    loop {
        while let Some(node) = stack.pop() {
            if std::mem::replace(&mut seen[node.index], true) {
                continue;
            }
            out.push(node);
            let kids = &children[node.index];
            for (n, kid) in kids.iter().enumerate().rev() {
                let last = u64::from(n + 1 == kids.len());
                stack.push(Node {
                    index: *kid,
                    depth: node.depth + 1,
                    lasts: node.lasts << 1 | last,
                });
            }
        }
        match seen.iter().position(|s| !s) {
            Some(i) => stack.push(Node::flat(i)),
            None => return out,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::row;

    #[test]
    fn children_follow_parents_and_cycles_end() {
        let rows = [
            row("base", None),
            row("tile", Some("base")),
            row("tile-2", Some("tile")),
            row("unroll", Some("base")),
            row("x", Some("y")),
            row("y", Some("x")),
            row("self", Some("self")),
        ];
        let order = order(&rows);
        let drawn: Vec<String> = order
            .iter()
            .map(|n| n.prefix(4, ["| ", "|-", "`-"]) + &rows[n.index].name)
            .collect();
        assert_eq!(
            drawn,
            [
                "base",
                "|-tile",
                "| `-tile-2",
                "`-unroll",
                "self",
                "x",
                "`-y"
            ]
        );
    }

    #[test]
    fn a_long_chain_is_cut_in_front() {
        let mut rows = vec![row("v0", None)];
        for i in 1..200 {
            rows.push(row(&format!("v{i}"), Some(&format!("v{}", i - 1))));
        }
        let order = order(&rows);
        assert_eq!(order[199].prefix(3, ["| ", "|-", "`-"]), "197+  `-");
        assert_eq!(order[199].prefix(0, ["| ", "|-", "`-"]), "");
    }
}
