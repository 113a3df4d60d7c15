//! Commands that run shell commands, and files of tmux commands.

use std::time::Duration;

use fugue_protocol::targets::{TargetKind, TargetPlace};

use super::{Running, run};
use crate::context::{LineContext, Outcome};
use crate::flags::Flags;
use crate::format::{self, expand_without_session, is_true};
use crate::reader::{self, ScriptCommand};
use crate::steps::{ShellStep, Step, StepReply};

/// The longest delay of `run-shell -d`, in seconds: a day.
const LONGEST: f64 = 86_400.0;

/// Reads commands; their conditions are about the current pane. Without one, what is not known is empty. A condition that
/// asks about something is read again when that is known.
async fn parse(cx: &mut LineContext, text: &str) -> Result<Vec<ScriptCommand>, String> {
    let at = cx.find(None, TargetKind::Pane).ok();
    let environment = cx.setting.variables();
    cx.with_formats(|context| {
        let place = context.places().find(|place| at.is_some_and(|at| at.pane == place.pane.pane_id));
        let variable = |name: &str| environment.get(name).cloned();
        let expand = |text: &str| match place {
            Some(place) => Ok(format::expand(text, &place)),
            None => Ok(expand_without_session(text, context.machine, &variable).unwrap_or_default()),
        };
        reader::parse(text, &variable, &expand)
    })
    .await?
}

/// Runs commands that are given as text.
pub(super) fn run_text<'a>(cx: &'a mut LineContext, text: &'a str) -> Running<'a> {
    Box::pin(async move {
        if cx.depth == 0 {
            return Err("commands are nested too deeply".into());
        }
        cx.depth -= 1;
        let output = run_commands(cx, text).await;
        cx.depth += 1;
        output
    })
}

async fn run_commands(cx: &mut LineContext, text: &str) -> Outcome {
    let mut output = Vec::new();
    for command in parse(cx, text).await? {
        for words in reader::split(&command.words) {
            output.push(run(cx, &words).await?);
            cx.refresh().await?;
        }
    }
    Ok(joined(&output))
}

fn joined(output: &[String]) -> String {
    let output = output.iter().filter(|text| !text.is_empty());
    output.map(|text| text.strip_suffix('\n').unwrap_or(text)).collect::<Vec<_>>().join("\n")
}

fn shell(command: String, at: Option<TargetPlace>) -> ShellStep {
    ShellStep { command, about: at.map(|at| at.pane), directory: None, background: false }
}

/// What a format becomes without a place; what is not known is empty.
fn without_session(cx: &LineContext, format: &str) -> String {
    let variable = |name: &str| cx.setting.environment.get(name).cloned();
    expand_without_session(format, &*cx.setting.machine, &variable).unwrap_or_default()
}

/// `if-shell`
pub(super) async fn if_shell(cx: &mut LineContext, given: &Flags) -> Outcome {
    let (condition, then) = (given.operand(0), given.operand(1));
    // The files of a daemon that starts have conditions before there is a session.
    let at = cx.pane(given).ok();
    let truth = match (at, given.has('F')) {
        (Some(at), true) => is_true(&cx.expand(condition, at).await?),
        (None, true) => is_true(&without_session(cx, condition)),
        (at, false) => {
            let command = match at {
                Some(at) => cx.expand_in_command(condition, at).await?,
                None => condition.to_owned(),
            };
            let ended = cx.ask(Step::Shell(shell(command, at))).await?;
            matches!(ended, StepReply::Ended { code: Some(0), .. })
        }
    };
    match if truth { Some(then) } else { given.operands.get(2).map(String::as_str) } {
        Some(text) => run_text(cx, text).await,
        None => Ok(String::new()),
    }
}

/// `run-shell`
pub(super) async fn run_shell(cx: &mut LineContext, given: &Flags) -> Outcome {
    let at = cx.pane(given).ok();
    if let Some(delay) = given.value('d') {
        let delay = delay.parse::<f64>().ok().filter(|delay| (0.0..LONGEST).contains(delay));
        cx.act(Step::Pause(Duration::from_secs_f64(delay.ok_or("invalid delay time")?))).await?;
    }
    let Some(command) = given.operands.first() else { return Ok(String::new()) };
    let command = match at {
        Some(at) => cx.expand_in_command(command, at).await?,
        None => command.clone(),
    };
    if given.has('C') {
        return run_text(cx, &command).await;
    }
    let directory = given.value('c').map(str::to_owned);
    let step = ShellStep { directory, background: given.has('b'), ..shell(command.clone(), at) };
    let StepReply::Ended { code, output, errors } = cx.ask(Step::Shell(step)).await? else {
        return Ok(String::new());
    };
    let text = String::from_utf8_lossy(&output).into_owned() + &String::from_utf8_lossy(&errors);
    if code == Some(0) {
        return Ok(text);
    }
    cx.print(&text).await?;
    Err(format!("'{command}' returned {}", code.unwrap_or(-1)))
}

/// `source-file`
pub(super) async fn source(cx: &mut LineContext, given: &Flags) -> Outcome {
    let mut output = Vec::new();
    for path in &given.operands {
        let path = cx.expand_here(path).await.unwrap_or_else(|_| path.clone());
        let text = match cx.ask(Step::ReadCommands(path.clone())).await {
            Err(_) if given.has('q') => continue,
            Err(why) => return Err(why),
            Ok(StepReply::Text(text)) => text.unwrap_or_default(),
            Ok(_) => continue,
        };
        if given.has('n') {
            parse(cx, &text).await.map_err(|why| format!("{path}: {why}"))?;
        } else {
            output.push(run_file(cx, &path, &text).await?);
        }
    }
    Ok(joined(&output))
}

/// Runs the commands of a file. One that fails does not stop the others; all errors are reported at the end.
async fn run_file(cx: &mut LineContext, path: &str, text: &str) -> Outcome {
    if cx.depth == 0 {
        return Err(format!("{path}: sourced files are nested too deeply"));
    }
    let commands = parse(cx, text).await.map_err(|why| format!("{path}: {why}"))?;
    cx.depth -= 1;
    let outer = cx.skipped;
    cx.skipped = cx.is_person().then_some(0);
    let (mut output, mut errors) = (Vec::new(), Vec::new());
    let mut failed = None;
    for command in commands {
        // As in tmux, the rest of a line is skipped after an error in it.
        if failed == Some(command.line) {
            continue;
        }
        match run(cx, &command.words).await {
            Ok(text) => output.push(text),
            Err(why) => {
                failed = Some(command.line);
                errors.push(format!("{path}:{}: {why}", command.line));
            }
        }
        cx.refresh().await?;
    }
    cx.depth += 1;
    if let Some(skipped) = std::mem::replace(&mut cx.skipped, outer).filter(|skipped| *skipped > 0) {
        output.push(format!(
            "Settings and key bindings were skipped ({skipped}); run `fugue import-tmux {path}` to import them"
        ));
    }
    if errors.is_empty() {
        return Ok(joined(&output));
    }
    cx.print(&joined(&output)).await?;
    Err(errors.join("\n"))
}
