//! The terminal and the environment that this command runs in.

use std::env;
use std::io::IsTerminal;

use super::check::Check;

pub(super) fn checks() -> Vec<Check> {
    let mut checks = vec![locale()];
    if std::io::stdout().is_terminal() {
        checks.push(terminal());
    }
    if env::var_os("XDG_RUNTIME_DIR").is_none() {
        let finding = "XDG_RUNTIME_DIR is not set; the socket is in /tmp";
        checks.push(Check::note(
            "environment",
            finding,
            "log in through PAM, or set XDG_RUNTIME_DIR to a private directory",
        ));
    }
    checks
}

/// The first of the variables that decide the character encoding.
fn locale() -> Check {
    let set = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set).unwrap_or_default();
    let upper = locale.to_ascii_uppercase();
    if upper.contains("UTF-8") || upper.contains("UTF8") {
        Check::good("locale", locale)
    } else {
        let finding = format!("`{locale}` is not UTF-8; programs in panes may show the wrong characters");
        Check::note("locale", finding, "export LANG=C.UTF-8")
    }
}

fn terminal() -> Check {
    let term = env::var("TERM").unwrap_or_default();
    let colors = env::var("COLORTERM").unwrap_or_default();
    match term.as_str() {
        "" | "dumb" => Check::problem("terminal", format!("TERM is `{term}`"), "export TERM=xterm-256color"),
        _ if colors == "truecolor" || colors == "24bit" => {
            Check::good("terminal", format!("{term}, true color"))
        }
        _ => Check::note(
            "terminal",
            format!("{term}, 256 colors"),
            "if the terminal supports true color: export COLORTERM=truecolor",
        ),
    }
}
