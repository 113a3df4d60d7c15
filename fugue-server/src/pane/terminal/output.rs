//! Output on its way from a pane's terminal to its screen, and the last of it when the program ends.

use std::time::{Duration, Instant};

use fugue_core::Input;
use fugue_keeper::PumpState;
use fugue_screen::{Screen, ScreenEvent};

use super::terminal_io::OutputBuffer;
use crate::pane::task::PaneTask;
use crate::session::ManagerInput;

/// Turns in which the last output of a program that ended is read. What it left in its terminal fits in these; a process
/// that keeps writing after it is not waited for.
const LAST_TURNS: usize = 16;

/// The delay before another attempt when output cannot be read for lack of memory.
const RETRY_DELAY: Duration = Duration::from_millis(250);

impl PaneTask {
    /// Reads one turn of output.
    pub(crate) async fn read(&mut self, screen: &mut Screen) {
        match self.io.read_turn() {
            Ok(state) => {
                self.show_output(screen);
                if state == PumpState::More {
                    // Other tasks have their turn, however much this terminal writes: those that are ready, and those
                    // that become ready meanwhile, so that a key travels the whole way in between.
                    for _ in 0..2 {
                        tokio::task::yield_now().await;
                    }
                }
            }
            Err(why) => {
                tracing::warn!("Pane {}: cannot read its output: {why}", self.id);
                tokio::time::sleep(RETRY_DELAY).await;
            }
        }
    }

    /// Feeds the screen the output that reached the segment. Output that takes long, as whole screens that are filled again
    /// and again do, is left for further turns.
    pub(crate) fn show_output(&mut self, screen: &mut Screen) {
        self.crash_record.begin(self.run, self.io.offset());
        OutputBuffer::lend(|buffer| {
            while let Some((bytes, now)) = self.io.next_output(buffer) {
                screen.set_time(Some(crate::clock::now().millis()));
                let (shown, rest) = bytes.split_at(screen.feed_turn(bytes));
                self.subscribers.recording.wrote(shown, screen);
                self.observer.output_seen(now);
                if !rest.is_empty() {
                    return self.io.put_back(rest.len());
                }
            }
        });
        self.send_replies(screen);
        self.handle_screen_events(screen.take_events(), screen);
        self.storage.store_if_due(screen, self.io.offset());
        self.crash_record.end();
    }

    /// Handles what the program reported besides its text.
    pub(crate) fn handle_screen_events(&mut self, events: Vec<ScreenEvent>, screen: &Screen) {
        let now = Instant::now();
        for event in events {
            // Other selections are not the clipboard, and clients have nowhere to put them.
            if let ScreenEvent::Clipboard { selection: 'c', text } = &event {
                self.subscribers.set_clipboard(text, screen);
            }
            if matches!(event, ScreenEvent::CommandStart { .. }) {
                self.keyboard.command_begun();
            }
            if !self.commands.is_idle() {
                self.with_commands(screen, now, |commands, context| commands.screen_event(&event, context));
            }
            self.turns.report(&event, self.status.borrow().agent);
            self.observer.screen_event(event, self.io.master(), self.pid);
        }
    }

    /// Reports the program's end once its terminal gave all it had and the screen is final.
    pub(crate) async fn report_end(&mut self, screen: &mut Screen) {
        let Some(exit) = self.status.borrow().exited.filter(|_| self.ended.is_none()) else { return };
        self.io.sync.program_ended();
        if !self.show_last_output(screen).await {
            return;
        }
        self.ended = Some(exit);
        self.subscribers.recording.ended(exit);
        self.storage.store(screen, self.io.offset());
        self.waiters.check(self.facts(screen, Instant::now()));
        self.keyboard.input().end_submits(exit);
        if let Ok(permit) = self.manager.reserve().await {
            permit.send(ManagerInput::Machine(Input::Exited { run: self.run, exit }));
        }
    }

    /// Shows what a program that ended left in its terminal. Returns whether that is done; otherwise the next turn goes on,
    /// so that orders are served in between.
    async fn show_last_output(&mut self, screen: &mut Screen) -> bool {
        while self.last_turns < LAST_TURNS && !self.io.has_rest() {
            self.last_turns += 1;
            let state = self.io.read_last_turn();
            self.show_output(screen);
            match state {
                Ok(PumpState::More) => tokio::task::yield_now().await,
                _ => self.last_turns = LAST_TURNS,
            }
        }
        !self.io.has_rest()
    }
}
