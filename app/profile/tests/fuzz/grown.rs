//! Documents made from the words of the formats, well formed or nearly so.

use proptest::prelude::*;

/// Figures of every shape, certain and not.
fn figure() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => any::<u32>().prop_map(|n| n.to_string()),
        2 => any::<u64>().prop_map(|n| n.to_string()),
        3 => (0u32..2_000_000, 1usize..5).prop_map(|(n, d)| format!("{:.d$}", f64::from(n) / 1000.0)),
        3 => "[1-9][0-9]{0,2}(,[0-9]{3}){1,3}(\\.[0-9]{1,3})?",
        3 => "[1-9][0-9]{0,2}(\\.[0-9]{3}){1,3}(,[0-9]{1,3})?",
        2 => "[1-9][0-9]{0,2}[,.][0-9]{3}",
        2 => "[0-9]{1,3},[0-9]{1,2}",
        1 => "-?[0-9]{1,4}(\\.[0-9]{1,4})?[eE][+-]?[0-9]{1,3}",
        1 => "[0-9,.eE +-]{0,12}",
        1 => "[0-9]{18,40}(\\.[0-9]{1,30})?",
        1 => proptest::sample::select(vec!["n/a", "NaN", "inf", "", "0", "-0", "0.000", "1e400", "1e-400", "0e999", "<not counted>", "(!) n/a", "nan", "PolicySpread", "5(", "7 ms", "3byte"]).prop_map(str::to_owned),
    ]
}

fn unit() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(vec![
        "",
        "%",
        "byte",
        "ns",
        "(Kcycles)",
        "(MB/s)",
        "Kbyte",
        "msec",
        " ms",
        "(%",
    ])
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => proptest::sample::select(vec![
            "name", "value", "data", "description", "isError", "message", "filename", "processed_data", "Summary", "Memory Statistics",
            "Workgroup Memory", "RoofLine", "Total Instructions", "total instructions", "L2C Hit Rate", "Instructions Comparison", "BSM", "perf_counters",
            "0", "1", "CE", "generic", "traceEvents", "ph", "X", "cat", "MMA", "ts", "dur", "args", "grid", "block", "x", "y", "z", "mem",
            "mtreg_occupancy(%)", "hw_queue_id", "counter-value", "event", "unit", "event-runtime", "pcnt-running", "metric-value", "metric-unit",
            "results", "kernel", "time", "bytes",
        ]).prop_map(str::to_owned),
        1 => "\\PC{0,6}",
        1 => "[\\x00-\\x1f\u{202e}\u{2066}\"\\\\a]{0,4}",
    ]
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

/// JSON, in which keys repeat and numbers are of any size; now and then not quite JSON.
pub fn json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        4 => figure().prop_map(|f| if serde_json::from_str::<serde_json::Number>(&f).is_ok() { f } else { quoted(&f) }),
        3 => (figure(), unit()).prop_map(|(f, u)| quoted(&(f + u))),
        2 => name().prop_map(|n| quoted(&n)),
        1 => proptest::sample::select(vec!["null", "true", "false", "NaN", "Infinity", "-Infinity", "{}", "[]", "1e999"]).prop_map(str::to_owned),
    ];
    let any = leaf.prop_recursive(6, 80, 8, |inner| {
        prop_oneof![
            2 => proptest::collection::vec(inner.clone(), 0..6).prop_map(|v| format!("[{}]", v.join(", "))),
            5 => proptest::collection::vec((name(), inner.clone()), 0..8).prop_map(|v| members(&v)),
            3 => (name(), inner.clone(), figure()).prop_map(|(n, v, f)| format!(
                "{{\"name\": {}, \"description\": \"\", \"value\": {v}, \"counter-value\": {}, \"event\": \"e\"}}", quoted(&n), quoted(&f))),
            3 => (name(), inner).prop_map(|(n, v)| format!(
                "{{\"data\": {v}, \"isError\": false, \"message\": \"\", \"name\": {}}}", quoted(&n))),
        ]
    });
    let report = proptest::collection::vec((name(), any.clone()), 0..6);
    prop_oneof![
        2 => any.clone(),
        2 => report.prop_map(|v| members(&v)),
        1 => any.clone().prop_map(|v| format!("{{\"traceEvents\": [{v}], \"x\": {{\"hw_queue_id\": \"ph\"}}}}")),
        1 => any.clone().prop_map(|v| format!("{{\"perf_counters\": {{\"0\": [{v}, {v}]}}}}")),
        1 => (any.clone(), any.clone()).prop_map(|(a, b)| format!("{a}\n{b}\n")),
        1 => any.prop_map(|v| format!("{{\"results\": {v}}}")),
    ]
}

fn members(list: &[(String, String)]) -> String {
    let all: Vec<String> = list
        .iter()
        .map(|(k, v)| format!("{}: {v}", quoted(k)))
        .collect();
    format!("{{{}}}", all.join(", "))
}

const HEADERS: &[&str] = &[
    "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Kernel Time\",\"Context\",\"Stream\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"",
    "\"ID\",\"Process ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\",\"Rule Name\",\"Rule Type\",\"Rule Description\"",
    "\"ID\",\"Process ID\",\"Kernel Name\",\"a\",\"b\",\"c\"",
    "\"Process ID\",\"Process Name\",\"Kernel Name\",\"Invocations\",\"Metric Name\",\"Metric Unit\",\"Minimum\",\"Maximum\",\"Average\"",
    "\"#\",\"Address\",\"Source\",\"# Samples\",\"stall_wait\"",
    "Name,Description,Value",
    "Dispatch_Id,Process_Id,Kernel_Name,Counter_Name,Counter_Value,Start_Timestamp,End_Timestamp",
    "Kind,Dispatch_Id,Kernel_Id,Kernel_Name,Start_Timestamp,End_Timestamp,Workgroup_Size_X,Workgroup_Size_Y,Workgroup_Size_Z,Grid_Size_X,Grid_Size_Y,Grid_Size_Z",
    "Dispatch_ID,GPU_ID,Grid_Size,Workgroup_Size,Kernel_Name,SQ_WAVES,TCC_HIT[0]",
    "Sample_Timestamp,Exec_Mask,Dispatch_Id,Instruction,Instruction_Comment,Correlation_Id",
    "Kernel;Group;Metric;Value;Unit",
];

/// A table under a header that is known, with fields of any kind and rows of any length.
pub fn table() -> impl Strategy<Value = String> {
    let cell = prop_oneof![
        6 => figure(),
        2 => name(),
        1 => Just(String::new()),
        1 => proptest::sample::select(vec!["k", "k", "(1, 2, 3)", "0", "1", "7", "a\"b", "a,b", "x\ny", "\u{1b}[2J"]).prop_map(str::to_owned),
    ];
    let quotes = 0u8..5;
    let rows = proptest::collection::vec(
        (proptest::collection::vec((cell, quotes), 0..14), -2i8..4),
        0..10,
    );
    (proptest::sample::select(HEADERS), rows, any::<bool>()).prop_map(|(header, rows, end)| {
        let separator = if header.contains(';') { ";" } else { "," };
        let columns = header.split(separator).count();
        let mut lines = vec![header.to_owned()];
        for (cells, more) in rows {
            // Most rows have as many fields as the header.
            let n = if (0..3).contains(&more) {
                columns
            } else {
                cells.len()
            };
            let cells = cells
                .iter()
                .cycle()
                .take(if cells.is_empty() { 0 } else { n });
            let fields: Vec<String> = cells
                .map(|(c, q)| match q {
                    0 => c.clone(),
                    1 => format!("\"{c}\""),
                    _ => format!("\"{}\"", c.replace('"', "\"\"")),
                })
                .collect();
            lines.push(fields.join(separator));
        }
        lines.join("\n") + if end { "\n" } else { "" }
    })
}

/// Lines of the tools that print text.
pub fn lines() -> impl Strategy<Value = String> {
    let plain = proptest::sample::select(vec![
        "ptxas info    : Compiling entry function 'k' for 'sm_90'",
        "ptxas info    : Function properties for k",
        "    8 bytes stack frame, 0 bytes spill stores",
        "maca info  : Function properties for k",
        "  28 bytes stack frame",
        "events: Ir Dr",
        "cmd: ./a",
        "desc: x",
        "fl=a.c",
        "fn=(1) main",
        "fn=(1)",
        "fn=f",
        "cfn=(2) g",
        "calls=3 12",
        "positions: line",
        "positions: instr line",
        "part: 1",
        "version: 1",
        "creator: callgrind-3",
        "##############################",
        "------------------------------",
        "Sub-module: Summary",
        "Name: Total Instructions",
        "Description: d",
        "Value: {",
        "}",
        "",
        "# started on",
        "==PROF== Profiling \"k\" - 0: 0%....100% - 9 passes",
    ]);
    let line = prop_oneof![
        5 => plain.prop_map(str::to_owned),
        2 => figure().prop_map(|f| format!("Value: {f}")),
        2 => (figure(), figure()).prop_map(|(a, b)| format!("ptxas info    : Used {a} registers, {b} bytes smem")),
        2 => (figure(), figure()).prop_map(|(a, b)| format!("maca info  : Used  {a} MTregisters, {b} bytes shared mem")),
        1 => figure().prop_map(|a| format!("maca info  : staticMaxWarps/PEU : {a}")),
        2 => (0u32..40, figure(), figure()).prop_map(|(l, a, b)| format!("{l} {a} {b}")),
        1 => (figure(), figure()).prop_map(|(a, b)| format!("+1 {a} {b}")),
        1 => (figure(), figure()).prop_map(|(a, b)| format!("summary: {a} {b}")),
        3 => (figure(), figure(), figure(), proptest::sample::select(vec![",", ";", "\t"])).prop_map(|(a, b, c, s)| format!("{a}{s}{s}cycles{s}{b}{s}100.00{s}{c}{s}GHz")),
        1 => "[\\x00-\\x7f]{0,20}",
    ];
    (proptest::collection::vec(line, 0..24), any::<bool>())
        .prop_map(|(l, end)| l.join("\n") + if end { "\n" } else { "" })
}
