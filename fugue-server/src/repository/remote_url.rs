//! One spelling for the URLs of a repository: hosts may clone it over https or ssh, with or without a user name.

/// The longest URL: more is hardly a repository.
const MAX_CHARS: usize = 500;

/// Returns `host/path` for a URL or an scp-like address, without credentials, port and `.git`. A path of this host has
/// no such spelling: on other hosts, it means something else.
pub(super) fn normalized(url: &str) -> Option<String> {
    let url = url.trim();
    let (authority, path) = match url.split_once("://") {
        Some(("file", _)) => return None,
        Some((_, rest)) => rest.split_once('/')?,
        None => url.split_once(':').filter(|(host, _)| !host.contains('/'))?,
    };
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = host.split(':').next().unwrap_or_default().to_ascii_lowercase();
    let path = path.trim_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path).trim_end_matches('/');
    let whole = format!("{host}/{path}");
    let is_plain = |c: char| !c.is_control() && !c.is_whitespace();
    let is_usable = !host.is_empty() && !path.is_empty() && whole.chars().all(is_plain);
    (is_usable && whole.chars().count() <= MAX_CHARS).then_some(whole)
}

#[cfg(test)]
mod tests {
    use super::normalized;

    #[test]
    fn all_ways_to_reach_a_repository_have_one_spelling() {
        for url in [
            "https://github.com/ann/app.git\n",
            "https://ann:token@GitHub.com/ann/app",
            "git@github.com:ann/app.git",
            "github.com:/ann/app/",
            "ssh://git@github.com:22/ann/app.git",
            "git://github.com/ann/app/",
        ] {
            assert_eq!(normalized(url).as_deref(), Some("github.com/ann/app"), "{url}");
        }
    }

    #[test]
    fn a_path_of_this_host_means_nothing_on_others() {
        for url in
            ["/srv/app.git", "../app", "file:///srv/app.git", "./a:b", "", "https://", "host:", "a:b c"]
        {
            assert_eq!(normalized(url), None, "{url}");
        }
        assert_eq!(normalized(&format!("host:{}", "x".repeat(500))), None);
    }
}
