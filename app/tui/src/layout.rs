//! Where things are, from the size alone: update scrolls and view draws by the same rectangles.

use ratatui::layout::Rect;

/// The three parts of the screen.
#[derive(Debug, Clone, Copy)]
pub struct Areas {
    /// Screens and campaign, one row.
    pub header: Rect,
    /// The screen itself.
    pub body: Rect,
    /// Hints or a notice, one row.
    pub footer: Rect,
}

/// Columns from which the detail stands beside the table.
pub const BESIDE_WIDTH: u16 = 100;
/// Rows below a short table for which a detail is worth showing.
const LEAST_DETAIL: usize = 9;

/// Rows from which the detail stands below the table.
pub const BELOW_HEIGHT: u16 = 30;
/// Columns below which every screen has one pane.
pub const ONE_PANE_WIDTH: u16 = 60;

/// Columns and rows below which nothing useful can be drawn.
pub const LEAST: (u16, u16) = (20, 5);

/// Below this nothing useful can be drawn.
pub fn too_small((columns, rows): (u16, u16)) -> bool {
    columns < LEAST.0 || rows < LEAST.1
}

/// Splits the screen.
pub fn areas((w, h): (u16, u16)) -> Areas {
    let row = |y: u16| Rect {
        x: 0,
        y: y.min(h.saturating_sub(1)),
        width: w,
        height: 1.min(h),
    };
    Areas {
        header: row(0),
        body: Rect {
            x: 0,
            y: 1.min(h),
            width: w,
            height: h.saturating_sub(2),
        },
        footer: row(h.saturating_sub(1)),
    }
}

/// Parts of the Variants screen.
#[derive(Debug, Clone, Copy)]
pub struct VariantsAreas {
    /// Title, column titles and rows; absent when the detail takes everything.
    pub table: Option<Rect>,
    /// The detail.
    pub detail: Option<Rect>,
}

/// Splits the body of the Variants screen for a table of `count` rows.
pub fn variants(body: Rect, full: bool, count: usize) -> VariantsAreas {
    if full {
        return VariantsAreas {
            table: None,
            detail: Some(body),
        };
    }
    if body.width >= BESIDE_WIDTH {
        // The table needs about 80 columns for all its figures; what is more is for reading.
        let table = (u32::from(body.width) * 2 / 3).clamp(60, 96) as u16;
        let (left, right) = columns(body, table);
        return VariantsAreas {
            table: Some(left),
            detail: Some(right),
        };
    }
    // A table of a few rows leaves room for it where there is none else.
    let is_short = count.saturating_add(3 + LEAST_DETAIL) <= usize::from(body.height);
    if (is_short || body.height >= BELOW_HEIGHT - 2) && body.width >= ONE_PANE_WIDTH {
        // A short table leaves its rows to the detail.
        let most = (u32::from(body.height) * 3 / 5) as u16;
        let wanted = u16::try_from(count.saturating_add(3)).unwrap_or(u16::MAX);
        let (top, bottom) = rows(body, wanted.clamp(6, most.max(6)));
        return VariantsAreas {
            table: Some(top),
            detail: Some(bottom),
        };
    }
    VariantsAreas {
        table: Some(body),
        detail: None,
    }
}

/// Rows of a pane that hold content: all but the title.
pub fn inside(pane: Rect) -> Rect {
    Rect {
        y: pane.y.saturating_add(1.min(pane.height)),
        height: pane.height.saturating_sub(1),
        ..pane
    }
}

/// Rows of a table that hold rows: all but the title and the column titles.
pub fn table_rows(pane: Rect) -> Rect {
    inside(inside(pane))
}

/// The notices and the rows of the Source screen, below its title, for notices of so many rows.
pub fn source(body: Rect, notices: usize) -> (Rect, Rect) {
    let inside = inside(body);
    // Notices are always there, and the source has most of the room.
    let most = (inside.height / 4).max(1).min(inside.height / 2);
    let wanted = u16::try_from(notices).unwrap_or(u16::MAX);
    rows(inside, wanted.min(most))
}

/// Box of the list of kernels.
pub fn kernels(size: (u16, u16), count: usize) -> Rect {
    let height = u16::try_from(count.saturating_add(2)).unwrap_or(u16::MAX);
    centred(areas(size).body, 100, height)
}

/// The map and the cell at hand of the Workloads screen.
pub fn workloads(body: Rect) -> (Rect, Rect) {
    let detail = match body.height {
        h if h >= 26 => 10,
        h if h >= 14 => 8,
        h if h >= 10 => 4,
        _ => 0,
    };
    rows(body, body.height - detail)
}

/// Parts of the Profile screen: at least one of them is there.
#[derive(Debug, Clone, Copy)]
pub struct ProfileAreas {
    /// The counters.
    pub table: Option<Rect>,
    /// Findings and roofline.
    pub side: Option<Rect>,
}

/// The counters, and below them what is to be said of the one at hand.
pub fn counters(table: Rect) -> (Rect, Rect) {
    let foot = if table.height >= 12 { 3 } else { 0 };
    rows(table, table.height - foot)
}

/// Splits the body of the Profile screen; with `side` the findings have it where there is no room
/// for both.
pub fn profile(body: Rect, side: bool) -> ProfileAreas {
    if body.width >= 110 {
        let table = (u32::from(body.width) * 3 / 5).clamp(62, 116) as u16;
        let (left, right) = columns(body, table);
        return ProfileAreas {
            table: Some(left),
            side: Some(right),
        };
    }
    ProfileAreas {
        table: (!side).then_some(body),
        side: side.then_some(body),
    }
}

/// The list and the curve of the History screen, where there is a curve and room for both.
pub fn history(body: Rect, points: usize) -> (Rect, Rect) {
    let curve = match (points, body.height, body.width) {
        (0 | 1, ..) | (_, 0..16, _) | (.., 0..60) => 0,
        (_, h, _) => (h / 3).min(14),
    };
    let (curve, list) = rows(body, curve);
    (list, curve)
}

/// The list and the log of the Jobs screen.
pub fn jobs(body: Rect, count: usize) -> (Rect, Rect) {
    let wanted = u16::try_from(count).unwrap_or(u16::MAX).saturating_add(2);
    rows(body, wanted.min(body.height / 3).max(3.min(body.height)))
}

/// Splits off the left `width` columns.
pub fn columns(area: Rect, width: u16) -> (Rect, Rect) {
    let width = width.min(area.width);
    (
        Rect { width, ..area },
        Rect {
            x: area.x.saturating_add(width),
            width: area.width - width,
            ..area
        },
    )
}

/// Splits off the upper `height` rows.
pub fn rows(area: Rect, height: u16) -> (Rect, Rect) {
    let height = height.min(area.height);
    (
        Rect { height, ..area },
        Rect {
            y: area.y.saturating_add(height),
            height: area.height - height,
            ..area
        },
    )
}

/// A box of at most this size in the middle of `area`.
pub fn centred(area: Rect, width: u16, height: u16) -> Rect {
    let (width, height) = (width.min(area.width), height.min(area.height));
    Rect {
        x: area.x.saturating_add((area.width - width) / 2),
        y: area.y.saturating_add((area.height - height) / 2),
        width,
        height,
    }
}

/// Box of the help.
pub fn help(size: (u16, u16)) -> Rect {
    centred(areas(size).body, 72, u16::MAX)
}

/// Box of a record.
pub fn record(size: (u16, u16)) -> Rect {
    centred(areas(size).body, 110, u16::MAX)
}

/// Box of a message of so many lines.
pub fn message(size: (u16, u16), lines: usize) -> Rect {
    let height = u16::try_from(lines.saturating_add(2)).unwrap_or(u16::MAX);
    centred(areas(size).body, 80, height.min(16))
}

/// Where the form of an export may be, and the columns inside its border.
pub fn export(size: (u16, u16)) -> (Rect, usize) {
    let area = centred(areas(size).body, 76, u16::MAX);
    (area, usize::from(area.width.saturating_sub(4)))
}

/// Box of the palette.
pub fn palette(size: (u16, u16)) -> Rect {
    let body = areas(size).body;
    Rect {
        y: body.y,
        ..centred(body, 72, 16)
    }
}

/// Rows of the palette that hold hits: inside the border, below the input.
pub fn palette_rows(size: (u16, u16)) -> usize {
    usize::from(palette(size).height.saturating_sub(3))
}
