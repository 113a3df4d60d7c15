//! A home with sockets at which nobody answers, and an `ssh` that takes note of its calls.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Child;

use fugue_testkit::{CommandOutput, TestServer};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::tripwire::Tripwire;

/// What came of a command.
pub(crate) struct Outcome {
    /// Whether it reached the daemon that was named.
    pub(crate) reached: bool,
    /// The other daemons that it reached, and files that it made for them.
    pub(crate) others: Vec<String>,
    /// Whether it started ssh.
    pub(crate) went_to_host: bool,
    pub(crate) ran: CommandOutput,
}

pub(crate) struct World {
    server: TestServer,
    /// By the names of the daemons.
    tripwires: BTreeMap<String, Tripwire>,
}

/// How long to wait for somebody to connect before looking whether the command has ended, in nanoseconds.
const TURN: i64 = 5_000_000;

impl World {
    pub(crate) fn new(binary: &str) -> Self {
        let server = TestServer::new(binary);
        let sockets = server.path().join("run/fugue");
        fs::create_dir(&sockets).expect("a directory");
        fs::set_permissions(&sockets, fs::Permissions::from_mode(0o700)).expect("its mode");
        fs::create_dir(server.path().join("bin")).expect("a directory");
        for (name, script) in [("ssh", "echo called >> \"$HOME/ssh-calls\"; exit 255"), ("claude", "exit 0")]
        {
            let path = server.path().join("bin").join(name);
            fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("a script");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("its mode");
        }
        fs::write(server.path().join(".fugue.toml"), "").expect("a project");
        fs::write(server.path().join("tmux.conf"), "").expect("a file");
        let mut world = Self { server, tripwires: BTreeMap::new() };
        ["a", "b", "default"].iter().for_each(|name| world.listen(name));
        world
    }

    /// Listens at the socket of a daemon.
    pub(crate) fn listen(&mut self, name: &str) {
        self.tripwires.insert(name.to_owned(), Tripwire::at(&self.socket(name)));
    }

    fn socket(&self, name: &str) -> PathBuf {
        self.server.path().join("run/fugue").join(format!("{name}.sock"))
    }

    /// Runs a command in whose environment daemon `b` is named, or else daemon `a`, which must stay untouched.
    pub(crate) fn run(&self, words: &[&str], is_in_environment: bool) -> Outcome {
        let id = "019a0000-0000-7000-8000-000000000001";
        let words: Vec<_> = words.iter().map(|word| if *word == "ID" { id } else { word }).collect();
        let mut command = self.server.command(&words);
        let socket = self.socket(if is_in_environment { "b" } else { "a" });
        let path = std::env::var("PATH").unwrap_or_default();
        command.env("FUGUE_SOCKET", socket);
        command.env("PATH", format!("{}:{path}", self.server.path().join("bin").display()));
        command.stdin(self.input()).stdout(self.output("out")).stderr(self.output("err"));
        let before = self.foreign_files();
        let (ran, mut touched) = self.wait(command.spawn().expect("it runs"));
        let reached = touched.remove("b");
        let after = self.foreign_files();
        let made = after.difference(&before).cloned();
        let calls = self.server.path().join("ssh-calls");
        let went_to_host = fs::remove_file(calls).is_ok();
        for name in ["bundle.txt", "out.cast"] {
            let _ = fs::remove_file(self.server.path().join(name));
        }
        Outcome { reached, others: touched.into_iter().chain(made).collect(), went_to_host, ran }
    }

    /// The input of a hook; other commands read none.
    fn input(&self) -> fs::File {
        let path = self.server.path().join("input");
        fs::write(&path, r#"{"hook_event_name":"UserPromptSubmit"}"#).expect("a file");
        fs::File::open(path).expect("it is there")
    }

    /// A file for the output of a command, which may be longer than what a pipe holds.
    fn output(&self, name: &str) -> fs::File {
        fs::File::create(self.server.path().join(name)).expect("a file")
    }

    /// Waits for a command, and hangs up on it meanwhile. Returns the daemons that it reached, too.
    fn wait(&self, mut child: Child) -> (CommandOutput, BTreeSet<String>) {
        let mut touched = BTreeSet::new();
        let mut has_ended = false;
        while !has_ended {
            let mut ready: Vec<_> =
                self.tripwires.values().map(|tripwire| PollFd::new(tripwire, PollFlags::IN)).collect();
            let _ = poll(&mut ready, Some(&Timespec { tv_sec: 0, tv_nsec: TURN }));
            has_ended = child.try_wait().expect("a child").is_some();
            touched
                .extend(self.tripwires.iter().filter(|(_, of)| of.take() > 0).map(|(name, _)| name.clone()));
        }
        let code = child.wait().expect("it ended").code().unwrap_or(-1);
        let text = |name: &str| {
            String::from_utf8_lossy(&fs::read(self.server.path().join(name)).expect("a file")).into_owned()
        };
        (CommandOutput { code, out: text("out"), err: text("err") }, touched)
    }

    /// The files of other daemons, beside their sockets and in their state directories.
    fn foreign_files(&self) -> BTreeSet<String> {
        let names = |directory: &str| {
            let entries = fs::read_dir(self.server.path().join(directory)).into_iter().flatten().flatten();
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect::<Vec<_>>()
        };
        let all = names("run/fugue").into_iter().chain(names("state/fugue"));
        all.filter(|name| ["default", "a."].iter().any(|other| name.starts_with(other)) || name == "a")
            .collect()
    }
}
