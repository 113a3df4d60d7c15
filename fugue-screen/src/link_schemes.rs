//! The addresses that may leave fugue as links (OSC 8). A program chooses the address and the text that hides it, and a
//! click hands it to whatever opens its scheme on the person's machine.

/// The schemes that are always allowed: they open a browser or a draft. `file` is not among them, because the path is
/// on the daemon's machine and the click is on another one as soon as ssh is involved, and because some desktops run
/// what they open.
pub const LINK_SCHEMES: [&str; 3] = ["http", "https", "mailto"];

/// Schemes that carry a program in the address itself, so that no setting allows them.
const NEVER: [&str; 3] = ["javascript", "vbscript", "data"];

/// The schemes whose links are shown: [`LINK_SCHEMES`], and those that a person added.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LinkSchemes {
    added: Vec<String>,
}

impl LinkSchemes {
    /// Adds a scheme. The error completes the sentence "the scheme …".
    pub fn add(&mut self, scheme: &str) -> Result<(), String> {
        let scheme = scheme.to_ascii_lowercase();
        if !is_scheme(&scheme) {
            return Err(format!("`{scheme}` is not the name of a scheme"));
        }
        if NEVER.contains(&scheme.as_str()) {
            return Err(format!("`{scheme}` is never allowed, because its links can run code"));
        }
        self.added.push(scheme);
        Ok(())
    }

    /// The schemes that a person added.
    pub fn added(&self) -> &[String] {
        &self.added
    }

    /// Whether a link to this address is shown as a link.
    pub fn allows(&self, address: &str) -> bool {
        let Some((scheme, rest)) = address.split_once(':') else { return false };
        let known = LINK_SCHEMES.into_iter().chain(self.added.iter().map(String::as_str));
        // A host that begins with a dash is an option to a program that is given the address, such as ssh.
        let host = rest.trim_start_matches('/');
        known.into_iter().any(|known| known.eq_ignore_ascii_case(scheme))
            && !host.starts_with('-')
            && address.bytes().all(|byte| (0x20..0x7f).contains(&byte))
    }
}

fn is_scheme(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|first| first.is_ascii_alphabetic())
        && chars.all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_web_and_mail_addresses_are_links() {
        let schemes = LinkSchemes::default();
        for address in ["http://a.b/c", "https://a.b", "HTTPS://A.B", "mailto:a@b.c"] {
            assert!(schemes.allows(address), "{address}");
        }
        let refused = [
            "javascript:alert(1)",
            "JavaScript:alert(1)",
            "file:///etc/passwd",
            "ssh://-oProxyCommand=touch%20x/",
            "data:text/html,x",
            "vscode://file/x",
            "https",
            "",
            "https://-oProxyCommand=x/",
            "https://a\u{9b}b",
            "https://a\nb",
            "https://a\u{202e}b",
        ];
        for address in refused {
            assert!(!schemes.allows(address), "{address}");
        }
    }

    #[test]
    fn a_person_can_add_schemes_but_none_that_carries_a_program() {
        let mut schemes = LinkSchemes::default();
        assert_eq!(schemes.add("SSH"), Ok(()));
        assert!(schemes.allows("ssh://host/") && !schemes.allows("ssh://-oProxyCommand=x/"));
        assert!(schemes.add("javascript").is_err() && schemes.add("Data").is_err());
        assert!(schemes.add("file://").is_err() && schemes.add("").is_err());
        assert_eq!(schemes.added(), ["ssh"]);
    }
}
