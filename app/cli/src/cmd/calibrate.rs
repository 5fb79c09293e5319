//! `assay calibrate`: what this machine can do, and how much it varies.

use assay_core::text::{inert, pad_left, pad_right};
use assay_core::units::{format_ns, format_percent, short_figures};
use assay_core::view::{CalibrateView, IsolationView, NoiseView, PairFinding, PeakView};
use assay_engine::calibrate::{self, Request, cpu};
use assay_engine::run::NoiseRequest;
use assay_engine::signals::cancel_on_signals;
use assay_engine::{Cancel, Result, Workbench};

use super::{OK, open, show};
use crate::args::{CalibrateArgs, Cli};
use crate::exit::Code;
use crate::print::change::{rate, second};
use crate::print::table::{Align, Table};
use crate::progress::Stderr;
use crate::setup;

/// `assay calibrate`.
pub fn calibrate(cli: &Cli, args: &CalibrateArgs) -> Result<Code> {
    let must = args.noise || args.history || args.isolation || args.name.is_some();
    let bench = match open(cli) {
        Ok(bench) if must || bench.evaluator.is_some() => Some(bench),
        Err(e) if must => return Err(e),
        _ => None,
    };
    let (mut now, mut peaks) = (None, None);
    if !args.history {
        let cancel = Cancel::new();
        let _signals = cancel_on_signals(&cancel)?;
        let progress = Stderr::new();
        // Noise first: what is asked and refused is known before a minute has passed.
        if let Some(bench) = bench.as_ref().filter(|_| !args.peaks) {
            let request = NoiseRequest {
                name: args.name.clone(),
                target: args.target.clone(),
                processes: args.processes,
                wait: !args.no_wait,
                isolation: args.isolation,
            };
            let prompt = setup::prompt(cli);
            now = Some(bench.calibrate(&request, prompt.as_ref(), &progress, &cancel)?);
        }
        if !args.noise {
            let request = Request {
                wait: !args.no_wait,
                ..Request::default()
            };
            peaks = Some(cpu(&setup::dirs()?, &request, &progress, &cancel)?);
        }
    }
    let history = bench.as_ref().map(Workbench::calibrations).transpose()?;
    let mut view = calibrate::view(peaks, history.unwrap_or_default(), now);
    // Peaks are the processor's; noise is that of what the campaign runs on.
    if let Some(card) = bench.as_ref().filter(|_| view.peaks.is_empty()) {
        view.title = card.card().unwrap_or(view.title);
    }
    if bench.is_none() && !args.peaks {
        let why = "noise was not measured: that needs a campaign with a pinned evaluator";
        view.remarks.push(why.into());
    }
    show(cli, &view, || text(&view))?;
    OK
}

fn text(view: &CalibrateView) -> String {
    let mut out = format!("{}\n", inert(&view.title));
    if let Some(compiler) = &view.compiler {
        out.push_str(&format!("{}\n\npeaks\n", inert(compiler)));
    }
    let names: Vec<String> = view.peaks.iter().map(name).collect();
    let widest = names.iter().map(String::len).max().unwrap_or(0);
    for (p, name) in view.peaks.iter().zip(&names) {
        let value = short_figures(&p.best.to_string());
        out.push_str(&format!(
            "  {}  {} {}  {}, best of {}, median {}\n",
            pad_right(name, widest),
            pad_left(&value, 8),
            pad_right(&p.unit, 6),
            count(p.threads),
            p.repetitions,
            short_figures(&p.median.to_string())
        ));
    }
    for remark in &view.remarks {
        out.push_str(&format!("note: {}\n", inert(remark)));
    }
    if let Some(file) = &view.file {
        out.push_str(&format!(
            "\nwritten to {}\nrates are held against it with --device {}\n",
            inert(file),
            view.device
        ));
    }
    if let Some(noise) = view.noise.as_ref().or(view.history.first()) {
        out.push_str(&format!("\n{}", noise_text(noise)));
    }
    if !view.history.is_empty() {
        out.push_str(&format!("\n{}", history(&view.history)));
    } else if view.file.is_none() {
        out.push_str("\nno calibration of this device yet: assay calibrate\n");
    }
    out
}

/// A share in percent with two digits, or as many as it takes not to be none.
fn share(value: f64) -> String {
    let rounded = (value * 1e4).round() / 1e4;
    format_percent(if rounded == 0.0 { value } else { rounded })
}

fn noise_text(n: &NoiseView) -> String {
    let [low, high] = n.interval;
    let mut out = format!(
        "noise: {} against itself in {} processes ({}, timer {}, cache {})\n",
        inert(&n.subject),
        n.processes,
        inert(&n.mode),
        inert(&n.timer),
        inert(&n.cache)
    );
    let bias = if n.biased {
        "; equal sides should read 1: biased by more than chance, and the floor counts it"
    } else {
        ""
    };
    out.push_str(&format!(
        "  A/A ratio {:.4} (95 % interval {low:.4} to {high:.4}){bias}\n  log-ratio varies by {} from process to process\n",
        n.ratio,
        share(n.sd)
    ));
    let enough = if n.floor <= n.delta {
        "the campaign asks for"
    } else {
        "TOO COARSE for the campaign, which asks for"
    };
    out.push_str(&format!(
        "  floor {}; {enough} {}\n",
        share(n.floor),
        format_percent(n.delta)
    ));
    if let Some(i) = &n.isolation {
        out.push_str(&format!("  {}\n", isolation_text(i)));
    }
    let mut t = Table::default()
        .column("workload", Align::Left, 32)
        .column("median", Align::Right, 12)
        .column("varies by", Align::Right, 12);
    for w in &n.workloads {
        t.row([w.workload.as_str(), &format_ns(w.median_ns), &share(w.sd)]);
    }
    out.push_str(&format!("\n{}", t.render()));
    let mut t = Table::default()
        .column("policy", Align::Left, 16)
        .column("false accepts", Align::Right, 16)
        .column("95 % interval", Align::Whole, 28);
    for f in &n.false_accepts {
        let [low, high] = f.interval.map(rate);
        t.row([
            f.policy.as_str(),
            &rate(f.rate),
            &format!("{low} to {high}"),
        ]);
    }
    let drawn = n.false_accepts.first();
    let drawn = drawn.map_or_else(String::new, |f| {
        format!(
            "of changes that do nothing, in {} campaigns drawn from these {} processes\n",
            f.campaigns, f.processes
        )
    });
    out.push_str(&format!("\n{}{drawn}", t.render()));
    out
}

/// What measuring two at once does to one of them.
fn isolation_text(i: &IsolationView) -> String {
    let interval = i.interval.map_or_else(String::new, |[low, high]| {
        format!(" (95 % interval {low:.4} to {high:.4})")
    });
    let word = match i.finding() {
        PairFinding::Disturbs => {
            "; a pair DISTURBS: keep the two apart with another mode in [bench]".to_owned()
        }
        PairFinding::Within => "; a pair does not disturb by more than 1 %".to_owned(),
        PairFinding::Open(Some(off)) => format!(
            "; not settled whether a pair disturbs by more than 1 %: it could be up to {}",
            share(off)
        ),
        PairFinding::Open(None) => {
            "; not settled whether a pair disturbs: more processes tell".to_owned()
        }
    };
    let [paired, alone] = i.processes;
    format!(
        "time in a pair / alone {:.4}{interval}, {paired} processes in pairs and {alone} alone{word}",
        i.ratio
    )
}

/// The calibrations of this device, newest first.
fn history(all: &[NoiseView]) -> String {
    let mut looks: Vec<u32> = Vec::new();
    for e in all.iter().flat_map(|n| &n.smallest_effects) {
        if !looks.contains(&e.processes) {
            looks.push(e.processes);
        }
    }
    looks.sort_unstable();
    let mut t = Table::default()
        .column("when", Align::Whole, 20)
        .column("subject", Align::Left, 24)
        .column("mode", Align::Left, 12)
        .column("timer", Align::Left, 20)
        .column("cache", Align::Left, 10)
        .column("processes", Align::Right, 10)
        .column("floor", Align::Right, 10);
    let looked = all.iter().any(|n| n.isolation.is_some());
    if looked {
        t = t.column("pair/alone", Align::Right, 12);
    }
    for look in &looks {
        t = t.column(&format!("effect at {look}"), Align::Right, 14);
    }
    for n in all {
        let mut row = vec![
            second(&n.at).to_owned(),
            n.subject.clone(),
            n.mode.clone(),
            n.timer.clone(),
            n.cache.clone(),
            n.processes.to_string(),
            share(n.floor),
        ];
        if looked {
            let of = n.isolation.as_ref();
            row.push(of.map_or_else(|| "-".into(), |i| format!("{:.4}", i.ratio)));
        }
        for look in &looks {
            let effect = n.smallest_effects.iter().find(|e| e.processes == *look);
            row.push(effect.map_or_else(|| "-".into(), |e| share(e.effect)));
        }
        t.row(row);
    }
    format!(
        "calibrations of this device, newest first\n{}effect: smallest difference shown with 80 % power by so many processes\n",
        t.render()
    )
}

fn name(p: &PeakView) -> String {
    match p.label.as_str() {
        "" => p.name.clone(),
        label => format!("{} ({label})", p.name),
    }
}

fn count(threads: u32) -> String {
    match threads {
        1 => "1 thread".into(),
        n => format!("{n} threads"),
    }
}
