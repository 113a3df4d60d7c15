//! What is typed into a session on a host far away is shown before its echo arrives.

use std::time::Duration;

use fugue_testkit::{CuttingProxy, TestTerminal};

use crate::sshd::Hosts;

/// A line on which echoes are slow enough to be predicted.
const DELAY: Duration = Duration::from_millis(50);

/// A client that is attached over a slow line to a session with this program.
fn attached(program: &str) -> (Hosts, CuttingProxy, TestTerminal) {
    let hosts = Hosts::start();
    let proxy = CuttingProxy::new(hosts.port());
    hosts.lead_through(proxy.port);
    hosts.there.session("far", &["sh", "-c", program]);
    let mut terminal = hosts.terminal(&["attach", "box:far"]);
    terminal.shows("ready");
    proxy.delay(DELAY);
    (hosts, proxy, terminal)
}

/// Whether a text of the screen is underlined.
fn is_underlined(terminal: &TestTerminal, text: &str) -> bool {
    let rows = terminal.screen().rows();
    let spans = rows.iter().flat_map(|row| &row.spans);
    spans
        .filter(|span| span.text.contains(text))
        .any(|span| span.style.underline != fugue_screen::Underline::None)
}

#[test]
fn characters_are_shown_while_the_line_stands_still_once_the_program_has_echoed_one() {
    let (_hosts, proxy, mut terminal) = attached("echo ready; exec cat");
    terminal.send("a");
    terminal.shows("\na\n");
    proxy.stand_still();
    terminal.send("bcd");
    terminal.shows("\nabcd\n");
    assert!(is_underlined(&terminal, "bcd"), "{}", terminal.picture());
    proxy.go_on();
    terminal.until("the echo has arrived", |terminal| !is_underlined(terminal, "bcd"));
    terminal.shows("\nabcd\n");
}

#[test]
fn a_password_is_not_shown() {
    let program = "echo ready; read line; stty -echo; echo hidden; exec cat > /dev/null";
    let (_hosts, proxy, mut terminal) = attached(program);
    terminal.send("a");
    terminal.shows("\na\n");
    terminal.send("\r");
    terminal.shows("hidden");
    proxy.stand_still();
    terminal.send("secret");
    // The prompt needs no daemon: when it is there, everything typed before it has been handled.
    terminal.prefix(":");
    terminal.shows("\n :");
    assert!(!terminal.picture().contains("secret"), "{}", terminal.picture());
}
