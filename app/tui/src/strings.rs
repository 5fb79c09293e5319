//! Every text that the interface itself says, in both languages.
//!
//! One struct, one constant for each language: a missing text does not compile. `{0}`, `{1}` are
//! filled by [`fill`], `{help}` by the key of that action. Names of metrics, verdicts, gates and commands are never translated.

mod en;
mod zh;

use std::sync::LazyLock;

use assay_core::record::DecisionKind;

use crate::keymap::Keymap;
use crate::options::Lang;

macro_rules! strings {
    ($($field:ident),* $(,)?) => {
        /// The texts of one language.
        #[derive(Debug)]
        #[allow(missing_docs)]
        pub struct Strings { $(pub $field: &'static str,)* }

        impl Strings {
            /// All texts with their names, for tests.
            pub fn all(&self) -> Vec<(&'static str, &'static str)> {
                vec![$((stringify!($field), self.$field),)*]
            }

            fn map(&self, f: impl Fn(&'static str) -> &'static str) -> Self {
                Self { $($field: f(self.$field),)* }
            }
        }
    };
}

strings! {
    app, variants, compare, source, jobs, history, help, palette, loading, too_small, contested, no_champion, unreadable, damaged, marked, marks_full, marks_hidden, sorted_by, filter, matches, descending, lineage_order, col_name, col_status, col_verdict, col_ratio, col_interval, col_median, col_gates, col_updated, no_variants, no_match, no_compare, no_diff, no_jobs, no_history, pick_two, only_one, parent, family, knobs, commit, branch_gone, stale, against, verdict, next_step, processes, policy, delta, not_measured, no_pair, workloads, workload, gates, counters, facts, samples, predictions, decisions, evidence, environment, failure, held, not_held, unknown, passed, failed, no_evidence, overridden, guard_broken, change, median, by, kernel_source, generated_source, unified, side_by_side, equal, what_changed, facts_differ, normalised, raw, folded, hunks, equal_bytes, equal_normalised, no_lines_differ, kernels, kernels_hint, no_kernels, notices, no_notices, more_notices, kernel_same, kernel_normalised, kernel_changed, kernel_new, kernel_gone, kernel_renamed, new_file, gone_file, hunk_of, without_counter, attribution, job_queued, job_running, job_done, job_failed, job_lost, job_lost_text, job_cancelling, jobs_go_on, job_not_over, job_log_at, col_job, col_state, col_phase, col_steps, col_left, col_elapsed, quit_jobs_keys, read_only, against_title, mean_of, moved, prediction, follow_on, follow_off, log_empty, accept_title, reject_title, park_title, reason, override_for, override_optional, decide_hint, reason_needed, override_needed, saving, discard_again, no_decide, new_title, new_name, new_why, new_parent, name_needed, why_needed, filter_title, filter_help, quit_again, quit_jobs_title, quit_jobs_text, yes_enter, cancel_job_title, cancel_job_text, copied, nothing_to_copy, copy_too_long, report_written, ledger_changed, run_started, ime_on, session_leader, error, palette_hint, no_action, close_hint, more_keys, only_a, only_b, corrects, champion_already, gates_reading, job_cancelled, marks, mark_champion, mark_selected, mark_marked, mark_gate, mark_depth, screened, screened_by, chain_ends, chain_since, chain_overstates, chain_due, mark_doubted, mark_published, published_times, published_slower, published_step, notes,
    profile, col_counter, one_workload, col_value, col_unit, roof_no_formulas, roof_no_peaks, roof_no_times, heat_scale, heat_mean, heat_wins, heat_by_wins, heat_by_losses, heat_reference, heat_shows_interval, heat_shows_times, heat_without, no_heat, no_heat_here, no_jobs_here, no_profile_here, heat_record, heat_no_cell, heat_no_interval, heat_no_samples, heat_faster, heat_slower, heat_noise, heat_unproven, mark_faster, mark_slower, mark_noise, mark_guard, workload_of, kernel_of, tool_of, alone, no_profile, no_counter_match, filter_counters, by_name, only_changed, better, worse, findings, no_findings, finding_of, severity_error, severity_warning, severity_info, kind_audit, kind_diagnosis, advice, rests_on, rule_source, roofline, roof_peaks, roof_ridge, roof_no_peak, roof_axes, roof_share, mark_suspect, mark_used,
    report, report_empty, report_cut, checks, checking, checks_hint, check_ok, check_failed, check_unknown, more_found, chapters, pick_hint, search_title, search_help, no_hit, export_title, export_folder, export_hint, export_nothing, export_folder_needed, exported, form_md, form_html, form_csv, form_json, form_pr, form_bundle,
    col_against, columns, columns_hint, columns_usual, columns_of, export_view, to_file, to_clipboard, rows_of,
    curve, in_order, later_failure, later_stands, mark_later_failure, mark_stale, no_evidence_here, evidence_hint, recorded, record_cut, stored_file, stored_no_text, stored_empty, stored_elsewhere,
    opening, mouse_on, mouse_off, commit_title, commit_text,
    text_hint, field_hint, mark_overridden, metrics_of, sessions, created, champion_is, field_full, too_small_needs, key_normalised, filter_no_field, filter_meant, filter_number, filter_time, filter_unit, filter_date, filter_empty, filter_order, filter_no_word, filter_fields, short_variants, short_compare, short_source, short_jobs, short_history, short_workloads, short_profile, short_report, no_hit_folded, copy_title, copy_name, copy_variant, copy_value, copy_id, copy_commit, copy_row, copy_json, copy_command, copy_path, copy_line, copy_log, detail, faults,
}

/// The texts of `lang` with the usual keys.
pub fn strings(lang: Lang) -> &'static Strings {
    static USUAL: LazyLock<[Strings; 2]> =
        LazyLock::new(|| [Lang::En, Lang::Zh].map(|lang| with_keys(lang, &Keymap::default())));
    let [en, zh] = &*USUAL;
    match lang {
        Lang::En => en,
        Lang::Zh => zh,
    }
}

/// The texts of `lang` with these keys. Texts are lent for as long as the program runs, which makes
/// them once.
pub fn strings_for(lang: Lang, keys: &Keymap) -> &'static Strings {
    match *keys == Keymap::default() {
        true => strings(lang),
        false => Box::leak(Box::new(with_keys(lang, keys))),
    }
}

/// Texts name keys by their actions, e.g. `{help}`.
fn with_keys(lang: Lang, keys: &Keymap) -> Strings {
    let texts = match lang {
        Lang::En => &en::STRINGS,
        Lang::Zh => &zh::STRINGS,
    };
    texts.map(|text| match text.contains('{') {
        true => keys.fill(text).leak(),
        false => text,
    })
}

/// Fills `{0}`, `{1}` of a text.
pub fn fill(text: &str, args: &[&str]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    // In one pass: what is filled in may hold braces of its own.
    while let Some(at) = rest.find('{') {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let place = from[1..].split_once('}');
        let filled =
            place.and_then(|(n, after)| Some((args.get(n.parse::<usize>().ok()?)?, after)));
        rest = match filled {
            Some((arg, after)) => {
                out.push_str(arg);
                after
            }
            None => {
                out.push('{');
                &from[1..]
            }
        };
    }
    out.push_str(rest);
    out
}

/// The status word on screen; the English word is the one that filters and JSON use.
pub fn status_word(lang: Lang, status: &str) -> &str {
    if lang == Lang::En {
        return if status == "rolled_back" {
            "rolled back"
        } else {
            status
        };
    }
    match status {
        "new" => "新建",
        "failed" => "失败",
        "built" => "已构建",
        "checked" => "已校验",
        "measured" => "已测量",
        "accepted" => "已接受",
        "rejected" => "已拒绝",
        "parked" => "已搁置",
        "champion" => "最优",
        "contested" => "有争议",
        "rolled_back" => "已回退",
        other => other,
    }
}

/// Why a counter has no figure, on screen.
pub fn cell_word(lang: Lang, status: &str) -> &str {
    match (lang, status) {
        (Lang::En, "not_supported") => "unsupported",
        (Lang::Zh, "not_supported") => "不支持",
        (Lang::Zh, "absent") => "缺失",
        (Lang::Zh, "error") => "错误",
        (_, other) => other,
    }
}

/// The kind of a failure on screen: whole words that fit into a column. Filters and JSON use those of
/// the record.
pub fn failure_word(lang: Lang, kind: &str) -> &str {
    match (lang, kind) {
        (Lang::En, "correctness") => "wrong",
        (Lang::En, "exploit_suspected") => "exploit?",
        (Lang::En, "lowering_lost") => "lost",
        (Lang::En, "infra") => "machine",
        (Lang::Zh, "timeout") => "超时",
        (Lang::Zh, "compile") => "编译失败",
        (Lang::Zh, "launch") => "启动失败",
        (Lang::Zh, "runtime") => "运行失败",
        (Lang::Zh, "correctness") => "结果错误",
        (Lang::Zh, "constraint") => "违反约束",
        (Lang::Zh, "lowering_lost") => "降级丢失",
        (Lang::Zh, "noisy") => "噪声过大",
        (Lang::Zh, "exploit_suspected") => "疑似作弊",
        (Lang::Zh, "infra") => "机器故障",
        (Lang::Zh, "cancelled") => "已取消",
        (_, other) => other,
    }
}

/// The kind of a record on screen.
pub fn kind_word(lang: Lang, kind: &str) -> &str {
    if lang == Lang::En {
        return kind;
    }
    match kind {
        "evaluator" => "评测程序",
        "variant" => "变体",
        "run" => "运行",
        "build" => "构建",
        "source" => "源码",
        "check" => "校验",
        "measurement" => "测量",
        "profile" => "剖析",
        "verdict" => "判定",
        "decision" => "决策",
        "calibration" => "校准",
        "canary" => "金丝雀",
        "control" => "对照测量",
        "readings" => "外部日志",
        "screened" => "单次测量",
        "screening" => "筛选",
        "chain" => "端到端",
        "note" => "备注",
        "tombstone" => "已移除",
        other => other,
    }
}

/// What became of a variant that was decided on, as a word for its status.
pub fn decision_word(lang: Lang, kind: DecisionKind) -> &'static str {
    status_word(
        lang,
        match kind {
            DecisionKind::Accept => "accepted",
            DecisionKind::Reject => "rejected",
            DecisionKind::Park => "parked",
            DecisionKind::Rollback => "rolled_back",
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_filled_in_is_not_filled_again() {
        assert_eq!(
            fill("{0} and {1}, {2} {x", &["{1}", "b"]),
            "{1} and b, {2} {x"
        );
    }

    /// A kind that a later version makes stands as it is; those of this one have their words.
    #[test]
    fn kinds_of_records_and_of_failures_have_words_in_both_languages() {
        use assay_core::record::Body;
        for kind in Body::KINDS {
            assert!(!kind_word(Lang::Zh, kind).is_ascii(), "{kind}");
            assert_eq!(kind_word(Lang::En, kind), *kind);
        }
        for kind in [
            "timeout",
            "compile",
            "launch",
            "runtime",
            "correctness",
            "constraint",
            "lowering_lost",
            "noisy",
            "exploit_suspected",
            "infra",
            "cancelled",
        ] {
            assert!(!failure_word(Lang::Zh, kind).is_ascii(), "{kind}");
        }
        assert_eq!(decision_word(Lang::Zh, DecisionKind::Reject), "已拒绝");
    }

    #[test]
    fn both_languages_fill_the_same_places() {
        let (en, zh) = (strings(Lang::En).all(), strings(Lang::Zh).all());
        for ((name, e), (_, z)) in en.iter().zip(&zh) {
            assert!(!e.is_empty() && !z.is_empty(), "{name}");
            // What is left of braces after the keys were filled in is a number.
            for text in [e, z] {
                let open = text.split('{').skip(1);
                assert!(
                    open.clone()
                        .all(|o| o.starts_with(|c: char| c.is_ascii_digit())),
                    "{name}: {text}"
                );
            }
            for place in ["{0}", "{1}", "{2}"] {
                assert_eq!(e.contains(place), z.contains(place), "{name} {place}");
            }
        }
    }
}
