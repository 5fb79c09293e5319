//! Whether the device that was found is the model that the target asks for.

use assay_core::campaign::{Device, Target};
use assay_core::record::Environment;
use assay_core::text::inert;

/// Why the device is not the model that the target declares, as far as its tool names it.
///
/// Any name that is not the model's is refused, whether there is a device file for it or not. A
/// device that nobody names is not the model either.
pub(super) fn wrong(target: &Target, environment: &Environment) -> Option<String> {
    let model = target.model.as_deref()?;
    if target.device == Device::Cpu {
        return None;
    }
    let name = inert(&target.name);
    let Some(seen) = environment.stable.get("gpu.model") else {
        return Some(format!(
            "wrong device: target `{name}` declares the model `{}`, and the tool of the device does not say which it is; remove \
             `model`, or say which device it is by `gpu`",
            inert(model)
        ));
    };
    (!names(seen, model)).then(|| {
        format!(
            "wrong device: target `{name}` declares the model `{}`, and the device is {}; choose another by `gpu`, or set the \
             model that it is",
            inert(model),
            inert(seen)
        )
    })
}

/// Words behind a number that make another model of it: `RTX 3060 Ti` is no `RTX 3060`.
const OTHER: [&str; 3] = ["ti", "super", "d"];

/// Whether the name that a tool gives a device is one of the model's: `NVIDIA A100-SXM4-80GB` of
/// `a100`, `RTX 3060` of `rtx3060`, `MXC500` of `c500`; `H200` is none of `h20`, nor `L40S` of `l40`.
pub(crate) fn names(seen: &str, model: &str) -> bool {
    let (seen, model) = (words(seen), words(model));
    let whole = model.concat();
    let run = (0..seen.len()).find_map(|from| {
        let joined = |to: &usize| seen[from..*to].concat() == whole;
        (from + 1..=seen.len()).find(joined)
    });
    let is_other = |to: usize| seen.get(to).is_some_and(|w| OTHER.contains(&w.as_str()));
    match run {
        Some(to) => !is_other(to),
        // `a100-80gb` of `NVIDIA A100-SXM4-80GB`: its words, with others between them.
        None => !model.is_empty() && model.iter().all(|w| seen.contains(w)),
    }
}

/// The words of a name in small letters, without the mark of the vendor in front of a number.
fn words(name: &str) -> Vec<String> {
    let lower = name.to_ascii_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric());
    let bare = |w: &str| match w.strip_prefix("mx") {
        Some(rest) if rest.contains(|c: char| c.is_ascii_digit()) => rest.to_owned(),
        _ => w.to_owned(),
    };
    words.filter(|w| !w.is_empty()).map(bare).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_the_model_s_by_whole_words() {
        for (seen, model) in [
            ("NVIDIA H200", "h200"),
            ("Stand-in H200", "h200"),
            ("NVIDIA H800 PCIe", "h800"),
            ("NVIDIA A100-SXM4-80GB", "a100"),
            ("NVIDIA A100-SXM4-80GB", "a100-80gb"),
            ("NVIDIA GeForce RTX 3060", "rtx3060"),
            ("NVIDIA GeForce RTX 3060 Ti", "rtx-3060-ti"),
            ("Tesla T4", "t4"),
            ("MetaX C500", "c500"),
            ("MXC500", "c500"),
            ("MXC500", "mxc500"),
        ] {
            assert!(names(seen, model), "{seen} is {model}");
        }
        for (seen, model) in [
            ("NVIDIA A100-SXM4-80GB", "h200"),
            ("Tesla T4", "h200"),
            ("RTX 3060", "h200"),
            ("NVIDIA H200", "h20"),
            ("NVIDIA GH200 480GB", "h200"),
            ("NVIDIA L40S", "l40"),
            ("NVIDIA L40", "l4"),
            ("NVIDIA GeForce RTX 3060 Ti", "rtx3060"),
            ("NVIDIA A100-SXM4-40GB", "a100-80gb"),
            ("MXC550", "c500"),
            ("MXC500X", "c500"),
            ("Stand-in", "c500"),
            ("", "c500"),
        ] {
            assert!(!names(seen, model), "{seen} is no {model}");
        }
    }
}
