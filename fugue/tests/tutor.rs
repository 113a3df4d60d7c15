//! `fugue tutor`, walked through in a real terminal: each step is seen to be done, and nothing is left behind.

use std::ops::Deref;
use std::path::PathBuf;

use fugue_testkit::{TestServer, TestTerminal, until};

/// A person's home, in which the tutor's daemon is ended when the test is over.
struct Learner(TestServer);

impl Deref for Learner {
    type Target = TestServer;
    fn deref(&self) -> &TestServer {
        &self.0
    }
}

impl Drop for Learner {
    fn drop(&mut self) {
        self.0.run(&["--server", "tutor", "shutdown"]);
    }
}

fn server() -> Learner {
    Learner(TestServer::new(env!("CARGO_BIN_EXE_fugue")))
}

/// The tutor in a terminal, at its first step.
fn tutor(server: &TestServer, cols: u16, rows: u16) -> TestTerminal {
    let mut terminal = server.terminal(&["tutor"], cols, rows);
    terminal.shows("fugue tutor 1/7: Split");
    terminal.shows("$");
    let picture = terminal.picture();
    assert!(picture.contains("fugue tutor 1/7: Split"), "nobody has split anything yet: {picture}");
    terminal
}

/// The files in the state and runtime directories, apart from what every person has.
fn files(server: &TestServer) -> Vec<PathBuf> {
    let list = |directory: &str| {
        let read = std::fs::read_dir(server.path().join(directory)).into_iter().flatten();
        read.map(|entry| entry.expect("an entry").path()).collect::<Vec<_>>()
    };
    let mut all = [list("state/fugue"), list("run/fugue")].concat();
    all.retain(|path| !path.ends_with("first-use.json"));
    all.sort();
    all
}

fn walk(cols: u16, rows: u16) {
    let server = server();
    let before = files(&server);
    let mut terminal = tutor(&server, cols, rows);
    terminal.prefix("%");
    terminal.shows("fugue tutor 2/7: Move");
    terminal.prefix("\x1b[D");
    terminal.shows("fugue tutor 3/7: Copy");
    terminal.prefix("[");
    // To the left, where the prompt is.
    terminal.send("\x1b[D");
    terminal.send("\x1b[D");
    terminal.send(" ");
    terminal.send("\r");
    terminal.shows("fugue tutor 4/7: Detach and come back");
    terminal.prefix("d");
    assert_eq!(terminal.wait_for_exit(), 0);
    assert!(terminal.picture().contains("come back with `fugue tutor`"), "{}", terminal.picture());
    let mut terminal = server.terminal(&["tutor"], cols, rows);
    terminal.shows("fugue tutor 5/7: An agent");
    until("the agent asks", || {
        server.run(&["--server", "tutor", "permissions"]).out.contains("Do you want to proceed?")
    });
    terminal.shows("1 needs you");
    terminal.prefix("a");
    terminal.shows("Do you want to proceed?");
    terminal.prefix("\t");
    terminal.shows("fugue tutor 6/7: Answer an agent");
    terminal.prefix("A");
    terminal.shows("1 Yes");
    terminal.send("1");
    terminal.send("q");
    terminal.shows("fugue tutor 7/7: That is all");
    terminal.prefix("d");
    assert_eq!(terminal.wait_for_exit(), 0);
    assert_eq!(files(&server), before, "nothing is left behind");
}

#[test]
fn every_step_is_seen_to_be_done_and_nothing_is_left_in_a_small_terminal() {
    walk(80, 24);
}

#[test]
fn every_step_is_seen_to_be_done_and_nothing_is_left_in_a_large_terminal() {
    walk(200, 50);
}

#[test]
fn every_step_fits_the_guides_pane_in_a_small_terminal() {
    let server = server();
    let mut terminal = tutor(&server, 80, 24);
    // The guide's pane is above.
    terminal.prefix("\x1b[A");
    for step in 2..=7 {
        terminal.send("n");
        terminal.shows(&format!("fugue tutor {step}/7: "));
        let last = if step == 7 { "q ends the tutor" } else { "b goes back, q quits." };
        terminal.shows(last);
    }
}

#[test]
fn a_person_who_quits_continues_where_they_were() {
    let server = server();
    let mut terminal = tutor(&server, 80, 24);
    terminal.prefix("\x1b[A");
    terminal.send("n");
    terminal.shows("fugue tutor 2/7: Move");
    terminal.send("n");
    terminal.shows("fugue tutor 3/7: Copy");
    terminal.send("b");
    terminal.shows("fugue tutor 2/7: Move");
    terminal.send("q");
    assert_eq!(terminal.wait_for_exit(), 0);
    assert!(terminal.picture().contains("Continue with `fugue tutor`"), "{}", terminal.picture());
    let mut again = server.terminal(&["tutor"], 80, 24);
    again.shows("fugue tutor 2/7: Move");
    again.prefix("\x1b[A");
    again.shows("fugue tutor 3/7: Copy");
    again.send("q");
    assert_eq!(again.wait_for_exit(), 0);
    let mut anew = server.terminal(&["tutor", "--restart"], 80, 24);
    anew.shows("fugue tutor 1/7: Split");
}

#[test]
fn keys_are_named_as_they_are_bound() {
    let server = server();
    let directory = server.path().join("config/fugue");
    std::fs::create_dir_all(&directory).expect("a directory");
    let config =
        "[client]\nprefix = \"C-a\"\n[keys]\n\"prefix %\" = \"\"\n\"prefix v\" = \"create-pane --right\"\n";
    std::fs::write(directory.join("config.toml"), config).expect("written");
    let mut terminal = tutor(&server, 80, 24);
    terminal.shows("Press C-a v to open");
    terminal.send("\x01v");
    terminal.shows("fugue tutor 2/7: Move");
}

#[test]
fn in_a_pane_the_tutor_says_how_to_start_it() {
    let server = server();
    server.ok(&["new", "-d", "-s", "work"]);
    let mut terminal = server.terminal(&["attach", "work"], 100, 24);
    terminal.shows("$");
    terminal.send(format!("{} tutor\n", env!("CARGO_BIN_EXE_fugue")));
    terminal.shows("The tutor does not run in a pane of fugue");
    terminal.shows("hint: press C-b d to detach, then run `fugue tutor`");
}
