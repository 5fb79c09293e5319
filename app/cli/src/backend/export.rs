//! The write-up as the terminal interface shows it, and what it writes.

use std::path::{Path, PathBuf};

use assay_engine::report::{Format, Lang};
use assay_engine::{Cancel, Workbench};
use assay_tui::state::{ExportOrder, Form};
use assay_tui::{ReportChecks, ReportText, RuleLine};

use super::{report_folder, told};

fn of(lang: assay_tui::Lang) -> Lang {
    match lang {
        assay_tui::Lang::En => Lang::En,
        assay_tui::Lang::Zh => Lang::Zh,
    }
}

/// The write-up, by the campaign's own template where there is one.
pub fn text(bench: &Workbench, lang: assay_tui::Lang) -> Result<ReportText, String> {
    let lang = of(lang);
    let writer = told(bench.writer(None, lang))?;
    let text = told(bench.reports_by(writer.as_ref(), &[Format::Markdown], lang))?;
    let folder = report_folder(bench);
    Ok(ReportText {
        markdown: text.concat(),
        folder: folder.display().to_string(),
    })
}

/// The rules of a write-up, and those of its template as one more.
pub fn checks(bench: &Workbench, lang: assay_tui::Lang) -> Result<ReportChecks, String> {
    let done = told(bench.check_report(of(lang), None, &[]))?;
    let mut rules: Vec<RuleLine> = (done.rules.into_iter())
        .map(|r| RuleLine {
            holds: r.checked.holds,
            text: r.text,
            found: r.checked.found,
        })
        .collect();
    rules.extend(done.template.map(|t| RuleLine {
        holds: Some(t.problems.is_empty()),
        text: format!("template {}", t.path),
        found: t.problems,
    }));
    Ok(ReportChecks { rules })
}

/// Writes what was ordered. Everything is made before the first file is written.
pub fn write(bench: &Workbench, order: &ExportOrder) -> Result<Vec<String>, String> {
    let lang = of(order.lang);
    let folder = folder(&order.folder, std::env::var_os("HOME").map(PathBuf::from));
    let formats: Vec<Format> = order.forms.iter().filter_map(|f| format(*f)).collect();
    let mut written = Vec::new();
    if !formats.is_empty() {
        let writer = told(bench.writer(None, lang))?;
        let texts = told(bench.reports_by(writer.as_ref(), &formats, lang))?;
        for (format, text) in formats.iter().zip(texts) {
            // Figures alone have no language.
            let name = match format.has_words() {
                true => format!("report.{}.{}", lang.name(), format.ending()),
                false => format!("report.{}", format.ending()),
            };
            match told(bench.write_report(&folder, &name, &text)) {
                Ok(stored) => written.push(stored.to_string()),
                Err(e) => return Err(so_far(&written, &e)),
            }
        }
    }
    if order.forms.contains(&Form::Bundle) {
        let path = folder.join(format!("{}.tar.gz", bench.campaign));
        let made = std::fs::create_dir_all(&folder)
            .map_err(|e| format!("{}: {e}", folder.display()))
            .and_then(|()| told(bench.bundle(&path, &Cancel::new())));
        match made {
            Ok(done) => written.push(format!("{} ({} records)", done.path, done.records)),
            Err(e) => return Err(so_far(&written, &e)),
        }
    }
    Ok(written)
}

fn format(form: Form) -> Option<Format> {
    Some(match form {
        Form::Markdown => Format::Markdown,
        Form::Html => Format::Html,
        Form::Csv => Format::Csv,
        Form::Json => Format::Json,
        Form::PullRequest => Format::PullRequest,
        Form::Bundle => return None,
    })
}

/// A folder as a shell would take it: `~` is the home folder.
fn folder(text: &str, home: Option<PathBuf>) -> PathBuf {
    match (text.strip_prefix('~'), home) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => {
            home.join(rest.trim_start_matches('/'))
        }
        _ => Path::new(text).to_owned(),
    }
}

/// What went wrong, and what was written before.
fn so_far(written: &[String], error: &str) -> String {
    match written {
        [] => error.to_owned(),
        written => format!("{error}\nwritten before that: {}", written.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_and_what_was_written_before() {
        let home = || Some(PathBuf::from("/home/ann"));
        assert_eq!(folder("~/r", home()), PathBuf::from("/home/ann/r"));
        assert_eq!(folder("~", home()), PathBuf::from("/home/ann"));
        assert_eq!(folder("~ann", home()), PathBuf::from("~ann"));
        assert_eq!(folder("r", None), PathBuf::from("r"));
        assert_eq!(so_far(&[], "no"), "no");
        assert!(so_far(&["a".into()], "no").ends_with("before that: a"));
    }
}
