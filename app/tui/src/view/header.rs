//! First row: the screens and their keys on the left, champion, campaign and device on the right.

use assay_core::text::{inert, width};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::pane::put;
use crate::state::{Screen, State};
use crate::strings::fill;
use crate::theme::Role;

/// Columns that champion and campaign have at least, where the row is long enough for the numbers
/// of the screens.
const CONTEXT: usize = 18;

/// How much of the names of screens is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Names {
    /// Whole, with a blank on both sides.
    Wide,
    /// Whole.
    Whole,
    /// Shortened, but for the screen that is shown.
    Short,
    /// Only that of the screen that is shown: the numbers work all the same.
    Numbers,
}

/// Draws the row.
pub fn draw(state: &State, area: Rect, buf: &mut Buffer) {
    let mut spans = Vec::new();
    let mut used = 0;
    for (screen, text, after) in tabs(state, usize::from(area.width)) {
        used += width(&text) + after.len();
        let active = screen == state.screen;
        let role = if active { Role::Selected } else { Role::Plain };
        spans.push(Span::styled(text, state.theme.style(role)));
        spans.push(Span::raw(after));
    }
    put(&state.theme, buf, area, 0, &Line::from(spans));
    let room = usize::from(area.width).saturating_sub(used + 1);
    let context = context(state, room);
    let x = area.right().saturating_sub(width(&context) as u16);
    buf.set_stringn(x, area.y, context, room, state.theme.style(Role::Dim));
}

/// The screen whose name stands at a column.
pub fn tab_at(state: &State, x: u16) -> Option<Screen> {
    let mut end = 0;
    let tabs = tabs(state, usize::from(state.size.0)).into_iter();
    let mut tabs = tabs.map(|(screen, text, after)| {
        end += width(&text) + after.len();
        (screen, end)
    });
    tabs.find(|(_, end)| usize::from(x) < *end).map(|t| t.0)
}

/// Screens, their names as shown, and what parts them from the next: as much of the names as leaves
/// room for what they are about.
fn tabs(state: &State, room: usize) -> Vec<(Screen, String, &'static str)> {
    let context = width(&context(state, usize::MAX));
    let wanted = context.min(CONTEXT);
    let of = |names: Names| -> Vec<(Screen, String, &'static str)> {
        let all = Screen::ALL.into_iter();
        all.map(|s| (s, title(state, s, names), gap(names)))
            .collect()
    };
    let fits = |tabs: &[(Screen, String, &str)], beside: usize| {
        let used: usize = tabs.iter().map(|(_, t, g)| width(t) + g.len()).sum();
        used + beside <= room
    };
    for names in [Names::Wide, Names::Whole, Names::Short, Names::Numbers] {
        let tabs = of(names);
        // Whole names are worth less than all of what they are about.
        let wanted = match names {
            Names::Wide | Names::Whole => context,
            Names::Short | Names::Numbers => wanted,
        };
        if fits(&tabs, wanted + 1) {
            return tabs;
        }
    }
    let mut tabs = of(Names::Numbers);
    if !fits(&tabs, 0) {
        tabs.retain(|(s, ..)| *s == state.screen);
    }
    tabs
}

fn gap(names: Names) -> &'static str {
    match names {
        Names::Wide => "",
        _ => " ",
    }
}

/// Number and name of a screen; of Jobs also how many run.
fn title(state: &State, screen: Screen, names: Names) -> String {
    let s = state.strings;
    let running = match screen {
        Screen::Jobs => state.jobs.running(),
        _ => 0,
    };
    let shown = screen == state.screen;
    let name = match names {
        Names::Short if !shown => format!(" {}", screen.short(s)),
        Names::Numbers if !shown => String::new(),
        _ => format!(" {}", screen.title(s)),
    };
    let count = match (running, names) {
        (0, _) => String::new(),
        (n, Names::Wide | Names::Whole) => format!(" ({n})"),
        (n, Names::Short | Names::Numbers) => format!("({n})"),
    };
    let text = format!("{}{name}{count}", screen.number());
    match names {
        Names::Wide => format!(" {text} "),
        _ => text,
    }
}

/// Champion, campaign and device in so many columns: the device goes first, for it is known best,
/// then long names lose their middle.
fn context(state: &State, room: usize) -> String {
    let s = state.strings;
    let Some(list) = &state.variants.list.value else {
        return state.theme.cut(s.app, room).into_owned();
    };
    let (mark, champion) = match (&list.champion, list.contested.is_empty()) {
        (_, false) => (
            String::new(),
            fill(s.contested, &[&inert(&list.contested.join(", "))]),
        ),
        (Some(c), _) => (
            format!("{} ", state.theme.champion()),
            inert(c).into_owned(),
        ),
        (None, _) => (String::new(), s.no_champion.to_owned()),
    };
    let campaign = inert(&list.campaign).into_owned();
    let device = list.device.as_deref().map(inert);
    let both = format!("{mark}{champion}  {campaign}");
    if let Some(device) = device {
        let all = format!("{both}  {device}");
        if width(&all) <= room {
            return all;
        }
    }
    if width(&both) <= room {
        return both;
    }
    // Each has half of the room and what the other leaves of it; the champion is whole where that
    // leaves a little of the campaign.
    let room_of_both = room.saturating_sub(2);
    let own = width(&mark) + width(&champion);
    // Where hardly anything would be left of the campaign the champion stands alone.
    if room < CONTEXT && own <= room && own + 6 > room_of_both {
        return format!("{mark}{champion}");
    }
    let left = match own + 6 <= room_of_both {
        true => own,
        false => (room_of_both / 2)
            .max(room_of_both.saturating_sub(width(&campaign)))
            .min(own),
    };
    let first = state
        .theme
        .squeeze(&champion, left.saturating_sub(width(&mark)));
    let rest = room.saturating_sub(2 + width(&mark) + width(&first));
    if rest < 5 {
        let first = state
            .theme
            .squeeze(&champion, room.saturating_sub(width(&mark)));
        return state
            .theme
            .cut(&format!("{mark}{first}"), room)
            .into_owned();
    }
    format!("{mark}{first}  {}", state.theme.squeeze(&campaign, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{Lang, Options};
    use crate::sample::row;
    use assay_core::view::ListView;

    fn state(width: u16, lang: Lang, champion: &str, campaign: &str) -> State {
        let options = Options {
            lang,
            ..Options::default()
        };
        let mut state = State::new(options, (width, 24));
        state.variants.list.set(Ok(ListView {
            others: Vec::new(),
            schema: String::new(),
            campaign: campaign.into(),
            device: Some("cpu x86-64".into()),
            champion: Some(champion.into()),
            contested: Vec::new(),
            workloads: Vec::new(),
            variants: vec![row(champion, None)],
            chain: None,
            unreadable: 0,
            damaged: 0,
            read_only: false,
        }));
        state
    }

    fn drawn(state: &State) -> String {
        let area = Rect::new(0, 0, state.size.0, 1);
        let mut buf = Buffer::empty(area);
        draw(state, area, &mut buf);
        let mut skip = 0;
        let cells = buf.content.iter().filter(|c| {
            let hidden = skip > 0;
            skip = match hidden {
                true => skip - 1,
                false => width(c.symbol()).saturating_sub(1),
            };
            !hidden
        });
        cells.map(|c| c.symbol()).collect()
    }

    #[test]
    fn champion_and_campaign_show_at_80_columns_on_every_screen() {
        for lang in [Lang::En, Lang::Zh] {
            let mut state = state(80, lang, "tile-64", "gemm-cpu");
            for screen in Screen::ALL {
                state.screen = screen;
                let text = drawn(&state);
                assert!(text.ends_with("★ tile-64  gemm-cpu"), "{text}");
                assert!(text.contains(screen.title(state.strings)), "{text}");
            }
        }
    }

    #[test]
    fn long_names_keep_both_ends() {
        let long = "a-copy-coalesced-width4-of-the-panel";
        let text = drawn(&state(80, Lang::En, long, "c500-gemm-of-mixtures"));
        assert!(
            text.contains("★ a-copy") || text.contains("★ a-c"),
            "{text}"
        );
        assert!(
            text.trim_end().ends_with("tures") || text.ends_with("res"),
            "{text}"
        );
        let text = drawn(&state(160, Lang::En, long, "c500-gemm-of-mixtures"));
        assert!(text.contains("panel  c500-gemm-of-mixtures"), "{text}");
    }

    #[test]
    fn every_width_is_filled_and_no_more() {
        for columns in 0..260 {
            let wide = "核".repeat(150);
            let state = state(columns, Lang::Zh, &wide, &wide);
            assert!(width(&drawn(&state)) <= usize::from(columns.max(1)));
        }
    }
}
