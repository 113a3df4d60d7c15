//! The address to listen on. Only this machine can reach it: whoever gets in types into terminals.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// The port if none is given: fixed, so that a client's configuration stays valid.
pub(crate) const DEFAULT_PORT: u16 = 7433;

/// Reads an address: `IP:PORT`, `localhost:PORT`, an IP address, or a port.
pub(crate) fn parse(text: &str) -> Result<SocketAddr, String> {
    let local = IpAddr::from(Ipv4Addr::LOCALHOST);
    let address = match text.strip_prefix("localhost") {
        Some("") => Some(SocketAddr::new(local, DEFAULT_PORT)),
        Some(rest) => {
            rest.strip_prefix(':').and_then(|port| port.parse().ok()).map(|port| (local, port).into())
        }
        None => (text.parse().ok())
            .or_else(|| text.parse().ok().map(|ip: IpAddr| (ip, DEFAULT_PORT).into()))
            .or_else(|| text.parse().ok().map(|port: u16| (local, port).into())),
    };
    match address {
        Some(address) if address.ip().is_loopback() => Ok(address),
        Some(address) => Err(format!(
            "{} is not a loopback address; to reach fugue from another machine, forward the port with ssh -L",
            address.ip()
        )),
        None => Err("must be an address such as 127.0.0.1:7433, or a port".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_addresses_are_accepted() {
        for (text, expected) in [
            ("127.0.0.1:0", "127.0.0.1:0"),
            ("127.0.0.2", "127.0.0.2:7433"),
            ("localhost", "127.0.0.1:7433"),
            ("localhost:80", "127.0.0.1:80"),
            ("8080", "127.0.0.1:8080"),
            ("[::1]:9", "[::1]:9"),
        ] {
            assert_eq!(parse(text).map(|address| address.to_string()), Ok(expected.to_owned()), "{text}");
        }
        for outside in ["0.0.0.0:1", "192.168.0.1", "[::]:1", "[::ffff:127.0.0.1]:1"] {
            assert!(parse(outside).is_err_and(|why| why.contains("not a loopback address")), "{outside}");
        }
        for wrong in ["", "localhostx", "localhost:x", "example.org:80", "70000", ":80"] {
            assert!(parse(wrong).is_err_and(|why| why.starts_with("must be an address")), "{wrong}");
        }
    }
}
