//! The Jobs screen: the jobs above, the log of the selected one below.
//!
//! ```text
//! Jobs  2
//!   job            state     phase    steps               left   elapsed
//! > run tile-64    running   bench    [#####.....] 12/24  0:40      0:41
//! ---- run tile-64  following
//! == tile-64: bench
//! ```

use assay_core::view::{JobState, JobView};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::pane::{self, put};
use crate::document::page::scrolled;
use crate::document::parts::{Pen, wrap};
use crate::fmt;
use crate::layout;
use crate::state::{Job, State};
use crate::strings::fill;
use crate::theme::Role;

/// Widths of the columns behind the title, in columns of the terminal.
const STATE: usize = 11;
const PHASE: usize = 9;
const BAR: usize = 10;
const STEPS: usize = 8;
const TIME: usize = 9;

/// Rows that the result of a job takes above its log.
const RESULT: usize = 6;

/// Draws both panes.
pub fn draw(state: &State, body: Rect, buf: &mut Buffer) {
    let (jobs, s) = (&state.jobs, state.strings);
    if jobs.list.is_empty() {
        pane::title(state, buf, body, s.jobs, &[]);
        let (text, role) = match &jobs.error {
            Some(e) => (state.options.lang.said_lines(e), Role::Bad),
            None if jobs.known => (state.hint(s.no_jobs, s.no_jobs_here).to_owned(), Role::Dim),
            None => (s.loading.to_owned(), Role::Dim),
        };
        pane::empty(state, buf, layout::inside(body), &text, role);
        return;
    }
    let (list, log) = layout::jobs(body, jobs.list.len());
    let mut remarks = vec![jobs.list.len().to_string()];
    remarks.extend(jobs.error.iter().map(|e| {
        state
            .theme
            .cut(&state.options.lang.said(e), 60)
            .into_owned()
    }));
    pane::title(state, buf, list, s.jobs, &remarks);
    put(
        &state.theme,
        buf,
        layout::inside(list),
        0,
        &head(state, list.width),
    );
    let rows = layout::table_rows(list);
    let shown = jobs.list.iter().enumerate().skip(jobs.cursor.offset);
    for (i, (at, job)) in shown.take(usize::from(rows.height)).enumerate() {
        put(
            &state.theme,
            buf,
            rows,
            i,
            &line(state, job, usize::from(rows.width)),
        );
        if at == jobs.cursor.index {
            pane::select(state, buf, rows, i);
        }
    }
    if let Some(job) = jobs.current() {
        draw_log(state, job, log, buf);
    }
}

fn title_width(width: usize, steps: usize) -> usize {
    let others = 3 + STATE + PHASE + BAR + steps + 2 * TIME;
    width.saturating_sub(others).clamp(10, 40)
}

/// Columns of the steps: what the longest of them needs, for half a fraction says nothing.
fn steps_width(state: &State) -> usize {
    let open = state.jobs.list.iter().filter(|j| j.is_open());
    let widest = open.map(|j| steps(&j.view).len() + 1).max();
    widest.unwrap_or(STEPS).max(STEPS)
}

fn steps(view: &JobView) -> String {
    format!("{}/{}", view.done, view.total)
}

fn head(state: &State, width: u16) -> Line<'static> {
    let (t, s) = (&state.theme, state.strings);
    let text = format!(
        "  {} {}{}{}{}{}",
        t.left(
            s.col_job,
            title_width(usize::from(width), steps_width(state))
        ),
        t.left(s.col_state, STATE),
        t.left(s.col_phase, PHASE),
        t.right(s.col_steps, BAR + steps_width(state)),
        t.right(s.col_left, TIME),
        t.right(s.col_elapsed, TIME),
    );
    Line::from(Span::styled(text, t.style(Role::Dim)))
}

/// The word for where a job stands.
fn word(state: &State, job: &Job) -> (&'static str, Role) {
    let s = state.strings;
    match job.view.state {
        JobState::Done => (s.job_done, Role::Good),
        JobState::Cancelled => (s.job_cancelled, Role::Warn),
        JobState::Failed => (s.job_failed, Role::Bad),
        JobState::Lost => (s.job_lost, Role::Bad),
        _ if job.cancelling => (s.job_cancelling, Role::Warn),
        JobState::Queued => (s.job_queued, Role::Dim),
        JobState::Running => (s.job_running, Role::Accent),
    }
}

fn line(state: &State, job: &Job, width: usize) -> Line<'static> {
    let t = &state.theme;
    let (word, role) = word(state, job);
    let view = &job.view;
    let steps_columns = steps_width(state);
    // Where it was last does not matter any more once it has ended.
    let open = job.is_open();
    let phase = view.phase.as_deref().filter(|_| open).unwrap_or("");
    let mut spans = vec![
        Span::raw(format!(
            "  {} ",
            t.left(&view.title, title_width(width, steps_columns))
        )),
        Span::styled(t.left(word, STATE), t.style(role)),
        Span::raw(t.left(phase, PHASE)),
    ];
    let tenths = view.done.min(view.total).saturating_mul(BAR as u64);
    match tenths.checked_div(view.total).filter(|_| open) {
        Some(done) => {
            let done = usize::try_from(done).unwrap_or(0).min(BAR);
            let (full, rest) = t.progress();
            let bar = format!("{}{}", full.repeat(done), rest.repeat(BAR - done));
            spans.push(Span::styled(bar, t.style(Role::Accent)));
            spans.push(Span::raw(t.right(&steps(view), steps_columns)));
        }
        None => spans.push(Span::raw(" ".repeat(BAR + steps_columns))),
    }
    let time = |d: Option<std::time::Duration>| d.map_or_else(String::new, fmt::elapsed);
    let left = t.right(&time(job.left(state.now)), TIME);
    let elapsed = t.right(&time(job.elapsed(state.now)), TIME);
    spans.push(Span::styled(format!("{left}{elapsed}"), t.style(Role::Dim)));
    Line::from(spans)
}

fn draw_log(state: &State, job: &Job, area: Rect, buf: &mut Buffer) {
    let (t, s, jobs) = (&state.theme, state.strings, &state.jobs);
    let width = usize::from(area.width);
    let style = t.style(Role::Dim);
    buf.set_stringn(area.x, area.y, t.rule().repeat(width), width, style);
    let follow = match jobs.up {
        0 => s.follow_on,
        _ => s.follow_off,
    };
    let subject = job.view.subject.as_deref().filter(|_| job.is_open());
    let subject = subject.map_or_else(String::new, |n| format!("  {n}"));
    let found = jobs.find.remark(s);
    let gap = if found.is_empty() { "" } else { "  " };
    let bytes = job.view.log_bytes.to_string();
    let place = fill(s.job_log_at, &[&bytes, &job.view.folder]);
    let title = format!(
        " {}{subject}  {follow}{gap}{found}  {place} ",
        job.view.title
    );
    let room = width.saturating_sub(4);
    if area.height > 0 && room > 0 {
        let style = t.style(Role::Title);
        buf.set_stringn(area.x + 2, area.y, t.cut(&title, room), room, style);
    }
    let mut inside = layout::inside(area);
    if let Some((text, role)) = result(state, job) {
        let lines: Vec<String> = (text.lines())
            .flat_map(|l| wrap(l, usize::from(inside.width)))
            .take(RESULT)
            .collect();
        let wanted = u16::try_from(lines.len()).unwrap_or(1);
        let (result, rest) = layout::rows(inside, wanted.min(inside.height / 2));
        for (i, l) in lines.into_iter().enumerate() {
            put(
                &state.theme,
                buf,
                result,
                i,
                &Line::from(Span::styled(l, t.style(role))),
            );
        }
        inside = rest;
    }
    if let Some(e) = &jobs.log.error {
        return pane::empty(
            state,
            buf,
            inside,
            &state.options.lang.said_lines(e),
            Role::Bad,
        );
    }
    if jobs.log.lines.is_empty() {
        return pane::empty(state, buf, inside, s.log_empty, Role::Dim);
    }
    let height = usize::from(inside.height);
    let end = jobs.log.lines.len().saturating_sub(jobs.up);
    let start = end.saturating_sub(height);
    let pen = Pen {
        theme: *t,
        s,
        lang: state.options.lang,
        width: usize::from(inside.width),
    };
    for (i, l) in jobs.log.lines.range(start..end).enumerate() {
        let columns = usize::from(inside.width);
        let shown = scrolled(&pen, &Line::raw(l.as_str()), jobs.left, columns);
        put(&state.theme, buf, inside, i, &shown);
        let (find, at) = (&jobs.find, start + i);
        pane::found(state, buf, inside, i, find, at, find.row() == Some(at));
    }
}

/// What came of a job that is over.
fn result(state: &State, job: &Job) -> Option<(String, Role)> {
    let said = |text: &String| state.options.lang.said_lines(text);
    let (s, result) = (state.strings, job.view.result.as_ref().map(said));
    match job.view.state {
        JobState::Lost => {
            let said = result.map_or_else(String::new, |r| format!("\n{r}"));
            Some((format!("{}{said}", s.job_lost_text), Role::Bad))
        }
        JobState::Done => result.map(|r| (r, Role::Good)),
        JobState::Cancelled => result.map(|r| (r, Role::Warn)),
        JobState::Failed => result.map(|r| (r, Role::Bad)),
        JobState::Queued | JobState::Running => None,
    }
}
