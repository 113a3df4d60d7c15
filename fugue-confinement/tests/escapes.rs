//! Attempts of a confined program to get at what its policy does not name, each made by a process of its own.

use std::fs;
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

/// A home with a key, a repository with a linked worktree, sockets, and a program that runs outside.
struct Outside {
    directory: TempDir,
    victim: Child,
    _sockets: [UnixListener; 3],
    open: TcpListener,
    closed: TcpListener,
}

impl Drop for Outside {
    fn drop(&mut self) {
        let _ = self.victim.kill();
        let _ = self.victim.wait();
    }
}

impl Outside {
    fn new() -> Self {
        let directory = TempDir::new().expect("a directory");
        let at = |name: &str| directory.path().join(name);
        for name in ["home/.ssh", "home/.config/gh", "run", "own", "repository", "other"] {
            fs::create_dir_all(at(name)).expect("a directory");
        }
        for (name, text) in [
            ("home/.ssh/id", "key"),
            ("home/.gitconfig", "[user]\nname=a\nemail=a@b\n"),
            ("home/.config/gh/token", "t"),
            ("other/file", "text"),
        ] {
            fs::write(at(name), text).expect("a file");
        }
        git(&at("repository"), &["init", "-q"]);
        git(&at("repository"), &["commit", "-q", "--allow-empty", "-m", "first"]);
        git(&at("repository"), &["worktree", "add", "-q", "../worktree"]);
        let abstract_name = format!("fugue-test-{}", std::process::id());
        let address = SocketAddr::from_abstract_name(abstract_name).expect("a name");
        let bound = |name: &str| UnixListener::bind(at(name)).expect("a socket");
        let sockets =
            [bound("run/fugue.sock"), bound("run/bus"), UnixListener::bind_addr(&address).expect("a socket")];
        let victim =
            Command::new("sleep").arg("600").env("FUGUE_PANE_KEY", "secret").stdin(Stdio::null()).spawn();
        let listener = || TcpListener::bind("127.0.0.1:0").expect("a port");
        Self {
            victim: victim.expect("a program"),
            _sockets: sockets,
            open: listener(),
            closed: listener(),
            directory,
        }
    }

    fn at(&self, name: &str) -> String {
        self.directory.path().join(name).to_str().expect("text").to_owned()
    }

    /// Makes an attempt, confined to the worktree; returns what was printed.
    fn attempt(&self, namespace: &str, words: &[&str]) -> String {
        let port = self.open.local_addr().expect("an address").port().to_string();
        let output = Command::new(env!("CARGO_BIN_EXE_confined-test-process"))
            .args([namespace, &self.at("worktree"), &self.at("own"), &self.at("run/fugue.sock"), &port])
            .args(words)
            .env("HOME", self.at("home"))
            .output()
            .expect("a process");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{words:?}: {errors}");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
            + if errors.contains("panicked") { &errors } else { "" }
    }

    fn allowed(&self, namespace: &str, words: &[&str]) {
        assert_eq!(self.attempt(namespace, words), "done", "{namespace}: {words:?}");
    }

    fn held(&self, namespace: &str, words: &[&str]) {
        let printed = self.attempt(namespace, words);
        assert!(printed.starts_with("held: "), "{namespace}: {words:?}: {printed}");
    }
}

fn git(directory: &Path, words: &[&str]) {
    let identity = ["-c", "user.name=a", "-c", "user.email=a@b"];
    let status = Command::new("git").current_dir(directory).args(identity).args(words).status();
    assert!(status.expect("git").success(), "git {words:?}");
}

const BOTH: [&str; 2] = ["namespace", "no-namespace"];

#[test]
fn a_confined_program_works_in_its_worktree() {
    let outside = Outside::new();
    let (file, git_directory) = (outside.at("worktree/new"), outside.at("repository/.git"));
    for namespace in BOTH {
        outside.allowed(namespace, &["create", &file]);
        outside.allowed(namespace, &["read", "/etc/passwd"]);
        outside.allowed(namespace, &["list", "/usr/bin"]);
        outside.allowed(namespace, &["read", &outside.at("home/.gitconfig")]);
        outside.allowed(namespace, &["read", &format!("{git_directory}/config")]);
        outside.allowed(namespace, &["write", "/dev/null"]);
        outside.allowed(namespace, &["unix", &outside.at("run/fugue.sock")]);
        outside.allowed(
            namespace,
            &["connect", &outside.open.local_addr().expect("an address").port().to_string()],
        );
        outside.allowed(namespace, &["run", "git", "add", "new"]);
        outside.allowed(namespace, &["run", "git", "commit", "-q", "-m", namespace]);
        outside.allowed(namespace, &["run", "git", "rm", "-q", "new"]);
        outside.allowed(namespace, &["run", "git", "commit", "-q", "-m", "away"]);
    }
}

#[test]
fn files_outside_the_worktree_are_neither_read_nor_changed() {
    let outside = Outside::new();
    let (file, kept) = (outside.at("other/file"), outside.at("worktree/kept"));
    fs::write(&kept, "x").expect("a file");
    for namespace in BOTH {
        let link = outside.at(&format!("worktree/link-{namespace}"));
        outside.held(namespace, &["read", &outside.at("home/.ssh/id")]);
        outside.held(namespace, &["read", &outside.at("home/.config/gh/token")]);
        outside.held(namespace, &["list", &outside.at("home/.ssh")]);
        outside.held(namespace, &["write", &outside.at("home/.bashrc")]);
        outside.held(namespace, &["read", &file]);
        outside.held(namespace, &["write", &file]);
        outside.held(namespace, &["truncate", &file]);
        outside.held(namespace, &["remove", &file]);
        outside.held(namespace, &["rename", &kept, &outside.at("other/kept")]);
        outside.held(namespace, &["rename", &file, &outside.at("worktree/taken")]);
        outside.held(namespace, &["link", &file, &outside.at("worktree/taken")]);
        outside.held(namespace, &["write-through-link", &file, &link]);
        outside.held(namespace, &["create", "/etc/cron.d/fugue-test"]);
        outside.held(namespace, &["create", "/var/tmp/fugue-test"]);
        outside.held(namespace, &["write", "/proc/sys/kernel/core_pattern"]);
    }
    assert_eq!(fs::read_to_string(file).expect("a file"), "text");
}

#[test]
fn what_git_runs_for_others_cannot_be_changed() {
    let outside = Outside::new();
    let shared = |name: &str| outside.at(&format!("repository/.git/{name}"));
    for namespace in BOTH {
        outside.held(namespace, &["create", &shared("hooks/pre-commit")]);
        outside.held(namespace, &["write", &shared("config")]);
        outside.held(namespace, &["create", &shared("info/attributes")]);
        outside.held(namespace, &["create", &outside.at("repository/file")]);
        outside.held(namespace, &["run", "git", "config", "core.fsmonitor", "/bin/true"]);
    }
    // A file in a directory that can be written is fixed by a mount.
    outside.held("namespace", &["write", &outside.at("worktree/.git")]);
    outside.held("namespace", &["remove", &outside.at("worktree/.git")]);
    outside.held("namespace", &["rename", &outside.at("worktree/.git"), &outside.at("worktree/old")]);
    outside.held("namespace", &["write", &shared("worktrees/worktree/commondir")]);
}

#[test]
fn programs_outside_are_not_reached() {
    let outside = Outside::new();
    let pid = outside.victim.id();
    let of_victim = |name: &str| format!("/proc/{pid}/{name}");
    let name = format!("fugue-test-{}", std::process::id());
    let port = outside.closed.local_addr().expect("an address").port().to_string();
    for namespace in BOTH {
        for file in ["environ", "mem", "maps"] {
            outside.held(namespace, &["read", &of_victim(file)]);
        }
        outside.held(namespace, &["read", &of_victim("fd/1")]);
        outside.held(namespace, &["list", &of_victim("root")]);
        outside.held(namespace, &["list", &of_victim("cwd")]);
        outside.held(namespace, &["run", "sh", "-c", &format!("kill -9 {pid} 2>&-")]);
        outside.held(namespace, &["abstract", &name]);
        outside.held(namespace, &["connect", &port]);
        outside.held(namespace, &["listen", "0"]);
        outside.held(namespace, &["run", "nsenter", "-t", &pid.to_string(), "-m", "-U", "true"]);
    }
    outside.held("namespace", &["unix", &outside.at("run/bus")]);
    outside.held("namespace", &["exists", "/run/systemd/private"]);
}

#[test]
fn the_confinement_cannot_be_left() {
    let outside = Outside::new();
    for namespace in BOTH {
        outside.allowed(namespace, &["run", "grep", "-q", "NoNewPrivs:.1", "/proc/self/status"]);
        outside.allowed(namespace, &["run", "grep", "-q", "CapEff:.0000000000000000", "/proc/self/status"]);
        outside.held(namespace, &["run", "mount", "-t", "tmpfs", "none", &outside.at("worktree")]);
        outside.held(namespace, &["run", "unshare", "-Urm", "umount", "-l", &outside.at("worktree/.git")]);
        outside.held(
            namespace,
            &["run", "unshare", "-Urm", "mount", "-t", "tmpfs", "none", &outside.at("worktree")],
        );
        outside.held(namespace, &["run", "unshare", "-Ur", "chroot", "/proc/1/root", "true"]);
        outside.held(namespace, &["run", "mknod", &outside.at("worktree/disk"), "b", "8", "0"]);
    }
}

#[test]
fn terminals_of_others_are_hidden_and_new_ones_can_be_opened_in_a_namespace() {
    let outside = Outside::new();
    let terminal = Terminal::open();
    for namespace in BOTH {
        outside.held(namespace, &["write", &terminal.name]);
        outside.held(namespace, &["read", &terminal.name]);
    }
    outside.allowed("namespace", &["run", "script", "-qc", "true", "/dev/null"]);
    outside.held("no-namespace", &["run", "script", "-qc", "true", "/dev/null"]);
}

/// A terminal of another program.
struct Terminal {
    name: String,
    _master: std::os::fd::OwnedFd,
}

impl Terminal {
    fn open() -> Self {
        let master = rustix::pty::openpt(rustix::pty::OpenptFlags::RDWR).expect("a terminal");
        rustix::pty::grantpt(&master).and_then(|()| rustix::pty::unlockpt(&master)).expect("a terminal");
        let name = rustix::pty::ptsname(&master, Vec::new()).expect("a name");
        Self { name: name.into_string().expect("text"), _master: master }
    }
}
