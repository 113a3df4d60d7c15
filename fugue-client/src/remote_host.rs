//! A host that is reached over ssh.

use crate::call_error::CallError;

/// The longest address, in bytes: a user name, a host name and a port take far less.
const MAX_ADDRESS: usize = 320;

/// A daemon on another host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteHost {
    /// The destination as ssh takes it: `box`, `user@box`, `ssh://user@box:2222`, or a name of the ssh configuration.
    pub address: String,
    /// The name of the daemon there; none for `default`.
    pub(crate) server: Option<String>,
}

impl RemoteHost {
    pub(crate) fn new(address: &str, server: Option<&str>) -> Result<Self, CallError> {
        let plain = |c: char| c.is_alphanumeric() || "@.:-_/[]%+".contains(c);
        // ssh would read a leading hyphen as a flag.
        if address.is_empty()
            || address.starts_with('-')
            || address.len() > MAX_ADDRESS
            || !address.chars().all(plain)
        {
            let hint = "name it as for ssh, such as box, user@box or ssh://user@box:2222";
            return Err(CallError::Local(format!("Invalid host: {address}\nhint: {hint}")));
        }
        Ok(Self { address: address.to_owned(), server: server.map(str::to_owned) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_ssh_would_take_for_a_flag_is_refused() {
        for good in ["box", "ann@box.example", "ssh://ann@box:2222", "[::1]", "fe80::1%eth0"] {
            assert!(RemoteHost::new(good, None).is_ok(), "{good}");
        }
        for bad in ["", "-oProxyCommand=x", "box; rm", "a b", "box\n", &"a".repeat(321)] {
            assert!(RemoteHost::new(bad, None).is_err(), "{bad}");
        }
    }
}
