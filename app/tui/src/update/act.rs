//! What each action does on the screen that is shown.

use assay_core::record::DecisionKind;

use super::motion::{Motion, go};
use super::{against, edit, evidence, find, layers, open, report, say, table, yank};
use crate::action::Action;
use crate::document::Doc;
use crate::event::Effect;
use crate::layout;
use crate::state::profile::CounterSort;
use crate::state::source::Stop;
use crate::state::variants::MARKS;
use crate::state::workloads::HeatSort;
use crate::state::{ConfirmKind, Layer, Screen, SourceMode, State};
use crate::strings::fill;

/// Does an action.
pub fn act(state: &mut State, action: Action, out: &mut Vec<Effect>) {
    if !state.offers(action) {
        return say(state, state.strings.read_only.to_owned());
    }
    match action {
        Action::Help => state.layers.push(Layer::Help(Default::default())),
        Action::Palette => layers::open_palette(state),
        Action::Up => go(state, Motion::Step(-1)),
        Action::Down => go(state, Motion::Step(1)),
        Action::Left => go(state, Motion::Sideways(-8)),
        Action::Right => go(state, Motion::Sideways(8)),
        Action::PageUp => go(state, Motion::Page(-1)),
        Action::PageDown => go(state, Motion::Page(1)),
        Action::Top => go(state, Motion::Top),
        Action::Bottom => go(state, Motion::Bottom),
        Action::ScreenVariants => open::screen(state, Screen::Variants, out),
        Action::ScreenCompare => open::screen(state, Screen::Compare, out),
        Action::ScreenSource => open::screen(state, Screen::Source, out),
        Action::ScreenJobs => open::screen(state, Screen::Jobs, out),
        Action::ScreenHistory => open::screen(state, Screen::History, out),
        Action::ScreenWorkloads => open::screen(state, Screen::Workloads, out),
        Action::ScreenProfile => open::screen(state, Screen::Profile, out),
        Action::ScreenReport => open::screen(state, Screen::Report, out),
        Action::NextScreen => open::screen(state, state.screen.step(1), out),
        Action::PrevScreen => open::screen(state, state.screen.step(-1), out),
        Action::Back => _ = back(state),
        Action::Quit => {
            if !back(state) {
                quit(state, out);
            }
        }
        Action::Redraw => out.push(Effect::Redraw),
        Action::Suspend => out.push(Effect::Suspend),
        Action::Reload => open::reload(state, out),
        Action::Report => {
            say(state, state.strings.saving.to_owned());
            out.push(Effect::Report);
        }
        Action::Open => open::enter(state, out),
        Action::Mark => mark(state),
        Action::Compare => open::compare_marked(state, out),
        Action::Diff | Action::DiffParent => open::diff(state, out),
        Action::DiffChampion => open::diff_champion(state, out),
        Action::Run => run(state, out),
        Action::Accept => layers::open_decide(state, DecisionKind::Accept, out),
        Action::Reject => layers::open_decide(state, DecisionKind::Reject, out),
        Action::Park => layers::open_decide(state, DecisionKind::Park, out),
        Action::New => layers::open_new(state),
        // Without the counters there is nothing on the screen that a filter would narrow down.
        Action::Filter if state.searched().is_some() => find::open(state),
        Action::Filter => layers::open_filter(state),
        Action::SortNext => sort(state, 1),
        Action::SortPrev => sort(state, -1),
        Action::SortReverse if state.screen == Screen::Workloads => {
            state.workloads.reversed ^= true;
            state.workloads.arrange(state.variants.list.value.as_ref());
        }
        Action::SortReverse => {
            state.variants.reversed = !state.variants.reversed;
            state.variants.arrange();
        }
        Action::Edit => edit::start(state, out),
        Action::Mouse => {
            state.mouse = !state.mouse;
            let s = state.strings;
            let text = if state.mouse { s.mouse_on } else { s.mouse_off };
            say(state, text.to_owned());
            out.push(Effect::Mouse(state.mouse));
        }
        Action::Columns => table::choose(state),
        Action::SaveTable => table::open(state),
        Action::DetailDown => detail(state).step(1),
        Action::DetailUp => detail(state).step(-1),
        Action::Yank => yank::open(state),
        Action::CopyRow => yank::row(state, out),
        Action::SwapSides => open::swap(state, out),
        Action::NextHunk => state.source.jump(Stop::Hunk, true),
        Action::PrevHunk => state.source.jump(Stop::Hunk, false),
        Action::NextKernel => state.source.jump(Stop::Kernel, true),
        Action::PrevKernel => state.source.jump(Stop::Kernel, false),
        Action::NextFile => state.source.jump(Stop::File, true),
        Action::PrevFile => state.source.jump(Stop::File, false),
        Action::FoldHere => state.source.fold_here(),
        Action::FoldAll => state.source.fold_all(),
        Action::FoldKernels => state.source.fold_kernels(),
        Action::Figures => state.source.folds.evidence ^= true,
        Action::Evidence => evidence::open(state, out),
        Action::Kernels => layers::open_kernels(state),
        Action::Notices => layers::open_notices(state),
        Action::ToggleNormalised => open::toggle_normalised(state, out),
        Action::ToggleLayout => {
            let split = state.source.split(state.size.0);
            state.source.mode = if split {
                SourceMode::Unified
            } else {
                SourceMode::Split
            };
        }
        Action::ToggleGenerated => open::toggle_generated(state, out),
        Action::Contents => report::contents(state),
        Action::NextChapter => state.report.step_chapter(true),
        Action::PrevChapter => state.report.step_chapter(false),
        Action::Search => find::open(state),
        Action::SearchNext => find::step(state, 1),
        Action::SearchPrev => find::step(state, -1),
        Action::Export => report::open_export(state),
        Action::ReportLang => open::toggle_report_lang(state, out),
        Action::AllChecks => report::all_checks(state),
        Action::CancelJob => cancel_job(state),
        Action::Against => against::choose(state, out),
        Action::NextMedian => state.variants.next_median(),
        Action::RunAgain => run_again(state, out),
        Action::Follow => state.jobs.up = 0,
        Action::CellEvidence => open::cell_evidence(state, out),
        Action::CellShows => state.workloads.shows = state.workloads.shows.next(),
        Action::SortHere => sort_heat(state, HeatSort::Workload(state.workloads.column.index)),
        Action::OpenProfile => open::open_profile(state, out),
        Action::NextFinding => finding(state, 1),
        Action::PrevFinding => finding(state, -1),
        Action::NextWorkload => open::step_workload(state, 1, out),
        Action::PrevWorkload => open::step_workload(state, -1, out),
        Action::SidePane => state.profile.side ^= true,
        Action::ChangedOnly => {
            state.profile.changed_only ^= true;
            state.profile.arrange();
        }
        Action::FoldSection => state.profile.fold_here(),
        Action::FoldSections => state.profile.fold_all(),
        // These belong to layers and are handled there; Ctrl-c before the lookup.
        Action::Cancel
        | Action::Confirm
        | Action::Close
        | Action::NextField
        | Action::PrevField
        | Action::FormEvidence => {}
    }
}

/// Steps out of what is open; false when there is nothing to step out of.
fn back(state: &mut State) -> bool {
    if find::end(state) {
        return true;
    }
    if state.screen == Screen::Profile && state.profile.side {
        state.profile.side = false;
        if layout::profile(layout::areas(state.size).body, false)
            .side
            .is_none()
        {
            return true;
        }
    }
    if state.screen == Screen::Profile && !state.profile.filter.is_empty() {
        state.profile.set_filter("");
        return true;
    }
    if state.screen == Screen::Variants {
        if state.variants.detail_full {
            state.variants.detail_full = false;
        } else if !state.variants.filter.is_empty() {
            state.variants.set_filter("");
        } else if !state.variants.marked.is_empty() {
            state.variants.marked.clear();
        } else {
            return false;
        }
        return true;
    }
    state.screen = state.trail.pop().unwrap_or(Screen::Variants);
    state.chosen = false;
    true
}

/// Leaves, after a question when jobs run.
pub fn quit(state: &mut State, out: &mut Vec<Effect>) {
    match state.jobs.running() {
        0 => out.push(Effect::Quit),
        n => state.layers.push(Layer::Confirm(ConfirmKind::Quit(n))),
    }
}

/// The variant that an action on this screen is about.
pub fn subject(state: &State) -> Option<String> {
    match state.screen {
        Screen::Variants => state.variants.current().map(|v| v.name.clone()),
        Screen::Compare => state.compare.pair.last().cloned(),
        Screen::Source => state.source.key.as_ref().map(|k| k.b.clone()),
        Screen::History => {
            let row = state
                .history
                .slot
                .value
                .as_ref()?
                .records
                .get(state.history.cursor.index)?;
            row.variant.clone().or_else(|| Some(row.id.clone()))
        }
        Screen::Workloads => match state.workloads.current() {
            Some(row) => Some(row.name.clone()),
            None => state.variants.current().map(|v| v.name.clone()),
        },
        Screen::Profile => state.variants.current().map(|v| v.name.clone()),
        Screen::Jobs => state
            .jobs
            .current()
            .and_then(|j| j.view.names.first().cloned()),
        Screen::Report => None,
    }
}

fn mark(state: &mut State) {
    let Some(name) = subject(state) else {
        return say(state, state.strings.no_decide.to_owned());
    };
    match state.variants.toggle_mark(&name) {
        true => go(state, Motion::Step(1)),
        false => say(state, fill(state.strings.marks_full, &[&MARKS.to_string()])),
    }
}

fn run(state: &mut State, out: &mut Vec<Effect>) {
    let [marked, hidden] = match state.screen {
        Screen::Variants => state.variants.marks(),
        _ => Default::default(),
    };
    let names: Vec<String> = match marked.is_empty() {
        true => subject(state).into_iter().collect(),
        false => marked,
    };
    let mut text = match names.is_empty() {
        true => state.strings.no_decide.to_owned(),
        false => fill(state.strings.run_started, &[&names.join(" ")]),
    };
    text.push_str(&left_out(state, &hidden));
    say(state, text);
    if !names.is_empty() {
        out.push(Effect::Run(names));
    }
}

/// Says which marks the filter hides, so that nothing was done with them.
pub fn left_out(state: &State, hidden: &[String]) -> String {
    match hidden.is_empty() {
        true => String::new(),
        false => format!(
            "  {}",
            fill(state.strings.marks_hidden, &[&hidden.join(" ")])
        ),
    }
}

/// Goes to a finding; where only one pane has room, to that of the findings.
fn finding(state: &mut State, by: isize) {
    if state.profile.found() == 0 {
        return say(state, state.strings.no_findings.to_owned());
    }
    state.profile.side = true;
    state.profile.step_finding(by);
}

/// The text beside or below the table of a screen.
fn detail(state: &mut State) -> &mut Doc {
    match state.screen {
        Screen::Workloads => &mut state.workloads.detail,
        Screen::Profile => &mut state.profile.doc,
        _ => &mut state.variants.detail,
    }
}

fn sort_heat(state: &mut State, by: HeatSort) {
    state.workloads.sort = by;
    state.workloads.arrange(state.variants.list.value.as_ref());
}

fn sort(state: &mut State, step: isize) {
    if state.screen == Screen::Profile {
        let p = &mut state.profile;
        p.sort = match p.sort {
            CounterSort::Change => CounterSort::Name,
            CounterSort::Name => CounterSort::Change,
        };
        return p.arrange();
    }
    if state.screen == Screen::Workloads {
        return sort_heat(state, state.workloads.sort.step(step));
    }
    state.variants.sort = state.variants.sort.step(step);
    state.variants.arrange();
}

fn cancel_job(state: &mut State) {
    if let Some(job) = state.jobs.current().filter(|j| j.is_open()) {
        let kind = ConfirmKind::CancelJob(job.view.id.clone(), job.view.title.clone());
        state.layers.push(Layer::Confirm(kind));
    }
}

/// Orders what the job at hand did once more, when it is over.
fn run_again(state: &mut State, out: &mut Vec<Effect>) {
    let Some(job) = state.jobs.current() else {
        return;
    };
    if job.is_open() {
        let text = fill(state.strings.job_not_over, &[&job.view.title]);
        return say(state, text);
    }
    let (id, title) = (job.view.id.clone(), job.view.title.clone());
    say(state, fill(state.strings.run_started, &[&title]));
    state.jobs.ordered = true;
    out.push(Effect::RunAgain(id));
}
