//! tmux's control mode, as iTerm2 and the like use it: a program attaches, lists, captures, types, resizes and detaches.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use fugue_testkit::{TestServer, signal, until};

const BINARY: &str = env!("CARGO_BIN_EXE_fugue");

/// A client in control mode.
struct Control {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// The notifications that were read and not asked for yet.
    told: Vec<String>,
}

impl Control {
    fn start(server: &TestServer, words: &[&str]) -> Self {
        let mut command = server.command(&[&["tmux"], words].concat());
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let (input, output) = (child.stdin.take().expect("input"), child.stdout.take().expect("output"));
        Self { child, input, output: BufReader::new(output), told: Vec::new() }
    }

    /// The next line; none at the end.
    fn line(&mut self) -> Option<String> {
        let mut line = Vec::new();
        let read = self.output.read_until(b'\n', &mut line).expect("output");
        (read > 0).then(|| String::from_utf8_lossy(&line).trim_end_matches('\n').to_owned())
    }

    /// Sends lines without reading what they lead to.
    fn send(&mut self, lines: &str) {
        self.input.write_all(format!("{lines}\n").as_bytes()).expect("it reads");
    }

    /// Reads the next block. Returns its lines, and whether it ended without an error.
    fn block(&mut self) -> (Vec<String>, bool) {
        let begin = loop {
            let line = self.line().expect("a block");
            if let Some(guard) = line.strip_prefix("%begin ") {
                break guard.to_owned();
            }
            self.told.push(line);
        };
        let mut lines = Vec::new();
        loop {
            let line = self.line().expect("the end of the block");
            for (end, is_good) in [("%end ", true), ("%error ", false)] {
                if line.strip_prefix(end) == Some(&begin) {
                    return (lines, is_good);
                }
            }
            lines.push(line);
        }
    }

    /// Runs a command that must succeed.
    #[track_caller]
    fn run(&mut self, line: &str) -> Vec<String> {
        self.send(line);
        let (lines, is_good) = self.block();
        assert!(is_good, "{line}: {lines:?}");
        lines
    }

    /// Waits for a notification, and forgets those before it.
    fn told(&mut self, wanted: impl Fn(&str) -> bool) -> String {
        loop {
            while !self.told.is_empty() {
                let line = self.told.remove(0);
                if wanted(&line) {
                    return line;
                }
            }
            let line = self.line().expect("more");
            self.told.push(line);
        }
    }

    fn is_told(&mut self, line: &str) {
        self.told(|told| told == line);
    }

    /// Waits until the output of a pane contains a text.
    fn printed(&mut self, pane: &str, text: &str) {
        let mut all = String::new();
        let start = format!("%output {pane} ");
        while !all.contains(text) {
            all.push_str(self.told(|told| told.starts_with(&start)).strip_prefix(&start).expect("output"));
        }
    }

    fn ends(mut self) -> (String, i32) {
        let end = self.told(|told| told.starts_with("%exit"));
        (end, self.child.wait().expect("it ends").code().expect("a code"))
    }
}

/// A session `work` with a shell.
fn server() -> TestServer {
    let server = TestServer::new(BINARY);
    server.ok(&["new", "-d", "-s", "work", "-n", "edit", "--size", "80x24", "--", "sh"]);
    server.ok(&["tmux", "send-keys", "-t", "work", "echo ready", "Enter"]);
    until("the shell is ready", || {
        server.ok(&["tmux", "capture-pane", "-p", "-t", "work"]).contains("\nready")
    });
    server
}

#[test]
fn a_program_attaches_lists_captures_types_resizes_and_detaches() {
    let server = server();
    let mut control = Control::start(&server, &["-C", "attach", "-t", "work"]);
    assert_eq!(control.block(), (Vec::new(), true), "the command that attached");
    control.is_told("%session-changed $0 work");
    let windows = control.run("list-windows -F \"#{session_name} #{window_id} #{window_name}\"");
    assert_eq!(windows, ["work @0 edit"]);
    assert_eq!(control.run("list-clients -F '#{session_name}'"), ["work"]);
    let screen = control.run("capture-pane -peqJ -t %0 -S -100");
    assert!(screen.iter().any(|line| line == "ready"), "{screen:?}");
    control.run("send-keys -t %0 \"printf 'a\\\\tb\\\\033[1mc\\\\n'\" Enter");
    control.printed("%0", "a\\011b\\033[1mc");
    control.run("refresh-client -C 100,30");
    let layout = control.told(|told| told.starts_with("%layout-change @0 "));
    assert!(layout.contains(",100x30,0,0,0 ") && layout.ends_with(" *"), "{layout}");
    assert_eq!(control.run("display-message -p '#{window_width}x#{window_height}'"), ["100x30"]);
    control.run("detach-client");
    assert_eq!(control.ends(), ("%exit".to_owned(), 0));
}

#[test]
fn changes_of_windows_panes_and_sessions_are_told() {
    let server = server();
    let mut control = Control::start(&server, &["-C", "attach", "-t", "work"]);
    control.is_told("%session-changed $0 work");
    control.run("split-window -h cat");
    control.is_told("%window-pane-changed @0 %1");
    let layout = control.told(|told| told.starts_with("%layout-change @0 "));
    assert!(layout.contains("{40x24,0,0,0,39x24,41,0,1} "), "{layout}");
    control.run("send-keys -t %1 typed");
    control.printed("%1", "typed");
    control.run("resize-pane -Z");
    let zoomed = control.told(|told| told.starts_with("%layout-change @0 "));
    assert!(zoomed.contains(",80x24,0,0{40x24") && zoomed.ends_with(",80x24,0,0,1 *Z"), "{zoomed}");
    control.run("new-window -n two cat");
    control.is_told("%window-add @1");
    control.is_told("%session-window-changed $0 @1");
    control.run("rename-window three");
    control.is_told("%window-renamed @1 three");
    control.run("kill-window -t three");
    control.is_told("%session-window-changed $0 @0");
    control.is_told("%window-close @1");
    server.ok(&["new", "-d", "-s", "other", "--", "cat"]);
    control.is_told("%unlinked-window-add @2");
    control.is_told("%sessions-changed");
    control.run("rename-session mine");
    control.is_told("%session-renamed $0 mine");
    control.run("switch-client -t other");
    control.is_told("%session-changed $1 other");
    assert_eq!(control.run("display-message -p '#S'"), ["other"]);
    server.ok(&["kill-session", "-s", "other"]);
    assert_eq!(control.ends(), ("%exit".to_owned(), 0));
}

#[test]
fn commands_are_answered_in_order_each_in_a_block_and_an_error_ends_its_line() {
    let server = server();
    let mut control = Control::start(&server, &["-C", "attach", "-t", "work"]);
    control.is_told("%session-changed $0 work");
    let lines: Vec<_> = (0..50).map(|number| format!("display-message -p {number}")).collect();
    control.send(&lines.join("\n"));
    for number in 0..50 {
        assert_eq!(control.block(), (vec![number.to_string()], true));
    }
    control.send("display-message -p one ; frob ; display-message -p never\ndisplay-message -p next");
    assert_eq!(control.block(), (vec!["one".to_owned()], true));
    assert_eq!(control.block(), (vec!["parse error: unknown command: frob".to_owned()], false));
    assert_eq!(control.block(), (vec!["next".to_owned()], true));
    control.send("select-window -t nothing");
    assert_eq!(control.block(), (vec!["can't find window: nothing".to_owned()], false));
    control.send("choose-tree");
    assert!(!control.block().1, "there is no terminal to show it in");
    control.send("");
    assert_eq!(control.ends(), ("%exit".to_owned(), 0), "an empty line detaches");
}

#[test]
fn a_new_session_begins_and_a_terminal_is_told_where_control_mode_is() {
    let server = TestServer::new(BINARY);
    let mut control = Control::start(&server, &["-CC", "new-session", "-s", "fresh", "cat"]);
    let first = control.line().expect("the first line");
    assert!(first.starts_with("\x1bP1000p%begin "), "{first:?}");
    control.is_told("%window-add @0");
    control.is_told("%sessions-changed");
    control.is_told("%session-changed $0 fresh");
    drop(control.input);
    let mut rest = String::new();
    std::io::Read::read_to_string(&mut control.output, &mut rest).expect("the rest");
    assert!(rest.ends_with("%exit\n\x1b\\"), "{rest:?}");
    assert_eq!(control.child.wait().expect("it ends").code(), Some(0));
}

#[test]
fn a_reader_that_is_slow_is_told_to_pause_and_nothing_grows_meanwhile() {
    let server = server();
    let mut control = Control::start(&server, &["-C", "attach", "-t", "work"]);
    control.is_told("%session-changed $0 work");
    control.run("refresh-client -f pause-after=1");
    control.run("send-keys -t %0 yes Enter");
    let start = Instant::now();
    // What was written by then is older than the client allows.
    until("some seconds have passed", || start.elapsed() > Duration::from_secs(4));
    let memory = fugue_testkit::memory(control.child.id());
    assert!(memory < 128 << 20, "{memory}");
    control.is_told("%pause %0");
    control.run("send-keys -t %0 C-c");
    control.run("refresh-client -A %0:continue");
    control.is_told("%continue %0");
    control.run("send-keys -t %0 'echo a''fter' Enter");
    let start = "%extended-output %0 ";
    control.told(|told| told.starts_with(start) && told.contains("after"));
}

#[test]
fn a_client_goes_on_when_the_daemon_is_killed() {
    let server = server();
    let mut control = Control::start(&server, &["-C", "attach", "-t", "work"]);
    control.is_told("%session-changed $0 work");
    signal("KILL", server.daemon_pid());
    assert_eq!(control.run("list-windows -F '#W'"), ["edit"]);
    control.run("send-keys -t %0 'echo sur''vived' Enter");
    control.printed("%0", "survived");
    control.run("new-window -n two cat");
    control.told(|told| told.starts_with("%window-add @"));
    server.ok(&["shutdown"]);
    assert!(control.ends().0.starts_with("%exit"));
}

/// The threads that follow the output of panes.
fn streams(control: &Control) -> usize {
    let tasks = std::fs::read_dir(format!("/proc/{}/task", control.child.id())).expect("it runs");
    let names = tasks.flatten().filter_map(|task| std::fs::read_to_string(task.path().join("comm")).ok());
    names.filter(|name| name.trim_end() == "control-stream").count()
}

#[test]
fn panes_that_are_shown_no_longer_take_no_connections() {
    let server = server();
    server.ok(&["new", "-d", "-s", "other", "--", "cat"]);
    let mut control = Control::start(&server, &["-C", "attach", "-t", "work"]);
    control.is_told("%session-changed $0 work");
    // That of events, and that of the pane.
    until("both streams are there", || streams(&control) == 2);
    for _ in 0..10 {
        control.run("switch-client -t other");
        control.is_told("%session-changed $1 other");
        control.run("switch-client -t work");
        control.is_told("%session-changed $0 work");
    }
    until("the streams of panes that print nothing have ended", || streams(&control) == 2);
    control.run("send-keys -t %0 'echo st''ill' Enter");
    control.printed("%0", "still");
}

#[test]
fn a_line_that_is_too_long_ends_the_client_which_says_so() {
    let server = server();
    let mut control = Control::start(&server, &["-C", "attach", "-t", "work"]);
    control.is_told("%session-changed $0 work");
    // It does not wait for the end of the line.
    let _ = control.input.write_all("x".repeat(1 << 20).as_bytes());
    assert_eq!(control.ends(), ("%exit line too long".to_owned(), 0));
}
