//! What differs in the source: of two variants, as written or as generated, and of two files.

mod page;
mod reference;

use std::collections::{BTreeMap, BTreeSet};
use std::panic::resume_unwind;
use std::path::Path;

use assay_core::RecordId;
use assay_core::fold::{self, State};
use assay_core::record::{Body, Figure, Source};
use assay_core::text::inert;
use assay_core::view::{ComparedFigure, DiffView, FileDiff, Said, SourceStatement};
use assay_source::attribution::Counter;
use assay_source::diff::{diff_pair_with_facts, kernel_facts};
use assay_source::language::of_file;
use assay_source::normalise::{Pass, Passes};
use assay_source::said::{Join, Key, Lang, list, part, plain, say};
use assay_source::{DiffOptions, SourceFile, attribute, summary};

use assay_ledger::CommitId;

use crate::Cancel;
use crate::error::{Error, Result};
use crate::input;
use crate::workbench::Workbench;

pub use assay_source::diff::{OpenDiff, Style};
pub use assay_source::said;
pub use assay_source::syntax::Syntax;
pub use page::html;
pub use reference::source_markdown;

/// How two sources are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct How {
    /// The generated source instead of the kernel as written.
    pub generated: bool,
    /// What lines are compared by.
    pub lines: Lines,
    /// The passes of normalisation.
    pub passes: Passes,
}

/// What lines are compared by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Lines {
    /// What people write as it stands, for each letter of it is meant; what generators write after
    /// normalisation, for they renumber.
    #[default]
    AsFits,
    /// Their text: what normalisation takes out counts as a change.
    Raw,
    /// What is left of them after normalisation.
    Normalised,
}

impl How {
    /// The generated source, with lines compared after normalisation.
    pub fn generated() -> Self {
        Self {
            generated: true,
            ..Self::default()
        }
    }

    /// The same without some passes of normalisation, by name; lines are compared after the others.
    ///
    /// # Errors
    /// When a name is not that of a pass.
    pub fn without(mut self, names: &[String]) -> Result<Self> {
        for name in names {
            let pass: Pass = name.parse().map_err(|e| Error::input(format!("{e}")))?;
            self.passes = self.passes.without(pass);
            self.lines = Lines::Normalised;
        }
        Ok(self)
    }

    pub(crate) fn options(self) -> DiffOptions {
        let options = DiffOptions {
            passes: self.passes,
            ..DiffOptions::default()
        };
        match self.lines {
            Lines::AsFits if self.generated => options.normalised(),
            Lines::Normalised => options.normalised(),
            Lines::AsFits | Lines::Raw => options,
        }
    }
}

/// Compares two file sets.
type By<'f> = dyn FnMut(&[SourceFile], &[SourceFile], &DiffOptions) -> Vec<FileDiff> + 'f;

impl Workbench {
    /// What differs between two variants: the kernel as written, or the generated source.
    ///
    /// # Errors
    /// When one is unknown, or has no generated source.
    pub fn diff(&self, a: &str, b: &str, how: How) -> Result<DiffView> {
        let (a, b) = (self.resolve(a)?, self.resolve(b)?);
        let state = self.state_of(&[&a, &b])?;
        self.diff_in(&state, a, b, how)
    }

    /// The same for a screen: lines are made when they are looked at.
    ///
    /// # Errors
    /// As [`Workbench::diff`].
    pub fn open_diff(&self, a: &str, b: &str, how: How) -> Result<OpenDiff> {
        let (a, b) = (self.resolve(a)?, self.resolve(b)?);
        let state = self.state_of(&[&a, &b])?;
        let mut files = Vec::new();
        let view = self.diff_by(&state, a, b, how, &mut |a, b, options| {
            let (heads, opened) = assay_source::diff::open(a, b, options);
            files = opened;
            heads
        })?;
        Ok(OpenDiff { view, files })
    }

    pub(crate) fn diff_in(
        &self,
        state: &State,
        a: String,
        b: String,
        how: How,
    ) -> Result<DiffView> {
        self.diff_by(state, a, b, how, &mut assay_source::diff)
    }

    fn diff_by(
        &self,
        state: &State,
        a: String,
        b: String,
        how: How,
        by: &mut By<'_>,
    ) -> Result<DiffView> {
        if !how.generated {
            let (files_a, files_b) = (self.kernel_files(&a)?, self.kernel_files(&b)?);
            let files = by(&files_a, &files_b, &how.options());
            return Ok(view(a, b, "kernel", files));
        }
        let (sa, sb) = (source_of(state, &a)?, source_of(state, &b)?);
        let (files_a, files_b) = (self.source_files(sa)?, self.source_files(sb)?);
        let files = by(&files_a, &files_b, &how.options());
        // The record has the hashes after all passes.
        let equal = match how.passes == Passes::default() {
            true => fold::equal_sources(Some(sa), Some(sb)),
            false => Some(files.iter().all(|f| f.normalised_equal == Some(true))),
        };
        let mut out = view(a, b, "generated", files);
        let (mut facts_a, mut facts_b) = (sa.facts.clone(), sb.facts.clone());
        let many =
            |f: &BTreeMap<String, Figure>| f.get("kernel.count").is_some_and(|n| n.value > 8.0);
        if (many(&facts_a) || many(&facts_b))
            && let (Ok(of_a), Ok(of_b)) = (sa.language.parse(), sb.language.parse())
        {
            // A record of many kernels holds the totals alone.
            let [more_a, more_b] = kernel_facts((of_a, &files_a), (of_b, &files_b));
            facts_a.extend(more_a);
            facts_b.extend(more_b);
        }
        describe(&mut out, equal, &facts_a, &facts_b);
        if sa.language != sb.language {
            let languages = [&sa.language, &sb.language].map(|l| plain(inert(l)));
            remark(&mut out, say(Key::OtherLanguages, languages));
        }
        for (name, source) in [(out.a.clone(), sa), (out.b.clone(), sb)] {
            if let Some(twice) = source.twice.as_ref().filter(|t| t.differs()) {
                let said = match twice.file.is_empty() {
                    true => say(Key::TwiceDiffers, [plain(name)]),
                    false => say(
                        Key::TwiceDiffersIn,
                        [plain(name), plain(inert(&twice.file))],
                    ),
                };
                remark(&mut out, said);
            }
        }
        out.statements
            .extend(self.attributed(state, &out.a, &out.b)?);
        Ok(out)
    }

    /// Facts of the generated sources of a pair that differ, beside counters of both profiles.
    pub(crate) fn attributed(
        &self,
        state: &State,
        a: &str,
        b: &str,
    ) -> Result<Vec<SourceStatement>> {
        let rows = fold::compare_view(state, &[a, b], Vec::new())
            .map_err(|e| Error::input(e.to_string()))?
            .counters;
        Ok(attribution(state, a, b, &rows))
    }

    /// The first parent of a variant, for a diff with one name only.
    ///
    /// # Errors
    /// When it has none.
    pub fn parent_of(&self, text: &str) -> Result<String> {
        let name = self.resolve(text)?;
        let state = self.state_of(&[&name])?;
        crate::lineage::declaration(&state, &name)
            .and_then(|v| v.parents.first().cloned())
            .ok_or_else(|| {
                Error::input(format!("`{name}` has no parent variant")).hint("name both sides")
            })
    }

    pub(crate) fn kernel_files(&self, name: &str) -> Result<Vec<SourceFile>> {
        self.files_at(self.tip(name)?)
    }

    /// The kernel files of a commit.
    pub(crate) fn files_at(&self, commit: CommitId) -> Result<Vec<SourceFile>> {
        let git = self.git()?;
        let paths = self.variant_paths()?;
        let files = self.variants()?.list_files(commit, &git.folder, &paths)?;
        Ok(files
            .into_iter()
            .map(|f| SourceFile::new(f.path, f.bytes))
            .collect())
    }

    fn source_files(&self, source: &Source) -> Result<Vec<SourceFile>> {
        source
            .files
            .iter()
            .map(|f| match self.ledger.blob(f.sha256)?.into_bytes() {
                Some(bytes) => Ok(SourceFile::new(f.name.clone(), bytes)),
                None => Err(Error::environment(format!(
                    "{} ({}) is not stored here",
                    f.name, f.sha256
                ))
                .hint_of(self.blobs_hint().as_ref())),
            })
            .collect()
    }
}

/// The source that stands for a variant now.
fn source_now<'s>(state: &'s State, name: &str) -> Option<&'s Source> {
    let id: RecordId = state.variant(name)?.source?;
    match &state.get(id)?.body {
        Body::Source(s) => Some(s),
        _ => None,
    }
}

fn source_of<'s>(state: &'s State, name: &str) -> Result<&'s Source> {
    source_now(state, name).ok_or_else(|| {
        let way = format!("assay run {name} --stages build,source");
        Error::input(format!("there is no generated source of `{name}`"))
            .hint_of((!state.place().read_only).then_some(&way))
    })
}

/// The same from rows of counters that stand side by side already.
pub(crate) fn attribution(
    state: &State,
    a: &str,
    b: &str,
    rows: &[ComparedFigure],
) -> Vec<SourceStatement> {
    let (Some(sa), Some(sb)) = (source_now(state, a), source_now(state, b)) else {
        return Vec::new();
    };
    if sa.language != sb.language {
        return Vec::new();
    }
    // Counters of two tools or devices are set beside each other without a change.
    let comparable = rows.iter().any(|r| r.change_percent.is_some());
    let side = |i: usize| -> Vec<Counter> {
        (rows.iter().filter(|_| comparable))
            .filter_map(|r| {
                let value = r.values.get(i).copied().flatten()?;
                Some(Counter {
                    name: r.name.clone(),
                    value,
                    unit: r.unit.clone(),
                })
            })
            .collect()
    };
    attribute(&sa.facts, &sb.facts, &side(0), &side(1))
}

fn view(a: String, b: String, what: &str, files: Vec<FileDiff>) -> DiffView {
    DiffView {
        schema: "assay.diff/1".into(),
        a,
        b,
        what: what.into(),
        files,
        facts: Vec::new(),
        warnings: Vec::new(),
        remarks: Vec::new(),
        statements: Vec::new(),
    }
}

/// Adds the facts of both sides and what they come to.
fn describe(
    out: &mut DiffView,
    equal: Option<bool>,
    a: &BTreeMap<String, Figure>,
    b: &BTreeMap<String, Figure>,
) {
    out.facts = compared_facts(a, b);
    let mut statements = match out.files.as_slice() {
        [f] if f.normalised_equal == equal => summary(f, a, b),
        files => summary(&merged(files, equal), a, b),
    };
    // That both are equal is no difference: it stands where remarks are.
    if equal == Some(true) && !statements.is_empty() {
        let equal = statements.remove(0).said;
        equal.into_iter().for_each(|said| remark(out, said));
    }
    out.statements = statements;
    let renamed: u64 = out.files.iter().map(|f| f.renamed).sum();
    if renamed > 0 {
        let passes: BTreeSet<&str> = (out.files.iter())
            .flat_map(|f| f.passes.iter().map(String::as_str))
            .collect();
        let lines = match renamed {
            1 => Key::Line,
            _ => Key::Lines,
        };
        let lines = part(lines, [plain(renamed.to_string())]);
        let passes = passes.into_iter().map(said::pass).collect();
        let passes = list(Join::Comma, passes);
        remark(out, say(Key::TakenOut, [lines, passes]));
    }
}

/// Adds a remark: its sentence, and the same by its key.
fn remark(out: &mut DiffView, said: Said) {
    out.warnings
        .push(said::text(Lang::En, &said).unwrap_or_default());
    out.remarks.push(said);
}

/// What the summary looks at in the diffs of several files, as one; it looks at no lines.
fn merged(files: &[FileDiff], equal: Option<bool>) -> FileDiff {
    let mut all = FileDiff {
        normalised_equal: equal,
        ..FileDiff::default()
    };
    for f in files {
        all.moved += f.moved;
        all.notes.extend(f.notes.iter().cloned());
        all.kernels.extend(f.kernels.iter().cloned());
        all.renamed += f.renamed;
    }
    all
}

/// The diff of two files, with their facts where the language has any.
///
/// # Errors
/// When a file cannot be read.
pub fn files(a: &Path, b: &Path, how: How) -> Result<DiffView> {
    let read = |path: &Path| -> Result<SourceFile> {
        let bytes = input::bytes(path, input::WHOLE, &Cancel::new())?;
        Ok(SourceFile::new(path.display().to_string(), bytes))
    };
    let stdin = Path::new(input::STDIN);
    let (fa, fb) = if a == stdin || b == stdin {
        (Ok(read(a)?), read(b))
    } else {
        // Both at the same time: of large files reading is a good part of the whole.
        std::thread::scope(|s| {
            let other = s.spawn(|| read(b));
            let fa = read(a);
            (fa, other.join().unwrap_or_else(|e| resume_unwind(e)))
        })
    };
    Ok(of_files(&fa?, &fb?, how))
}

fn of_files(fa: &SourceFile, fb: &SourceFile, how: How) -> DiffView {
    let languages = [of_file(fa), of_file(fb)];
    let has_facts = (languages.iter()).any(|l| l.has_kernels() || l.is_assembly());
    // What people write is shown as it stands; generators renumber.
    let how = How {
        generated: has_facts,
        ..how
    };
    let (diff, sides) = diff_pair_with_facts(fa, fb, &how.options());
    let equal = diff.normalised_equal;
    let mut out = view(fa.path.clone(), fb.path.clone(), "files", vec![diff]);
    if fa.bytes == fb.bytes {
        let size = plain(fa.bytes.len().to_string());
        let hash = plain(assay_core::Sha256::of(&fa.bytes).to_string());
        remark(&mut out, say(Key::Identical, [size, hash]));
    }
    if !has_facts {
        let names: BTreeSet<&str> = languages.iter().map(|l| l.name()).collect();
        let names = names.into_iter().collect::<Vec<_>>().join(", ");
        remark(&mut out, say(Key::NoFactsOf, [plain(names)]));
        return out;
    }
    // A pair that differs says it where its lines would stand.
    if sides.is_none() && fa.bytes == fb.bytes {
        let limit = how.options().max_bytes;
        remark(
            &mut out,
            match fa.bytes.len() > limit {
                true => say(Key::NoFactsTooLarge, [plain(limit.to_string())]),
                false => say(Key::NoFactsBinary, []),
            },
        );
        return out;
    }
    let none = BTreeMap::new();
    let facts = |i: usize| sides.as_ref().map_or(&none, |s| &s[i].facts);
    describe(&mut out, equal, facts(0), facts(1));
    // One side without is said by the summary.
    let neither = facts(0).is_empty() && facts(1).is_empty();
    for (side, name) in sides.iter().flatten().zip(["A", "B"]) {
        if neither && (side.language.has_kernels() || side.language.is_assembly()) {
            let key = if side.language.has_kernels() {
                Key::NoKernel
            } else {
                Key::NoInstruction
            };
            let values = [name, side.language.name()].map(plain);
            remark(&mut out, say(key, values));
        }
    }
    out
}

/// Facts of two sides beside each other, the union of both.
pub fn compared_facts(
    a: &BTreeMap<String, Figure>,
    b: &BTreeMap<String, Figure>,
) -> Vec<ComparedFigure> {
    let names: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    names
        .into_iter()
        .map(|name| {
            let (x, y) = (a.get(name), b.get(name));
            let change = match (x, y) {
                (Some(x), Some(y)) if x.value != 0.0 => {
                    Some((y.value - x.value) / x.value.abs() * 100.0)
                }
                _ => None,
            };
            ComparedFigure {
                name: name.clone(),
                unit: x.or(y).map_or_else(String::new, |f| f.unit.clone()),
                values: vec![x.map(|f| f.value), y.map(|f| f.value)],
                change_percent: change,
            }
        })
        .collect()
}

/// What colours a piece of text.
pub type Painter<'p> = &'p dyn Fn(Style, &str) -> String;

/// A diff as unified text; `paint` adds colour to a piece, and without it no syntax is looked for.
pub fn unified(files: &[FileDiff], lang: Lang, paint: Option<Painter<'_>>) -> String {
    match paint {
        Some(paint) => assay_source::diff::to_unified_styled(files, lang, paint),
        None => assay_source::diff::to_unified_in(files, lang),
    }
}

/// The lines of a diff with both sides beside each other, `width` columns wide.
pub fn side_by_side(file: &FileDiff, width: usize, lang: Lang, paint: Painter<'_>) -> Vec<String> {
    assay_source::diff::to_side_by_side_styled(file, width, lang, paint)
}

/// Whether there is anything to show of a file: lines, or what is said instead of them.
pub fn differs(file: &FileDiff) -> bool {
    file.is_shown()
}

#[cfg(test)]
mod tests;
