//! Commands and the MCP server with `--host`.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use crate::sshd::Hosts;

#[test]
fn any_verb_reaches_the_daemon_of_another_host() {
    let hosts = Hosts::start();
    let (code, _, err) = hosts.run(&["--host", "box", "new", "-d", "-s", "far"]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(hosts.there.ok(&["ls"]).contains("far"), "the daemon there has the session");
    let (code, out, err) = hosts.run(&["run", "--host", "box", "-s", "far", "pwd; exit 7"]);
    assert_eq!(code, 7, "{out} {err}");
    assert!(out.contains(&hosts.there.path().display().to_string()), "not a directory of this host: {out}");
    let (code, out, _) = hosts.run(&["ls", "--host=box"]);
    assert!(code == 0 && out.contains("far"), "{out}");
    assert!(!hosts.here.socket().exists(), "no daemon was started on this host");
}

#[test]
fn a_session_created_on_another_host_of_the_fleet_knows_its_parent() {
    let hosts = Hosts::start();
    let config = hosts.here.path().join("config/fugue");
    std::fs::create_dir_all(&config).expect("a directory");
    let create = |name: &str, pane: &str| {
        let words = ["--host", "box", "new", "-d", "-s", name, "--tag", "worker", "--", "cat"];
        let mut command = hosts.command(&words);
        command.env("FUGUE_PANE_ID", pane).env("FUGUE_PANE_KEY", hosts.here.pane_key(pane));
        let created = command.output().expect("fugue runs");
        assert!(created.status.success(), "{}", String::from_utf8_lossy(&created.stderr));
        hosts.there.json(&["get-tags", "-s", name])["tags"].clone()
    };
    let pane = hosts.here.session("lead", &["cat"]);
    assert_eq!(create("one", &pane), serde_json::json!(["worker"]), "this host is in no fleet");
    std::fs::write(config.join("config.toml"), "[fleet]\nhost = \"desk\"\n").expect("a configuration");
    assert_eq!(create("two", &pane), serde_json::json!(["child:desk/lead", "worker"]));
    let (code, _, err) = hosts.run(&["--host", "box", "new", "-d", "-s", "three"]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert_eq!(
        hosts.there.json(&["get-tags", "-s", "three"])["tags"],
        serde_json::json!([]),
        "not in a pane"
    );
}

#[test]
fn a_program_in_a_pane_is_an_agent_on_another_host_whose_rules_apply_to_it() {
    let hosts = Hosts::start();
    let config = hosts.there.path().join("config/fugue");
    std::fs::create_dir_all(&config).expect("a directory");
    std::fs::write(config.join("config.toml"), "[scopes]\n\"*\" = \"observe\"\n").expect("a configuration");
    let (code, _, err) = hosts.run(&["--host", "box", "new", "-d", "-s", "mine"]);
    assert_eq!((code, err.as_str()), (0, ""), "a person");
    let pane = hosts.here.session("lead", &["cat"]);
    let in_pane = |words: &[&str]| {
        let mut command = hosts.command(words);
        command.env("FUGUE_PANE_ID", &pane).env("FUGUE_PANE_KEY", hosts.here.pane_key(&pane));
        let ran = command.output().expect("fugue runs");
        (ran.status.code(), String::from_utf8_lossy(&ran.stderr).into_owned())
    };
    assert_eq!(in_pane(&["--host", "box", "ls"]), (Some(0), String::new()), "it may read");
    let (code, err) = in_pane(&["--host", "box", "kill-session", "-s", "mine"]);
    assert_eq!(code, Some(1));
    assert!(err.contains("outside any session"), "{err}");
    let log = std::fs::read_to_string(hosts.there.state_dir().join("audit.log")).expect("a log");
    let last = log.lines().last().expect("an entry");
    assert!(last.contains(r#""verb":"kill-session""#) && last.contains("other_host"), "{last}");
    // Without rules, it may do what agents may, and is still not a person.
    std::fs::write(config.join("config.toml"), "").expect("a configuration");
    fugue_testkit::until("the rules are gone", || {
        in_pane(&["--host", "box", "rename-session", "-s", "mine", "theirs"]).0 == Some(0)
    });
    let (code, err) = in_pane(&["--host", "box", "take-outbox"]);
    assert_eq!(code, Some(1), "{err}");
}

#[test]
fn a_command_that_works_on_files_refuses_a_host() {
    let hosts = Hosts::start();
    let (code, _, err) = hosts.run(&["--host", "box", "setup", "claude"]);
    assert_eq!(
        (code, err.as_str()),
        (
            2,
            "fugue: `fugue setup` does not support --host\n\
             hint: use `ssh box 'PATH=\"$HOME/.local/bin:$PATH\" fugue setup'`\n"
        )
    );
}

#[test]
fn a_command_that_only_reads_starts_no_daemon_on_another_host() {
    let hosts = Hosts::start();
    for words in [&["ls"][..], &["get-output", "-s", "nosuch"], &["agents"], &["list-panes"]] {
        let (code, _, err) = hosts.run(&[&["--host", "box"], words].concat());
        assert_eq!(code, 2, "{words:?} {err}");
        assert!(err.contains("No fugue daemon is running on box"), "{words:?} {err}");
    }
    assert!(!hosts.there.socket().exists(), "no daemon was started there");
    assert!(!hosts.there.state_dir().join("journal.db").exists());
}

#[test]
fn events_of_another_host_can_be_followed() {
    let hosts = Hosts::start();
    hosts.there.session("far", &["sleep", "1000"]);
    let mut follow = hosts
        .command(&["--host", "box", "events", "--follow", "--since", "0"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("it runs");
    let mut lines = BufReader::new(follow.stdout.take().expect("its output")).lines();
    hosts.there.ok(&["rename", "-s", "far", "further"]);
    assert!(lines.any(|line| line.expect("a line").contains("further")), "the event arrives");
    follow.kill().expect("it is there");
    follow.wait().expect("it ends");
}

#[test]
fn an_mcp_client_uses_the_daemon_of_another_host() {
    let hosts = Hosts::start();
    hosts.there.session("far", &["sleep", "1000"]);
    let mut server = hosts.command(&["mcp", "--host", "box"]);
    let mut server = server.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it runs");
    let mut input = server.stdin.take().expect("its input");
    let mut lines = BufReader::new(server.stdout.take().expect("its output")).lines();
    let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#;
    let call = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"fugue_list_sessions","arguments":{}}}"#;
    writeln!(input, "{initialize}\n{call}").expect("it reads");
    let reply = lines.find(|line| line.as_ref().is_ok_and(|line| line.contains(r#""id":2"#)));
    let reply = reply.expect("a reply").expect("a line");
    assert!(reply.contains("far"), "{reply}");
    drop(input);
    server.wait().expect("it ends with its input");
}
