//! Paste buffers: one list for all clients, which outlives a crash and is not for every agent.

use fugue_core::scope::Scopes;
use fugue_core::{Input, Settings};
use fugue_protocol::verbs::StoreBuffer;
use fugue_protocol::{Event, Scope, Verb, limits};
use serde_json::json;

use crate::story::{OUTSIDE, Story};

fn names(story: &mut Story) -> String {
    let list = story.reply(OUTSIDE, "list-paste-buffers");
    let names = list["buffers"].as_array().expect("a list").iter();
    names.map(|buffer| buffer["name"].as_str().expect("a name").to_owned()).collect::<Vec<_>>().join(" ")
}

/// Stores this many bytes. Returns whether there was room.
fn store(story: &mut Story, name: Option<&str>, bytes: usize) -> bool {
    let content = vec![b'x'; bytes].into();
    let ticket = story.request(OUTSIDE, Verb::from(StoreBuffer { name: name.map(str::to_owned), content }));
    story.answer_to(ticket).is_ok()
}

#[test]
fn buffers_are_found_by_name_or_place_and_survive_a_crash() {
    let mut story =
        Story::of(&["create-session -s work", "store-buffer one", "store-buffer --name kept two"]);
    story.run("store-buffer three");
    story.crash();
    assert_eq!(names(&mut story), "buffer1 kept buffer0");
    let mut content = |line: &str| story.reply(OUTSIDE, line);
    assert_eq!(content("get-buffer"), json!({ "name": "buffer1", "content": "three" }));
    assert_eq!(content("get-buffer --name kept"), json!({ "name": "kept", "content": "two" }));
    assert_eq!(content("get-buffer --name 2 --nth 2"), json!({ "name": "buffer0", "content": "one" }));
    assert_eq!(content("get-buffer --name none"), json!({ "name": "none" }));
    assert_eq!(content("rename-buffer new --name none"), json!({}));
    assert_eq!(content("rename-buffer buffer0 --name kept"), json!({ "name": "buffer0" }));
    assert_eq!(content("remove-buffer"), json!({ "name": "buffer1" }));
    assert_eq!(names(&mut story), "buffer0");
    story.run("store-buffer four");
    assert_eq!(names(&mut story), "buffer2 buffer0", "a name is not given twice");
    story.input(Input::CloseAll);
    assert_eq!(names(&mut story), "", "a shutdown leaves nothing");
}

#[test]
fn the_oldest_automatic_buffers_make_room_and_named_ones_do_not() {
    let mut story = Story::of(&["create-session -s work", "store-buffer --name kept text"]);
    for _ in 0..=limits::AUTOMATIC_BUFFERS {
        story.run("store-buffer text");
    }
    let listed = names(&mut story);
    assert_eq!(listed.split(' ').count(), limits::AUTOMATIC_BUFFERS + 1, "{listed}");
    assert!(listed.starts_with("buffer50 ") && listed.ends_with("buffer1 kept"), "{listed}");
    for number in 0..limits::ALL_BUFFER_BYTES / limits::BUFFER_BYTES - 1 {
        assert!(store(&mut story, Some(&format!("long{number}")), limits::BUFFER_BYTES), "{number}");
    }
    assert!(store(&mut story, None, limits::BUFFER_BYTES - 4));
    assert!(names(&mut story).starts_with("buffer51 long6 "), "the others made room");
    assert!(!store(&mut story, Some("more"), limits::BUFFER_BYTES), "named ones leave no room");
    assert!(!store(&mut story, None, limits::BUFFER_BYTES + 1));
    for name in ["''", &"x".repeat(limits::NAME_CHARS + 1)] {
        assert!(story.answer(OUTSIDE, &format!("store-buffer --name {name} text")).is_err());
    }
}

#[test]
fn agents_read_buffers_only_with_the_widest_scope_and_events_never_show_them() {
    let mut story = Story::of(&["create-session -s worker", "store-buffer secret"]);
    let inside = story.inside("a");
    assert_eq!(story.reply(inside, "get-buffer")["content"], "secret");
    for scope in [Scope::Observe, Scope::Descendants] {
        story.machine.configure(Settings::default(), Scopes::new([("worker".to_owned(), scope)]));
        for line in ["get-buffer", "list-paste-buffers", "store-buffer mine", "remove-buffer"] {
            assert!(story.answer(inside, line).is_err(), "{line} as {scope:?}");
        }
    }
    story.run("store-buffer secret");
    let event = story.step.events.iter().find(|event| matches!(event, Event::BufferStored { .. }));
    let shown = serde_json::to_string(&event.expect("it is stored").without_secrets()).expect("JSON");
    assert!(!shown.contains("secret") && shown.contains("(hidden)"), "{shown}");
}
