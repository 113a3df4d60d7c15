//! `fugue hosts`, and the agents of all hosts.

use std::fs;

use crate::sshd::Hosts;

#[test]
fn hosts_are_added_listed_pinged_and_removed() {
    let hosts = Hosts::start();
    let ok = |words: &[&str]| {
        let (code, out, err) = hosts.run(words);
        assert_eq!((code, err.as_str()), (0, ""), "{words:?}");
        out
    };
    assert_eq!(ok(&["hosts", "add", "gpu", "box"]), "added gpu (box)\n");
    for words in [["hosts", "list"].as_slice(), &["hosts"]] {
        assert_eq!(ok(words), "gpu  box\n");
    }
    hosts.there.session("far", &["sleep", "1000"]);
    let pinged = ok(&["hosts", "ping"]);
    assert!(pinged.starts_with("gpu  fugue ") && pinged.contains(", 1 session, "), "{pinged}");
    assert!(ok(&["--host", "gpu", "ls"]).contains("far"));
    ok(&["--host", "gpu", "send-keys", "-t", "far", "typed there"]);
    let (code, _, err) = hosts.run(&["--host", "gpu", "lsw", "-a"]);
    let expected = "fugue: tmux's `lsw` does not support --host\nhint: use `fugue --host gpu tmux lsw …`\n";
    assert_eq!((code, err.as_str()), (2, expected));
    // The state of tmux's commands is that of the daemon there.
    ok(&["--host", "gpu", "tmux", "set-option", "-t", "far", "@role", "worker"]);
    assert_eq!(ok(&["--host", "gpu", "tmux", "show-options", "-v", "-t", "far", "@role"]), "worker\n");
    assert_eq!(hosts.there.ok(&["show-options", "-v", "-t", "far", "@role"]), "worker\n");
    let (code, _, err) = hosts.run(&["--host", "gpu", "tmux", "run-shell", "true"]);
    let expected = "`fugue --host` cannot start `true`\nhint: use `ssh -t box fugue tmux …`\n";
    assert_eq!((code, err.as_str()), (1, expected));
    assert_eq!(ok(&["hosts", "remove", "gpu"]), "removed gpu\n");
    let (code, _, err) = hosts.run(&["hosts", "remove", "gpu"]);
    assert!(code == 2 && err.starts_with("fugue: No host gpu in "), "{err}");
}

#[test]
fn a_bad_name_or_address_changes_nothing() {
    let hosts = Hosts::start();
    let (code, _, err) = hosts.run(&["hosts", "add", "a/b", "box"]);
    assert!(code == 2 && err.starts_with("fugue: Invalid host name: a/b\n"), "{err}");
    let (code, _, err) = hosts.run(&["hosts", "add", "a", "box;ls"]);
    assert!(code == 2 && err.starts_with("fugue: Invalid address: box;ls\n"), "{err}");
    assert!(!hosts.here.path().join("config/fugue/config.toml").exists());
}

#[test]
fn fugue_installs_itself_on_a_host_that_lacks_it() {
    let hosts = Hosts::start_with_path("/nonexistent");
    assert_eq!(hosts.run(&["--host", "box", "ls"]).0, 2, "it is not installed");
    let (code, out, err) = hosts.run(&["hosts", "install", "box"]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.starts_with("installed fugue ") && out.contains(" on box as ~/.local/bin/fugue\n"), "{out}");
    // ssh does not find it by its name alone, and the line that works is named.
    assert!(out.contains("use `ssh box .local/bin/fugue …`\n"), "{out}");
    let (code, _, err) = hosts.run(&["--host", "box", "doctor"]);
    let hint = err.split('`').nth(3).expect("a hint").to_owned();
    assert_eq!((code, hint.as_str()), (2, "ssh box 'PATH=\"$HOME/.local/bin:$PATH\" fugue doctor'"));
    let ran = hosts.ssh_line(&hint).output().expect("ssh runs");
    assert!(String::from_utf8_lossy(&ran.stdout).contains("fugue"), "{ran:?}");
    let installed = fs::metadata(hosts.there.path().join(".local/bin/fugue")).expect("it is there");
    assert_eq!(installed.len(), fs::metadata(env!("CARGO_BIN_EXE_fugue")).expect("a binary").len());
    let (code, _, err) = hosts.run(&["--host", "box", "new", "-d", "-s", "far"]);
    assert_eq!((code, err.as_str()), (0, ""));
}

#[test]
fn fugue_and_its_relay_are_installed_on_all_hosts_and_failures_are_named() {
    let hosts = Hosts::start();
    let directory = hosts.here.path().join("programs");
    fs::create_dir_all(&directory).expect("a directory");
    fs::copy(env!("CARGO_BIN_EXE_fugue"), directory.join("fugue")).expect("a copy");
    // Any program that has a version will do.
    fs::copy("/bin/true", directory.join("fugue-fleet")).expect("a copy");
    let entries = "[hosts]\ngpu = \"box\"\nlost = \"ssh://127.0.0.1:1\"\n";
    fs::create_dir_all(hosts.here.path().join("config/fugue")).expect("a directory");
    fs::write(hosts.here.path().join("config/fugue/config.toml"), entries).expect("a configuration");
    let (code, out, err) = hosts.run_from(&directory.join("fugue"), &["hosts", "install", "--all"]);
    assert_eq!(code, 2, "one cannot be reached: {out} {err}");
    assert!(err.starts_with("fugue: Cannot install fugue on lost: "), "{err}");
    for program in ["fugue", "fugue-fleet"] {
        assert!(out.contains(&format!("on gpu as ~/.local/bin/{program}\n")), "{out}");
        assert!(hosts.there.path().join(".local/bin").join(program).is_file());
    }
    let (code, _, err) = hosts.run(&["hosts", "install"]);
    assert!(code == 2 && err.contains("NAME"), "{err}");
    let (code, _, err) = hosts.run(&["hosts", "install", "gpu", "lost"]);
    assert!(code == 2 && err.contains("lost"), "{err}");
}

#[test]
fn agents_of_all_hosts_are_listed_with_those_that_cannot_be_reached() {
    let hosts = Hosts::start();
    let entries = "[hosts]\ngpu = \"box\"\nlost = \"ssh://127.0.0.1:1\"\n";
    fs::create_dir_all(hosts.here.path().join("config/fugue")).expect("a directory");
    fs::write(hosts.here.path().join("config/fugue/config.toml"), entries).expect("a configuration");
    hosts.there.session("far", &["sleep", "1000"]);
    let (code, out, _) = hosts.run(&["agents", "--all-hosts"]);
    assert_eq!(code, 1, "one cannot be reached: {out}");
    assert!(out.contains("this host:\nno agents\n\ngpu:\nno agents\n\nlost: Cannot reach lost: "), "{out}");
    let (_, out, _) = hosts.run(&["agents", "--all-hosts", "--json"]);
    let told: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(told["hosts"][1]["host"], "gpu");
    assert!(told["hosts"][2]["error"].as_str().is_some_and(|why| why.contains("lost")), "{out}");
}
