//! `config.toml`: keys, looks, and mistakes, taken in while the client runs.

use std::fs;

use fugue_testkit::House;

use crate::{attached, house};

fn write(house: &House, text: &str) {
    let folder = house.path().join("config/fugue");
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("config.toml"), text).expect("the file");
}

#[test]
fn another_prefix_and_other_keys_hold_as_soon_as_they_are_written() {
    let house = house();
    write(&house, "history_lines = 500\n[keys]\n\"prefix h\" = \"split-window --right\"\n");
    let mut terminal = attached(&house, 80, 24);
    terminal.prefix("h");
    terminal.shows("2 panes");
    write(&house, "[client]\nprefix = \"C-a\"\n[keys]\n\"M-z\" = \"zoom-pane\"\n");
    terminal.send("\x1bz");
    terminal.shows("*Z");
    terminal.send("\x01");
    terminal.shows("C-a …");
    terminal.send("?");
    terminal.shows("C-a %");
}

#[test]
fn a_mistake_is_told_with_its_line_and_the_rest_holds() {
    let house = house();
    let mut terminal = attached(&house, 100, 24);
    write(&house, "[keys]\n\"prefix h\" = \"zoom-pain\"\n\"prefix j\" = \"create-pane\"\n");
    terminal
        .shows("config.toml, line 2: `prefix h`: there is no command `zoom-pain`: did you mean `zoom-pane`?");
    terminal.prefix("j");
    terminal.shows("2 panes");
    assert!(!house.ok(&["server-status"]).contains("keys"), "the daemon does not mind the client's sections");
}

#[test]
fn a_theme_is_put_on_and_follows_light_and_dark() {
    let house = house();
    write(&house, "[theme]\nlight = \"dawn\"\ndark = \"dusk\"\n");
    let mut terminal = attached(&house, 80, 24);
    let bar = |terminal: &fugue_testkit::Terminal, colour: &str| {
        terminal.screen().screen_ansi().concat().contains(colour)
    };
    terminal.until("the dark theme", |terminal| bar(terminal, "48:2::36:40:59"));
    terminal.set_ground((250, 244, 237));
    terminal.until("the light theme", |terminal| bar(terminal, "48:2::234:228:217"));
}
