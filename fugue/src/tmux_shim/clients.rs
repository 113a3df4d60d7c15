//! Clients: attaching this terminal, and what an attached client is asked to do.

use std::os::unix::process::CommandExt;

use fugue_protocol::SessionId;
use fugue_protocol::targets::TargetKind;
use fugue_protocol::verbs::{DetachClient, RunInClient};

use super::flags::{self, ShimFlags};
use super::shim::{Outcome, Shim, Speaker};

/// Quotes a word for a command line of the client.
pub(super) fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// The client of `-c` or `-t`: `client-3`, `3`, or its terminal's device, as `#{client_tty}` has it.
pub(super) fn named(shim: &Shim, name: Option<&str>) -> Result<Option<u64>, String> {
    let Some(name) = name else { return Ok(None) };
    let number = name.strip_prefix("client-").unwrap_or(name).parse().ok();
    let is_device = |tty: &str| tty == name || tty.strip_prefix("/dev/") == Some(name);
    let of_device = || shim.clients.iter().find(|client| client.tty.as_deref().is_some_and(is_device));
    let found = number.or_else(|| of_device().map(|client| client.client));
    found.map(Some).ok_or_else(|| format!("can't find client: {name}"))
}

/// The client that is named, or else the one that shows what a command is about, or else the last one.
pub(super) fn chosen(shim: &mut Shim, client: Option<u64>) -> Result<u64, String> {
    let here = shim.find(None, TargetKind::Pane).ok().map(|at| at.session);
    let shows = shim.clients.iter().rev().find(|client| Some(client.session_id) == here);
    let usual = shows.or(shim.clients.last()).map(|client| client.client);
    client.or(usual).ok_or_else(|| "no current client".to_owned())
}

/// Has a client run a command line.
pub(super) fn command(shim: &mut Shim, client: Option<u64>, line: &str) -> Result<(), String> {
    let client = chosen(shim, client)?;
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
    let (client, words) = without_client(shim, words)?;
    let line: Vec<_> = words.iter().map(|word| quoted(word)).collect();
    command(shim, client, &line.join(" ")).map_err(|why| format!("{}: {why}", words[0]))?;
    Ok(String::new())
}

/// The commands of a client whose `-t` names that client, and their flags.
const OF_A_CLIENT: [(&[&str], &str); 6] = [
    (&["command-prompt"], "1bFkiI:Np:t:T:"),
    (&["confirm-before", "confirm"], "bc:p:t:y"),
    (&["display-panes", "displayp"], "bd:Nt:"),
    (&["refresh-client", "refresh"], "A:B:cC:Df:r:F:lLRSt:U"),
    (&["show-messages", "showmsgs"], "JTt:"),
    (&["suspend-client", "suspendc"], "t:"),
];

/// The client that a command names, and the command without it.
fn without_client(shim: &Shim, words: &[String]) -> Result<(Option<u64>, Vec<String>), String> {
    let name = words[0].as_str();
    let Some((_, flags)) = OF_A_CLIENT.iter().find(|(names, _)| names.contains(&name)) else {
        return Ok((None, words.to_vec()));
    };
    let given = flags::parse(name, flags, &words[1..])?;
    let client = named(shim, given.target())?;
    Ok((client, std::iter::once(name.to_owned()).chain(given.words_without('t')).collect()))
}

/// Shows a message in a client's status line; without a client, nobody sees it.
pub(super) fn show(shim: &mut Shim, client: Option<u64>, text: &str) {
    let _ = command(shim, client, &format!("say {}", quoted(text)));
}

/// Whether this terminal can be attached, or a client shows the caller's pane.
pub(super) fn check_terminal(shim: &Shim) -> Result<(), String> {
    if shim.own_pane.is_some() {
        return Ok(());
    }
    fugue_tui::check_terminal("-d creates a session without attaching")
        .map_err(|_| "open terminal failed: not a terminal".to_owned())
}

/// Shows a session: in this terminal, or, inside a pane, in the client that shows the pane. `detaches` is the flag that
/// detaches others.
pub(super) fn show_session(
    shim: &mut Shim,
    session: SessionId,
    given: &ShimFlags,
    detaches: char,
) -> Outcome {
    if shim.own_pane.is_some() || shim.at.is_some() {
        return in_client(shim, &format!("attach {session}"));
    }
    let watches = given.values('f').flat_map(|flags| flags.split(',')).any(|flag| flag == "read-only");
    let flags = [
        (given.has(detaches) || given.has('x'), "--detach-others"),
        (given.has('r') || watches, "--read-only"),
    ];
    let flags: Vec<_> = flags.into_iter().filter(|(wanted, _)| *wanted).map(|(_, flag)| flag).collect();
    exec_attach(shim, session, &flags)
}

/// Attaches this terminal, in this process.
fn exec_attach(shim: &Shim, session: SessionId, flags: &[&str]) -> Outcome {
    check_terminal(shim)?;
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
pub(super) fn attach(shim: &mut Shim, given: &ShimFlags) -> Outcome {
    if shim.sessions.is_empty() {
        return Err("no sessions".into());
    }
    let session = shim.session(given)?.session;
    show_session(shim, session, given, 'd')
}

/// `switch-client`
pub(super) fn switch(shim: &mut Shim, given: &ShimFlags) -> Outcome {
    let client = named(shim, given.value('c'))?;
    let relative = [('n', "{next-session}"), ('p', "{previous-session}"), ('l', "{last-session}")];
    let relative = relative.into_iter().find(|(letter, _)| given.has(*letter)).map(|(_, word)| word);
    let line = match (relative, given.value('T'), given.target()) {
        (Some(word), ..) => format!("attach {word}"),
        (_, Some(_), _) => {
            return Err("fugue has no `switch-client -T`: key tables cannot be selected".into());
        }
        _ if given.has('r') => {
            return Err("fugue has no `switch-client -r`: use `fugue attach --read-only`".into());
        }
        (.., Some(target)) => {
            let at = shim.find(Some(target), TargetKind::Pane).or_else(|_| shim.session(given))?;
            match target.contains([':', '.', '%', '@']) {
                true => format!("attach {} {}", at.session, at.pane),
                false => format!("attach {}", at.session),
            }
        }
        _ => return Err("no target: use -t, -n, -p or -l".into()),
    };
    command(shim, client, &line)?;
    Ok(String::new())
}

/// `detach-client`
pub(super) fn detach(shim: &mut Shim, given: &ShimFlags) -> Outcome {
    if let Some(session) = given.value('s') {
        let session = shim.find(Some(session), TargetKind::Session)?.session;
        shim.call(&DetachClient { client: None, session: Some(session.into()) })?;
        return Ok(String::new());
    }
    let here = shim.find(None, TargetKind::Pane).ok().map(|at| at.session);
    let own = shim.clients.iter().rev().find(|client| Some(client.session_id) == here);
    let own = named(shim, given.target())?.or(own.or(shim.clients.last()).map(|client| client.client));
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
