//! The reference page of the verbs is what the verbs say. To renew it, run this test with `FUGUE_RENEW=1`.

use std::fmt::Write;
use std::path::PathBuf;

use fugue_protocol::verbs::{Nature, VERBS, VerbInfo};

#[test]
fn the_reference_page_says_what_the_verbs_say() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/reference/verbs.md");
    let page = page();
    if std::env::var_os("FUGUE_RENEW").is_some() {
        std::fs::write(&path, &page).expect("written");
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == page,
        "docs/reference/verbs.md is not what the verbs say: run this test with FUGUE_RENEW=1"
    );
}

fn page() -> String {
    let mut page = String::from(
        "# Verbs\n\nEverything the daemon does, by name: `fugue NAME …` on a command line, the same name in a key binding and on the\n\
         wire, `fugue_name` as a tool. Every command has `--json` and `--server NAME`. This page is generated; to renew it, run\n\
         the test `reference` of the crate `fugue` with `FUGUE_RENEW=1`.\n",
    );
    for info in VERBS {
        verb(&mut page, info);
    }
    page
}

fn verb(page: &mut String, info: &VerbInfo) {
    let (name, command) = (info.name, info.command());
    let about = command.get_long_about().or(command.get_about()).map(ToString::to_string).unwrap_or_default();
    let _ = write!(page, "\n## {name}\n\n{about}\n\n*{}*\n", nature(info));
    let arguments: Vec<_> = command.get_arguments().filter(|argument| argument.get_id() != "help").collect();
    if !arguments.is_empty() {
        page.push_str("\n| argument | |\n|---|---|\n");
    }
    for argument in arguments {
        let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
        let _ = writeln!(page, "| `{}` | {} |", spelled(argument), help.replace('|', "\\|"));
    }
}

fn spelled(argument: &clap::Arg) -> String {
    let value = argument
        .get_value_names()
        .map(|names| names[0].to_string())
        .filter(|_| argument.get_action().takes_values());
    let value = value.map(|value| format!(" {value}")).unwrap_or_default();
    match (argument.get_short(), argument.get_long()) {
        (Some(short), Some(long)) => format!("-{short}, --{long}{value}"),
        (None, Some(long)) => format!("--{long}{value}"),
        _ if argument.is_last_set() => format!("--{value}"),
        _ => value.trim().to_owned(),
    }
}

fn nature(info: &VerbInfo) -> &'static str {
    match info.nature {
        Nature::Reads => "reads only",
        Nature::Changes => "changes something",
        Nature::Ends => "removes something for good",
    }
}
