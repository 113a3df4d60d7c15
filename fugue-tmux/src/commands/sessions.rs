//! tmux's commands for sessions.

use fugue_protocol::escape::escape;
use fugue_protocol::targets::TargetKind;
use fugue_protocol::verbs::{
    CreateSession, KeyValue, KillSession, MoveWindow, Program, RenameSession, Shutdown, WindowChoice,
};
use fugue_protocol::{OptionScope, PaneId, Size};

use crate::context::{LineContext, Outcome};
use crate::flags::{Flags, parsed};

use super::clients;
use super::program::program;

/// `has-session`
pub(super) async fn has(cx: &mut LineContext, given: &Flags) -> Outcome {
    cx.session(given).map(|_| String::new())
}

/// `new-session`
pub(super) async fn new(cx: &mut LineContext, given: &Flags) -> Outcome {
    if given.target().is_some() {
        let target = given.target().unwrap_or_default();
        return Err(format!(
            "fugue has no session groups: each client that shows a session has a current window of its own\n\
             hint: `attach-session -t {target}` attaches another client to it"
        ));
    }
    let name = given.value('s').map(allowed_name);
    let name = name.as_deref();
    let existing = name.filter(|_| given.has('A')).and_then(|name| {
        cx.sessions.iter().find(|session| session.name.as_str() == name).map(|session| session.session_id)
    });
    if let Some(session) = existing {
        return if given.has('d') || cx.setting.is_startup {
            Ok(String::new())
        } else {
            clients::show_session(cx, session, given, 'D').await
        };
    }
    if let Some(name) = name.filter(|_| !cx.is_person()) {
        check_is_new(cx, name)?;
    }
    let stays = given.has('d') || cx.setting.is_startup;
    if !stays {
        clients::check_terminal(cx)?;
    }
    let create = CreateSession {
        name: name.map(|name| parsed(name, "session")).transpose()?,
        window_name: given.value('n').map(|name| parsed(name, "window")).transpose()?,
        size: size(given).or_else(|| (!stays).then_some(cx.setting.window_area)),
        program: program_of_login(cx, given).await?,
        ..CreateSession::default()
    };
    let created = cx.call(&create).await?;
    if let Some(index) = super::windows::first_index(cx, created.session_id) {
        let choice = WindowChoice { session: None, window: Some(created.window_id.into()) };
        cx.call(&MoveWindow { choice, to_session: None, index: Some(index) }).await?;
    }
    if let Some(Size { cols, rows }) = size(given).filter(|_| !cx.is_person()) {
        let scope = OptionScope::Session(created.session_id);
        cx.set_option(scope, "default-size", Some(&format!("{cols}x{rows}"))).await?;
    }
    let printed = cx.report(given, created.pane_id, "#{session_name}:").await?;
    cx.used(created.session_id);
    if stays {
        return Ok(printed);
    }
    cx.print(&printed).await?;
    clients::show_session(cx, created.session_id, given, 'D').await
}

/// Refuses the name of a session that exists, in tmux's words.
fn check_is_new(cx: &LineContext, name: &str) -> Result<(), String> {
    match cx.sessions.iter().any(|session| session.name.as_str() == name) {
        true => Err(format!("duplicate session: {name}")),
        false => Ok(()),
    }
}

/// A session's name as tmux allows it: what separates the parts of a target becomes `_`.
pub fn allowed_name(name: &str) -> String {
    name.replace([':', '.'], "_")
}

/// The program of a new session, with the variables of this login: those that `-e` gives come first, and `-E` leaves all
/// of them out.
async fn program_of_login(cx: &mut LineContext, given: &Flags) -> Result<Program, String> {
    let mut program = program(cx, given, true).await?;
    let login = cx.setting.login.iter().filter(|_| !given.has('E'));
    for (name, value) in login {
        if program.env.iter().all(|given| given.0 != *name) {
            program.env.push(KeyValue(name.clone(), value.clone()));
        }
    }
    Ok(program)
}

/// The size that `-x` and `-y` give.
fn size(given: &Flags) -> Option<Size> {
    let usual = Size { cols: 80, rows: 24 };
    let cells = |letter| given.value(letter).and_then(|cells| cells.parse().ok());
    match (cells('x'), cells('y')) {
        (None, None) => None,
        (cols, rows) => Some(Size { cols: cols.unwrap_or(usual.cols), rows: rows.unwrap_or(usual.rows) }),
    }
}

/// `rename-session`
pub(super) async fn rename(cx: &mut LineContext, given: &Flags) -> Outcome {
    let at = cx.session(given)?;
    let name = allowed_name(given.operand(0));
    if cx.views(at).0.name.as_str() != name && !cx.is_person() {
        check_is_new(cx, &name)?;
    }
    cx.call(&RenameSession { session: Some(at.session.into()), name: parsed(&name, "session")? }).await?;
    Ok(String::new())
}

/// `kill-session`
pub(super) async fn kill(cx: &mut LineContext, given: &Flags) -> Outcome {
    let own = cx.find(given.target(), TargetKind::Session)?.session;
    let others = cx.sessions.iter().map(|session| session.session_id).filter(|session| *session != own);
    let sessions: Vec<_> = match (given.has('a'), given.has('C')) {
        (_, true) => Vec::new(),
        (true, _) => others.collect(),
        _ => vec![own],
    };
    for session in sessions {
        cx.call(&KillSession { session: session.into() }).await?;
    }
    Ok(String::new())
}

/// `kill-server`, which says what it ended: to a program that knows tmux only if a person reads the output.
pub(super) async fn kill_server(cx: &mut LineContext, _: &Flags) -> Outcome {
    let ended = crate::daemon_end::sentence(&cx.setting.daemon, &cx.sessions);
    cx.call(&Shutdown::default()).await?;
    Ok(if cx.setting.is_silent { String::new() } else { escape(&ended).into_owned() })
}

/// `start-server`: the daemon runs already, or was started to run this.
pub(super) async fn start_server(_: &mut LineContext, _: &Flags) -> Outcome {
    Ok(String::new())
}

impl LineContext {
    /// Prints a new pane, if `-P` asks for it.
    pub(super) async fn report(&mut self, given: &Flags, pane: PaneId, format: &str) -> Outcome {
        self.refresh().await?;
        if !given.has('P') {
            return Ok(String::new());
        }
        let place = fugue_protocol::targets::TargetTree::of(&self.sessions).place_of_pane(pane);
        let place = place.ok_or("the new pane has already exited")?;
        self.expand(given.value('F').unwrap_or(format), place).await
    }
}
