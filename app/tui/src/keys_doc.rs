//! The generated page `docs/keys.md`.

use std::fmt::Write;

use crate::action::{ACTIONS, Context};
use crate::keymap::label;
use crate::options::Lang;

/// The page, from the action table.
pub fn keys_markdown() -> String {
    let mut out = String::from(
        "# Keys\n\nGenerated from the action table; do not edit. Every letter also works when an input \
         method sends it fullwidth.\nText fields take `Ctrl-a`, `Ctrl-e`, `Ctrl-u`, `Ctrl-k` and `Ctrl-w` \
         as a shell does.\n",
    );
    for context in Context::ALL {
        let _ = write!(
            out,
            "\n## {} / {}\n\n| keys | action | 操作 | name |\n|---|---|---|---|\n",
            context.title(Lang::En),
            context.title(Lang::Zh)
        );
        for a in ACTIONS.iter().filter(|a| a.contexts.contains(&context)) {
            let keys: Vec<String> = a.keys.iter().map(|k| format!("`{}`", label(k))).collect();
            let _ = writeln!(
                out,
                "| {} | {} | {} | `{}` |",
                keys.join(" "),
                a.en,
                a.zh,
                a.name
            );
        }
    }
    out
}
