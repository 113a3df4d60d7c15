//! Any sequence of requests leaves a valid world that its events can restore.

#[path = "../story/mod.rs"]
mod story;

mod durability;
mod fake_edge;
mod random_actions;

use fake_edge::Edge;
use std::collections::BTreeMap;

use fugue_core::{Effect, Input, Ticket, World};
use fugue_protocol::views::*;
use fugue_protocol::{Event, for_each_verb};
use proptest::prelude::*;
use random_actions::{Action, any_action};
use story::Story;

/// Enough actions to build a tree of some depth and to close all of it again.
const ACTIONS: usize = 40;

/// The commands that build the initial world.
const INITIAL_COMMANDS: &[&str] = &[
    "create-session -s work --size 120x40",
    "create-pane -R",
    "create-pane -D",
    "create-window -d",
    "create-session -s other",
    "create-pane -R",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_actions_keep_the_world_valid_and_its_events_restore_it(
        actions in prop::collection::vec(any_action(), 1..ACTIONS)
    ) {
        let mut story = Story::of(INITIAL_COMMANDS);
        story.starts_are_slow();
        let (mut answered, mut names) = (Vec::new(), BTreeMap::new());
        let mut edge = Edge::of(story.world());
        for action in &actions {
            let before = story.world().clone();
            let asked = action.play(&mut story);
            names.extend(asked.map(|ticket| (ticket, action.verb())));
            check_refusals_change_nothing(&story, &before)?;
            check_replies(&story, &names)?;
            edge.apply(&story)?;
            edge.check_matches(story.world())?;
            answered.extend(answers(&story));
            prop_assert!(asked.is_none_or(|ticket| answered.contains(&ticket) || is_pending(&story, ticket)));
        }
        story.step = Default::default();
        story.start_all();
        answered.extend(answers(&story));
        let requests = actions.iter().filter(|action| matches!(action, Action::Ask { .. })).count();
        check_each_answered_once(answered, requests)?;
        check_replay(&story)?;
    }

    #[test]
    fn a_restarted_daemon_keeps_working(
        before in prop::collection::vec(any_action(), 1..ACTIONS / 2),
        after in prop::collection::vec(any_action(), 1..ACTIONS / 2),
    ) {
        let mut story = Story::of(INITIAL_COMMANDS);
        play(&mut story, &before);
        story.restart();
        story.input(Input::RunsHeld { runs: Vec::new() });
        prop_assert!(story.world().panes.values().all(|pane| pane.run().is_none()));
        play(&mut story, &after);
        story.input(Input::CloseAll);
        let World { sessions, windows, panes, recent, .. } = story.world();
        prop_assert!(sessions.is_empty() && windows.is_empty() && panes.is_empty() && recent.is_empty());
    }

    /// Replaying a journal with gaps, as another version may leave it, does not panic.
    #[test]
    fn a_journal_with_gaps_can_be_replayed(
        actions in prop::collection::vec(any_action(), 1..ACTIONS),
        kept in prop::collection::vec(prop::bool::weighted(0.8), 1..40),
    ) {
        let mut story = Story::of(INITIAL_COMMANDS);
        play(&mut story, &actions);
        let some = story.history.iter().zip(kept.iter().cycle()).filter(|(_, kept)| **kept);
        let world = World::fold(some.map(|(event, _)| event));
        if world.check().is_ok() {
            world.session_list(None);
        }
    }
}

fn play(story: &mut Story, actions: &[Action]) {
    for action in actions {
        action.play(story);
    }
}

fn answers(story: &Story) -> Vec<u64> {
    let asked = story.step.effects.iter().filter_map(|effect| match effect {
        Effect::Request { ticket, .. } => Some(*ticket),
        _ => None,
    });
    story.step.answers.iter().map(|(ticket, _)| *ticket).chain(asked).collect()
}

fn is_pending(story: &Story, ticket: u64) -> bool {
    story.pending_starts.iter().any(|(pending, _)| *pending == ticket)
}

macro_rules! replies {
    ($($nature:ident $verb:ident $name:literal -> $reply:ty, $properties:expr;)*) => {
        /// Whether a client can parse a reply to the verb of this name.
        fn is_readable(verb: &str, reply: &str) -> bool {
            match verb {
                $($name => serde_json::from_str::<$reply>(reply).is_ok(),)*
                _ => false,
            }
        }
    };
}

for_each_verb!(replies);

fn check_replies(story: &Story, names: &BTreeMap<Ticket, &str>) -> Result<(), TestCaseError> {
    for (ticket, answer) in &story.step.answers {
        if let Ok(reply) = answer {
            prop_assert!(is_readable(names[ticket], reply.get()), "{}: {}", names[ticket], reply);
        }
    }
    Ok(())
}

fn check_refusals_change_nothing(story: &Story, before: &World) -> Result<(), TestCaseError> {
    if story.step.answers.iter().any(|(_, answer)| answer.is_err()) {
        prop_assert_eq!(&story.step.events, &[]);
        prop_assert_eq!(story.world(), before);
    }
    Ok(())
}

fn check_each_answered_once(mut answered: Vec<u64>, asked: usize) -> Result<(), TestCaseError> {
    prop_assert_eq!(answered.len(), asked, "every request has an answer");
    answered.sort_unstable();
    answered.dedup();
    prop_assert_eq!(answered.len(), asked, "no request has two answers");
    Ok(())
}

/// Replaying the journal gives the same world; a stored world differs only in what is not stored.
fn check_replay(story: &Story) -> Result<(), TestCaseError> {
    prop_assert_eq!(&World::fold(&story.history), story.world());
    let text = serde_json::to_string(&story.history).expect("events are serializable");
    let read: Vec<Event> = serde_json::from_str(&text).expect("events are deserializable");
    prop_assert_eq!(&read, &story.history);
    let text = serde_json::to_string(story.world()).expect("a world is serializable");
    let read: World = serde_json::from_str(&text).expect("a world is deserializable");
    let mut kept = story.world().clone();
    // Messages are stored separately.
    kept.messages = Default::default();
    prop_assert_eq!(read, kept);
    Ok(())
}
