//! The identity of a caller: found in the process tree, and checked against the environment.

use fugue_testkit::TestServer;

struct Scene {
    server: TestServer,
    pane: String,
    other: String,
}

fn scene() -> Scene {
    let server = TestServer::new(env!("CARGO_BIN_EXE_fugue"));
    let other = server.session("other", &["cat"]);
    let pane = server.session("work", &["sh"]);
    Scene { server, pane, other }
}

impl Scene {
    /// Runs a line in the pane and returns its output.
    fn run(&self, line: &str) -> String {
        let line = line.replace("fugue", env!("CARGO_BIN_EXE_fugue"));
        let sent = self.server.json(&[
            "send-input",
            "-t",
            &self.pane,
            &format!("clear; {line}; echo the''-end"),
            "--submit",
        ]);
        let since = sent["cursor"].as_str().expect("a cursor");
        // `clear` also clears the history, which the command says on standard error.
        let waited = self.server.run(&["wait", "-t", &self.pane, "--match", "^the-end", "--since", since]);
        assert_eq!(waited.code, 0, "{}", waited.err);
        self.server.ok(&["get-output", "-t", &self.pane, "--mode", "screen"])
    }
}

#[test]
fn a_process_in_a_pane_is_known_by_its_ancestors() {
    let scene = scene();
    for line in [
        "fugue whoami",
        "env -i HOME=$HOME PATH=$PATH XDG_RUNTIME_DIR=$XDG_RUNTIME_DIR fugue whoami",
        "setsid -w fugue whoami </dev/null",
        "sh -c 'sh -c \"unset FUGUE_PANE_ID; fugue whoami\"'",
    ] {
        let output = scene.run(line);
        assert!(output.contains("session_name: work") && output.contains(&scene.pane), "{line}\n{output}");
        assert!(!output.contains("claimed"), "{output}");
    }
}

#[test]
fn a_process_that_names_another_pane_than_its_own_is_refused() {
    let scene = scene();
    let output =
        scene.run(&format!("FUGUE_PANE_ID={} fugue set-tags --add stolen", scene.other)).replace('\n', "");
    assert!(output.contains("but FUGUE_PANE_ID names pane"), "{output}");
    assert!(output.contains("unset FUGUE_PANE_ID, or run the command in the pane it names"), "{output}");
    assert_eq!(scene.server.json(&["get-tags", "-s", "other"])["tags"], serde_json::json!([]));
}

#[test]
fn outside_any_pane_a_claim_is_accepted_with_the_panes_key_and_marked() {
    let scene = scene();
    let ask = |pane: &str| {
        let mut whoami = scene.server.command(&["whoami", "--json"]);
        whoami.env("FUGUE_PANE_ID", pane).output().expect("fugue runs")
    };
    let proven = scene.server.command_for(&scene.other, &["whoami", "--json"]).output().expect("fugue runs");
    let output: serde_json::Value = serde_json::from_slice(&proven.stdout).expect("JSON");
    assert_eq!((&output["session_name"], &output["claimed"]), (&"other".into(), &true.into()));
    let complaint = String::from_utf8_lossy(&ask(&scene.other).stderr).into_owned();
    assert!(complaint.starts_with("fugue: Not running inside fugue\n"), "{complaint}");
    let stale = ask("019a0000-0000-7000-8000-000000000000");
    let complaint = String::from_utf8_lossy(&stale.stderr).into_owned();
    assert!(complaint.starts_with("fugue: Pane not found\n"), "{complaint}");
}

#[test]
fn outside_with_no_claim_whoami_says_so() {
    let scene = scene();
    assert_eq!(
        scene.server.refused(&["whoami"]),
        "Not running inside fugue\nhint: run it in a pane, or name a session or a pane if it takes one"
    );
}

#[test]
fn a_session_made_inside_a_pane_is_its_child() {
    let scene = scene();
    scene.run("fugue new -d -s young -- cat");
    let sessions = scene.server.json(&["ls"])["sessions"].clone();
    let find = |name: &str| {
        sessions
            .as_array()
            .expect("a list")
            .iter()
            .find(|session| session["name"] == name)
            .expect("the session")
            .clone()
    };
    assert_eq!(find("young")["parent_id"], find("work")["session_id"]);
    assert_eq!(find("young")["tags"], serde_json::json!(["child:work"]));
}

#[test]
fn a_runtime_directory_that_others_may_enter_is_not_trusted() {
    use std::os::unix::fs::PermissionsExt;
    let server = TestServer::new(env!("CARGO_BIN_EXE_fugue"));
    let directory = server.path().join("run/fugue");
    std::fs::create_dir(&directory).expect("a directory");
    std::fs::set_permissions(&directory, std::fs::Permissions::from_mode(0o755)).expect("mode set");
    let run = server.run(&["ls"]);
    assert_eq!(run.code, 2);
    let refusal = format!("Unsafe directory {}: accessible to other users (mode 755)", directory.display());
    assert!(run.err.contains(&refusal), "{}", run.err);
    std::fs::remove_dir(&directory).expect("removed");
    std::os::unix::fs::symlink("/tmp", &directory).expect("a symbolic link");
    let refusal = format!("Unsafe directory {}: not a directory", directory.display());
    assert!(server.run(&["ls"]).err.contains(&refusal));
}

#[test]
fn as_root_another_user_is_refused_even_if_the_directory_is_open() {
    use std::os::unix::fs::PermissionsExt;
    let scene = scene();
    assert!(rustix::process::geteuid().is_root(), "only root can become another user");
    for place in ["", "run", "run/fugue", "run/fugue/default.sock"] {
        std::fs::set_permissions(scene.server.path().join(place), std::fs::Permissions::from_mode(0o777))
            .expect("opened");
    }
    let binary = scene.server.path().join("fugue");
    std::fs::copy(env!("CARGO_BIN_EXE_fugue"), &binary).expect("a copy that every user can run");
    let output = std::process::Command::new("setpriv")
        .args(["--reuid", "65534", "--clear-groups"])
        .args([binary.as_os_str(), "ls".as_ref()])
        .env("FUGUE_SOCKET", scene.server.socket())
        .output()
        .expect("fugue runs");
    let output = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.contains("not to user 65534"), "{output}");
    // The same from the daemon, for a client that does not check whom it talks to.
    let connect = "print IO::Socket::UNIX->new(Peer => $ARGV[0])->getline";
    let output = std::process::Command::new("setpriv")
        .args(["--reuid", "65534", "--clear-groups", "perl", "-MIO::Socket::UNIX", "-e", connect])
        .arg(scene.server.socket())
        .output()
        .expect("perl runs");
    let output = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.contains("Permission denied: user 65534 does not own this daemon"), "{output}");
    std::fs::set_permissions(scene.server.path().join("run/fugue"), std::fs::Permissions::from_mode(0o700))
        .expect("closed");
}

#[test]
fn whoami_reports_the_current_directory_of_the_program() {
    let scene = scene();
    let output = scene.run("cd /usr/lib && fugue whoami");
    assert!(output.lines().any(|line| line == "cwd: /usr/lib"), "{output}");
}
