//! Recordings: played back, a pane's output leads to the screen that the pane shows.

use std::process::{Child, Stdio};

use fugue_screen::{Limits, Screen, Size};
use fugue_testkit::{TestServer, until};
use serde_json::Value;

fn test_server() -> TestServer {
    TestServer::new(env!("CARGO_BIN_EXE_fugue"))
}

/// A recording under way.
struct Recorder {
    child: Child,
    file: std::path::PathBuf,
}

impl Recorder {
    fn of(server: &TestServer, pane: &str) -> Self {
        let file = server.path().join("cast");
        let words = ["record", "-t", pane, file.to_str().expect("a path")];
        let child = server.command(&words).stderr(Stdio::piped()).spawn().expect("a recorder");
        let recorder = Self { child, file };
        until("the recording begins", || !recorder.lines().is_empty());
        recorder
    }

    fn text(&self) -> String {
        std::fs::read_to_string(&self.file).unwrap_or_default()
    }

    /// The complete lines so far.
    fn lines(&self) -> Vec<Value> {
        let text = self.text();
        let whole = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
        whole.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }

    /// The whole recording once the program has exited, and the recorder's messages.
    fn finish(self) -> (Vec<Value>, String) {
        let lines = self.file.clone();
        let output = self.child.wait_with_output().expect("the recorder exits");
        assert!(output.status.success(), "{output:?}");
        let text = std::fs::read_to_string(lines).expect("a recording");
        let lines = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        (lines, String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

/// The screen after a recording was played.
fn played(lines: &[Value]) -> Screen {
    let side = |value: &Value| u16::try_from(value.as_u64().expect("a size")).expect("fits into 16 bits");
    let term = &lines[0]["term"];
    let size = Size { cols: side(&term["cols"]), rows: side(&term["rows"]) };
    let mut screen = Screen::new(size, Limits::default());
    for line in &lines[1..] {
        let data = line[2].as_str().expect("data");
        match line[1].as_str() {
            Some("o") => screen.feed(data.as_bytes()),
            Some("r") => {
                let (cols, rows) = data.split_once('x').expect("a size");
                screen
                    .resize(Size { cols: cols.parse().expect("columns"), rows: rows.parse().expect("rows") });
            }
            _ => {}
        }
    }
    screen
}

fn marks<'a>(lines: &'a [Value], code: &str) -> Vec<&'a str> {
    lines[1..].iter().filter(|line| line[1] == code).filter_map(|line| line[2].as_str()).collect()
}

#[test]
fn a_recording_started_late_and_resized_plays_back_to_the_panes_screen() {
    let server = test_server();
    let script = "printf 'before\\n\\033[31mred '; read a; printf '\\033[1mbold é漢\\n'; read a; stty size; read a; exit 3";
    let pane = server.json(&[
        "new",
        "-d",
        "-s",
        "work",
        "--size",
        "60x10",
        "--on-exit",
        "keep",
        "--",
        "sh",
        "-c",
        script,
    ])["pane_id"]
        .as_str()
        .expect("a pane")
        .to_owned();
    server.wait_for(&pane, "red");
    let recorder = Recorder::of(&server, &pane);
    server.ok(&["send-input", "-t", &pane, "-k", "Enter"]);
    server.wait_for(&pane, "bold");
    server.ok(&["resize-window", "-s", "work", "50x12"]);
    server.ok(&["send-input", "-t", &pane, "-k", "Enter"]);
    server.wait_for(&pane, "12 50");
    server.ok(&["send-input", "-t", &pane, "-k", "Enter"]);
    let (lines, report) = recorder.finish();
    assert_eq!((&lines[0]["version"], &lines[0]["term"]["cols"]), (&3.into(), &60.into()));
    assert_eq!(
        (marks(&lines, "r"), marks(&lines, "x"), marks(&lines, "m")),
        (vec!["50x12"], vec!["3"], vec![])
    );
    let shown = server.ok(&["get-output", "-t", &pane, "--mode", "screen", "--ansi"]);
    let again = played(&lines).screen_ansi();
    let again = again[..shown.lines().count()].join("\n");
    assert_eq!(again, shown.trim_end_matches('\n'));
    assert!(report.contains("Recorded ") && report.ends_with(" bytes\n"), "{report}");
}

#[test]
fn a_flooding_pane_is_recorded_and_gaps_are_reported() {
    let server = test_server();
    let flood = "read a; i=0; yes 'a line of a flood that nobody can read' | head -c 30000000; printf '\\nthe end\\n'; exit 0";
    let pane =
        server.json(&["new", "-d", "-s", "work", "--on-exit", "keep", "--", "sh", "-c", flood])["pane_id"]
            .as_str()
            .expect("a pane")
            .to_owned();
    let recorder = Recorder::of(&server, &pane);
    server.ok(&["send-input", "-t", &pane, "-k", "Enter"]);
    let (lines, report) = recorder.finish();
    let shown = server.ok(&["get-output", "-t", &pane, "--mode", "screen"]);
    assert!(shown.contains("the end"), "{shown}");
    assert_eq!(played(&lines).screen_text(false).trim_end(), shown.trim_end());
    let lost: u64 =
        marks(&lines, "m").iter().filter_map(|mark| mark.split(' ').next()?.parse::<u64>().ok()).sum();
    let written: u64 = report.split(' ').nth(1).and_then(|count| count.parse().ok()).expect("a count");
    // A carriage return before each newline, and the echo of the input.
    let lines = 30_000_000 / 39;
    let all = written + lost;
    assert!((30_000_000 + lines..30_000_000 + lines + 100).contains(&all), "{written} and {lost}: {report}");
}

#[test]
fn a_recording_continues_with_the_next_daemon_and_overwrites_no_other() {
    let server = test_server();
    let pane = server.session("work", &["sh", "-c", "echo first; read a; echo second; read a"]);
    server.wait_for(&pane, "first");
    let recorder = Recorder::of(&server, &pane);
    let path = recorder.file.to_str().expect("a path").to_owned();
    let refused = server.run(&["record", "-t", &pane, &path]);
    assert!(refused.err.contains("hint: --force overwrites it"), "{}", refused.err);
    fugue_testkit::signal("KILL", server.daemon_pid());
    until("the recording continues", || recorder.text().contains("the daemon restarted"));
    until("the recording shows the pane again", || played(&recorder.lines()).screen_rows()[0] == "first");
    server.ok(&["send-input", "-t", &pane, "-k", "Enter"]);
    server.wait_for(&pane, "second");
    server.ok(&["send-input", "-t", &pane, "-k", "Enter"]);
    let (lines, _) = recorder.finish();
    assert!(
        played(&lines).screen_text(false).contains("first\n\nsecond"),
        "{}",
        played(&lines).screen_text(false)
    );
}

#[test]
fn a_recording_of_no_pane_leaves_no_file_and_overwrites_none() {
    let server = test_server();
    server.session("work", &["cat"]);
    let (new, old) = (server.path().join("new"), server.path().join("old"));
    std::fs::write(&old, "a recording").expect("a file");
    for (path, more) in [(&new, &[][..]), (&old, &["--force"])] {
        let words = [&["record", "-t", "nothing", path.to_str().expect("a path")], more].concat();
        assert!(server.refused(&words).contains("nothing"));
    }
    assert!(!new.exists());
    assert_eq!(std::fs::read_to_string(&old).expect("a file"), "a recording");
}
