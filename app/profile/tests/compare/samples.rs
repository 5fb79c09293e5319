//! Reports as tools write them.
