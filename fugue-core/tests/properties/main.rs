//! Whatever is asked, in whatever order: the world stays sound, and is what its events say.

#[path = "../story/mod.rs"]
mod story;

mod fake_edge;
mod random_actions;

use fake_edge::Edge;
use std::collections::BTreeMap;

use fugue_core::{Effect, Input, Ticket, World};
use fugue_protocol::views::*;
use fugue_protocol::{Event, for_each_verb};
use proptest::prelude::*;
use random_actions::{Move, any_move};
use story::Story;

/// Enough moves for a tree of some depth, and for all of it to go again.
const MOVES: usize = 40;

/// Something to begin with.
const BEGINNING: &[&str] = &[
    "create-session -s work --size 120x40",
    "create-pane -R",
    "create-pane -D",
    "create-window -d",
    "create-session -s other",
    "create-pane -R",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn any_moves_keep_the_world_sound_and_the_events_tell_it(
        moves in prop::collection::vec(any_move(), 1..MOVES)
    ) {
        let mut story = Story::of(BEGINNING);
        story.starts_are_slow();
        let (mut answered, mut names) = (Vec::new(), BTreeMap::new());
        let mut edge = Edge::of(story.world());
        for one in &moves {
            let before = story.world().clone();
            let asked = one.play(&mut story);
            names.extend(asked.map(|ticket| (ticket, one.verb())));
            a_refusal_changes_nothing(&story, &before)?;
            replies_are_what_they_should_be(&story, &names)?;
            edge.obey(&story)?;
            edge.mirrors(story.world())?;
            answered.extend(answers(&story));
            prop_assert!(asked.is_none_or(|ticket| answered.contains(&ticket) || waits(&story, ticket)));
        }
        story.step = Default::default();
        story.start_all();
        answered.extend(answers(&story));
        each_once(answered, moves.iter().filter(|one| matches!(one, Move::Ask { .. })).count())?;
        the_same_again(&story)?;
    }

    #[test]
    fn a_daemon_that_starts_again_goes_on(
        before in prop::collection::vec(any_move(), 1..MOVES / 2),
        after in prop::collection::vec(any_move(), 1..MOVES / 2),
    ) {
        let mut story = Story::of(BEGINNING);
        play(&mut story, &before);
        story.restart();
        story.tell(Input::RunsHeld { runs: Vec::new() });
        prop_assert!(story.world().panes.values().all(|pane| pane.run().is_none()));
        play(&mut story, &after);
        story.tell(Input::CloseAll);
        let World { sessions, windows, panes, recent, .. } = story.world();
        prop_assert!(sessions.is_empty() && windows.is_empty() && panes.is_empty() && recent.is_empty());
    }

    /// A journal with gaps, written by another version, folds all the same.
    #[test]
    fn any_part_of_a_journal_folds(
        moves in prop::collection::vec(any_move(), 1..MOVES),
        kept in prop::collection::vec(prop::bool::weighted(0.8), 1..40),
    ) {
        let mut story = Story::of(BEGINNING);
        play(&mut story, &moves);
        let some = story.history.iter().zip(kept.iter().cycle()).filter(|(_, kept)| **kept);
        let world = World::fold(some.map(|(event, _)| event));
        if world.check().is_ok() {
            world.session_list();
        }
    }
}

fn play(story: &mut Story, moves: &[Move]) {
    for one in moves {
        one.play(story);
    }
}

fn answers(story: &Story) -> Vec<u64> {
    let asked = story.step.effects.iter().filter_map(|effect| match effect {
        Effect::Request { ticket, .. } => Some(*ticket),
        _ => None,
    });
    story.step.answers.iter().map(|(ticket, _)| *ticket).chain(asked).collect()
}

fn waits(story: &Story, ticket: u64) -> bool {
    story.nursery.iter().any(|(waiting, _)| *waiting == ticket)
}

macro_rules! replies {
    ($($nature:ident $verb:ident $name:literal -> $reply:ty, $properties:expr;)*) => {
        /// Whether a client can read a reply to the verb of this name.
        fn is_readable(verb: &str, reply: &str) -> bool {
            match verb {
                $($name => serde_json::from_str::<$reply>(reply).is_ok(),)*
                _ => false,
            }
        }
    };
}

for_each_verb!(replies);

fn replies_are_what_they_should_be(
    story: &Story,
    names: &BTreeMap<Ticket, &str>,
) -> Result<(), TestCaseError> {
    for (ticket, answer) in &story.step.answers {
        if let Ok(reply) = answer {
            prop_assert!(is_readable(names[ticket], reply.get()), "{}: {}", names[ticket], reply);
        }
    }
    Ok(())
}

fn a_refusal_changes_nothing(story: &Story, before: &World) -> Result<(), TestCaseError> {
    if story.step.answers.iter().any(|(_, answer)| answer.is_err()) {
        prop_assert_eq!(&story.step.events, &[]);
        prop_assert_eq!(story.world(), before);
    }
    Ok(())
}

fn each_once(mut answered: Vec<u64>, asked: usize) -> Result<(), TestCaseError> {
    prop_assert_eq!(answered.len(), asked, "every request has an answer");
    answered.sort_unstable();
    answered.dedup();
    prop_assert_eq!(answered.len(), asked, "no request has two");
    Ok(())
}

/// The journal makes the same world, and so does a copy of it on disk, but for what is fleeting.
fn the_same_again(story: &Story) -> Result<(), TestCaseError> {
    prop_assert_eq!(&World::fold(&story.history), story.world());
    let text = serde_json::to_string(&story.history).expect("events can be written");
    let read: Vec<Event> = serde_json::from_str(&text).expect("events can be read");
    prop_assert_eq!(&read, &story.history);
    let text = serde_json::to_string(story.world()).expect("a world can be written");
    let read: World = serde_json::from_str(&text).expect("a world can be read");
    let mut kept = story.world().clone();
    for pane in kept.panes.values_mut() {
        (pane.title, pane.cwd) = (String::new(), None);
    }
    // It has a place of its own on the disk.
    kept.messages = Default::default();
    prop_assert_eq!(read, kept);
    Ok(())
}
