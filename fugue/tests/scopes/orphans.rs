//! Programs that leave the process tree of their pane, or get into that of another daemon.

use fugue_testkit::{TestServer, until};
use serde_json::json;

use crate::scene::{FUGUE, scene};

#[test]
fn an_orphan_with_no_variables_is_not_a_person() {
    let scene = scene("observe");
    scene.assert_orphan_refused(
        "unset FUGUE_PANE_ID FUGUE_PANE_KEY; fugue kill-session -s victim",
        "kill-session",
    );
    let output = scene.attack_as_orphan("fugue ls; fugue whoami");
    assert!(
        output.contains("victim") && output.contains("Not running inside fugue"),
        "it may read: {output}"
    );
}

#[test]
fn an_orphan_does_not_become_the_pane_it_names_even_with_that_panes_key() {
    let scene = scene("observe");
    scene.server.ok(&["send-orchestration", "-s", "victim", "secret-words"]);
    let key = scene.server.pane_key(&scene.victim);
    let line = format!("FUGUE_PANE_ID=VICTIM FUGUE_PANE_KEY={key} fugue poll-messages");
    let output = scene.attack_as_orphan(&line);
    assert!(output.contains("FUGUE_PANE_ID is ignored") && !output.contains("secret-words"), "{output}");
    scene.assert_refused("poll-messages", "orphan");
    let output = scene.attack_as_orphan("fugue list-messages; fugue get-output -t VICTIM");
    assert!(!output.contains("secret-words") && output.contains("ready"), "{output}");
    scene.assert_unhurt();
    let read = scene.server.json(&["poll-messages", "-s", "victim"]);
    assert_eq!(read["messages"].as_array().map(Vec::len), Some(1), "still unread: {read}");
}

#[test]
fn detached_processes_keep_no_rights() {
    let scene = scene("observe");
    scene.assert_out_of_scope("nohup fugue kill-session -s victim 2>&1 | cat", "kill-session");
    scene.assert_orphan_refused("nohup fugue set-tags -s victim --add pwned", "set-tags");
    let done = scene.server.path().join("forked");
    let script = format!("fugue send-input -t VICTIM pwned > {0}.out 2>&1; touch {0}", done.display());
    scene.attack(&format!("setsid -f sh -c '{script}'"));
    until("the forked process is done", || done.exists());
    scene.assert_unhurt();
    assert!(scene.audit().iter().any(|line| line["verb"] == "send-input" && line["outcome"] == "refused"));
}

#[test]
fn with_tmux_a_server_started_in_a_pane_is_not_a_person() {
    let scene = scene("observe");
    let done = scene.server.path().join("tmux.done");
    let script = scene.spelled(&format!("fugue kill-session -s victim; touch {}", done.display()));
    std::fs::write(scene.server.path().join("tmux.sh"), script).expect("a script");
    let socket = scene.server.path().join("tmux.sock");
    let tmux = format!("env -u TMUX tmux -S {} -f /dev/null", socket.display());
    scene.attack(&format!("{tmux} new -d sh {}/tmux.sh", scene.server.path().display()));
    until("the program in tmux is done", || done.exists());
    scene.assert_unhurt();
    scene.assert_refused("kill-session", "orphan");
}

/// The environment of another daemon's commands, and of none of a pane's.
const UNSET: &str = "env -u FUGUE_PANE_ID -u FUGUE_PANE_KEY -u FUGUE_SOCKET";

#[test]
fn a_pane_of_another_server_is_not_a_person() {
    let scene = scene("observe");
    scene.server.ok(&["--server", "other", "new", "-d", "-s", "persons"]);
    let output = scene.attack(&format!("{UNSET} fugue --server other new -d -s hop"));
    assert!(output.contains("outside any session"), "{output}");
    let (out, done) = (scene.server.path().join("hop.out"), scene.server.path().join("hop.done"));
    let hop = format!(
        "{UNSET} {FUGUE} set-tags -s victim --add taken >{} 2>&1; touch {}",
        out.display(),
        done.display()
    );
    scene.server.ok(&["--server", "other", "new", "-d", "-s", "hop", "--", "sh", "-c", &hop]);
    until("it has tried", || done.exists());
    let tried = std::fs::read_to_string(&out).expect("its output");
    assert!(tried.contains("outside any session"), "{tried}");
    scene.assert_unhurt();
    scene.server.ok(&["--server", "other", "shutdown"]);
}

#[test]
fn a_server_without_scopes_can_be_used_from_a_pane_of_another() {
    let server = TestServer::new(FUGUE);
    let pane = server.session("work", &["sh"]);
    let line = format!("{FUGUE} --server other new -d -s made");
    server.ok(&["send-input", "-t", &pane, &line, "--submit"]);
    until("it is made", || server.run(&["--server", "other", "ls"]).out.contains("made"));
    server.ok(&["--server", "other", "shutdown"]);
}

#[test]
fn an_orphan_that_survives_a_shutdown_is_not_a_person_to_the_next_daemon() {
    let scene = scene("observe");
    let file = |name: &str| scene.server.path().join(name);
    let (pid, go, out, done) = (file("pid"), file("go"), file("out"), file("done"));
    let script = format!(
        "trap '' HUP INT TERM; echo $$ >{}; until [ -e {} ]; do sleep 0.05; done;\n\
         {UNSET} {FUGUE} set-tags -s victim --add taken >{} 2>&1; touch {}",
        pid.display(),
        go.display(),
        out.display(),
        done.display()
    );
    std::fs::write(file("survivor.sh"), script).expect("a script");
    scene.attack(&format!("(setsid sh {} &)", file("survivor.sh").display()));
    until("it is running", || std::fs::read_to_string(&pid).is_ok_and(|text| text.ends_with('\n')));
    scene.server.ok(&["shutdown"]);
    scene.server.session("victim", &["cat"]);
    std::fs::write(&go, "").expect("a sign");
    until("it has tried", || done.exists());
    let tried = std::fs::read_to_string(&out).expect("its output");
    assert!(tried.contains("has left that pane's process tree"), "{tried}");
    assert_eq!(scene.server.json(&["ls"])["sessions"][0]["tags"], json!([]));
}
