//! A changed `config.toml` takes effect however it is changed, and whether or not inotify is available.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::Command;

use fugue_testkit::{TestServer, TestTerminal, expect_namespaces, until};

const FUGUE: &str = env!("CARGO_BIN_EXE_fugue");

fn directory(server: &TestServer) -> PathBuf {
    server.path().join("config/fugue")
}

/// The text of a file that the daemon has read when it warns of the unknown setting `marker`.
fn marked(marker: &str) -> String {
    format!("{marker} = 1\n")
}

fn has_read(server: &TestServer, marker: &str) -> bool {
    let warning = format!("unknown setting \\\"{marker}\\\"");
    server.ok(&["server-status", "--json"]).contains(&warning)
}

/// The command, run where this user has no inotify instances left.
fn without_inotify(command: &Command) -> Command {
    let none = "echo 0 >/proc/sys/user/max_inotify_instances && exec \"$0\" \"$@\"";
    let mut without = Command::new("unshare");
    without.args(["--user", "--map-root-user", "sh", "-c", none]);
    without.arg(command.get_program()).args(command.get_args()).env_clear();
    without.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    without
}

#[test]
fn in_namespace_without_inotify_changes_take_effect_within_seconds_and_the_status_and_doctor_say_so() {
    let server = TestServer::new(FUGUE);
    expect_namespaces(&["--user", "--map-root-user"]);
    let started = without_inotify(&server.command(&["new", "-d", "-s", "work", "--", "cat"])).status();
    assert!(started.expect("it runs").success());
    let warning = "Cannot watch config.toml, agents.toml and the socket; checking them every 2 seconds: \
                   all inotify instances of the user are in use";
    assert!(server.ok(&["server-status"]).contains(warning));
    let doctor = server.run(&["doctor"]);
    assert!(doctor.code == 1 && doctor.out.contains(warning), "{}", doctor.out);
    let log = fs::read_to_string(server.state_dir().join("log")).expect("the log");
    assert!(log.contains(warning), "{log}");
    fs::create_dir_all(directory(&server)).expect("a directory");
    fs::write(directory(&server).join("config.toml"), marked("zz1")).expect("the file");
    until("the new file is read", || has_read(&server, "zz1"));
    let daemon = server.daemon_pid();
    fs::remove_file(server.socket()).expect("the socket");
    until("the socket is bound again", || server.socket().exists());
    assert_eq!(server.daemon_pid(), daemon);
}

#[test]
fn in_namespace_without_inotify_a_client_says_so_and_reads_a_changed_file_within_seconds() {
    let server = TestServer::new(FUGUE);
    expect_namespaces(&["--user", "--map-root-user"]);
    server.session("work", &["cat"]);
    let client = without_inotify(&server.command(&["attach", "work"]));
    let mut terminal = TestTerminal::spawn(client, 120, 20);
    terminal.shows("Cannot watch config.toml; checking it every 2 seconds");
    fs::create_dir_all(directory(&server)).expect("a directory");
    fs::write(directory(&server).join("config.toml"), "[client]\nbell = 1\n").expect("the file");
    terminal.shows("\"bell\" must be true or false");
}

#[test]
fn a_replaced_directory_or_a_switched_link_takes_effect() {
    let server = TestServer::new(FUGUE);
    let at = |name: &str| server.path().join(name);
    for version in ["zz1", "zz2", "zz3"] {
        fs::create_dir_all(at(version).join("fugue")).expect("a directory");
        fs::write(at(version).join("fugue/config.toml"), marked(version)).expect("the file");
    }
    let _ = fs::remove_dir_all(at("config"));
    symlink("zz1", at("config")).expect("a link");
    server.session("work", &["cat"]);
    assert!(has_read(&server, "zz1"));
    symlink("zz2", at("new")).expect("a link");
    fs::rename(at("new"), at("config")).expect("switched");
    until("the file of the new link is read", || has_read(&server, "zz2"));
    fs::rename(at("zz2"), at("old")).expect("moved");
    fs::rename(at("zz3"), at("zz2")).expect("moved");
    until("the file of the new directory is read", || has_read(&server, "zz3"));
    let descriptors = fs::read_dir(format!("/proc/{}/fd", server.daemon_pid())).expect("its descriptors");
    let links = descriptors.filter_map(|entry| fs::read_link(entry.ok()?.path()).ok());
    let inotify = links.filter(|link| link.ends_with("anon_inode:inotify")).count();
    assert!(inotify <= 2, "one instance and its duplicate, not {inotify}");
}
