//! Random actions: a verb with valid or invalid arguments from any caller, an exiting program, a failed start.

use fugue_core::{Caller, Input, KeySpace, Ticket};
use fugue_protocol::views::ExitStatus;
use fugue_protocol::{OptionScope, PaneId};
use proptest::prelude::*;

use crate::story::Story;

/// One action. Panes and the like are chosen by index among the existing ones.
#[derive(Debug, Clone)]
pub(crate) enum Action {
    Ask { template: &'static str, caller: usize, picks: Vec<usize> },
    Exit(usize, ExitStatus),
    StartNext,
    FailNext,
    Title(usize),
    Lose(usize),
}

/// Request templates. A placeholder is filled with something that exists, existed or never did.
const TEMPLATES: &[&str] = &[
    "create-session",
    "create-session -s {name} --tag {name} --size {size} -e A=1 -- bash",
    "create-session -s {name} -n {name}",
    "rename-session -t {session} {name}",
    "rename-session {name}",
    "select-session {session}",
    "set-tags --add {name} {name} --remove {name}",
    "set-metadata -t {session} {name} {name}",
    "set-metadata {name}",
    "set-environment {name} {name}",
    "create-window -s {session} -- bash",
    "create-window -n {name} -d",
    "rename-window -w {window} {name}",
    "select-window -s {session} -w {window}",
    "select-window -w {number}",
    "move-window -w {window} --index {number}",
    "move-window -w {window} --to-session {session}",
    "move-window -s {session} --to-session {session} --index {number}",
    "resize-window -w {window} {size}",
    "resize-window {size}",
    "select-layout -w {window} {preset}",
    "create-pane",
    "create-pane --pane {pane} --{side} -p {percent}",
    "create-pane --pane {pane} --{side} -d -n {name} --on-exit keep",
    "create-pane -s {session} --{side} --on-exit keep-failed -- bash",
    "create-pane -w {window} --{side}",
    "rename-pane -t {pane} {name}",
    "mute-pane -t {pane}",
    "mute-pane -t {pane} --off",
    "focus-pane -t {pane}",
    "focus-pane -t {pane} --{side}",
    "resize-pane -t {pane} --{side} --by {number}",
    "resize-pane -t {pane} -x {number} -y {number}",
    "zoom-pane -t {pane}",
    "zoom-pane -t {pane} --zoomed true",
    "swap-panes -t {pane} --with {pane}",
    "join-pane -t {pane} --beside {pane} --{side}",
    "break-pane -t {pane}",
    "break-pane -t {pane} -n {name} -d",
    "respawn-pane -t {pane}",
    "respawn-pane -t {pane} -k -- vi",
    "send-input -t {pane} ls",
    "wait -t {pane} --until exit",
    "list-sessions",
    "list-panes -s {session}",
    "whoami",
    "send-orchestration --tag {name} note",
    "send-orchestration -s {session} note --ttl-ms {number}",
    "send-orchestration --parent note --idempotency-key {name}",
    "poll-messages",
    "poll-messages -s {session} -n {number}",
    "report-status working",
    "request-help me",
    "broadcast hello",
    "list-messages --session {session}",
    "claim {name} --ttl-ms {number}",
    "release {name}",
    "list-leases",
    "mark-pane -t {pane}",
    "mark-pane --clear",
    "swap-windows -w {window} --with {window}",
    "rotate-panes -w {window}",
    "set-global-environment {name} {name}",
    "set-global-environment {name}",
    "change-option {scope} {name} {name}",
    "change-option {scope} {name} {name} --append",
    "change-option {scope} {name}",
    "change-hook {scope} bell {name}",
    "change-hook {scope} bell {name} --append",
    "change-hook {scope} bell --index {number}",
    "change-hook {scope} bell",
    "store-buffer {name}",
    "store-buffer --name {name} {name}",
    "rename-buffer --name {name} {name}",
    "rename-buffer {name}",
    "remove-buffer",
    "remove-buffer --name {name}",
    "use-channel signal {name}",
    "use-channel unlock {name}",
];

/// Requests that close things: chosen less often, so that something is left to act on.
const ENDS: &[&str] = &[
    "kill-session -t {session}",
    "kill-window -w {window}",
    "close-pane -t {pane}",
    "close-pane -s {session}",
];

/// Requests that make the tree grow.
const SPLITS: &[&str] =
    &["create-pane --pane {pane} --{side} -p {percent}", "create-pane -w {window} --{side}"];

pub(crate) fn any_action() -> impl Strategy<Value = Action> {
    let exit = prop_oneof![Just(ExitStatus::Code(0)), Just(ExitStatus::Code(1)), Just(ExitStatus::Signal(9))];
    let ask = |templates: &'static [&'static str]| {
        let picks = prop::collection::vec(0..64usize, 4);
        (prop::sample::select(templates), 0..12usize, picks)
            .prop_map(|(template, caller, picks)| Action::Ask { template, caller, picks })
    };
    prop_oneof![
        16 => ask(TEMPLATES),
        6 => ask(SPLITS),
        1 => ask(ENDS),
        1 => (0..64usize, exit).prop_map(|(pane, exit)| Action::Exit(pane, exit)),
        10 => Just(Action::StartNext),
        1 => Just(Action::FailNext),
        1 => (0..64usize).prop_map(Action::Title),
        1 => (0..64usize).prop_map(Action::Lose),
    ]
}

impl Action {
    /// The verb that is requested, if any.
    pub(crate) fn verb(&self) -> &'static str {
        match self {
            Self::Ask { template, .. } => template.split(' ').next().unwrap_or(template),
            _ => "",
        }
    }

    /// Performs the action. Returns the ticket of a request.
    pub(crate) fn play(&self, story: &mut Story) -> Option<Ticket> {
        story.step = Default::default();
        match self {
            Self::Ask { template, caller, picks } => {
                let line = filled(story, template, picks);
                return Some(story.begin(some_caller(story, *caller), &line));
            }
            Self::Exit(pane, exit) => end(story, *pane, *exit),
            Self::StartNext => story.start_next(),
            Self::FailNext if story.pending_starts.is_empty() => {}
            Self::FailNext => {
                story.next_start_fails();
                story.start_next();
            }
            Self::Title(pane) => {
                let title = format!("title {pane}");
                some_pane(story, *pane).into_iter().for_each(|pane| {
                    story.input(Input::TitleChanged { pane, title: title.clone() });
                    story.input(Input::DirectoryChanged { pane, cwd: "/tmp".into() });
                });
            }
            Self::Lose(pane) => lose(story, *pane),
        }
        None
    }
}

fn end(story: &mut Story, pane: usize, exit: ExitStatus) {
    let run = some_pane(story, pane).and_then(|pane| story.world().panes.get(&pane)?.run());
    run.into_iter().for_each(|run| story.exit_run(run.id, exit));
}

/// The keeper lost one program.
fn lose(story: &mut Story, pane: usize) {
    let lost = some_pane(story, pane);
    let held = story.world().panes.values().filter(|pane| Some(pane.id) != lost);
    let runs = held.filter_map(|pane| pane.run()).map(|run| run.id).collect();
    story.input(Input::RunsHeld { runs });
}

/// Some caller: a user, an agent in a pane that exists or existed, one that claims to be in it, or one in no pane.
fn some_caller(story: &Story, pick: usize) -> Caller {
    match (pick % 4, some_pane(story, pick)) {
        (1, Some(pane)) => Caller::Inside(pane),
        (2, Some(pane)) => Caller::Claims(pane),
        (3, _) => Caller::Agent(KeySpace::of("one")),
        _ => Caller::Outside,
    }
}

/// Some pane: usually one that exists, sometimes a closed one.
pub(crate) fn some_pane(story: &Story, pick: usize) -> Option<PaneId> {
    let open: Vec<_> = story.world().panes.keys().copied().collect();
    let ever: Vec<_> = story.aliases.panes().collect();
    let among = if pick % 16 == 15 || open.is_empty() { ever } else { open };
    among.get(pick % among.len().max(1)).copied()
}

fn filled(story: &Story, template: &str, picks: &[usize]) -> String {
    let mut picks = picks.iter().copied();
    let words = template.split(' ').map(|word| match word.split_once('{') {
        Some((before, placeholder)) => {
            let pick = picks.next().unwrap_or_default();
            format!("{before}{}", fill(story, placeholder.trim_end_matches('}'), pick))
        }
        None => word.to_owned(),
    });
    words.collect::<Vec<_>>().join(" ")
}

fn fill(story: &Story, placeholder: &str, pick: usize) -> String {
    let of = |choices: &[&str]| choices[pick % choices.len()].to_owned();
    match placeholder {
        "pane" => some_pane(story, pick).map_or("missing".into(), |pane| pane.to_string()),
        "window" => nth(story.world().windows.keys(), pick),
        "session" => nth(story.world().sessions.keys(), pick),
        "scope" => some_scope(story, pick).to_string(),
        "name" => of(&["0", "1", "work", "日本", "build"]),
        "side" => of(&["right", "below", "left", "above"]),
        "size" => of(&["80x24", "1x1", "2x2", "7x5", "200x50", "1000x1000", "3x1", "10x3"]),
        "preset" => of(&["even-horizontal", "even-vertical", "main-horizontal", "main-vertical", "tiled"]),
        "percent" => of(&["1", "25", "50", "75", "99"]),
        "number" => of(&["0", "1", "2", "3", "10", "500"]),
        other => unreachable!("unknown placeholder {other}"),
    }
}

/// What an option or a hook is set for: everything, or something that exists or existed.
fn some_scope(story: &Story, pick: usize) -> OptionScope {
    let world = story.world();
    let scope = match pick % 4 {
        1 => world.sessions.keys().nth(pick % 3).map(|id| OptionScope::Session(*id)),
        2 => world.windows.keys().nth(pick % 3).map(|id| OptionScope::Window(*id)),
        3 => some_pane(story, pick).map(OptionScope::Pane),
        _ => None,
    };
    scope.unwrap_or(OptionScope::Global)
}

fn nth<Id: ToString>(ids: impl Iterator<Item = Id>, pick: usize) -> String {
    let ids: Vec<_> = ids.map(|id| id.to_string()).collect();
    if pick % 16 == 15 || ids.is_empty() { "missing".into() } else { ids[pick % ids.len()].clone() }
}
