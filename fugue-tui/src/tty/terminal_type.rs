//! The type of the outer terminal, as `TERM` names it. The client writes the sequences that all emulators of today share
//! and reads nothing from terminfo, but a type that nobody knows is a mistake, or a terminal that cannot show panes.

use std::path::{Path, PathBuf};

/// The beginnings of the types whose sequences are the usual ones, for machines without their terminfo entries: many
/// servers and containers lack those of newer terminals.
const USUAL: [&str; 28] = [
    "xterm",
    "tmux",
    "screen",
    "rxvt",
    "linux",
    "vt1",
    "vt2",
    "vt3",
    "vt4",
    "vt5",
    "ansi",
    "alacritty",
    "contour",
    "cygwin",
    "dtterm",
    "eterm",
    "foot",
    "ghostty",
    "gnome",
    "iterm",
    "kitty",
    "konsole",
    "mintty",
    "mlterm",
    "putty",
    "st",
    "vte",
    "wezterm",
];

/// The directories in which terminfo entries usually are.
const DIRECTORIES: [&str; 4] = ["/etc/terminfo", "/lib/terminfo", "/usr/share/terminfo", "/usr/lib/terminfo"];

/// Why a terminal of this type cannot be attached.
pub(crate) fn refusal(term: &str, variable: impl Fn(&str) -> String) -> Option<String> {
    match term {
        "" => Some("TERM is not set".into()),
        "dumb" => Some("A dumb terminal (TERM=dumb) cannot show panes".into()),
        _ if is_usual(term) || is_described(term, &directories(variable)) => None,
        _ => Some(format!("`{term}` (TERM) is not a known terminal type")),
    }
}

fn is_usual(term: &str) -> bool {
    let name = term.to_ascii_lowercase();
    let begins = |usual: &&str| {
        let rest = name.strip_prefix(*usual);
        rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphabetic()))
    };
    USUAL.iter().any(begins)
}

/// The directories of terminfo entries, as ncurses looks for them.
fn directories(variable: impl Fn(&str) -> String) -> Vec<PathBuf> {
    let home = Some(variable("HOME")).filter(|home| !home.is_empty());
    let listed = [variable("TERMINFO"), variable("TERMINFO_DIRS")].join(":");
    let listed = listed.split(':').filter(|path| !path.is_empty()).map(PathBuf::from).collect::<Vec<_>>();
    let own = home.map(|home| Path::new(&home).join(".terminfo"));
    listed.into_iter().chain(own).chain(DIRECTORIES.map(PathBuf::from)).collect()
}

/// Whether one of the directories has an entry of this name: in a directory named by its first letter, or by that
/// letter's code.
fn is_described(term: &str, directories: &[PathBuf]) -> bool {
    let Some(first) = term.chars().next().filter(|_| !term.contains('/')) else { return false };
    let names = [first.to_string(), format!("{:x}", u32::from(first))];
    directories.iter().any(|directory| names.iter().any(|name| directory.join(name).join(term).is_file()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_types_that_nobody_knows_are_refused() {
        let refused = |term: &str| refusal(term, |_| String::new());
        for term in ["xterm", "xterm-kitty", "Eterm-color", "tmux-256color", "vt220", "st-256color", "linux"]
        {
            assert_eq!(refused(term), None, "{term}");
        }
        for (term, why) in [
            ("", "TERM is not set"),
            ("dumb", "A dumb terminal (TERM=dumb) cannot show panes"),
            ("stranger", "`stranger` (TERM) is not a known terminal type"),
            ("../x/xterm", "`../x/xterm` (TERM) is not a known terminal type"),
        ] {
            assert_eq!(refused(term).as_deref(), Some(why));
        }
    }

    #[test]
    fn a_type_is_known_by_its_terminfo_entry() {
        let directory = std::env::temp_dir().join(format!("fugue-terminfo-{}", std::process::id()));
        std::fs::create_dir_all(directory.join("6e")).expect("a directory");
        std::fs::write(directory.join("6e/newterm"), "").expect("a file");
        let variable =
            |name: &str| if name == "TERMINFO" { directory.display().to_string() } else { String::new() };
        assert_eq!(refusal("newterm", variable), None);
        assert!(refusal("newterm", |_| String::new()).is_some());
        std::fs::remove_dir_all(&directory).expect("it is removed");
    }
}
