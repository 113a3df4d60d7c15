#![allow(clippy::unwrap_used)]

use super::*;
use crate::{Limits, Screen, Size};

/// The bytes that a program that wrote `setup` gets for a key.
fn typed(setup: &str, key: &str) -> String {
    let mut screen = Screen::new(Size { cols: 80, rows: 24 }, Limits::default());
    screen.feed(setup.as_bytes());
    String::from_utf8(key.parse::<Key>().unwrap().encode(screen.modes())).unwrap()
}

#[test]
fn keys_without_any_mode_have_their_legacy_codes() {
    let rows = [
        ("a", "a"),
        ("Enter", "\r"),
        ("C-c", "\x03"),
        ("^c", "\x03"),
        ("M-x", "\x1bx"),
        ("C-M-a", "\x1b\x01"),
        ("S-Tab", "\x1b[Z"),
        ("BTab", "\x1b[Z"),
        ("Space", " "),
        ("C-Space", "\0"),
        ("BSpace", "\x7f"),
        ("Up", "\x1b[A"),
        ("C-Left", "\x1b[1;5D"),
        ("C-M-Left", "\x1b[1;7D"),
        ("F1", "\x1bOP"),
        ("F5", "\x1b[15~"),
        ("S-F5", "\x1b[15;2~"),
        ("PageUp", "\x1b[5~"),
        ("NPage", "\x1b[6~"),
        ("DC", "\x1b[3~"),
        ("IC", "\x1b[2~"),
        ("Escape", "\x1b"),
        ("-", "-"),
        ("C--", "\x1f"),
        ("é", "é"),
        ("S-a", "A"),
        ("M-S-a", "\x1bA"),
    ];
    for (key, bytes) in rows {
        assert_eq!(typed("", key), bytes, "{key}");
    }
}

#[test]
fn application_cursor_mode_changes_only_unmodified_arrows() {
    assert_eq!(typed("\x1b[?1h", "Up"), "\x1bOA");
    assert_eq!(typed("\x1b[?1h", "S-Up"), "\x1b[1;2A");
    assert_eq!(typed("\x1b[?1h", "PageUp"), "\x1b[5~");
}

#[test]
fn with_the_kitty_protocol_shift_enter_reaches_the_program() {
    let rows = [
        ("Enter", "\r"),
        ("S-Enter", "\x1b[13;2u"),
        ("C-c", "\x1b[99;5u"),
        ("M-x", "\x1b[120;3u"),
        ("Escape", "\x1b[27u"),
        ("a", "a"),
        ("S-Tab", "\x1b[9;2u"),
        ("Up", "\x1b[A"),
        ("F3", "\x1b[13~"),
    ];
    for (key, bytes) in rows {
        assert_eq!(typed("\x1b[>1u", key), bytes, "{key}");
    }
    assert_eq!(typed("\x1b[>9u", "a"), "\x1b[97u");
    assert_eq!(typed("\x1b[>25u", "A"), "\x1b[97;2;65u");
}

#[test]
fn a_vt52_has_shorter_sequences() {
    for (key, bytes) in
        [("Up", "\x1bA"), ("Left", "\x1bD"), ("F1", "\x1bP"), ("a", "a"), ("PageUp", "\x1b[5~")]
    {
        assert_eq!(typed("\x1b[?2l", key), bytes, "{key}");
        assert_ne!(typed("\x1b[?2l\x1b<", "Up"), "\x1bA");
    }
}

#[test]
fn modify_other_keys_distinguishes_more_keys() {
    assert_eq!(typed("\x1b[>4;2m", "S-Enter"), "\x1b[27;2;13~");
    assert_eq!(typed("\x1b[>4;2m", "C-c"), "\x1b[27;5;99~");
    assert_eq!(typed("\x1b[>4;1m", "C-c"), "\x03");
    assert_eq!(typed("\x1b[>4;1m", "C-,"), "\x1b[27;5;44~");
}

#[test]
fn an_unknown_key_is_refused_with_the_nearest_name() {
    let error = "C-Entr".parse::<Key>().unwrap_err();
    assert_eq!(error.to_string(), "unknown key `C-Entr`; did you mean `Enter`?");
    assert!(!"C-aa".parse::<Key>().unwrap_err().to_string().contains("did you mean"));
    assert!("Blub-7".parse::<Key>().unwrap_err().to_string().contains("use names such as `Enter`"));
    assert!("".parse::<Key>().is_err());
    assert!("C-PageDonw".parse::<Key>().unwrap_err().to_string().contains("did you mean `PageDown`"));
}

/// Comparing a name of megabytes with the known ones would take minutes.
#[test]
fn a_key_of_megabytes_is_refused_at_once() {
    let long = "x".repeat(4 << 20);
    let error = long.parse::<Key>().unwrap_err();
    assert_eq!((error.nearest, error.name.len()), (None, long.len()));
}

#[test]
fn a_key_is_displayed_by_its_first_name() {
    for (name, shown) in [
        ("^c", "C-c"),
        ("^A", "C-a"),
        ("C-A", "C-a"),
        ("C-S-A", "C-S-a"),
        ("ctrl+alt+left", "C-M-Left"),
        ("PPage", "PageUp"),
        ("f7", "F7"),
    ] {
        assert_eq!(name.parse::<Key>().unwrap().to_string(), shown);
    }
}
