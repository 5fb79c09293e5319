//! A diff as one page of HTML that needs nothing else.

use std::fmt::Write as _;

use assay_core::view::{ComparedFigure, DiffView, SourceStatement};
use assay_source::diff::{STYLE, escape, to_html};
use assay_source::said::{self, Lang};

/// The style of what stands around the diff; it works on light and dark pages.
const PAGE: &str = "\
:root{color-scheme:light dark}body{font:14px/1.5 system-ui,sans-serif;margin:1.5em}\
h1{font-size:1.3em}h2{font-size:1.1em}\
.facts{border-collapse:collapse}.facts td,.facts th{padding:0 .8em 0 0;text-align:left}\
.facts .v{text-align:right;font-variant-numeric:tabular-nums}.remark{color:#b0813c}";

/// What stands above and between the parts.
struct Words {
    tag: &'static str,
    changed: &'static str,
    beside: &'static str,
    differ: &'static str,
    fact: &'static str,
    change: &'static str,
    unit: &'static str,
    equal: &'static str,
}

fn words(lang: Lang) -> &'static Words {
    match lang {
        Lang::En => &Words {
            tag: "en",
            changed: "What changed",
            beside: "Facts and counters beside each other (what goes together, never a proof)",
            differ: "Facts that differ",
            fact: "fact",
            change: "change",
            unit: "unit",
            equal: "no difference in the text",
        },
        Lang::Zh => &Words {
            tag: "zh-Hans",
            changed: "改动要点",
            beside: "源码事实与计数器对照（并列呈现，不构成证明）",
            differ: "有差异的源码事实",
            fact: "事实",
            change: "变化",
            unit: "单位",
            equal: "文本没有差异",
        },
    }
}

/// The page: remarks, what changed, facts that differ, and the diff.
pub fn html(view: &DiffView, lang: Lang) -> String {
    let mut view = view.clone();
    said::localise(lang, &mut view);
    let w = words(lang);
    let title = format!("{} → {}", escape(&view.a), escape(&view.b));
    let mut out = format!(
        "<!doctype html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n\
         <style>{PAGE}{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n",
        w.tag
    );
    for w in &view.warnings {
        let _ = writeln!(out, "<p class=\"remark\">{}</p>", escape(w));
    }
    let (changes, beside): (Vec<_>, Vec<_>) =
        (view.statements.iter()).partition(|s| s.kind == "change");
    list(w.changed, &changes, &mut out);
    list(w.beside, &beside, &mut out);
    facts(&view.facts, w, &mut out);
    if view.files.iter().any(super::differs) {
        out.push_str(&to_html(&view.files, lang));
    } else {
        let _ = writeln!(out, "<p>{}</p>", w.equal);
    }
    out.push_str("</body>\n</html>\n");
    out
}

fn list(title: &str, statements: &[&SourceStatement], out: &mut String) {
    if statements.is_empty() {
        return;
    }
    let _ = writeln!(out, "<h2>{title}</h2>\n<ul>");
    for s in statements {
        let _ = writeln!(out, "<li>{}</li>", escape(&s.text));
    }
    out.push_str("</ul>\n");
}

fn facts(rows: &[ComparedFigure], w: &Words, out: &mut String) {
    let changed: Vec<&ComparedFigure> = (rows.iter())
        .filter(|r| r.values.first() != r.values.get(1))
        .collect();
    if changed.is_empty() {
        return;
    }
    let _ = writeln!(
        out,
        "<h2>{}</h2>\n<table class=\"facts\">\n\
         <tr><th>{}</th><th>A</th><th>B</th><th>{}</th><th>{}</th></tr>",
        w.differ, w.fact, w.change, w.unit
    );
    for r in changed {
        let value = |i: usize| {
            let value = r.values.get(i).copied().flatten();
            value.map_or_else(|| "-".to_owned(), |v| v.to_string())
        };
        let change = r
            .change_percent
            .map_or_else(|| "-".to_owned(), |p| format!("{p:+.1} %"));
        let unit = if r.unit == "1" { "" } else { r.unit.as_str() };
        let _ = writeln!(
            out,
            "<tr><td>{}</td><td class=\"v\">{}</td><td class=\"v\">{}</td><td class=\"v\">{change}</td><td>{}</td></tr>",
            escape(&r.name),
            value(0),
            value(1),
            escape(unit)
        );
    }
    out.push_str("</table>\n");
}
