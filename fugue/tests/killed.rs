//! The daemon is killed; nothing else is.

use fugue_testkit::{House, signal, until};
use serde_json::{Value, json};

fn house() -> House {
    House::new(env!("CARGO_BIN_EXE_fugue"))
}

fn pane(house: &House, index: usize) -> Value {
    house.json(&["list-panes"])["panes"][index].clone()
}

#[test]
fn a_pane_counts_on_while_its_daemon_is_killed_ten_times() {
    let house = house();
    let counting = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); echo line $i; done; echo counted; exec cat";
    let id = house.session("work", &["sh", "-c", counting]);
    house.ok(&["set-tags", "-s", "work", "--add", "kept", "also"]);
    house.ok(&["rename-window", "-s", "work", "counting"]);
    let before = pane(&house, 0);
    for _ in 0..10 {
        let killed = house.daemon();
        signal("KILL", killed);
        assert_ne!(house.daemon(), killed);
    }
    house.wait_for(&id, "^counted$");
    let after = pane(&house, 0);
    assert_eq!((&after["pid"], &after["pane_id"]), (&before["pid"], &before["pane_id"]));
    let session = &house.json(&["ls"])["sessions"][0];
    assert_eq!(session["tags"], json!(["also", "kept"]));
    assert_eq!(session["windows"][0]["name"], "counting");
    let text = house.text(&id);
    let numbers: Vec<u32> =
        text.lines().filter_map(|line| line.strip_prefix("line ")?.parse().ok()).collect();
    assert!(numbers.len() > 9_000, "{} lines are kept", numbers.len());
    assert_eq!(numbers.last(), Some(&200_000));
    assert!(numbers.windows(2).all(|two| two[1] == two[0] + 1), "a line is missing");
}

#[test]
fn what_ended_while_no_daemon_lived_is_told_with_its_status() {
    let house = house();
    let id = house.json(&[
        "new",
        "-d",
        "-s",
        "work",
        "--on-exit",
        "keep",
        "--",
        "sh",
        "-c",
        "read x; echo last words; exit 7",
    ]);
    let id = id["pane_id"].as_str().expect("a pane").to_owned();
    let daemon = house.daemon();
    house.ok(&["send-input", "-t", &id, "\n"]);
    signal("KILL", daemon);
    assert_eq!(house.ok(&["wait", "-t", &id, "--until", "exit"]), "exited, exit code 7\n");
    assert!(house.text(&id).contains("last words"));
    // And again from the journal and the keeper alone.
    signal("KILL", house.daemon());
    assert!(house.text(&id).contains("last words"));
    assert_eq!(pane(&house, 0)["exit"], json!({"code": 7}));
}

#[test]
fn whoever_waits_with_follow_misses_no_event_over_a_kill() {
    let house = house();
    house.session("work", &["cat"]);
    let mut follow = house.command(&["events", "--follow", "--since", "0"]);
    let mut follow = follow.stdout(std::process::Stdio::piped()).spawn().expect("it starts");
    for number in 0..20 {
        house.ok(&["set-metadata", "-s", "work", "number", &number.to_string()]);
        if number % 7 == 3 {
            signal("KILL", house.daemon());
        }
    }
    let lines = std::io::BufRead::lines(std::io::BufReader::new(follow.stdout.take().expect("its output")));
    let mut ids = Vec::new();
    for line in lines {
        let told: Value = serde_json::from_str(&line.expect("a line")).expect("JSON");
        ids.extend(told["id"].as_u64());
        if told["value"] == "19" {
            break;
        }
    }
    follow.kill().expect("ended");
    follow.wait().expect("ended");
    assert_eq!(ids, (1..=ids.len() as u64).collect::<Vec<_>>(), "each event once and in order");
}

#[test]
fn a_broken_journal_is_kept_aside_and_the_programs_live_on() {
    let house = house();
    house.session("work", &["sh", "-c", "echo still here; exec cat"]);
    let pid = pane(&house, 0)["pid"].clone();
    let daemon = house.daemon();
    // Overwritten while the daemon is stopped, so that it cannot repair what it does not see.
    signal("STOP", daemon);
    for file in ["journal.db", "journal.db-wal"] {
        std::fs::write(house.state().join(file), vec![b'x'; 20_000]).expect("broken");
    }
    signal("KILL", daemon);
    let after = pane(&house, 0);
    assert_eq!(after["pid"], pid);
    house.wait_for(after["pane_id"].as_str().expect("a pane"), "still here");
    let warning = house.json(&["server-status"])["warnings"][0].as_str().expect("a warning").to_owned();
    assert!(warning.starts_with("the journal was broken"), "{warning}");
    assert!(house.state().join("journal.db.broken-1").exists());
}

#[test]
fn keeper_and_daemon_killed_leave_a_tree_whose_panes_can_be_started_again() {
    let house = house();
    let id = house.session("work", &["cat"]);
    house.ok(&["set-tags", "-s", "work", "--add", "kept"]);
    let (keeper, daemon) = (house.keeper(), house.daemon());
    signal("KILL", keeper);
    signal("KILL", daemon);
    let gone = |process: u32| !std::path::Path::new(&format!("/proc/{process}")).exists();
    until("both are gone", || gone(keeper) && gone(daemon));
    assert_eq!(house.json(&["ls"])["sessions"][0]["tags"], json!(["kept"]));
    assert_eq!(pane(&house, 0)["state"], "lost");
    let complaint = house.refused(&["send-input", "-t", &id, "hello"]);
    assert_eq!(
        complaint,
        format!(
            "The program in pane {id} has ended (exit status unknown)\nhint: `fugue respawn-pane` starts it again"
        )
    );
    house.ok(&["respawn-pane", "-t", &id]);
    house.ok(&["send-input", "-t", &id, "hello again\n"]);
    house.wait_for(&id, "hello again");
}

#[test]
fn a_question_asked_while_no_daemon_lived_is_answered_once_and_an_old_one_not_again() {
    let house = house();
    // Asks where the cursor is, before and after the daemon is gone, and prints every answer that comes.
    let script = r"stty raw -echo; printf '\033[6n'; printf 'before:'; head -c 6 | od -An -c | tr -d ' \n'; \
        while [ ! -e go ]; do sleep 0.01; done; printf '\r\n\033[5n'; printf 'after:'; : > asked; head -c 4 | od -An -c | tr -d ' \n'; \
        printf '\r\n'; timeout 1 cat | od -An -c | tr -d ' \n'; printf 'rest\r\n'; exec cat";
    let pane = house.session("work", &["sh", "-c", script]);
    house.wait_for(&pane, "before:.*R");
    let (daemon, keeper) = (house.daemon(), house.keeper());
    // With the keeper stopped nobody starts the next daemon, so the question falls into the gap.
    signal("STOP", keeper);
    signal("KILL", daemon);
    std::fs::write(house.path().join("go"), "").expect("the script goes on");
    until("it was asked", || house.path().join("asked").exists());
    signal("CONT", keeper);
    house.wait_for(&pane, "^rest");
    let text = house.text(&pane);
    assert!(text.contains(r"after:033[0n"), "{text}");
    assert_eq!(text.matches("[").count(), 2, "each answer once: {text}");
}

#[test]
fn a_state_folder_that_was_removed_takes_no_program_along() {
    let house = house();
    house.session("work", &["sh", "-c", "echo still here; exec cat"]);
    let pid = pane(&house, 0)["pid"].clone();
    let daemon = house.daemon();
    std::fs::remove_dir_all(house.state()).expect("removed");
    signal("KILL", daemon);
    let after = pane(&house, 0);
    assert_eq!(after["pid"], pid);
    house.wait_for(after["pane_id"].as_str().expect("a pane"), "still here");
}

#[test]
fn a_daemon_whose_socket_was_removed_is_reached_again_and_so_is_its_successor() {
    let house = house();
    house.session("work", &["cat"]);
    let (daemon, keeper) = (house.daemon(), house.keeper());
    std::fs::remove_file(house.socket()).expect("the socket is there");
    until("the socket is there again", || house.socket().exists());
    assert_eq!(house.ok(&["ls"]), "work: 1 window, 1 pane\n");
    assert_eq!((house.daemon(), house.keeper()), (daemon, keeper));
    signal("KILL", daemon);
    assert_ne!(house.daemon(), daemon);
    assert_eq!(house.ok(&["ls"]), "work: 1 window, 1 pane\n");
    assert_eq!(house.keeper(), keeper);
}

#[test]
fn a_daemon_whose_socket_went_with_its_whole_folder_is_reached_again() {
    let house = house();
    house.session("work", &["cat"]);
    let daemon = house.daemon();
    let folder = house.socket().parent().expect("a folder").to_owned();
    // At one stroke: the daemon is quick to make it again.
    std::fs::rename(&folder, folder.with_extension("gone")).expect("the folder is there");
    until("the socket is there again", || house.socket().exists());
    assert_eq!(house.daemon(), daemon);
    // A shell that starts now finds what it needs there, and its user's files are read.
    let shell = house.session("shell", &["bash"]);
    assert_eq!(
        house.ok(&["run", "-t", &shell, "echo marked; shopt -qo posix || echo usual"]),
        "marked\nusual\n"
    );
}
