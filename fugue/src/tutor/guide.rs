//! The guide: the program of the tutor's pane at the top, which shows the steps and sees that they are done.

use std::io::{Read, Write, stdin, stdout};
use std::os::unix::fs::symlink;
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use fugue_agents::played;
use fugue_client::{CallError, Connection, DaemonName, Env, Paths, ServerFrame, StartPolicy, connect};
use fugue_protocol::events::Event;
use fugue_protocol::messages::Role;
use fugue_protocol::verbs::{CreateWindow, KillSession, Program, SubscribeEvents};
use fugue_protocol::views::OnExit;
use fugue_protocol::{PaneId, SessionId, SessionRef};
use fugue_tui::{ListedKey, is_same_line, key_list};
use rustix::termios::{OptionalActions, tcgetattr, tcgetwinsize, tcsetattr};

use super::lesson::{Lesson, STEPS, SeenSession};
use super::{progress, session, this_program};
use crate::context::ALIASES;

/// How often the guide looks whether its pane has another size.
const RESIZE_CHECK: Duration = Duration::from_millis(250);

/// How many events and keys may wait.
const QUEUE: usize = 64;

/// What the guide hears.
enum GuideInput {
    Event(Box<Event>),
    Key(u8),
    /// The daemon ends.
    End,
}

/// Guides until the person has done all steps, or quits.
pub(super) fn run() -> Result<(), CallError> {
    let paths = DaemonName::default().paths(&Env::own())?;
    let mut guide = Guide::open(&paths)?;
    make_raw();
    let (sender, inputs) = sync_channel(QUEUE);
    let mut events = connect(&paths, Role::Command, StartPolicy::Never)?;
    events.call(&SubscribeEvents::default())?;
    let keys = sender.clone();
    thread::spawn(move || send_keys(&keys));
    thread::spawn(move || send_events(events, &sender));
    guide.begin_step()?;
    loop {
        match inputs.recv_timeout(RESIZE_CHECK) {
            Ok(GuideInput::Event(event)) => guide.see(&event)?,
            Ok(GuideInput::Key(key)) => guide.press(key)?,
            Err(RecvTimeoutError::Timeout) => guide.draw(false),
            Ok(GuideInput::End) | Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
        if guide.is_over {
            return guide.end();
        }
    }
}

fn make_raw() {
    if let Ok(mut mode) = tcgetattr(stdin()) {
        mode.make_raw();
        let _ = tcsetattr(stdin(), OptionalActions::Now, &mode);
    }
}

fn send_keys(to: &SyncSender<GuideInput>) {
    // The guide takes over the terminal, so whatever is buffered is its own.
    for key in stdin().lock().bytes().map_while(Result::ok) {
        if to.send(GuideInput::Key(key)).is_err() {
            return;
        }
    }
}

fn send_events(mut events: Connection, to: &SyncSender<GuideInput>) {
    while let Ok(frame) = events.next_frame() {
        if let ServerFrame::Event(record) = frame
            && to.send(GuideInput::Event(Box::new(record.event))).is_err()
        {
            return;
        }
    }
    let _ = to.send(GuideInput::End);
}

struct Guide {
    connection: Connection,
    paths: Paths,
    session: SessionId,
    lesson: Lesson,
    keys: Vec<ListedKey>,
    /// The size of the pane when the step was drawn last.
    drawn_at: (u16, u16),
    is_over: bool,
}

impl Guide {
    fn open(paths: &Paths) -> Result<Self, CallError> {
        let mut connection = connect(paths, Role::Command, StartPolicy::Never)?;
        let session = session(&mut connection)?.ok_or_else(no_session)?;
        Ok(Self {
            connection,
            session: session.session_id,
            lesson: Lesson::at(progress::step(), SeenSession::of(&session)),
            keys: key_list(&paths.config, ALIASES.as_slice()),
            paths: paths.clone(),
            drawn_at: (0, 0),
            is_over: false,
        })
    }

    /// Does what the step needs, and shows it.
    fn begin_step(&mut self) -> Result<(), CallError> {
        progress::remember(self.lesson.number());
        if self.lesson.step().needs_agent && self.lesson.agent().is_none() {
            let pane = self.start_agent()?;
            self.lesson.agent_runs_in(pane);
        }
        self.draw(true);
        Ok(())
    }

    fn see(&mut self, event: &Event) -> Result<(), CallError> {
        let Some(session) = session(&mut self.connection)? else {
            self.is_over = true;
            return Ok(());
        };
        if self.lesson.see(Some(event), SeenSession::of(&session)) {
            self.begin_step()?;
        }
        if self.lesson.is_over() {
            progress::forget();
            self.is_over = true;
        }
        Ok(())
    }

    fn press(&mut self, key: u8) -> Result<(), CallError> {
        match key {
            b'n' | b' ' => self.lesson.skip(),
            b'b' => self.lesson.back(),
            b'q' => {
                if self.lesson.number() + 1 == STEPS.len() {
                    progress::forget();
                }
                self.is_over = true;
                return Ok(());
            }
            _ => return Ok(()),
        }
        self.begin_step()
    }

    /// Starts the played agent in a window of its own. A link with the agent's name makes it look like the agent.
    fn start_agent(&mut self) -> Result<PaneId, CallError> {
        let link = self.paths.state.join(played::NAME);
        let _ = std::fs::remove_file(&link);
        symlink(this_program()?, &link)
            .map_err(|why| CallError::Local(format!("Cannot create {}: {why}", link.display())))?;
        let argv = vec![link.display().to_string(), "tutor".to_owned(), "--agent".to_owned()];
        let create = CreateWindow {
            session: Some(SessionRef::Id(self.session)),
            background: true,
            program: Program { argv, on_exit: Some(OnExit::Close), ..Program::default() },
            ..CreateWindow::default()
        };
        Ok(self.connection.call(&create)?.pane_id)
    }

    /// Draws the step, or draws it again if the pane has another size.
    fn draw(&mut self, always: bool) {
        let size = tcgetwinsize(stdout()).map_or((80, 12), |size| (size.ws_col, size.ws_row));
        if always || self.drawn_at != size {
            let text = self.text(usize::from(size.0));
            let _ = write!(stdout(), "\x1b[?25l\x1b[2J\x1b[H{}", text.replace('\n', "\r\n"));
            let _ = stdout().flush();
            self.drawn_at = size;
        }
    }

    fn text(&self, cols: usize) -> String {
        let (step, number, all) = (self.lesson.step(), self.lesson.number() + 1, STEPS.len());
        let cols = cols.clamp(20, 76);
        let wrapped = |text: &str| fugue_tui::wrapped(text, cols).join("\n");
        let keys = match number == all {
            false => format!(
                "To skip a step, go to this pane ({}) and press n; b goes back, q quits.",
                self.key("focus-pane --above --wrap")
            ),
            true => "In this pane, q ends the tutor, too.".to_owned(),
        };
        format!(
            "\x1b[1mfugue tutor {number}/{all}: {}\x1b[0m\n\n{}\n\n\x1b[2m{}\x1b[0m",
            step.title,
            wrapped(&self.with_keys(step.text)),
            wrapped(&keys)
        )
    }

    /// A text with the keys of the commands in braces.
    fn with_keys(&self, text: &str) -> String {
        let mut parts = text.split(['{', '}']);
        let mut out = parts.next().unwrap_or_default().to_owned();
        while let Some(command) = parts.next() {
            out += &self.key(command);
            out += parts.next().unwrap_or_default();
        }
        out
    }

    /// The key of a command, as it is bound.
    fn key(&self, command: &str) -> String {
        let listed = self.keys.iter().find(|key| is_same_line(&key.command, command, ALIASES.as_slice()));
        match listed {
            Some(key) if key.table == "prefix" => format!("{} {}", self.prefix(), key.key),
            Some(key) => key.key.clone(),
            None => format!("`{command}` at the command prompt"),
        }
    }

    /// The prefix key, which is listed as the one that sends itself.
    fn prefix(&self) -> String {
        let sends = self.keys.iter().find(|key| key.command == "send-prefix");
        sends.map_or_else(|| "C-b".to_owned(), |key| key.key.clone())
    }

    /// Ends the session, and with it this program.
    fn end(mut self) -> Result<(), CallError> {
        self.connection.call(&KillSession { session: SessionRef::Id(self.session) }).map(drop)
    }
}

fn no_session() -> CallError {
    CallError::Local("The tutor's session has ended\nhint: run `fugue tutor`".to_owned())
}
