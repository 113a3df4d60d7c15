//! A host with another version of fugue: what a person is told, and how `fugue hosts install` repairs it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use fugue_testkit::next_version;

use crate::sshd::Hosts;

/// A fugue that does not know `proxy` yet.
const WITHOUT_PROXY: &str = "#!/bin/sh\necho \"error: unrecognized subcommand \'$1\'\" >&2\nexit 2\n";

#[test]
fn a_version_that_knows_no_other_hosts_is_replaced() {
    let hosts = Hosts::start_with_path("/nonexistent");
    let bin = hosts.there.path().join(".local/bin");
    fs::create_dir_all(&bin).expect("a directory");
    fs::write(bin.join("fugue"), WITHOUT_PROXY).expect("a program");
    fs::set_permissions(bin.join("fugue"), fs::Permissions::from_mode(0o755)).expect("its mode");
    let (code, _, err) = hosts.run(&["--host", "box", "ls"]);
    let hint = "hint: `fugue hosts install box` installs this version there";
    assert_eq!((code, err), (2, format!("fugue: fugue on box is an older version\n{hint}\n")));
    let (code, _, err) = hosts.run(&["hosts", "install", "box"]);
    assert_eq!((code, err.as_str()), (0, ""));
    let (code, _, err) = hosts.run(&["--host", "box", "new", "-d", "-s", "far"]);
    assert_eq!((code, err.as_str()), (0, ""));
}

#[test]
#[ignore = "needs FUGUE_UPGRADE_BINARY, a build with another protocol number"]
fn an_older_daemon_is_upgraded_while_its_programs_keep_running() {
    let newer = next_version();
    let hosts = Hosts::start();
    let pane = hosts.there.session("far", &["sh", "-c", "echo still here; exec cat"]);
    hosts.there.wait_for(&pane, "still here");
    let program = hosts.there.json(&["list-panes"])["panes"][0]["pid"].clone();
    let older = told_about(&hosts, &newer);
    assert!(older.starts_with("fugue: fugue on box is older ("), "{older}");
    let hint = "hint: `fugue hosts install box` installs this version there and upgrades its daemon; programs keep running\n";
    assert!(older.ends_with(hint), "{older}");
    let (code, out, err) = hosts.run_from(&newer, &["hosts", "install", "box"]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(out.contains("Upgraded the daemon from ") && out.contains("1 program kept"), "{out}");
    let (code, out, err) = hosts.run_from(&newer, &["--host", "box", "list-panes", "--json"]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    let panes: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(panes["panes"][0]["pid"], program);
    let this = told_about(&hosts, Path::new(env!("CARGO_BIN_EXE_fugue")));
    assert!(this.starts_with("fugue: fugue on box is newer ("), "{this}");
    assert!(this.ends_with("hint: update fugue on this host\n"), "{this}");
    hosts.run_from(&newer, &["--host", "box", "shutdown"]);
}

/// What a binary of this host says about the version of the other host.
fn told_about(hosts: &Hosts, binary: &Path) -> String {
    let (code, _, err) = hosts.run_from(binary, &["--host", "box", "ls"]);
    assert_ne!(code, 0, "{err}");
    err
}
