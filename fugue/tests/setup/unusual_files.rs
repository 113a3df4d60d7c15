//! Files that are read-only, broken, links or no files at all.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};

use super::{FILES, Home, STYLES};

#[test]
fn a_file_that_cannot_be_edited_is_named_and_nothing_is_changed() {
    for (name, text, why) in [
        (".claude.json", "{\n\"a\": 1,,\n}", "Unexpected token in object on line 2"),
        (".gemini/settings.json", "{\"mcpServers\": []}", "\"mcpServers\" is not an object"),
        (".gemini/settings.json", "[]", "the document is not an object"),
        (".claude/settings.json", "{\"hooks\": {\"Stop\": 3}}", "\"hooks.Stop\" is not a list"),
        (".codex/config.toml", "model = \n", "on line 1"),
        (".codex/config.toml", "features = 3\n", "\"features\" is not an object"),
        (".codex/config.toml", "mcp_servers = []\n", "\"mcp_servers\" is not an object"),
        (".claude.json", "{\"mcpServers\": {}, \"mcpServers\": {}}", "edit it manually"),
        (
            ".claude.json",
            "{\"mcpServers\": {\"fugue\": {\"command\": \"other\"}}}",
            "runs `other`; rename or remove it",
        ),
    ] {
        let home = Home::new();
        FILES.iter().zip(STYLES[0]).for_each(|(name, text)| home.write(name, text));
        home.write(name, text);
        let before = home.all();
        let ran = home.run(&["setup", "--yes"]);
        assert_ne!(ran.code, 0, "{name} {text}");
        assert!(ran.err.contains(name) && ran.err.contains(why), "{text}: {}", ran.err);
        assert_eq!(home.all(), before, "{name}");
    }
}

#[test]
fn a_read_only_file_is_refused_and_no_other_file_is_changed() {
    let home = Home::new();
    FILES.iter().zip(STYLES[0]).for_each(|(name, text)| home.write(name, text));
    fs::set_permissions(home.path(".gemini/settings.json"), Permissions::from_mode(0o444)).expect("a mode");
    let before = home.all();
    let ran = home.run(&["setup", "--yes"]);
    assert!(ran.err.contains(".gemini/settings.json is read-only"), "{ran:?}");
    assert_eq!(home.all(), before);
    home.setup(&["claude", "--yes"]);
    assert_ne!(home.all(), before, "the others can still be set up");
}

#[test]
fn a_link_stays_a_link_and_a_file_keeps_its_mode() {
    let home = Home::new();
    home.write("dotfiles/claude.json", "{\"a\": 1}\n");
    fs::set_permissions(home.path("dotfiles/claude.json"), Permissions::from_mode(0o640)).expect("a mode");
    symlink("dotfiles/claude.json", home.path(".claude.json")).expect("a link");
    home.setup(&["claude", "--yes"]);
    let check = |text: &str| {
        assert!(fs::symlink_metadata(home.path(".claude.json")).expect("a link").is_symlink());
        let mode = fs::metadata(home.path("dotfiles/claude.json")).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
        assert!(home.read("dotfiles/claude.json").expect("a file").contains(text));
    };
    check("mcpServers");
    home.setup(&["claude", "--undo", "--yes"]);
    check("{\"a\": 1}\n");
}

#[test]
fn a_fifo_or_a_device_in_the_place_of_a_file_is_refused() {
    for name in FILES {
        let home = Home::new();
        let path = home.path(name);
        fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.expect("mkfifo").success());
        let ran = home.run(&["setup", "--yes"]);
        let is_opencode = name.contains("opencode");
        // OpenCode has several names for its file, and only a file counts.
        assert!(is_opencode || ran.code != 0 && ran.err.contains("not a regular file"), "{name}: {ran:?}");
        fs::remove_file(&path).expect("removed");
        symlink("/dev/zero", &path).expect("a link");
        let ran = home.run(&["setup", "--check"]);
        assert!(is_opencode || ran.out.contains("not a regular file"), "{name}: {ran:?}");
    }
}
