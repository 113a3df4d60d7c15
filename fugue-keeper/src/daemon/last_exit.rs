//! The exit of the last daemon, which the keeper tells the next one: whether it crashed decides what that one restores.

use crate::link::messages::Exit;
use crate::sys;

/// The environment variable with the last daemon's exit: `code 1`, `signal 9`.
const LAST_EXIT: &str = "FUGUE_LAST_EXIT";

/// Puts the exit of a daemon into the keeper's own environment, which the next daemon inherits.
pub(crate) fn record(exit: Exit) {
    let text = match exit {
        Exit::Code(code) => format!("code {code}"),
        Exit::Signal(signal) => format!("signal {signal}"),
        Exit::Unknown => "unknown".into(),
    };
    sys::set_variable(LAST_EXIT, &text);
}

/// Returns the exit of the last daemon of this daemon's keeper; nothing for the first one.
pub fn last_exit() -> Option<Exit> {
    parse(&std::env::var(LAST_EXIT).ok()?)
}

fn parse(text: &str) -> Option<Exit> {
    match text.split_once(' ') {
        Some(("code", code)) => code.parse().ok().map(Exit::Code),
        Some(("signal", signal)) => signal.parse().ok().map(Exit::Signal),
        _ => Some(Exit::Unknown).filter(|_| text == "unknown"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exit_is_read_as_it_was_written() {
        let texts = ["code 1", "signal 11", "unknown", "code", "signal x", ""];
        let exits = [Some(Exit::Code(1)), Some(Exit::Signal(11)), Some(Exit::Unknown), None, None, None];
        assert_eq!(texts.map(parse), exits);
    }
}
