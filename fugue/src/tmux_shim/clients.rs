//! Clients: attaching this terminal, and what an attached client is asked to do.

use std::os::unix::process::CommandExt;

use fugue_protocol::SessionId;
use fugue_protocol::targets::TargetKind;
use fugue_protocol::verbs::{DetachClient, RunInClient};

use super::channels::Signal;
use super::flags::ParsedFlags;
use super::{Outcome, Shim, Speaker};

/// Quotes a word for a command line of the client.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// The client of `-c` or `-t`: `client-3` or `3`.
pub(super) fn named(name: Option<&str>) -> Result<Option<u64>, String> {
    let Some(name) = name else { return Ok(None) };
    let number = name.trim_start_matches("client-").parse();
    number.map(Some).map_err(|_| format!("can't find client: {name}"))
}

/// Has a client run a command line.
fn command(shim: &mut Shim, client: Option<u64>, line: &str) -> Result<(), String> {
    // The client that shows what the command is about, or else the only one.
    let here = shim.find(None, TargetKind::Pane).ok().map(|at| at.session);
    let shows = shim.clients.iter().rev().find(|client| Some(client.session_id) == here);
    let client = client.or(shows.or(shim.clients.last()).map(|client| client.client));
    let Some(client) = client else { return Err("no current client".into()) };
    shim.call(&RunInClient { client: Some(client), line: line.to_owned() })?;
    Ok(())
}

/// Has a client run a command that only a client can run.
pub(super) fn in_client(shim: &mut Shim, line: &str) -> Outcome {
    command(shim, None, line).map(|()| String::new())
}

/// Has a client run the words of a tmux command.
pub(super) fn run_in_client(shim: &mut Shim, words: &[String]) -> Outcome {
    if let Some(why) = fugue_tui::tmux_refusal(words) {
        return Err(why);
    }
    if shim.speaker == Speaker::Person && shim.clients.is_empty() {
        let hint = "hint: attach with `fugue`, then use the command prompt";
        return Err(format!("fugue: `{}` works only in an attached client\n{hint}", words[0]));
    }
    let line: Vec<_> = words.iter().map(|word| quoted(word)).collect();
    in_client(shim, &line.join(" ")).map_err(|why| format!("{}: {why}", words[0]))
}

/// Shows a message in a client's status line; without a client, nobody sees it.
pub(super) fn show(shim: &mut Shim, client: Option<u64>, text: &str) {
    let _ = command(shim, client, &format!("say {}", quoted(text)));
}

/// Whether this terminal can be attached.
pub(super) fn check_terminal() -> Result<(), String> {
    if std::env::var_os("FUGUE_PANE_ID").is_some() {
        return Ok(());
    }
    fugue_tui::check_terminal("-d creates a session without attaching")
        .map_err(|_| "open terminal failed: not a terminal".to_owned())
}

/// Shows a session: in this terminal, or, inside a pane, in the client that shows the pane.
pub(super) fn show_session(shim: &mut Shim, session: SessionId) -> Outcome {
    if std::env::var_os("FUGUE_PANE_ID").is_some() || shim.at.is_some() {
        return in_client(shim, &format!("attach {session}"));
    }
    exec_attach(shim, session, &[])
}

/// Attaches this terminal, in this process.
fn exec_attach(shim: &Shim, session: SessionId, flags: &[&str]) -> Outcome {
    check_terminal()?;
    let this = std::env::current_exe().map_err(|why| why.to_string())?;
    let server = shim.server.as_deref().map(|server| format!("--server={server}"));
    let why = std::process::Command::new(this)
        .arg0("fugue")
        .args(server)
        .arg("attach")
        .arg(session.to_string())
        .args(flags)
        .exec();
    Err(format!("cannot attach: {why}"))
}

/// `attach-session`
pub(super) fn attach(shim: &mut Shim, given: &ParsedFlags) -> Outcome {
    if shim.sessions.is_empty() {
        return Err("no sessions".into());
    }
    let session = shim.session(given)?.session;
    if std::env::var_os("FUGUE_PANE_ID").is_some() || shim.at.is_some() {
        return in_client(shim, &format!("attach {session}"));
    }
    let flags = [('d', "--detach-others"), ('r', "--read-only")];
    let flags: Vec<_> = flags.into_iter().filter(|(letter, _)| given.has(*letter)).collect();
    exec_attach(shim, session, &flags.into_iter().map(|(_, flag)| flag).collect::<Vec<_>>())
}

/// `switch-client`
pub(super) fn switch(shim: &mut Shim, given: &ParsedFlags) -> Outcome {
    let client = named(given.value('c'))?;
    let relative = [('n', "{next-session}"), ('p', "{previous-session}"), ('l', "{last-session}")];
    let relative = relative.into_iter().find(|(letter, _)| given.has(*letter)).map(|(_, word)| word);
    let line = match (relative, given.value('T'), given.target()) {
        (Some(word), ..) => format!("attach {word}"),
        (_, Some(table), _) => return Err(format!("fugue has no key tables: -T {table}")),
        (.., Some(target)) => {
            let at = shim.find(Some(target), TargetKind::Pane).or_else(|_| shim.session(given))?;
            match target.contains([':', '.', '%', '@']) {
                true => format!("attach {} {}", at.session, at.pane),
                false => format!("attach {}", at.session),
            }
        }
        _ => return Err("no target: -t, -n, -p or -l names a session".into()),
    };
    command(shim, client, &line)?;
    Ok(String::new())
}

/// `detach-client`
pub(super) fn detach(shim: &mut Shim, given: &ParsedFlags) -> Outcome {
    if let Some(session) = given.value('s') {
        let session = shim.find(Some(session), TargetKind::Session)?.session;
        shim.call(&DetachClient { client: None, session: Some(session.into()) })?;
        return Ok(String::new());
    }
    let here = shim.find(None, TargetKind::Pane).ok().map(|at| at.session);
    let own = shim.clients.iter().rev().find(|client| Some(client.session_id) == here);
    let own = named(given.target())?.or(own.or(shim.clients.last()).map(|client| client.client));
    let own = own.ok_or("no current client")?;
    let clients: Vec<_> = match given.has('a') {
        true => shim.clients.iter().map(|client| client.client).filter(|client| *client != own).collect(),
        false => vec![own],
    };
    for client in clients {
        shim.call(&DetachClient { client: Some(client), session: None })?;
    }
    Ok(String::new())
}

/// `display-popup`: a program waits until the popup is closed, and gets its exit code.
pub(super) fn popup(shim: &mut Shim, given: &ParsedFlags) -> Outcome {
    let client = named(given.value('c'))?;
    if given.has('C') {
        return Err("fugue closes a popup when its program ends".into());
    }
    let mut line = "display-popup".to_owned();
    for (letter, flag) in [('w', "-w"), ('h', "-h")] {
        if let Some(size) = given.value(letter) {
            line += &format!(" {flag} {}", quoted(size));
        }
    }
    if let Some(directory) = given.value('d') {
        let directory =
            if directory.contains('#') { shim.expand_here(directory)? } else { directory.to_owned() };
        line += &format!(" -d {}", quoted(&directory));
    }
    let variables: String = given
        .values('e')
        .filter_map(|entry| entry.split_once('='))
        .fold(String::new(), |text, (name, value)| text + &format!("export {name}={}; ", quoted(value)));
    let program = match given.operands.as_slice() {
        [] => "exec \"${SHELL:-sh}\"".to_owned(),
        [line] => line.clone(),
        words => words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "),
    };
    if shim.speaker == Speaker::Person {
        command(shim, client, &format!("{line} -- sh -c {}", quoted(&(variables + &program))))?;
        return Ok(String::new());
    }
    let signal = Signal::new(shim)?;
    // Whoever closes the popup ends the wait, too.
    let report = |code: &str| format!("echo {code} > {}", quoted(&signal.path().to_string_lossy()));
    let (closed, ended) = (quoted(&(report("1") + "; exit")), report("$?"));
    let program = format!("trap {closed} HUP TERM; {variables}({program}); {ended}");
    command(shim, client, &format!("{line} -- sh -c {}", quoted(&program)))?;
    match signal.wait()?.trim() {
        "0" | "" => Ok(String::new()),
        _ => Err(String::new()),
    }
}
