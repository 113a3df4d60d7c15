//! The names and addresses of other hosts.

/// The longest address, in bytes: a user name, a host name and a port take far less.
const MAX_ADDRESS: usize = 320;

/// The longest name of a host, in bytes.
const MAX_NAME: usize = 64;

/// Whether ssh can be given this destination: `box`, `user@box`, `ssh://user@box:2222`, or a name of its configuration.
pub fn is_host_address(address: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "@.:-_/[]%+".contains(c);
    // ssh would read a leading hyphen as a flag.
    (1..=MAX_ADDRESS).contains(&address.len()) && !address.starts_with('-') && address.chars().all(plain)
}

/// Whether a host can have this name: it precedes a colon or a slash in the names of sessions.
pub fn is_host_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    (1..=MAX_NAME).contains(&name.len()) && !name.starts_with(['-', '.']) && name.chars().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_ssh_would_take_for_a_flag_is_refused() {
        for good in ["box", "ann@box.example", "ssh://ann@box:2222", "[::1]", "fe80::1%eth0"] {
            assert!(is_host_address(good), "{good}");
        }
        for bad in ["", "-oProxyCommand=x", "box; rm", "a b", "box\n", &"a".repeat(321)] {
            assert!(!is_host_address(bad), "{bad}");
        }
    }

    #[test]
    fn a_name_has_no_separators() {
        assert!(is_host_name("gpu-1"));
        for bad in ["", "-x", ".x", "a/b", "a:b", "ann@box", &"a".repeat(65)] {
            assert!(!is_host_name(bad), "{bad}");
        }
    }
}
