//! The document as one HTML file.
