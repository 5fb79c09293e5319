//! The generated page `docs/keys.md`.

use std::fmt::Write;

use crate::action::{ACTIONS, Context};
use crate::filter::FIELDS;
use crate::keymap::label;
use crate::options::Lang;

/// The page, from the action table.
pub fn keys_markdown() -> String {
    let mut out = String::from(
        "# Keys\n\nGenerated from the action table; do not edit. Keys are bound anew by the name of the action, in \
         `[keys]` of\n`tui.toml` ([config.md](config.md)); the interface then shows those. Every letter also works when an input \
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
    filter(&mut out);
    out
}

/// The fields of the filter.
fn filter(out: &mut String) {
    out.push_str(
        "\n## Filter of Variants / 变体的筛选\n\nWords and terms, all of which must match; `-` before a term turns it \
         around. `:` and `~` ask whether the\nfield holds a text, `=` whether it is one, `<` `<=` `>` `>=` compare \
         numbers and times. A word alone is\nlooked for in name, hypothesis, family and parameters.\n\n\
         | field | example | what it is | 含义 |\n|---|---|---|---|\n",
    );
    for f in FIELDS {
        let example = f.example.replace('|', "\\|");
        let _ = writeln!(out, "| `{}` | `{example}` | {} | {} |", f.name, f.en, f.zh);
    }
}
