//! Doing what a command line says.

use fugue_protocol::verbs::{FocusPane, ListMessages, PaneChoice, SelectWindow, WindowChoice};
use serde_json::value::RawValue;

use super::App;
use super::daemon::Purpose;
use crate::command::{self, Command};
use crate::draw;

impl App {
    /// Runs a command line; what is wrong with it is said. What stands behind a semicolon is run where the first leads.
    pub(super) fn run_line(&mut self, line: &str) {
        let (first, rest) = command::parted(line);
        self.run_one(first);
        if !rest.trim().is_empty() {
            self.run_then(rest.trim());
        }
    }

    fn run_one(&mut self, line: &str) {
        match command::read(line, &self.tree, self.options.aliases) {
            Ok(Command::Verb { name, args }) => self.verb(name, &args),
            Ok(Command::Own(words)) => self.own(&words.iter().map(String::as_str).collect::<Vec<_>>()),
            Err(why) => self.say(why),
        }
    }

    /// Asks for a verb, unless this client only watches and it is more than that.
    fn verb(&mut self, name: &'static str, args: &RawValue) {
        let goes = command::GOES.contains(&name);
        if self.options.read_only && !goes && !command::only_reads(name) {
            return self.only_watches();
        }
        let why = match (goes, command::only_reads(name)) {
            (true, _) => Purpose::Go,
            (false, true) => Purpose::Read(name),
            (false, false) => Purpose::Command,
        };
        self.daemon.ask_named(why, name, args);
    }

    /// Says why nothing is done.
    pub(super) fn only_watches(&mut self) {
        self.say("this client only watches: it was attached with --read-only");
    }

    fn own(&mut self, words: &[&str]) {
        match words {
            ["display-popup" | "new-session", ..] if self.options.read_only => self.only_watches(),
            ["detach", ..] => self.detach(),
            ["attach", session, pane] => {
                self.go_to(session);
                self.go_to_pane(pane);
            }
            ["attach", session, ..] => self.go_to(session),
            ["new-session", ..] => self.new_session(words),
            ["suspend", ..] => self.suspend(),
            ["send-prefix", ..] => {
                self.send_key(self.config.keys.prefix());
            }
            ["redraw", ..] => self.painter.forget(),
            ["info", ..] => self.info(),
            ["display-popup", rest @ ..] => self.open_popup(rest),
            ["sync-pane", ..] => self.sync(false),
            ["sync-panes", ..] => self.sync(true),
            ["next-agent", ..] => self.next_agent(),
            ["agents", ..] => self.list_agents(),
            ["sidebar", ..] => self.toggle_sidebar(),
            ["messages", ..] => {
                self.daemon.ask(Purpose::Messages, &ListMessages { limit: 100, ..Default::default() });
            }
            ["mute", ..] => self.mute(),
            ["mark", ..] => self.mark(),
            ["unmark", ..] => self.tree.marked = None,
            ["reload", ..] => self.reload(true),
            ["clock", ..] => self.say_time(),
            ["say"] => self.info(),
            ["say", words @ ..] => self.say(format!(" {}", words.join(" "))),
            words => self.open(words),
        }
        self.dirty = true;
    }

    /// The time, with as much of the date as there is room for.
    fn say_time(&mut self) {
        let forms = [" %A, %d %B %Y, %H:%M:%S", " %a, %d %b %Y, %H:%M", " %d %b, %H:%M", "%H:%M"];
        let now = chrono::Local::now();
        let mut told = forms.iter().map(|form| now.format(form).to_string());
        let cols = usize::from(self.size.cols);
        if let Some(words) = told.find(|words| words.len() <= cols) {
            self.say(words);
        }
    }

    pub(super) fn detach(&mut self) {
        let session = self.tree.session().map(|session| session.name.to_string()).unwrap_or_default();
        self.leave(format!("[detached from session {session}]"));
    }

    /// Shows another session.
    pub(super) fn go_to(&mut self, named: &str) {
        let found = self
            .tree
            .sessions
            .iter()
            .find(|session| session.name.to_string() == named || session.session_id.to_string() == named);
        let Some(id) = found.map(|session| session.session_id) else {
            return self.say(format!("there is no session `{named}`"));
        };
        if id != self.tree.here {
            self.tree.last_session = Some(std::mem::replace(&mut self.tree.here, id));
            self.attach();
        }
        self.claim();
        self.settle();
    }

    fn go_to_pane(&mut self, named: &str) {
        let found = self.tree.panes().find(|pane| pane.pane_id.to_string() == named);
        let Some((pane, window)) = found.map(|pane| (pane.pane_id, pane.window_id)) else { return };
        let choice = WindowChoice { session: None, window: Some(window.into()) };
        self.daemon.ask(Purpose::Go, &SelectWindow { choice });
        self.daemon.ask(Purpose::Go, &FocusPane { choice: PaneChoice::of(pane), ..FocusPane::default() });
    }

    fn mark(&mut self) {
        let pane = self.tree.pane().map(|pane| pane.pane_id);
        self.tree.marked = pane.filter(|_| self.tree.marked != pane);
        self.say(match self.tree.marked {
            Some(_) => " this pane is marked: > exchanges it, {marked-pane} names it",
            None => " no pane is marked",
        });
    }

    fn info(&mut self) {
        let Some(pane) = self.tree.pane() else { return };
        let cwd = pane.cwd.as_deref().unwrap_or("?");
        let (label, size, id) = (draw::label(pane), pane.dimensions, pane.pane_id.short());
        self.say(format!(" {label} in {cwd}, {size}, pane {id}"));
    }
}
