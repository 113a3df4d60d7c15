//! Turns the program of a request into a child to start, after checking it.

use std::collections::BTreeMap;

use fugue_protocol::Launch;
use fugue_protocol::limits;
use fugue_protocol::names::{begins_as_target, invisible_character};
use fugue_protocol::refusal::{ArgumentProblem, Quota};
use fugue_protocol::verbs::{KeyValue, Program};
use fugue_protocol::views::OnExit;
use fugue_protocol::{Event, IdempotencyKey, PaneId, Refusal, RunId, Size, WindowId, WindowName};

use crate::effect::{ChildSpec, TmuxNumbers};
use crate::request_context::RequestContext;
use crate::world::{Session, World};

/// Checks a program and returns its launch.
pub(super) fn launch(program: &Program) -> Result<Launch, Refusal> {
    check_words(program)?;
    Ok(Launch {
        command: program.command.clone(),
        argv: program.argv.clone(),
        cwd: program.cwd.clone(),
        environment: environment(&program.env)?,
    })
}

fn check_words(program: &Program) -> Result<(), Refusal> {
    let invalid = |what, why| Err(Refusal::argument(what, why));
    let words = || program.argv.iter().chain(&program.command).chain(&program.cwd);
    let has_nul = |word: &String| word.contains('\0');
    match program {
        Program { command: Some(_), argv, .. } if !argv.is_empty() => {
            invalid("command", ArgumentProblem::CommandAndArgv)
        }
        Program { command: Some(line), .. } if line.trim().is_empty() => {
            invalid("command", ArgumentProblem::EmptyCommand)
        }
        Program { argv, .. } if argv.first().is_some_and(String::is_empty) => {
            invalid("argv", ArgumentProblem::EmptyProgramName)
        }
        Program { cwd: Some(cwd), .. } if cwd.is_empty() => invalid("cwd", ArgumentProblem::EmptyDirectory),
        Program { cwd: Some(cwd), .. } if has_nul(cwd) => invalid("cwd", ArgumentProblem::NulCharacter),
        Program { command: Some(line), .. } if has_nul(line) => {
            invalid("command", ArgumentProblem::NulCharacter)
        }
        Program { argv, .. } if argv.iter().any(has_nul) => invalid("argv", ArgumentProblem::NulCharacter),
        _ if words().map(String::len).sum::<usize>() > limits::COMMAND_BYTES => {
            Err(Refusal::TooMany { what: Quota::CommandBytes, limit: limits::COMMAND_BYTES })
        }
        _ => Ok(()),
    }
}

/// Checks variables and returns them as they are stored.
pub(super) fn environment(entries: &[KeyValue]) -> Result<BTreeMap<String, String>, Refusal> {
    if entries.len() > limits::ENTRIES {
        return Err(Refusal::TooMany { what: Quota::Variables, limit: limits::ENTRIES });
    }
    for KeyValue(name, value) in entries {
        check_variable(name, value)?;
    }
    Ok(entries.iter().map(|KeyValue(name, value)| (name.clone(), value.clone())).collect())
}

/// Checks that an environment can hold a variable.
pub(super) fn check_variable(name: &str, value: &str) -> Result<(), Refusal> {
    let invalid = |why| Err(Refusal::argument("env", why));
    match name {
        "" => invalid(ArgumentProblem::EmptyVariableName),
        _ if name.contains(['=', '\0']) || value.contains('\0') => {
            invalid(ArgumentProblem::InvalidVariable { name: name.to_owned() })
        }
        _ if name.len() + value.len() > limits::VALUE_BYTES => {
            Err(Refusal::TooMany { what: Quota::VariableBytes, limit: limits::VALUE_BYTES })
        }
        _ => Ok(()),
    }
}

/// The place of a new child in the tree.
pub(super) struct ChildPlace<'a> {
    pub(super) pane: PaneId,
    pub(super) window: WindowId,
    pub(super) session: &'a Session,
    pub(super) size: Size,
    pub(super) comes_from: Option<PaneId>,
    pub(super) world: &'a World,
}

impl ChildPlace<'_> {
    /// The variables of all sessions, and those of this one, which take precedence.
    fn environment(&self) -> BTreeMap<String, String> {
        self.world.environment.clone().into_iter().chain(self.session.environment.clone()).collect()
    }

    /// The child to start there.
    pub(super) fn child(&self, run: RunId, launch: &Launch) -> ChildSpec {
        ChildSpec {
            pane: self.pane,
            numbers: TmuxNumbers::default(),
            run,
            window: self.window,
            session: self.session.id,
            session_name: self.session.name.clone(),
            launch: launch.clone(),
            environment: self.environment(),
            comes_from: self.comes_from,
            size: self.size,
            worktree: None,
            reuses_worktree: false,
            setup: None,
            agent: None,
            confined_by: Default::default(),
            restored: None,
        }
    }
}

/// The event that a call with a key started the program of a pane; none without a key.
pub(super) fn started(
    key: Option<&IdempotencyKey>,
    pane: PaneId,
    number: usize,
    context: &RequestContext,
) -> Option<Event> {
    let key = context.caller.own_key(key?);
    Some(Event::RunStarted { pane, key, number, started_at: context.now })
}

/// The launch with the directory that the program was actually started in.
pub(super) fn settled(launch: Launch, pane: PaneId, context: &RequestContext) -> Launch {
    Launch { cwd: Some(context.child(pane).cwd).filter(|cwd| !cwd.is_empty()).or(launch.cwd), ..launch }
}

/// What happens to a new pane when its program exits. Unless asked to close it, an agent's pane is kept if the program
/// failed: the agent reads its last words later, and would find nothing.
pub(super) fn on_exit(wanted: Option<OnExit>, world: &World, context: &RequestContext) -> OnExit {
    let usual = match context.settings.on_exit {
        OnExit::Close if world.is_agent(context) => OnExit::KeepFailed,
        usual => usual,
    };
    wanted.unwrap_or(usual)
}

/// The default name of a window: its program.
pub(super) fn window_name(pane: PaneId, context: &RequestContext) -> WindowName {
    let program = context.child(pane).program;
    let named = nameable(&program).parse().or_else(|_| "window".parse());
    named.unwrap_or_else(|_| unreachable!("`window` is a name"))
}

/// The short name of the program that a launch names; none for the user's shell.
pub(super) fn program_name(launch: &Launch) -> Option<WindowName> {
    let line = launch.command.as_deref().and_then(|line| line.split_whitespace().next());
    let word = line.or_else(|| launch.argv.first().map(String::as_str))?;
    nameable(word.rsplit('/').next()?).parse().ok()
}

/// The part of a program's name that can be the name of a window.
fn nameable(program: &str) -> String {
    let visible: String =
        program.chars().filter(|c| invisible_character(c.encode_utf8(&mut [0; 4])).is_none()).collect();
    visible.trim_start_matches(|c: char| begins_as_target(c.encode_utf8(&mut [0; 4]))).to_owned()
}

/// Refuses when the daemon has no room for another pane.
pub(super) fn room_for_a_pane(world: &World) -> Result<(), Refusal> {
    if world.panes.len() >= limits::PANES {
        return Err(Refusal::TooMany { what: Quota::Panes, limit: limits::PANES });
    }
    Ok(())
}
