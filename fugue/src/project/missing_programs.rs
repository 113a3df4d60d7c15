//! Programs of a project that the daemon cannot start, because they are missing or not executable: a shell starts them
//! instead, so that their pane stays with the shell's message and exit code, as that of a command line does.

use fugue_client::CallError;
use fugue_protocol::Launch;
use fugue_protocol::escape::quoted;
use fugue_protocol::verbs::LayoutPart;
use fugue_protocol::views::PaneView;

/// The shell that executes a program with its arguments, which follow.
const STARTER: [&str; 4] = ["/bin/sh", "-c", "exec \"$@\"", "sh"];

/// Lets a shell start the program that the daemon could not start. Returns whether there is one that no shell starts yet.
pub(super) fn start_by_shell(layout: &mut LayoutPart, error: &CallError) -> bool {
    let CallError::Refused(refused) = error else { return false };
    let command = refused.detail.get("command").and_then(|command| command.as_str());
    command.is_some_and(|command| refused.code == "cannot_start" && wrap(layout, command))
}

/// Wraps each program that a refusal shows like this; returns whether there is one.
fn wrap(part: &mut LayoutPart, command: &str) -> bool {
    let is_direct = !part.argv.is_empty() && requested(&part.argv).len() == part.argv.len();
    let is_meant = is_direct && quoted(&label(&part.argv)) == command;
    if is_meant {
        part.argv = STARTER.map(str::to_owned).into_iter().chain(part.argv.drain(..)).collect();
    }
    part.children.iter_mut().fold(is_meant, |found, child| wrap(child, command) || found)
}

/// The program and arguments in the project's file, if a shell starts them instead.
pub(super) fn requested(argv: &[String]) -> &[String] {
    argv.strip_prefix(&STARTER.map(str::to_owned)).unwrap_or(argv)
}

/// The command of a pane as in the project's file.
pub(super) fn command(pane: &PaneView) -> String {
    if pane.argv.is_empty() { pane.command.clone() } else { label(requested(&pane.argv)) }
}

fn label(argv: &[String]) -> String {
    Launch { argv: argv.to_vec(), ..Launch::default() }.label()
}
