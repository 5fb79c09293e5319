//! The device of a session: how it is watched while it is measured, and what identifies it.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use assay_core::campaign::{Device, Target};
use assay_core::record::{Environment, Failure, FailureKind, Stage};
use assay_core::text::inert;
use assay_core::units::format_percent;
use assay_exec::Cancel;
use assay_exec::bench::Watching;
use assay_exec::conditions::{Policy, Sampler};
use assay_exec::fingerprint::{self, Tool};
use assay_exec::process::Env;
use assay_exec::progress::Progress;

use super::prepare::Session;
use super::{card, model};

/// Time after which it is said what is waited for.
const SLOW: Duration = Duration::from_millis(700);

/// What identifies the compiler on the host.
const TOOLS: &[Tool<'static>] = &[("cc", &["--version"])];

/// Watches the device of a session: one sampler for all its processes, so that a tool that hangs
/// costs the session a single wait.
pub(crate) struct Watcher {
    sampler: Sampler,
    policy: Policy,
    /// Why the device is not known, and then not watched.
    pub problem: Option<String>,
    /// Why nothing may be run on the device.
    pub refusal: Option<String>,
    /// What should be known of it.
    pub warning: Option<String>,
    /// The environment that its tool was asked in, where it answered.
    asked: Option<Env>,
}

impl Watcher {
    /// The watcher for a target, whose tool is found by the `PATH` of its stages, and the fingerprint
    /// of this machine with the device that is watched.
    pub fn new(
        target: Option<&Target>,
        env: &Env,
        progress: &dyn Progress,
        cancel: &Cancel,
    ) -> (Environment, Self) {
        let kind = target.map_or(Device::Cpu, |t| t.device);
        let named = target.and_then(|t| t.gpu.clone());
        let mut asked = env.clone();
        if let (Some(variable), Some(gpu)) = (fingerprint::visible(kind), &named) {
            asked.insert(variable.into(), gpu.into());
        }
        let ask = || fingerprint::of_target(kind, TOOLS, &asked, cancel);
        let tool = match kind {
            Device::Cpu => None,
            Device::Cuda => Some("nvidia-smi"),
            Device::Metax => Some("mx-smi"),
        };
        let (mut environment, problem) = match tool {
            Some(tool) => {
                let waiting = format!(
                    "waiting for `{tool}`, at most {} s",
                    fingerprint::GPU_TIMEOUT.as_secs()
                );
                told_when_slow(ask, SLOW, || progress.line(&waiting))
            }
            None => ask(),
        };
        let card = card::judge(target, &mut environment);
        let sampler = match kind {
            Device::Cpu => Sampler::cpu(Path::new("/")),
            // A tool that could not say who measures is not asked again.
            Device::Cuda | Device::Metax if problem.is_some() => Sampler::off(),
            Device::Cuda => {
                let uuid = environment.stable.get("gpu.uuid").cloned();
                Sampler::nvidia(env.clone(), uuid.or(named).as_deref())
            }
            Device::Metax => {
                let bus = environment.stable.get("gpu.bus").map(String::as_str);
                Sampler::metax(env.clone(), bus)
            }
        };
        // A reading names its device as its tool does.
        let identity = match kind {
            Device::Metax => "gpu.bus",
            Device::Cpu | Device::Cuda => "gpu.uuid",
        };
        let policy = match kind {
            Device::Cpu => Policy::cpu(),
            Device::Cuda | Device::Metax => Policy {
                device: environment.stable.get(identity).cloned(),
                ..Policy::device()
            },
        };
        let allowed = target.is_some_and(|t| t.unknown_device);
        let refusal = match &problem {
            Some(p) if p.is_fatal => Some(p.text.clone()),
            Some(p) if !allowed => Some(format!(
                "{}; nothing is measured on a device that nobody names: make it answer, or set [target.{}] unknown_device = true \
                 where there is no such tool",
                p.text,
                inert(target.map_or("NAME", |t| &t.name))
            )),
            Some(_) => {
                unknown(kind, &mut environment);
                None
            }
            None => target
                .and_then(|t| {
                    wrong_share(t, &environment).or_else(|| model::wrong(t, &environment))
                })
                .or(card.refused),
        };
        let watcher = Self {
            sampler,
            policy,
            asked: problem.is_none().then_some(asked),
            problem: problem.map(|p| p.text),
            refusal,
            warning: card.warning,
        };
        (environment, watcher)
    }

    /// How processes are watched.
    pub fn watching(&self) -> Watching<'_> {
        Watching {
            sampler: &self.sampler,
            policy: &self.policy,
        }
    }

    /// Who else keeps the device at work, in words, where somebody does.
    pub fn occupied(&self, kind: Device, cancel: &Cancel) -> Option<String> {
        let busy = || {
            let found = self.sampler.intruders(cancel);
            found.filter(|(_, used)| *used >= BUSY_PERCENT)
        };
        let mut found = busy()?;
        // What ran of ours a moment ago still counts in the first reading.
        for _ in 0..LOOKS {
            cancel.wait(BETWEEN_LOOKS);
            found = busy()?;
        }
        let (others, used) = found;
        let variable = fingerprint::visible(kind).unwrap_or("the environment");
        let others: Vec<String> = (others.iter())
            .map(|o| match o.memory_mib {
                Some(mib) => format!("{} (process {}, {mib:.0} MiB)", o.name, o.pid),
                None => format!("{} (process {})", o.name, o.pid),
            })
            .collect();
        Some(format!(
            "the device is in use by others ({used:.0} %): {}; wait until they have ended, or choose another device by \
             {variable} or [target.NAME] gpu",
            others.join(", ")
        ))
    }

    /// Why the device that `found` is the fingerprint of is gone, in words.
    ///
    /// Where nothing more is read of its state it is asked for as it was when it was found: it may have gone before
    /// the first reading. A tool that only does not know the question about the state still names it.
    fn lost(&self, kind: Device, found: &Environment, cancel: &Cancel) -> Option<String> {
        self.sampler.lost().or_else(|| {
            let env = self.asked.as_ref().filter(|_| self.sampler.gave_up())?;
            let why = fingerprint::gone(kind, found, env, cancel)?;
            // A question that was called off has no answer.
            (!cancel.is_cancelled()).then_some(why)
        })
    }
}

impl Session<'_> {
    /// The failure of a stage that runs the kernel where the device is not the one that is meant.
    pub(super) fn refused_device(&self, stage: Stage) -> Option<Failure> {
        let runs = matches!(stage, Stage::Check | Stage::Bench | Stage::Profile);
        let why = self.watcher.refusal.as_ref().filter(|_| runs)?;
        Some(Failure {
            kind: FailureKind::Infra,
            stage,
            message: format!("{}: {why}", stage.name()),
            stderr_tail: String::new(),
        })
    }

    /// The failure of a stage whose device has gone while it was watched: no time that was taken of it counts.
    pub(super) fn lost_device(&self, stage: Stage) -> Option<Failure> {
        let why = (self.watcher).lost(self.kind, &self.environment, self.cancel)?;
        Some(Failure {
            kind: FailureKind::Infra,
            stage,
            message: format!(
                "{}: {LOST}: {why}; nothing of this measurement counts",
                stage.name()
            ),
            stderr_tail: String::new(),
        })
    }

    /// The failure of a stage whose program failed and whose device is then not to be found any more: whatever
    /// was wrong, it says nothing of the variant. Of failures that no device explains nothing is asked.
    pub(super) fn device_lost_under(&self, failure: &Failure) -> Option<Failure> {
        let on_device = matches!(failure.stage, Stage::Check | Stage::Bench | Stage::Profile);
        let explains = matches!(
            failure.kind,
            FailureKind::Runtime
                | FailureKind::Launch
                | FailureKind::Timeout
                | FailureKind::Correctness
                | FailureKind::Infra
        );
        let stage = failure.stage.name();
        let said = failure.message.strip_prefix(&format!("{stage}: "));
        let is_told = said.is_some_and(|s| s.starts_with(LOST));
        if !on_device || !explains || is_told || self.cancel.is_cancelled() {
            return None;
        }
        let env = self.watcher.asked.as_ref()?;
        let why = fingerprint::gone(self.kind, &self.environment, env, self.cancel)?;
        Some(Failure {
            kind: FailureKind::Infra,
            message: format!(
                "{stage}: {LOST}: {why}; this says nothing of the variant, and the stage ended with: {}",
                said.unwrap_or(&failure.message)
            ),
            ..failure.clone()
        })
    }

    /// The failure of a stage that needs the device alone where others keep it at work. One that only
    /// holds memory is a warning later.
    pub(super) fn occupied_device(&self, stage: Stage) -> Option<Failure> {
        let why = self.watcher.occupied(self.kind, self.cancel)?;
        Some(Failure {
            kind: FailureKind::Infra,
            stage,
            message: format!("{}: {why}", stage.name()),
            stderr_tail: String::new(),
        })
    }
}

/// What is said of a device that has gone.
const LOST: &str = "the device was lost";

/// Share of a device's time in percent from which on others keep it at work.
const BUSY_PERCENT: f64 = 5.0;

/// How often it is looked at again, and the pause before: longer than the time that the share is of.
const LOOKS: u32 = 2;
const BETWEEN_LOOKS: Duration = Duration::from_millis(1100);

/// Says in the fingerprint that which device measures is not known: the host is not it.
fn unknown(kind: Device, environment: &mut Environment) {
    environment.device = format!("unknown {} device", kind.name());
    let mark = ("gpu.unknown".to_owned(), kind.name().to_owned());
    environment.stable.extend([mark]);
}

/// Why the part of the device that is seen is not the one that the target declares: a slice says
/// nothing of a whole card.
fn wrong_share(target: &Target, environment: &Environment) -> Option<String> {
    let name = &target.name;
    if target.device != Device::Cuda {
        return None;
    }
    let slice = environment.stable.get("gpu.slice").map(|s| inert(s));
    match (slice, target.share) {
        (Some(slice), None) => Some(format!(
            "target `{name}` is a whole card, and what CUDA sees is its MIG slice {slice}, whose figures say nothing of the card: \
             set [target.{name}] model and share for a slice, or disable MIG"
        )),
        (None, Some(share)) if environment.stable.contains_key("gpu.uuid") => Some(format!(
            "target `{name}` is a share of {} of the card, and what CUDA sees is the whole card: choose the slice by \
             [target.{name}] gpu = \"MIG-...\", or remove `share`",
            format_percent(share.0)
        )),
        _ => None,
    }
}

/// Does something, and tells of it once it has taken longer than `slow`.
fn told_when_slow<T>(work: impl FnOnce() -> T, slow: Duration, tell: impl FnOnce() + Send) -> T {
    std::thread::scope(|scope| {
        let (done, wait) = mpsc::channel::<()>();
        scope.spawn(move || {
            if wait.recv_timeout(slow) == Err(RecvTimeoutError::Timeout) {
                tell();
            }
        });
        let out = work();
        drop(done);
        out
    })
}

/// Facts that say under what a device runs, and not which it is.
const DRIVERS: [&str; 3] = ["gpu.driver", "gpu.maca", "gpu.bios"];

/// Whether two fingerprints are of the same device, whatever it runs under.
pub(super) fn same_device(a: &Environment, b: &Environment) -> bool {
    let of = |e: &Environment| {
        let mut e = e.clone();
        e.stable.retain(|name, _| !DRIVERS.contains(&name.as_str()));
        fingerprint::device_hash(&e)
    };
    of(a) == of(b)
}

/// What differs of the toolchain and the driver between two fingerprints, in words; the kernel of
/// the operating system counts where it is the processor that is measured.
pub(super) fn moved(then: &Environment, now: &Environment, kind: Device) -> Vec<String> {
    let counts = |name: &str| {
        name.starts_with("tool.")
            || DRIVERS.contains(&name)
            || (kind == Device::Cpu && name == "os.kernel")
    };
    let names: BTreeSet<&String> = (then.stable.keys().chain(now.stable.keys()))
        .filter(|name| counts(name))
        .collect();
    let of = |e: &Environment, name: &str| {
        let value = e.stable.get(name).map_or("not known", String::as_str);
        assay_core::text::inert(value).into_owned()
    };
    names
        .into_iter()
        .filter(|name| then.stable.get(*name) != now.stable.get(*name))
        .map(|name| format!("{name} was {} and is {}", of(then, name), of(now, name)))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use assay_exec::progress::Silent;

    use super::*;

    /// A stand-in for `mx-smi`: `$CARD` says whether the card is there, `$DMON` what tells of its state.
    const MX_SMI: &str = r#"
case "$1" in
  dmon) eval "$DMON";;
  -L) eval "$CARD" && echo 'GPU#0  MXC500  0000:08:00.0  Available (UUID: GPU-aaaa)' || echo 'GPU#0  MXC500  0000:08:00.0  Not Available(MetaX Sysfs File Unaccessible)';;
  *) if eval "$CARD"; then
       echo '| 0           MetaX C500             | 0000:08:00.0        | 0%                   |'
       echo '| 45C  P0     48W / 350W             | 858/65536 MiB       | Available            |'
     else
       echo 'Attached GPUs : 0'
     fi;;
esac
"#;

    /// A stand-in for `nvidia-smi`.
    const NVIDIA_SMI: &str = r#"
case "$*" in
  *driver_version*) echo 'index, name, uuid, driver_version'; eval "$CARD" && echo '0, NVIDIA H200, GPU-1, 580.1' || :;;
  *) eval "$DMON";;
esac
"#;

    /// Whether a device is said to be lost that was found, after one reading was tried: `there` says while it is to be
    /// seen, and `state` what its tool does when it is asked for its state.
    fn lost_at_first_reading(kind: Device, there: &str, state: &str) -> Option<String> {
        let dir = tempfile::tempdir().unwrap();
        let (tool, script) = match kind {
            Device::Metax => ("mx-smi", MX_SMI),
            _ => ("nvidia-smi", NVIDIA_SMI),
        };
        let path = dir.path().join(tool);
        let home = dir.path().display();
        let script = format!("#!/bin/sh\nHOME='{home}'; CARD='{there}'; DMON='{state}'\n{script}");
        fs::write(&path, script).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        let env = Env::from([("PATH".to_owned(), dir.path().into())]);
        let target = Target {
            name: "t".into(),
            device: kind,
            model: None,
            gpu: None,
            unknown_device: false,
            share: None,
            stages: BTreeMap::new(),
        };
        let cancel = Cancel::new();
        let (found, watcher) = Watcher::new(Some(&target), &env, &Silent, &cancel);
        assert_eq!(watcher.refusal, None, "it was there");
        assert_eq!(watcher.lost(kind, &found, &cancel), None);
        fs::write(dir.path().join("gone"), "").unwrap();
        assert_eq!(watcher.sampler.full(&cancel), None);
        watcher.lost(kind, &found, &cancel)
    }

    #[test]
    fn a_device_that_goes_before_its_first_reading_is_lost_and_a_tool_that_knows_no_such_question_loses_none()
     {
        let gone = "[ ! -e \"$HOME/gone\" ]";
        let empty = "echo \"dev, die, power, bdfid\"; echo \"idx, idx, W,\"";
        for (kind, state, words) in [
            (Device::Metax, empty, "`mx-smi` lists none"),
            (Device::Metax, "exit 1", "`mx-smi` lists none"),
            (
                Device::Cuda,
                "echo \"uuid, power.draw [W]\"",
                "lists no GPU",
            ),
            (Device::Cuda, "exit 1", "lists no GPU"),
        ] {
            let why = lost_at_first_reading(kind, gone, state);
            let why = why.unwrap_or_else(|| panic!("{kind:?} with `{state}` is not lost"));
            assert!(why.contains(words), "{why}");
        }
        for kind in [Device::Metax, Device::Cuda] {
            let odd = "echo \"unknown option\"; exit 2";
            assert_eq!(lost_at_first_reading(kind, ":", odd), None);
        }
    }

    #[test]
    fn what_takes_long_is_told_while_it_lasts() {
        let (told, heard) = mpsc::channel();
        let tell = move || told.send(()).unwrap();
        // The work lasts until it was told of.
        let work = || heard.recv().is_ok();
        assert!(told_when_slow(work, Duration::from_millis(1), tell));
        let hour = Duration::from_secs(3600);
        assert_eq!(told_when_slow(|| 7, hour, || panic!("it was quick")), 7);
    }

    #[test]
    fn only_toolchain_and_driver_count_as_moved() {
        let of = |facts: &[(&str, &str)]| Environment {
            device: "d".into(),
            stable: (facts.iter())
                .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
                .collect(),
            volatile: std::collections::BTreeMap::new(),
        };
        let then = of(&[
            ("tool.cc", "cc 12"),
            ("gpu.driver", "570"),
            ("os.kernel", "6.1"),
            ("memory.gib", "64"),
        ]);
        let now = of(&[
            ("tool.cc", "cc 12"),
            ("gpu.driver", "575"),
            ("tool.nvcc", "12.4"),
            ("os.kernel", "6.8"),
            ("memory.gib", "32"),
        ]);
        assert!(same_device(
            &then,
            &of(&[("memory.gib", "64"), ("gpu.driver", "575")])
        ));
        assert!(
            !same_device(&then, &now),
            "another memory is another machine"
        );
        assert!(moved(&then, &then, Device::Cpu).is_empty());
        assert_eq!(
            moved(&then, &now, Device::Cuda),
            [
                "gpu.driver was 570 and is 575",
                "tool.nvcc was not known and is 12.4"
            ]
        );
        assert_eq!(moved(&then, &now, Device::Cpu).len(), 3);
    }
}
