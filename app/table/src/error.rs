//! What can go wrong here. A broken index is no error: it is made again.

/// An error of the index.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The ledger could not be read.
    #[error("cannot read the ledger: {0}")]
    Ledger(String),
    /// A campaign has no records.
    #[error("no campaign `{name}` in this ledger{}", there_is(known))]
    Campaign {
        /// As asked for.
        name: String,
        /// Campaigns that there are.
        known: Vec<String>,
    },
    /// A query that cannot be answered.
    #[error("{0}")]
    Query(String),
    /// The data frame library refused.
    #[error(
        "the table of records cannot be worked on: {0}; delete the index folder to make it again"
    )]
    Frame(String),
}

fn there_is(names: &[String]) -> String {
    match names {
        [] => "; it has no records yet".into(),
        names => format!("; there is {}", names.join(", ")),
    }
}

impl From<polars::error::PolarsError> for Error {
    fn from(e: polars::error::PolarsError) -> Self {
        Self::Frame(e.to_string())
    }
}

/// Result of this crate.
pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;
