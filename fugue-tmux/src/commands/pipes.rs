//! `pipe-pane`: a shell command that gets what a pane prints.

use fugue_protocol::verbs::EndPipe;

use crate::context::{LineContext, Outcome, pane_choice};
use crate::flags::Flags;
use crate::steps::Step;

/// `pipe-pane`
pub(super) async fn pipe(cx: &mut LineContext, given: &Flags) -> Outcome {
    if given.has('I') && !given.has('O') {
        return Err("fugue pipes only a pane's output: -I is not supported".into());
    }
    let at = cx.pane(given)?;
    let command = match given.operands.first().filter(|command| !command.is_empty()) {
        Some(command) => Some(cx.expand_in_command_with_time(command, at).await?),
        None => None,
    };
    let ended = cx.call(&EndPipe { choice: pane_choice(at) }).await?;
    if let Some(command) = command.filter(|_| !(given.has('o') && ended.was_piped)) {
        cx.act(Step::Pipe { pane: at.pane, command }).await?;
    }
    Ok(String::new())
}
