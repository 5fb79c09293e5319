//! The Jobs screen: the jobs above, the log of the selected one below.
//!
//! ```text
//! Jobs  1
//! > run tile-64     running   bench  [#####.....]  12/24   0:41
//! ---- run tile-64  following
//! block 3 of 6: 812 us / 890 us
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::pane::{self, put};
use crate::fmt;
use crate::layout;
use crate::state::{Job, State};
use crate::strings::fill;
use crate::theme::Role;

/// Draws both panes.
pub fn draw(state: &State, body: Rect, buf: &mut Buffer) {
    let (jobs, s) = (&state.jobs, state.strings);
    if jobs.list.is_empty() {
        pane::title(state, buf, body, s.jobs, &[]);
        pane::empty(state, buf, layout::inside(body), s.no_jobs, Role::Dim);
        return;
    }
    let (list, log) = layout::jobs(body, jobs.list.len());
    pane::title(state, buf, list, s.jobs, &[jobs.list.len().to_string()]);
    let rows = layout::inside(list);
    let shown = jobs.list.iter().enumerate().skip(jobs.cursor.offset);
    for (i, (at, job)) in shown.take(usize::from(rows.height)).enumerate() {
        put(buf, rows, i, &line(state, job, usize::from(rows.width)));
        if at == jobs.cursor.index {
            pane::select(state, buf, rows, i);
        }
    }
    if let Some(job) = jobs.current() {
        draw_log(state, job, log, buf);
    }
}

fn line(state: &State, job: &Job, width: usize) -> Line<'static> {
    let (t, s) = (&state.theme, state.strings);
    let (word, role) = match &job.finished {
        Some(Ok(_)) => (s.job_done, Role::Good),
        Some(Err(_)) if job.cancelling => (s.job_cancelled, Role::Warn),
        Some(Err(_)) => (s.job_failed, Role::Bad),
        None if job.cancelling => (s.job_cancelling, Role::Warn),
        None => (s.job_running, Role::Accent),
    };
    let time = fmt::elapsed(job.ended.unwrap_or(state.now).saturating_sub(job.started));
    // Where it was last does not matter any more once it has ended.
    let ended = job.finished.is_some();
    let phase = if ended { "" } else { &job.phase };
    let title = width.saturating_sub(52).clamp(10, 40);
    let mut spans = vec![
        Span::raw(format!("  {} ", t.left(&job.title, title))),
        Span::styled(t.left(word, 11), t.style(role)),
        Span::raw(t.left(phase, 9)),
    ];
    let tenths = job
        .done
        .min(job.total)
        .saturating_mul(10)
        .checked_div(job.total);
    if let Some(done) = tenths.filter(|_| !ended).map(|d| d.min(10) as usize) {
        let (full, open) = t.progress();
        let bar = format!("{}{}", full.repeat(done), open.repeat(10 - done));
        spans.push(Span::styled(bar, t.style(Role::Accent)));
        spans.push(Span::raw(
            t.right(&format!("{}/{}", job.done, job.total), 8),
        ));
    } else {
        spans.push(Span::raw(" ".repeat(18)));
    }
    spans.push(Span::styled(t.right(&time, 9), t.style(Role::Dim)));
    Line::from(spans)
}

fn draw_log(state: &State, job: &Job, area: Rect, buf: &mut Buffer) {
    let (t, s) = (&state.theme, state.strings);
    let rule = t.rule().repeat(usize::from(area.width));
    buf.set_stringn(
        area.x,
        area.y,
        rule,
        usize::from(area.width),
        t.style(Role::Dim),
    );
    let follow = if state.jobs.up == 0 {
        s.follow_on
    } else {
        s.follow_off
    };
    let time = fmt::elapsed(job.ended.unwrap_or(state.now).saturating_sub(job.started));
    let found = state.jobs.find.remark(s);
    let gap = if found.is_empty() { "" } else { "  " };
    let elapsed = fill(s.elapsed, &[&time]);
    let title = format!(" {}  {follow}  {elapsed}{gap}{found} ", job.title);
    let room = usize::from(area.width.saturating_sub(4));
    if area.height > 0 && room > 0 {
        buf.set_stringn(
            area.x + 2,
            area.y,
            t.cut(&title, room),
            room,
            t.style(Role::Title),
        );
    }
    let mut inside = layout::inside(area);
    if let Some(end) = &job.finished {
        let (text, role) = match end {
            Ok(text) => (text, Role::Good),
            Err(text) => (text, Role::Bad),
        };
        let (result, rest) = layout::rows(inside, 2.min(inside.height / 2));
        pane::empty(state, buf, result, text, role);
        inside = rest;
    }
    if job.lines.is_empty() {
        pane::empty(state, buf, inside, s.log_empty, Role::Dim);
        return;
    }
    let height = usize::from(inside.height);
    let end = job.lines.len().saturating_sub(state.jobs.up);
    let start = end.saturating_sub(height);
    for (i, l) in job.lines.range(start..end).enumerate() {
        put(
            buf,
            inside,
            i,
            &Line::raw(t.cut(l, usize::from(inside.width)).into_owned()),
        );
        let (find, at) = (&state.jobs.find, start + i);
        pane::found(state, buf, inside, i, find, at, find.row() == Some(at));
    }
}
