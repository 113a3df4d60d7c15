//! Signals: a new size, termination, suspending and continuing.

use super::App;
use crate::tty::raw_mode;
use crate::tty::signals::SignalEvent;

impl App {
    pub(super) fn handle_signal(&mut self, signal: SignalEvent) {
        match signal {
            SignalEvent::Resized => self.terminal_resized(),
            SignalEvent::Terminated => self.exit_with("[detached: client terminated]"),
            SignalEvent::HungUp => self.exit_with(""),
            SignalEvent::Suspended => self.suspend(),
            SignalEvent::Continued => self.resume(),
        }
        self.display.redraw();
    }

    fn terminal_resized(&mut self) {
        self.display.size = raw_mode::size();
        self.measure_cell();
        self.display.painter.forget();
        self.panes.sizing.leads = true;
        self.update_sidebar();
        self.attach();
        self.resize_popup();
        self.sync_views();
        // Its columns depend on the width.
        self.agents_may_have_changed();
    }

    /// Gives the terminal back, and stops until someone continues the client.
    pub(super) fn suspend(&mut self) {
        self.remove_images();
        self.display.output.finish();
        raw_mode::leave();
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::STOP);
        self.events.signals.clear(SignalEvent::Continued);
        self.resume();
    }

    /// Takes the terminal back after the client was stopped: another program had it meanwhile.
    fn resume(&mut self) {
        self.display.output.finish();
        if raw_mode::reenter().is_err() {
            self.exit_with("");
        }
        self.display.title = None;
        self.query_terminal();
        self.terminal_resized();
        self.display.redraw();
    }
}
