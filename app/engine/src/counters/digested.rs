//! The digest of what is read, as it comes.

use std::io::{self, Read};

use assay_core::{Sha256, Sha256Stream};

/// A source whose content is digested on its way.
pub(crate) struct Digested<R> {
    source: R,
    stream: Sha256Stream,
}

impl<R: Read> Digested<R> {
    pub(crate) fn new(source: R) -> Self {
        Self {
            source,
            stream: Sha256Stream::default(),
        }
    }

    /// The digest of all of it: what nobody asked for yet is read now.
    pub(crate) fn finish(mut self) -> io::Result<Sha256> {
        io::copy(&mut self, &mut io::sink())?;
        Ok(self.stream.finish())
    }
}

impl<R: Read> Read for Digested<R> {
    fn read(&mut self, piece: &mut [u8]) -> io::Result<usize> {
        let n = self.source.read(piece)?;
        self.stream.update(piece.get(..n).unwrap_or_default());
        Ok(n)
    }
}
