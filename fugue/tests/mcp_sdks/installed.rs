//! The clients, installed from their registries, and the sessions among which they act.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use fugue_testkit::TestServer;

use crate::mcp_client::{binary, test_server};

pub(crate) fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|why| panic!("{command:?}: {why}"));
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{command:?}: {out}{}", String::from_utf8_lossy(&output.stderr));
    out
}

/// A file in `tests/clients`.
pub(crate) fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients").join(name)
}

/// A directory into which this was installed. It persists, so that the next run need not install again. Tests run in
/// processes of their own, and two may want the same directory: the second waits until the first has installed.
fn installed(name: &str, install: impl FnOnce(&Path)) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&directory).expect("a directory to install into");
    let lock = File::create(directory.join("lock")).expect("a lock file");
    lock.lock().expect("the lock");
    let mark = directory.join("installed");
    if !mark.exists() {
        install(&directory);
        File::create(mark).expect("a mark");
    }
    directory
}

/// A Python with these packages.
pub(crate) fn python(name: &str, packages: &[&str]) -> PathBuf {
    let python = |directory: &Path| directory.join("bin/python");
    let directory = installed(&format!("{name}-{}", packages.join("-")), |directory| {
        run(Command::new("python3").args(["-m", "venv"]).arg(directory));
        run(Command::new(python(directory)).args(["-m", "pip", "install", "--quiet"]).args(packages));
    });
    python(&directory)
}

/// A directory with a Node.js and these packages. Some need a newer Node than many machines have; the registry has it.
pub(crate) fn node_directory(packages: &[&str]) -> PathBuf {
    installed(&packages.join("-").replace('/', "-"), |directory| {
        std::fs::write(directory.join("package.json"), "{}").expect("a package");
        run(Command::new("npm").current_dir(directory).args(["install", "node@22"]).args(packages));
    })
}

/// The Node.js of a directory with a copy of a script, because modules are looked up next to it.
pub(crate) fn node_script(directory: &Path, name: &str) -> (PathBuf, PathBuf) {
    let copy = directory.join(name);
    std::fs::copy(script(name), &copy).expect("the script is copied");
    (directory.join("node_modules/.bin/node"), copy)
}

/// Another program with the environment of a command.
pub(crate) fn with_environment(like: &Command, program: &Path) -> Command {
    let mut command = Command::new(program);
    command.env_clear().envs(like.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command
}

/// An orchestrator and a worker in a repository. Clients act for the worker's pane.
pub(crate) struct Worker {
    pub(crate) server: TestServer,
    pub(crate) pane: String,
    repository: PathBuf,
}

impl Worker {
    pub(crate) fn new() -> Self {
        let server = test_server();
        let repository = server.path().join("app");
        run(Command::new("git").args(["init", "-q"]).arg(&repository));
        let place = repository.to_str().expect("a path");
        for name in ["boss", "worker"] {
            server.ok(&["new", "-d", "-s", name, "-c", place, "--", "cat"]);
        }
        server.ok(&["set-tags", "-s", "boss", "--add", "orchestrator"]);
        let pane = server.json(&["list-panes", "-s", "worker"])["panes"][0]["pane_id"].take();
        let pane = pane.as_str().expect("a pane").to_owned();
        Self { server, pane, repository }
    }

    /// A program that acts for the worker's pane.
    pub(crate) fn command(&self, program: &Path) -> Command {
        let mut like = self.server.command_for(&self.pane, &[]);
        like.env("FUGUE_SOCKET", self.server.socket());
        let mut command = with_environment(&like, program);
        command.current_dir(&self.repository);
        command
    }

    /// Runs a script that loads the default list of tools and calls each of them once.
    pub(crate) fn call_default_tools(&self, program: &Path, script: &Path, modules: &[&str]) {
        let mut command = self.command(program);
        let out =
            run(command.arg(script).arg(binary()).arg(self::script("default_calls.json")).args(modules));
        assert!(out.ends_with("DEFAULT TOOLS OK\n"), "{out}");
        print!("{out}");
    }
}
