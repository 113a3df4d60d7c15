//! Random pieces of tmux's language, which nothing that reads lines may take for more than text.

use fugue_tmux::{format, reader};

/// What commands, blocks, conditions and formats consist of.
const PIECES: [&str; 40] = [
    " ",
    " ",
    " ",
    "\n",
    ";",
    "\\;",
    "'",
    "\"",
    "\\",
    "{",
    "}",
    "{ ",
    " }",
    "#{",
    "#(",
    ")",
    "#",
    "$",
    "${",
    "~",
    "%if ",
    "%elif ",
    "%else\n",
    "%endif\n",
    "A=b",
    "-",
    "--",
    "-t ",
    "bind x ",
    "if-shell ",
    "display-popup ",
    "run-shell ",
    "confirm ",
    "send-keys ",
    "a",
    "?",
    ",",
    ":",
    "E:",
    "é",
];

#[test]
fn no_text_of_commands_makes_the_reader_panic() {
    let mut random = fugue_testkit::Random(1);
    for _ in 0..20_000 {
        let count = 1 + random.below(24);
        let pick = |_| PIECES[usize::try_from(random.below(PIECES.len() as u64)).expect("fits")];
        let text: String = (0..count).map(pick).collect();
        let _ = fugue_tui::check_line(&text);
        let values = |_: &str| Some(text.clone());
        let expanded = format::expand_in_command("#{E:a}#{a}", &values);
        assert!(!expanded.contains(['\'', '"', ';', '$', '\\', '\n', '{', '#']), "{text:?}: {expanded:?}");
        let expand = |format: &str| Ok(format::expand(format, &values));
        let Ok(commands) = reader::parse(&text, &|name| Some(name.to_owned()), &expand) else { continue };
        for words in commands.iter().flat_map(|command| reader::split(&command.words)) {
            assert!(!words.is_empty(), "{text:?}");
            let _ = fugue_tui::tmux_refusal(&words);
        }
    }
}
