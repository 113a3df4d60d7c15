//! Agents in the client: the sidebar, the counts, jumping to an agent that waits, and notifications.

use fugue_testkit::{TestServer, TestTerminal, until};
use insta::assert_snapshot;

use crate::{attached, test_server};

/// Creates a session whose program reports this status and keeps running.
fn agent(server: &TestServer, session: &str, status: &str) {
    let line = format!("printf '\\033]7501;{status}\\007'; exec cat");
    server.ok(&["new", "-d", "-s", session, "--", "sh", "-c", &line]);
}

const WORKS: &str = "state=working:app=codex";
/// `approve Bash: touch x`.
const BLOCKED: &str = "state=blocked:app=claude-code:kind=permission:msg=YXBwcm92ZSBCYXNoOiB0b3VjaCB4";

/// A client in its own session, and two agents in other sessions.
fn attached_with_agents(server: &TestServer, cols: u16, rows: u16) -> TestTerminal {
    server.ok(&["new", "-d", "-s", "mine", "--", "sh"]);
    agent(server, "builder", WORKS);
    agent(server, "reviewer", BLOCKED);
    let mut terminal = server.terminal(&["attach", "mine"], cols, rows);
    terminal.shows(" 1 needs you  1 working");
    terminal
}

#[test]
fn the_sidebar_shows_who_needs_the_person_first_and_why() {
    for (cols, rows) in [(80, 24), (200, 50)] {
        let server = test_server();
        let mut terminal = attached_with_agents(&server, cols, rows);
        terminal.prefix("b");
        terminal.shows("│ ! reviewer");
        let wide = |terminal: &TestTerminal| terminal.picture().lines().next().map(|row| row.find('│'));
        assert!(wide(&terminal).flatten() >= Some(usize::from(cols) * 3 / 4), "{}", terminal.picture());
        terminal.until("the prompt", |terminal| terminal.picture().starts_with('$'));
        assert_snapshot!(format!("sidebar-{cols}x{rows}"), terminal.picture());
        terminal.prefix("b");
        terminal.until("the whole width again", |terminal| !terminal.picture().contains('│'));
    }
}

#[test]
fn a_click_on_either_line_of_an_agent_in_the_sidebar_goes_there() {
    let server = test_server();
    let mut terminal = attached_with_agents(&server, 80, 24);
    terminal.prefix("b");
    terminal.shows("│ ! reviewer");
    for (line, session) in [(2, " reviewer "), (3, " builder "), (1, " reviewer "), (4, " builder ")] {
        terminal.send(format!("\x1b[<0;70;{line}M\x1b[<0;70;{line}m"));
        terminal.until(session, |terminal| terminal.screen().screen_rows()[23].starts_with(session));
    }
}

#[test]
fn one_key_jumps_to_the_agent_that_waits() {
    let server = test_server();
    let mut terminal = attached_with_agents(&server, 80, 24);
    terminal.prefix("a");
    terminal.shows(" claude in reviewer needs approval: approve Bash: touch x");
    terminal.prefix("A");
    terminal.shows("needs approval  now  approve Bash: touch x");
    assert_snapshot!("agents", terminal.picture());
}

#[test]
fn the_user_is_notified_when_an_agent_out_of_sight_needs_them() {
    let server = test_server();
    server.ok(&["new", "-d", "-s", "mine", "--", "sh"]);
    // A program that reports each line it is given as its status.
    let program = r"stty -echo; exec sed -u 's/.*/\x1b]7501;&\x07/'";
    server.ok(&["new", "-d", "-s", "worker", "--", "sh", "-c", program]);
    let mut terminal = server.terminal(&["attach", "mine"], 80, 24);
    crate::shows_panes(&mut terminal, 1);
    let say = |status: &str| server.ok(&["send-input", "-s", "worker", status, "--submit"]);
    say(BLOCKED);
    let called = "\x1b]9;claude in worker: needs approval: approve Bash: touch x\x1b\\\x07";
    terminal
        .until("the notification", |terminal| String::from_utf8_lossy(&terminal.written).contains(called));
    // A user who is looking at the pane is not notified.
    terminal.prefix("a");
    terminal.shows(" claude in worker needs approval");
    say("state=working:app=claude-code");
    terminal.shows("1 working");
    say(BLOCKED);
    terminal.shows("1 needs you");
    assert_eq!(String::from_utf8_lossy(&terminal.written).matches(called).count(), 1);
}

#[test]
fn messages_between_agents_are_listed_in_the_client() {
    let server = test_server();
    server.ok(&["new", "-d", "-s", "mine", "--", "sh"]);
    agent(&server, "builder", WORKS);
    let mut terminal = server.terminal(&["attach", "mine"], 80, 24);
    terminal.shows("1 working");
    server.ok(&["send-orchestration", "-s", "builder", "task.assigned", r#"{"task":"tests"}"#]);
    terminal.shows("1 unread");
    terminal.prefix("u");
    terminal.shows("╭─ Messages");
    terminal.shows(r#"(user) → builder  queued  task.assigned  {"task":"tests"}"#);
    terminal.shows("─ task.assigned from (user) to builder (queued) ─");
    terminal.shows("│ task: tests ");
}

#[test]
fn a_narrow_terminal_shows_the_most_important_parts() {
    let server = test_server();
    server.ok(&["new", "-d", "-s", "mine", "--", "sh"]);
    agent(&server, "reviewer", BLOCKED);
    let mut terminal = server.terminal(&["attach", "mine"], 50, 16);
    terminal.shows("1 needs you");
    terminal.prefix("b");
    terminal.shows("Agents >");
    terminal.until("the agent", |terminal| terminal.picture().contains("! reviewer  needs approval"));
    assert_snapshot!("narrow", terminal.picture());
    // Its columns follow the size of the terminal.
    terminal.resize(40, 16);
    terminal.until("the reason alone", |terminal| {
        terminal.picture().contains("! reviewer  approve Bash: touch x")
    });
    terminal.resize(80, 24);
    terminal.until("all columns", |terminal| {
        terminal.picture().contains("! reviewer  claude  needs approval  now  approve Bash: touch x")
    });
}

#[test]
fn the_list_of_sessions_shows_the_states_of_their_agents() {
    for (cols, rows) in [(80, 24), (200, 50)] {
        let server = test_server();
        server.ok(&["new", "-d", "-s", "mine", "--", "sh"]);
        agent(&server, "builder", WORKS);
        agent(&server, "reviewer", BLOCKED);
        crowd(&server, "swarm", &[WORKS, FAILED, WORKS]);
        let mut terminal = server.terminal(&["attach", "mine"], cols, rows);
        terminal.shows("1 needs you   1 failed");
        let listed = server.ok(&["ls"]);
        assert!(listed.contains("swarm: 3 windows, 3 panes, 2 codex working, gemini failed\n"), "{listed}");
        terminal.prefix("s");
        terminal.shows("! claude needs approval: approve Bash: touch x");
        terminal.shows("✗ 1 failed  ▸ 2 working  3 windows");
        assert_snapshot!(format!("sessions-{cols}x{rows}"), terminal.picture());
    }
}

#[test]
fn a_muted_pane_sends_no_notifications_until_unmuted() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    let pane = server.json(&["list-panes"])["panes"][0]["pane_id"].as_str().expect("a pane").to_owned();
    terminal.prefix("c");
    terminal.shows("1:sh*");
    assert!(server.ok(&["mute-pane", "-t", &pane]).contains("(muted)"));
    server.ok(&["send-input", "-t", &pane, "printf '\\a'; echo ru''ng", "--submit"]);
    server.wait_for(&pane, "^rung$");
    terminal.prefix("~");
    terminal.shows("╭─ Status messages");
    assert!(!terminal.picture().contains("0:sh-!"), "{}", terminal.picture());
    terminal.send("\x03");
    server.ok(&["mute-pane", "-t", &pane, "--off"]);
    server.ok(&["send-input", "-t", &pane, "printf '\\a'", "--submit"]);
    terminal.shows("0:sh-!");
}

/// Creates a session with agents in windows of their own, in these states.
fn crowd(server: &TestServer, session: &str, states: &[&str]) {
    for (at, status) in states.iter().enumerate() {
        let line = format!("printf '\\033]7501;{status}\\007'; exec cat");
        let program = ["--", "sh", "-c", &line];
        match at {
            0 => server.ok(&[&["new", "-d", "-s", session], &program[..]].concat()),
            _ => server.ok(&[&["new-window", "-d", "-s", session], &program[..]].concat()),
        };
    }
}

const FAILED: &str = "state=error:app=gemini";

#[test]
fn twenty_agents_are_listed_by_need_and_the_rest_is_counted() {
    let server = test_server();
    server.ok(&["new", "-d", "-s", "mine", "--", "sh"]);
    crowd(&server, "swarm", &[WORKS; 18]);
    crowd(&server, "late", &[FAILED, BLOCKED]);
    let mut terminal = server.terminal(&["attach", "mine"], 80, 12);
    terminal.shows("1 needs you   1 failed");
    let listed = server.ok(&["agents"]);
    let states: Vec<_> = listed.lines().skip(1).map(|line| line.contains("  working  ")).collect();
    assert!(states[..2] == [false, false] && states[2..].iter().all(|works| *works), "{listed}");
    terminal.prefix("b");
    terminal.shows("10 more");
    let rows = terminal.screen().screen_rows();
    let row = |at: usize| rows[at].split('│').next_back().unwrap_or_default().trim().to_owned();
    assert!(row(0).starts_with("! late:1 app"), "{}", row(0));
    assert!(row(1).starts_with("✗ late:0 fail"), "{}", row(1));
    assert!((2..10).all(|at| row(at).starts_with("▸ swarm:")), "{rows:?}");
    // The wheel over the sidebar scrolls it.
    terminal.send("\x1b[<65;79;3M");
    terminal.shows("3 above, 7 below");
    terminal.prefix("A");
    terminal.shows("╭─ Agents");
    terminal.send("late");
    terminal.shows(" 1/2 ");
    assert!(terminal.picture().contains("✗ late:0    gemini"), "{}", terminal.picture());
}

#[test]
fn failed_agents_are_visited_after_waiting_ones_and_one_key_goes_back() {
    let server = test_server();
    server.ok(&["new", "-d", "-s", "mine", "--", "sh"]);
    agent(&server, "broken", FAILED);
    agent(&server, "reviewer", BLOCKED);
    let mut terminal = server.terminal(&["attach", "mine"], 80, 24);
    terminal.shows("1 needs you   1 failed");
    for why in
        [" claude in reviewer needs approval: ", " gemini in broken failed", " claude in reviewer needs"]
    {
        terminal.prefix("a");
        terminal.shows(why);
    }
    terminal.prefix("\t");
    terminal.until("back", |terminal| terminal.screen().screen_rows()[23].starts_with(" mine "));
}

#[test]
fn the_status_line_says_when_an_agent_starts_to_need_the_person() {
    let server = test_server();
    server.ok(&["new", "-d", "-s", "mine", "--", "sh"]);
    let mut terminal = server.terminal(&["attach", "mine"], 80, 24);
    crate::shows_panes(&mut terminal, 1);
    agent(&server, "reviewer", BLOCKED);
    terminal.shows(" !  claude in reviewer: approve Bash: touch x (C-b a jumps there)");
}

#[test]
fn the_sidebar_is_hidden_while_there_is_nothing_in_it() {
    let server = test_server();
    server.ok(&["new", "-d", "-s", "mine", "--", "sh"]);
    let mut terminal = server.terminal(&["attach", "mine"], 80, 24);
    crate::shows_panes(&mut terminal, 1);
    terminal.prefix("b");
    terminal.shows("No agents yet; the sidebar appears when one runs in a pane");
    assert!(!terminal.picture().contains('│'), "{}", terminal.picture());
    agent(&server, "builder", WORKS);
    terminal.shows("│ ▸ builder");
    terminal.shows("│   codex · working");
    server.ok(&["kill-session", "-s", "builder"]);
    terminal.until("it is hidden", |terminal| !terminal.picture().contains('│'));
}

#[test]
fn the_open_list_of_agents_loses_the_row_of_a_session_that_is_killed() {
    let server = test_server();
    let mut terminal = attached_with_agents(&server, 80, 24);
    terminal.prefix("A");
    terminal.shows("needs approval");
    terminal.shows("builder");
    server.ok(&["kill-session", "-s", "builder"]);
    terminal.until("its row is gone", |terminal| !terminal.picture().contains("builder"));
    assert!(terminal.picture().contains("needs approval"), "{}", terminal.picture());
}

/// The text of a session's pane.
fn text_of(server: &TestServer, session: &str) -> String {
    server.ok(&["get-output", "-s", session])
}

#[test]
fn marked_agents_are_messaged_tagged_interrupted_and_closed_together() {
    let server = test_server();
    server.ok(&["new", "-d", "-s", "mine", "--", "sh"]);
    for session in ["alpha", "beta", "gamma"] {
        agent(&server, session, WORKS);
    }
    agent(&server, "delta", BLOCKED);
    let mut terminal = server.terminal(&["attach", "mine"], 80, 24);
    terminal.shows("1 needs you  3 working");
    terminal.prefix("A");
    terminal.shows("Space mark  C-a mark all");
    terminal.send("\x01");
    terminal.shows("4 marked  C-s message  C-y prompt  C-e interrupt  C-t tag  C-x close");
    terminal.send("gamma\x00\x15");
    terminal.shows("3 marked");
    assert_snapshot!("agents-marked", terminal.picture());
    terminal.send("\x13");
    terminal.shows("Message to 3 sessions:");
    terminal.send("please stop\r");
    terminal.shows("Message sent to 3 sessions");
    let unread = |session: &str| server.ok(&["list-messages", "-s", session]).matches("please stop").count();
    until("the messages", || ["alpha", "beta", "delta"].iter().all(|session| unread(session) == 1));
    assert_eq!(unread("gamma"), 0);
    // The list stays, with its marks.
    terminal.send("\x14");
    terminal.shows("Tag for 3 sessions:");
    terminal.send("night\r");
    terminal.shows("Tagged 3 sessions `night`");
    until("the tags", || server.ok(&["get-tags", "-s", "beta"]).contains("night"));
    assert!(!server.ok(&["get-tags", "-s", "gamma"]).contains("night"));
    // Nothing is typed into an agent that asks something: it would answer that.
    terminal.send("\x19");
    terminal.shows("Prompt for 3 agents:");
    terminal.send("go on\r");
    terminal.shows("not taken by claude in delta (it asks something)");
    until("the prompt", || {
        ["alpha", "beta"].iter().all(|session| text_of(&server, session).contains("go on"))
    });
    assert!(!text_of(&server, "delta").contains("go on") && !text_of(&server, "gamma").contains("go on"));
    terminal.send("\x05");
    terminal.shows("Interrupt 2 of 3 agents (1 not working)? (y/N)");
    terminal.send("n");
    terminal.until("the list is back", |terminal| {
        terminal.picture().contains("3 marked") && !terminal.picture().contains("(y/N)")
    });
    terminal.send("\x05");
    terminal.shows("Interrupt 2 of 3 agents (1 not working)? (y/N)");
    terminal.send("y");
    terminal.shows("Interrupted 2 agents; 1 had nothing to interrupt");
    until("the key", || ["alpha", "beta"].iter().all(|session| text_of(&server, session).contains("^[")));
    assert!(!text_of(&server, "delta").contains("^[") && !text_of(&server, "gamma").contains("^["));
    terminal.send("\x18");
    terminal.shows("Close the panes of alpha, beta, delta? (y/N)");
    terminal.send("y");
    terminal.shows("Closed 3 panes");
    until("they are closed", || {
        let sessions = server.ok(&["ls"]);
        !["alpha", "beta", "delta"].iter().any(|session| sessions.contains(session))
            && sessions.contains("gamma")
    });
    terminal.until("the list is closed", |terminal| !terminal.picture().contains("Agents"));
}

#[test]
fn an_agent_that_is_not_working_is_not_offered_to_be_interrupted() {
    let server = test_server();
    server.ok(&["new", "-d", "-s", "mine", "--", "sh"]);
    agent(&server, "delta", BLOCKED);
    let mut terminal = server.terminal(&["attach", "mine"], 80, 24);
    terminal.shows("1 needs you");
    terminal.prefix("A");
    terminal.shows("needs approval");
    terminal.send("\x05");
    terminal.shows("claude in delta is not working; nothing to interrupt");
    assert!(terminal.picture().contains("╭─ Agents"), "the list stays: {}", terminal.picture());
}

#[test]
fn an_agent_that_became_idle_out_of_sight_is_done_until_it_is_seen() {
    let server = test_server();
    server.ok(&["new", "-d", "-s", "mine", "--", "sh"]);
    let program = r"stty -echo; exec sed -u 's/.*/\x1b]7501;&\x07/'";
    server.ok(&["new", "-d", "-s", "worker", "--", "sh", "-c", program]);
    let say = |status: &str| server.ok(&["send-input", "-s", "worker", status, "--submit"]);
    say("state=idle:app=codex");
    let mut terminal = server.terminal(&["attach", "mine"], 80, 24);
    terminal.prefix("b");
    terminal.shows("│ · worker");
    say(WORKS);
    terminal.shows("│ ▸ worker");
    say("state=idle:app=codex");
    terminal.shows("│ ✓ worker");
    terminal.shows("│   codex · done");
    // Other changes do not make it forgotten.
    server.ok(&["new", "-d", "-s", "other", "--", "sh"]);
    terminal.prefix("s");
    terminal.shows("other");
    terminal.send("\x07");
    terminal.until("the list is closed", |terminal| !terminal.picture().contains('╭'));
    terminal.shows("│ ✓ worker");
    terminal.prefix(":");
    terminal.send("attach worker\r");
    terminal.shows("│ · worker");
    terminal.prefix("L");
    terminal.shows("│ · worker");
}

#[test]
fn an_act_needs_marked_agents() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    terminal.prefix(":");
    terminal.send("agents close\r");
    terminal.shows("No agents are marked; C-b A lists them, and Space marks one");
}
