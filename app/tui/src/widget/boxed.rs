//! A box over what is below it, with a title in its border.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::{Clear, Widget};

use crate::theme::{Role, Theme};

/// Draws the box and returns its inside, one column away from the border.
pub fn draw(buf: &mut Buffer, area: Rect, title: &str, theme: &Theme) -> Rect {
    let area = area.intersection(buf.area);
    part_numbers(buf, area);
    Clear.render(area, buf);
    // A wide character that reaches under the left border would swallow it.
    if area.x > buf.area.x {
        for y in area.y..area.bottom() {
            if let Some(cell) = buf.cell_mut((area.x - 1, y))
                && assay_core::text::width(cell.symbol()) > 1
            {
                cell.set_symbol(" ");
            }
        }
    }
    if area.width < 4 || area.height < 3 {
        return area;
    }
    let [h, v, tl, tr, bl, br] = theme.frame();
    let inner = usize::from(area.width - 2);
    let title = if title.is_empty() {
        String::new()
    } else {
        format!(" {} ", theme.cut(title, inner.saturating_sub(4)))
    };
    let fill = inner.saturating_sub(assay_core::text::width(&title) + 1);
    let style = theme.style(Role::Dim);
    let top = Line::from(vec![
        ratatui::text::Span::styled(format!("{tl}{h}"), style),
        ratatui::text::Span::styled(title, theme.style(Role::Title)),
        ratatui::text::Span::styled(format!("{}{tr}", h.repeat(fill)), style),
    ]);
    buf.set_line(area.x, area.y, &top, area.width);
    for y in area.y + 1..area.bottom() - 1 {
        buf.set_string(area.x, y, v, style);
        buf.set_string(area.right() - 1, y, v, style);
    }
    buf.set_string(
        area.x,
        area.bottom() - 1,
        format!("{bl}{}{br}", h.repeat(inner)),
        style,
    );
    Rect {
        x: area.x + 2,
        y: area.y + 1,
        width: area.width - 4,
        height: area.height - 2,
    }
}

/// Blanks what would be left beside the box of numbers that lie partly under it.
fn part_numbers(buf: &mut Buffer, area: Rect) {
    let of_number = |buf: &Buffer, x: u16, y: u16| {
        let cell = buf.cell((x, y)).map_or("", |c| c.symbol());
        !cell.is_empty()
            && cell
                .bytes()
                .all(|b| b.is_ascii_digit() || b".,".contains(&b))
    };
    for y in area.y..area.bottom() {
        if area.is_empty() {
            return;
        }
        if area.x > buf.area.x && of_number(buf, area.x, y) {
            for x in (buf.area.x..area.x)
                .rev()
                .take_while(|x| of_number(buf, *x, y))
                .collect::<Vec<_>>()
            {
                buf[(x, y)].set_symbol(" ");
            }
        }
        if of_number(buf, area.right() - 1, y) {
            for x in (area.right()..buf.area.right())
                .take_while(|x| of_number(buf, *x, y))
                .collect::<Vec<_>>()
            {
                buf[(x, y)].set_symbol(" ");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;
    use ratatui::style::Style;

    #[test]
    fn nothing_of_a_number_looks_out_from_behind_a_box() {
        let mut buf = Buffer::empty(Rect::new(0, 0, 20, 3));
        buf.set_string(0, 1, "a 12.34 b  5.47 ms x", Style::new());
        draw(
            &mut buf,
            Rect::new(5, 0, 8, 3),
            "",
            &Theme::new(&Options::default()),
        );
        let row: String = (0..20).map(|x| buf[(x, 1)].symbol()).collect();
        assert_eq!(row, "a    │      │   ms x");
    }
}
