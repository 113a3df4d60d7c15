use super::description::described_at;
use super::*;
use crate::context::with_one_command;

/// The widths of terminals at which help is checked.
const WIDTHS: [usize; 3] = [60, 80, 120];

/// A command and its subcommands, with the words that lead to each.
fn with_nested(path: String, command: &Command) -> Vec<(String, Command)> {
    let nested = command.get_subcommands().filter(|nested| nested.get_name() != "help");
    let nested = nested.flat_map(|nested| with_nested(format!("{path} {}", nested.get_name()), nested));
    std::iter::once((path.clone(), command.clone())).chain(nested).collect()
}

/// Every command with its help for a terminal of this width, also those that are internal.
fn helps(width: usize) -> Vec<(HelpGroup, String, String)> {
    let each = |(group, command): (HelpGroup, Command)| {
        let name = command.get_name().to_owned();
        let mut fugue = with_one_command(described_at(command, width)).term_width(width);
        fugue.build();
        let built = fugue.find_subcommand(&name).expect("the command");
        let all = with_nested(format!("fugue {name}"), built);
        all.into_iter().map(move |(path, mut command)| (group, path, command.render_long_help().to_string()))
    };
    grouped_commands().into_iter().flat_map(each).collect()
}

#[test]
fn no_line_of_any_help_is_wider_than_the_terminal() {
    for width in WIDTHS {
        let mut helps: Vec<_> = helps(width).into_iter().map(|(_, path, text)| (path, text)).collect();
        helps.push(("fugue".into(), help_text(width)));
        helps.extend(topics::all(width));
        let wide = |text: &str| text.lines().find(|line| line.chars().count() > width).map(str::to_owned);
        let wide: Vec<_> =
            helps.iter().filter_map(|(path, text)| Some(format!("{path}: {}", wide(text)?))).collect();
        assert!(wide.is_empty(), "{width} columns:\n{}", wide.join("\n"));
    }
}

#[test]
fn every_command_that_people_use_has_an_example() {
    let bare: Vec<_> = helps(80)
        .into_iter()
        .filter(|(group, _, text)| *group != HelpGroup::Internal && !text.contains("\nExamples:\n"))
        .map(|(_, path, _)| path)
        .collect();
    assert!(bare.is_empty(), "without an example: {}", bare.join(", "));
}

#[test]
fn every_example_is_understood() {
    let line = |line: &str| {
        let words = shell_words(&line.replace("\\\n", " "));
        command_line().try_get_matches_from(words).err().map(|error| format!("{line}: {error}"))
    };
    let own = OWN_COMMANDS.iter().flat_map(|own| own.examples);
    let all = own.chain(VERBS.iter().flat_map(|verb| verb.properties.examples));
    let wrong: Vec<_> = all.filter_map(|(_, example)| line(example)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The words of a command line, as a shell reads them, up to a pipe or a redirection.
fn shell_words(line: &str) -> Vec<String> {
    let out = std::process::Command::new("sh")
        .args(["-c", &format!("show() {{ printf '%s\\0' \"$@\"; }}; show {}", without_pipe(line))])
        .output();
    let out = out.expect("a shell").stdout;
    String::from_utf8_lossy(&out).split_terminator('\0').map(str::to_owned).collect()
}

fn without_pipe(line: &str) -> &str {
    let end = [" > ", " >> ", " | "].iter().filter_map(|mark| line.find(mark)).min();
    &line[..end.unwrap_or(line.len())]
}

#[test]
fn every_alias_is_documented() {
    let helps = helps(80);
    for (_, command) in grouped_commands() {
        for (path, command) in with_nested(format!("fugue {}", command.get_name()), &command) {
            let (_, _, help) = helps.iter().find(|(_, of, _)| *of == path).expect("its help");
            let shown: Vec<_> = help.lines().filter_map(|line| line.strip_prefix("Aliases: ")).collect();
            for alias in command.get_all_aliases() {
                let is_shown = shown.iter().any(|all| all.split(", ").any(|of| of == alias));
                assert!(is_shown, "{alias} is not in the help of {path}");
            }
        }
    }
}

#[test]
fn no_help_names_an_argument_of_a_tool() {
    let is_argument =
        |word: &str| word.len() > 2 && word.starts_with('`') && word.ends_with('`') && word.contains('_');
    for (_, path, text) in helps(120) {
        let text = text.replace("\n ", " ");
        let words = text.split_whitespace().map(|word| word.trim_end_matches(['.', ',', ';', ':', ')']));
        let named: Vec<_> = words.filter(|word| is_argument(word)).collect();
        assert!(named.is_empty(), "{path}: {}", named.join(" "));
        assert!(!text.contains("caller"), "{path} speaks of a caller");
    }
}

#[test]
fn the_options_of_a_command_precede_those_of_all_commands() {
    for (_, path, text) in helps(80) {
        let common = text.find("\nCommon options:\n").unwrap_or_else(|| panic!("{path}: {text}"));
        let last = ["Options:", "Arguments:", "Commands:"]
            .iter()
            .filter_map(|heading| text.find(&format!("\n{heading}\n")))
            .max();
        assert!(last.is_none_or(|last| last < common), "{path}");
        assert!(text[common..].contains("--server"), "{path}");
    }
}

#[test]
fn the_help_lists_every_command_that_people_use_once() {
    let text = help_text(80);
    for (group, command) in grouped_commands() {
        let listed = text.lines().filter(|line| line.starts_with(&format!("  {} ", command.get_name())));
        assert_eq!(listed.count(), usize::from(group != HelpGroup::Internal), "{}", command.get_name());
        assert!(command.get_about().is_some(), "{}", command.get_name());
    }
}

#[test]
fn the_command_line_is_well_formed() {
    command_line().debug_assert();
}
