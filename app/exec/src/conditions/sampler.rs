//! Takes readings: of files, or with a tool that is started for each.
//!
//! A tool may be absent, old, or hang with its driver. It is asked with a time limit; one that is
//! absent or hangs is said once and not asked again, so that it costs a session no more than that.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use assay_core::Timestamp;

use super::cells::complaint;
use super::host::{self, Census};
use super::reading::{Conditions, OtherProcess};
use super::{metax, nvidia};
use crate::Cancel;
use crate::process::{Env, Finished, Outcome, capture};

/// Time that a tool gets to answer.
const TIMEOUT: Duration = Duration::from_secs(3);

/// Greatest share of a benchmark's time that readings between its blocks may take.
const SHARE: f64 = 0.02;

/// What tools say of a device that has gone.
const GONE: [&str; 5] = [
    "GPU is lost",
    "No devices were found",
    "Unable to determine the device handle",
    "couldn't communicate with the NVIDIA driver",
    "driver is not loaded",
];

/// Asks one device for its state.
#[derive(Debug)]
pub struct Sampler {
    kind: Kind,
    root: PathBuf,
    device: Option<String>,
    env: Env,
    timeout: Duration,
    share: f64,
    state: Mutex<State>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Off,
    Cpu,
    Nvidia,
    MetaX,
}

#[derive(Debug, Default)]
struct State {
    off: bool,
    /// Which of the lists of fields the driver knows.
    query: usize,
    problems: Vec<String>,
    /// Why the device is taken to be gone.
    lost: Option<String>,
    /// Whether the device has told of its state.
    was_there: bool,
    /// Whether a figure that is none was told of.
    told_odd: bool,
    census: Option<Census>,
    /// End and duration of the last reading of the state alone.
    last: Option<(Instant, Duration)>,
    cost: Cost,
}

impl State {
    /// Tells of a figure that is none, the first time.
    fn tell_odd(&mut self, odd: Option<String>) {
        if let Some(odd) = odd.filter(|_| !self.told_odd) {
            self.problems.push(odd);
            self.told_odd = true;
        }
    }
}

/// What readings have cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cost {
    /// Number of readings.
    pub readings: u32,
    /// Wall time of all.
    pub wall: Duration,
}

impl Sampler {
    /// Takes no readings.
    pub fn off() -> Self {
        Self::new(Kind::Off, Path::new("/"), Env::new(), None)
    }

    /// Reads the state of the processors below `root`, which is `/` but in tests.
    pub fn cpu(root: &Path) -> Self {
        Self::new(Kind::Cpu, root, Env::new(), None)
    }

    /// Asks `nvidia-smi`, found by the `PATH` in `env`, for a GPU: its UUID, index or bus address.
    pub fn nvidia(env: Env, device: Option<&str>) -> Self {
        Self::new(Kind::Nvidia, Path::new("/"), env, device)
    }

    /// Asks `mx-smi`, found by the `PATH` in `env`, for the card with this bus address.
    pub fn metax(env: Env, device: Option<&str>) -> Self {
        Self::new(Kind::MetaX, Path::new("/"), env, device)
    }

    fn new(kind: Kind, root: &Path, env: Env, device: Option<&str>) -> Self {
        Self {
            kind,
            root: root.to_owned(),
            device: device.map(str::to_owned),
            env,
            timeout: TIMEOUT,
            share: SHARE,
            state: Mutex::default(),
        }
    }

    /// Sets the time that a tool gets to answer.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets the greatest share of the time that readings between blocks may take; `1.0` lets each
    /// block have one.
    pub fn share(mut self, share: f64) -> Self {
        self.share = share.clamp(0.001, 1.0);
        self
    }

    /// Whether it reads the processors, so that blocks of single processes cannot be told apart by
    /// events of the whole machine.
    pub fn is_cpu(&self) -> bool {
        self.kind == Kind::Cpu
    }

    /// A reading with who else works on the device: for times at which nothing of ours runs there.
    pub fn full(&self, cancel: &Cancel) -> Option<Conditions> {
        self.timed(|state| {
            let mut c = self.state_of(state, cancel)?;
            match self.kind {
                Kind::Off => {}
                Kind::Cpu => {
                    let now = Census::take(&self.root, std::process::id());
                    c.other_processes = Some(match &state.census {
                        None => now.running(),
                        Some(earlier) => now.busy_since(earlier),
                    });
                    state.census = Some(now);
                }
                Kind::Nvidia => self.apps(state, &mut c, cancel),
                Kind::MetaX => self.card(state, &mut c, cancel),
            }
            Some(c)
        })
    }

    /// Who else works on the device and how much of it is used, in percent, where both are told and
    /// somebody does: for times at which nothing of ours runs there. Counts as no reading.
    pub fn intruders(&self, cancel: &Cancel) -> Option<(Vec<OtherProcess>, f64)> {
        let mut state = self.lock();
        let mut c = match self.kind {
            _ if state.off => return None,
            Kind::Off | Kind::Cpu => return None,
            // The list alone is asked for where nobody is on it.
            Kind::Nvidia => {
                let mut c = Conditions::unknown(nvidia::SOURCE, Timestamp::now());
                c.device = self.device.clone().filter(|d| d.starts_with("GPU-"));
                c
            }
            Kind::MetaX => self.state_of(&mut state, cancel)?,
        };
        match self.kind {
            Kind::MetaX => self.card(&mut state, &mut c, cancel),
            _ => self.apps(&mut state, &mut c, cancel),
        }
        let others = c.other_processes.take().filter(|o| !o.is_empty())?;
        if self.kind == Kind::Nvidia {
            c = self.state_of(&mut state, cancel)?;
        }
        Some((others, c.utilisation?))
    }

    /// A reading between two blocks; `None` also when one so soon would take too much of the time.
    pub fn between(&self, cancel: &Cancel) -> Option<Conditions> {
        if let Some((end, cost)) = self.lock().last
            && self.share < 1.0
            && end.elapsed().as_secs_f64() * self.share < cost.as_secs_f64()
        {
            return None;
        }
        self.timed(|state| self.state_of(state, cancel))
    }

    /// What went wrong since this was last asked; each is worth showing.
    pub fn take_problems(&self) -> Vec<String> {
        std::mem::take(&mut self.lock().problems)
    }

    /// Why the device that was watched is taken to be gone, in words: its tool hangs, says so, or no
    /// longer tells what it told before.
    pub fn lost(&self) -> Option<String> {
        self.lock().lost.clone()
    }

    /// Whether the device is no longer asked for its state, for whatever reason.
    pub fn gave_up(&self) -> bool {
        self.lock().off
    }

    /// What the readings have cost so far.
    pub fn cost(&self) -> Cost {
        self.lock().cost
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn timed(&self, read: impl FnOnce(&mut State) -> Option<Conditions>) -> Option<Conditions> {
        let mut state = self.lock();
        if state.off || self.kind == Kind::Off {
            return None;
        }
        let started = Instant::now();
        let got = read(&mut state);
        state.cost.wall += started.elapsed();
        state.cost.readings += u32::from(got.is_some());
        state.was_there |= got.is_some();
        got
    }

    fn state_of(&self, state: &mut State, cancel: &Cancel) -> Option<Conditions> {
        let started = Instant::now();
        let got = match self.kind {
            Kind::Off => None,
            Kind::Cpu => Some(host::quick(&self.root, Timestamp::now())),
            Kind::Nvidia => self.gpu(state, cancel),
            Kind::MetaX => {
                let argv: Vec<&str> = std::iter::once("mx-smi").chain(metax::DMON).collect();
                let text = self.ask(state, &argv, cancel)?;
                state.tell_odd(metax::odd(&text, self.device.as_deref()));
                let all = metax::dmon(&text, Timestamp::now());
                self.mine(state, "mx-smi", all)
            }
        };
        let end = Instant::now();
        state.last = Some((end, end - started));
        got
    }

    fn gpu(&self, state: &mut State, cancel: &Cancel) -> Option<Conditions> {
        loop {
            let fields = nvidia::QUERIES.get(state.query)?;
            let query = format!("--query-gpu={fields}");
            let mut argv = vec!["nvidia-smi", &query, "--format=csv"];
            if let Some(device) = &self.device {
                argv.extend(["-i", device]);
            }
            let done = self.run(state, &argv, cancel)?;
            let said = format!(
                "{}{}",
                String::from_utf8_lossy(&done.stdout),
                done.tail_text()
            );
            if !done.outcome.ok() && nvidia::refused(&said) {
                state.query += 1;
                if state.query < nvidia::QUERIES.len() {
                    continue;
                }
            }
            let text = self.answer(state, &argv, done)?;
            state.tell_odd(nvidia::odd(&text));
            let all = nvidia::gpus(&text, Timestamp::now());
            return self.mine(state, "nvidia-smi", all);
        }
    }

    /// The reading of our device among those of all.
    fn mine(
        &self,
        state: &mut State,
        tool: &str,
        all: Result<Vec<Conditions>, String>,
    ) -> Option<Conditions> {
        let mut all = match all {
            Ok(all) => all,
            Err(why) => {
                // Text that is not understood now will not be later.
                self.give_up(
                    state,
                    format!("the output of `{tool}` is not understood: {why}"),
                );
                return None;
            }
        };
        if all.len() == 1 {
            return all.pop();
        }
        let named = self.device.as_deref();
        let found = all
            .iter()
            .position(|c| c.device.is_some() && c.device.as_deref() == named);
        if found.is_none() {
            let problem = format!(
                "`{tool}` tells of {} devices, and which of them measures is not known; name it",
                all.len()
            );
            self.give_up(state, problem);
        }
        found.map(|i| all.swap_remove(i))
    }

    fn apps(&self, state: &mut State, c: &mut Conditions, cancel: &Cancel) {
        let query = format!("--query-compute-apps={}", nvidia::APPS);
        let argv = ["nvidia-smi", &query, "--format=csv"];
        let Some(text) = self.ask(state, &argv, cancel) else {
            return;
        };
        match nvidia::processes(&text, c.device.as_deref()) {
            Ok(list) => c.other_processes = Some(list),
            Err(why) => state
                .problems
                .push(format!("who else works on the GPU is not known: {why}")),
        }
    }

    fn card(&self, state: &mut State, c: &mut Conditions, cancel: &Cancel) {
        let Some(text) = self.ask(state, &["mx-smi"], cancel) else {
            return;
        };
        match metax::overview(&text) {
            Ok(mut cards) => {
                let mine = match cards.as_slice() {
                    [_] => Some(0),
                    _ => cards
                        .iter()
                        .position(|k| k.bus.is_some() && k.bus == c.device),
                };
                if let Some(i) = mine {
                    let card = cards.swap_remove(i);
                    c.power_cap_w = card.power_cap_w;
                    c.other_processes = Some(card.processes);
                }
            }
            Err(why) => state.problems.push(format!(
                "power limit and other processes of the card are not known: {why}"
            )),
        }
    }

    fn ask(&self, state: &mut State, argv: &[&str], cancel: &Cancel) -> Option<String> {
        let done = self.run(state, argv, cancel)?;
        self.answer(state, argv, done)
    }

    fn run(&self, state: &State, argv: &[&str], cancel: &Cancel) -> Option<Finished> {
        (!state.off).then(|| capture(argv, self.env.clone(), self.timeout, cancel))
    }

    /// What a tool said; `None`, with the reason kept, when it did not do what it should.
    fn answer(&self, state: &mut State, argv: &[&str], done: Finished) -> Option<String> {
        let tool = argv.first().copied().unwrap_or_default();
        match &done.outcome {
            Outcome::Exited(0) => {
                return Some(String::from_utf8_lossy(&done.stdout).into_owned());
            }
            Outcome::Cancelled => return None,
            Outcome::SpawnFailed(why) => {
                let problem =
                    format!("`{tool}` cannot be asked for the state of the device: {why}");
                self.give_up(state, problem);
            }
            Outcome::TimedOut(time) => {
                let problem = format!(
                    "`{tool}` did not answer within {} s and was stopped; the driver may hang",
                    time.as_secs_f64()
                );
                state.lost = Some(problem.clone());
                self.give_up(state, problem);
            }
            other => {
                let said = String::from_utf8_lossy(&done.stdout).into_owned() + &done.tail_text();
                let why = complaint(&said).map_or_else(String::new, |l| format!(": {l}"));
                let problem = format!("`{tool}` failed, {}{why}", other.describe());
                if GONE.iter().any(|words| said.contains(words)) {
                    state.lost = Some(problem.clone());
                }
                self.give_up(state, problem);
            }
        }
        None
    }

    fn give_up(&self, state: &mut State, problem: String) {
        state.off = true;
        if state.was_there {
            state.lost = Some(problem.clone());
        }
        state
            .problems
            .push(format!("{problem}; it is not asked again"));
    }
}
