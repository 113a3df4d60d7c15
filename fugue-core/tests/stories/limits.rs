//! Unusual worlds: the maximum number of panes, ids that end in the same digits.

use fugue_protocol::Launch;
use fugue_protocol::events::{PaneOpened, ProgramRun, SessionCreated, WindowOpened};
use fugue_protocol::views::OnExit;
use fugue_protocol::{Event, Refusal, Size, Timestamp, limits};
use uuid::Uuid;

use crate::story::{OUTSIDE, Story};

fn id<Id: From<Uuid>>(kind: u128, number: u128) -> Id {
    Uuid::from_u128(0x019a_0000_0000_7000_8000_0000_0000_0000 + (kind << 40) + number).into()
}

/// A session with one window for each pane; the numbers become the ids of the panes.
fn with_panes(panes: impl Iterator<Item = u128>) -> Story {
    let (session, size) = (id(1, 0), Size::DEFAULT);
    let created = |window| {
        Event::SessionCreated(SessionCreated {
            session,
            name: "work".parse().expect("a name"),
            parent: None,
            window,
            created_at: Timestamp::from_millis(0),
            tags: Vec::new(),
            metadata: Default::default(),
            environment: Default::default(),
            closes_with: None,
            number: None,
        })
    };
    let mut events = Vec::new();
    for (index, number) in panes.enumerate() {
        let (window, pane, run) = (id(2, number), id(3, number), ProgramRun { id: id(4, number), pid: 1 });
        if index == 0 {
            events.push(created(window));
        }
        let name = "bash".parse().expect("a name");
        events.push(Event::WindowOpened(WindowOpened {
            window,
            session,
            name,
            automatic_name: false,
            popup: false,
            size,
            index,
            slot: None,
            pane,
        }));
        let (launch, on_exit) = (Launch::default(), OnExit::Close);
        events.push(Event::PaneOpened(PaneOpened { pane, window, run, launch, on_exit, name: None }));
    }
    Story::after(events)
}

#[test]
fn the_number_of_panes_is_limited() {
    let mut story = with_panes(0..limits::PANES as u128);
    let full = Refusal::TooMany { what: fugue_protocol::refusal::Quota::Panes, limit: limits::PANES };
    for line in ["create-session", "create-window", "create-pane"] {
        assert_eq!(story.answer(OUTSIDE, line).unwrap_err(), full);
    }
    story.run("kill-window -w 7");
    story.run("create-pane");
}

#[test]
fn ambiguous_last_digits_are_refused_with_the_number_of_panes() {
    let mut story = with_panes([0x1_beef, 0x2_beef, 0x3_cafe].into_iter());
    story.refused("close-pane -t beef", "`beef` matches 2 panes\nhint: use the full id");
    story.run("close-pane -t 1beef");
    story.run("close-pane -t beef");
    story.refused("close-pane -t beef", "Pane not found: beef\nhint: `fugue list-panes` lists panes");
    story.assert_tree("work*\n2 bash* 80x24: c* 80x24");
}
