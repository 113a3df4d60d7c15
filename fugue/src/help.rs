//! Everything that helps people: `--help`, `--version`, completions, man pages.

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;

use clap::{Arg, Command, value_parser};
use clap_complete::Shell;
use fugue_client::CallError;
use fugue_protocol::verbs::NAMES;

use crate::cli::{self, ALIASES, Failure};
use crate::{attach, events, hook, messages, project, record};

/// Commands that are not verbs.
pub(crate) const COMMANDS: [&str; 10] =
    ["events", "record", "messages", "hook", "mcp", "completions", "man", "up", "allow", "export-layout"];

/// The whole command line, built when somebody wants to see it.
pub(crate) fn whole() -> Command {
    let about = "The terminal multiplexer that coding agents live in";
    let fugue =
        Command::new("fugue").about(about).version(env!("CARGO_PKG_VERSION")).subcommand_required(true);
    let fugue = cli::with_common(fugue.arg_required_else_help(true).after_help(AFTER));
    let verbs = NAMES.iter().map(|verb| {
        let aliases = ALIASES.iter().filter(|(_, of)| of == verb).map(|(alias, _)| *alias);
        cli::verb_command(verb).visible_aliases(aliases)
    });
    fugue
        .subcommand(attach::command())
        .subcommands(verbs)
        .subcommands(project::commands())
        .subcommand(events::command())
        .subcommand(record::command())
        .subcommand(messages::command())
        .subcommand(hook::command())
        .subcommand(
            Command::new("mcp")
                .about("Serve the Model Context Protocol on standard input and output, for an agent"),
        )
        .subcommand(completions())
        .subcommand(man())
}

const AFTER: &str = "\
A session has windows, a window has panes, a pane runs a program. What is left out is the caller's own: inside a
pane its session, outside the session used last.

  fugue                                          the session used last, or the first one; C-b ? shows the keys
  fugue new -d -s work -- bash                   a session with a shell
  fugue send-input -s work 'make test' --submit  type and press Enter
  fugue wait -s work --match 'passed|failed'     until it shows
  fugue get-output -s work                       read it";

fn completions() -> Command {
    let shell = Arg::new("shell").required(true).value_parser(value_parser!(Shell));
    Command::new("completions").about("Print completions for a shell").arg(shell)
}

fn man() -> Command {
    let folder = Arg::new("folder").required(true).value_parser(value_parser!(PathBuf));
    Command::new("man").about("Write man pages into a folder").arg(folder)
}

/// Runs a command that is not a verb, or says what is wrong with it.
pub(crate) fn run(words: Vec<OsString>) -> Result<(), Failure> {
    let matches = whole().try_get_matches_from(words)?;
    match matches.subcommand() {
        Some(("completions", args)) => {
            if let Some(shell) = args.get_one::<Shell>("shell") {
                let mut text = Vec::new();
                clap_complete::generate(*shell, &mut whole(), "fugue", &mut text);
                let _ = std::io::stdout().write_all(&text);
            }
            Ok(())
        }
        Some(("mcp", args)) => {
            let server = args.get_one::<String>("server");
            let named = server.into_iter().flat_map(|name| ["--server".into(), name.into()]);
            let words: Vec<OsString> = ["fugue".into(), "mcp".into()].into_iter().chain(named).collect();
            fugue_mcp::run(&words);
            Ok(())
        }
        Some(("man", args)) => {
            let folder = args.get_one::<PathBuf>("folder").cloned().unwrap_or_default();
            write_man(&folder).map_err(|why| CallError::Local(format!("{}: {why}", folder.display())).into())
        }
        _ => Ok(()),
    }
}

fn write_man(folder: &std::path::Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    clap_mangen::generate_to(whole(), folder)
}
