//! Colours and rules, once: as custom properties for a page, as plain colours for a file.
//!
//! Blue and orange can be told apart with every common colour blindness (the pair of Okabe and
//! Ito, 2008). A file that stands alone has plain colours, since many viewers know no custom
//! properties.

/// Name, colour on a light ground, colour on a dark ground.
const PALETTE: &[(&str, &str, &str)] = &[
    ("paper", "#ffffff", "#14171c"),
    ("ink", "#1b1f24", "#e6e9ed"),
    ("muted", "#57606a", "#a5aeba"),
    ("grid", "#e3e6ea", "#2d333b"),
    ("axis", "#8a929c", "#6d7681"),
    ("band", "#e9edf2", "#272d36"),
    ("good", "#0067a5", "#5cb3ec"),
    ("bad", "#bd4a00", "#f3975c"),
    ("plain", "#6b7480", "#97a1ad"),
    ("f4", "#08519c", "#9bd0f7"),
    ("f3", "#6baed6", "#2b6ca3"),
    ("f2", "#b3d3ea", "#1e4a72"),
    ("f1", "#e1edf7", "#1b3044"),
    ("n", "#f3f4f5", "#262b32"),
    ("s1", "#fdeada", "#40301f"),
    ("s2", "#fdc792", "#67421d"),
    ("s3", "#ef8c42", "#9c5415"),
    ("s4", "#9a3203", "#fbbd7c"),
    ("edge", "#ffffff", "#101418"),
];

/// Fonts of the system, with those for Chinese named where they have other names.
pub(crate) const FONTS: &str = "system-ui,-apple-system,'Segoe UI','Noto Sans','DejaVu Sans',\
'PingFang SC','Microsoft YaHei','Noto Sans CJK SC','Source Han Sans SC',sans-serif";

/// Selector and declarations; `$name` is a colour of the palette.
const RULES: &[(&str, &str)] = &[
    ("text", "fill:$ink;font-size:12px"),
    (".h", "font-size:14px;font-weight:600"),
    (".m", "fill:$muted"),
    (".k", "fill:$muted;font-size:11px"),
    (".e", "text-anchor:end"),
    (".c", "text-anchor:middle"),
    (".paper", "fill:$paper"),
    (".grid", "stroke:$grid;stroke-width:1;fill:none"),
    (".axis", "stroke:$axis;stroke-width:1;fill:none"),
    (".one", "stroke:$ink;stroke-width:1.25;fill:none"),
    (
        ".dash",
        "stroke:$muted;stroke-width:1;stroke-dasharray:5 4;fill:none",
    ),
    (".band", "fill:$band"),
    (".good", "fill:$good"),
    (".bad", "fill:$bad"),
    (".plain", "fill:$plain"),
    (".goodl", "stroke:$good;stroke-width:2;fill:none"),
    (".badl", "stroke:$bad;stroke-width:2;fill:none"),
    (".plainl", "stroke:$plain;stroke-width:2;fill:none"),
    (".hollow", "stroke:$bad;stroke-width:1.5;fill:$paper"),
    (".square", "stroke:$plain;stroke-width:1.5;fill:$paper"),
    (
        ".adots",
        "stroke:$plain;stroke-opacity:.5;stroke-width:3.4;stroke-linecap:round",
    ),
    (
        ".bdots",
        "stroke:$good;stroke-opacity:.5;stroke-width:3.4;stroke-linecap:round",
    ),
    (
        ".abox",
        "stroke:$plain;stroke-width:1.5;fill:$plain;fill-opacity:.12",
    ),
    (
        ".bbox",
        "stroke:$good;stroke-width:1.5;fill:$good;fill-opacity:.12",
    ),
    (".goodt", "fill:$good;font-weight:600"),
    (".badt", "fill:$bad;font-weight:600"),
    (".broken", "stroke:$bad;stroke-width:2;fill:none"),
    (".f4", "fill:$f4"),
    (".f3", "fill:$f3"),
    (".f2", "fill:$f2"),
    (".f1", "fill:$f1"),
    (".n", "fill:$n"),
    (".s1", "fill:$s1"),
    (".s2", "fill:$s2"),
    (".s3", "fill:$s3"),
    (".s4", "fill:$s4"),
    (".x", "fill:$edge"),
    (".d", "font-size:10.5px"),
    (".z", "font-size:8.5px"),
];

/// The colours as custom properties.
pub(crate) fn palette(dark: bool) -> String {
    PALETTE
        .iter()
        .map(|(name, light, night)| format!("--{name}:{};", if dark { night } else { light }))
        .collect()
}

/// The rules for pictures inside a page, which has the custom properties.
pub(crate) fn rules() -> String {
    let mut out = format!(".plot text{{font-family:{FONTS}}}");
    for (selector, body) in RULES {
        let body = with_colours(body, |name| format!("var(--{name})"));
        out.push_str(&format!(".plot {selector}{{{body}}}"));
    }
    out
}

/// The rules for a file that stands alone.
pub(super) fn alone() -> String {
    let side = |dark: bool| {
        let mut out = String::new();
        for (selector, body) in RULES {
            if dark && !body.contains('$') {
                continue;
            }
            let body = with_colours(body, |name| {
                let found = PALETTE.iter().find(|p| p.0 == name);
                let colour = found.map_or("#888888", |p| if dark { p.2 } else { p.1 });
                colour.to_owned()
            });
            out.push_str(&format!("{selector}{{{body}}}"));
        }
        out
    };
    format!(
        "text{{font-family:{FONTS}}}{}@media screen and (prefers-color-scheme:dark){{{}}}",
        side(false),
        side(true)
    )
}

/// Puts colours in the places of their names.
fn with_colours(body: &str, colour: impl Fn(&str) -> String) -> String {
    let mut out = String::new();
    let mut rest = body;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        let tail = &rest[at + 1..];
        let end = tail
            .find(|c: char| !c.is_ascii_alphanumeric())
            .unwrap_or(tail.len());
        out.push_str(&colour(&tail[..end]));
        rest = &tail[end..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_colour_of_a_rule_is_in_the_palette() {
        for (selector, body) in RULES {
            with_colours(body, |name| {
                assert!(PALETTE.iter().any(|p| p.0 == name), "{selector} {name}");
                String::new()
            });
        }
        assert!(!alone().contains('$') && !alone().contains("var("));
        assert!(rules().contains(".plot .f4{fill:var(--f4)}"));
    }
}
