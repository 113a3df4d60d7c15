//! The documents for contributors are true: the files that they name exist, and the commits that they give as examples are in
//! the history.

#![allow(clippy::disallowed_methods, reason = "the tree is in files")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|why| panic!("{path}: {why}"))
}

/// The paths of all files and directories of the tree, from its root.
fn tree() -> BTreeSet<String> {
    let (mut paths, mut open) = (BTreeSet::new(), vec![root()]);
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory).expect("a directory") {
            let entry = entry.expect("an entry");
            let name = entry.file_name().to_string_lossy().into_owned();
            if [".git", "target", "node_modules"].contains(&name.as_str()) {
                continue;
            }
            let path = entry.path();
            paths.insert(path.strip_prefix(root()).expect("below the root").display().to_string());
            if entry.file_type().expect("a type").is_dir() {
                open.push(path);
            }
        }
    }
    paths
}

/// The documents in Markdown that describe the tree.
fn documents(tree: &BTreeSet<String>) -> impl Iterator<Item = &String> {
    let own = ["ARCHITECTURE.md", "CONTRIBUTING.md", "README.md"];
    tree.iter().filter(move |path| own.contains(&path.as_str()) || is_page(path))
}

fn is_page(path: &str) -> bool {
    path.starts_with("docs/") && path.ends_with(".md")
}

/// The texts between backticks, outside blocks of code.
fn code(text: &str) -> Vec<&str> {
    let outside = text.split("```").step_by(2);
    outside.flat_map(|part| part.split('`').skip(1).step_by(2)).collect()
}

/// Whether a word names a file of the source: a file in Rust, or a path that begins with a crate or folder of the tree.
fn names_source(word: &str, tree: &BTreeSet<String>) -> bool {
    let is_path = word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte));
    let first = word.split('/').next().filter(|first| word.len() > first.len() + 1);
    // The pages also have examples: agents by name, and files of projects.
    let is_example = word.contains("NAME") || word.starts_with("src/") || word.starts_with("./");
    is_path && !is_example && (word.ends_with(".rs") || first.is_some_and(|first| tree.contains(first)))
}

/// Whether a path is in the tree, as a whole or as the end of one.
fn exists(word: &str, tree: &BTreeSet<String>) -> bool {
    let (path, end) = (word.trim_end_matches('/'), format!("/{}", word.trim_end_matches('/')));
    tree.iter().any(|file| file == path || file.ends_with(&end))
}

#[test]
fn every_file_that_the_documents_name_exists() {
    let tree = tree();
    let (mut named, mut missing) = (0, Vec::new());
    for document in documents(&tree) {
        let text = read(document);
        for word in code(&text).into_iter().filter(|word| names_source(word, &tree)) {
            named += 1;
            if word != "name/mod.rs" && !exists(word, &tree) {
                missing.push(format!("{document}: {word}"));
            }
        }
    }
    assert!(named > 80, "{named} paths were found");
    assert_eq!(missing, [""; 0]);
}

#[test]
fn every_page_that_the_documents_link_to_exists() {
    let (tree, mut missing) = (tree(), Vec::new());
    for document in documents(&tree) {
        let text = read(document);
        let directory = Path::new(document).parent().expect("a parent").to_owned();
        let outside: String = text.split("```").step_by(2).collect();
        for link in outside.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let page = link.split('#').next().unwrap_or_default();
            let is_elsewhere = page.contains(':') || page.is_empty();
            if !is_elsewhere && !root().join(&directory).join(page).exists() {
                missing.push(format!("{document}: {link}"));
            }
        }
    }
    assert_eq!(missing, [""; 0]);
}

fn git(words: &[&str]) -> bool {
    let git = Command::new("git").arg("-C").arg(root()).args(words).output();
    git.expect("git runs").status.success()
}

#[test]
fn the_commits_that_are_examples_are_in_the_history() {
    let text = read("CONTRIBUTING.md");
    let is_commit =
        |word: &&str| word.len() >= 7 && word.bytes().all(|byte| b"0123456789abcdef".contains(&byte));
    let commits: Vec<&str> = code(&text).into_iter().filter(is_commit).collect();
    assert!(commits.len() >= 5, "{commits:?}");
    let unknown: Vec<_> =
        commits.iter().filter(|commit| !git(&["merge-base", "--is-ancestor", commit, "HEAD"])).collect();
    assert_eq!(unknown, [&""; 0], "commits of this history");
}
