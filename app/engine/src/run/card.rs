//! A MetaX card as it was found: whether anything may be measured on it, and what its compiler's
//! and its runtime's complaints mean.

use assay_core::campaign::{Device, Target};
use assay_core::record::{Environment, Failure, FailureKind};
use assay_core::text::inert;
use assay_core::units::format_percent;
use assay_exec::fingerprint::metax::SLICE;

use super::Running;
use super::build::read_log;

/// What is said of a card, before time is spent.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Said {
    /// Why nothing is measured on it.
    pub refused: Option<String>,
    /// What may be measured, but should be known.
    pub warning: Option<String>,
}

/// Holds the card that was found against what the target says of it, and completes the fingerprint
/// with the share that the target declares.
pub(super) fn judge(target: Option<&Target>, environment: &mut Environment) -> Said {
    let Some(target) = target.filter(|t| t.device == Device::Metax) else {
        return Said::default();
    };
    let sliced = environment.stable.get(SLICE).cloned();
    let name = inert(&target.name).into_owned();
    match (sliced, target.share) {
        (None, None) => Said::default(),
        (Some(mark), None) => refused(format!(
            "the card is sliced (`mx-smi` shows {mark}) and [target.{name}] says nothing of a share: a slice is not set against a whole card; write `share = \"25%\"` with its quota beside `model`, or turn sGPU mode off"
        )),
        (Some(_), Some(share)) => {
            let share = format_percent(share.0);
            environment.device = format!("{} (slice of {share})", environment.device);
            environment.stable.insert(SHARE.into(), share);
            Said::default()
        }
        (None, Some(share)) => {
            let share = format_percent(share.0);
            let version = environment
                .stable
                .get("tool.mx-smi")
                .map(|v| inert(v).into_owned());
            if version.as_deref().is_some_and(marks_slices) {
                return refused(format!(
                    "[target.{name}] is a share of {share} of the card, and `mx-smi` shows the whole card, with no mark of a slice: remove `share`, or choose the slice by `gpu`"
                ));
            }
            // Whether it is one is not known, and it is not called one.
            environment.device = format!("{} (said to be a slice of {share})", environment.device);
            environment
                .stable
                .insert(SHARE.into(), format!("{share} (not confirmed)"));
            let version = version.unwrap_or_else(|| "?".into());
            Said {
                refused: None,
                warning: Some(format!(
                    "[target.{name}] says share = {share}, and `mx-smi` {version} marks no slices: whether this is one is not known, and peaks are scaled by what the campaign file says"
                )),
            }
        }
    }
}

/// The share of a slice in the fingerprint.
pub(crate) const SHARE: &str = "gpu.sgpu.share";

/// Whether this version of `mx-smi` is documented to mark a slice in its table: 2.3 and later.
fn marks_slices(version: &str) -> bool {
    let mut numbers = version.split('.').map_while(|n| n.parse::<u32>().ok());
    match (numbers.next(), numbers.next()) {
        (Some(2), Some(minor)) => minor >= 3,
        (Some(major), _) => major > 2,
        _ => false,
    }
}

impl Running<'_> {
    /// A failure with what is known to help against it.
    pub(super) fn explained(&self, mut failure: Failure) -> Failure {
        if self.session.kind == Device::Metax {
            let log = read_log(&self.b.build.log(failure.stage.name()));
            explain(&mut failure, &String::from_utf8_lossy(&log));
        }
        failure
    }
}

fn refused(why: String) -> Said {
    Said {
        refused: Some(why),
        warning: None,
    }
}

/// Complaints that are documented, and what to do about each.
const COMPLAINTS: [(&str, &str); 5] = [
    (
        "__macro_mxcc.h",
        "mxcc looks for its own headers elsewhere when CXX is set: run it without (`env -u CXX`), and take CXX out of [env] pass",
    ),
    (
        "tl_templates/maca",
        "the templates of TileLang are not among the include folders: -I<package of tilelang>/src",
    ),
    (
        "libmcruntime.so",
        "the runtime is not found: pass LD_LIBRARY_PATH in [env], with the lib folder of MACA_PATH in it",
    ),
    (
        "MACA_PATH",
        "set MACA_PATH (usually /opt/maca) and pass it in [env]",
    ),
    (
        "MetaX Sysfs File Unaccessible",
        "the card's files cannot be read: a container has to be given the card",
    ),
];

/// Adds to a failure on a MetaX target what is known to help.
fn explain(failure: &mut Failure, log: &str) {
    let text = [log, failure.stderr_tail.as_str(), failure.message.as_str()];
    let known = COMPLAINTS
        .iter()
        .find(|(words, _)| text.iter().any(|t| t.contains(words)));
    let killed = failure.kind == FailureKind::Runtime || failure.kind == FailureKind::Compile;
    let known = match known {
        Some((_, remedy)) => Some(*remedy),
        None if killed && failure.message.contains("exit code 137") => Some(
            "it was killed, usually for want of memory: parent and child must not both import TileLang",
        ),
        None => None,
    };
    if let Some(remedy) = known {
        failure.message = format!("{}; {remedy}", failure.message);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use assay_core::record::Stage;
    use assay_core::units::Ratio;

    use super::*;

    fn target(model: Option<&str>, share: Option<f64>) -> Target {
        Target {
            name: "c500".into(),
            device: Device::Metax,
            model: model.map(str::to_owned),
            gpu: None,
            unknown_device: false,
            share: share.map(Ratio),
            stages: BTreeMap::new(),
        }
    }

    fn card(facts: &[(&str, &str)]) -> Environment {
        let mut e = Environment {
            device: "MetaX C500".into(),
            ..Environment::default()
        };
        for (name, value) in facts {
            e.stable.insert((*name).into(), (*value).into());
        }
        e
    }

    #[track_caller]
    fn refuses(target: &Target, facts: &[(&str, &str)], words: &str) {
        let why = judge(Some(target), &mut card(facts)).refused.unwrap();
        assert!(why.contains(words), "{why}");
    }

    #[test]
    fn a_slice_must_be_declared_and_shows_in_name_and_fingerprint() {
        refuses(
            &target(Some("c500"), None),
            &[(SLICE, "sGPU-M")],
            "share = \"25%\"",
        );
        let quarter = target(Some("c500"), Some(0.25));
        let mut e = card(&[(SLICE, "sGPU-M")]);
        assert_eq!(judge(Some(&quarter), &mut e), Said::default());
        assert_eq!(e.device, "MetaX C500 (slice of 25 %)");
        assert_eq!(e.stable["gpu.sgpu.share"], "25 %");
    }

    #[test]
    fn a_whole_card_is_not_called_a_slice() {
        let quarter = target(Some("c500"), Some(0.25));
        for version in ["2.3.1", "2.10", "3.0.0"] {
            let facts = [("tool.mx-smi", version)];
            refuses(&quarter, &facts, "shows the whole card");
        }
        // Earlier versions are not documented to tell.
        for facts in [
            &[][..],
            &[("tool.mx-smi", "2.2.4")],
            &[("tool.mx-smi", "?")],
        ] {
            let mut e = card(facts);
            let said = judge(Some(&quarter), &mut e);
            assert!(said.refused.is_none());
            assert!(said.warning.unwrap().contains("is not known"));
            assert_eq!(e.device, "MetaX C500 (said to be a slice of 25 %)");
            assert_eq!(e.stable[SHARE], "25 % (not confirmed)");
        }
    }

    #[test]
    fn complaints_come_with_their_remedy() {
        let of = |kind, message: &str, log: &str| {
            let mut f = Failure {
                kind,
                stage: Stage::Build,
                message: message.into(),
                stderr_tail: String::new(),
            };
            explain(&mut f, log);
            f.message
        };
        let cxx = of(
            FailureKind::Compile,
            "build: exit code 1",
            "fatal error: '__macro_mxcc.h' file not found",
        );
        assert!(cxx.contains("CXX is set"), "{cxx}");
        let killed = of(FailureKind::Runtime, "check: exit code 137", "");
        assert!(killed.contains("both import TileLang"), "{killed}");
        assert_eq!(
            of(FailureKind::Compile, "exit code 1", "k.cu:1"),
            "exit code 1"
        );
    }
}
