//! Scopes against an agent that tries to get around them: each test is one way out, taken by a program in a pane whose
//! session may only observe, or only change its descendants. The victim must be unchanged, and the attempt recorded.

mod identity;
mod orphans;
mod scene;

use std::io::Write;
use std::os::unix::net::UnixStream;

use fugue_protocol::PaneId;
use fugue_protocol::messages::{self, Hello, Role};
use fugue_testkit::{signal, until};
use serde_json::json;

use scene::{scene, write_config};

#[test]
fn renaming_its_own_session_does_not_widen_an_agents_scope() {
    let scene = scene("observe");
    scene.attack("fugue rename-session free");
    assert!(scene.server.ok(&["ls"]).contains("free"));
    scene.assert_out_of_scope("fugue kill-session -s victim", "kill-session");
    signal("KILL", scene.server.daemon_pid());
    until("the next daemon serves", || scene.server.run(&["ls"]).code == 0);
    scene.assert_out_of_scope("fugue set-tags -s victim --add pwned", "set-tags");
    scene.server.ok(&["rename-session", "-s", "free", "trusted"]);
    assert!(!scene.attack("fugue kill-session -s victim").contains("scope"), "a person renamed it");
    assert!(!scene.server.ok(&["ls"]).contains("victim"));
}

#[test]
fn a_session_of_another_name_is_governed_by_its_creators_rule() {
    let scene = scene("descendants");
    scene.attack("fugue new -d -s free -- sh");
    let panes = scene.server.json(&["list-panes", "-s", "free"]);
    let free = panes["panes"][0]["pane_id"].as_str().expect("a pane").to_owned();
    let output = scene.attack_from(&free, "fugue kill-session -s victim");
    assert!(output.contains("Session victim is outside the scope (`descendants`) of free"), "{output}");
    scene.assert_unhurt();
    scene.assert_refused("kill-session", "ancestry");
    scene.attack_from(&free, "fugue new -d -s freer -- sh");
    let panes = scene.server.json(&["list-panes", "-s", "freer"]);
    let freer = panes["panes"][0]["pane_id"].as_str().expect("a pane").to_owned();
    assert!(scene.attack_from(&freer, "fugue kill-window -s victim").contains("outside the scope"));
    scene.assert_unhurt();
    assert!(!scene.attack("fugue kill-session -s freer").contains("scope"), "its descendant's session");
    assert!(!scene.server.ok(&["ls"]).contains("freer"));
}

#[test]
fn an_observing_agent_cannot_create_a_session_to_act_from() {
    let scene = scene("observe");
    scene.assert_out_of_scope("fugue new -d -s free -- cat", "create-session");
    assert!(!scene.server.ok(&["ls"]).contains("free"));
}

#[test]
fn an_agent_with_a_scope_cannot_shut_the_daemon_down() {
    let scene = scene("descendants");
    let daemon = scene.server.daemon_pid();
    let output = scene.attack("fugue shutdown");
    assert!(output.contains("`shutdown` affects the whole daemon"), "{output}");
    scene.assert_unhurt();
    assert_eq!(scene.server.daemon_pid(), daemon);
    scene.assert_refused("shutdown", "ancestry");
    scene.assert_orphan_refused("fugue shutdown", "shutdown");
    assert_eq!(scene.server.daemon_pid(), daemon);
}

#[test]
fn an_agent_with_a_scope_cannot_upgrade_the_daemon() {
    let scene = scene("descendants");
    let daemon = scene.server.daemon_pid();
    let output = scene.attack("fugue upgrade --force");
    assert!(output.contains("`upgrade` affects the whole daemon"), "{output}");
    scene.assert_refused("upgrade", "ancestry");
    scene.assert_orphan_refused("fugue upgrade --force", "upgrade");
    assert_eq!(scene.server.daemon_pid(), daemon);
}

#[test]
fn commands_of_tmux_have_the_scope_of_their_pane() {
    let scene = scene("observe");
    scene.assert_out_of_scope("fugue tmux kill-session -t victim", "kill-session");
    scene.assert_out_of_scope("fugue tmux send-keys -t VICTIM pwned Enter", "send-input");
    scene.assert_out_of_scope("fugue tmux respawn-pane -k -t victim cat", "respawn-pane");
    let daemon = scene.server.daemon_pid();
    let output = scene.attack("fugue tmux kill-server");
    assert!(output.contains("`shutdown` affects the whole daemon"), "{output}");
    assert_eq!(scene.server.daemon_pid(), daemon);
    scene.assert_unhurt();
}

#[test]
fn an_agent_with_a_scope_cannot_trust_a_project_file() {
    let scene = scene("descendants");
    std::fs::write(scene.server.path().join(".fugue.toml"), "session = \"x\"\n").expect("a project");
    let bare = "env -u FUGUE_PANE_ID -u FUGUE_PANE_KEY -u FUGUE_SOCKET";
    for line in ["fugue allow", "fugue --server nosuch allow", &format!("{bare} fugue --server nosuch allow")]
    {
        let output = scene.attack(line);
        assert!(output.contains("`authorize` affects the whole daemon"), "{line}: {output}");
    }
    scene.assert_refused("authorize", "ancestry");
    assert!(scene.server.run(&["up", "-d"]).err.contains("is not trusted"));
    assert!(scene.server.ok(&["allow"]).starts_with("Trusted"), "a person may");
}

#[test]
fn an_agent_with_a_scope_cannot_change_the_configuration_with_fugue() {
    let scene = scene("observe");
    std::fs::write(scene.server.path().join("tmux.conf"), "set -g mouse off\n").expect("a file");
    let config = || std::fs::read_to_string(scene.server.path().join("config/fugue/config.toml"));
    let before = config().expect("the file");
    for line in ["fugue hosts add box", "fugue hosts remove box", "fugue import-tmux --write $HOME/tmux.conf"]
    {
        let output = scene.attack(line);
        assert!(output.contains("`authorize` affects the whole daemon"), "{line}: {output}");
    }
    assert_eq!(config().expect("the file"), before);
}

#[test]
fn an_agent_with_a_scope_cannot_set_up_agents() {
    let scene = scene("descendants");
    let claude = scene.server.path().join("claude");
    std::fs::write(claude, "").expect("an agent");
    for server in ["", "--server nosuch"] {
        let output = scene.attack(&format!("PATH=$HOME:$PATH fugue {server} setup claude --yes"));
        assert!(output.contains("`authorize` affects the whole daemon"), "{server}: {output}");
    }
    scene.assert_refused("authorize", "ancestry");
    assert!(!scene.server.path().join(".claude.json").exists());
}

/// Runs inside a pane: sends keys to the victim in frames of its own, without attaching first.
#[test]
#[ignore = "a helper that other tests run inside a pane"]
fn helper_that_sends_raw_keys() {
    let victim: PaneId = std::env::var("HELPER_TARGET").expect("a pane").parse().expect("an id");
    let mut socket = UnixStream::connect(std::env::var("FUGUE_SOCKET").expect("a socket")).expect("a daemon");
    socket.write_all(&messages::greeting(Hello::new(Role::Terminal, None)).expect("a frame")).expect("sent");
    socket.write_all(&messages::keys(victim, b"pwned\n")).expect("sent");
    let mut answer = vec![0; 4096];
    let mut seen = String::new();
    while !seen.contains("notice") {
        let count = std::io::Read::read(&mut socket, &mut answer).expect("an answer");
        assert!(count > 0, "{seen}");
        seen.push_str(&String::from_utf8_lossy(&answer[..count]));
    }
    println!("{seen}");
}

#[test]
fn raw_key_frames_are_checked_for_each_pane() {
    let scene = scene("observe");
    let output = scene.attack(&scene.helper("helper_that_sends_raw_keys"));
    assert!(output.contains("out_of_scope"), "{output}");
    scene.assert_unhurt();
    scene.assert_refused("keys", "ancestry");
    let output = scene.attack_as_orphan(&scene.helper("helper_that_sends_raw_keys"));
    assert!(output.contains("unattributed"), "{output}");
    scene.assert_unhurt();
    scene.assert_refused("keys", "orphan");
}

#[test]
fn a_pane_takes_its_rights_along_when_it_is_moved() {
    let scene = scene("observe");
    let free = scene.server.session("free", &["cat"]);
    let line = format!("fugue join-pane -t $FUGUE_PANE_ID --beside {free}");
    scene.assert_out_of_scope(&line, "join-pane");
    let spare = scene.server.json(&["create-pane", "-s", "worker", "-d", "--", "cat"]);
    assert!(spare["pane_id"].is_string());
    scene.server.ok(&["break-pane", "-t", &scene.worker]);
    let window = scene.server.json(&["list-panes", "-s", "worker"])["panes"].clone();
    let window = window.as_array().expect("a list").iter().find(|pane| pane["pane_id"] == scene.worker);
    let window = window.expect("the pane")["window_id"].as_str().expect("a window").to_owned();
    scene.server.ok(&["move-window", "-w", &window, "--to-session", "free"]);
    assert!(scene.attack("fugue whoami").contains("session_name: free"), "a person moved it");
    scene.assert_out_of_scope("fugue kill-session -s victim", "kill-session");
    let output = scene.attack("fugue set-tags -s free --add pwned");
    assert!(output.contains("outside the scope (`observe`)"), "{output}");
}

#[test]
fn a_foreign_pane_cannot_be_respawned_moved_swapped_or_split() {
    let scene = scene("descendants");
    for (line, verb) in [
        ("fugue respawn-pane -t VICTIM -k -- sh -c 'echo pwned'", "respawn-pane"),
        ("fugue swap-panes -t VICTIM --with $FUGUE_PANE_ID", "swap-panes"),
        ("fugue join-pane -t VICTIM --beside $FUGUE_PANE_ID", "join-pane"),
        ("fugue create-pane -s victim -- sh", "create-pane"),
        ("fugue create-window -s victim -- sh", "create-window"),
        ("fugue close-pane -t VICTIM", "close-pane"),
        ("fugue run -s victim true", "run"),
        ("fugue run-parallel -s victim 'echo pwned'", "run-parallel"),
        ("fugue send-input -t VICTIM pwned", "send-input"),
        ("fugue set-environment -s victim PWNED 1", "set-environment"),
        ("fugue select-session victim", "select-session"),
    ] {
        scene.assert_out_of_scope(line, verb);
    }
}

#[test]
fn a_persons_client_cannot_be_detached_from_another_session() {
    let scene = scene("observe");
    let mut terminal = scene.server.terminal(&["attach", "victim"], 80, 24);
    terminal.shows("ready");
    let output = scene.attack("fugue detach-client -s victim");
    assert!(output.contains("is outside the scope (`observe`)"), "{output}");
    assert_eq!(scene.server.json(&["list-clients"])["clients"].as_array().map(Vec::len), Some(1));
    scene.assert_refused("detach-client", "ancestry");
}

#[test]
fn a_mistake_in_the_configuration_keeps_the_last_valid_scopes_even_over_a_restart() {
    let scene = scene("observe");
    scene.assert_out_of_scope("fugue kill-session -s victim", "kill-session");
    for broken in
        ["[scopes]\nworker = = \"all\"\n", "bell = = 1\n", "[scopes]\n\"worker*\" = \"everything\"\n"]
    {
        write_config(&scene.server, broken);
        let warned = || scene.server.ok(&["server-status"]).contains("last valid scopes");
        until("the mistake is reported", warned);
        scene.assert_out_of_scope("fugue kill-session -s victim", "kill-session");
        signal("KILL", scene.server.daemon_pid());
        until("the next daemon serves", || scene.server.run(&["ls"]).code == 0);
        assert!(warned(), "{broken}");
        scene.assert_out_of_scope("fugue set-tags -s victim --add pwned", "set-tags");
        write_config(&scene.server, "[scopes]\n\"worker*\" = \"observe\"\n");
        until("the mistake is gone", || !scene.server.ok(&["server-status"]).contains("last valid"));
    }
}

#[test]
fn a_missing_configuration_lifts_no_scopes_until_there_is_one_without_scopes() {
    let scene = scene("observe");
    let path = scene.server.path().join("config/fugue/config.toml");
    let missing =
        || scene.server.ok(&["server-status"]).contains("the file does not exist; to lift the scopes");
    std::fs::remove_file(&path).expect("removed");
    until("that is reported", missing);
    scene.assert_out_of_scope("fugue kill-session -s victim", "kill-session");
    signal("KILL", scene.server.daemon_pid());
    until("the next daemon serves", || scene.server.run(&["ls"]).code == 0);
    assert!(missing());
    scene.assert_out_of_scope("fugue set-tags -s victim --add pwned", "set-tags");
    write_config(&scene.server, "");
    until("the scopes are lifted", || !scene.server.ok(&["server-status"]).contains("scopes"));
    assert!(!scene.attack("fugue kill-session -s victim").contains("scope"));
}

#[test]
fn scopes_in_a_file_that_cannot_be_parsed_apply_as_observe_though_there_were_none() {
    let scene = scene("all");
    write_config(&scene.server, "zz1 = 1\n");
    until("the file without scopes is read", || scene.server.ok(&["server-status"]).contains("zz1"));
    write_config(&scene.server, "bell = = 1\n[scopes]\n\"worker*\" = \"observe\"\n");
    until("the mistake is reported", || scene.server.ok(&["server-status"]).contains("last valid scopes"));
    scene.assert_out_of_scope("fugue set-tags -s victim --add pwned", "set-tags");
    write_config(&scene.server, "");
}

#[test]
fn an_agent_cannot_take_a_lease_away() {
    let scene = scene("observe");
    scene.server.ok(&["claim", "build", "--ttl-ms", "600000"]);
    let output = scene.attack("fugue release build --force");
    assert!(output.contains("Cannot release lease `build`"), "{output}");
    let output = scene.attack_as_orphan("fugue release build --force; fugue claim other --ttl-ms 1000");
    assert_eq!(output.matches("This process has read-only access").count(), 2, "{output}");
    scene.assert_refused("release", "orphan");
    scene.assert_refused("claim", "orphan");
    assert!(scene.server.ok(&["list-leases"]).contains("build"));
}

#[test]
fn secrets_of_other_sessions_are_hidden_from_agents() {
    let scene = scene("all");
    scene.server.ok(&["set-environment", "-s", "victim", "API_TOKEN", "hunter2"]);
    scene.server.ok(&["new", "-d", "-s", "vault", "-e", "PASSWORD=hunter2", "--", "cat"]);
    for line in [
        "fugue get-environment -s victim; fugue get-environment -s vault --json",
        "fugue set-environment -s victim OTHER 1",
        "fugue list-panes --json; fugue ls --json; fugue explain -t VICTIM",
        "fugue events",
    ] {
        let output = scene.attack(line);
        assert!(!output.contains("hunter2"), "{line}: {output}");
    }
    let output = scene.attack("fugue get-environment -s victim --json");
    assert!(output.contains("API_TOKEN") && output.contains("(hidden)"), "{output}");
    let output = scene.attack_as_orphan("fugue get-environment -s victim");
    assert!(output.contains("API_TOKEN") && !output.contains("hunter2"), "{output}");
    let shown = scene.server.json(&["get-environment", "-s", "victim"]);
    assert_eq!(shown["entries"]["API_TOKEN"], "hunter2", "a person sees it");
    scene.attack("fugue set-environment OWN mine; fugue new -d -s child -e CHILD=mine -- cat");
    assert!(scene.attack("fugue get-environment").contains("mine"), "its own");
    assert!(scene.attack("fugue get-environment -s child").contains("mine"), "its descendant's");
    let log = std::fs::read_to_string(scene.server.state_dir().join("audit.log")).expect("a log");
    assert!(!log.contains("hunter2"), "{log}");
}

#[test]
fn an_agent_with_the_default_scope_still_does_everything_and_that_is_recorded() {
    let scene = scene("all");
    assert!(!scene.attack("fugue kill-session -s victim").contains("scope"));
    assert!(!scene.server.ok(&["ls"]).contains("victim"));
    let audit = scene.audit();
    let last = audit.last().expect("a line");
    assert_eq!(
        (&last["verb"], &last["touched"], &last["outcome"], &last["known_by"], &last["pane"]),
        (
            &json!("kill-session"),
            &json!(["victim"]),
            &json!("allowed"),
            &json!("ancestry"),
            &json!(scene.worker)
        )
    );
}
