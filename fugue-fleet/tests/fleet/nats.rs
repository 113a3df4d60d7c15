//! NATS servers on loopback, with a user for each host.

use std::fs;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use async_nats::ConnectOptions;
use fugue_testkit::{PATIENCE, until_within};
use futures_util::TryStreamExt;
use tempfile::TempDir;

/// The program: from the environment or the path.
fn program() -> PathBuf {
    let named = std::env::var_os("FUGUE_NATS_SERVER").map(PathBuf::from);
    let in_path = || {
        let path = std::env::var_os("PATH")?;
        std::env::split_paths(&path)
            .chain(["/usr/sbin".into()])
            .map(|dir| dir.join("nats-server"))
            .find(|file| file.is_file())
    };
    named.or_else(in_path).expect("these tests need nats-server (Debian: apt-get install nats-server)")
}

/// How much of a server's log a test that fails prints.
const SHOWN_LINES: usize = 60;

/// One server, or a cluster.
pub(crate) struct Nats {
    program: PathBuf,
    directory: TempDir,
    ports: Vec<u16>,
    servers: Vec<Option<Child>>,
}

/// What a host may do: publish under its own name and read its own items. It cannot create streams, since a stream can
/// republish, nor consumers of the bucket, since a consumer delivers to any subject. It can send only to hosts that exist:
/// nobody would take items for others out of the stream.
pub(crate) fn publish_subjects(host: &str, hosts: &[&str]) -> Vec<String> {
    let recipients = hosts.iter().map(|to| format!("fugue.to.{to}.{host}"));
    let others = [
        format!("$JS.API.CONSUMER.CREATE.FUGUE.to-{host}.fugue.to.{host}.*"),
        format!("$JS.API.CONSUMER.DELETE.FUGUE.to-{host}"),
        format!("$JS.API.CONSUMER.INFO.FUGUE.to-{host}"),
        format!("$JS.API.CONSUMER.MSG.NEXT.FUGUE.to-{host}"),
        format!("$JS.ACK.FUGUE.to-{host}.>"),
        format!("$KV.fugue_hosts.{host}"),
        "$KV.fugue_leases.*".into(),
        "$JS.API.STREAM.INFO.KV_fugue_leases".into(),
        "$JS.API.STREAM.MSG.GET.KV_fugue_leases".into(),
        "$JS.API.STREAM.INFO.FUGUE".into(),
        "$JS.API.STREAM.INFO.KV_fugue_hosts".into(),
        "$JS.API.STREAM.MSG.GET.KV_fugue_hosts".into(),
        format!("$KV.fugue_members.{host}"),
        "$JS.API.STREAM.INFO.KV_fugue_members".into(),
        "$JS.API.STREAM.MSG.GET.KV_fugue_members".into(),
    ];
    recipients.chain(others).collect()
}

fn permissions(host: &str, hosts: &[&str]) -> String {
    let publish: Vec<_> =
        publish_subjects(host, hosts).into_iter().map(|subject| format!("\"{subject}\"")).collect();
    let publish = publish.join(", ");
    format!("{{ publish: {{ allow: [{publish}] }}, subscribe: {{ allow: [\"_INBOX_{host}.>\"] }} }}")
}

/// How servers know who connects, and what they prove themselves.
#[derive(Default)]
pub(crate) struct NatsSecurity {
    /// Further lines of the configuration.
    pub(crate) settings: String,
    /// What takes the place of the accounts with a password for each user.
    pub(crate) accounts: Option<String>,
}

/// A user of a host, who is known in this way.
pub(crate) fn user(host: &str, known_by: &str, hosts: &[&str]) -> String {
    format!("{{ {known_by}, permissions: {} }}\n", permissions(host, hosts))
}

/// Users with a password each.
fn accounts(hosts: &[&str]) -> String {
    let known_by = |host: &str| format!("user: {host}, password: secret-of-{host}");
    let users: String = hosts.iter().map(|host| user(host, &known_by(host), hosts)).collect();
    account(&users)
}

/// The account of the fleet, with these users and an administrator.
pub(crate) fn account(users: &str) -> String {
    format!(
        "accounts {{ FLEET {{ jetstream: enabled, users: [\n{{ user: admin, password: secret-of-admin }}\n{users}] }} }}\n"
    )
}

impl Nats {
    /// Starts so many servers, which know these hosts.
    pub(crate) fn start(servers: usize, hosts: &[&str]) -> Self {
        Self::start_with(servers, hosts, &NatsSecurity::default())
    }

    /// The same with other settings of security.
    pub(crate) fn start_with(servers: usize, hosts: &[&str], security: &NatsSecurity) -> Self {
        let program = program();
        let free = || TcpListener::bind("127.0.0.1:0").expect("a free port");
        let listeners: Vec<_> = (0..servers * 2).map(|_| free()).collect();
        let ports: Vec<_> =
            listeners.iter().map(|listener| listener.local_addr().expect("its address").port()).collect();
        drop(listeners);
        let (clients, routes) = ports.split_at(servers);
        let directory = tempfile::Builder::new().prefix("fgn").tempdir().expect("a directory");
        for number in 0..servers {
            let store = directory.path().join(format!("store{number}"));
            let cluster = match servers {
                1 => String::new(),
                _ => {
                    let routes: Vec<_> =
                        routes.iter().map(|port| format!("nats-route://127.0.0.1:{port}")).collect();
                    let own = ports[servers + number];
                    format!(
                        "cluster {{ name: fleet, listen: \"127.0.0.1:{own}\", routes: {routes:?}, no_advertise: true }}\n"
                    )
                }
            };
            let text = format!(
                "server_name: n{number}\nlisten: \"127.0.0.1:{}\"\njetstream {{ store_dir: {store:?} }}\n{cluster}{}{}",
                clients[number],
                security.settings,
                security.accounts.clone().unwrap_or_else(|| accounts(hosts)),
            );
            fs::write(directory.path().join(format!("n{number}.conf")), text).expect("a configuration");
        }
        let mut nats = Self {
            program,
            directory,
            ports: clients.to_vec(),
            servers: (0..servers).map(|_| None).collect(),
        };
        (0..servers).for_each(|number| nats.start_server(number));
        nats
    }

    /// Starts a server that does not run, and waits until it listens.
    pub(crate) fn start_server(&mut self, number: usize) {
        let log = fs::OpenOptions::new().create(true).append(true).open(self.log(number)).expect("a log");
        let child = Command::new(&self.program)
            .arg("-c")
            .arg(self.directory.path().join(format!("n{number}.conf")))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .expect("nats-server runs");
        self.servers[number] = Some(child);
        let listens = || std::net::TcpStream::connect(("127.0.0.1", self.ports[number])).is_ok();
        until_within(PATIENCE, listens, || fs::read_to_string(self.log(number)).unwrap_or_default());
    }

    fn log(&self, number: usize) -> PathBuf {
        self.directory.path().join(format!("n{number}.log"))
    }

    /// Kills a server without warning.
    pub(crate) fn kill_server(&mut self, number: usize) {
        if let Some(mut child) = self.servers[number].take() {
            child.kill().expect("a server to kill");
            child.wait().expect("its end");
        }
    }

    /// Kills a server and deletes everything that it has stored.
    pub(crate) fn lose_server(&mut self, number: usize) {
        self.kill_server(number);
        fs::remove_dir_all(self.directory.path().join(format!("store{number}"))).expect("a store");
    }

    /// What is in the stream, and what its consumers have got.
    async fn stream_state(&self) -> Result<String, async_nats::Error> {
        let options = ConnectOptions::new().user_and_password("admin".into(), "secret-of-admin".into());
        let client = options.connect(self.addresses("admin").remove(0)).await?;
        let stream = async_nats::jetstream::new(client).get_stream("FUGUE").await?;
        let mut text = String::from("in the stream:");
        let mut subjects = stream.info_with_subjects("fugue.to.>").await?;
        while let Some((subject, count)) = subjects.try_next().await? {
            text += &format!(" {subject} {count}");
        }
        let mut consumers = stream.consumers();
        while let Some(consumer) = consumers.try_next().await? {
            let (name, delivered) = (&consumer.name, consumer.delivered.stream_sequence);
            let (pending, unacknowledged) = (consumer.num_pending, consumer.num_ack_pending);
            text += &format!(
                "\n{name}: {pending} pending, {unacknowledged} unacknowledged, delivered up to {delivered}"
            );
        }
        Ok(text)
    }

    /// The processes of the servers.
    pub(crate) fn pids(&self) -> Vec<u32> {
        self.servers.iter().flatten().map(Child::id).collect()
    }

    /// The number of consumers of the stream.
    pub(crate) async fn consumers(&self) -> Result<usize, async_nats::Error> {
        let options = ConnectOptions::new().user_and_password("admin".into(), "secret-of-admin".into());
        let client = options.connect(self.addresses("admin").remove(0)).await?;
        let stream = async_nats::jetstream::new(client).get_stream("FUGUE").await?;
        Ok(stream.cached_info().state.consumer_count)
    }

    /// The number of servers.
    pub(crate) fn len(&self) -> usize {
        self.servers.len()
    }

    /// The ports of the servers.
    pub(crate) fn ports(&self) -> &[u16] {
        &self.ports
    }

    /// The addresses without a user.
    pub(crate) fn plain_addresses(&self) -> Vec<String> {
        self.ports.iter().map(|port| format!("nats://127.0.0.1:{port}")).collect()
    }

    /// The addresses for a user.
    pub(crate) fn addresses(&self, user: &str) -> Vec<String> {
        addresses(user, &self.ports)
    }
}

/// Runs something asynchronous to its end.
pub(crate) fn block<T>(run: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(run)
}

/// The addresses at these ports for a user.
pub(crate) fn addresses(user: &str, ports: &[u16]) -> Vec<String> {
    ports.iter().map(|port| format!("nats://{user}:secret-of-{user}@127.0.0.1:{port}")).collect()
}

impl Drop for Nats {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{}", block(self.stream_state()).unwrap_or_else(|why| why.to_string()));
            for number in 0..self.servers.len() {
                let log = fs::read_to_string(self.log(number)).unwrap_or_default();
                let last: Vec<_> = log.lines().rev().take(SHOWN_LINES).collect();
                let last: Vec<_> = last.into_iter().rev().collect();
                eprintln!("NATS server {number}:\n{}", last.join("\n"));
            }
        }
        (0..self.servers.len()).for_each(|number| self.kill_server(number));
    }
}
