//! Output, runs, waits and screenshots for people.

use base64::prelude::{BASE64_STANDARD, Engine};

use super::{ForModel, ForPeople, PrintContext, PrintedReply, Remark, Verdict, name_of, row};
use crate::agents::AgentState;
use crate::escape::escape;
use crate::text_tail::amount;
use crate::verbs::{Arguments, Format, Until, Wait};
use crate::views::{
    CommandView, DroppedOutput, ExitStatus, InputSent, PaneOutput, ParallelOutcome, ParallelRun,
    ParallelRuns, Picture, RunOutcome, RunResult, WaitOutcome, WaitResult, WaitedPane,
};

impl ForPeople for PaneOutput {
    fn for_people(&self, _: &PrintContext) -> PrintedReply {
        PrintedReply::Verbatim(self.text.clone())
    }

    fn remarks(&self) -> Vec<Remark> {
        let note = self.note.iter().map(|note| Remark { text: note.clone(), people_only: false });
        let command = self.command.iter().map(|run| Remark { text: command(run), people_only: true });
        let start = self.start.as_deref().unwrap_or("0:0");
        let cut = not_shown(self.lines_missing, self.bytes_missing, &format!("--before {start} shows it"));
        note.chain(command).chain(cut).chain(no_longer_kept(self.dropped.as_ref())).collect()
    }
}

/// A remark on output that is not shown, and how to read it.
fn not_shown(lines: u64, bytes: u64, how: &str) -> Option<Remark> {
    let text = || format!("{} before this not shown ({how})", amount(lines, bytes));
    (lines + bytes > 0).then(|| Remark { text: text(), people_only: false })
}

/// A remark on output that is no longer kept.
fn no_longer_kept(dropped: Option<&DroppedOutput>) -> Option<Remark> {
    dropped.map(|dropped| Remark { text: dropped.to_string(), people_only: false })
}

/// Which command wrote the output, how it ended, and how long it took.
fn command(command: &CommandView) -> String {
    let end = match (command.running, command.exit_code) {
        (true, _) => "is still running".into(),
        (false, Some(code)) => format!("exited with code {code}"),
        (false, None) => "ended".into(),
    };
    let duration = command.duration_ms.map(|ms| format!(" after {:.1} s", ms as f64 / 1000.0));
    let line = match escape(&command.line).as_ref() {
        "" => "the last command".into(),
        line => format!("`{line}`"),
    };
    format!("{line} {end}{}", duration.unwrap_or_default())
}

impl ForPeople for RunResult {
    fn for_people(&self, _: &PrintContext) -> PrintedReply {
        PrintedReply::Verbatim(self.output.clone())
    }

    fn remarks(&self) -> Vec<Remark> {
        let (pane, start) = (self.pane_id, &self.start);
        let how = match self.pane_closed {
            true => "-n shows more lines".into(),
            false => format!("`fugue get-output -t {pane} --before {start}` shows it"),
        };
        let closed = match (self.outcome, self.pane_closed) {
            (RunOutcome::Exited, true) => Some(format!("the shell exited, so pane {pane} was closed")),
            (RunOutcome::Exited, false) => Some(format!("the shell in pane {pane} exited")),
            _ => None,
        };
        let closed = closed.map(|text| Remark { text, people_only: false });
        let cut = not_shown(self.lines_missing, self.bytes_missing, &how);
        cut.into_iter().chain(no_longer_kept(self.dropped.as_ref())).chain(closed).collect()
    }

    /// The command's exit code is passed on, a signal's as shells do.
    fn verdict(&self, _: &Arguments) -> Verdict {
        let reason = match (self.exit_code, self.signal) {
            (Some(0), _) => return Verdict::Success,
            (Some(code), _) => format!("exit code {code}"),
            (None, Some(signal)) => format!("signal {signal}"),
            (None, None) => format!("{} in pane {}", name_of(self.outcome).replace('_', " "), self.pane_id),
        };
        let code = self.exit_code.or(self.signal.map(|signal| signal.saturating_add(128)));
        let exit_code = code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1);
        Verdict::Failure { exit_code, reason: Some(reason) }
    }
}

impl ForPeople for ParallelRuns {
    fn for_people(&self, _: &PrintContext) -> PrintedReply {
        PrintedReply::Text(self.runs.iter().map(parallel_run).collect())
    }

    fn verdict(&self, _: &Arguments) -> Verdict {
        Verdict::of(self.succeeded)
    }
}

fn parallel_run(run: &ParallelRun) -> String {
    let end = match (run.outcome, run.exit) {
        (ParallelOutcome::Timeout, _) => "timeout".into(),
        (_, Some(exit)) => exit.to_string(),
        (_, None) => "closed".into(),
    };
    let cut = match (run.lines_missing, run.bytes_missing) {
        (0, 0) => String::new(),
        (lines, bytes) => format!("; {} before this not shown", amount(lines, bytes)),
    };
    let dropped = run.dropped.as_ref().map(|dropped| format!("; {dropped}")).unwrap_or_default();
    format!("{}{}\n", row(&format!("== {} ({end}{cut}{dropped})", run.command)), run.output.trim_end())
}

impl ForModel for InputSent {}
impl ForPeople for InputSent {
    /// The outcome of a text that was submitted to an agent. Otherwise, like other commands that succeed, typing is silent.
    fn for_people(&self, _: &PrintContext) -> PrintedReply {
        PrintedReply::Text(self.sentence().map_or_else(String::new, |sentence| format!("{sentence}\n")))
    }
}

impl ForModel for WaitResult {}
impl ForPeople for WaitResult {
    fn for_people(&self, _: &PrintContext) -> PrintedReply {
        let Self { pane_id, outcome, exit, matched, agent, panes, .. } = self;
        let one = waited(*outcome, *exit, matched.as_ref(), *agent);
        let each = panes.iter().map(|pane| {
            let WaitedPane { pane_id, outcome, exit, matched, agent, .. } = pane;
            row(&format!("{pane_id}: {}", waited(*outcome, *exit, matched.as_ref(), *agent)))
        });
        PrintedReply::Text(match (panes.is_empty(), agent) {
            (false, _) => each.collect(),
            (true, Some(_)) => format!("{one} (pane {pane_id})\n"),
            (true, None) => format!("{one}\n"),
        })
    }

    fn remarks(&self) -> Vec<Remark> {
        let each = self.panes.iter().filter_map(|pane| Some((pane.pane_id, pane.dropped.as_ref()?)));
        let each =
            each.map(|(pane, dropped)| Remark { text: format!("{pane}: {dropped}"), people_only: false });
        let single = no_longer_kept(self.dropped.as_ref()).filter(|_| self.panes.is_empty());
        let note = self.note.as_ref().map(|note| Remark { text: note.clone(), people_only: true });
        single.into_iter().chain(note).chain(each).collect()
    }

    fn verdict(&self, arguments: &Arguments) -> Verdict {
        let wait: Wait = serde_json::from_value(arguments.clone().into()).unwrap_or_default();
        let until = until(&wait);
        let all = !wait.all || self.panes.iter().all(|pane| came_about(until, pane.outcome));
        let event = wait.events.iter().any(|event| event.outcome() == self.outcome);
        Verdict::of(event || came_about(until, self.outcome) && all)
    }
}

/// How a wait for one pane ended.
fn waited(
    outcome: WaitOutcome,
    exit: Option<ExitStatus>,
    matched: Option<&String>,
    agent: Option<AgentState>,
) -> String {
    let exit = exit.map(|exit| format!(", {exit}")).unwrap_or_default();
    let matched = matched.map(|text| format!(": {text}")).unwrap_or_default();
    let agent = agent.map(|state| format!(": {}", state.words())).unwrap_or_default();
    format!("{}{exit}{matched}{agent}", name_of(outcome))
}

/// The condition that a wait without `until` means.
fn until(wait: &Wait) -> Until {
    match (wait.until, &wait.pattern) {
        (Some(until), _) => until,
        (None, Some(_)) => Until::Match,
        (None, None) if !wait.states.is_empty() => Until::AgentState,
        (None, None) => Until::Exit,
    }
}

fn came_about(until: Until, outcome: WaitOutcome) -> bool {
    match until {
        Until::Exit => matches!(outcome, WaitOutcome::Exited | WaitOutcome::Closed),
        // A program that has ended is quiet, and runs no command.
        Until::Idle => matches!(outcome, WaitOutcome::Idle | WaitOutcome::Exited),
        Until::CommandDone => matches!(outcome, WaitOutcome::CommandDone | WaitOutcome::Exited),
        Until::Match => outcome == WaitOutcome::Matched,
        Until::AgentState => outcome == WaitOutcome::AgentState,
        Until::Message => outcome == WaitOutcome::Message,
    }
}

impl ForPeople for Picture {
    fn for_people(&self, _: &PrintContext) -> PrintedReply {
        match self.format {
            Format::Png => PrintedReply::File(BASE64_STANDARD.decode(&self.content).unwrap_or_default()),
            _ => PrintedReply::Verbatim(self.content.clone()),
        }
    }
}
