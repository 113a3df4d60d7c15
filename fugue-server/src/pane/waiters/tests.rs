use fugue_screen::{Limits, Size};
use tokio::sync::oneshot::{self, error::TryRecvError};

use super::*;

/// The outcome of a wait for `done`, after a cursor or on the screen, while this is written.
fn match_outcome(before: &str, since: bool, written: &[&str]) -> Option<WaitOutcome> {
    outcome(Until::Match, before, since, written)
}

fn outcome(until: Until, before: &str, since: bool, written: &[&str]) -> Option<WaitOutcome> {
    let pane = PaneId::from_bytes([0; 16]);
    let mut screen = Screen::new(Size { cols: 20, rows: 5 }, Limits::default());
    screen.trust_marks("key");
    screen.feed(before.as_bytes());
    let since = since.then(|| cursor(screen.end()));
    let pattern = (until == Until::Match).then(|| "done".to_owned());
    let waiting = WaitRequest { until, pattern, since, idle_ms: 0, states: Vec::new(), timeout_ms: 60_000 };
    let (mut waiters, (answer, mut result), now) = (Waiters::default(), oneshot::channel(), Instant::now());
    waiters.add(pane, &waiting, answer, &screen, now);
    for text in [""].iter().chain(written) {
        screen.feed(text.as_bytes());
        let facts = PaneFacts { pane, screen: &screen, agent: None, locked_ms: None, last_output: now, now };
        waiters.check(facts);
    }
    match result.try_recv() {
        Ok(answer) => answer.ok().map(|waited| waited.outcome),
        Err(TryRecvError::Empty | TryRecvError::Closed) => None,
    }
}

#[test]
fn text_that_is_redrawn_above_the_last_line_is_matched() {
    let rows = "one: busy\r\ntwo: busy\r\nall: busy\r\n";
    assert_eq!(match_outcome("", false, &[rows]), None);
    assert_eq!(
        match_outcome("", false, &[rows, "\x1b[2Aone", "\x1b[G\x1b[2Ktwo: done"]),
        Some(WaitOutcome::Matched)
    );
    assert_eq!(
        match_outcome("$ run\r\n", true, &[rows, "\x1b[3A\x1b[2Kone: done\x1b[3B"]),
        Some(WaitOutcome::Matched)
    );
}

#[test]
fn a_command_of_our_shell_is_done_when_that_shell_marks_its_end() {
    let done = |before: &str, written: &[&str]| outcome(Until::CommandDone, before, false, written);
    let mark = |text: &str| format!("\x1b]133;{text}\x07");
    let ours = format!("{}$ {}{}", mark("A;k=key.1"), mark("B;k=key"), mark("C;k=key.2"));
    // The command prints the recording of another shell.
    let foreign = format!("{}{}$ {}", mark("D;0"), mark("A"), mark("B"));
    let whole = format!("{}{}", mark("C"), mark("D;0"));
    assert_eq!(done(&ours, &[&foreign, &whole, &foreign]), None);
    assert_eq!(done(&ours, &[&foreign, &mark("D;3;k=key.3")]), Some(WaitOutcome::CommandDone));
    // The marks of a shell with its own integration count, even if it runs inside a command of ours.
    let theirs = format!("{}$ {}{}", mark("A"), mark("B"), mark("C"));
    for before in [theirs.clone(), format!("{ours}{theirs}")] {
        assert_eq!(done(&before, &[]), None);
        assert_eq!(done(&before, &[&mark("D;0")]), Some(WaitOutcome::CommandDone));
    }
}

#[test]
fn text_before_the_cursor_does_not_match() {
    assert_eq!(match_outcome("done\r\n", false, &[]), Some(WaitOutcome::Matched));
    assert_eq!(match_outcome("done\r\n", true, &["more\r\n", "and more\r\n"]), None);
    let much = "line\r\n".repeat(50);
    assert_eq!(match_outcome("done\r\n", true, &[&much, "the work is done\r\n"]), Some(WaitOutcome::Matched));
}
