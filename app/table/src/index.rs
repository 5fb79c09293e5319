//! The index as others use it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use polars::prelude::DataFrame;

use assay_core::fold::{State, campaigns, heat_row, list_view};
use assay_core::record::{Evaluator, Record};
use assay_core::view::{ChainView, HeatRow, ListView, LogView, OtherCampaign, VariantRow};

use crate::error::{Error, Result};
use crate::records::{self, Table};
use crate::rows;
use crate::source::{Records, ledger, parse};
use crate::store::{CampaignMeta, FORMAT, Head, Manifest, Store};
use crate::update;

/// What had to be done to have an index of the present state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IndexState {
    /// It was there.
    Fresh,
    /// It was there for an earlier state; these many records were added to it.
    Updated(usize),
    /// It was made from all records, for this reason.
    Rebuilt(String),
}

/// One campaign, in memory.
#[derive(Debug, Clone)]
pub(crate) struct Campaign {
    pub head: Head,
    /// Number of rows.
    pub variants: usize,
    /// Read when they are needed: much of what an index is asked stands in the head.
    pub rows: Option<DataFrame>,
    /// What the gates of the rows follow from, whoever is champion; read when that changes.
    pub parts: Option<DataFrame>,
}

/// Everything in memory.
#[derive(Debug, Clone)]
pub(crate) struct Content {
    pub ledger: Option<String>,
    pub unreadable: u64,
    pub campaigns: BTreeMap<String, Campaign>,
    /// Read when it is needed.
    pub records: Option<DataFrame>,
}

/// The index of a ledger at its present state.
#[derive(Debug)]
pub struct Index {
    store: Store,
    content: Content,
    /// The manifest on disk that the content agrees with.
    manifest: Option<Manifest>,
    unsaved: Option<String>,
}

impl Index {
    /// Opens the index in `dir` for the present state of the ledger, and makes or updates it where
    /// that is needed.
    ///
    /// # Errors
    /// Only when the ledger cannot be read. A folder that cannot be written is no error; see
    /// [`Index::unsaved`].
    pub fn open(dir: &Path, source: &mut impl Records) -> Result<(Self, IndexState)> {
        let store = Store::new(dir);
        let Some(mut head) = source.head().map_err(ledger)? else {
            let empty = Content {
                ledger: None,
                unreadable: 0,
                campaigns: BTreeMap::new(),
                records: Some(records::to_frame(&[])?),
            };
            return Ok((Self::in_memory(store, empty), IndexState::Fresh));
        };
        let why = loop {
            match store
                .manifest(&head)
                .and_then(|m| Ok((load(&store, &m)?, m)))
            {
                Ok((content, manifest)) => {
                    let index = Self {
                        manifest: Some(manifest),
                        ..Self::in_memory(store, content)
                    };
                    return Ok((index, IndexState::Fresh));
                }
                Err(why) => {
                    // A program that has just added records takes the files of the state before
                    // away; those of the new state are there then.
                    let now = source.head().map_err(ledger)?;
                    if now.as_ref() == Some(&head) {
                        break why;
                    }
                    head = now.unwrap_or_default();
                }
            }
        };
        for old in store.others() {
            if let Some((content, added)) = update::from_earlier(&store, &old, source)? {
                let mut index = Self::in_memory(store, content);
                index.save();
                return Ok((index, IndexState::Updated(added)));
            }
        }
        let mut index = Self::in_memory(store, build(source)?);
        index.save();
        Ok((index, IndexState::Rebuilt(why)))
    }

    fn in_memory(store: Store, content: Content) -> Self {
        Self {
            store,
            content,
            manifest: None,
            unsaved: None,
        }
    }

    /// Why the index could not be written, if it could not; it works from memory all the same.
    pub fn unsaved(&self) -> Option<&str> {
        self.unsaved.as_deref()
    }

    /// The state of the ledger that it shows; `None` when nothing was ever written.
    pub fn ledger_head(&self) -> Option<&str> {
        self.content.ledger.as_deref()
    }

    /// Names of the campaigns.
    pub fn campaigns(&self) -> impl Iterator<Item = &str> {
        self.content.campaigns.keys().map(String::as_str)
    }

    /// The evaluator pinned last in a campaign.
    ///
    /// # Errors
    /// When there is no such campaign.
    pub fn evaluator(&self, campaign: &str) -> Result<Option<&Evaluator>> {
        Ok(self.campaign(campaign)?.head.evaluator.as_ref())
    }

    /// The accepted steps to the champion of a campaign.
    ///
    /// # Errors
    /// When there is no such campaign.
    pub fn chain(&self, campaign: &str) -> Result<Option<&ChainView>> {
        Ok(self.campaign(campaign)?.head.chain.as_ref())
    }

    /// Names of the variants of a campaign, oldest first, and of its baselines.
    ///
    /// # Errors
    /// When there is no such campaign, or the ledger has to be read again and cannot be.
    pub fn names(
        &mut self,
        source: &mut impl Records,
        campaign: &str,
    ) -> Result<(Vec<String>, &[String])> {
        let names = rows::names(self.rows(source, campaign)?)?;
        Ok((names, &self.campaign(campaign)?.head.baselines))
    }

    /// Names of the variants of a campaign with published times, and whether they have a verdict too.
    ///
    /// # Errors
    /// When there is no such campaign, or the ledger has to be read again and cannot be.
    pub fn published(
        &mut self,
        source: &mut impl Records,
        campaign: &str,
    ) -> Result<Vec<(String, bool)>> {
        rows::published(self.rows(source, campaign)?)
    }

    /// The list of a campaign, oldest variant first; workloads are in the order of the newest
    /// measurement, since the index does not know the campaign file.
    ///
    /// # Errors
    /// When there is no such campaign, or the ledger has to be read again and cannot be.
    pub fn list(&mut self, source: &mut impl Records, campaign: &str) -> Result<ListView> {
        let rows = rows::from_frame(self.rows(source, campaign)?)?;
        Ok(self.view(campaign, &self.campaign(campaign)?.head, rows))
    }

    /// The ratios by workload of the variants that have a verdict, in the order of their names.
    ///
    /// # Errors
    /// When there is no such campaign, or the ledger cannot be read.
    pub fn heat(&mut self, source: &mut impl Records, campaign: &str) -> Result<Vec<HeatRow>> {
        let verdicts = rows::verdicts(self.rows(source, campaign)?)?;
        let ids: Vec<String> = verdicts.iter().map(|(_, id)| id.clone()).collect();
        let records = update::fetch(source, &ids)?;
        let by_id: HashMap<String, &Record> =
            records.iter().map(|r| (r.id.to_string(), r)).collect();
        let row = |(name, id): &(String, String)| heat_row(name, by_id.get(id)?);
        let mut rows: Vec<HeatRow> = verdicts.iter().filter_map(row).collect();
        rows.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(rows)
    }

    /// The log of a campaign, newest first; `variant` narrows it to one, `limit` to the newest.
    ///
    /// # Errors
    /// When there is no such campaign, or the ledger has to be read again and cannot be.
    pub fn log(
        &mut self,
        source: &mut impl Records,
        campaign: &str,
        variant: Option<&str>,
        limit: Option<usize>,
    ) -> Result<LogView> {
        self.campaign(campaign)?;
        let table = Table::of(self.records(source)?)?;
        Ok(LogView {
            schema: "assay.log/1".into(),
            campaign: campaign.into(),
            records: table.log(campaign, variant, limit),
        })
    }

    /// The state of a campaign as far as `names` are concerned, from their records alone.
    ///
    /// Rows, verdicts, comparisons and history of `names` and their parents, who is champion and
    /// which evaluator is pinned are as from all records; other variants may look as if they had
    /// less evidence.
    ///
    /// # Errors
    /// When there is no such campaign, or the ledger cannot be read.
    pub fn state(
        &mut self,
        source: &mut impl Records,
        campaign: &str,
        names: &[&str],
    ) -> Result<State> {
        let parents = rows::parents(self.rows(source, campaign)?, names)?;
        let names = (names.iter().copied())
            .chain(parents.iter().map(String::as_str))
            .collect();
        let table = Table::of(self.records(source)?)?;
        let needed = table.needed(campaign, &names);
        let mut state = State::fold(campaign, update::fetch(source, &needed)?);
        state.set_unreadable(self.content.unreadable);
        Ok(state)
    }

    /// The table of all records.
    pub(crate) fn records(&mut self, source: &mut impl Records) -> Result<&DataFrame> {
        self.read(
            source,
            |index| Ok(index.content.records.is_some()),
            |index| {
                let meta = index.manifest.as_ref().map(|m| &m.records);
                let df = index.store.read(meta?).ok()?;
                Table::of(&df).ok()?;
                index.content.records = Some(df);
                Some(())
            },
        )?;
        (self.content.records.as_ref()).ok_or_else(|| Error::Frame("it is not there".into()))
    }

    /// The rows of a campaign.
    pub(crate) fn rows(&mut self, source: &mut impl Records, campaign: &str) -> Result<&DataFrame> {
        self.read(
            source,
            |index| Ok(index.campaign(campaign)?.rows.is_some()),
            |index| {
                let meta = index.manifest.as_ref()?.campaigns.get(campaign)?;
                let df = read_rows(&index.store, meta).ok()?;
                index.content.campaigns.get_mut(campaign)?.rows = Some(df);
                Some(())
            },
        )?;
        (self.campaign(campaign)?.rows.as_ref())
            .ok_or_else(|| Error::Frame("it is not there".into()))
    }

    /// Sees to it that something `is_there`: by `reading` its file, by opening the index anew where a
    /// program that has added records has taken that file away, by making it from all records where it is broken.
    fn read(
        &mut self,
        source: &mut impl Records,
        is_there: impl Fn(&Self) -> Result<bool>,
        reading: impl Fn(&mut Self) -> Option<()>,
    ) -> Result<()> {
        if is_there(self)? || reading(self).is_some() {
            return Ok(());
        }
        *self = Self::open(self.store.dir(), source)?.0;
        if is_there(self)? || reading(self).is_some() {
            return Ok(());
        }
        self.content = build(source)?;
        self.save();
        Ok(())
    }

    pub(crate) fn campaign(&self, name: &str) -> Result<&Campaign> {
        (self.content.campaigns.get(name)).ok_or_else(|| Error::Campaign {
            name: name.into(),
            known: self.campaigns().map(str::to_owned).collect(),
        })
    }

    pub(crate) fn view(&self, campaign: &str, head: &Head, rows: Vec<VariantRow>) -> ListView {
        ListView {
            schema: "assay.list/1".into(),
            campaign: campaign.into(),
            device: head.device.clone(),
            champion: head.champion.clone(),
            contested: head.contested.clone(),
            workloads: head.workloads.clone(),
            variants: rows,
            chain: head.chain.clone(),
            unreadable: self.content.unreadable + head.unreadable,
            damaged: self.content.unreadable,
            read_only: false,
            others: (self.content.campaigns.iter())
                .filter(|(name, _)| *name != campaign)
                // Logs that were kept where there was no campaign are none.
                .filter(|(_, c)| c.variants > 0 || !c.head.baselines.is_empty())
                .map(|(name, c)| OtherCampaign {
                    campaign: name.clone(),
                    variants: c.variants,
                })
                .collect(),
        }
    }

    fn save(&mut self) {
        match self.try_save() {
            Ok(manifest) => self.manifest = Some(manifest),
            Err(e) => self.unsaved = Some(e.to_string()),
        }
    }

    fn try_save(&self) -> std::io::Result<Manifest> {
        let nothing = || std::io::Error::other("there is nothing to write");
        let state = self.content.ledger.as_ref().ok_or_else(nothing)?;
        let records = self.content.records.as_ref().ok_or_else(nothing)?;
        let mut campaigns = BTreeMap::new();
        for (name, c) in &self.content.campaigns {
            let (rows, parts) = c.rows.as_ref().zip(c.parts.as_ref()).ok_or_else(nothing)?;
            let meta = CampaignMeta {
                variants: c.variants,
                file: self.store.write(state, name, rows)?,
                // No campaign can have this name either.
                parts: (self.store).write(state, &format!("/parts/{name}"), parts)?,
                head: c.head.clone(),
            };
            campaigns.insert(name.clone(), meta);
        }
        let manifest = Manifest {
            format: FORMAT,
            ledger: state.clone(),
            unreadable: self.content.unreadable,
            // No campaign can have this name.
            records: self.store.write(state, "/records", records)?,
            campaigns,
        };
        self.store.commit(&manifest)?;
        Ok(manifest)
    }
}

/// What a manifest tells; the files that it names only have to be there, and are read when they are needed.
pub(crate) fn load(store: &Store, m: &Manifest) -> Result<Content, String> {
    (m.campaigns.values()).try_for_each(|c| store.there(&c.file))?;
    let campaign = |c: &CampaignMeta| Campaign {
        head: c.head.clone(),
        variants: c.variants,
        rows: None,
        parts: None,
    };
    Ok(Content {
        ledger: Some(m.ledger.clone()),
        unreadable: m.unreadable,
        campaigns: (m.campaigns.iter())
            .map(|(name, c)| (name.clone(), campaign(c)))
            .collect(),
        records: None,
    })
}

/// Reads the rows of a campaign.
pub(crate) fn read_rows(store: &Store, meta: &CampaignMeta) -> Result<DataFrame, String> {
    let rows = store.read(&meta.file)?;
    let mut needed = rows::COLUMNS.iter().chain([&rows::VERDICT_RECORD]);
    let missing = needed.find(|n| rows.column(n).is_err());
    match missing {
        Some(column) => Err(format!("{} has no column {column}", meta.file.name)),
        None => Ok(rows),
    }
}

/// Makes the index from all records.
fn build(source: &mut impl Records) -> Result<Content> {
    let snapshot = source.snapshot().map_err(ledger)?;
    let (placed, unreadable) = parse(snapshot.records);
    let frame = records::to_frame(&placed)?;
    let names = campaigns(placed.iter().map(|(_, r)| r));
    let mut by_campaign: BTreeMap<String, Vec<_>> =
        names.into_iter().map(|n| (n, Vec::new())).collect();
    for (_, r) in placed {
        if let Some(list) = by_campaign.get_mut(&r.campaign) {
            list.push(r);
        }
    }
    let campaigns = (by_campaign.into_iter())
        .map(|(name, records)| {
            let state = State::fold(&name, records);
            let view = list_view(&state, &[]);
            let campaign = Campaign {
                head: head(&view, &state, state.baselines().clone()),
                variants: view.variants.len(),
                rows: Some(rows::to_frame(&view.variants, &state)?),
                parts: Some(rows::to_parts(&view.variants, &state)?),
            };
            Ok((name, campaign))
        })
        .collect::<Result<BTreeMap<_, _>>>()?;
    Ok(Content {
        ledger: snapshot.head,
        unreadable,
        campaigns,
        records: Some(frame),
    })
}

/// What stands above the rows. `view` counts only what its state knew of.
pub(crate) fn head(view: &ListView, state: &State, baselines: BTreeSet<String>) -> Head {
    Head {
        device: view.device.clone(),
        champion: view.champion.clone(),
        contested: view.contested.clone(),
        chain: view.chain.clone(),
        workloads: view.workloads.clone(),
        baselines: baselines.into_iter().collect(),
        evaluator: state.evaluator().cloned(),
        unreadable: view.unreadable,
    }
}
