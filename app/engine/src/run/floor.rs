//! The physics floor: no launch is faster than its operations at the device's measured peak.

use assay_exec::plan::{Cache, WorkloadSpec};
use assay_profile::device::{Device, data_type};
use assay_stats::Samples;

/// A time may be this much below the floor: a peak is measured too, and a clock may have risen since.
const ROOM: f64 = 0.8;

/// The first workload that the subject `id` does in less time than the device can, in words.
///
/// The floor is operations over the peak of the workload's type, of all cores, and for launches from
/// cold caches also least bytes over bandwidth. Without peaks there is no floor.
pub(super) fn broken(
    device: &Device,
    samples: &Samples,
    id: &str,
    workloads: &[WorkloadSpec],
    cache: Cache,
) -> Option<String> {
    workloads.iter().find_map(|w| {
        let best = samples
            .legs()
            .iter()
            .filter(|l| l.workload == w.name && l.subject == id && !l.values_ns.is_empty())
            .map(|l| median(&l.values_ns))
            .reduce(f64::min)?;
        let (floor, why) = floor(device, w, cache)?;
        (best < ROOM * floor).then(|| {
            format!(
                "{id} does {} in {best:.4} ns, and {why} of {} allows {floor:.4} ns at best; \
                 work is left out, or the formulas of the campaign ask for too much",
                w.name, device.title
            )
        })
    })
}

/// The least time in nanoseconds, and which figure says so.
fn floor(device: &Device, w: &WorkloadSpec, cache: Cache) -> Option<(f64, &'static str)> {
    let value = |name: &str| device.figure(name).map(|f| f.value).filter(|v| *v > 0.0);
    let peak = data_type(&w.dtype).and_then(|t| value(&format!("peak.{t}")));
    // TFLOPS are 1000 operations per nanosecond, GB/s are bytes per nanosecond.
    let work = w.flops.zip(peak).map(|(n, p)| (n / (p * 1e3), "the peak"));
    let bytes = w.bytes.filter(|_| cache == Cache::Cold);
    let moved = bytes
        .zip(value("bandwidth"))
        .map(|(n, b)| (n / b, "the bandwidth"));
    work.into_iter()
        .chain(moved)
        .reduce(|a, b| if a.0 >= b.0 { a } else { b })
}

/// The middle of some values; the lower one of two.
fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
        .get((sorted.len() - 1) / 2)
        .copied()
        .unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use assay_profile::device::Devices;

    use super::*;

    fn samples(ns: f64) -> Samples {
        let line = format!(
            r#"{{"assay":1,"kind":"samples","workload":"w","subject":"B-x","process":1,"block":0,"leg":0,"unit":"ns","values":[{ns},{},{ns}],"timer":"t","cache":"hot"}}"#,
            ns * 9.0
        );
        Samples::parse_jsonl(&line).0
    }

    fn workload(dtype: &str) -> WorkloadSpec {
        WorkloadSpec {
            name: "w".into(),
            dtype: dtype.into(),
            dims: BTreeMap::new(),
            flops: Some(1e9),
            bytes: Some(1e9),
        }
    }

    #[test]
    fn less_time_than_the_peak_allows_is_told() {
        let h200 = Devices::builtin().get("h200").unwrap();
        let peak = h200.figure("peak.fp32").unwrap().value;
        let least = 1e9 / (peak * 1e3);
        let found = |ns: f64, dtype: &str, cache| {
            broken(h200, &samples(ns), "B-x", &[workload(dtype)], cache)
        };
        assert_eq!(found(least * 0.9, "f32", Cache::Hot), None);
        let told = found(least * 0.5, "f32", Cache::Hot).unwrap();
        assert!(
            told.contains("B-x does w in") && told.contains("the peak of"),
            "{told}"
        );
        assert_eq!(found(least * 0.5, "no-such-type", Cache::Hot), None);
        let bandwidth = h200.figure("bandwidth").unwrap().value;
        let told = found(1e9 / bandwidth * 0.5, "f32", Cache::Cold).unwrap();
        assert!(told.contains("the bandwidth of"), "{told}");
        assert_eq!(
            found(1e9 / bandwidth * 0.5, "no-such-type", Cache::Hot),
            None
        );
    }
}
