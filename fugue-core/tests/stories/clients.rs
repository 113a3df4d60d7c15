//! Attached clients: which session each shows, and how they are detached.

use fugue_core::Input;
use fugue_protocol::events::ClientAttached;
use fugue_protocol::{Refusal, Size, Timestamp, Verb};
use serde_json::json;

use crate::story::{OUTSIDE, Story};

pub(crate) fn attach(story: &mut Story, client: u64, session: &str) {
    let session = story
        .world()
        .sessions
        .values()
        .find(|known| known.name.to_string() == session)
        .expect("a session")
        .id;
    let (size, since) = (Size::new(80, 24), Timestamp::from_millis(client));
    story.input(Input::ClientAttached(ClientAttached {
        client,
        session,
        size,
        since,
        read_only: client == 3,
        tty: None,
    }));
}

fn watched() -> Story {
    let mut story = Story::of(&["create-session -s work", "create-session -s play"]);
    attach(&mut story, 1, "work");
    attach(&mut story, 2, "work");
    attach(&mut story, 3, "play");
    story
}

#[test]
fn a_session_counts_its_attached_clients() {
    let mut story = watched();
    let clients = |story: &mut Story| {
        let list = story.reply(OUTSIDE, "list-sessions");
        [0, 1].map(|at| list["sessions"][at]["clients"].as_u64().unwrap_or(0))
    };
    assert_eq!(clients(&mut story), [2, 1]);
    attach(&mut story, 2, "play");
    assert_eq!(clients(&mut story), [1, 2]);
    story.input(Input::ClientLeft { client: 2 });
    story.assert_events(&["client 2 left"]);
    story.input(Input::ClientLeft { client: 2 });
    story.assert_events(&[]);
    story.run("kill-session -t work");
    assert_eq!(story.world().clients.keys().collect::<Vec<_>>(), [&3]);
}

#[test]
fn clients_are_listed_and_detached() {
    let mut story = watched();
    let listed = story.reply(OUTSIDE, "list-clients -s play");
    assert_eq!(listed["clients"][0]["session_name"], json!("play"));
    assert_eq!(listed["clients"][0]["read_only"], json!(true));
    story.run("detach-client 1");
    story.assert_events(&["client 1 detached"]);
    story.run("detach-client -s work");
    story.assert_events(&["client 1 detached", "client 2 detached"]);
    story.refused("detach-client 9", "Client not found: 9\nhint: `fugue list-clients` lists clients");
    let why = "client: specify a client number or a session\nhint: `fugue list-clients` lists clients";
    story.refused("detach-client", why);
}

#[test]
fn a_terminal_without_columns_or_rows_is_refused() {
    let mut story = watched();
    for size in [json!({ "cols": 0, "rows": 0 }), json!({ "cols": 80, "rows": 0 })] {
        let args = json!({ "session": "work", "size": size }).to_string();
        let ticket = story.request(OUTSIDE, Verb::read("attach-client", &args).expect("a verb"));
        assert!(matches!(story.answer_to(ticket), Err(Refusal::BadSize { .. })), "{size}");
    }
}

#[test]
fn a_program_in_a_pane_can_show_something_but_not_act_for_the_person() {
    let mut story = Story::of(&["create-session -s work"]);
    attach(&mut story, 1, "work");
    let run = |story: &mut Story, line: &str| {
        let verb = fugue_protocol::verbs::RunInClient { client: Some(1), line: line.to_owned() };
        let ticket = story.request(story.inside("a"), verb.into());
        story.answer_to(ticket)
    };
    for line in ["say hello", "'choose-tree'", "display-popup --pane 1 --window 2", "copy-mode -u"] {
        assert!(run(&mut story, line).is_ok(), "{line}");
    }
    for line in [
        "answer-permission x 1",
        "tmux run-shell x",
        "say a; kill-server",
        "say a \\'; detach '",
        "display-popup -T '#(fugue answer-permission x 1)' -E true",
        "display-popup -t work -E 'fugue detach'",
        "display-popup -- top",
        "attach -c '#(touch x)' work",
        "send-prefix",
    ] {
        let refused = run(&mut story, line);
        assert!(matches!(refused, Err(Refusal::OnlyPeopleCommand { .. })), "{line}: {refused:?}");
    }
    story.run("run-in-client -c 1 detach");
    story.assert_events(&["client 1 runs detach"]);
}
