//! Derived figures that were computed again, as text.

use std::collections::BTreeMap;

use assay_core::text::inert;
use assay_core::view::{AuditView, AuditedFigure};
use serde_json::Value;

use super::change::count;
use super::findings::wrap;
use super::paint::Paint;
use crate::args::Lang;

/// Figures that are shown one by one of an outcome; --json has more.
const MOST_SHOWN: usize = 40;

/// What disagrees, what is ambiguous and what differs in its last digit one by one, what could not be computed by its reason, and how
/// many agree.
pub fn figures(view: &AuditView, lang: Lang, columns: usize, paint: Paint) -> String {
    let mut out = String::new();
    let totals = &view.figure_totals;
    for (outcome, all) in [
        ("disagrees", totals.disagrees),
        ("ambiguous", totals.ambiguous),
        ("rounding", totals.rounding),
    ] {
        let of: Vec<&AuditedFigure> = outcomes(view, outcome).collect();
        for f in of.iter().take(MOST_SHOWN) {
            out.push_str(&one(f, lang, columns, paint));
        }
        let more = all.saturating_sub(of.len().min(MOST_SHOWN));
        if more > 0 {
            let line = match lang {
                Lang::En => format!("and {more} more; --json lists them"),
                Lang::Zh => format!("另有 {more} 个，见 --json"),
            };
            for line in wrap(&line, columns) {
                out.push_str(&format!("{}\n", paint.dim(&line)));
            }
        }
    }
    out.push_str(&not_recomputed(view, lang, columns));
    let line = summary(view, lang);
    if !line.is_empty() {
        for line in wrap(&line, columns) {
            out.push_str(&format!("{}\n", paint.bold(&line)));
        }
    }
    out
}

fn outcomes<'v>(view: &'v AuditView, outcome: &str) -> impl Iterator<Item = &'v AuditedFigure> {
    let (figures, outcome) = (view.figures.iter(), outcome.to_owned());
    figures.filter(move |f| f.outcome == outcome)
}

/// A figure with what it is stated to be and what comes out.
fn one(f: &AuditedFigure, lang: Lang, columns: usize, paint: Paint) -> String {
    let word = match (f.outcome.as_str(), lang) {
        ("disagrees", Lang::En) => "DISAGREES",
        ("disagrees", Lang::Zh) => "不一致",
        ("rounding", Lang::En) => "LAST DIGIT",
        ("rounding", Lang::Zh) => "末位不同",
        (_, Lang::En) => "AMBIGUOUS",
        (_, Lang::Zh) => "含义不明",
    };
    let of = |v: &Value| match f.unit.as_str() {
        "1" | "" => value(v, lang),
        unit if v.is_number() => format!("{} {unit}", value(v, lang)),
        _ => value(v, lang),
    };
    let stated = f.printed.clone().unwrap_or_else(|| of(&f.stated));
    let computed = of(&known(f));
    let on = match (&f.workload, lang) {
        (None, _) => String::new(),
        (Some(w), Lang::En) => format!(" on {w}"),
        (Some(w), Lang::Zh) => format!("（{w}）"),
    };
    let kind = kind(&f.kind, lang);
    let place = match (&f.place, lang) {
        (None, _) => String::new(),
        (Some(place), Lang::En) => format!("{place}; "),
        (Some(place), Lang::Zh) => format!("{place}；"),
    };
    let text = match lang {
        Lang::En => format!(
            "{}{on}: {} is {stated}, computed {computed} ({place}{kind} {})",
            f.subject, f.figure, f.record
        ),
        Lang::Zh => format!(
            "{}{on}：{} 记为 {stated}，算得 {computed}（{place}{kind} {}）",
            f.subject, f.figure, f.record
        ),
    };
    let mut out = String::new();
    for (i, line) in wrap(
        &format!("{word}  {}", inert(&text)),
        columns.saturating_sub(2),
    )
    .iter()
    .enumerate()
    {
        let line = match (i, line.strip_prefix(word)) {
            (0, Some(rest)) => format!("{}{rest}", paint.bold(word)),
            _ => format!("  {line}"),
        };
        out.push_str(&format!("{line}\n"));
    }
    let why = match lang {
        Lang::En => &f.why,
        Lang::Zh => &f.why_zh,
    };
    // Of what Assay recorded itself both figures say all.
    let tables = ["published", "readings"];
    if tables.contains(&f.kind.as_str()) {
        for line in wrap(&inert(why), columns.saturating_sub(2)) {
            out.push_str(&format!("  {line}\n"));
        }
    }
    out
}

/// What a published figure comes to, with a few digits more than are known of it.
fn known(f: &AuditedFigure) -> Value {
    let width = f.interval.map_or(0.0, |[lo, hi]| hi - lo);
    let rounded = f.computed.as_f64().filter(|_| width > 0.0).and_then(|v| {
        let decimals = (4.0 - width.log10().floor()).clamp(0.0, 15.0) as usize;
        let text = format!("{v:.decimals$}");
        serde_json::from_str(&text).ok()
    });
    rounded.unwrap_or_else(|| f.computed.clone())
}

fn kind(kind: &str, lang: Lang) -> &str {
    match (kind, lang) {
        ("measurement", Lang::Zh) => "测量",
        ("verdict", Lang::Zh) => "判定",
        ("calibration", Lang::Zh) => "校准",
        ("decision", Lang::Zh) => "决定",
        ("published", Lang::Zh) => "已发布数据",
        ("profile", Lang::Zh) => "性能数据",
        ("readings", Lang::Zh) => "读数",
        (kind, _) => kind,
    }
}

/// A value as it is recorded; a double with no more digits than tell it from its neighbours.
fn value(v: &Value, lang: Lang) -> String {
    match (v, lang) {
        (Value::Null, Lang::En) => "nothing".into(),
        (Value::Null, Lang::Zh) => "无".into(),
        (Value::String(s), _) => s.clone(),
        // A count comes out of arithmetic in doubles.
        (Value::Number(n), _)
            if n.as_f64()
                .is_some_and(|v| v.fract() == 0.0 && v.abs() < 1e15) =>
        {
            format!("{:.0}", n.as_f64().unwrap_or_default())
        }
        (other, _) => other.to_string(),
    }
}

/// Each reason once, with how many figures or records it is of.
fn not_recomputed(view: &AuditView, lang: Lang, columns: usize) -> String {
    let mut reasons: BTreeMap<&str, (usize, &AuditedFigure)> = BTreeMap::new();
    for f in outcomes(view, "not_recomputed") {
        let why = match lang {
            Lang::En => f.why.as_str(),
            Lang::Zh => f.why_zh.as_str(),
        };
        reasons.entry(why).or_insert((0, f)).0 += 1;
    }
    let mut out = String::new();
    let all = reasons.len();
    for (why, (n, first)) in reasons.into_iter().take(MOST_SHOWN) {
        let of = match &first.workload {
            Some(w) => format!("{} {}, {w}", kind(&first.kind, lang), first.subject),
            None => format!("{} {}", kind(&first.kind, lang), first.subject),
        };
        let of = format!("{} {of} ({})", first.figure, first.record);
        let line = match (n, lang) {
            (1, Lang::En) => format!("not recomputed: {why}: {of}"),
            (n, Lang::En) => format!("not recomputed: {why}: {of} and {} more", n - 1),
            (1, Lang::Zh) => format!("未重新计算：{why}：{of}"),
            (n, Lang::Zh) => format!("未重新计算：{why}：{of} 等 {n} 项"),
        };
        for line in wrap(&inert(&line), columns) {
            out.push_str(&format!("{line}\n"));
        }
    }
    if all > MOST_SHOWN {
        let more = all - MOST_SHOWN;
        let line = match lang {
            Lang::En => format!("and {more} more reasons; --json lists them"),
            Lang::Zh => format!("另有 {more} 种原因，见 --json"),
        };
        for line in wrap(&line, columns) {
            out.push_str(&format!("{line}\n"));
        }
    }
    out
}

fn summary(view: &AuditView, lang: Lang) -> String {
    let t = &view.figure_totals;
    let all = t.agrees + t.rounding + t.disagrees + t.ambiguous + t.not_recomputed;
    if all == 0 {
        return String::new();
    }
    let parts = [
        (t.agrees, "agree", "个一致"),
        (t.rounding, "differ in the last digit only", "个仅末位不同"),
        (t.disagrees, "disagree", "个不一致"),
        (t.ambiguous, "ambiguous", "个含义不明"),
        (t.not_recomputed, "not recomputed", "项未重新计算"),
    ];
    let some = parts.iter().filter(|(n, ..)| *n > 0);
    match lang {
        Lang::En => {
            let parts: Vec<String> = some.map(|(n, en, _)| format!("{n} {en}")).collect();
            format!("{}: {}", count(all, "derived figure"), parts.join(", "))
        }
        Lang::Zh => {
            let parts: Vec<String> = some.map(|(n, _, zh)| format!("{n} {zh}")).collect();
            format!("导出数据 {all} 个：{}", parts.join("，"))
        }
    }
}
