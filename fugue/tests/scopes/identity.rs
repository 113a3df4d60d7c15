//! Programs in a pane that hide who they are or claim to be another.

use std::os::unix::net::UnixStream;

use fugue_protocol::messages::Role;
use fugue_protocol::verbs::{ClosePane, KillSession, PaneChoice};
use fugue_testkit::until;

use crate::scene::scene;

#[test]
fn attaching_with_the_variables_unset_is_refused() {
    let scene = scene("observe");
    let output = scene.attack("env -u FUGUE_PANE_ID -u FUGUE_PANE_KEY -u FUGUE_SOCKET fugue attach victim");
    assert!(output.contains("outside the scope (`observe`)"), "{output}");
    scene.assert_unhurt();
    scene.assert_refused("attach-client", "ancestry");
}

#[test]
fn a_scrubbed_environment_does_not_hide_the_pane() {
    let scene = scene("observe");
    let bare = "env -i PATH=$PATH HOME=$HOME XDG_RUNTIME_DIR=$XDG_RUNTIME_DIR";
    scene.assert_out_of_scope(&format!("{bare} fugue kill-session -s victim"), "kill-session");
}

#[test]
fn another_path_to_the_socket_gives_no_other_identity() {
    let scene = scene("observe");
    let link = scene.server.path().join("elsewhere.sock");
    std::os::unix::fs::symlink(scene.server.socket(), &link).expect("a link");
    let line = format!("FUGUE_SOCKET={} fugue kill-session -s victim", link.display());
    scene.assert_out_of_scope(&line, "kill-session");
}

#[test]
fn a_claim_from_outside_needs_the_right_key() {
    let scene = scene("observe");
    let key = scene.server.pane_key(&scene.worker);
    for (pane, key, known_by) in [
        (scene.victim.as_str(), Some(key.as_str()), "wrong_key"),
        (scene.victim.as_str(), None, "missing_key"),
        ("nonsense", Some(key.as_str()), "wrong_key"),
    ] {
        let mut command = scene.server.command(&["kill-session", "-s", "victim"]);
        command.env("FUGUE_PANE_ID", pane);
        if let Some(key) = key {
            command.env("FUGUE_PANE_KEY", key);
        }
        let output = command.output().expect("fugue runs");
        let output = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.contains("This process has read-only access: FUGUE_PANE_"), "{output}");
        scene.assert_unhurt();
        scene.assert_refused("greeting", known_by);
        scene.assert_refused("kill-session", known_by);
    }
    let output = scene.server.command_for(&scene.worker, &["kill-session", "-s", "victim"]).output();
    let output = String::from_utf8_lossy(&output.expect("fugue runs").stderr).into_owned();
    assert!(output.contains("outside the scope (`observe`) of worker"), "{output}");
    scene.assert_refused("kill-session", "key");
}

#[test]
fn a_false_claim_inside_a_pane_is_refused_and_recorded() {
    let scene = scene("observe");
    let output = scene.attack("FUGUE_PANE_ID=VICTIM fugue kill-session -s victim");
    assert!(output.contains("but FUGUE_PANE_ID names pane"), "{output}");
    scene.assert_unhurt();
    scene.assert_refused("greeting", "ancestry");
}

#[test]
fn the_right_key_of_another_pane_gives_no_other_identity_inside_a_pane() {
    let scene = scene("observe");
    let key = scene.server.pane_key(&scene.victim);
    let stolen = format!("FUGUE_PANE_ID=VICTIM FUGUE_PANE_KEY={key}");
    let output = scene.attack(&format!("{stolen} fugue kill-session -s victim"));
    assert!(output.contains("but FUGUE_PANE_ID names pane"), "{output}");
    scene.assert_unhurt();
    scene.assert_refused("greeting", "ancestry");
}

#[test]
fn in_namespace_of_pids_that_was_made_in_a_pane_the_pane_is_known() {
    let scene = scene("observe");
    let bare = "env -u FUGUE_PANE_ID -u FUGUE_PANE_KEY unshare --user --map-root-user --pid --fork";
    fugue_testkit::expect_namespaces(&["--user", "--pid", "--fork"]);
    scene.assert_out_of_scope(&format!("{bare} fugue kill-session -s victim"), "kill-session");
}

/// Runs inside a pane: keeps its connection while its own pane is closed, and then acts.
#[test]
#[ignore = "a helper that other tests run inside a pane"]
fn helper_that_outlives_its_pane() {
    let out = std::env::var("HOME").expect("a home") + "/outlived";
    let socket = UnixStream::connect(std::env::var("FUGUE_SOCKET").expect("a socket")).expect("a daemon");
    let mut connection = fugue_client::Connection::new(socket, Role::Command, None).expect("a connection");
    let pane = std::env::var("FUGUE_PANE_ID").expect("a pane").parse().ok();
    let choice = PaneChoice { pane, session: None };
    connection.call(&ClosePane { choice }).expect("its own pane is closed");
    let killed = connection.call(&KillSession { session: "victim".parse().expect("a session") });
    // Renamed, so that whoever waits for the file finds it complete.
    let unfinished = format!("{out}.unfinished");
    std::fs::write(&unfinished, format!("{killed:?}")).expect("written");
    std::fs::rename(&unfinished, &out).expect("renamed");
}

#[test]
fn a_process_that_outlives_its_pane_is_as_limited_as_the_strictest_rule() {
    let scene = scene("observe");
    let mut helper = scene.spelled(&scene.helper("identity::helper_that_outlives_its_pane"));
    helper = format!("trap '' HUP TERM; setsid -w sh -c '{helper} > $HOME/outlived.log 2>&1'\n");
    scene.server.ok(&["send-input", "-t", &scene.worker, &helper]);
    let out = scene.server.path().join("outlived");
    until("the helper is done", || out.exists());
    let output = std::fs::read_to_string(&out).expect("its output");
    assert!(output.contains("outside the scope (`observe`)"), "{output}");
    scene.assert_unhurt();
    scene.assert_refused("kill-session", "ancestry");
}

#[test]
fn the_key_of_a_pane_is_shown_nowhere() {
    let scene = scene("all");
    let key = scene.server.pane_key(&scene.worker);
    for words in [
        &["get-environment", "-s", "worker", "--json"][..],
        &["list-panes", "--json"],
        &["explain", "-t", &scene.worker, "--json"],
        &["server-status", "--json"],
    ] {
        assert!(!scene.server.run(words).out.contains(&key), "{words:?}");
    }
    scene.attack("fugue set-tags -s victim --add seen");
    for entry in std::fs::read_dir(scene.server.state_dir()).expect("the state").flatten() {
        let bytes = std::fs::read(entry.path()).unwrap_or_default();
        let found = bytes.windows(key.len()).any(|window| window == key.as_bytes());
        assert!(!found, "{}", entry.path().display());
    }
}
