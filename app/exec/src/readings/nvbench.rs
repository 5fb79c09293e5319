//! nvbench, `--json` and `--jsonbin`: all values are texts, times are seconds.

use assay_core::campaign::ParseKind;
use assay_core::text::inert;
use assay_core::units::TimeUnit;

use super::json::{self, Node};
use super::{
    Collect, Extra, Figure, Reading, Readings, ReadingsError, RowFailureKind, Taken, joined,
};

/// Summaries that can be the time of a state, the best first, and the size of their sample.
const TIMES: &[(&str, &str, &str)] = &[
    ("nv/cold/time/gpu/median", "median", "nv/cold/sample_size"),
    ("nv/cold/time/gpu/mean", "mean", "nv/cold/sample_size"),
    (
        "nv/batch/time/gpu/mean",
        "mean of a batch",
        "nv/batch/sample_size",
    ),
    (
        "nv/cpu_only/time/cpu/mean",
        "mean on the CPU",
        "nv/cpu_only/sample_size",
    ),
];

const SAMPLES: &str = "nv/json/bin:nv/cold/sample_times";

/// Bytes of a side file beyond which it is not used.
const SIDE_MAX: usize = 64 << 20;

type Side<'s> = &'s mut dyn FnMut(&str) -> Option<Vec<u8>>;

/// Reads a document.
pub(super) fn read(bytes: &[u8], wanted: &str, side: Side<'_>) -> Result<Readings, ReadingsError> {
    let mut all = Collect::new(ParseKind::NvBench);
    let text = all.text(bytes)?;
    let root = match json::read(&text) {
        Ok(root) => root,
        Err(why) => return all.error(why),
    };
    let Some(Node::List(benchmarks)) = root.get("benchmarks") else {
        return all.error("there is no list `benchmarks`");
    };
    let devices = root.get("devices").map_or(&[][..], Node::items);
    for device in devices {
        let name = device.get("name").map_or("", Node::printed);
        all.facts
            .push((format!("device {}", id(device.get("id"))), name.to_owned()));
    }
    let several = devices.len() > 1;
    for benchmark in benchmarks {
        let name = benchmark.get("name").map_or("", Node::printed);
        for state in benchmark.get("states").map_or(&[][..], Node::items) {
            let mut row = head(name, state);
            if several {
                let device = id(state.get("device"));
                let known = devices.iter().find(|d| id(d.get("id")) == device);
                let known = known.and_then(|d| d.get("name")).map_or("", Node::printed);
                row.tag = match known {
                    "" => format!("device {device}"),
                    known => format!("{known} ({device})"),
                };
            }
            let row = time(row, state, wanted, side, &mut all);
            all.row(row)?;
        }
    }
    if all.rows.is_empty() {
        return all.error("it holds no state of a benchmark");
    }
    drop(root);
    drop(text);
    Ok(all.finish())
}

fn id(node: Option<&Node<'_>>) -> String {
    node.map_or("", Node::printed).to_owned()
}

/// Benchmark and axes. The name of a state begins with its device, which is no part of the workload.
fn head(benchmark: &str, state: &Node<'_>) -> Reading {
    let mut row = Reading {
        group: benchmark.to_owned(),
        ..Reading::new(TimeUnit::S, 0)
    };
    for axis in state.get("axis_values").map_or(&[][..], Node::items) {
        let text = |key: &str| axis.get(key).map_or("", Node::printed).to_owned();
        row.params.push((text("name"), text("value")));
    }
    row.workload = match row.params.as_slice() {
        [] => {
            let name = state.get("name").map_or("", Node::printed);
            let words = name.split(' ').filter(|w| !w.starts_with("Device="));
            words.collect::<Vec<_>>().join(" ")
        }
        params => joined(params),
    };
    row
}

fn time(
    mut row: Reading,
    state: &Node<'_>,
    wanted: &str,
    side: Side<'_>,
    all: &mut Collect,
) -> Reading {
    if state.get("is_skipped").is_some_and(Node::is_true) {
        let why = state.get("skip_reason").map_or("", Node::printed);
        let why = format!("nvbench skipped it: {}", inert(why));
        return row.failed(RowFailureKind::Skipped, why);
    }
    let summaries = state.get("summaries").map_or(&[][..], Node::items);
    let summary = |tag: &str| {
        let found = |s: &&Node<'_>| s.get("tag").and_then(Node::text) == Some(tag);
        summaries.iter().find(found)
    };
    for s in summaries {
        let tag = s.get("tag").map_or("", Node::printed);
        let value = data(s, "value");
        if !value.is_empty() && !TIMES.iter().any(|(t, ..)| *t == tag) {
            row.extras.push(Extra::new(tag, value));
        }
    }
    if wanted.is_empty()
        && let Some(s) = summary(SAMPLES)
    {
        let name = data(s, "filename");
        match side(name) {
            None => all.notice(format!(
                "the samples of {} in `{}` are not at hand; its summary is used",
                inert(&row.title()),
                inert(name)
            )),
            Some(bytes) => match samples(&bytes, data(s, "size")) {
                Ok(times) => {
                    row.times = times;
                    return row;
                }
                Err(why) => all.notice(format!("`{}` is not used: {why}", inert(name))),
            },
        }
    }
    let own = [(wanted, wanted, "nv/cold/sample_size")];
    let choices = if wanted.is_empty() { TIMES } else { &own[..] };
    let found = choices
        .iter()
        .find_map(|(tag, statistic, size)| Some((summary(tag)?, *statistic, *size)));
    let Some((found, statistic, size)) = found else {
        let tags: Vec<&str> = choices.iter().map(|c| c.0).collect();
        let why = format!("it has no summary {}", inert(&tags.join(", ")));
        return row.failed(RowFailureKind::NotAvailable, why);
    };
    row.taken = Taken::Summary {
        statistic: statistic.into(),
        of: summary(size).and_then(|s| data(s, "value").parse().ok()),
    };
    row.timed_json([data(found, "value")])
}

/// The value of an entry of a summary, as printed.
fn data<'n>(summary: &'n Node<'_>, name: &str) -> &'n str {
    let entries = summary.get("data").map_or(&[][..], Node::items);
    let entry = entries
        .iter()
        .find(|e| e.get("name").and_then(Node::text) == Some(name));
    entry.and_then(|e| e.get("value")).map_or("", Node::printed)
}

/// The samples of a side file: 32-bit floats, the least significant byte first, in seconds.
fn samples(bytes: &[u8], size: &str) -> Result<Vec<Figure>, String> {
    if bytes.len() > SIDE_MAX {
        return Err(format!("it is longer than {SIDE_MAX} bytes"));
    }
    let (words, rest) = bytes.as_chunks::<4>();
    if words.is_empty() || !rest.is_empty() {
        return Err("it is no list of 32-bit floats; was it cut off?".into());
    }
    if size.parse::<usize>().is_ok_and(|n| n != words.len()) {
        return Err(format!(
            "it holds {} samples where the JSON says {size}",
            words.len()
        ));
    }
    let figure = |word: &[u8; 4]| {
        let value = f64::from(f32::from_le_bytes(*word));
        let quantum = value * f64::from(f32::EPSILON);
        super::believed(value * 1e9)
            .then_some(Figure { value, quantum })
            .ok_or_else(|| {
                format!("it holds {value}, which is no time in seconds that is believed")
            })
    };
    words.iter().map(figure).collect()
}
