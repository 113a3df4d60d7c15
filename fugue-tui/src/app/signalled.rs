//! What the system tells the client: another size, its end, sleep and waking.

use super::App;
use crate::tty::raw_mode;
use crate::tty::signals::SignalEvent;

impl App {
    pub(super) fn told(&mut self, told: SignalEvent) {
        match told {
            SignalEvent::Resized => self.resized(),
            SignalEvent::Ended => self.leave("[detached: the client was ended]"),
            SignalEvent::HungUp => self.leave(""),
            SignalEvent::Suspended => self.suspend(),
            SignalEvent::Continued => self.go_on(),
        }
        self.dirty = true;
    }

    fn resized(&mut self) {
        self.size = raw_mode::size();
        self.painter.forget();
        self.leads = true;
        self.attach();
        self.fit_popup();
        self.settle();
    }

    /// Gives the terminal back and sleeps until somebody continues the client.
    pub(super) fn suspend(&mut self) {
        self.output.finish();
        raw_mode::leave();
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::STOP);
        self.signals.forget(SignalEvent::Continued);
        self.go_on();
    }

    /// The client was asleep, by its own will or stopped from outside: somebody else had the terminal meanwhile.
    fn go_on(&mut self) {
        self.output.finish();
        if raw_mode::again().is_err() {
            self.leave("");
        }
        self.ask_terminal();
        self.resized();
        self.dirty = true;
    }
}
