//! tmux's control mode, as iTerm2 and the like use it: a program attaches, lists, captures, types, resizes and detaches.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use fugue_testkit::{TestServer, signal, until};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

const BINARY: &str = env!("CARGO_BIN_EXE_fugue");

/// A client in control mode.
struct Control {
    child: Child,
    input: Box<dyn Write>,
    output: BufReader<Box<dyn Read>>,
    /// What ends the lines of the client, and those that it reads.
    ends: (&'static str, &'static str),
    /// The notifications that were read and not asked for yet.
    told: Vec<String>,
}

impl Control {
    fn start(server: &TestServer, words: &[&str]) -> Self {
        let mut command = server.command(&[&["tmux"], words].concat());
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let (input, output) = (child.stdin.take().expect("input"), child.stdout.take().expect("output"));
        let output = BufReader::new(Box::new(output) as Box<dyn Read>);
        Self { child, input: Box::new(input), output, ends: ("\n", "\n"), told: Vec::new() }
    }

    /// Starts in a terminal, as iTerm2 does: its lines end with a carriage return, and those that it reads with both.
    fn start_in_terminal(server: &TestServer, words: &[&str]) -> Self {
        let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        grantpt(&terminal).and_then(|()| unlockpt(&terminal)).expect("it is ours");
        let name = ptsname(&terminal, Vec::new()).expect("its name").into_string().expect("UTF-8");
        let end = || OpenOptions::new().read(true).write(true).open(&name).expect("its other end");
        let mut command = server.command(&[&["tmux"], words].concat());
        let child = command.stdin(end()).stdout(end()).stderr(Stdio::null()).spawn().expect("it starts");
        // The command holds the other end of the terminal, too.
        drop(command);
        let terminal = File::from(terminal);
        let input = Box::new(terminal.try_clone().expect("a copy"));
        let output = BufReader::new(Box::new(terminal) as Box<dyn Read>);
        Self { child, input, output, ends: ("\r", "\r\n"), told: Vec::new() }
    }

    /// The next line; none at the end.
    fn line(&mut self) -> Option<String> {
        let mut line = Vec::new();
        // A terminal that nobody else has open any more cannot be read: what came before that is the last line.
        let _ = self.output.read_until(b'\n', &mut line);
        let text = String::from_utf8_lossy(&line);
        (!line.is_empty()).then(|| text.strip_suffix(self.ends.1).unwrap_or(&text).to_owned())
    }

    /// Sends lines without reading what they lead to.
    fn send(&mut self, lines: &str) {
        let lines = format!("{lines}\n").replace('\n', self.ends.0);
        self.input.write_all(lines.as_bytes()).expect("it reads");
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
    fn told(&mut self, mut wanted: impl FnMut(&str) -> bool) -> String {
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

    /// The line after this one.
    fn line_after(&mut self, line: &str) -> Option<String> {
        self.is_told(line);
        self.line()
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
    assert_eq!(control.run("display-message -p '#{window_width}x#{window_height}'"), ["100x30"]);
    let layout = control.told(|told| told.starts_with("%layout-change @0 "));
    assert!(layout.contains(",100x30,0,0,0 ") && layout.ends_with(" *"), "{layout}");
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
    control.output.read_to_string(&mut rest).expect("the rest");
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

#[test]
fn a_terminal_such_as_iterm2_attaches_types_resizes_windows_and_detaches() {
    let server = server();
    let mut control = Control::start_in_terminal(&server, &["-CC", "attach", "-t", "work"]);
    let first = control.line().expect("the first line");
    let begin =
        first.strip_prefix("\x1bP1000p%begin ").expect("the terminal is told where control mode begins");
    assert_eq!(control.line().as_deref(), Some(format!("%end {begin}").as_str()));
    control.is_told("%session-changed $0 work");
    // What iTerm2 asks when it attaches.
    assert_eq!(control.run("display-message -p \"#{version}\""), ["3.5a"]);
    assert_eq!(control.run("list-sessions -F \"#{session_id} #{session_name}\""), ["$0 work"]);
    assert_eq!(control.run("show -v -q -t $0 @affinities"), Vec::<String>::new());
    assert_eq!(control.run("set -t $0 @affinities \"a b\""), Vec::<String>::new());
    assert_eq!(control.run("show -v -q -t $0 @affinities"), ["a b"]);
    control.run("refresh-client -C 120,40");
    let format = "#{session_name}\t#{window_id}\t#{window_width}x#{window_height}\t#{?window_active,1,0}";
    let windows = format!("list-windows -F \"{format}\"");
    assert_eq!(control.run(&windows), ["work\t@0\t120x40\t1"]);
    let screen = control.run("capture-pane -peqJN -t \"%0\" -S -1000");
    assert!(screen.iter().any(|line| line == "ready"), "{screen:?}");
    control
        .run("list-panes -t \"%0\" -F \"pane_id=%#D\tcursor_x=#{cursor_x}\talternate_on=#{alternate_on}\"");
    // Text and keys, as it types them.
    control.run("send -lt %0 \"printf 'a\\\\\\\\b\\\\n'\"");
    control.run("send -t %0 0x0d");
    control.printed("%0", "\\015\\012a\\134b\\015\\012");
    // A window has a size of its own until that is taken back.
    control.run("new-window -d -n two cat");
    control.is_told("%window-add @1");
    control.run("refresh-client -C @1:60x20");
    assert_eq!(control.run(&windows), ["work\t@0\t120x40\t1", "work\t@1\t60x20\t0"]);
    let layout = control.told(|told| told.starts_with("%layout-change @1 "));
    assert!(layout.contains(",60x20,0,0,1 "), "{layout}");
    control.run("refresh-client -C @1:");
    assert_eq!(control.run(&windows)[1], "work\t@1\t120x40\t0");
    control.run("detach-client");
    assert_eq!(control.line_after("%exit"), Some("\x1b\\".to_owned()));
    assert_eq!(control.child.wait().expect("it ends").code(), Some(0));
}

#[test]
fn a_client_is_told_the_values_of_the_formats_to_which_it_subscribes() {
    let server = server();
    let mut control = Control::start(&server, &["-C", "attach", "-t", "work"]);
    control.is_told("%session-changed $0 work");
    control.run("refresh-client -B 'count::#{session_windows}'");
    control.is_told("%subscription-changed count $0 - - - : 1");
    control.run("new-window -d -n two cat");
    control.is_told("%subscription-changed count $0 - - - : 2");
    control.run("refresh-client -B 'names:@*:#{window_name}'");
    control.is_told("%subscription-changed names $0 @0 0 - : edit");
    control.is_told("%subscription-changed names $0 @1 1 - : two");
    control.run("select-pane -t %1 -T 'a title'");
    control.run("refresh-client -B 'title:%1:#{pane_title}'");
    control.is_told("%subscription-changed title $0 @1 1 %1 : a title");
    // One ends, and another one takes the place of the one with its name.
    control.run("refresh-client -B count");
    control.run("refresh-client -B 'names::#{session_name}'");
    control.is_told("%subscription-changed names $0 - - - : work");
    control.run("new-window -d -n three cat");
    let mut told = Vec::new();
    for title in ["last", "again"] {
        control.run(&format!("select-pane -t %1 -T {title}"));
        let line = format!("%subscription-changed title $0 @1 1 %1 : {title}");
        control.told(|line_told| {
            told.push(line_told.to_owned());
            line_told == line
        });
    }
    let is_of_an_ended_one = |told: &String| told.contains("-changed count ") || told.contains(": three");
    assert!(!told.iter().any(is_of_an_ended_one), "{told:?}");
}

#[test]
fn a_client_that_asks_for_it_ends_only_after_its_input() {
    let server = server();
    let mut control = Control::start(&server, &["-C", "attach", "-t", "work"]);
    control.is_told("%session-changed $0 work");
    control.run("refresh-client -f wait-exit");
    server.ok(&["tmux", "detach-client", "-s", "work"]);
    control.is_told("%exit");
    // It is not run any more.
    control.send("kill-server");
    assert!(control.child.try_wait().expect("its state").is_none());
    control.send("");
    assert_eq!(control.child.wait().expect("it ends").code(), Some(0));
    assert_eq!(server.ok(&["tmux", "list-sessions", "-F", "#S"]), "work\n");
}
