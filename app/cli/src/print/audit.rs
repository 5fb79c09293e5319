//! What an audit found, as text.

use assay_core::text::inert;
use assay_core::view::AuditView;

use super::figures::figures;
use super::findings::{findings, summary, wrap};
use super::paint::Paint;
use crate::args::Lang;

/// Names of rules that are listed as not judged; of more the number says enough.
const MOST_LISTED: usize = 12;

/// Findings, the worst first, then what could not be looked at.
pub fn audit(view: &AuditView, lang: Lang, columns: usize, paint: Paint) -> String {
    let mut out = findings(&view.findings, lang, columns, paint);
    out.push_str(&figures(view, lang, columns, paint));
    let names = view.variants.join(", ");
    let head = match lang {
        Lang::En if view.variants.is_empty() => "no variant has a profile".to_owned(),
        Lang::Zh if view.variants.is_empty() => "没有任何版本带有性能数据".to_owned(),
        Lang::En => format!("{}: {}", summary(&view.findings, lang), inert(&names)),
        Lang::Zh => format!("{}：{}", summary(&view.findings, lang), inert(&names)),
    };
    for line in wrap(&head, columns) {
        out.push_str(&format!("{}\n", paint.bold(&line)));
    }
    if !view.not_judged.is_empty() {
        let mut rules: Vec<&str> = view.not_judged.iter().map(|n| n.rule.as_str()).collect();
        rules.sort_unstable();
        rules.dedup();
        let n = rules.len();
        let listed = match (n <= MOST_LISTED, lang) {
            (true, Lang::En) => format!(": {}", rules.join(", ")),
            (true, Lang::Zh) => format!("：{}", rules.join("、")),
            (false, _) => String::new(),
        };
        let text = match lang {
            Lang::En => format!(
                "{} not judged, because figures are missing (--json says which){listed}",
                super::change::count(n, "rule")
            ),
            Lang::Zh => format!("{n} 条规则因缺少数据而未判断（--json 列出缺少的项）{listed}"),
        };
        for line in wrap(&inert(&text), columns) {
            out.push_str(&format!("{}\n", paint.dim(&line)));
        }
    }
    for notice in &view.notices {
        for line in wrap(&format!("note: {}", inert(notice)), columns) {
            out.push_str(&format!("{line}\n"));
        }
    }
    out
}
