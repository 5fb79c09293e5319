//! The rules that are built in.

use assay_profile::Catalog;
use assay_profile::rules::Rules;

#[test]
fn the_built_in_files_are_valid() {
    let read = Rules::load(Rules::builtin_files().iter().copied(), Catalog::builtin());
    let read = read.unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(read.iter().count(), Rules::builtin().iter().count());
    assert!(read.iter().count() > 50);
}
