//! Output on its way from a pane's terminal to its screen, turn by turn, and the last of it.

use std::time::{Duration, Instant};

use fugue_keeper::PumpState;
use fugue_screen::Screen;

use super::task::Task;
use crate::session::News;

/// Taken from a terminal in one turn, a tenth of a millisecond's work; then others have theirs. It is two of the pieces
/// that a terminal gives, which are a byte short of 4 KiB.
const TURN: usize = 2 * 4095;

/// After so long without output what comes next is an answer to a key rather than part of a flood.
const SILENCE: Duration = Duration::from_millis(2);

/// Read from the segment at once; an update (mode 2026) that is longer is shown as it comes.
const PIECE: usize = 32 << 10;

/// What a program left in its terminal when it ended fits in these; whoever writes on after it is not waited for.
const LAST_TURNS: usize = 16;

/// When output cannot be taken in for want of memory, so long until another try.
const AGAIN: Duration = Duration::from_millis(250);

impl Task {
    /// Takes one turn's worth of output.
    pub(super) async fn read(&mut self, screen: &mut Screen) {
        // The first words after a silence are an echo, most likely; in a flood it pays to wait for the rest.
        let turn = match self.written.elapsed() < SILENCE {
            true => self.terminal.turn(TURN),
            false => self.terminal.edge_turn(TURN),
        };
        match turn {
            Ok(turn) => {
                if matches!(turn.state, PumpState::Short | PumpState::Drained) {
                    self.readiness.no_more();
                }
                self.silent = turn.state == PumpState::Hangup;
                self.show(screen);
                if turn.state == PumpState::More {
                    // All others have their turn, however much this terminal has to say: those that are ready, and
                    // those that what happened meanwhile makes ready, so that a key goes all its way in between.
                    for _ in 0..2 {
                        tokio::task::yield_now().await;
                    }
                }
            }
            Err(why) => {
                tracing::warn!("pane {}: its output cannot be taken in: {why}", self.id);
                tokio::time::sleep(AGAIN).await;
            }
        }
    }

    /// Feeds the screen what reached the segment.
    pub(super) fn show(&mut self, screen: &mut Screen) {
        self.buffer.resize(PIECE, 0);
        while self.offset < self.terminal.head()
            && let Ok(count @ 1..) = self.terminal.read_at(self.offset, &mut self.buffer)
        {
            let now = Instant::now();
            let whole = self.held.part(&self.buffer[..count], PIECE, now);
            if whole == 0 {
                break;
            }
            screen.set_time(Some(crate::clock::now().millis()));
            screen.feed(&self.buffer[..whole]);
            self.tape.wrote(&self.buffer[..whole], screen);
            self.offset += whole as u64;
            self.written = now;
            self.glimpses.wrote(now);
        }
        self.input.answer(&screen.take_replies());
        self.hear(screen.take_events(), screen);
        self.keeping.consider(screen, self.offset);
    }

    /// The program has ended, and its terminal gave all it had: the screen is final.
    pub(super) async fn tell_end(&mut self, screen: &mut Screen) {
        let Some(exit) = self.standing.borrow().exited.filter(|_| self.ended.is_none()) else { return };
        self.held.end();
        for _ in 0..LAST_TURNS {
            let turn = self.terminal.turn(TURN);
            self.show(screen);
            match turn {
                Ok(turn) if turn.state == PumpState::More => tokio::task::yield_now().await,
                _ => break,
            }
        }
        self.ended = Some(exit);
        self.tape.ended(exit);
        self.keeping.keep(screen, self.offset);
        self.waiters.look(self.sight(screen, Instant::now()));
        let _ = self.desk.send(News::Ended { run: self.run, exit }).await;
    }
}
