//! Clients: attaching this terminal, and what an attached client is asked to do.

use fugue_protocol::SessionId;
use fugue_protocol::targets::TargetKind;
use fugue_protocol::verbs::{DetachClient, RunInClient};

use crate::command_table;
use crate::context::{LineContext, Outcome};
use crate::flags::{self, Flags};
use crate::steps::Step;

/// Quotes a word for a command line of the client.
pub(super) fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// The client of `-c` or `-t`: `client-3`, `3`, or its terminal's device, as `#{client_tty}` has it.
pub(super) fn named(cx: &LineContext, name: Option<&str>) -> Result<Option<u64>, String> {
    let Some(name) = name else { return Ok(None) };
    let number = name.strip_prefix("client-").unwrap_or(name).parse().ok();
    let is_device = |tty: &str| tty == name || tty.strip_prefix("/dev/") == Some(name);
    let of_device = || cx.clients.iter().find(|client| client.tty.as_deref().is_some_and(is_device));
    let found = number.or_else(|| of_device().map(|client| client.client));
    found.map(Some).ok_or_else(|| format!("can't find client: {name}"))
}

/// The client that is named, or else the one that runs the line, the one that shows what a command is about, or else the last one.
pub(super) fn chosen(cx: &LineContext, client: Option<u64>) -> Result<u64, String> {
    let client = client.or(cx.setting.client.as_ref().map(|own| own.number));
    let here = cx.find(None, TargetKind::Pane).ok().map(|at| at.session);
    let shows = cx.clients.iter().rev().find(|client| Some(client.session_id) == here);
    let usual = shows.or(cx.clients.last()).map(|client| client.client);
    client.or(usual).ok_or_else(|| "no current client".to_owned())
}

/// Has a client run a command line: the one that runs this line, or one that the daemon tells.
pub(super) async fn command(cx: &LineContext, client: Option<u64>, line: &str) -> Result<(), String> {
    let client = chosen(cx, client)?;
    if cx.setting.client.as_ref().is_some_and(|own| own.number == client) {
        return cx.act(Step::Client(line.to_owned())).await;
    }
    cx.call(&RunInClient { client: Some(client), line: line.to_owned() }).await?;
    Ok(())
}

/// Has a client run a command that only a client can run.
pub(super) async fn in_client(cx: &LineContext, line: &str) -> Outcome {
    command(cx, None, line).await.map(|()| String::new())
}

/// Has a client run the words of a tmux command.
pub(super) async fn run_in_client(cx: &mut LineContext, words: &[String]) -> Outcome {
    if let Some(why) = cx.setting.settings.refusal(words) {
        return Err(why);
    }
    if cx.is_person() && cx.clients.is_empty() {
        let hint = "hint: attach with `fugue`, then use the command prompt";
        return Err(format!("fugue: `{}` works only in an attached client\n{hint}", words[0]));
    }
    let (client, words) = without_client(cx, words)?;
    let line: Vec<_> = words.iter().map(|word| quoted(word)).collect();
    command(cx, client, &line.join(" ")).await.map_err(|why| format!("{}: {why}", words[0]))?;
    Ok(String::new())
}

/// The commands of a client whose `-t` names that client.
const OF_A_CLIENT: [&str; 6] = [
    "command-prompt",
    "confirm-before",
    "display-panes",
    "refresh-client",
    "show-messages",
    "suspend-client",
];

/// The client that a command names, and the command without it.
fn without_client(cx: &LineContext, words: &[String]) -> Result<(Option<u64>, Vec<String>), String> {
    let name = words[0].as_str();
    let row = command_table::named(name).filter(|row| OF_A_CLIENT.contains(&row.name()));
    let Some(row) = row else { return Ok((None, words.to_vec())) };
    let given = flags::parse(row.name(), row.flags, &words[1..])?;
    let client = named(cx, given.target())?;
    Ok((client, std::iter::once(name.to_owned()).chain(given.words_without('t')).collect()))
}

/// Shows a message in a client's status line; without a client, nobody sees it.
pub(super) async fn show(cx: &LineContext, client: Option<u64>, text: &str) {
    let _ = command(cx, client, &format!("say {}", quoted(text))).await;
}

/// Whether this terminal can be attached, or a client shows the caller's pane.
pub(super) fn check_terminal(cx: &LineContext) -> Result<(), String> {
    match &cx.setting.not_attachable {
        Some(why) if cx.setting.own_pane.is_none() => Err(format!("open terminal failed: {why}")),
        _ => Ok(()),
    }
}

/// Shows a session: in this terminal, or, inside a pane, in the client that shows the pane. `detaches` is the flag that
/// detaches others.
pub(super) async fn show_session(
    cx: &mut LineContext,
    session: SessionId,
    given: &Flags,
    detaches: char,
) -> Outcome {
    if cx.setting.own_pane.is_some() || cx.setting.client.is_some() {
        return in_client(cx, &format!("attach {session}")).await;
    }
    let watches = given.values('f').flat_map(|flags| flags.split(',')).any(|flag| flag == "read-only");
    let flags = [
        (given.has(detaches) || given.has('x'), "--detach-others"),
        (given.has('r') || watches, "--read-only"),
    ];
    let flags: Vec<_> = flags.into_iter().filter(|(wanted, _)| *wanted).map(|(_, flag)| flag).collect();
    check_terminal(cx)?;
    cx.act(Step::Attach { session, flags }).await?;
    Ok(String::new())
}

/// `attach-session`
pub(super) async fn attach(cx: &mut LineContext, given: &Flags) -> Outcome {
    if cx.sessions.is_empty() {
        return Err("no sessions".into());
    }
    let session = cx.session(given)?.session;
    show_session(cx, session, given, 'd').await
}

/// `switch-client`
pub(super) async fn switch(cx: &mut LineContext, given: &Flags) -> Outcome {
    let client = named(cx, given.value('c'))?;
    let relative = [('n', "{next-session}"), ('p', "{previous-session}"), ('l', "{last-session}")];
    let relative = relative.into_iter().find(|(letter, _)| given.has(*letter)).map(|(_, word)| word);
    let line = match (relative, given.value('T'), given.target()) {
        (Some(word), ..) => format!("attach {word}"),
        (_, Some(table), _) => format!("key-table {}", quoted(table)),
        _ if given.has('r') => {
            return Err("fugue has no `switch-client -r`: use `fugue attach --read-only`".into());
        }
        (.., Some(target)) => {
            let at = cx.find(Some(target), TargetKind::Pane).or_else(|_| cx.session(given))?;
            match target.contains([':', '.', '%', '@']) {
                true => format!("attach {} {}", at.session, at.pane),
                false => format!("attach {}", at.session),
            }
        }
        _ => return Err("no target: use -t, -n, -p or -l".into()),
    };
    command(cx, client, &line).await?;
    Ok(String::new())
}

/// `detach-client`
pub(super) async fn detach(cx: &mut LineContext, given: &Flags) -> Outcome {
    if let Some(session) = given.value('s') {
        let session = cx.find(Some(session), TargetKind::Session)?.session;
        cx.call(&DetachClient { client: None, session: Some(session.into()) }).await?;
        return Ok(String::new());
    }
    let own = chosen(cx, named(cx, given.target())?)?;
    let clients: Vec<_> = match given.has('a') {
        true => cx.clients.iter().map(|client| client.client).filter(|client| *client != own).collect(),
        false => vec![own],
    };
    for client in clients {
        match &cx.setting.client {
            Some(own) if own.number == client => cx.act(Step::Client("detach".to_owned())).await?,
            _ => drop(cx.call(&DetachClient { client: Some(client), session: None }).await?),
        }
    }
    Ok(String::new())
}
