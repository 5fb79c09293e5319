//! Tables as text: CSV and Markdown.

use assay_core::campaign::ParseKind;
use assay_core::text::inert;
use assay_core::units::TimeUnit;

use super::{Collect, Extra, Reading, Readings, ReadingsError, RowFailureKind};

/// Which columns hold what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns {
    /// Name of the column with the time.
    pub value: String,
    /// Its unit.
    pub unit: TimeUnit,
    /// Columns whose texts, joined by a comma and a blank, are the name of a row; when there are
    /// none, rows have no name.
    pub labels: Vec<String>,
    /// Column with the tag.
    pub tag: Option<String>,
}

/// A table: a header and rows of cells.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Grid {
    pub(super) header: Vec<String>,
    pub(super) rows: Vec<GridRow>,
}

/// A row of cells.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct GridRow {
    pub(super) line: usize,
    pub(super) cells: Vec<String>,
    /// Why the row is damaged, if it shows.
    pub(super) damage: Option<String>,
}

/// A part of a Markdown text.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Block {
    Heading { level: usize, text: String },
    Table(Grid),
    Line(String),
}

impl Grid {
    /// The place of a column that is there once.
    fn column(&self, name: &str) -> Result<usize, String> {
        let mut found = (0..).zip(&self.header).filter(|(_, h)| *h == name);
        match (found.next(), found.next()) {
            (Some((i, _)), None) => Ok(i),
            (Some(_), Some(_)) => Err(format!("column `{}` stands there twice", inert(name))),
            (None, _) => {
                let there: Vec<&str> = self.header.iter().map(String::as_str).take(20).collect();
                Err(format!(
                    "there is no column `{}`; there are {}",
                    inert(name),
                    inert(&there.join(", "))
                ))
            }
        }
    }

    fn read(&self, columns: &Columns, group: &str, all: &mut Collect) -> Result<(), ReadingsError> {
        let places = || -> Result<_, String> {
            let labels = columns.labels.iter().map(|l| self.column(l));
            let tag = columns.tag.as_deref().map(|t| self.column(t));
            Ok((
                self.column(&columns.value)?,
                labels.collect::<Result<Vec<_>, _>>()?,
                tag.transpose()?,
            ))
        };
        let (value, labels, tag) = match places() {
            Ok(places) => places,
            Err(why) => return all.error(why),
        };
        for row in &self.rows {
            let mut reading = Reading {
                group: group.to_owned(),
                ..Reading::new(columns.unit, row.line)
            };
            if let Some(why) = &row.damage {
                all.row(reading.failed(RowFailureKind::Unreadable, why.clone()))?;
                continue;
            }
            let cell = |i: usize| row.cells.get(i).map_or("", String::as_str);
            let texts: Vec<&str> = labels.iter().map(|i| cell(*i)).collect();
            reading.workload = texts.join(", ");
            reading.tag = tag.map(cell).unwrap_or_default().to_owned();
            for (i, (name, text)) in self.header.iter().zip(&row.cells).enumerate() {
                if labels.contains(&i) {
                    reading.params.push((name.clone(), text.clone()));
                } else if i != value && Some(i) != tag {
                    reading.extras.push(Extra::new(name, text));
                }
            }
            all.row(match cell(value) {
                text if is_none(text) => {
                    let why = format!("the log has `{}` for its time", inert(text));
                    reading.failed(RowFailureKind::NotAvailable, why)
                }
                text => reading.timed([text]),
            })?;
        }
        Ok(())
    }
}

/// Whether a cell says that there is no figure.
pub(super) fn is_none(text: &str) -> bool {
    matches!(
        text.trim().to_ascii_lowercase().as_str(),
        "" | "n/a" | "na" | "-" | "none" | "null"
    )
}

/// Reads a CSV file. Lines before the header (the first line with the column of the time) are
/// skipped; a row with another number of fields than the header is damaged.
///
/// # Errors
/// When a column is not there or is there twice.
pub fn csv(bytes: &[u8], columns: &Columns, delimiter: u8) -> Result<Readings, ReadingsError> {
    let mut all = Collect::new(ParseKind::Csv);
    let text = all.text(bytes)?;
    let mut grid: Option<Grid> = None;
    let mut first: Option<Grid> = None;
    for (line, cells, closed) in records(&text, delimiter) {
        let Some(grid) = &mut grid else {
            let head = Grid {
                header: cells.iter().map(|c| c.trim().to_owned()).collect(),
                rows: Vec::new(),
            };
            if head.header.contains(&columns.value) {
                grid = Some(head);
            } else {
                first.get_or_insert(head);
            }
            continue;
        };
        let damage = damage(&cells, grid.header.len(), closed);
        let cells = cells.iter().map(|c| c.trim().to_owned()).collect();
        grid.rows.push(GridRow {
            line,
            cells,
            damage,
        });
    }
    match (grid, first) {
        (Some(grid), _) => grid.read(columns, "", &mut all)?,
        (None, Some(first)) => first.read(columns, "", &mut all)?,
        (None, None) => return all.error("it is empty"),
    }
    drop(text);
    Ok(all.finish())
}

fn damage(cells: &[String], wanted: usize, closed: bool) -> Option<String> {
    if !closed {
        return Some("the row is cut off".into());
    }
    (cells.len() != wanted).then(|| {
        format!(
            "the row has {} fields where the header has {wanted}; a decimal comma does that",
            cells.len()
        )
    })
}

/// The records of a CSV text: line, fields, and whether all quotes are closed.
fn records(text: &str, delimiter: u8) -> Vec<(usize, Vec<String>, bool)> {
    let mut out = Vec::new();
    let mut rest = text;
    let mut line = 1;
    while !rest.is_empty() {
        let (mut cells, mut cell) = (Vec::new(), Vec::new());
        let (mut quoted, mut end) = (false, rest.len());
        let bytes = rest.as_bytes();
        let mut i = 0;
        while let Some(&b) = bytes.get(i) {
            i += 1;
            match b {
                b'"' if quoted && bytes.get(i) == Some(&b'"') => {
                    cell.push(b);
                    i += 1;
                }
                b'"' if quoted => quoted = false,
                b'"' if cell.trim_ascii().is_empty() => {
                    cell.clear();
                    quoted = true;
                }
                b'\n' if !quoted => {
                    end = i;
                    break;
                }
                b if b == delimiter && !quoted => {
                    cells.push(std::mem::take(&mut cell));
                }
                b => cell.push(b),
            }
        }
        let record = &rest[..end];
        cells.push(cell);
        if !record.trim().is_empty() {
            // Cut at bytes of ASCII, so each field is still the text that it was.
            let fields = cells
                .iter()
                .map(|c| String::from_utf8_lossy(c).into_owned());
            out.push((line, fields.collect(), !quoted));
        }
        line += record.matches('\n').count();
        rest = &rest[end..];
    }
    out
}

/// Reads the tables of a Markdown text that have the column of the time; their heading is the
/// group.
///
/// # Errors
/// When no table has the column, or one that has it lacks another one.
pub fn markdown(bytes: &[u8], columns: &Columns) -> Result<Readings, ReadingsError> {
    let mut all = Collect::new(ParseKind::Markdown);
    let text = all.text(bytes)?;
    let mut group = String::new();
    let mut first: Option<Grid> = None;
    let mut found = false;
    for block in blocks(&text) {
        match block {
            Block::Heading { text, .. } => group = text,
            Block::Table(grid) if grid.header.contains(&columns.value) => {
                grid.read(columns, &group, &mut all)?;
                found = true;
            }
            Block::Table(grid) => {
                first.get_or_insert(grid);
            }
            Block::Line(_) => {}
        }
    }
    match first {
        _ if found => {}
        Some(grid) => grid.read(columns, "", &mut all)?,
        None => return all.error("there is no table in it"),
    }
    drop(text);
    Ok(all.finish())
}

/// Headings, tables and other lines of a Markdown text; what stands in a fence is left out.
pub(super) fn blocks(text: &str) -> Vec<Block> {
    let mut out = Vec::new();
    let mut fenced = false;
    let mut lines = text.lines().enumerate().peekable();
    while let Some((i, line)) = lines.next() {
        let line = line.trim();
        if line.starts_with("```") {
            fenced = !fenced;
            continue;
        }
        if fenced || line.is_empty() {
            continue;
        }
        let level = line.bytes().take_while(|b| *b == b'#').count();
        if level > 0 && line[level..].starts_with([' ', '\t']) {
            out.push(Block::Heading {
                level,
                text: line[level..].trim().to_owned(),
            });
            continue;
        }
        let is_header = line.contains('|') && lines.peek().is_some_and(|(_, l)| is_rule(l));
        if !is_header {
            out.push(Block::Line(line.to_owned()));
            continue;
        }
        lines.next();
        let header = cells(line);
        let mut rows = Vec::new();
        while let Some((j, l)) = lines.next_if(|(_, l)| l.contains('|')) {
            let row = cells(l);
            // A row without the bar that all rows end with was cut in the middle.
            let closed = !line.ends_with('|') || l.trim_end().ends_with('|');
            rows.push(GridRow {
                line: j + 1,
                damage: damage(&row, header.len(), closed),
                cells: row,
            });
        }
        if rows.is_empty() {
            out.push(Block::Line(format!("an empty table in line {}", i + 1)));
        }
        out.push(Block::Table(Grid { header, rows }));
    }
    out
}

fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.contains('-')
        && line.contains('|')
        && line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '))
}

/// The cells of a row; a bar after a backslash is text, and so is other marked punctuation.
fn cells(line: &str) -> Vec<String> {
    let line = line.trim();
    let line = line.strip_prefix('|').unwrap_or(line);
    let mut out = vec![String::new()];
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        let next = match c {
            '\\' => chars.next_if(char::is_ascii_punctuation),
            '|' if chars.peek().is_none() => break,
            '|' => {
                out.push(String::new());
                continue;
            }
            _ => None,
        };
        if let Some(cell) = out.last_mut() {
            cell.push(next.unwrap_or(c));
        }
    }
    out.iter().map(|c| c.trim().to_owned()).collect()
}
