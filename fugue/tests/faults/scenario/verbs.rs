//! Changes of the tree, with a model of what was acknowledged. A change that was not acknowledged may have happened.

use std::cell::RefCell;
use std::collections::BTreeMap;

use fugue_testkit::{Random, TestServer, until};
use serde_json::Value;

use super::tally::Tally;
use super::{Stage, pause};

/// Sessions whose names, windows, tags and metadata are changed.
const SESSIONS: usize = 3;

/// Sessions that are created and killed, by number.
const CREATED: u64 = 4;

/// Changes after which the tree is compared: a mistake is found near its cause.
const COMPARE_EVERY: usize = 25;

/// The values that a thing may have now, by what it is. None stands for absent.
#[derive(Default)]
pub(super) struct TreeModel {
    /// The ids of the sessions that are changed.
    sessions: Vec<String>,
    values: BTreeMap<String, Vec<Option<String>>>,
}

/// A change: the thing, its new value, and the command.
struct Change {
    thing: String,
    value: Option<String>,
    words: Vec<String>,
}

pub(super) fn start(server: &TestServer) -> TreeModel {
    let mut model = TreeModel::default();
    for name in (0..SESSIONS).map(|number| format!("model-{number}")) {
        let reply = server.json(&["new", "-d", "-s", &name, "-n", "window", "--", "cat"]);
        let id = reply["session_id"].as_str().expect("a session").to_owned();
        model.values.insert(format!("{id} name"), vec![Some(name)]);
        model.values.insert(format!("{id} window"), vec![Some("window".into())]);
        model.sessions.push(id);
    }
    model
}

pub(super) fn run(stage: &Stage<'_>, mut model: TreeModel) -> Tally {
    let (mut tally, mut random) = (Tally::new("verbs"), stage.random(8));
    let (mut acknowledged, mut unacknowledged) = (0, BTreeMap::<String, usize>::new());
    for number in 0_usize.. {
        if stage.is_over() {
            break;
        }
        let change = model.random_change(number, &mut random);
        let words: Vec<_> = change.words.iter().map(String::as_str).collect();
        let ran = tally.timed(|| stage.server.run(&words));
        if ran.code == 0 {
            model.values.insert(change.thing, vec![change.value]);
            acknowledged += 1;
        } else {
            model.values.entry(change.thing).or_insert_with(|| vec![None]).push(change.value);
            *unacknowledged.entry(reason(&ran.err)).or_default() += 1;
        }
        if number % COMPARE_EVERY == 0 {
            model.compare(stage.server, &mut tally);
        }
        pause(&mut random, 100);
    }
    model.compare(stage.server, &mut tally);
    tally.counts = format!("{acknowledged} changes acknowledged, not acknowledged: {unacknowledged:?}");
    tally
}

/// The sentence of an error, without the names in it.
fn reason(error: &str) -> String {
    let sentence = error.lines().next().unwrap_or_default().trim_start_matches("fugue: ");
    sentence
        .split(' ')
        .filter(|word| !word.contains(|c: char| c.is_ascii_digit()))
        .collect::<Vec<_>>()
        .join(" ")
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

impl TreeModel {
    fn random_change(&self, number: usize, random: &mut Random) -> Change {
        let kind = random.below(6);
        let session = &self.sessions[usize::try_from(random.below(SESSIONS as u64)).expect("small")];
        let (which, value) = (random.below(3).to_string(), format!("value-{number}"));
        let thing = |name: &str| format!("{session} {name}");
        let (thing, value, words) = match kind {
            0 => (thing("name"), Some(value.clone()), words(&["rename-session", "-s", session, &value])),
            1 => (thing("window"), Some(value.clone()), words(&["rename-window", "-s", session, &value])),
            2 => {
                let flag = ["--add", "--remove"][usize::from(random.below(2) > 0)];
                let tag = format!("tag-{which}");
                let value = (flag == "--add").then(String::new);
                (thing(&tag), value, words(&["set-tags", "-s", session, flag, &tag]))
            }
            3 | 4 => (
                thing(&format!("key-{which}")),
                Some(value.clone()),
                words(&["set-metadata", "-s", session, &format!("key-{which}"), &value]),
            ),
            _ => return self.random_session(random),
        };
        Change { thing, value, words }
    }

    /// Creates or kills a session.
    fn random_session(&self, random: &mut Random) -> Change {
        let name = format!("made-{}", random.below(CREATED));
        let may_exist = self.values.get(&name).is_some_and(|values| values.contains(&Some(String::new())));
        if may_exist {
            Change { words: words(&["kill-session", "-s", &name]), thing: name, value: None }
        } else {
            Change {
                words: words(&["new", "-d", "-s", &name, "--", "cat"]),
                thing: name,
                value: Some(String::new()),
            }
        }
    }

    /// Compares the tree, and continues with what is there.
    fn compare(&mut self, server: &TestServer, tally: &mut Tally) {
        // The daemon may be stopped for longer than a command waits for it.
        let found = RefCell::new(BTreeMap::new());
        until("the daemon lists its sessions", || {
            let listed = server.run(&["ls", "--json"]);
            *found.borrow_mut() =
                serde_json::from_str(&listed.out).map(|list| tree(&list)).unwrap_or_default();
            listed.code == 0
        });
        let found = found.into_inner();
        for (thing, values) in &mut self.values {
            let now = found.get(thing).cloned();
            if !values.contains(&now) {
                let lost = usize::from(now.is_none());
                let text = || format!("{thing} is {now:?}, should be one of {values:?}");
                if lost > 0 { tally.lose(lost, text) } else { tally.mistake(text) }
            }
            *values = vec![now];
        }
    }
}

/// The values in the tree.
fn tree(list: &Value) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for session in list["sessions"].as_array().expect("sessions") {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (id, name) = (text(&session["session_id"]), text(&session["name"]));
        found.insert(format!("{id} window"), text(&session["windows"][0]["name"]));
        let tags = session["tags"].as_array().into_iter().flatten();
        found.extend(tags.map(|tag| (format!("{id} {}", text(tag)), String::new())));
        let metadata = session["metadata"].as_object().into_iter().flatten();
        found.extend(metadata.map(|(key, value)| (format!("{id} {key}"), text(value))));
        if name.starts_with("made-") {
            found.insert(name.clone(), String::new());
        }
        found.insert(format!("{id} name"), name);
    }
    found
}
