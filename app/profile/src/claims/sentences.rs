//! What a document says in words about its table.

use super::columns::{Came, Table, change, held, is_side, no, ns, time_of};
use super::figure::{Outcome as Computed, Printed, time};
use super::{Held, Outcome};
use crate::derive::interval::Interval;
use crate::mapping::{Claim, What};
use crate::{Counter, Launch};

/// How far a growth may be from proportional, relative.
const ABOUT: f64 = 0.1;

/// Share of the bandwidth of the device, in percent, from which on moving bytes is what takes the time.
/// The limit of the diagnosis rules for a memory-bound kernel.
const BOUND: f64 = 70.0;

/// Names of rows in a reason; of more the number says enough.
const NAMED: usize = 6;

/// A figure of a row that a statistic is over.
struct Member {
    row: String,
    figure: Computed,
    /// Whether the two times are at most one step of the display apart.
    within_a_step: bool,
}

impl Table<'_> {
    /// One sentence.
    pub fn sentence(&self, claim: &Claim) -> Held {
        use What::{BandwidthBound, Faster, Increase, Linear, Reduction, Slower, Speedup};
        let stated = self.mapping.stated(&claim.stated);
        let figure = name(claim);
        let row = claim.row.clone().unwrap_or_default();
        let unit = match claim.what {
            Reduction | Increase | BandwidthBound => "%",
            _ => "1",
        };
        let number = printed(&stated);
        match claim.what {
            Linear => self.linear(claim, &figure),
            BandwidthBound => self.bound(claim, &figure),
            Speedup | Reduction | Increase => {
                let of = self.two(claim).map(|(_, after)| after.kernel.clone());
                let row = of.unwrap_or(row);
                held(&row, &figure, unit, &claim.stated, number, self.pair(claim))
            }
            Faster | Slower => self.counted(claim, &figure, number),
            _ => {
                let members = self.members(claim);
                let end = members.as_ref().ok().and_then(|m| self.end(claim.what, m));
                let came = members.and_then(|m| statistic(claim.what, &m));
                let mut out = held(&row, &figure, unit, &claim.stated, number, came);
                if let (Outcome::Disagrees, Some(end)) = (out.outcome, end) {
                    [out.why, out.why_zh] = end;
                }
                out
            }
        }
    }

    /// Where the smallest or largest figure stands: of an end that comes out otherwise, that says more
    /// than by how much it does.
    fn end(&self, what: What, members: &[Member]) -> Option<[String; 2]> {
        let by = |a: &&Member, b: &&Member| a.figure.value.total_cmp(&b.figure.value);
        let found = match what {
            What::Min => members.iter().min_by(by),
            What::Max => members.iter().max_by(by),
            _ => None,
        }?;
        let (row, value) = (&found.row, found.figure.value);
        let place = self.profile.places.get(row);
        let place = place
            .map(|p| [format!(" ({p})"), format!("（{p}）")])
            .unwrap_or_default();
        Some([
            format!("{value} stands in row {row}{}", place[0]),
            format!("{value} 见于行 {row}{}", place[1]),
        ])
    }

    fn pair(&self, claim: &Claim) -> Came {
        let (before, after) = self.two(claim)?;
        let canonical = match claim.what {
            What::Reduction => "claim.reduction",
            What::Increase => "claim.increase",
            _ => "claim.speedup",
        };
        change(canonical, before, after)
    }

    /// The row that a claim is about, after what it is held against.
    fn two(&self, claim: &Claim) -> Result<(&Launch, &Launch), [String; 2]> {
        let name = claim.row.as_deref().unwrap_or_default();
        let of_side = |l: &&Launch| claim.side.as_deref().is_none_or(|s| is_side(&l.kernel, s));
        let has = |l: &&Launch| l.kernel == name || l.kernel.split(" · ").any(|p| p.trim() == name);
        let all = &self.profile.launches;
        let mut found = all.iter().enumerate().filter(|(_, l)| has(l) && of_side(l));
        let Some((at, after)) = found.next() else {
            return Err(no(
                &format!("there is no row `{name}`"),
                &format!("没有行 `{name}`"),
            ));
        };
        let before = self.against(at, claim.against.as_deref().unwrap_or_default())?;
        Ok((before, after))
    }

    /// The figures that a statistic is over: a counter of the rows, or their times against others.
    fn members(&self, claim: &Claim) -> Result<Vec<Member>, [String; 2]> {
        let of_side = |l: &Launch| claim.side.as_deref().is_none_or(|s| is_side(&l.kernel, s));
        let mut out = Vec::new();
        for (at, launch) in self.profile.launches.iter().enumerate() {
            if !of_side(launch) {
                continue;
            }
            let (figure, within_a_step) = match (&claim.of, &claim.against) {
                (Some(name), _) => {
                    let Some(c) = launch.iter().find(|c| c.name() == name) else {
                        continue;
                    };
                    let Some(p) = Printed::of(&c, c.unit()) else {
                        continue;
                    };
                    let figure = Computed {
                        value: p.value,
                        range: p.interval(),
                    };
                    (figure, false)
                }
                (None, Some(against)) => {
                    let Ok(other) = self.against(at, against) else {
                        continue;
                    };
                    if std::ptr::eq(other, launch) {
                        continue;
                    }
                    let (figure, _, _) = change("claim.speedup", other, launch)?;
                    let times = time(launch).zip(time(other));
                    let apart = times.map_or(f64::INFINITY, |(a, b)| (a.value - b.value).abs());
                    let step = self.quantum(launch).max(self.quantum(other));
                    (figure, step > 0.0 && apart <= step * (1.0 + 1e-6))
                }
                (None, None) => continue,
            };
            out.push(Member {
                row: launch.kernel.clone(),
                figure,
                within_a_step,
            });
        }
        match out.is_empty() {
            true => Err(no("no row has a figure for it", "没有一行带有所需数据")),
            false => Ok(out),
        }
    }

    /// Rows that are faster or slower, counted and named.
    fn counted(&self, claim: &Claim, figure: &str, stated: Option<Printed>) -> Held {
        let faster = claim.what == What::Faster;
        let is_it = |m: &&Member| match faster {
            true => m.figure.value > 1.0,
            false => m.figure.value < 1.0,
        };
        let members = match self.members(claim) {
            Ok(members) => members,
            Err(why) => return held("", figure, "1", &claim.stated, stated, Err(why)),
        };
        let n = members.iter().filter(is_it).count() as f64;
        let exact = Computed {
            value: n,
            range: Interval::exact(n),
        };
        let mut out = held(
            "",
            figure,
            "1",
            &claim.stated,
            stated,
            Ok((exact, None, Vec::new())),
        );
        let names = |of: &dyn Fn(&&Member) -> bool| {
            let rows: Vec<&str> = members.iter().filter(of).map(|m| m.row.as_str()).collect();
            match rows.len() {
                0 => None,
                n if n > NAMED => Some(format!(
                    "{} and {} more",
                    rows[..NAMED].join(", "),
                    n - NAMED
                )),
                _ => Some(rows.join(", ")),
            }
        };
        let parts = [
            (names(&|m| m.figure.value < 1.0), "slower", "较慢"),
            (
                names(&|m| m.within_a_step),
                "within one step of the display",
                "相差不超过一个显示步长",
            ),
        ];
        for (rows, en, zh) in parts {
            if let Some(rows) = rows {
                for (text, part, sep) in [
                    (&mut out.why, format!("{en}: {rows}"), "; "),
                    (&mut out.why_zh, format!("{zh}：{rows}"), "；"),
                ] {
                    if !text.is_empty() {
                        text.push_str(sep);
                    }
                    text.push_str(&part);
                }
            }
        }
        out
    }

    /// Whether the time grows in proportion to a dim.
    fn linear(&self, claim: &Claim, figure: &str) -> Held {
        let mut out = held("", figure, "1", &claim.stated, None, Err(no("", "")));
        let with = claim.grows_with.as_deref().unwrap_or_default();
        let of_side = |l: &&Launch| claim.side.as_deref().is_none_or(|s| is_side(&l.kernel, s));
        let mut points: Vec<(f64, Printed, &str)> = Vec::new();
        for l in self.profile.launches.iter().filter(of_side) {
            let column = l.iter().find(|c| c.name() == with).and_then(|c| c.number());
            let x = column.or_else(|| (self.work)(&l.kernel).dims.get(with).copied());
            if let (Some(x), Ok(t)) = (x.filter(|x| *x > 0.0), time_of(l)) {
                points.push((x, t, &l.kernel));
            }
        }
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let ends = points.first().zip(points.last());
        let Some((first, last)) = ends.filter(|(a, b)| b.0 > a.0) else {
            [out.why, out.why_zh] = no(
                &format!("fewer than two rows have a time and a `{with}`"),
                &format!("同时带有时间与 `{with}` 的行不足两行"),
            );
            return out;
        };
        let (dx, dt) = (last.0 / first.0, last.1.value / first.1.value);
        let exponent = Computed::of(&[first.1, last.1], |v| (v[1] / v[0]).ln() / dx.ln());
        out.rows = vec![first.2.to_owned(), last.2.to_owned()];
        out.computed = exponent.map(|e| e.value);
        out.interval = exponent.map(|e| [e.range.lo, e.range.hi]);
        out.stated = Some(1.0);
        out.outcome = match (dt / dx - 1.0).abs() <= ABOUT {
            true => Outcome::Agrees,
            false => Outcome::Disagrees,
        };
        let power = dt.ln() / dx.ln();
        [out.why, out.why_zh] = [
            format!(
                "{dx:.4} times the {with} take {dt:.4} times the time, which grows with the power {power:.3} of it"
            ),
            format!("{with} 增至 {dx:.4} 倍，时间只增至 {dt:.4} 倍，即按其 {power:.3} 次幂增长"),
        ];
        out
    }

    /// Whether moving the bytes of a row takes its time.
    fn bound(&self, claim: &Claim, figure: &str) -> Held {
        let name = claim.row.as_deref().unwrap_or_default();
        let mut out = held(name, figure, "%", &claim.stated, None, Err(no("", "")));
        let of_side = |l: &&Launch| claim.side.as_deref().is_none_or(|s| is_side(&l.kernel, s));
        let has = |l: &&Launch| l.kernel == name || l.kernel.split(" · ").any(|p| p.trim() == name);
        let Some(launch) = (self.profile.launches.iter()).find(|l| has(l) && of_side(l)) else {
            [out.why, out.why_zh] = no(
                &format!("there is no row `{name}`"),
                &format!("没有行 `{name}`"),
            );
            return out;
        };
        out.rows = vec![launch.kernel.clone()];
        let work = (self.work)(&launch.kernel);
        let (Some(bytes), Some(peak)) = (work.bytes, work.bandwidth.filter(|b| *b > 0.0)) else {
            [out.why, out.why_zh] = no(
                "it needs a `bytes` formula and a device whose bandwidth is known",
                "需要字节数公式和已知带宽的设备",
            );
            return out;
        };
        let t = match time_of(launch) {
            Ok(t) => t,
            Err(why) => {
                [out.why, out.why_zh] = why;
                return out;
            }
        };
        let share = |ns: f64| bytes / ns / peak * 100.0;
        let computed = Computed::of(&[t], |v| share(v[0]));
        out.computed = computed.map(|c| c.value);
        out.interval = computed.map(|c| [c.range.lo, c.range.hi]);
        // A throughput that is a power of a thousand off says which time is meant.
        let rate = launch
            .canonical("claim.tflops")
            .next()
            .and_then(|c| Printed::of(&c, "TFLOPS"));
        let meant = rate.zip(work.flops).and_then(|(rate, flops)| {
            let ns = flops / rate.value / 1000.0;
            let factor = t.value / ns;
            let is_slip = [1e3, 1e6].iter().any(|p| (factor / p - 1.0).abs() < 0.03);
            is_slip.then_some(ns)
        });
        let most = share(meant.unwrap_or(t.value));
        out.outcome = match most >= BOUND {
            true => Outcome::Agrees,
            false => Outcome::Disagrees,
        };
        let at = ns(t.value);
        let (mut en, mut zh) = (
            format!(
                "{bytes:.0} bytes in {at} are {:.2} % of the {peak:.0} GB/s of the device; {BOUND:.0} % would be a bound",
                share(t.value)
            ),
            format!(
                "{at} 内传输 {bytes:.0} 字节，为设备带宽 {peak:.0} GB/s 的 {:.2} %；达到 {BOUND:.0} % 才算受带宽限制",
                share(t.value)
            ),
        );
        if let Some(meant) = meant {
            let meant = ns(meant);
            en.push_str(&format!(
                "; with the time that its throughput says, {meant}, {most:.1} %"
            ));
            zh.push_str(&format!("；按其吞吐量所示的时间 {meant} 为 {most:.1} %"));
        }
        [out.why, out.why_zh] = [en, zh];
        out
    }
}

/// A stated figure: a percentage, a factor, or a plain number.
fn printed(c: &Counter) -> Option<Printed> {
    let half = c.resolution().unwrap_or(0.0).abs() / 2.0;
    c.number().map(|value| Printed { value, half })
}

fn name(claim: &Claim) -> String {
    let of = claim
        .of
        .as_deref()
        .map(|of| format!(" of {of}"))
        .unwrap_or_default();
    let against = claim
        .against
        .as_deref()
        .map(|a| format!(" over {a}"))
        .unwrap_or_default();
    let with = claim
        .grows_with
        .as_deref()
        .map(|k| format!(" in {k}"))
        .unwrap_or_default();
    format!("{}{of}{against}{with}", claim.what.name())
}

fn statistic(what: What, members: &[Member]) -> Came {
    let of = |pick: &dyn Fn(&Member) -> f64| -> f64 {
        let mut v: Vec<f64> = members.iter().map(pick).collect();
        v.sort_by(f64::total_cmp);
        let (n, first, last) = (v.len(), v.first().copied(), v.last().copied());
        match what {
            What::Geomean => (v.iter().map(|v| v.ln()).sum::<f64>() / n as f64).exp(),
            What::Median => {
                let middle = |i: usize| v.get(i).copied().unwrap_or(f64::NAN);
                f64::midpoint(middle((n - 1) / 2), middle(n / 2))
            }
            What::Min => first.unwrap_or(f64::NAN),
            _ => last.unwrap_or(f64::NAN),
        }
    };
    let value = of(&|m| m.figure.value);
    let (lo, hi) = (of(&|m| m.figure.range.lo), of(&|m| m.figure.range.hi));
    if !(value.is_finite() && lo.is_finite() && hi.is_finite()) {
        return Err(no(
            "a figure that it follows from is not above zero",
            "所依据的数值不大于零",
        ));
    }
    let rows = members.iter().map(|m| m.row.clone()).collect();
    let range = Interval::new(lo, hi);
    Ok((Computed { value, range }, None, rows))
}
