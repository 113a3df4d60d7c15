//! Configuration: every `toml` block is a file that fugue reads without complaint.

use std::fs;

use crate::{code_blocks, pages, test_server};

/// Pages whose blocks are another file than `config.toml`.
const OTHER_FILES: [(&str, &str); 1] = [("docs/agents.md", "agents.toml")];

/// Pages whose blocks are a project's file.
const PROJECTS: [&str; 2] = ["docs/projects.md", "docs/worktrees.md"];

#[test]
fn every_configuration_of_the_documentation_is_valid() {
    let mut count = 0;
    for page in pages::all().into_iter().filter(|page| !PROJECTS.contains(&page.as_str())) {
        for block in code_blocks::of(&pages::text(&page)).into_iter().filter(|block| block.language == "toml")
        {
            let server = test_server();
            let directory = server.path().join("config/fugue");
            fs::create_dir_all(&directory).expect("a directory");
            let file =
                OTHER_FILES.iter().find(|(other, _)| *other == page).map_or("config.toml", |(_, file)| *file);
            fs::write(directory.join(file), &block.text).expect("a file");
            let ran = server.run(&["config", "check"]);
            assert_eq!(
                (ran.code, ran.err.as_str()),
                (0, ""),
                "{page}, {}: {}\n{}",
                block.heading,
                ran.out,
                block.text
            );
            count += 1;
        }
    }
    assert!(count > 15, "only {count} files were found");
}

#[test]
fn the_project_files_of_the_documentation_are_valid() {
    for page in PROJECTS {
        let server = test_server();
        let text = pages::text(page);
        let block = code_blocks::of(&text)
            .into_iter()
            .find(|block| block.language == "toml")
            .expect("a project file");
        fs::write(server.path().join(".fugue.toml"), block.text).expect("a file");
        server.ok(&["allow"]);
    }
}

#[test]
fn a_mistake_in_a_project_file_is_reported() {
    let server = test_server();
    fs::write(server.path().join(".fugue.toml"), "[[windows]]\n").expect("a file");
    assert!(server.run(&["allow"]).err.contains("unknown field `windows`"));
}
