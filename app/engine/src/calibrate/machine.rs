//! What a machine says of itself: processor, caches, memory.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// What was read; what the machine does not say is absent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Machine {
    /// Name of the host.
    pub host: Option<String>,
    /// Name of the processor.
    pub model: Option<String>,
    /// Who makes it.
    pub vendor: Option<String>,
    /// Processors that are there.
    pub processors: usize,
    /// Caches for data.
    pub caches: Vec<Cache>,
    /// Memory in bytes.
    pub memory_bytes: Option<u64>,
    /// Memory that is free, in bytes.
    pub available_bytes: Option<u64>,
    /// Highest clock, in kHz.
    pub max_khz: Option<u64>,
}

/// The caches for data of one level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cache {
    /// Level, from 1.
    pub level: u32,
    /// Size of one, in bytes.
    pub bytes: u64,
    /// How many there are.
    pub instances: u64,
}

impl Machine {
    /// Reads below `root`, `/` but in tests.
    pub(super) fn read(root: &Path) -> Self {
        let info = text(root, "proc/cpuinfo").unwrap_or_default();
        let field = |text: &str, name: &str| {
            let of_line = |l: &str| {
                let (key, value) = l.split_once(':')?;
                (key.trim() == name).then(|| value.trim().to_owned())
            };
            text.lines().find_map(of_line).filter(|v| !v.is_empty())
        };
        let memory = text(root, "proc/meminfo").unwrap_or_default();
        let kib = |name: &str| {
            let value = field(&memory, name)?;
            Some(value.strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
        };
        let cpus = processors(root);
        Self {
            host: text(root, "proc/sys/kernel/hostname"),
            model: field(&info, "model name"),
            vendor: field(&info, "vendor_id").map(|v| vendor(&v)),
            processors: cpus.len(),
            caches: caches(root, &cpus),
            memory_bytes: kib("MemTotal"),
            available_bytes: kib("MemAvailable"),
            max_khz: text(root, "sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq")
                .and_then(|t| t.parse().ok()),
        }
    }

    /// Name of the device: `cpu-` and the host's name, as far as it can stand there.
    pub(super) fn device_name(&self) -> String {
        const LONGEST: usize = 60;
        let host = self.host.as_deref().unwrap_or_default().to_lowercase();
        let mut slug = String::from("cpu");
        for word in host.split(|c: char| !c.is_ascii_alphanumeric()) {
            if !word.is_empty() && slug.len() + 1 + word.len() <= LONGEST {
                slug.push('-');
                slug.push_str(word);
            }
        }
        if slug == "cpu" {
            slug.push_str("-here");
        }
        slug
    }

    /// What the device is called.
    pub(super) fn title(&self) -> String {
        let model = self.model.as_deref().unwrap_or(std::env::consts::ARCH);
        let model = assay_core::text::inert(model);
        format!("{model}, {} processors", self.processors)
    }

    /// The caches of one level.
    pub(super) fn cache(&self, level: u32) -> Option<&Cache> {
        self.caches.iter().find(|c| c.level == level)
    }

    /// All last-level caches together, in bytes; 0 when the machine does not say.
    pub(super) fn last_level_bytes(&self) -> u64 {
        let last = self.caches.iter().max_by_key(|c| c.level);
        last.map_or(0, |c| c.bytes.saturating_mul(c.instances))
    }
}

fn text(root: &Path, path: &str) -> Option<String> {
    let text = fs::read_to_string(root.join(path)).ok()?;
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// How people call the maker.
fn vendor(id: &str) -> String {
    match id {
        "AuthenticAMD" => "AMD".into(),
        "GenuineIntel" => "Intel".into(),
        "HygonGenuine" => "Hygon".into(),
        other => assay_core::text::inert(other).into_owned(),
    }
}

/// Folders of the processors.
fn processors(root: &Path) -> Vec<String> {
    let folder = root.join("sys/devices/system/cpu");
    let listed = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = listed
        .filter_map(|e| e.file_name().into_string().ok())
        .filter(|n| {
            let number = n.strip_prefix("cpu").unwrap_or_default();
            !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
        })
        .collect();
    names.sort_by_key(|n| (n.len(), n.clone()));
    names
}

fn caches(root: &Path, cpus: &[String]) -> Vec<Cache> {
    let mut found: Vec<Cache> = Vec::new();
    let mut seen: BTreeSet<(u32, String)> = BTreeSet::new();
    for cpu in cpus {
        for i in 0..8 {
            let at = |file: &str| {
                let path = format!("sys/devices/system/cpu/{cpu}/cache/index{i}/{file}");
                text(root, &path)
            };
            let is_data = at("type").is_some_and(|t| t != "Instruction");
            let level = at("level").and_then(|l| l.parse::<u32>().ok());
            let (true, Some(level), Some(bytes)) = (is_data, level, at("size").and_then(size))
            else {
                continue;
            };
            // Processors that share a cache name the same list.
            let shared = at("shared_cpu_list").unwrap_or_else(|| cpu.clone());
            if !seen.insert((level, shared)) {
                continue;
            }
            match found.iter_mut().find(|c| c.level == level) {
                // Cores of two kinds have caches of two sizes: the larger one is told.
                Some(c) => {
                    c.bytes = c.bytes.max(bytes);
                    c.instances += 1;
                }
                None => found.push(Cache {
                    level,
                    bytes,
                    instances: 1,
                }),
            }
        }
    }
    found.sort_by_key(|c| c.level);
    found
}

/// `32K`, `1M` in bytes.
fn size(text: String) -> Option<u64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match text.get(digits.len()..)? {
        "K" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        "" => 1,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}
