//! Each agent is known in one place: no other crate compares its name, and nothing that the recipe in CONTRIBUTING.md lists
//! for an agent is missing.

#![allow(clippy::disallowed_methods, reason = "the tree is in files")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use fugue_agents::{AgentTable, KnownAgent};

/// The files outside this crate that may have a literal text which begins with the name of an agent, each with a part of
/// the line.
const ALLOWED: [(&str, &str); 1] = [
    // An example in the generated reference of settings.
    ("fugue-config/src/sections.rs", "example:"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
}

/// The files of Rust below a directory.
fn sources(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().map(|entry| entry.expect("an entry"));
    entries
        .flat_map(|entry| match entry.file_type().expect("a type").is_dir() {
            true => sources(&entry.path()),
            false => vec![entry.path()],
        })
        .filter(|path| path.extension().is_some_and(|end| end == "rs"))
        .collect()
}

/// The names of the modules that are only for tests, and the text of the rest up to the first such module.
fn without_tests(text: &str) -> (Vec<String>, String) {
    let (mut modules, mut product) = (Vec::new(), String::new());
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if line != "#[cfg(test)]" {
            product += &format!("{line}\n");
            continue;
        }
        match lines.peek().and_then(|next| next.split_once("mod ")) {
            Some((_, name)) if name.ends_with(';') => modules.push(name.trim_end_matches(';').to_owned()),
            Some(_) => break,
            None => {}
        }
    }
    (modules, product)
}

/// The lines of the product outside this crate with a literal that begins with the name of an agent, as also the names of
/// its variables and files do.
fn literals() -> Vec<(String, String)> {
    let crates = fs::read_dir(root()).expect("the tree").map(|entry| entry.expect("an entry").path());
    let crates = crates.filter(|path| path.join("src").is_dir() && !path.ends_with("fugue-agents"));
    let mut found = Vec::new();
    for directory in crates {
        let files = sources(&directory.join("src"));
        let parts = files.iter().map(|file| (file, without_tests(&read(file))));
        let parts: Vec<_> = parts.collect();
        let tests: BTreeSet<String> = parts.iter().flat_map(|(_, (modules, _))| modules.clone()).collect();
        for (file, (_, product)) in &parts {
            let parents = file.iter().filter_map(|part| part.to_str());
            if parents.map(|part| part.trim_end_matches(".rs")).any(|part| tests.contains(part)) {
                continue;
            }
            let code = product.lines().filter(|line| !line.trim_start().starts_with("//"));
            let begins = |line: &str, name| line.to_lowercase().contains(&format!("\"{name}"));
            let named = code.filter(|line| KnownAgent::names().any(|name| begins(line, name)));
            let path = file.strip_prefix(root()).expect("in the tree").display().to_string();
            found.extend(named.map(|line| (path.clone(), line.trim().to_owned())));
        }
    }
    found
}

#[test]
fn no_other_crate_names_an_agent() {
    let is_allowed = |(path, line): &(String, String)| {
        ALLOWED.iter().any(|(allowed, part)| path.starts_with(allowed) && line.contains(part))
    };
    let found = literals();
    assert!(
        ALLOWED.iter().all(|(path, _)| found.iter().any(|(file, _)| file.starts_with(path))),
        "{found:#?}"
    );
    let others: Vec<_> = found.into_iter().filter(|place| !is_allowed(place)).collect();
    assert_eq!(others, [], "ask KnownAgent instead, and put what is known into the agent's module");
}

/// The paths that the recipe names.
fn recipe() -> Vec<String> {
    let text = read(&root().join("CONTRIBUTING.md"));
    let entry = text.split("\n- **").find(|entry| entry.starts_with("An agent**")).expect("the entry");
    let words = entry.split('`').skip(1).step_by(2);
    words.filter(|word| word.contains('/')).map(str::to_owned).collect()
}

#[test]
fn every_known_agent_has_what_the_recipe_lists() {
    let recipe = recipe();
    assert!(recipe.len() >= 6, "{recipe:?}");
    for agent in KnownAgent::all() {
        let name = agent.name;
        assert!(AgentTable::built_in().reads_screen_of(name), "{name} has a row with rules for its screens");
        for path in recipe.iter().map(|path| path.replace("NAME", name)) {
            let (directory, file) = path.rsplit_once('/').expect("a path");
            let found = match file.split_once('*') {
                None => root().join(&path).exists(),
                Some((start, end)) => {
                    fs::read_dir(root().join(directory)).expect("a directory").any(|entry| {
                        let file = entry.expect("an entry").file_name().to_string_lossy().into_owned();
                        file.starts_with(start) && file.ends_with(end)
                    })
                }
            };
            assert!(found, "{path} is missing");
        }
    }
}
