//! tmux's commands as rows: names, flags, and the function that carries it out. A command without a row is translated
//! as the client's command prompt does it.

use fugue_protocol::verbs::{GetTags, VerbInfo};

use super::flags::{self, ParsedFlags};
use super::{Outcome, Shim, options, panes, sessions};
use crate::print;

/// A command.
struct ShimCommand {
    /// Its name and its abbreviation.
    names: &'static [&'static str],
    /// Its flags; a colon follows those that have a value.
    flags: &'static str,
    run: fn(&mut Shim, &ParsedFlags) -> Outcome,
}

const fn row(
    names: &'static [&'static str],
    flags: &'static str,
    run: fn(&mut Shim, &ParsedFlags) -> Outcome,
) -> ShimCommand {
    ShimCommand { names, flags, run }
}

const COMMANDS: &[ShimCommand] = &[
    row(&["display-message", "display"], "aCc:d:F:IlNpt:v", sessions::display),
    row(&["has-session", "has"], "t:", sessions::has_session),
    row(&["kill-pane", "killp"], "at:", panes::kill),
    row(&["list-panes", "lsp"], "aF:f:st:", sessions::list_panes),
    row(&["list-sessions", "ls"], "F:f:", sessions::list_sessions),
    row(&["list-windows", "lsw"], "aF:f:t:", sessions::list_windows),
    row(&["new-session", "new"], "Ac:dDe:EF:f:n:Ps:t:x:Xy:", sessions::new_session),
    row(&["new-window", "neww"], "abc:de:F:kn:PSt:", sessions::new_window),
    row(&["resize-pane", "resizep"], "DLMRTt:Ux:y:Z", panes::resize),
    row(&["respawn-pane", "respawnp"], "c:e:kt:", panes::respawn),
    row(&["select-layout", "selectl"], "Enopt:", panes::layout),
    row(&["select-pane", "selectp"], "DdegLlMmP:RT:t:UZ", panes::select),
    row(&["set-option", "set", "set-window-option", "setw"], "aFgopqst:uUw", options::set),
    row(&["show-options", "show", "show-window-options", "showw"], "AgHpqst:vw", options::show),
    row(&["split-window", "splitw"], "bc:de:fF:hIl:p:Pt:vZ", panes::split),
];

/// The commands that hide and show panes. They would take a teammate out of its session, so a team ignores them.
const MOVES: [&str; 4] = ["break-pane", "breakp", "join-pane", "joinp"];

/// Runs a command.
pub(super) fn run(shim: &mut Shim, words: &[String]) -> Outcome {
    shim.ids.update(&shim.sessions)?;
    let (name, rest) = words.split_first().ok_or("no command")?;
    match COMMANDS.iter().find(|row| row.names.contains(&name.as_str())) {
        Some(row) => (row.run)(shim, &flags::parse(row.names[0], row.flags, rest)?),
        None if shim.team && MOVES.contains(&name.as_str()) => Ok(String::new()),
        None if fugue_tui::is_tmux(name) => translate(shim, words),
        None => Err(format!("unknown command: {name}")),
    }
}

/// Runs a command that has no row as the fugue command that takes its place.
fn translate(shim: &mut Shim, words: &[String]) -> Outcome {
    let known = |word: &String| match shim.ids.find(word) {
        Some((_, Some(id))) => id.to_owned(),
        _ => word.clone(),
    };
    let words: Vec<_> = words.iter().map(known).collect();
    let here = shim.call(&GetTags::default())?.session_id;
    let line =
        fugue_tui::from_tmux(&words, here, shim.sessions.clone()).unwrap_or_else(|| Ok(words.clone()))?;
    let verb = VerbInfo::by_name_or_alias(&line[0]);
    let verb = verb.ok_or_else(|| format!("{}: only an attached client can do this", words[0]))?;
    let command = verb.command().no_binary_name(true);
    let matches = command.try_get_matches_from(&line[1..]).map_err(|why| why.to_string())?;
    let request = verb.from_matches(&matches).map_err(|why| why.to_string())?;
    let arguments = request.args().map_err(|why| why.to_string())?;
    let reply = shim.connection.call_named(verb.name, &arguments).map_err(|error| error.message())?;
    let reads = verb.nature == fugue_protocol::verbs::Nature::Reads;
    Ok(if reads { print::text(verb.name, &reply) } else { String::new() })
}
