//! What lies over a screen. Layers are a stack: the topmost takes the keys.

use assay_core::record::DecisionKind;
use assay_core::view::GateView;

use crate::action::Action;
use crate::document::Doc;
use crate::widget::field::Field;

use super::{Cursor, Evidence, ExportForm, Opened};

/// A layer.
#[derive(Debug)]
pub enum Layer {
    /// Keys of the screen below.
    Help(Doc),
    /// Search over all actions.
    Palette(Palette),
    /// The filter line; the text before it was opened comes back on Esc.
    Filter {
        /// The line.
        field: Field,
        /// What to go back to.
        before: String,
    },
    /// Declaration of a variant.
    New(NewVariant),
    /// A decision.
    Decide(Decide),
    /// A question with yes and no.
    Confirm(ConfirmKind),
    /// The search line; the text and the place before it was opened come back on Esc.
    Search {
        /// The line.
        field: Field,
        /// What to go back to: text, and first row in view.
        before: (String, usize),
    },
    /// A list of which one is picked.
    Pick(Pick),
    /// What to write where.
    Export(ExportForm),
    /// The kernels of a diff, to go to one.
    Kernels(Kernels),
    /// The records that something rests on.
    Evidence(Evidence),
    /// A record with what is stored beside it.
    Record(Box<Opened>),
    /// A longer text, such as an error.
    Message {
        /// Title.
        title: String,
        /// Text.
        text: String,
        /// As drawn.
        doc: Doc,
    },
}

/// The command palette.
#[derive(Debug, Default)]
pub struct Palette {
    /// What was typed.
    pub field: Field,
    /// Actions that match, best first.
    pub hits: Vec<Action>,
    /// Selected hit.
    pub cursor: Cursor,
}

/// The kernels of a diff.
#[derive(Debug, Default)]
pub struct Kernels {
    /// File and place of each.
    pub list: Vec<(usize, usize)>,
    /// Selected one.
    pub cursor: Cursor,
}

/// What a list is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Picked {
    /// Chapters of the write-up.
    Chapters,
    /// What the variant at hand is compared with.
    Against,
    /// Columns of the table, the first being the usual ones.
    Columns,
    /// What the table is written as, and where to.
    Table,
    /// What is copied.
    Copy,
}

/// A list of which one is picked.
#[derive(Debug)]
pub struct Pick {
    /// What it is of.
    pub what: Picked,
    /// How many there are.
    pub count: usize,
    /// Selected one.
    pub cursor: Cursor,
}

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConfirmKind {
    /// Quit although this many jobs run.
    Quit(usize),
    /// Commit the edits of a variant.
    Commit(String),
    /// Cancel the job of an identifier and a title.
    CancelJob(String, String),
}

/// The form that declares a variant.
#[derive(Debug)]
pub struct NewVariant {
    /// Parent.
    pub parent: Option<String>,
    /// Name and hypothesis.
    pub fields: [Field; 2],
    /// The field that takes the keys.
    pub focus: usize,
    /// What is wrong with that field.
    pub fault: Option<String>,
    /// What is wrong with the form.
    pub problem: Option<String>,
    /// Sent, not answered.
    pub saving: bool,
    /// Esc was pressed once on a form with content.
    pub discard_armed: bool,
}

/// One gate that does not pass, with the reason to override it.
#[derive(Debug)]
pub struct Override {
    /// Gate.
    pub gate: String,
    /// Without evidence rather than failed: a reason may be given, and the engine judges.
    pub optional: bool,
    /// The reason.
    pub field: Field,
}

/// The form of a decision.
#[derive(Debug)]
pub struct Decide {
    /// Variant.
    pub name: String,
    /// Which decision.
    pub kind: DecisionKind,
    /// The reason.
    pub reason: Field,
    /// The gates as they stand now; nothing until they are read.
    pub gates: Vec<GateView>,
    /// Whose place it is, as told with the gates.
    pub place: Option<Vec<String>>,
    /// What is to be said of whose name would stand under it.
    pub nameless: Option<String>,
    /// The gates are being read: what the list has may be older than the champion.
    pub reading: bool,
    /// What the last refusal said, until the gates were read again.
    pub refusal: Option<String>,
    /// Overrides, for an acceptance.
    pub overrides: Vec<Override>,
    /// The field that takes the keys: 0 the reason, then the overrides.
    pub focus: usize,
    /// What is wrong with that field.
    pub fault: Option<String>,
    /// What is wrong with the form.
    pub problem: Option<String>,
    /// Sent, not answered.
    pub saving: bool,
    /// Esc was pressed once on a form with content.
    pub discard_armed: bool,
}

/// The gate on edits of the evaluator, which nobody can set aside.
const NEVER: &str = "evaluator-untouched";

impl Decide {
    /// Takes the gates as they stand, with a field for each that is in the way. What was typed for
    /// a gate stays with it.
    pub fn take_gates(&mut self, gates: &[GateView]) {
        self.reading = false;
        self.gates = gates.to_vec();
        let focused = self.focus.checked_sub(1);
        let focused = focused.and_then(|i| self.overrides.get(i).map(|o| o.gate.clone()));
        let mut before = std::mem::take(&mut self.overrides);
        let open =
            |g: &&GateView| g.pass != Some(true) && g.overridden.is_none() && g.name != NEVER;
        for g in self.gates.iter().filter(open) {
            let kept = before.iter().position(|o| o.gate == g.name);
            self.overrides.push(Override {
                gate: g.name.clone(),
                optional: g.pass.is_none(),
                field: kept.map_or_else(Field::default, |i| before.swap_remove(i).field),
            });
        }
        let at = focused.and_then(|name| self.overrides.iter().position(|o| o.gate == name));
        self.focus = at.map_or(0, |i| i + 1);
    }

    /// Takes the gates that a refusal names, `NAME: failed: …` or `NAME: no evidence: …` a line,
    /// where the gates read before lack them.
    pub fn take_refusal(&mut self, text: &str) {
        let mut gates = self.gates.clone();
        for line in text.lines() {
            let mut parts = line.trim().splitn(3, ": ");
            let pass = match (parts.next(), parts.next()) {
                (Some(name), Some("failed")) => (name, Some(false)),
                (Some(name), Some("no evidence")) => (name, None),
                _ => continue,
            };
            let gate = GateView {
                name: pass.0.to_owned(),
                pass: pass.1,
                evidence: parts.next().unwrap_or_default().to_owned(),
                overridden: None,
                decided: false,
            };
            match gates.iter_mut().find(|g| g.name == gate.name) {
                Some(known) => *known = gate,
                None => gates.push(gate),
            }
        }
        if gates != self.gates {
            self.take_gates(&gates);
        }
        self.go_to_fault(text);
    }

    /// Goes to the first field that lacks what a refusal asks for; a gate that failed comes before
    /// one without evidence.
    fn go_to_fault(&mut self, refusal: &str) {
        let lines = || refusal.lines().map(str::trim);
        let why = |o: &Override| lines().find_map(|l| l.strip_prefix(&format!("{}: ", o.gate)));
        let lacks = |optional: bool| {
            let wanted = |o: &Override| o.optional == optional && o.field.is_blank();
            (self.overrides.iter().enumerate())
                .find_map(|(i, o)| Some((i, why(o).filter(|_| wanted(o))?.to_owned())))
        };
        if let Some((at, why)) = lacks(false).or_else(|| lacks(true)) {
            self.focus = at + 1;
            self.fault = Some(why);
        }
    }

    /// Number of fields.
    pub fn fields(&self) -> usize {
        1 + self.overrides.len()
    }

    /// The field that takes the keys.
    pub fn focused(&mut self) -> &mut Field {
        match self
            .focus
            .checked_sub(1)
            .and_then(|i| self.overrides.get_mut(i))
        {
            Some(o) => &mut o.field,
            None => &mut self.reason,
        }
    }

    /// Something was typed.
    pub fn touched(&self) -> bool {
        !self.reason.is_blank() || self.overrides.iter().any(|o| !o.field.is_blank())
    }
}

impl Layer {
    /// The text field that takes typed characters, if the layer has one.
    pub fn field(&mut self) -> Option<&mut Field> {
        match self {
            Self::Palette(p) => Some(&mut p.field),
            Self::Filter { field, .. } | Self::Search { field, .. } => Some(field),
            Self::Export(e) if e.focus == 0 => Some(&mut e.folder),
            Self::Export(_) | Self::Pick(_) => None,
            Self::New(n) => n.fields.get_mut(n.focus),
            Self::Decide(d) => Some(d.focused()),
            Self::Help(_)
            | Self::Confirm(_)
            | Self::Kernels(_)
            | Self::Evidence(_)
            | Self::Record(_)
            | Self::Message { .. } => None,
        }
    }

    /// A text that scrolls, if the layer is one, to be looked at.
    pub fn text(&self) -> Option<&Doc> {
        match self {
            Self::Help(doc) | Self::Message { doc, .. } => Some(doc),
            Self::Record(r) => Some(&r.doc),
            _ => None,
        }
    }

    /// A scrolled text, if the layer is one.
    pub fn doc(&mut self) -> Option<&mut Doc> {
        match self {
            Self::Help(doc) | Self::Message { doc, .. } => Some(doc),
            Self::Record(r) => Some(&mut r.doc),
            _ => None,
        }
    }
}
