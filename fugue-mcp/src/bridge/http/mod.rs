//! MCP over streamable HTTP, for clients that cannot start a process and for several clients at once. rmcp speaks the
//! transport; here are the address, the token, the limits, and the answers to invalid messages.

mod address;
mod connections;
mod endpoint;
mod open_requests;
mod responses;
mod sessions;
mod token;

use std::io::Write;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use fugue_client::{DaemonName, Env};
use tokio::net::TcpListener;
use tokio::sync::watch;

use super::{Bridge, input_lines};
use crate::profiles::Profile;
use endpoint::HttpEndpoint;
use token::Token;

pub(crate) use address::parse as parse_address;

/// The path at which MCP is served.
const PATH: &str = "/mcp";

/// How to serve HTTP.
#[derive(Debug)]
pub(crate) struct HttpOptions {
    /// Where to listen. It is a loopback address.
    pub(crate) address: SocketAddr,
    /// The file with the token; by default one in the state directory.
    pub(crate) token_file: Option<PathBuf>,
}

/// What clients may use of this process. The numbers are documented in `docs/limits.md`.
#[derive(Debug, Clone, Copy)]
struct HttpLimits {
    /// Connections at a time. A request in progress has one of its own, so there are as many as waits.
    connections: usize,
    /// Sessions at a time: many more than the agents of one user. The one unused for longest makes room for a new one.
    sessions: usize,
    /// How long a session is kept that nobody uses: agents wait overnight for their user.
    session_idle: Duration,
    /// How long a connection may be without a request, or take to send its head. Clients reuse connections within this
    /// time, and open another one later.
    head: Duration,
    /// How long a body may take. It comes from the same machine.
    body: Duration,
    /// The size of a body: the same as of a line on standard input.
    body_bytes: usize,
    /// The number of large bodies that are read at a time, so that together they stay below 64 MiB.
    large_bodies: usize,
}

impl Default for HttpLimits {
    fn default() -> Self {
        Self {
            connections: super::wait_policy::MAX_WAITS,
            sessions: 64,
            session_idle: Duration::from_secs(24 * 60 * 60),
            head: Duration::from_secs(60),
            body: Duration::from_secs(30),
            body_bytes: input_lines::MAX_MESSAGE,
            large_bodies: 4,
        }
    }
}

/// Serves until the process ends.
pub(crate) async fn serve(daemon: DaemonName, profile: Profile, options: HttpOptions) -> Result<(), String> {
    let paths = daemon.paths(&Env::own_or_inherited()).map_err(|why| why.to_string())?;
    let (token, source) = Token::load(options.token_file, &paths.state)?;
    let listener =
        TcpListener::bind(options.address).await.map_err(|why| cannot_listen(options.address, &why))?;
    let address = listener.local_addr().map_err(|why| why.to_string())?;
    announce(address, source.as_deref());
    // Nobody ends it: the process serves until it is killed.
    let (_ended, end) = watch::channel(false);
    let bridge = Bridge::new(daemon, profile, false, end);
    let endpoint = HttpEndpoint::new(bridge, token, address, HttpLimits::default());
    connections::accept_all(listener, Arc::new(endpoint)).await;
    Ok(())
}

fn cannot_listen(address: SocketAddr, why: &std::io::Error) -> String {
    format!(
        "Cannot listen on {address}: {why}\nhint: choose another port, such as `fugue mcp --http {}:0`",
        address.ip()
    )
}

/// Says where the server is and how a client gets in, without the token itself: the terminal may be a pane that agents
/// read.
fn announce(address: SocketAddr, token_file: Option<&Path>) {
    let url = format!("http://{address}{PATH}");
    let (name, token) = match token_file.map(Path::display) {
        Some(file) => (file.to_string(), format!("$(cat '{file}')")),
        None => (format!("in {}", token::VARIABLE), format!("${}", token::VARIABLE)),
    };
    let header = format!("--header \"Authorization: Bearer {token}\"");
    let lines = [
        format!("Serving MCP at {url}"),
        format!("Token: {name}"),
        "Header: Authorization: Bearer TOKEN".into(),
        format!("Claude Code: claude mcp add --transport http fugue {url} {header}"),
    ];
    // A reader that has gone away has read enough.
    let _ = writeln!(std::io::stdout(), "{}", lines.join("\n"));
}
