//! What a crash must not change: the world that the journal restores, the wake-ups that are pending, and the keys of
//! requests that were carried out before.

use std::collections::BTreeMap;

use fugue_agents::Front;
use fugue_core::scope::Scopes;
use fugue_core::{Caller, Input, KeySpace, Settings, World};
use fugue_protocol::agents::{AgentState, Evidence, EvidenceSource};
use fugue_protocol::dialogs::{Dialog, DialogKind};
use fugue_protocol::{Event, PaneId, Scope, Timestamp};
use proptest::prelude::*;
use serde_json::Value;

use crate::random_actions::{Action, any_action, some_pane};
use crate::story::Story;

/// A request, or something that the edge observes.
#[derive(Debug, Clone)]
enum Happening {
    Act(Action),
    Observe {
        pane: usize,
        front: usize,
        evidence: usize,
    },
    Report {
        pane: usize,
        state: &'static str,
    },
    Dialog {
        pane: usize,
        is_open: bool,
    },
    Numbers {
        base: usize,
        renumber: bool,
    },
    /// The configuration was read again.
    Configure {
        scope: Option<Scope>,
        push_notices: bool,
    },
    /// The caller of a request that waits is gone.
    Leave,
    Pass(u64),
}

const REPORTS: &[&str] = &[
    "report-status blocked",
    "report-status idle",
    "report-state opencode blocked --reason ask",
    "report-state opencode unknown",
    "report-state claude blocked --hook --reason ask --command ls",
    "report-state claude unknown --hook",
    "report-conversation claude 019a0000-0000-7000-8000-000000000001",
    "announce-messages",
    "subscribe-orchestration --deliver hook push",
    "announce-messages --way push --news --peek",
    "hold-pipe one",
    "hold-pipe two",
    "end-pipe",
    "await-pipe-end one",
    "use-channel wait build --timeout-ms 900",
    "use-channel lock build --timeout-ms 11000",
    "use-channel signal build",
];

fn happening() -> impl Strategy<Value = Happening> {
    prop_oneof![
        6 => any_action().prop_map(Happening::Act),
        4 => (0..64usize, 0..5usize, 0..5usize)
            .prop_map(|(pane, front, evidence)| Happening::Observe { pane, front, evidence }),
        3 => (0..64usize, prop::sample::select(REPORTS))
            .prop_map(|(pane, state)| Happening::Report { pane, state }),
        1 => (0..64usize, any::<bool>()).prop_map(|(pane, is_open)| Happening::Dialog { pane, is_open }),
        1 => (0..2usize, any::<bool>()).prop_map(|(base, renumber)| Happening::Numbers { base, renumber }),
        1 => (prop::option::of(prop::sample::select(vec![Scope::Observe, Scope::Descendants, Scope::All])), any::<bool>())
            .prop_map(|(scope, push_notices)| Happening::Configure { scope, push_notices }),
        1 => Just(Happening::Leave),
        3 => prop::sample::select(vec![1, 900, 11_000, 130_000]).prop_map(Happening::Pass),
    ]
}

impl Happening {
    fn play(&self, story: &mut Story) -> Result<(), TestCaseError> {
        match self {
            Self::Act(action) => drop(action.play(story)),
            Self::Observe { pane, front, evidence } => {
                let input = |pane| Input::AgentObserved {
                    pane,
                    front: self::front(*front),
                    evidence: self::evidence(*evidence),
                };
                some_pane(story, *pane).into_iter().for_each(|pane| story.input(input(pane)));
            }
            Self::Report { pane, state } => {
                let pane = some_pane(story, *pane);
                pane.into_iter().for_each(|pane| {
                    story.begin(Caller::Inside(pane), state);
                });
            }
            Self::Dialog { pane, is_open } => {
                let dialog = is_open.then(dialog);
                let pane = some_pane(story, *pane);
                let input = |pane| Input::DialogObserved { pane, dialog: dialog.clone(), answered: true };
                pane.into_iter().for_each(|pane| story.input(input(pane)));
            }
            Self::Numbers { base, renumber } => {
                story.input(Input::NumbersSet { base: *base, renumber: *renumber });
            }
            Self::Configure { scope, push_notices } => {
                let settings = Settings { push_notices: *push_notices, ..Settings::default() };
                let scopes = scope.map(|scope| ("*".to_owned(), scope));
                story.machine.configure(settings, Scopes::new(scopes));
            }
            Self::Leave => {
                let waiting = story.machine.pending_waits().next();
                waiting.into_iter().for_each(|ticket| story.input(Input::CallerGone { ticket }));
            }
            Self::Pass(millis) => pass(story, *millis)?,
        }
        Ok(())
    }
}

/// Lets time pass. Nothing may happen before the machine's own wake-up, and each wake-up must settle what it is for.
fn pass(story: &mut Story, millis: u64) -> Result<(), TestCaseError> {
    let end = story.now().millis() + millis;
    for _ in 0..WAKE_UPS {
        let due = story.machine.wake_at().filter(|due| due.millis() <= end);
        let Some(due) = due else {
            story.advance_to(Timestamp::from_millis(end));
            prop_assert_eq!(&story.step.events, &[], "nothing was due");
            prop_assert!(story.step.answers.is_empty(), "no wait was over");
            return Ok(());
        };
        let due = due.max(story.now());
        if let Some(before) = due.millis().checked_sub(1).filter(|before| *before > story.now().millis()) {
            story.advance_to(Timestamp::from_millis(before));
            prop_assert_eq!(&story.step.events, &[], "nothing is due before the wake-up");
        }
        story.advance_to(due);
        prop_assert!(story.machine.wake_at().is_none_or(|next| next > due), "the wake-up has settled it");
    }
    Err(TestCaseError::fail("the machine is woken again and again"))
}

/// More wake-ups than there can be things that are due in a few minutes.
const WAKE_UPS: usize = 500;

fn front(pick: usize) -> Front {
    match pick {
        0 => Front::Named("claude".into()),
        1 => Front::Named("codex".into()),
        2 => Front::Shell,
        3 => Front::Other,
        _ => Front::Hidden,
    }
}

fn evidence(pick: usize) -> Vec<Evidence> {
    match pick {
        0 => Vec::new(),
        1 => vec![Evidence::new(EvidenceSource::Title, AgentState::Idle)],
        2 => vec![Evidence::new(EvidenceSource::Title, AgentState::Working)],
        3 => vec![Evidence::new(EvidenceSource::Osc7501, AgentState::Working)],
        _ => vec![Evidence::new(EvidenceSource::Screen, AgentState::Blocked)],
    }
}

fn dialog() -> Dialog {
    Dialog {
        kind: DialogKind::Permission,
        title: None,
        question: "Do you want to proceed?".into(),
        detail: Vec::new(),
        command: Some("ls".into()),
        choices: Vec::new(),
        selected: 1,
    }
}

/// The world without what is not stored. All of it is observed again, or belongs to connections that are gone:
///
/// - attached clients, and the popups that they show,
/// - what the screen and the processes of a pane show: its dialog, its foreground program, the exit code of its last
///   command, processes that outlived it, and evidence of its agent's state,
/// - titles, directories and agents between two notes,
/// - what an agent's hooks report: a person answers what nobody saw answered.
fn stored(world: &World) -> Value {
    let mut stored = serde_json::to_value(world).expect("a world is serializable");
    without_notes(&mut stored);
    stored
}

/// Removes what is noted from time to time, wherever there is a pane.
fn without_notes(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            if fields.contains_key("on_exit") && fields.contains_key("agent") {
                ["title", "cwd", "lost_agent"].iter().for_each(|field| drop(fields.remove(*field)));
                fields["agent"]["view"] = Value::Null;
            }
            fields.values_mut().for_each(without_notes);
        }
        Value::Array(items) => items.iter_mut().for_each(without_notes),
        _ => {}
    }
}

const COMMANDS: [&str; 3] = ["create-session -s work", "create-window", "create-session -s other --tag lead"];

const LINES: [&str; 4] = [
    "send-orchestration -s other note",
    "send-orchestration --tag lead note",
    "claim lock",
    "broadcast hello",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_the_journal_restores_is_the_world_before_the_crash(
        happenings in prop::collection::vec(happening(), 1..40)
    ) {
        let mut story = Story::of(&COMMANDS);
        for happening in &happenings {
            happening.play(&mut story)?;
            let before = stored(story.world());
            let kept: Vec<_> = story.history.iter().filter(|event| !event.is_fleeting()).collect();
            let restored = World::fold(kept);
            prop_assert_eq!(stored(&restored), before, "after {:?}", happening);
            prop_assert_eq!(&restored.messages, &story.world().messages);
        }
    }

    #[test]
    fn a_key_acts_once_whatever_crashes_in_between(
        calls in prop::collection::vec((0..6usize, 0..3usize, 0..4usize, prop::bool::weighted(0.3)), 1..30)
    ) {
        let mut story = Story::of(&COMMANDS);
        let panes: Vec<PaneId> = story.world().panes.keys().copied().collect();
        let mut acted: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        for (who, key, line, crashes) in calls {
            let caller = match who {
                4 => Caller::Agent(KeySpace::of("one")),
                5 => Caller::Agent(KeySpace::of("other")),
                who => panes.get(who).map_or(Caller::Outside, |pane| Caller::Inside(*pane)),
            };
            let line = LINES[line];
            story.begin(caller, &format!("{line} --idempotency-key k{key}"));
            for event in &story.step.events {
                if let Event::MessageSent(_) = event {
                    *acted.entry((who, key)).or_default() += 1;
                }
            }
            if crashes {
                story.crash();
            }
        }
        prop_assert!(acted.values().all(|times| *times == 1), "{:?}", acted);
    }
}
