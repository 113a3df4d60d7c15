//! The metrics over HTTP: one page, for a collector on this host.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

use fugue_client::CallError;

/// The port unless another one is given, beside that of `fugue mcp --http`.
const PORT: u16 = 7434;

/// How long a client may take to send its request, and to read the reply. Clients are served one after the other.
const PATIENCE: Duration = Duration::from_secs(2);

/// The largest head of a request.
const HEAD: usize = 8 << 10;

/// The type of the format.
const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Reads an address: a port, an IP address, or both.
pub(super) fn parse_address(text: &str) -> Result<SocketAddr, String> {
    let loopback = |port| SocketAddr::from(([127, 0, 0, 1], port));
    let port = text.parse::<u16>().map(loopback).ok();
    let ip = || text.parse().ok().map(|ip| SocketAddr::new(ip, PORT));
    port.or_else(ip).or_else(|| text.parse().ok()).ok_or_else(|| "use a port, an IP address, or both".into())
}

/// The address unless another one is given.
pub(super) fn default_address() -> String {
    format!("127.0.0.1:{PORT}")
}

/// Serves the page that `page` makes until the process ends.
pub(super) fn serve(address: SocketAddr, page: impl Fn() -> String) -> Result<(), CallError> {
    let cannot = |why: io::Error| {
        let hint = "hint: choose another port: `fugue metrics --http PORT`";
        CallError::Local(format!("Cannot listen on {address}: {why}\n{hint}"))
    };
    let listener = TcpListener::bind(address).map_err(cannot)?;
    let address = listener.local_addr().map_err(cannot)?;
    let _ = writeln!(io::stdout(), "Serving metrics at http://{address}/metrics");
    let _ = io::stdout().flush();
    for client in listener.incoming() {
        match client {
            // A client that goes away gets nothing.
            Ok(client) => drop(answer(client, &page)),
            // Out of descriptors, for now.
            Err(_) => std::thread::sleep(Duration::from_millis(100)),
        }
    }
    Ok(())
}

fn answer(mut client: TcpStream, page: impl Fn() -> String) -> io::Result<()> {
    client.set_write_timeout(Some(PATIENCE))?;
    let head = read_head(&mut client)?;
    let mut words = head.split_ascii_whitespace();
    let (status, body) = match (words.next(), words.next().map(without_query)) {
        (Some("GET" | "HEAD"), Some("/metrics")) => ("200 OK", page()),
        (Some("GET" | "HEAD"), Some(_)) => ("404 Not Found", "The metrics are at /metrics\n".into()),
        (Some(_), _) => ("405 Method Not Allowed", "Use GET\n".into()),
        (None, _) => ("400 Bad Request", "Not a request\n".into()),
    };
    let content_type = if status == "200 OK" { CONTENT_TYPE } else { "text/plain; charset=utf-8" };
    let length = body.len();
    let body = if head.starts_with("HEAD ") { "" } else { &body };
    write!(
        client,
        "HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
}

fn without_query(path: &str) -> &str {
    path.split('?').next().unwrap_or_default()
}

/// Reads up to the end of the head. One that is too long or comes too slowly is an error.
fn read_head(client: &mut TcpStream) -> io::Result<String> {
    let (until, mut head) = (Instant::now() + PATIENCE, Vec::new());
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() || head.len() >= HEAD {
            return Err(io::ErrorKind::InvalidData.into());
        }
        client.set_read_timeout(Some(left))?;
        let mut buffer = [0; 1024];
        match client.read(&mut buffer)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            count => head.extend_from_slice(&buffer[..count]),
        }
    }
    Ok(String::from_utf8_lossy(&head).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_that_never_ends_is_refused() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let mut client = TcpStream::connect(listener.local_addr().expect("an address")).expect("connected");
        let (mut served, _) = listener.accept().expect("a client");
        client.write_all(&vec![b'x'; HEAD]).expect("sent");
        assert!(read_head(&mut served).is_err());
    }

    #[test]
    fn an_address_is_a_port_or_an_ip_address_or_both() {
        for (text, address) in [("80", "127.0.0.1:80"), ("::1", "[::1]:7434"), ("10.0.0.1:9", "10.0.0.1:9")] {
            assert_eq!(parse_address(text), Ok(address.parse().expect("an address")));
        }
        assert!(parse_address("example.org").is_err());
    }
}
