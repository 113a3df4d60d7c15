//! Command lines: running them, and the commands of the client itself.

use fugue_protocol::verbs::{
    FocusPane, ListMessages, MarkPane, MoveWindow, PaneChoice, SelectWindow, VerbSpec, WindowChoice,
};
use serde_json::value::RawValue;

use super::state::LineRest;
use super::state::daemon::Purpose;
use super::{App, line_origin};
use crate::command::CommandOrigin;
use crate::command::{self, Command, verb_traits};
use crate::draw;
use crate::tree::{TreeSnapshot, full_name};

/// Messages between agents that are listed.
const MESSAGES: usize = 100;

/// The client's own commands that act on the pane with the keyboard.
const ABOUT_HERE: [&str; 10] = [
    "copy-mode",
    "edit-history",
    "info",
    "mark",
    "mute",
    "paste-buffer",
    "send-prefix",
    "sync-pane",
    "sync-panes",
    "tmux",
];

/// The purpose of moving a window: to an index, or to the first free one.
fn move_purpose(args: &RawValue) -> Purpose {
    let index = serde_json::from_str::<MoveWindow>(args.get()).ok().and_then(|wanted| wanted.index);
    index.map_or(Purpose::Command, Purpose::MoveWindow)
}

impl App {
    /// Runs a command line of the person.
    pub(super) fn run_line(&mut self, line: &str) {
        self.run_line_of(line, CommandOrigin::Person, None);
    }

    /// Runs a command line, and reports what is wrong with it. One that an overlay leads to is about what the person saw when
    /// that opened.
    pub(super) fn run_line_of(&mut self, line: &str, origin: CommandOrigin, from: Option<TreeSnapshot>) {
        let outer = std::mem::replace(&mut self.line_origin, origin);
        self.run_first_of(line, from);
        self.line_origin = outer;
    }

    /// Runs the first command of a line. The part after a semicolon runs where the first part leads.
    fn run_first_of(&mut self, line: &str, from: Option<TreeSnapshot>) {
        let (first, mut rest) = command::split_first(line);
        let before = self.tree.place();
        let has_run = match self.tmux_words(first, from.as_ref()) {
            Some(mut words) => {
                // One process runs all that follow each other, so that each sees what the one before it did.
                while let (next, after) = command::split_first(rest)
                    && let Some(more) = self.tmux_words(next, from.as_ref())
                {
                    words.push(";".to_owned());
                    words.extend(more);
                    rest = after;
                }
                if self.acts_here("tmux", first, from.as_ref()) {
                    let rest = LineRest { text: rest.trim().to_owned(), from, place: before };
                    self.run_tmux(words, rest);
                }
                return;
            }
            None => self.run_command(first, from.as_ref()),
        };
        if rest.trim().is_empty() || from.is_some() && !has_run {
            return;
        }
        // What a command leads to is what the next one is about.
        let stays = !self.daemon.is_leading() && before == self.tree.place();
        self.run_line_later(rest.trim(), from.filter(|_| stays));
    }

    /// The words of a command that `fugue tmux` runs.
    fn tmux_words(&self, line: &str, from: Option<&TreeSnapshot>) -> Option<Vec<String>> {
        match self.read_command(line, from) {
            Ok(Command::Own(words)) if words.first().is_some_and(|first| first == "tmux") => {
                Some(words.into_iter().skip(1).collect()).filter(|words: &Vec<_>| !words.is_empty())
            }
            _ => None,
        }
    }

    fn read_command(&self, line: &str, from: Option<&TreeSnapshot>) -> Result<Command, String> {
        command::read(line, from.map_or(&self.tree, |from| from), self.options.aliases)
    }

    /// Runs a command. Returns whether it was one that could be run.
    fn run_command(&mut self, line: &str, from: Option<&TreeSnapshot>) -> bool {
        let read = self.read_command(line, from);
        if let Some(why) = read.as_ref().ok().and_then(|command| self.refusal_of(command)) {
            self.say_error(why);
            return false;
        }
        match read {
            Ok(Command::Verb { name, args }) => {
                if let Some(lost) = from.and_then(|from| from.lost_target(&args, &self.tree)) {
                    self.say_error(format!("{lost} is gone; nothing was done"));
                    return false;
                }
                self.run_verb(name, &args);
            }
            Ok(Command::Own(words)) => {
                let words: Vec<&str> = words.iter().map(String::as_str).collect();
                if !self.acts_here(words.first().unwrap_or(&""), line, from) {
                    return false;
                }
                self.run_own(&words, from);
            }
            Err(why) => {
                let why = self.config.keys.name_keys(&why);
                self.say_error(why);
                return false;
            }
        }
        true
    }

    /// Whether one of the client's own commands may act, because it is not about the pane with the keyboard, or because
    /// that pane still has it.
    fn acts_here(&mut self, name: &str, line: &str, from: Option<&TreeSnapshot>) -> bool {
        let may = !ABOUT_HERE.contains(&name) || from.is_none_or(|from| from.is_still_at(&self.tree));
        if !may {
            let word = line.split_whitespace().next().unwrap_or(name);
            self.say_error(format!("The focus moved to another pane; `{word}` was not run"));
        }
        may
    }

    /// Why the line that is being run may not lead to this command.
    pub(super) fn refusal_of(&self, command: &Command) -> Option<String> {
        line_origin::refusal(command, &self.line_origin, self.daemon.host_name())
    }

    /// Sends a verb, unless this client is read-only and the verb changes something.
    fn run_verb(&mut self, name: &'static str, args: &RawValue) {
        let (goes, reads) = (verb_traits::only_goes(name), verb_traits::only_reads(name));
        if self.options.read_only && !goes && !reads {
            return self.say_read_only();
        }
        let purpose = match (goes, reads) {
            (true, _) => Purpose::Go,
            (false, true) => Purpose::Read(name),
            (false, false) if name == MoveWindow::NAME => move_purpose(args),
            (false, false) if verb_traits::tells_outcome(name) => Purpose::Read(name),
            (false, false) => Purpose::Command,
        };
        self.daemon.request_named(purpose, name, args);
    }

    fn run_own(&mut self, words: &[&str], from: Option<&TreeSnapshot>) {
        match words {
            ["display-popup" | "new-session", ..] if self.options.read_only => self.say_read_only(),
            ["detach", ..] => self.detach(),
            ["attach", session, pane] => {
                self.note_jump_to(pane);
                self.switch_session(session);
                self.go_to_pane(pane);
            }
            ["attach", session, ..] => self.switch_session(session),
            ["new-session", ..] => self.new_session(words),
            ["suspend", ..] => self.suspend(),
            ["send-prefix", "-2"] => self.send_prefix(true),
            ["send-prefix", ..] => self.send_prefix(false),
            ["key-table", name] => self.select_key_table(name),
            ["key-table", ..] => self.say_error("No table given"),
            ["redraw", ..] => self.display.painter.forget(),
            ["info", ..] => self.say_info(),
            ["display-popup", rest @ ..] => self.open_popup(rest),
            ["sync-pane", ..] => self.sync_pane(),
            ["sync-panes", "on"] => self.sync_window(Some(true)),
            ["sync-panes", "off"] => self.sync_window(Some(false)),
            ["sync-panes", ..] => self.sync_window(None),
            ["next-agent", ..] => self.next_agent(),
            ["go-back", ..] => self.go_back(),
            ["agents"] => self.list_agents(),
            ["agents", act @ ..] => self.act_on_agents(act),
            ["hints", ..] => self.show_hints(),
            ["find-window", words @ ..] => self.find_window(words),
            ["sidebar", ..] => self.toggle_sidebar(),
            ["messages", ..] => {
                let list = ListMessages { limit: MESSAGES, ..Default::default() };
                self.daemon.request(Purpose::Messages, &list);
            }
            ["tmux", ..] => self.say_error("No command given"),
            ["mute", ..] => self.toggle_mute(),
            ["mark", ..] => self.toggle_mark(),
            ["unmark", ..] => self.mark(MarkPane { clear: true, ..MarkPane::default() }),
            ["reload", ..] => self.reload_config(true),
            ["clock", ..] => self.say_time(),
            ["say"] => self.say_info(),
            ["say", words @ ..] => self.say(words.join(" ")),
            words => {
                let from = from.cloned().unwrap_or_else(|| TreeSnapshot::of(&self.tree));
                self.open_named(words, from);
            }
        }
        self.display.redraw();
    }

    /// Says the time, with as much of the date as there is room for.
    fn say_time(&mut self) {
        let forms = ["%A, %d %B %Y, %H:%M:%S", "%a, %d %b %Y, %H:%M", "%d %b, %H:%M", "%H:%M"];
        let now = chrono::Local::now();
        let mut texts = forms.iter().map(|form| now.format(form).to_string());
        let cols = usize::from(self.display.size.cols);
        if let Some(text) = texts.find(|text| text.len() < cols) {
            self.say(text);
        }
    }

    pub(super) fn detach(&mut self) {
        let session = self.tree.here_name().unwrap_or_default();
        self.exit_with(format!("[detached from session {session}]"));
    }

    /// Shows another session, by its name or id.
    pub(super) fn switch_session(&mut self, target: &str) {
        let is_target = |session: &&fugue_protocol::views::SessionView| {
            session.name.to_string() == target
                || session.session_id.to_string() == target
                || full_name(self.tree.host.as_deref(), &session.name) == target
        };
        let found = self.tree.sessions.iter().find(is_target).map(|session| session.session_id);
        let Some(id) = found.or_else(|| self.tree.find_elsewhere(target)) else {
            return self.say_error(format!("Session not found: {target}"));
        };
        if found.is_none() {
            self.switch_host(id);
        } else if id != self.tree.here {
            self.tree.last_session = Some(std::mem::replace(&mut self.tree.here, id));
            self.attach();
            self.update_environment();
        }
        self.lead_window();
        self.sync_views();
    }

    fn go_to_pane(&mut self, id: &str) {
        let found = self.tree.panes().find(|pane| pane.pane_id.to_string() == id);
        let Some((pane, window)) = found.map(|pane| (pane.pane_id, pane.window_id)) else { return };
        let choice = WindowChoice { session: None, window: Some(window.into()) };
        self.daemon.request(Purpose::Go, &SelectWindow { choice });
        let focus = FocusPane { choice: PaneChoice::of(pane), ..FocusPane::default() };
        self.daemon.request(Purpose::Go, &focus);
    }

    fn toggle_mark(&mut self) {
        let Some((pane, clear)) = self.tree.pane().map(|pane| (pane.pane_id, pane.marked)) else { return };
        self.mark(MarkPane { choice: PaneChoice::of(pane), clear });
    }

    /// Marks a pane, or clears the mark.
    fn mark(&mut self, mark: MarkPane) {
        if self.options.read_only {
            return self.say_read_only();
        }
        self.daemon.request(Purpose::Command, &mark);
        let menu = self.key_for("pane-menu");
        self.say(match mark.clear {
            false => {
                format!("Pane marked; to swap it with another pane, open the other pane's menu ({menu})")
            }
            true => "Mark cleared".to_owned(),
        });
    }

    fn say_info(&mut self) {
        let Some(pane) = self.tree.pane() else { return };
        let cwd = self.tree.directory(pane).unwrap_or_else(|| "?".into());
        let (label, size, id) = (draw::label(pane), pane.dimensions, pane.pane_id.short());
        self.say(format!("{label} in {cwd}, {size}, pane {id}"));
    }
}
