//! Places in a text that somebody still has to fill in.

use std::sync::LazyLock;

use regex::Regex;

/// Words that stand for what is still to be written, and forms to be filled in.
static GAP: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let words = r"\b(?:TODO|TBD|TBC|TBA|FIXME|XXX|FILL(?:\s|_)?ME|PLACEHOLDER)\b";
    // 填充 is padding, and no gap.
    let asked = r"(?:(?i:fill|insert|your|enter|add|replace|describe|commit|sha|hash|id|name|date|time|value|number|figure|ratio|version|path|url|link|author|reviewer|reason|workload|device)\b|提交|日期|数值|姓名|填[写入空])";
    let chinese = r"提交前回填 | 待(?:补充?|填写?|定|回填) | (?:请|此处|这里)填[写入]";
    let brackets = r"[（(\[【「『]\s*(?:(?:请|此处|这里)?填[写入]|[待请]补充?)[^）)\]】」』]{0,20}[）)\]】」』]";
    Regex::new(&format!(
        r"(?x) {words} | \?\?\? | {chinese} | {brackets}
        | <(?:fill|insert|your)[^>]*> | \[(?:fill|insert|your)[^\]]*\]
        | <\s*{asked}[^<>.]{{0,40}}> | \[\s*{asked}[^\[\]]{{0,40}}\]
        | \b[Xx]+\.[Xx]{{2,}}\b | \bX+\.X+\b | \bXX+\s*(?:%|％|倍|x\b|×|[nuµm]s\b|[GT]B/s|T?FLOPS)
        | _{{3,}}"
    ))
    .ok()
});

/// Every place that somebody still has to fill in, in order.
///
/// Names such as `__global__` and `a____b`, an index such as `a[id]` and a link are none.
pub fn placeholders(text: &str) -> Vec<&str> {
    let Some(gap) = GAP.as_ref() else {
        return Vec::new();
    };
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let all = gap.find_iter(text).filter(|m| {
        let before = text[..m.start()].chars().next_back();
        let after = text[m.end()..].chars().next();
        match m.as_str().chars().next() {
            Some('_') => !before.is_some_and(is_word) && !after.is_some_and(is_word),
            Some('[') => !before.is_some_and(|c| is_word(c) || c == ']') && after != Some('('),
            Some('<') => !before.is_some_and(is_word),
            _ => true,
        }
    });
    all.map(|m| m.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::placeholders;

    #[test]
    fn gaps_are_found_in_both_languages() {
        for (text, gap) in [
            ("commit: [提交前回填]", "提交前回填"),
            ("TODO measure", "TODO"),
            ("speed <fill in>", "<fill in>"),
            ("commit: <commit id>", "<commit id>"),
            ("commit: [commit id]", "[commit id]"),
            ("by <Your Name>, then", "<Your Name>"),
            ("作者：<提交人>", "<提交人>"),
            ("it takes ____ ms", "____"),
            ("耗时____毫秒", "____"),
            ("XX.X us", "XX.X"),
            ("x.xx times", "x.xx"),
            ("XX % faster", "XX %"),
            ("设备：（填写）", "（填写）"),
            ("设备：(请填写设备)", "请填写"),
            ("[待补数据]", "待补"),
            ("此处填写", "此处填写"),
            ("FILL ME", "FILL ME"),
        ] {
            let found = placeholders(text);
            assert!(
                found.iter().any(|f| f.contains(gap) || gap.contains(f)),
                "{text}: {found:?}"
            );
            assert_eq!(found.len(), 1, "{text}: {found:?}");
        }
    }

    #[test]
    fn every_gap_of_a_line_is_found() {
        assert_eq!(
            placeholders("TODO a XXX b TBD 待补"),
            ["TODO", "XXX", "TBD", "待补"]
        );
    }

    #[test]
    fn names_indices_and_links_are_no_gaps() {
        for text in [
            "a method of todos: METODO",
            "__global__ void f(), a____b",
            "#include <time.h>, vector<float>, std::map<id, int>",
            "a[id] + b[0][id]",
            "see [name](page)",
            "[x] done, [ ] open",
            "v2.x, sm_90, 0xXX",
            "补充说明（见附录），行末（填充区域）",
        ] {
            assert_eq!(placeholders(text), Vec::<&str>::new(), "{text}");
        }
    }
}
