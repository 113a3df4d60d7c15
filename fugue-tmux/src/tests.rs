//! Lines and the steps that they take, with a world that is made up.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;

use fugue_protocol::Size;
use fugue_protocol::verbs::{Nature, VerbInfo};
use serde_json::value::RawValue;

use crate::command_table::COMMANDS;
use crate::format::HostFacts;
use crate::steps::{LineOrigin, Step, StepReply};
use crate::{HookName, Line, LineSetting, OwnClient, OwnSettings, Progress};

const WORLD: &str = include_str!("test_world.json");

/// A machine of which nothing is known.
struct Nothing;

impl HostFacts for Nothing {
    fn host_name(&self) -> Option<String> {
        Some("box".into())
    }

    fn user(&self) -> Option<String> {
        None
    }

    fn terminal(&self, _: u32) -> Option<String> {
        None
    }

    fn foreground_name(&self, _: u32) -> Option<String> {
        None
    }
}

impl OwnSettings for Nothing {
    fn toggled(&self, _: &str, _: &str) -> Option<&'static str> {
        None
    }

    fn place(&self, _: &str) -> Option<String> {
        None
    }

    fn refusal(&self, _: &[String]) -> Option<String> {
        None
    }

    fn hook(&self, name: &str) -> Option<HookName> {
        self.hooks().into_iter().find(|hook| hook.tmux == name)
    }

    fn hooks(&self) -> Vec<HookName> {
        vec![HookName { event: "bell", tmux: "alert-bell" }]
    }
}

/// A client that looks at a pane of the first session.
fn client_at(pane: &str) -> OwnClient {
    let session = "01a1f207-b625-7f47-bef3-08a48f3329cd".parse().expect("an id");
    OwnClient { number: 1, pane: pane.parse().ok(), session, synchronized: Vec::new() }
}

fn setting(origin: LineOrigin) -> LineSetting {
    LineSetting {
        origin,
        client: Some(client_at("01a1f207-b625-7a2f-a4c4-b7db96a3473b")),
        settings: Rc::new(Nothing),
        own_pane: None,
        own_target: None,
        leads_team: false,
        team: None,
        team_variables: Vec::new(),
        environment: BTreeMap::new(),
        directory: Some(PathBuf::from("/here")),
        socket: PathBuf::from("/run/fugue.sock"),
        tmux_link: PathBuf::from("/run/link"),
        daemon: "default".into(),
        not_attachable: None,
        is_startup: false,
        login: Vec::new(),
        window_area: Size { cols: 80, rows: 24 },
        is_silent: false,
        machine: Rc::new(Nothing),
        now: 0,
    }
}

fn json(text: &str) -> StepReply {
    StepReply::Json(RawValue::from_string(text.to_owned()).expect("valid JSON"))
}

/// What a step is answered. The daemon refuses all that changes something.
fn answer(step: &Step) -> Result<StepReply, String> {
    match step {
        Step::Call { verb: "list-sessions", .. } => Ok(json(WORLD)),
        Step::Call { verb: "list-clients", .. } => Ok(json("{\"clients\":[]}")),
        Step::Call { verb: "list-options", .. } => Ok(json("{\"options\":{}}")),
        Step::Call { verb, .. } => Err(format!("no {verb} here")),
        Step::Setting(_) => Ok(StepReply::Text(None)),
        _ => Ok(StepReply::Done),
    }
}

/// The steps of a line that is not read but runs, and how it ended.
fn steps(words: &[&str], origin: LineOrigin) -> (Vec<Step>, Result<u8, String>) {
    steps_in(words, setting(origin))
}

fn steps_in(words: &[&str], setting: LineSetting) -> (Vec<Step>, Result<u8, String>) {
    let words = words.iter().map(|word| (*word).to_owned()).collect();
    let mut line = Line::new(words, setting);
    let (mut steps, mut answered) = (Vec::new(), None);
    loop {
        match line.next(answered.take()) {
            Progress::Ended(code) => return (steps, code),
            Progress::Needs(step) => {
                answered = Some(answer(&step));
                steps.push(step);
            }
        }
    }
}

/// The requests that change something.
fn requests(words: &[&str]) -> Vec<String> {
    let reads = ["list-sessions", "list-clients", "list-options", "whoami", "get-tags"];
    let (steps, _) = steps(words, LineOrigin::Person);
    let requests = steps.into_iter().filter_map(|step| match step {
        Step::Call { verb, args } if !reads.contains(&verb) => Some(format!("{verb} {args}")),
        _ => None,
    });
    requests.collect()
}

#[test]
fn a_line_asks_for_what_it_means() {
    let (first, second) = ("01a1f207-b625-7a2f-a4c4-b7db96a3473b", "01a1f207-b6b1-7f28-b8bc-4ee1f0553bb2");
    assert_eq!(
        requests(&["split-window", "-hb", "-l", "30%", "-t", "work:edit.1"]),
        [format!(
            "create-pane {{\"pane\":\"{second}\",\"direction\":\"left\",\"percent\":30,\"background\":false}}"
        )]
    );
    assert_eq!(requests(&["kill-pane"]), [format!("close-pane {{\"pane\":\"{first}\"}}")]);
    assert_eq!(requests(&["kill-pane", "-a"]), [format!("close-pane {{\"pane\":\"{second}\"}}")]);
    assert_eq!(requests(&["kill-pane", "-t", "%9"]), Vec::<String>::new());
}

#[test]
fn a_key_whose_pane_has_just_closed_acts_on_the_session_that_the_client_shows() {
    let closed = client_at("01a1f207-0000-7000-8000-000000000000");
    let setting = LineSetting { client: Some(closed), ..setting(LineOrigin::Person) };
    let (steps, _) = steps_in(&["display-message", "-p", "#{session_name}"], setting);
    let printed = steps.iter().find_map(|step| match step {
        Step::Print(text) => Some(String::from_utf8_lossy(text)),
        _ => None,
    });
    assert_eq!(printed.as_deref(), Some("work\n"));
}

#[test]
fn a_line_ends_with_the_first_command_that_fails() {
    let (asked, ended) = steps(&["kill-pane", ";", "kill-session"], LineOrigin::Person);
    assert_eq!(ended, Err("no close-pane here".into()));
    assert!(!asked.iter().any(|step| matches!(step, Step::Call { verb: "kill-session", .. })));
    assert_eq!(steps(&["frobnicate"], LineOrigin::Person).1, Err("unknown command: frobnicate".into()));
}

/// Whether lines of an origin may ask for a step: those that were sent start no process and touch no file, a hook attaches no
/// terminal, and only a person's change settings.
fn is_allowed(origin: LineOrigin, step: &Step) -> bool {
    let is_reading = |verb: &str| VerbInfo::find(verb).is_some_and(|verb| verb.nature == Nature::Reads);
    let is_sent = origin == LineOrigin::Sent;
    match step {
        Step::Configure(_) => origin == LineOrigin::Person,
        Step::Attach { .. } => matches!(origin, LineOrigin::Person | LineOrigin::Program),
        Step::Call { verb, .. } => !is_sent || is_reading(verb),
        Step::Shell(_) | Step::Read(_) | Step::ReadCommands(_) | Step::Write { .. } | Step::Pipe { .. } => {
            !is_sent
        }
        Step::Client(_) | Step::Print(_) | Step::Pause(_) | Step::Keys | Step::Setting(_) => true,
    }
}

#[test]
fn no_line_asks_for_more_than_its_origin_allows() {
    let letters = ('a'..='z').chain('A'..='Z');
    let flags: Vec<String> = letters.map(|letter| format!("-{letter}")).collect();
    let operands: [&[&str]; 5] =
        [&[], &["#(touch x)"], &["#(touch x)", "true"], &["1", "run-shell 'touch x'"], &["-"]];
    for row in COMMANDS {
        for flag in std::iter::once("--").chain(flags.iter().map(String::as_str)) {
            for operands in operands {
                let words = [&[row.name(), flag], operands].concat();
                for origin in [LineOrigin::Sent, LineOrigin::Hook, LineOrigin::Program] {
                    let (steps, _) = steps(&words, origin);
                    let acts: Vec<_> = steps.iter().filter(|step| !is_allowed(origin, step)).collect();
                    assert!(acts.is_empty(), "{origin:?} {words:?}: {acts:?}");
                }
            }
        }
    }
    let (steps, ended) = steps(&["run-shell", "touch x"], LineOrigin::Sent);
    assert!(steps.iter().all(|step| is_allowed(LineOrigin::Sent, step)), "{steps:?}");
    assert_eq!(ended, Err("A program tried to start `touch x` in your name; ignored".into()));
}
