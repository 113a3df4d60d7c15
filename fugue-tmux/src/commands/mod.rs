//! What tmux's commands do: each is a function that asks for steps.

mod buffers;
mod channels;
mod clients;
mod environment;
mod hooks;
mod input;
mod keys;
mod listings;
mod panes;
mod pipes;
mod popups;
mod program;
mod sessions;
mod set_options;
mod shell;
mod show_options;
mod team;
mod window_place;
mod windows;

use std::future::Future;
use std::pin::Pin;

use crate::command_table::{self, CommandRow};
use crate::context::{LineContext, Outcome};
use crate::flags::Flags;
use crate::reader;

pub use sessions::allowed_name;

/// A command that runs.
type Running<'a> = Pin<Box<dyn Future<Output = Outcome> + 'a>>;

/// Carries out a command.
type Run = for<'a> fn(&'a mut LineContext, &'a Flags) -> Running<'a>;

/// The commands that hide and show panes. They would take a teammate out of its session, so a team ignores them.
const MOVES: [&str; 2] = ["break-pane", "join-pane"];

macro_rules! functions {
    ($($name:literal => $run:path,)*) => {
        /// The function of a command; none if only an attached client can carry it out.
        fn function(row: &CommandRow) -> Option<Run> {
            match row.name() {
                $($name => Some(|cx, given| Box::pin($run(cx, given))),)*
                _ => None,
            }
        }
    };
}

functions! {
    "attach-session" => clients::attach,
    "bind-key" => keys::bind,
    "break-pane" => panes::break_out,
    "capture-pane" => input::capture,
    "clear-history" => input::clear_history,
    "delete-buffer" => buffers::delete,
    "detach-client" => clients::detach,
    "display-message" => listings::display,
    "display-popup" => popups::popup,
    "has-session" => sessions::has,
    "if-shell" => shell::if_shell,
    "join-pane" => panes::join,
    "kill-pane" => panes::kill,
    "kill-server" => sessions::kill_server,
    "kill-session" => sessions::kill,
    "kill-window" => windows::kill,
    "last-pane" => panes::last,
    "last-window" => windows::last,
    "list-buffers" => buffers::list,
    "list-clients" => listings::list_clients,
    "list-commands" => listings::list_commands,
    "list-keys" => keys::list_keys,
    "list-panes" => listings::list_panes,
    "list-sessions" => listings::list_sessions,
    "list-windows" => listings::list_windows,
    "load-buffer" => buffers::load,
    "move-pane" => panes::join,
    "move-window" => windows::relocate,
    "new-session" => sessions::new,
    "new-window" => windows::new,
    "next-layout" => windows::next_layout,
    "next-window" => windows::next,
    "paste-buffer" => buffers::paste,
    "pipe-pane" => pipes::pipe,
    "previous-layout" => windows::previous_layout,
    "previous-window" => windows::previous,
    "rename-session" => sessions::rename,
    "rename-window" => windows::rename,
    "resize-pane" => panes::resize,
    "resize-window" => windows::resize,
    "respawn-pane" => panes::respawn,
    "respawn-window" => panes::respawn,
    "rotate-window" => windows::rotate,
    "run-shell" => shell::run_shell,
    "save-buffer" => buffers::save,
    "select-layout" => windows::layout,
    "select-pane" => panes::select,
    "select-window" => windows::select,
    "send-keys" => input::send_keys,
    "set-buffer" => buffers::set,
    "set-environment" => environment::set,
    "set-hook" => hooks::set,
    "set-option" => set_options::set,
    "set-window-option" => set_options::set,
    "show-buffer" => buffers::show,
    "show-environment" => environment::show,
    "show-hooks" => hooks::show,
    "show-options" => show_options::show,
    "show-window-options" => show_options::show,
    "source-file" => shell::source,
    "split-window" => panes::split,
    "start-server" => sessions::start_server,
    "swap-pane" => panes::swap,
    "swap-window" => windows::swap,
    "switch-client" => clients::switch,
    "unbind-key" => keys::unbind,
    "wait-for" => channels::wait_for,
}

/// Whether a line is one that can be carried out: its command has a function, and these flags.
pub fn understands(words: &[String]) -> bool {
    let Some((name, rest)) = words.split_first() else { return false };
    command_table::find(name).is_ok_and(|row| function(row).is_some() && row.parse(rest).is_ok())
}

/// Whether a command has a function.
pub fn is_carried_out(row: &CommandRow) -> bool {
    function(row).is_some()
}

/// The commands of a line, whose words `;` separates. tmux without a command creates a session.
pub fn of_words(words: &[String]) -> Vec<Vec<String>> {
    let commands = reader::split(words);
    if commands.is_empty() { vec![vec!["new-session".to_owned()]] } else { commands }
}

/// Runs the commands of a line, and returns the exit code.
pub(crate) async fn run_line(mut cx: LineContext, words: Vec<String>) -> Result<u8, String> {
    cx.open().await?;
    for (at, words) in of_words(&words).iter().enumerate() {
        if at > 0 {
            cx.refresh().await?;
        }
        let output = run(&mut cx, words).await?;
        cx.print(&output).await?;
    }
    Ok(cx.exit_code)
}

/// Runs the commands of a line that is given as text.
pub(crate) async fn run_text_line(mut cx: LineContext, text: String) -> Result<u8, String> {
    cx.open().await?;
    let output = shell::run_text(&mut cx, &text).await?;
    cx.print(&output).await?;
    Ok(cx.exit_code)
}

/// Runs a command by its row, or else in an attached client.
fn run<'a>(cx: &'a mut LineContext, words: &'a [String]) -> Running<'a> {
    Box::pin(async move {
        let (name, rest) = words.split_first().ok_or("no command")?;
        let row = command_table::find(name)?;
        if cx.setting.leads_team && MOVES.contains(&row.name()) {
            return Ok(String::new());
        }
        // A person's options and bindings are settings of fugue; a file is run for what it does now.
        if let Some(skipped) = cx.skipped.as_mut().filter(|_| set_options::is_setting(row, rest)) {
            *skipped += 1;
            return Ok(String::new());
        }
        match function(row) {
            Some(run) => run(cx, &row.parse(rest)?).await,
            None => clients::run_in_client(cx, &[&[row.name().to_owned()], rest].concat()).await,
        }
    })
}
