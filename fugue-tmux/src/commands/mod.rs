//! What tmux's commands do: each is a function that asks for steps.

mod buffers;
mod channels;
mod clients;
pub mod command_table;
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

use crate::context::{LineContext, Outcome};
use crate::flags::Flags;
use crate::reader;

pub use sessions::allowed_name;

/// A command that runs.
type Running<'a> = Pin<Box<dyn Future<Output = Outcome> + 'a>>;

/// Carries out a command.
type CommandFn = for<'a> fn(&'a mut LineContext, &'a Flags) -> Running<'a>;

/// The commands that hide and show panes. They would take a teammate out of its session, so a team ignores them.
const MOVES: [&str; 2] = ["break-pane", "join-pane"];

/// Whether a line is one that can be carried out: its command has a function, and these flags.
pub fn understands(words: &[String]) -> bool {
    let Some((name, rest)) = words.split_first() else { return false };
    command_table::find(name).is_ok_and(|row| !row.is_of_client() && row.parse(rest).is_ok())
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

/// Runs a command, or those that an alias stands for.
fn run<'a>(cx: &'a mut LineContext, words: &'a [String]) -> Running<'a> {
    Box::pin(async move {
        let (name, rest) = words.split_first().ok_or("no command")?;
        let Some(alias) = cx.alias(name) else { return run_command(cx, words).await };
        // As in tmux, an alias of a command's own name does not go around.
        let mut commands = reader::parse(&alias, &|_| None, &|format| Ok(format.to_owned()))?;
        if let Some(last) = commands.last_mut() {
            last.words.extend_from_slice(rest);
        }
        let mut output = String::new();
        for (at, command) in commands.iter().enumerate() {
            if at > 0 {
                cx.refresh().await?;
            }
            output += &run_command(cx, &command.words).await?;
        }
        Ok(output)
    })
}

/// Runs a command by its row, or else in an attached client.
fn run_command<'a>(cx: &'a mut LineContext, words: &'a [String]) -> Running<'a> {
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
        match row.run {
            Some(run) => run(cx, &row.parse(rest)?).await,
            None => clients::run_in_client(cx, &[&[row.name().to_owned()], rest].concat()).await,
        }
    })
}
