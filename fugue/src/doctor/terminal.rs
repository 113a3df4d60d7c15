//! The terminal and the environment that this command runs in.

use std::env;
use std::io::IsTerminal;

use fugue_tui::TerminalAbilities;

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

/// The type of the terminal and what it answers that it can do.
fn terminal() -> Check {
    let term = env::var("TERM").unwrap_or_default();
    if let Some(why) = fugue_tui::terminal_refusal() {
        return Check::problem("terminal", why, "export TERM=xterm-256color");
    }
    let colors = env::var("COLORTERM").unwrap_or_default();
    let is_named = colors == "truecolor" || colors == "24bit";
    let Some(able) = fugue_tui::terminal_abilities() else {
        let colors = if is_named { "true color" } else { "256 colors" };
        return Check::note(
            "terminal",
            format!("{term}, {colors}; it did not answer"),
            "use another terminal emulator",
        );
    };
    let finding = format!("{term}, {}", abilities(able, is_named));
    match able.true_color || is_named {
        true => Check::good("terminal", finding),
        false => {
            let remedy = "if the terminal supports true color: export COLORTERM=truecolor";
            Check::note("terminal", finding, remedy)
        }
    }
}

/// What a terminal can do, in words.
fn abilities(able: TerminalAbilities, is_named: bool) -> String {
    let colors = if able.true_color || is_named { "true color" } else { "256 colors" };
    let images = match (able.kitty_images, able.sixel_images) {
        (true, true) => "images (kitty, sixel)",
        (true, false) => "images (kitty)",
        (false, true) => "images (sixel)",
        (false, false) => "no images",
    };
    format!("{colors}, {images}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_abilities_of_a_terminal_are_told_in_words() {
        let able = TerminalAbilities { true_color: true, kitty_images: true, sixel_images: false };
        assert_eq!(abilities(able, false), "true color, images (kitty)");
        assert_eq!(abilities(TerminalAbilities::default(), false), "256 colors, no images");
        assert_eq!(abilities(TerminalAbilities::default(), true), "true color, no images");
    }
}
