//! One turn of the event loop: wait for the terminal, the daemon, signals, the configuration file and timers at once,
//! and handle what came.

use std::io;
use std::time::Instant;

use fugue_client::CallError;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::App;
use crate::overlays::outcome::OverlayOutcome;
use crate::tty::poller::ReadySources;

impl App {
    /// Waits for something, and handles it.
    pub(super) fn turn(&mut self) {
        let ready = match self.wait() {
            Ok(ready) => ready,
            Err(why) => {
                let error = CallError::Local(format!("Cannot poll this terminal: {why}"));
                self.events.exit = Some(Err(error));
                return;
            }
        };
        if ready.signal {
            self.events.signals.take().into_iter().for_each(|signal| self.handle_signal(signal));
        }
        // Before keys: settings that were written before a key was pressed apply to it.
        if self.events.has_config_changed(ready.config, Instant::now()) {
            self.reload_config(false);
        }
        if let Some(problem) = self.events.config.new_problem() {
            self.say(problem);
        }
        if ready.jobs {
            self.events.jobs.ended().into_iter().for_each(|job| self.job_ended(&job));
            self.events
                .lines
                .answers()
                .into_iter()
                .for_each(|(line, answer)| self.line_answered(line, answer));
            let changed = self.events.readings.take_results(Instant::now());
            self.display.redraw_if(changed);
        }
        if ready.terminal {
            self.daemon.expect_keys();
            self.read_terminal();
        }
        self.daemon.send_keys();
        if ready.writable && self.display.output.flush().is_err() {
            self.exit_with("");
        }
        if ready.daemon {
            self.read_daemon();
            self.draw();
        }
        if ready.hosts != 0 {
            self.read_hosts(ready.hosts);
        }
        self.run_timers(Instant::now());
        self.handle_deferred();
        self.daemon.send_keys();
    }

    /// Waits until there is something to do.
    fn wait(&mut self) -> io::Result<ReadySources> {
        let timeout = self.next_timer().map(|due| due.saturating_duration_since(Instant::now()));
        let timeout = timeout.and_then(|time| Timespec::try_from(time).ok());
        let echo_until = self.daemon.take_echo_until();
        if echo_until.is_some() {
            self.warm_up_echo();
        }
        let accepts_keys = self.accepts_keys();
        let poller = &mut self.events.poller;
        let others = self.hosts.iter().map(|line| &line.daemon);
        let daemons = std::iter::once(&self.daemon).chain(others);
        poller.watch_daemons(daemons.map(|daemon| (daemon.socket(), daemon.wants_to_write())))?;
        // The terminal is watched for room only while something waits to be written.
        poller.watch_output(&self.display.output, !self.display.output.is_done())?;
        // After a key the client polls for its echo, and yields to other threads meanwhile.
        while echo_until.is_some_and(|until| Instant::now() < until) {
            let ready = poller.wait(accepts_keys, Some(&Timespec::default()))?;
            if ready.any() {
                return Ok(ready);
            }
            pause();
        }
        poller.wait(accepts_keys, timeout.as_ref())
    }

    /// Waits for the daemon alone, and handles what it sent. Returns whether the client can go on: it is still connected,
    /// and nothing else ends it.
    pub(super) fn wait_for_daemon(&mut self, until: Instant) -> bool {
        let Some((_, socket)) = self.daemon.socket() else { return false };
        let writes = if self.daemon.wants_to_write() { PollFlags::OUT } else { PollFlags::empty() };
        let timeout = Timespec::try_from(until.saturating_duration_since(Instant::now())).ok();
        let ready = poll(&mut [PollFd::from_borrowed_fd(socket, PollFlags::IN | writes)], timeout.as_ref());
        let exit = self.events.exit.take();
        if ready.is_ok_and(|count| count > 0) {
            self.read_daemon();
        }
        let goes_on = self.events.exit.is_none() && !self.daemon.is_away();
        self.events.exit = exit;
        goes_on
    }

    /// When something must be done though nothing happens.
    fn next_timer(&self) -> Option<Instant> {
        let timers = [
            self.events.decoder.due(),
            self.keyboard.repeat_due(),
            self.mouse.scroll_due(),
            self.keyboard.deferred.due(),
            self.messages.due(),
            self.display.clock.until,
            self.display.first_frame_due,
            self.events.readings.due(),
            self.events.config.due(),
            self.daemon.retry_due(),
            self.prediction.due(),
            self.daemon.silence_due(),
            self.pastes.queues.due(),
            self.overlays.closes_at,
            self.overlays.is_searching().then(Instant::now),
            self.has_more_to_draw().then(Instant::now),
            self.tree_due(),
            self.hosts.due(),
        ];
        timers.into_iter().flatten().min()
    }

    fn run_timers(&mut self, now: Instant) {
        if self.events.decoder.due().is_some_and(|due| due <= now) {
            let typed = self.events.decoder.expire(now);
            typed.into_iter().for_each(|input| self.receive_input(input, now));
        }
        self.keyboard.expire_repeat(now);
        self.scroll_selection(now);
        let expired = self.messages.expire(now);
        self.display.redraw_if(expired);
        if self.overlays.closes_at.is_some_and(|until| until <= now) {
            self.overlays.closes_at = None;
            self.finish_overlay(OverlayOutcome::Close);
        }
        let searched = self.overlays.search_step();
        self.display.redraw_if(searched);
        if self.prediction.due().is_some_and(|due| due <= now) {
            self.drop_prediction();
        }
        if self.daemon.retry_due().is_some_and(|due| due <= now) {
            self.reconnect();
        }
        if self.daemon.is_line_dead(now) {
            self.connection_lost();
        }
        self.daemon.probe_if_late(now);
        let changed = self.daemon.update_silent(now) | self.keyboard.deferred.update_slow(now);
        self.display.redraw_if(changed);
        self.refresh_tree_if_due(now);
        if self.hosts.due().is_some_and(|due| due <= now) {
            self.run_host_timers(now);
        }
        self.events.readings.start_due(now);
        self.send_next_parts(self.pastes.queues.due_panes(now));
    }

    fn read_terminal(&mut self) {
        let now = Instant::now();
        match self.events.read_terminal(now) {
            Some(typed) => typed.into_iter().for_each(|input| self.receive_input(input, now)),
            None => self.exit_with(""),
        }
    }
}

/// Pauses between two polls, so that a thread that shares this core's execution units has them for itself; then yields
/// to whoever waits for this core.
fn pause() {
    /// About a microsecond: it does not delay an echo, and the daemon works undisturbed.
    const SPINS: usize = 40;
    for _ in 0..SPINS {
        std::hint::spin_loop();
    }
    std::thread::yield_now();
}
