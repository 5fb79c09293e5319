use super::*;

/// Luminance of a colour (WCAG 2.2, relative luminance).
fn luminance(rgb: u32) -> f64 {
    let [r, g, b] = linear(rgb);
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

fn linear(rgb: u32) -> [f64; 3] {
    [16, 8, 0].map(|s| {
        let c = f64::from(rgb >> s & 0xff) / 255.0;
        match c {
            c if c <= 0.04045 => c / 12.92,
            c => ((c + 0.055) / 1.055).powf(2.4),
        }
    })
}

fn contrast(a: u32, b: u32) -> f64 {
    let (a, b) = (luminance(a) + 0.05, luminance(b) + 0.05);
    (a / b).max(b / a)
}

#[test]
fn every_colour_is_read_on_the_background_of_its_theme() {
    for (theme, inks) in &PALETTES {
        let backgrounds = match theme {
            ThemeName::Terminal => continue,
            ThemeName::Dark | ThemeName::SafeDark => [0x000000, 0x303030],
            ThemeName::Light | ThemeName::SafeLight => [0xffffff, 0xeeeeee],
        };
        for Ink(_, rgb) in inks {
            let rgb = rgb.unwrap();
            for background in backgrounds {
                let c = contrast(rgb, background);
                // WCAG 2.2, 1.4.3: at least 4.5 for text of ordinary size.
                assert!(c >= 4.5, "{theme:?} {rgb:06x} on {background:06x}: {c:.2}");
            }
        }
    }
}

/// What is left of a colour without the cones for red, or for green, at full severity (Machado,
/// Oliveira and Fernandes 2009).
fn seen(rgb: u32, without_red: bool) -> [f64; 3] {
    let m = match without_red {
        true => [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ],
        false => [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ],
    };
    let c = linear(rgb);
    m.map(|row| row.iter().zip(c).map(|(a, b)| a * b).sum::<f64>())
}

#[test]
fn the_safe_themes_tell_better_from_worse_without_red_or_green() {
    for theme in [ThemeName::SafeDark, ThemeName::SafeLight] {
        let (_, inks) = PALETTES.iter().find(|(t, _)| *t == theme).unwrap();
        let of = |hue: Hue| inks[hue as usize].1.unwrap();
        for without_red in [true, false] {
            let [a, b] = [Hue::Good, Hue::Bad].map(|h| seen(of(h), without_red));
            // Blue stays: it is on the other side of what the other channels have.
            assert!(a[2] - a[0].max(a[1]) > 0.05, "{theme:?} {a:?}");
            assert!(b[2] < b[0].max(b[1]) - 0.05, "{theme:?} {b:?}");
        }
    }
}

#[test]
fn colours_are_steps_of_the_cube_and_fall_back() {
    assert_eq!(index(0x000000), 16);
    assert_eq!(index(0xffffff), 231);
    assert_eq!(index(0x444444), 238);
    assert_eq!(index(0x5fafff), 75);
    let of = |level| color(ThemeName::Dark, level, Hue::Good);
    assert_eq!(of(ColorLevel::None), None);
    assert_eq!(of(ColorLevel::Ansi16), Some(Color::Green));
    assert_eq!(of(ColorLevel::Ansi256), Some(Color::Indexed(113)));
    assert_eq!(
        of(ColorLevel::TrueColor),
        Some(Color::Rgb(0x87, 0xd7, 0x5f))
    );
    let own = color(ThemeName::Terminal, ColorLevel::TrueColor, Hue::Good);
    assert_eq!(own, Some(Color::Green));
}
