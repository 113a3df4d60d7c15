//! From a command line to what is to be done: a verb with its target filled in, or something of the client's own.

use clap::Command as ClapCommand;
use clap::error::{ContextKind, ContextValue};
use fugue_protocol::refusal::nearest;
use fugue_protocol::verbs::{NAMES, Nature};
use fugue_protocol::{SessionId, Verb};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};

mod word_split;
use crate::tmux;
use crate::tree::Tree;

/// What only the client can do, with a few words about each.
pub(crate) const OWN: &[(&str, &str)] = &[
    ("detach", "leave; everything goes on"),
    ("attach", "go to another session: attach NAME"),
    ("new-session", "make a session and go there: new-session -s NAME"),
    ("suspend", "put the client to sleep"),
    ("send-prefix", "send the prefix key itself"),
    ("command-prompt", "type a command"),
    ("ask", "ask for a word: ask QUESTION SUGGESTION COMMAND"),
    ("confirm", "ask before doing something: confirm COMMAND"),
    ("choose-tree", "choose a session, window or pane"),
    ("display-panes", "show the panes' numbers"),
    ("copy-mode", "look back, search and copy"),
    ("paste-buffer", "paste what was copied last"),
    ("display-popup", "a program in a box: display-popup -w 60 -h 50% -- PROGRAM"),
    ("sync-pane", "let this pane get what is typed into other synced panes, or no longer"),
    ("sync-panes", "the same for all panes that are seen"),
    ("move-pane", "choose a pane, also of another session, beside which this one goes"),
    ("next-agent", "go to the agent that has waited longest for you"),
    ("agents", "all agents, with how they are doing"),
    ("sidebar", "show or hide the sidebar"),
    ("messages", "the messages between agents"),
    ("mute", "no more notifications of this pane, or again"),
    ("choose-client", "the terminals that look on; one can be sent away"),
    ("choose-buffer", "choose what to paste"),
    ("delete-buffer", "forget what was copied last"),
    ("describe-key", "say what a key does"),
    ("edit-history", "open the pane's history in $EDITOR"),
    ("mark", "mark the pane, or take the mark away"),
    ("unmark", "take the mark away"),
    ("pane-menu", "what can be done with the pane"),
    ("window-menu", "what can be done with the window"),
    ("show-messages", "what the status line said"),
    ("palette", "find a command or a pane"),
    ("help", "the keys"),
    ("clock", "show the time"),
    ("say", "say something on the status line: say WORDS"),
    ("info", "say what this pane is"),
    ("redraw", "draw everything anew"),
    ("reload", "read config.toml again"),
];

/// Verbs by which a person goes somewhere: whoever only watches may do so, too.
pub(crate) const GOES: [&str; 2] = ["focus-pane", "select-window"];

/// Verbs that only look, and may look for long: what is typed meanwhile is the pane's.
pub(crate) const WAITS: [&str; 1] = ["wait"];

/// Verbs that change what there is and where the person is in it, and take no longer than a program needs to start.
/// What is typed behind one of them is meant for what it leads to.
pub(crate) const LEADS: [&str; 20] = [
    "create-session",
    "rename-session",
    "select-session",
    "kill-session",
    "create-window",
    "create-layout",
    "rename-window",
    "select-window",
    "move-window",
    "select-layout",
    "rotate-panes",
    "kill-window",
    "create-pane",
    "focus-pane",
    "zoom-pane",
    "swap-panes",
    "join-pane",
    "break-pane",
    "respawn-pane",
    "close-pane",
];

/// Whether a verb only looks.
pub(crate) fn only_reads(name: &str) -> bool {
    Verb::nature_of(name) == Some(Nature::Reads)
}

/// Something to do.
#[derive(Debug)]
pub(crate) enum Command {
    /// A verb, ready to be sent.
    Verb { name: &'static str, args: Box<RawValue> },
    /// The client's own, with its words.
    Own(Vec<String>),
}

/// Reads a line.
pub(crate) fn read(line: &str, tree: &Tree, aliases: &[(&str, &'static str)]) -> Result<Command, String> {
    let mut words = ours(word_split::split(line)?, tree, aliases)?;
    let Some(first) = words.first().cloned() else { return Err("there is no command".into()) };
    let own = OWN.iter().any(|(name, _)| *name == first);
    // A question keeps its command for later; everything else is filled in now.
    let fill_from = if first == "ask" { words.len().min(3) } else { words.len() };
    for word in &mut words[..fill_from] {
        *word = fill(word, tree)?;
    }
    if own {
        return Ok(Command::Own(words));
    }
    let alias = aliases.iter().find(|(alias, _)| *alias == first).map(|(_, verb)| *verb);
    let name = alias.or_else(|| NAMES.iter().find(|name| **name == first).copied());
    verb(name.ok_or_else(|| unknown(&first, aliases))?, words, tree)
}

/// The words of a line; what is written as tmux has it becomes a line of ours.
fn ours(words: Vec<String>, tree: &Tree, aliases: &[(&str, &str)]) -> Result<Vec<String>, String> {
    let known = |name: &str| {
        NAMES.contains(&name)
            || OWN.iter().any(|(own, _)| *own == name)
            || aliases.iter().any(|(alias, _)| *alias == name)
    };
    tmux::translate(&words, tree, known).unwrap_or(Ok(words))
}

/// The first command of a line, and what stands behind the semicolon.
pub(crate) fn parted(line: &str) -> (&str, &str) {
    word_split::first(line)
}

/// Words with what stands in braces put in.
pub(crate) fn filled(words: Vec<String>, tree: &Tree) -> Result<Vec<String>, String> {
    words.iter().map(|word| fill(word, tree)).collect()
}

/// What is wrong with a line, wherever the client may be. An empty one is no command and not wrong.
pub(crate) fn check(line: &str, aliases: &[(&str, &'static str)]) -> Result<(), String> {
    let (line, rest) = parted(line);
    if !rest.trim().is_empty() {
        check(rest, aliases)?;
    }
    let nowhere = Tree::new(SessionId::from_bytes([0; 16]));
    let words = ours(word_split::split(line)?, &nowhere, aliases)?;
    let Some(first) = words.first() else { return Ok(()) };
    if OWN.iter().any(|(name, _)| name == first) {
        return Ok(());
    }
    let alias = aliases.iter().find(|(alias, _)| alias == first).map(|(_, verb)| *verb);
    let name = alias.or_else(|| NAMES.iter().find(|name| *name == first).copied());
    let name = name.ok_or_else(|| unknown(first, aliases))?;
    // What stands in braces is filled in when the key is pressed.
    if words.iter().any(|word| word.starts_with('{')) {
        return Ok(());
    }
    read_verb(name, &words).map(drop)
}

fn unknown(word: &str, aliases: &[(&str, &str)]) -> String {
    let own = OWN.iter().map(|(name, _)| *name);
    let tmux = tmux::ROWS.iter().flat_map(|row| row.names.iter().copied());
    let names = NAMES.iter().copied().chain(own).chain(aliases.iter().map(|(alias, _)| *alias)).chain(tmux);
    match nearest(word, names) {
        Some(near) => format!("there is no command `{word}`: did you mean `{near}`?"),
        None => format!("there is no command `{word}`"),
    }
}

/// A verb that a command of the client's own stands for, with that command's words.
pub(crate) fn verb(name: &'static str, words: Vec<String>, tree: &Tree) -> Result<Command, String> {
    let args = read_verb(name, &words)?.args().map_err(|why| why.to_string())?;
    Ok(Command::Verb { name, args: aimed(name, &args, tree) })
}

fn read_verb(name: &'static str, words: &[String]) -> Result<Verb, String> {
    let command = Verb::command(name).unwrap_or_else(|| ClapCommand::new(name)).no_binary_name(true);
    let matches = command.try_get_matches_from(&words[1..]).map_err(|why| told(&why))?;
    Verb::from_matches(name, &matches).map_err(|why| told(&why))
}

/// What is wrong with a verb's words, with the nearest right one.
fn told(why: &clap::Error) -> String {
    let text = why.to_string();
    let first = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
    match why.get(ContextKind::SuggestedArg) {
        Some(ContextValue::String(near)) => format!("{first}: did you mean `{near}`?"),
        _ => first.to_owned(),
    }
}

/// What a line leaves out is what the person looks at: the pane, the window, the session.
fn aimed(name: &str, args: &RawValue, tree: &Tree) -> Box<RawValue> {
    let mut fields: Map<String, Value> = serde_json::from_str(args.get()).unwrap_or_default();
    let schema = Verb::schemas(name).map(|(args, _)| args.to_value()).unwrap_or_default();
    let takes = |field: &str| schema["properties"].get(field).is_some();
    let named = ["pane", "window", "session"].iter().any(|field| fields.contains_key(*field));
    let aims = [
        ("pane", tree.pane().map(|pane| pane.pane_id.to_string())),
        ("window", tree.window().map(|window| window.window_id.to_string())),
        ("session", Some(tree.here.to_string())),
    ];
    // A window that is named by its number is this session's.
    let session_only = fields.contains_key("window") && !fields.contains_key("session");
    let aim = aims.into_iter().find(|(field, _)| takes(field) && (!session_only || *field == "session"));
    if let Some((field, Some(id))) = aim.filter(|_| !named || session_only) {
        fields.insert(field.into(), id.into());
    }
    to_raw_value(&fields).unwrap_or_else(|_| args.to_owned())
}

/// Puts in what the client knows for `{…}`.
fn fill(word: &str, tree: &Tree) -> Result<String, String> {
    let Some(name) = word.strip_prefix('{').and_then(|word| word.strip_suffix('}')) else {
        return Ok(word.to_owned());
    };
    let text = |id: Option<String>, what: &str| id.ok_or_else(|| format!("there is no {what}"));
    match name {
        "next-pane" => text(tree.pane_by(1).map(|id| id.to_string()), "next pane"),
        "previous-pane" => text(tree.pane_by(-1).map(|id| id.to_string()), "previous pane"),
        "this-pane" => text(tree.pane().map(|pane| pane.pane_id.to_string()), "pane here"),
        "last-pane" => text(tree.last_pane().map(|id| id.to_string()), "last pane"),
        "next-window" => text(tree.window_by(1).map(|id| id.to_string()), "next window"),
        "previous-window" => text(tree.window_by(-1).map(|id| id.to_string()), "previous window"),
        "last-window" => text(tree.last_window().map(|id| id.to_string()), "last window"),
        "next-session" => text(tree.session_by(1).map(|id| id.to_string()), "next session"),
        "previous-session" => text(tree.session_by(-1).map(|id| id.to_string()), "previous session"),
        "last-session" => text(tree.last_session.map(|id| id.to_string()), "last session"),
        "marked-pane" => text(tree.marked.map(|id| id.to_string()), "marked pane: prefix m marks one"),
        "window-before" => text(tree.index_by(-1).map(|index| index.to_string()), "window before"),
        "window-after" => text(tree.index_by(1).map(|index| index.to_string()), "window after"),
        "next-call" => text(tree.calling_window(1).map(|id| id.to_string()), "window that calls you"),
        "previous-call" => text(tree.calling_window(-1).map(|id| id.to_string()), "window that calls you"),
        "window-name" => text(tree.window().map(|window| window.name.to_string()), "window"),
        "pane-name" => {
            Ok(tree.pane().and_then(|pane| Some(pane.name.as_ref()?.to_string())).unwrap_or_default())
        }
        "session-name" => text(tree.session().map(|session| session.name.to_string()), "session"),
        "next-layout" => Ok(tree.next_layout().to_string()),
        "previous-layout" => Ok(tree.previous_layout().to_string()),
        "even-layout" => Ok(tree.even_layout().to_string()),
        _ => Ok(word.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::bindings::BINDINGS;

    fn nowhere() -> Tree {
        Tree::new(SessionId::from_bytes([1; 16]))
    }

    #[test]
    fn every_binding_is_a_command_that_can_be_read() {
        for binding in BINDINGS {
            match read(binding.command, &nowhere(), &[]) {
                Err(why) if why.starts_with("there is no ") && !why.contains('`') => {}
                other => drop(other.unwrap_or_else(|why| panic!("{}: {why}", binding.command))),
            }
        }
    }

    #[test]
    fn what_leads_elsewhere_is_a_verb() {
        assert!(LEADS.iter().all(|name| NAMES.contains(name)));
    }

    #[test]
    fn a_wrong_word_is_named_with_the_nearest_right_one() {
        let why = read("create-pain", &nowhere(), &[]).unwrap_err();
        assert_eq!(why, "there is no command `create-pain`: did you mean `create-pane`?");
        let why = read("zoom-pane --loud", &nowhere(), &[]).unwrap_err();
        assert_eq!(why, "unexpected argument '--loud' found");
        let why = read("focus-pane --lefft", &nowhere(), &[]).unwrap_err();
        assert_eq!(why, "unexpected argument '--lefft' found: did you mean `--left`?");
    }

    #[test]
    fn what_is_left_out_is_this_session() {
        let Ok(Command::Verb { name, args }) = read("create-window -n logs", &nowhere(), &[]) else {
            panic!("no verb")
        };
        let session = nowhere().here;
        assert_eq!(
            (name, args.get().contains(&format!("\"session\":\"{session}\""))),
            ("create-window", true)
        );
    }
}
