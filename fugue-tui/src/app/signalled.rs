//! What the system tells the client: another size, its end, sleep and waking.

use super::App;
use crate::outer::raw;
use crate::outer::signals::Told;

impl App {
    pub(super) fn told(&mut self, told: Told) {
        match told {
            Told::Resized => self.resized(),
            Told::Ended => self.leave("[detached: the client was ended]"),
            Told::HungUp => self.leave(""),
            Told::Suspended => self.suspend(),
            Told::Continued => self.go_on(),
        }
        self.dirty = true;
    }

    fn resized(&mut self) {
        self.size = raw::size();
        self.painter.forget();
        self.leads = true;
        self.attach();
        self.fit_popup();
        self.settle();
    }

    /// Gives the terminal back and sleeps until somebody continues the client.
    pub(super) fn suspend(&mut self) {
        self.output.finish();
        raw::leave();
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::STOP);
        self.signals.forget(Told::Continued);
        self.go_on();
    }

    /// The client was asleep, by its own will or stopped from outside: somebody else had the terminal meanwhile.
    fn go_on(&mut self) {
        self.output.finish();
        if raw::again().is_err() {
            self.leave("");
        }
        self.ask_terminal();
        self.resized();
        self.dirty = true;
    }
}
