//! The task that owns a pane: it moves output from the terminal to the screen, input to the terminal, and answers.

use std::io;
use std::time::{Duration, Instant};

use fugue_keeper::Pump;
use fugue_protocol::views::ExitStatus;
use fugue_protocol::{PaneId, RunId, Size};
use fugue_screen::Screen;
use tokio::sync::{mpsc, watch};

use super::glimpses::{Glimpses, View};
use super::hold::Hold;
use super::input::Input;
use super::keeping::Keeping;
use super::nudging::Nudging;
use super::obeying::withdrawn;
use super::readiness::Readiness;
use super::running::Runs;
use super::tape::Tape;
use super::tidying::Tidying;
use super::timer::Timer;
use super::waiting::Waiters;
use super::watching::Watchers;
use super::whole::{self, Held};
use super::{Begun, Copied, Ground, Order, Standing, Surroundings, screen_size};
use crate::session::Desk;

/// Recordings of a pane that is gone may take so long to be read to their end.
const PLAY_OUT: Duration = Duration::from_secs(1);

/// A pane's task.
pub(super) struct Task {
    pub(super) id: PaneId,
    pub(super) run: RunId,
    pub(super) pid: u32,
    pub(super) terminal: Pump,
    pub(super) readiness: Readiness,
    timer: Timer,
    pub(super) standing: watch::Receiver<Standing>,
    pub(super) size: Size,
    ground: Ground,
    pub(super) offset: u64,
    pub(super) input: Input,
    pub(super) waiters: Waiters,
    pub(super) runs: Runs,
    pub(super) hold: Hold,
    pub(super) nudging: Nudging,
    pub(super) watchers: Watchers,
    pub(super) keeping: Keeping,
    pub(super) desk: Desk,
    pub(super) written: Instant,
    /// The revision that watchers know of.
    shown: u64,
    /// A synchronized update is open since.
    sync: Option<Instant>,
    /// What is held back of one.
    pub(super) held: Held,
    pub(super) glimpses: Glimpses,
    tidying: Tidying,
    pub(super) tape: Tape,
    pub(super) copied: Copied,
    /// The terminal has nothing more to give.
    pub(super) silent: bool,
    /// How the program ended, once all it wrote is read and the manager told.
    pub(super) ended: Option<ExitStatus>,
    pub(super) buffer: Vec<u8>,
}

/// What woke the task.
enum Woken {
    Order(Option<Order>),
    Standing(bool),
    Readable,
    Writable,
    Time,
    Withdrawn,
}

impl Task {
    pub(super) fn new(
        begun: Begun,
        pump: Pump,
        surroundings: Surroundings,
        standing: watch::Receiver<Standing>,
    ) -> io::Result<Self> {
        Ok(Self {
            id: begun.id,
            run: begun.run,
            pid: begun.pid,
            readiness: Readiness::new(pump.master())?,
            timer: Timer::default(),
            terminal: pump,
            standing,
            size: begun.size,
            ground: Ground::default(),
            offset: begun.offset,
            input: Input::new(begun.id),
            waiters: Waiters::default(),
            runs: Runs::default(),
            hold: Hold::default(),
            nudging: Nudging::new(begun.offset > 0),
            watchers: Watchers::default(),
            keeping: Keeping::new(begun.run, surroundings.keeper, begun.offset),
            desk: surroundings.desk,
            written: Instant::now(),
            shown: 0,
            sync: None,
            held: Held::default(),
            glimpses: Glimpses::new(begun.id),
            tidying: Tidying::default(),
            tape: Tape::default(),
            copied: Copied::default(),
            silent: false,
            ended: None,
            buffer: Vec::new(),
        })
    }

    /// Serves until the manager lets go of the pane; the screen goes to whoever comes after.
    pub(super) async fn serve(mut self, mut screen: Screen, mut inbox: mpsc::Receiver<Order>) -> Screen {
        self.standing.mark_changed();
        self.input.answer(&screen.take_replies());
        if self.offset == 0 && screen.revision() > 0 {
            self.keeping.keep(&screen, 0);
        }
        loop {
            match self.woken(&mut inbox).await {
                Woken::Order(None) | Woken::Standing(false) => break,
                // What a person typed changes nothing here before it is answered.
                Woken::Order(Some(order @ (Order::Keys { .. } | Order::Expect))) => {
                    self.obey(order, &mut screen);
                    continue;
                }
                Woken::Order(Some(order)) => self.obey(order, &mut screen),
                Woken::Standing(true) => self.stand(&mut screen),
                Woken::Readable => self.read(&mut screen).await,
                Woken::Writable | Woken::Time | Woken::Withdrawn => {}
            }
            self.round_off(&mut screen).await;
        }
        let exit = self.standing.borrow().settled;
        self.over(&screen, exit);
        self.play_out(&screen, &mut inbox).await;
        screen
    }

    /// Whoever records gets what is left on the tape, if it does not take long.
    async fn play_out(&mut self, screen: &Screen, inbox: &mut mpsc::Receiver<Order>) {
        self.tape.ended(self.ended.or(self.standing.borrow().exited).unwrap_or(ExitStatus::Unknown));
        let end = Instant::now() + PLAY_OUT;
        while self.tape.is_recorded()
            && let Ok(Some(order)) = tokio::time::timeout_at(end.into(), inbox.recv()).await
        {
            if let Order::Strip { from, answer } = order {
                let _ = answer.send(self.tape.strip(from, screen, self.size));
            }
        }
    }

    async fn woken(&mut self, inbox: &mut mpsc::Receiver<Order>) -> Woken {
        let due = self.due();
        tokio::select! {
            order = inbox.recv() => Woken::Order(order),
            changed = self.standing.changed() => Woken::Standing(changed.is_ok()),
            () = self.readiness.output(), if !self.silent => Woken::Readable,
            () = self.readiness.room(), if !self.silent => Woken::Writable,
            () = self.timer.until(due) => Woken::Time,
            () = withdrawn(&mut self.waiters, &mut self.runs) => Woken::Withdrawn,
        }
    }

    /// When something must be done though nothing happens.
    fn due(&self) -> Option<Instant> {
        let sync = self.sync.map(|since| since + whole::LIMIT);
        let dues = [self.waiters.due(self.written), self.input.due(self.written), sync, self.glimpses.due()];
        let others =
            [self.tidying.due(self.written, self.offset), self.runs.due(self.written), self.held.due()];
        let others = others.into_iter().chain([self.nudging.due(&self.hold)]);
        dues.into_iter().chain(others).flatten().min()
    }

    /// The manager says something: a size, or that the program has ended.
    fn stand(&mut self, screen: &mut Screen) {
        let standing = *self.standing.borrow_and_update();
        if standing.size != self.size || screen.size() != screen_size(standing.size) {
            self.resize(standing.size, screen);
        }
        if std::mem::replace(&mut self.ground, standing.ground) != standing.ground {
            screen.set_colors(standing.ground.colors());
            self.input.answer(&screen.take_replies());
        }
        self.settle(screen);
    }

    fn resize(&mut self, size: Size, screen: &mut Screen) {
        self.size = size;
        screen.resize(screen_size(size));
        self.tape.resized(size);
        let window =
            rustix::termios::Winsize { ws_col: size.cols, ws_row: size.rows, ws_xpixel: 0, ws_ypixel: 0 };
        if let Err(why) = rustix::termios::tcsetwinsize(self.terminal.master(), window) {
            tracing::warn!("pane {}: its size could not be set: {why}", self.id);
        }
    }

    /// What may follow from anything: waiters, Enter, the end of an update, glimpses, the program's end.
    async fn round_off(&mut self, screen: &mut Screen) {
        let now = Instant::now();
        if self.held.due().is_some_and(|due| due <= now) {
            self.show(screen);
        }
        self.end_sync(screen, now);
        if self.sync.is_none() && self.shown != screen.revision() {
            self.shown = screen.revision();
            if self.ring(screen) {
                // Who waits for an echo has it before the rest is done.
                tokio::task::yield_now().await;
            }
        }
        let shell = self.input.due(self.written).is_some() && self.in_shell();
        let sight = self.sight(screen, now);
        self.input.press(sight, shell);
        self.nudge(screen, now);
        self.run_on(screen, now);
        self.write();
        self.waiters.look(self.sight(screen, now));
        if self.tidying.tidy(screen, self.written, self.offset, now) {
            // What was kept in a flood was kept unpacked.
            self.keeping.keep(screen, self.offset);
        }
        let (terminal, pid, written) = (self.terminal.master(), self.pid, self.written);
        self.glimpses.tell(View { screen, terminal, pid, written }, &self.desk, now).await;
        self.tell_end(screen).await;
    }

    fn end_sync(&mut self, screen: &mut Screen, now: Instant) {
        self.sync = screen.sync_since().map(|_| self.sync.unwrap_or(now));
        if self.sync.is_some_and(|since| since + whole::LIMIT <= now) {
            screen.end_sync();
            self.sync = None;
        }
    }

    pub(super) fn write(&mut self) {
        // Nobody will read it any more, and a terminal that has hung up seems ready for ever.
        if self.silent {
            return self.input.discard();
        }
        match self.input.write_to(self.terminal.master()) {
            Err(why) if why.kind() == io::ErrorKind::WouldBlock => {
                if let Err(why) = self.readiness.full(self.terminal.master()) {
                    tracing::warn!("pane {}: its terminal cannot be watched: {why}", self.id);
                }
            }
            _ => self.readiness.taken(),
        }
    }
}
