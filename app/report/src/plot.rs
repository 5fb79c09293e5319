//! Pictures.

/// A picture.
#[derive(Debug, Clone)]
pub struct Svg;
