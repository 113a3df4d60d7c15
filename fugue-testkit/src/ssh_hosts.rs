//! An sshd on loopback, which logs this user in to another home.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::{TestServer, TestTerminal, signal, until};

/// Two homes: fugue runs in the first, and reaches the daemon of the second over ssh.
#[derive(Debug)]
pub struct SshHosts {
    /// The home in which fugue runs.
    pub here: TestServer,
    /// The home of the daemon.
    pub there: TestServer,
    sshd: Child,
    program: PathBuf,
    port: u16,
}

impl SshHosts {
    /// Starts an sshd at which the name `box` leads to the other home.
    pub fn start(fugue: &str) -> Self {
        Self::start_with_path(
            fugue,
            &PathBuf::from(fugue).parent().expect("a directory").display().to_string(),
        )
    }

    /// The same with another search path for programs on the other host.
    pub fn start_with_path(fugue: &str, path: &str) -> Self {
        let program = find_sshd().expect("these tests need sshd (Debian: apt-get install openssh-server)");
        let (here, there) = (TestServer::new(fugue), TestServer::new(fugue));
        let port = free_port();
        write_files(&here, &there, port, path);
        let sshd = start_sshd(&program, &there, port);
        Self { here, there, sshd, program, port }
    }

    /// Ends sshd, so that no new line can be opened. Lines that are open stay.
    pub fn stop_sshd(&mut self) {
        if matches!(self.sshd.try_wait(), Ok(None)) {
            signal("TERM", self.sshd.id());
            let _ = self.sshd.wait();
        }
    }

    /// Starts sshd again at the same port.
    pub fn restart_sshd(&mut self) {
        self.sshd = start_sshd(&self.program, &self.there, self.port);
    }

    /// A command of this host that uses the other one's ssh configuration.
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = self.here.command(words);
        command.env("FUGUE_SSH", self.ssh());
        command
    }

    /// The same with another binary on this host.
    pub fn command_from(&self, binary: &Path, words: &[&str]) -> Command {
        let mut command = self.here.command_from(binary, words);
        command.env("FUGUE_SSH", self.ssh());
        command
    }

    /// The value of `FUGUE_SSH` with which this host reaches the other one.
    pub fn ssh(&self) -> String {
        format!("ssh -F {}", self.here.path().join("ssh_config").display())
    }

    /// Runs a command of this host to its end: exit code, standard output, standard error.
    pub fn run(&self, words: &[&str]) -> (i32, String, String) {
        output_of(&mut self.command(words))
    }

    /// Runs a command of another binary to its end.
    pub fn run_from(&self, binary: &Path, words: &[&str]) -> (i32, String, String) {
        output_of(&mut self.command_from(binary, words))
    }

    /// A shell of this host with a line that begins with `ssh`, as a person types it.
    pub fn ssh_line(&self, line: &str) -> Command {
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(line.replacen("ssh", &self.ssh(), 1));
        shell
    }

    /// A terminal of this host in which a command runs.
    pub fn terminal(&self, words: &[&str]) -> TestTerminal {
        self.here.terminal_with(words, 80, 24, &[("FUGUE_SSH", &self.ssh())])
    }

    /// The ssh process that a process of this host started last.
    pub fn ssh_of(&self, parent: u32) -> Option<u32> {
        let children = fs::read_to_string(format!("/proc/{parent}/task/{parent}/children")).ok()?;
        children.split_whitespace().filter_map(|pid| pid.parse().ok()).next_back()
    }

    /// The port at which sshd listens.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Lets the name `box` lead to another port of loopback, where something passes everything on to sshd.
    pub fn lead_through(&self, port: u16) {
        let key = fs::read_to_string(self.there.path().join("host_key.pub")).expect("a key");
        write_client_files(self.here.path(), port, &key);
    }

    /// Replaces the key of the other host in the list of known hosts.
    pub fn forge_known_host(&self) {
        let other = self.here.path().join("other_key");
        generate_key(&other);
        let key = fs::read_to_string(other.with_extension("pub")).expect("a key");
        let known = format!("[127.0.0.1]:{} {key}", self.port);
        fs::write(self.here.path().join("known_hosts"), known).expect("the known hosts");
    }
}

impl Drop for SshHosts {
    fn drop(&mut self) {
        self.stop_sshd();
    }
}

/// Runs a command to its end: exit code, standard output, standard error.
fn output_of(command: &mut Command) -> (i32, String, String) {
    let output = command.output().expect("it runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

fn start_sshd(program: &Path, there: &TestServer, port: u16) -> Child {
    let mut sshd = Command::new(program);
    sshd.args(["-D", "-e", "-f"]).arg(there.path().join("sshd_config")).stdin(Stdio::null());
    let log = fs::File::create(there.path().join("sshd.log")).expect("a log");
    let sshd = sshd.stderr(log).spawn().expect("sshd starts");
    until("sshd listens", || std::net::TcpStream::connect(("127.0.0.1", port)).is_ok());
    sshd
}

fn find_sshd() -> Option<PathBuf> {
    let candidates = ["/usr/sbin/sshd", "/usr/bin/sshd", "/usr/local/sbin/sshd"];
    candidates.into_iter().map(PathBuf::from).find(|path| path.exists())
}

/// A port that is free now. sshd cannot be told to choose one.
fn free_port() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    listener.local_addr().expect("an address").port()
}

fn generate_key(path: &Path) {
    let made = Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(path).status();
    assert!(made.is_ok_and(|made| made.success()), "ssh-keygen");
}

fn write_files(here: &TestServer, there: &TestServer, port: u16, path: &str) {
    let (client, server) = (here.path(), there.path());
    generate_key(&client.join("id"));
    generate_key(&server.join("host_key"));
    // sshd insists on a directory for its unprivileged child, which only root needs.
    let _ = fs::create_dir_all("/run/sshd");
    fs::copy(client.join("id.pub"), server.join("authorized_keys")).expect("the client's key");
    let home = server.display();
    let sshd = format!(
        "Port {port}\nListenAddress 127.0.0.1\nHostKey {home}/host_key\nAuthorizedKeysFile {home}/authorized_keys\n\
         PidFile none\nUsePAM no\nStrictModes no\nPasswordAuthentication no\nPermitRootLogin prohibit-password\n\
         SetEnv HOME={home} XDG_RUNTIME_DIR={home}/run XDG_STATE_HOME={home}/state XDG_CONFIG_HOME={home}/config \
         SHELL=/bin/sh PS1=$ PATH={path}:/usr/bin:/bin\n"
    );
    fs::write(server.join("sshd_config"), sshd).expect("a configuration");
    let key = fs::read_to_string(server.join("host_key.pub")).expect("a key");
    write_client_files(client, port, &key);
}

/// Writes what ssh needs to reach the other host at this port.
fn write_client_files(client: &Path, port: u16, key: &str) {
    fs::write(client.join("known_hosts"), format!("[127.0.0.1]:{port} {key}")).expect("the known hosts");
    let home = client.display();
    let ssh = format!(
        "Host box\nHostName 127.0.0.1\nPort {port}\nIdentityFile {home}/id\nIdentitiesOnly yes\n\
         UserKnownHostsFile {home}/known_hosts\nGlobalKnownHostsFile none\nStrictHostKeyChecking yes\n"
    );
    fs::write(client.join("ssh_config"), ssh).expect("a configuration");
}
