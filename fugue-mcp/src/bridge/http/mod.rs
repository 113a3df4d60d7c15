//! MCP over streamable HTTP, for clients that cannot start a process and for several clients at once. rmcp speaks the
//! transport; here are the address, the token, the limits, and the answers to invalid messages.

mod address;
mod connection_table;
mod connections;
mod endpoint;
mod limits;
mod open_requests;
mod responses;
mod sessions;
mod token;

use std::io::Write;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fugue_agents::KnownAgent;
use fugue_client::{DaemonName, Env};
use tokio::net::TcpListener;
use tokio::sync::watch;

use super::Bridge;
use crate::profiles::ToolProfile;
use endpoint::{HttpEndpoint, PATH};
use limits::HttpLimits;
use token::Token;

pub(crate) use address::parse as parse_address;

/// How to serve HTTP.
#[derive(Debug)]
pub(crate) struct HttpOptions {
    /// Where to listen. It is a loopback address.
    pub(crate) address: SocketAddr,
    /// The file with the token; by default one in the state directory.
    pub(crate) token_file: Option<PathBuf>,
}

/// Serves until the process ends.
pub(crate) async fn serve(
    daemon: DaemonName,
    profile: ToolProfile,
    options: HttpOptions,
) -> Result<(), String> {
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
    let mut lines = vec![
        format!("Serving MCP at {url}"),
        format!("Token: {name}"),
        "Header: Authorization: Bearer TOKEN".into(),
    ];
    let commands = KnownAgent::all().iter().filter_map(|agent| agent.setup.http_server);
    lines.extend(commands.map(|command| command.replace("{url}", &url).replace("{header}", &header)));
    // A reader that has gone away has read enough.
    let _ = writeln!(std::io::stdout(), "{}", lines.join("\n"));
}
