//! The roles of pieces of source.

use assay_source::diff::Mark;
use assay_source::syntax::Syntax;

use crate::theme::Role;

/// The role of a piece of a line: by what changed, or by syntax where nothing did.
pub fn role(gone: bool, mark: Mark, class: Syntax) -> Role {
    match (mark, gone) {
        (Mark::Same | Mark::Renamed, _) => syntax(class),
        (Mark::Moved, _) => Role::Moved,
        (Mark::Changed, true) => Role::Delete,
        (Mark::Changed, false) => Role::Insert,
        (Mark::Emphasised, true) => Role::DeleteStrong,
        (Mark::Emphasised, false) => Role::InsertStrong,
    }
}

fn syntax(class: Syntax) -> Role {
    match class {
        Syntax::Keyword | Syntax::Opcode => Role::Keyword,
        Syntax::Type | Syntax::Register | Syntax::Intrinsic => Role::Name,
        Syntax::Number | Syntax::String => Role::Literal,
        Syntax::Comment => Role::Dim,
        Syntax::Plain | Syntax::Label | Syntax::Directive | Syntax::Modifier => Role::Plain,
    }
}
