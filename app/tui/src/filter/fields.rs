//! The fields of a filter.

use assay_core::fold::Status;
use assay_core::record::VerdictKind;

/// What a field is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    Text(Field),
    Number(Figure),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    Name,
    Status,
    Verdict,
    Family,
    Parent,
    Against,
    Why,
    Knob,
    Gate,
    Fail,
    Updated,
}

/// Numbers of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Figure {
    /// Ratio to what it was measured against.
    Ratio,
    /// Median of any workload, in nanoseconds.
    Median,
    /// What stands against it: a failure, and gates that failed.
    Err,
}

/// A field that can be asked for.
#[derive(Debug, Clone, Copy)]
pub struct FieldInfo {
    /// Its name.
    pub name: &'static str,
    pub(super) of: Of,
    /// A term with it.
    pub example: &'static str,
    /// English: what it is.
    pub en: &'static str,
    /// Chinese: what it is.
    pub zh: &'static str,
}

const fn field(
    name: &'static str,
    of: Of,
    example: &'static str,
    en: &'static str,
    zh: &'static str,
) -> FieldInfo {
    FieldInfo {
        name,
        of,
        example,
        en,
        zh,
    }
}

/// The fields, of which help and documentation are made too.
pub const FIELDS: &[FieldInfo] = &[
    field(
        "name",
        Of::Text(Field::Name),
        "name~coal",
        "name of the variant",
        "变体名称",
    ),
    field(
        "status",
        Of::Text(Field::Status),
        "-status:rejected",
        "status",
        "状态",
    ),
    field(
        "verdict",
        Of::Text(Field::Verdict),
        "verdict:faster",
        "verdict",
        "判定",
    ),
    field(
        "ratio",
        Of::Number(Figure::Ratio),
        "ratio<0.95",
        "ratio to what it was measured against",
        "与对照对象的比值",
    ),
    field(
        "median",
        Of::Number(Figure::Median),
        "median<10us",
        "median of any workload (ns, us, ms, s)",
        "任一工作负载的中位数（ns、us、ms、s）",
    ),
    field(
        "time",
        Of::Number(Figure::Median),
        "time>=1ms",
        "the same as median",
        "同 median",
    ),
    field(
        "err",
        Of::Number(Figure::Err),
        "err:0",
        "how many things stand against it: a failure, failed gates",
        "不利项的数量：失败与未通过的门限",
    ),
    field(
        "gate",
        Of::Text(Field::Gate),
        "gate:fail",
        "pass, fail, or the name of a failed gate",
        "pass、fail，或未通过的门限名称",
    ),
    field(
        "fail",
        Of::Text(Field::Fail),
        "fail:compile",
        "kind of the failure",
        "失败的种类",
    ),
    field(
        "family",
        Of::Text(Field::Family),
        "family=tiling",
        "family",
        "思路",
    ),
    field(
        "parent",
        Of::Text(Field::Parent),
        "parent=base",
        "parent",
        "父变体",
    ),
    field(
        "against",
        Of::Text(Field::Against),
        "against:base",
        "what it was measured against",
        "对照对象",
    ),
    field(
        "why",
        Of::Text(Field::Why),
        "why~register",
        "hypothesis",
        "假设",
    ),
    field(
        "knob",
        Of::Text(Field::Knob),
        "knob:tile=128",
        "a parameter and its value",
        "参数及其值",
    ),
    field(
        "updated",
        Of::Text(Field::Updated),
        "updated>=2026-11",
        "time of the last record",
        "最后一条记录的时间",
    ),
];

/// Words that a field can have, in lower case, where there are no others.
pub(super) fn words(field: Field) -> Option<Vec<String>> {
    match field {
        Field::Status => Some(Status::ALL.map(|s| s.name().to_lowercase()).to_vec()),
        Field::Verdict => Some(VerdictKind::ALL.map(|v| v.name().to_lowercase()).to_vec()),
        _ => None,
    }
}
