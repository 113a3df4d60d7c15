//! Commands that run shell commands, and files of tmux commands.

use std::path::Path;
use std::process::{Command, Stdio};

use fugue_client::format::is_true;
use fugue_protocol::targets::TargetKind;

use super::flags::ShimFlags;
use super::script::ScriptCommand;
use super::shim::{Outcome, Shim, Speaker, print};
use super::{interpreter, script, set_options};
use crate::tmux_settings::expand_without_session;

/// The last line of a shell command's output.
pub(super) fn last_line(command: &str) -> String {
    let output = Command::new("sh").arg("-c").arg(command).stdin(Stdio::null()).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    text.trim_end().lines().last().unwrap_or_default().to_owned()
}

/// Reads commands; their conditions are about the current pane. Without one, what is not known is empty.
fn parse(shim: &mut Shim, text: &str) -> Result<Vec<ScriptCommand>, String> {
    let at = shim.find(None, TargetKind::Pane).ok();
    let expand = |format: &str| match at {
        Some(at) => Ok(shim.expand(format, at)),
        None => Ok(expand_without_session(format).unwrap_or_default()),
    };
    script::parse(text, &|name| std::env::var(name).ok(), &expand)
}

/// Runs commands that are given as text.
fn run_text(shim: &mut Shim, text: &str) -> Outcome {
    if shim.depth == 0 {
        return Err("commands are nested too deeply".into());
    }
    shim.depth -= 1;
    let mut output = Vec::new();
    let result = parse(shim, text).and_then(|commands| {
        for command in commands {
            for words in script::split(&command.words) {
                output.push(interpreter::run(shim, &words)?);
                shim.refresh()?;
            }
        }
        Ok(())
    });
    shim.depth += 1;
    result?;
    Ok(output.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n"))
}

/// `if-shell`
pub(super) fn if_shell(shim: &mut Shim, given: &ShimFlags) -> Outcome {
    let (condition, then) = (given.operand(0), given.operand(1));
    let at = shim.pane(given)?;
    let truth = match given.has('F') {
        true => is_true(&shim.expand(condition, at)),
        false => succeeds(shim.shell(&shim.expand_in_command(condition, at), Some(at))),
    };
    match if truth { Some(then) } else { given.operands.get(2).map(String::as_str) } {
        Some(text) => run_text(shim, text),
        None => Ok(String::new()),
    }
}

fn succeeds(mut shell: Command) -> bool {
    shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    shell.status().is_ok_and(|status| status.success())
}

/// `run-shell`
pub(super) fn run_shell(shim: &mut Shim, given: &ShimFlags) -> Outcome {
    let at = shim.pane(given).ok();
    if let Some(delay) = given.value('d') {
        let delay = delay.parse::<f64>().ok().filter(|delay| (0.0..86_400.0).contains(delay));
        std::thread::sleep(std::time::Duration::from_secs_f64(delay.ok_or("invalid delay time")?));
    }
    let Some(command) = given.operands.first() else { return Ok(String::new()) };
    let command = at.map_or_else(|| command.clone(), |at| shim.expand_in_command(command, at));
    if given.has('C') {
        return run_text(shim, &command);
    }
    let mut shell = shim.shell(&command, at);
    shell.stdin(Stdio::null());
    shell.envs(given.value('c').map(|directory| ("PWD", directory)));
    shell.current_dir(given.value('c').unwrap_or("."));
    if given.has('b') {
        shell.stdout(Stdio::null()).stderr(Stdio::null());
        return shell.spawn().map(|_| String::new()).map_err(|why| why.to_string());
    }
    let output = shell.stderr(Stdio::piped()).output().map_err(|why| why.to_string())?;
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    match output.status.code() {
        Some(0) => Ok(text),
        code => {
            print(&text);
            Err(format!("'{command}' returned {}", code.unwrap_or(-1)))
        }
    }
}

/// `source-file`
pub(super) fn source(shim: &mut Shim, given: &ShimFlags) -> Outcome {
    let mut output = Vec::new();
    for path in &given.operands {
        let path = shim.expand_here(path).unwrap_or_else(|_| path.clone());
        let text = match (path.as_str(), given.has('q')) {
            ("-", _) => std::io::read_to_string(std::io::stdin()).map_err(|why| why.to_string())?,
            (path, quiet) => match script::read_file(Path::new(path)) {
                Ok(text) => text,
                Err(_) if quiet => continue,
                Err(why) => return Err(format!("{path}: {why}")),
            },
        };
        if given.has('n') {
            parse(shim, &text).map_err(|why| format!("{path}: {why}"))?;
        } else {
            output.push(run_file(shim, &path, &text)?);
        }
    }
    Ok(output.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n"))
}

/// Runs the commands of a file. One that fails does not stop the others; all errors are reported at the end.
fn run_file(shim: &mut Shim, path: &str, text: &str) -> Outcome {
    if shim.depth == 0 {
        return Err(format!("{path}: sourced files are nested too deeply"));
    }
    let commands = parse(shim, text).map_err(|why| format!("{path}: {why}"))?;
    shim.depth -= 1;
    let (mut output, mut errors) = (Vec::new(), Vec::new());
    let mut settings = 0;
    for command in commands {
        if shim.speaker == Speaker::Person && set_options::is_setting(&command.words) {
            settings += 1;
            continue;
        }
        match interpreter::run(shim, &command.words) {
            Ok(text) => output.push(text),
            Err(why) => errors.push(format!("{path}:{}: {why}", command.line)),
        }
        shim.refresh()?;
    }
    shim.depth += 1;
    if settings > 0 {
        output.push(format!(
            "Settings and key bindings were skipped ({settings}); run `fugue import-tmux {path}` to import them"
        ));
    }
    let output = output.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n");
    if errors.is_empty() {
        return Ok(output);
    }
    print(&output);
    Err(errors.join("\n"))
}
