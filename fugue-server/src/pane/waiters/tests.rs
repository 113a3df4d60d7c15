use fugue_screen::{Limits, Size};
use tokio::sync::oneshot::{self, error::TryRecvError};

use super::*;
use crate::pane::text::pattern::slow_pattern;

fn mark(text: &str) -> String {
    format!("\x1b]133;{text}\x07")
}

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
        waiters.check(PaneFacts::for_test(&screen, now));
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

/// The results of waits for a pattern, each from the cursor of the one before, on a screen that shows this. What is
/// typed is typed first, after `before`.
fn matches(pattern: &str, before: &str, typed: &str, shown: &str) -> Vec<(String, String)> {
    let (pane, now) = (PaneId::from_bytes([0; 16]), Instant::now());
    let mut screen = Screen::new(Size { cols: 40, rows: 10 }, Limits::default());
    screen.trust_marks("key");
    let mut waiters = Waiters::default();
    screen.feed(before.as_bytes());
    waiters.typed(typed, &screen);
    screen.feed(shown.as_bytes());
    let (mut since, mut found) = (OutputCursor::new(0, 0), Vec::new());
    loop {
        let (answer, mut result) = oneshot::channel();
        let waiting = WaitRequest {
            until: Until::Match,
            pattern: Some(pattern.into()),
            since: Some(since),
            idle_ms: 0,
            states: Vec::new(),
            timeout_ms: 0,
        };
        waiters.add(pane, &waiting, answer, &screen, now);
        waiters.check(PaneFacts::for_test(&screen, now));
        let waited = result.try_recv().expect("an answer").expect("no refusal");
        match waited.matched {
            Some(line) => found.push((line, waited.cursor.clone())),
            None => return found,
        }
        since = waited.cursor.parse().expect("a cursor");
        assert!(found.len() < 10, "the same match is found again: {found:?}");
    }
}

fn found(matches: &[(&str, &str)]) -> Vec<(String, String)> {
    matches.iter().map(|(line, cursor)| ((*line).into(), (*cursor).into())).collect()
}

#[test]
fn each_match_is_found_once_with_its_whole_line_and_the_cursor_after_it() {
    let log = "ERROR 1: a\r\nfine\r\nERROR 2 ERROR 3\r\n";
    let all = [("ERROR 1: a", "0:5"), ("ERROR 2 ERROR 3", "2:5"), ("ERROR 2 ERROR 3", "2:13")];
    assert_eq!(matches("ERROR", "", "", log), found(&all));
    assert_eq!(matches("^$", "", "", "a\r\n\r\nb\r\nc"), found(&[("", "1:1")]));
}

#[test]
fn a_prompt_matches_with_the_blanks_before_the_cursor() {
    for (shown, pattern) in [("Password: ", "Password: $"), ("1\r\n>>> ", ">>> $"), (">>> ", ">>>$")] {
        assert_eq!(matches(pattern, "", "", shown).len(), 1, "{shown:?} {pattern:?}");
    }
    assert_eq!(matches(">>> $", "", "", ">>> 1 + 1"), []);
    let editor = "\u{1b}[?1049h\u{1b}[5;1HSave? ";
    let (waited, cursor) = matches("Save\\? $", "", "", editor).remove(0);
    assert_eq!((waited.as_str(), &cursor[..4]), ("Save? ", "0:0~"));
}

#[test]
fn the_echo_of_what_was_typed_does_not_match() {
    let output = "DONE\r\n>>> ";
    let only_output = found(&[("DONE", "1:4")]);
    assert_eq!(matches("DONE", ">>> ", "print('DONE')", &format!("print('DONE')\r\n{output}")), only_output);
    assert_eq!(
        matches(".*DONE", ">>> ", "print('DONE')", &format!("print('DONE')\r\n{output}")),
        only_output
    );
    // It was typed before the prompt was there.
    assert_eq!(matches("DONE", "", "print('DONE')", &format!(">>> print('DONE')\r\n{output}")), only_output);
    // A match that continues after the echo counts.
    assert_eq!(matches("y: yes", "y? ", "y", "y: yes"), found(&[("y? y: yes", "0:9")]));
    // The same text as output counts.
    assert_eq!(matches("DONE", "", "DONE", "DONE\r\nDONE\r\n"), found(&[("DONE", "1:4")]));
    // Something else that ends with a typed letter is no echo.
    assert_eq!(matches("ready", "[y/N] ", "y", "\r\nready\r\n"), found(&[("ready", "1:5")]));
}

#[test]
fn what_a_full_screen_program_shows_of_the_typed_text_does_not_match() {
    let shown = |rows: &str| format!("\u{1b}[?1049h\u{1b}[H{rows}");
    assert_eq!(matches("DONE", "", "say DONE", &shown("> say DONE")), []);
    assert_eq!(matches("DONE", "", "say DONE", &shown("> say DONE\r\nDONE")).len(), 1);
}

#[test]
fn what_stands_at_a_marked_prompt_does_not_match() {
    let shown = format!(
        "{}$ {}make DONE\r\n{}DONE 1\r\n{}{}$ {}echo DONE",
        mark("A;k=key.1"),
        mark("B;k=key"),
        mark("C;k=key.2"),
        mark("D;0;k=key.3"),
        mark("A;k=key.4"),
        mark("B;k=key"),
    );
    assert_eq!(matches("DONE", "", "echo DONE", &shown), found(&[("DONE 1", "1:4")]));
    let by_a_person = found(&[("DONE 1", "1:4"), ("$ echo DONE", "2:11")]);
    assert_eq!(matches("DONE", "", "", &shown), by_a_person, "it is not an echo of a request");
    assert_eq!(matches(r"^\$ ", "", "", &shown).len(), 2, "prompts are output");
}

#[test]
fn after_a_timeout_the_line_that_was_begun_can_still_match() {
    let (pane, now) = (PaneId::from_bytes([0; 16]), Instant::now());
    let mut screen = Screen::new(Size { cols: 20, rows: 5 }, Limits::default());
    screen.feed(b"one\r\nERR");
    let (mut waiters, (answer, mut result)) = (Waiters::default(), oneshot::channel());
    let pattern = Some("ERROR".into());
    let since = Some(OutputCursor::new(0, 0));
    let waiting =
        WaitRequest { until: Until::Match, pattern, since, idle_ms: 0, states: Vec::new(), timeout_ms: 0 };
    waiters.add(pane, &waiting, answer, &screen, now);
    waiters.check(PaneFacts::for_test(&screen, now));
    let waited = result.try_recv().unwrap().unwrap();
    assert_eq!((waited.outcome, waited.cursor.as_str()), (WaitOutcome::Timeout, "1:0"));
}

#[test]
fn a_pane_without_an_agent_is_refused_once_it_is_quiet() {
    let (pane, now) = (PaneId::from_bytes([0; 16]), Instant::now());
    let screen = Screen::new(Size { cols: 20, rows: 5 }, Limits::default());
    let (mut waiters, (answer, mut result)) = (Waiters::default(), oneshot::channel());
    let waiting = WaitRequest {
        until: Until::AgentState,
        pattern: None,
        since: None,
        idle_ms: 0,
        states: Vec::new(),
        timeout_ms: 60_000,
    };
    waiters.add(pane, &waiting, answer, &screen, now);
    waiters.check(PaneFacts::for_test(&screen, now));
    assert!(result.try_recv().is_err(), "an agent may be starting");
    assert_eq!(waiters.due(now), Some(now + AGENT_DELAY));
    waiters.check(PaneFacts { now: now + AGENT_DELAY, ..PaneFacts::for_test(&screen, now) });
    assert_eq!(result.try_recv().unwrap(), Err(Refusal::NoAgent { pane }));
}

#[test]
fn of_the_waits_of_a_pane_the_one_whose_pattern_takes_too_long_is_refused() {
    let pane = PaneId::from_bytes([0; 16]);
    let mut screen = Screen::new(Size { cols: 80, rows: 5 }, Limits::default());
    let (mut waiters, now) = (Waiters::default(), Instant::now());
    let since = Some(cursor(screen.end()));
    let mut wait = |pattern: &str| {
        let (answer, result) = oneshot::channel();
        let (until, pattern) = (Until::Match, Some(pattern.to_owned()));
        let waiting =
            WaitRequest { until, pattern, since, idle_ms: 0, states: Vec::new(), timeout_ms: 60_000 };
        waiters.add(pane, &waiting, answer, &screen, now);
        result
    };
    let (mut slow, mut ordinary) = (wait(slow_pattern::SLOW), wait("works"));
    let mut lines = slow_pattern::lines();
    let refused = (0..1_000).find_map(|_| {
        lines.by_ref().take(50).for_each(|line| screen.feed(line.as_bytes()));
        waiters.check(PaneFacts::for_test(&screen, now));
        slow.try_recv().ok()
    });
    let refused = refused.expect("an answer").expect_err("a refusal").to_string();
    assert!(refused.contains("matching it takes too long"), "{refused}");
    assert_eq!(ordinary.try_recv().err(), Some(TryRecvError::Empty), "the other one is still waiting");
}

/// A wait for a pattern from a cursor on, which began at that time.
fn wait_for(
    waiters: &mut Waiters,
    screen: &Screen,
    (pattern, since): (&str, OutputCursor),
    (timeout_ms, now): (u64, Instant),
) -> oneshot::Receiver<Result<WaitResult, Refusal>> {
    let (answer, result) = oneshot::channel();
    let (until, pattern) = (Until::Match, Some(pattern.to_owned()));
    let waiting =
        WaitRequest { until, pattern, since: Some(since), idle_ms: 0, states: Vec::new(), timeout_ms };
    waiters.add(PaneId::from_bytes([0; 16]), &waiting, answer, screen, now);
    result
}

#[test]
fn a_wait_beside_an_older_one_is_refused_rather_than_left_without_a_search() {
    let (mut waiters, now) = (Waiters::default(), Instant::now() + Duration::from_secs(7_200));
    let mut screen = Screen::new(Size { cols: 80, rows: 5 }, Limits::default());
    let begun = OutputCursor::new(0, 0);
    let older = now - Duration::from_secs(3_600);
    let mut older = wait_for(&mut waiters, &screen, ("never", begun), (7_200_000, older));
    // Searching these takes longer than a wait may.
    slow_pattern::lines().take(12_000).for_each(|line| screen.feed(line.as_bytes()));
    screen.feed(b"the end 7\r\n");
    let pattern = format!("the end|{}", slow_pattern::SLOW);
    let mut slow = wait_for(&mut waiters, &screen, (&pattern, begun), (60_000, now));
    let answer = (0..10_000).find_map(|_| {
        waiters.check(PaneFacts::for_test(&screen, now));
        slow.try_recv().ok()
    });
    let refused = answer.expect("an answer").expect_err("a refusal").to_string();
    assert!(refused.contains("matching it takes too long"), "{refused}");
    assert_eq!(older.try_recv().err(), Some(TryRecvError::Empty), "the older one is still waiting");
}

#[test]
fn a_match_at_the_end_of_much_text_is_found_though_others_get_their_turns() {
    let (mut waiters, now) = (Waiters::default(), Instant::now());
    let mut screen = Screen::new(Size { cols: 80, rows: 5 }, Limits::default());
    slow_pattern::lines().take(400).for_each(|line| screen.feed(line.as_bytes()));
    screen.feed(b"the end\r\n");
    let pattern = format!("the end|{}", slow_pattern::SLOW);
    let mut wait = wait_for(&mut waiters, &screen, (&pattern, OutputCursor::new(0, 0)), (0, now));
    let mut checks = 0;
    let waited = loop {
        waiters.check(PaneFacts::for_test(&screen, now));
        checks += 1;
        match wait.try_recv() {
            Ok(waited) => break waited.expect("no refusal"),
            Err(_) => assert_eq!(waiters.due(now), Some(now), "it goes on at once"),
        }
    };
    assert_eq!((waited.outcome, waited.matched.as_deref()), (WaitOutcome::Matched, Some("the end")));
    assert!(checks > 1, "the search took a single turn");
}

#[test]
fn a_plain_pattern_waits_through_a_very_long_line() {
    let (mut waiters, now) = (Waiters::default(), Instant::now());
    let mut screen = Screen::new(Size { cols: 80, rows: 24 }, Limits::default());
    let mut wait = wait_for(&mut waiters, &screen, ("done 7", OutputCursor::new(0, 0)), (60_000, now));
    let chunk = "0123456789abcdef".repeat(512);
    for _ in 0..192 {
        screen.feed(chunk.as_bytes());
        waiters.check(PaneFacts::for_test(&screen, now));
        assert_eq!(wait.try_recv().err(), Some(TryRecvError::Empty), "it is still waiting");
    }
    for part in ["do", "ne 7 and more"] {
        screen.feed(part.as_bytes());
        waiters.check(PaneFacts::for_test(&screen, now));
    }
    assert_eq!(wait.try_recv().expect("an answer").expect("no refusal").outcome, WaitOutcome::Matched);
}

#[test]
fn a_match_of_a_whole_long_line_is_found_once_the_line_is_complete() {
    let (mut waiters, now) = (Waiters::default(), Instant::now());
    let mut screen = Screen::new(Size { cols: 80, rows: 5 }, Limits::default());
    let since = OutputCursor::new(0, 0);
    let mut wait = wait_for(&mut waiters, &screen, ("^begin .*end$", since), (60_000, now));
    screen.feed(b"begin ");
    for _ in 0..20 {
        screen.feed("x".repeat(1_000).as_bytes());
        waiters.check(PaneFacts::for_test(&screen, now));
    }
    screen.feed(b" end\r\n");
    waiters.check(PaneFacts::for_test(&screen, now));
    assert_eq!(wait.try_recv().expect("an answer").expect("no refusal").outcome, WaitOutcome::Matched);
}
