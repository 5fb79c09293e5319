//! Versions of the packages of Python that kernels are built and timed with, without importing them.

use std::collections::BTreeMap;

use crate::Cancel;
use crate::conditions::safe_name;
use crate::process::{Env, Outcome, capture};

use super::gpu::TIMEOUT;

/// Asks for the versions of packages without importing them.
const PROGRAM: &str = include_str!("packages.py");

/// Packages whose version is part of the toolchain. A name with a hyphen is that of a distribution.
pub(super) const CUDA: [&str; 4] = ["torch", "tilelang", "triton", "cuda-bindings"];
/// The same with a card of MetaX.
pub(super) const METAX: [&str; 3] = ["torch", "tilelang", "triton"];

/// The interpreter that stages start.
pub fn python(env: &Env) -> &str {
    let said = env.get("PYTHON").and_then(|p| p.to_str());
    said.filter(|p| !p.is_empty()).unwrap_or("python3")
}

/// Versions of these packages as facts `tool.<name>`, with `tool.<name>.commit` where a package says which
/// commit it is of; `absent` where the interpreter has none. Empty where there is no interpreter.
pub(super) fn versions(names: &[&str], env: &Env, cancel: &Cancel) -> BTreeMap<String, String> {
    let mut argv = vec![python(env), "-c", PROGRAM];
    argv.extend(names);
    let done = capture(&argv, env.clone(), TIMEOUT, cancel);
    if done.outcome != Outcome::Exited(0) {
        return BTreeMap::new();
    }
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    let line = |line: &str| {
        let (name, version) = line.split_once(' ')?;
        let bare = name.strip_suffix(".commit").unwrap_or(name);
        let known = names.contains(&bare);
        known.then(|| (format!("tool.{name}"), safe_name(version)))
    };
    said.lines().filter_map(line).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use std::path::Path;

    use super::*;
    use crate::conditions::tests::write;

    /// What a Python sees that looks into a tree first.
    pub(in crate::fingerprint) fn looking_into(tree: &Path) -> Env {
        Env::from([
            ("PATH".into(), "/bin:/usr/bin".into()),
            ("PYTHONPATH".into(), tree.into()),
            ("PYTHONDONTWRITEBYTECODE".into(), "1".into()),
        ])
    }

    fn found(names: &[&str], tree: &Path) -> BTreeMap<String, String> {
        versions(names, &looking_into(tree), &Cancel::new())
    }

    #[test]
    fn packages_are_known_by_name_and_distributions_by_their_metadata() {
        let dir = tempfile::tempdir().unwrap();
        let tree = dir.path();
        let names = ["assay_no_such_package", "assay-no-such-distribution"];
        let got = found(&names, tree);
        assert!(
            got.values().all(|v| v == "absent") && got.len() == 2,
            "{got:?}"
        );
        write(
            tree,
            "assay_no_such_distribution-1.2.dist-info/METADATA",
            "Metadata-Version: 2.1\nName: assay-no-such-distribution\nVersion: 1.2\n",
        );
        write(
            tree,
            "assay_no_such_package/__init__.py",
            "__version__ = '3.4'\nraise SystemExit('imported')\n",
        );
        let got = found(&names, tree);
        assert_eq!(got["tool.assay_no_such_package"], "3.4");
        assert_eq!(got["tool.assay-no-such-distribution"], "1.2");
    }

    #[test]
    fn without_an_interpreter_nothing_is_said() {
        let env = Env::from([("PYTHON".into(), "/no/such/python".into())]);
        assert!(versions(&CUDA, &env, &Cancel::new()).is_empty());
    }
}
