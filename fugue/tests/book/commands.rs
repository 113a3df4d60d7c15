//! Command lines: each `fugue` command of a code block is one that fugue's parser accepts. Nothing is carried out: a stand-in
//! notes the words that the shell makes of each line, and the real program is asked for the help of that very line.

use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use fugue_testkit::TestServer;

use crate::{code_blocks, pages, test_server};

#[test]
fn every_command_line_of_the_documentation_is_understood() {
    let server = test_server();
    let mut wrong = Vec::new();
    let mut count = 0;
    for page in pages::all() {
        for block in code_blocks::of(&pages::text(&page)) {
            let Some(script) = script(&block) else { continue };
            for words in fugue_commands(&server, &script) {
                count += 1;
                wrong.extend(
                    misunderstood(&server, &words)
                        .map(|why| format!("{page}: fugue {}: {why}", words.join(" "))),
                );
            }
        }
    }
    assert!(count > 120, "only {count} commands were found");
    assert_eq!(wrong.join("\n"), "");
}

/// What a reader would type for this block.
fn script(block: &code_blocks::CodeBlock) -> Option<String> {
    match block.language.as_str() {
        "sh" if !block.text.starts_with("$ ") => Some(block.text.clone()),
        "sh" | "console" => {
            Some(code_blocks::steps(&block.text).into_iter().map(|step| step.command).collect())
        }
        _ => None,
    }
}

/// The words after `fugue` of each command of a script. No program but the stand-in can be found.
fn fugue_commands(server: &TestServer, script: &str) -> Vec<Vec<String>> {
    let directory = server.path().join("stand-in");
    let noted = directory.join("noted");
    let home = directory.join("home");
    std::fs::create_dir_all(&home).expect("a directory");
    let _ = std::fs::remove_file(&noted);
    let stand_in = directory.join("fugue");
    let text =
        format!("#!/bin/sh\nprintf '%s\\036' \"$@\" >> '{0}'\nprintf '\\035' >> '{0}'\n", noted.display());
    std::fs::write(&stand_in, text).expect("a script");
    std::fs::set_permissions(&stand_in, std::fs::Permissions::from_mode(0o755)).expect("a mode");
    let checked = Command::new("/bin/sh").args(["-n", "-c", script]).output().expect("a shell");
    assert!(checked.status.success(), "{}\n{script}", String::from_utf8_lossy(&checked.stderr));
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", script]).env_clear().env("PATH", &directory).env("HOME", &home).current_dir(&home);
    let _ = shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().expect("a shell");
    let noted = std::fs::read_to_string(noted).unwrap_or_default();
    let commands = noted.split_terminator('\u{1d}');
    commands.map(|command| command.split_terminator('\u{1e}').map(String::from).collect()).collect()
}

/// Why the parser rejects these words.
fn misunderstood(server: &TestServer, words: &[String]) -> Option<String> {
    // Lines of tmux's language have tests of their own (`tmux_commands`), and `fugue` alone attaches.
    if matches!(words[0].as_str(), "tmux" | "") {
        return None;
    }
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    // Where a reader puts in an id of their own.
    const ID: &str = "01a1dd72-d633-7c8a-8c3d-7399fc82bc19";
    let filled_in = |word| if word == "MESSAGE_ID" { ID } else { word };
    let mut asked: Vec<_> = words.iter().map(|word| filled_in(word.as_str())).collect();
    asked.insert(end, "--help");
    let ran = server.run(&asked);
    (ran.code != 0).then(|| ran.err.lines().next().unwrap_or_default().to_owned())
}
