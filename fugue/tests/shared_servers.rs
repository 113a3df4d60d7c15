//! Servers that work for several panes: what they start has no pane of its own, whichever pane started the server.

use fugue_testkit::{TestServer, until};

const FUGUE: &str = env!("CARGO_BIN_EXE_fugue");

/// A server that runs each line that it is sent and returns the output. It ends with the test, which removes its socket.
const SERVER: &str = "use IO::Socket::UNIX;
my $listener = IO::Socket::UNIX->new(Local => $ENV{SERVER_SOCKET}, Listen => 5) or die;
$listener->timeout(1);
while (-e $ENV{SERVER_SOCKET}) {
    my $client = $listener->accept or next;
    chomp(my $line = <$client>);
    print $client `$line 2>&1`;
    close $client;
}
";

/// A client of the server.
const CLIENT: &str = "use IO::Socket::UNIX;
my $server = IO::Socket::UNIX->new(Peer => $ENV{SERVER_SOCKET}) or die;
print $server \"$ARGV[0]\\n\";
print while <$server>;
";

/// Two panes, and a server that the first one started.
struct Scene {
    server: TestServer,
    starter: String,
    other: String,
}

impl Scene {
    /// `start` is the shell line that starts the server; the file `program` and the socket are in the directory.
    fn new(start: &str) -> Self {
        let server = TestServer::new(FUGUE);
        for (name, text) in [("program", SERVER), ("client.pl", CLIENT)] {
            std::fs::write(server.path().join(name), text).expect("a script");
        }
        let line = format!("cd {}; export SERVER_SOCKET=$PWD/server.sock; {start}", server.path().display());
        let starter = server.session("starter", &["sh", "-c", &line]);
        let other = server.session("other", &["sh"]);
        let socket = server.path().join("server.sock");
        until("the server listens", || socket.exists());
        Self { server, starter, other }
    }

    /// What a process that the server starts for the other pane prints.
    fn ask(&self, line: &str) -> String {
        let line = line.replace("fugue ", &format!("{FUGUE} "));
        let directory = self.server.path();
        std::fs::write(directory.join("line.sh"), line).expect("a script");
        let ask = format!(
            "clear; SERVER_SOCKET={0}/server.sock perl {0}/client.pl 'sh {0}/line.sh' >{0}/out; touch {0}/done",
            directory.display()
        );
        let done = directory.join("done");
        self.server.ok(&["send-input", "-t", &self.other, &ask, "--submit"]);
        until("the server has answered", || done.exists());
        std::fs::remove_file(done).expect("removed");
        std::fs::read_to_string(directory.join("out")).expect("its output")
    }
}

/// The parent waits, as an agent does that starts its server in the background.
const IN_THE_BACKGROUND: &str = "setsid perl program & wait";

#[test]
fn what_a_shared_server_starts_is_not_in_the_pane_that_started_the_server() {
    let scene = Scene::new(IN_THE_BACKGROUND);
    scene.server.ok(&["send-orchestration", "-s", "starter", "secret-words"]);
    let told = scene.ask("fugue whoami; fugue poll-messages; fugue set-tags --add stolen; fugue ls");
    let reason = "it was started by a server that is detached from its pane's terminal";
    assert!(told.contains(&format!("Cannot determine this process's pane: {reason}")), "{told}");
    assert!(told.contains("hint: start the program in the pane itself"), "{told}");
    assert!(!told.contains(&scene.starter) && !told.contains("secret-words"), "{told}");
    assert!(told.contains("starter") && told.contains("other"), "it may read: {told}");
    assert_eq!(scene.server.json(&["get-tags", "-s", "starter"])["tags"], serde_json::json!([]));
    let unread = scene.server.json(&["poll-messages", "-s", "starter"]);
    assert_eq!(unread["messages"].as_array().map(Vec::len), Some(1), "{unread}");
}

#[test]
fn an_mcp_server_below_a_shared_server_says_that_its_pane_is_unknown_and_why() {
    let scene = Scene::new(IN_THE_BACKGROUND);
    let start = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#;
    let call =
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"fugue_whoami","arguments":{}}}"#;
    let directory = scene.server.path().display();
    let told = scene.ask(&format!(
        "cd {directory}; mkfifo in; exec 3<>in; echo '{start}' >&3; echo '{call}' >&3; fugue mcp <in >answers 3>&- &\n\
         until [ $(wc -l <answers) -ge 2 ]; do sleep 0.05; done; exec 3>&-; wait; cat answers"
    ));
    assert!(told.contains("Cannot determine this process's pane") && told.contains("hint: start"), "{told}");
    assert!(!told.contains(&scene.starter), "{told}");
}

#[test]
fn a_client_that_passes_its_panes_key_to_the_server_is_known_by_it() {
    let scene = Scene::new(IN_THE_BACKGROUND);
    let as_pane = |pane: &str| {
        let key = scene.server.pane_key(pane);
        scene.ask(&format!("FUGUE_PANE_ID={pane} FUGUE_PANE_KEY={key} fugue whoami"))
    };
    let told = as_pane(&scene.other);
    assert!(told.contains(&scene.other) && told.contains("claimed: true"), "{told}");
    // The server has the key of the pane that started it, whichever pane it works for.
    let told = as_pane(&scene.starter);
    assert!(told.contains("Cannot determine this process's pane"), "{told}");
}

#[test]
fn a_known_server_is_recognized_by_its_command_line_even_in_its_panes_terminal() {
    let start = "ln -s $(which perl) codex; cp program app-server; exec ./codex app-server --listen unix://";
    let scene = Scene::new(start);
    let told = scene.ask("fugue whoami");
    assert!(told.contains("the `codex app-server` that several panes share"), "{told}");
    assert!(told.contains("hint: start Codex in the pane with `codex --no-daemon`"), "{told}");
    assert!(!told.contains(&scene.starter), "{told}");
}

#[test]
fn a_known_server_whose_starter_is_gone_is_told_as_such() {
    let start = "ln -s $(which perl) codex; cp program app-server; setsid ./codex app-server --listen unix:// & \
                 until [ -e go ]; do sleep 0.05; done";
    let scene = Scene::new(start);
    std::fs::write(scene.server.path().join("go"), "").expect("a sign");
    until("its pane is closed", || !scene.server.ok(&["ls"]).contains("starter"));
    let told = scene.ask("fugue whoami; fugue set-tags -s other --add stolen");
    assert_eq!(told.matches("the `codex app-server` that several panes share").count(), 2, "{told}");
}

#[test]
fn an_agent_that_listens_for_notifications_is_not_a_shared_server() {
    let start = "ln -s $(which perl) claude; setsid ./claude program & wait";
    let scene = Scene::new(start);
    let told = scene.ask("fugue whoami");
    assert!(told.contains("session_name: starter") && told.contains(&scene.starter), "{told}");
}
