//! The identity of an artefact that is no machine code and lists the generated sources of its kernels.
//!
//! Where code is compiled from generated source when it is first needed, the artefact of a build is a JSON
//! document that says what will run:
//!
//! ```json
//! {"assay_sources": 1,
//!  "kernels": [{"sha256": "hash of the device source", "host_sha256": "hash of the host source", …}, …],
//!  …}
//! ```
//!
//! The host source is where grid and dynamic shared memory stand. Whoever writes the document puts in whatever
//! else decides what runs: the compiler with its options, the wrapper that launches. Two documents with one
//! identity stand for the same sources, launched alike; that their machine code is the same, too, is true only
//! of one and the same compiler, which is not in here.

use assay_core::{Sha256, json};
use serde_json::{Map, Value};

/// The key that says that a document is such a list, and its version.
const MARK: &str = "assay_sources";

/// Bytes that a list may have.
const MOST: usize = 16 << 20;

/// The identity of such a document; `None` for any other file, and where a source is not known.
pub(super) fn listing(bytes: &[u8]) -> Option<Sha256> {
    if bytes.len() > MOST || bytes.first() != Some(&b'{') {
        return None;
    }
    let document: Map<String, Value> = serde_json::from_slice(bytes).ok()?;
    let kernels = document.get("kernels")?.as_array()?;
    let is_one = document.get(MARK)?.as_u64() == Some(1);
    let known = |kernel: &Value| ["sha256", "host_sha256"].iter().all(|key| has(kernel, key));
    (is_one && !kernels.is_empty() && kernels.iter().all(known))
        .then(|| json::digest(&document).ok())?
}

/// Whether the hash of a source stands there. That of nothing says that the source is not known.
fn has(kernel: &Value, key: &str) -> bool {
    let hash = kernel.get(key).and_then(Value::as_str);
    let hash: Option<Sha256> = hash.and_then(|h| h.parse().ok());
    hash.is_some_and(|h| h != Sha256::of(""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(host: &str, more: &str) -> String {
        let (device, host) = (Sha256::of("device"), Sha256::of(host));
        format!(
            "{{\"assay_sources\": 1,{more} \"kernels\": [{{\"kernel\": \"gemm\", \"sha256\": \"{device}\", \"host_sha256\": \"{host}\"}}]}}"
        )
    }

    #[test]
    fn equal_documents_have_one_identity_however_they_are_written() {
        let plain = listing(document("host", "").as_bytes()).unwrap();
        let spaced = document("host", "").replace(": ", " :\n ");
        assert_eq!(listing(spaced.as_bytes()), Some(plain));
        for other in [
            document("another grid", ""),
            document("host", "\"options\": {\"fast_math\": true},"),
        ] {
            assert_ne!(listing(other.as_bytes()).unwrap(), plain);
        }
    }

    #[test]
    fn what_does_not_say_all_sources_has_none() {
        let whole = document("host", "");
        for text in [
            document("", ""),
            whole.replace("\"assay_sources\": 1", "\"assay_sources\": 2"),
            whole.replace("assay_sources", "sources"),
            whole.replace("host_sha256", "other"),
            "{\"assay_sources\": 1, \"kernels\": []}".into(),
            "{\"assay_sources\": 1, \"kernels\": [{\"sha256\": \"abc\", \"host_sha256\": \"abc\"}]}".into(),
            whole[..whole.len() - 3].to_owned(),
            "[]".into(),
            String::new(),
        ] {
            assert_eq!(listing(text.as_bytes()), None, "{text}");
        }
    }
}
