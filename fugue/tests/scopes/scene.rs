//! An agent with a scope, a victim beyond it, and what must be so after an attack.

use std::sync::atomic::{AtomicUsize, Ordering};

use fugue_testkit::{TestServer, until};
use serde_json::{Value, json};

pub(crate) const FUGUE: &str = env!("CARGO_BIN_EXE_fugue");

/// A shell in a session that is limited by a scope, and a victim beyond it.
pub(crate) struct Scene {
    pub(crate) server: TestServer,
    pub(crate) worker: String,
    pub(crate) victim: String,
}

pub(crate) fn scene(scope: &str) -> Scene {
    let server = TestServer::new(FUGUE);
    write_config(&server, &format!("[scopes]\n\"worker*\" = \"{scope}\"\n"));
    let victim = server.session("victim", &["sh", "-c", "echo ready; exec cat"]);
    server.wait_for(&victim, "^ready");
    let worker = server.session("worker", &["sh"]);
    Scene { server, worker, victim }
}

pub(crate) fn write_config(server: &TestServer, text: &str) {
    std::fs::create_dir_all(server.path().join("config/fugue")).expect("a directory");
    std::fs::write(server.path().join("config/fugue/config.toml"), text).expect("a configuration");
}

impl Scene {
    /// Runs a line in the worker's shell and returns its output. `fugue` is the binary, `VICTIM` the victim's pane.
    pub(crate) fn attack(&self, line: &str) -> String {
        self.attack_from(&self.worker, line)
    }

    pub(crate) fn attack_from(&self, pane: &str, line: &str) -> String {
        let line = self.spelled(line);
        let line = format!("clear; {line}; echo the''-end");
        let sent = self.server.json(&["send-input", "-t", pane, &line, "--submit"]);
        let since = sent["cursor"].as_str().expect("a cursor");
        let wait = ["wait", "-t", pane, "--match", "^the-end", "--since", since, "--timeout-ms", "60000"];
        // `clear` also clears the history, which the command says on standard error.
        let waited = self.server.run(&wait);
        assert_eq!(waited.code, 0, "{}", waited.err);
        self.server.ok(&["get-output", "-t", pane, "--mode", "screen"]).replace('\n', "")
    }

    pub(crate) fn spelled(&self, line: &str) -> String {
        line.replace("fugue ", &format!("{FUGUE} ")).replace("VICTIM", &self.victim)
    }

    /// Runs a line in a process that has left the worker's process tree, and returns its output.
    pub(crate) fn attack_as_orphan(&self, line: &str) -> String {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let file =
            |name: &str| self.server.path().join(format!("orphan{number}.{name}")).display().to_string();
        let (script_file, go, out, done) = (file("sh"), file("go"), file("out"), file("done"));
        let script = format!(
            "until [ -e {go} ]; do sleep 0.05; done; {{ {}; }} > {out} 2>&1; touch {done}",
            self.spelled(line)
        );
        std::fs::write(&script_file, script).expect("a script");
        self.attack(&format!("(setsid sh {script_file} &); touch {go}"));
        until("the orphan is done", || std::path::Path::new(&done).exists());
        std::fs::read_to_string(&out).expect("its output")
    }

    /// Asserts that the victim is as it was.
    #[track_caller]
    pub(crate) fn assert_unhurt(&self) {
        let sessions = self.server.json(&["ls"])["sessions"].clone();
        let victim = sessions.as_array().expect("a list").iter().find(|found| found["name"] == "victim");
        let victim = victim.expect("the victim's session");
        let windows = victim["windows"].as_array().map(Vec::len);
        assert_eq!((&victim["tags"], windows), (&json!([]), Some(1)), "{victim}");
        let panes = self.server.json(&["list-panes", "-s", "victim"])["panes"].clone();
        let panes: Vec<_> = panes.as_array().expect("a list").iter().map(|pane| &pane["pane_id"]).collect();
        assert_eq!(panes, [&json!(self.victim)]);
        assert_eq!(self.server.text(&self.victim).trim(), "ready");
        assert_eq!(self.server.json(&["get-environment", "-s", "victim"])["entries"], json!({}));
    }

    /// The entries of the audit log.
    pub(crate) fn audit(&self) -> Vec<Value> {
        let log = std::fs::read_to_string(self.server.state_dir().join("audit.log")).unwrap_or_default();
        log.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }

    /// Asserts that the audit log has this refusal, with how the caller was known.
    #[track_caller]
    pub(crate) fn assert_refused(&self, verb: &str, known_by: &str) {
        let audit = self.audit();
        let found = audit.iter().find(|line| {
            line["verb"] == verb && line["known_by"] == known_by && line["outcome"] == "refused"
        });
        let found = found.unwrap_or_else(|| panic!("no refusal of {verb} known by {known_by}: {audit:#?}"));
        assert!(found["pid"].is_u64() && found["reason"].is_string(), "{found}");
    }

    /// Asserts that a line is refused for its scope, changes nothing and is recorded.
    #[track_caller]
    pub(crate) fn assert_out_of_scope(&self, line: &str, verb: &str) {
        let output = self.attack(line);
        assert!(output.contains("is outside the scope (`"), "{line}: {output}");
        self.assert_unhurt();
        self.assert_refused(verb, "ancestry");
    }

    /// Asserts that an orphan may not do this, and that it is recorded.
    #[track_caller]
    pub(crate) fn assert_orphan_refused(&self, line: &str, verb: &str) {
        let output = self.attack_as_orphan(line);
        assert!(output.contains("This process has read-only access"), "{line}: {output}");
        self.assert_unhurt();
        self.assert_refused(verb, "orphan");
    }

    /// The command line that runs one of these tests' helpers inside a pane.
    pub(crate) fn helper(&self, name: &str) -> String {
        let exe = std::env::current_exe().expect("this test");
        format!("HELPER_TARGET=VICTIM {} --exact {name} --ignored --nocapture", exe.display())
    }
}
