//! The program that a command of tmux starts.

use fugue_protocol::verbs::{KeyValue, Program};

use crate::context::LineContext;
use crate::flags::Flags;

/// Returns the program of a command: one operand is a line for the shell, several are a program and its arguments. Its
/// directory (`-c`) may be a format; without one, `here` says that it is the caller's.
pub(super) async fn program(cx: &mut LineContext, given: &Flags, here: bool) -> Result<Program, String> {
    program_in(cx, given, 'c', here).await
}

/// The same for a command with another flag for the directory.
pub(super) async fn program_in(
    cx: &mut LineContext,
    given: &Flags,
    flag: char,
    here: bool,
) -> Result<Program, String> {
    let variable = |entry: &str| {
        let (name, value) = entry.split_once('=').ok_or_else(|| format!("invalid environment: {entry}"))?;
        Ok(KeyValue(name.to_owned(), value.to_owned()))
    };
    let directory = match given.value(flag) {
        Some(format) if format.contains('#') => Some(cx.expand_here(format).await?),
        given => given.map(str::to_owned),
    };
    let directory =
        directory.map(|directory| absolute(cx, &directory)).filter(|directory| !directory.is_empty());
    let own = || cx.setting.directory.as_ref().and_then(|here| here.to_str().map(str::to_owned));
    let mut program = Program {
        cwd: directory.or_else(|| own().filter(|_| here)),
        env: given.values('e').map(variable).collect::<Result<_, String>>()?,
        ..Program::default()
    };
    match given.operands.as_slice() {
        [line] => program.command = Some(line.clone()).filter(|line| !line.is_empty()),
        words => program.argv = words.to_vec(),
    }
    Ok(program)
}

/// A directory relative to the caller's, unless the daemon completes it.
fn absolute(cx: &LineContext, directory: &str) -> String {
    match directory {
        "" => String::new(),
        path if path.starts_with(['/', '~']) => path.to_owned(),
        path => {
            let here = cx.setting.directory.as_ref().map(|here| here.join(path));
            here.map_or_else(|| path.to_owned(), |path| path.to_string_lossy().into_owned())
        }
    }
}
