//! Small reusable pieces without knowledge of screens.

pub mod boxed;
pub mod field;
pub mod histogram;
pub mod names;
pub mod plot;
