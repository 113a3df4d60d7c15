//! The pages of the documentation.

use std::path::{Path, PathBuf};

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the repository").to_owned()
}

/// The text of a page, by its path in the repository.
pub(crate) fn text(page: &str) -> String {
    std::fs::read_to_string(root().join(page)).unwrap_or_else(|why| panic!("{page}: {why}"))
}

/// The paths of the pages of the book in the repository.
pub(crate) fn of_the_book() -> Vec<String> {
    let mut found = Vec::new();
    add(&root().join("docs"), &mut found);
    found.sort();
    assert!(found.len() > 40, "{found:?}");
    found
}

/// The pages of the book, and those beside it.
pub(crate) fn all() -> Vec<String> {
    let others = ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "CHANGELOG.md", "packaging/README.md"];
    others.into_iter().map(String::from).chain(of_the_book()).collect()
}

fn add(directory: &Path, found: &mut Vec<String>) {
    for entry in
        std::fs::read_dir(directory).expect("a directory").map(|entry| entry.expect("an entry").path())
    {
        if entry.is_dir() {
            add(&entry, found);
        } else if entry.extension().is_some_and(|ending| ending == "md") {
            found.push(entry.strip_prefix(root()).expect("inside").display().to_string());
        }
    }
}
