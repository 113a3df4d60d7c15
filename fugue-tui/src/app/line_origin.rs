//! What a command may do, depending on where its line comes from. A program never starts a process on this host, and does
//! nothing in the person's name. The command is checked as it will run, after tmux's words were translated: a flag can
//! turn a harmless first word into something else.

use fugue_protocol::Size;
use fugue_tmux::steps::Step;

use super::state::{PopupArgs, PopupContent};
use crate::command::Command;
use crate::command::{CommandOrigin, verb_traits};

/// What the daemon of another host may have this client run: it changes what is shown of that host. Anything else could
/// lead to the sessions of this host, and act there in the person's name.
const ALLOWED_TO_HOSTS: [&str; 8] = [
    "attach",
    "choose-buffer",
    "choose-tree",
    "copy-mode",
    "detach",
    "display-panes",
    "display-popup",
    "find-window",
];

/// Why a command may not run while the client shows this host, if it may not.
pub(super) fn refusal(command: &Command, origin: &CommandOrigin, shown: Option<&str>) -> Option<String> {
    match origin {
        CommandOrigin::Person => None,
        CommandOrigin::Program { host } if host.as_deref() != shown => {
            let from = host.as_deref().unwrap_or("this host");
            Some(format!("A program on {from} tried to run `{}`; ignored", name(command)))
        }
        CommandOrigin::Program { host: Some(host) } if !is_allowed_to_hosts(command) => {
            Some(format!("A program on {host} tried to run `{}` here; ignored", name(command)))
        }
        CommandOrigin::Program { .. } if starts_process(command) => {
            Some(format!("A program tried to start `{}` in your name; ignored", name(command)))
        }
        CommandOrigin::Program { .. } => None,
    }
}

/// Why a line may not ask for a step while the client shows this host: processes and tmux's state of this host are about
/// the sessions of this one.
pub(super) fn step_refusal(step: &Step, name: &str, shown: Option<&str>) -> Option<String> {
    let is_of_this_host = matches!(step, Step::Shell(_) | Step::Pipe { .. });
    let shown = shown.filter(|_| is_of_this_host)?;
    Some(format!("`{name}` runs only on this host, but {shown} is shown"))
}

/// Whether a step does more than to look at something or to go somewhere.
pub(super) fn changes_something(step: &Step) -> bool {
    match step {
        Step::Call { verb, .. } => !verb_traits::only_goes(verb) && !verb_traits::only_reads(verb),
        Step::Shell(_) | Step::Write { .. } | Step::Configure(_) => true,
        Step::Pipe { .. } => true,
        Step::Client(_) | Step::Print(_) | Step::Read(_) | Step::ReadCommands(_) | Step::Pause(_) => false,
        Step::Attach { .. } | Step::Keys | Step::Setting(_) => false,
    }
}

/// Whether a command is a line of tmux's.
fn is_job(command: &Command) -> bool {
    matches!(command, Command::Own(words) if words.first().is_some_and(|word| word == "tmux"))
}

/// Whether a command starts a process of this client, or a program as the person does.
fn starts_process(command: &Command) -> bool {
    is_job(command)
        || popup_content(command).is_some_and(|content| matches!(content, PopupContent::Program { .. }))
}

/// What a command would show in a popup.
fn popup_content(command: &Command) -> Option<PopupContent> {
    let Command::Own(words) = command else { return None };
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let args = words.strip_prefix(&["display-popup"])?;
    PopupArgs::parse(args, Size::new(80, 24)).ok().map(|args| args.content)
}

fn is_allowed_to_hosts(command: &Command) -> bool {
    let Command::Own(words) = command else { return false };
    let is_allowed = |name: &String| name == "redraw" || ALLOWED_TO_HOSTS.contains(&name.as_str());
    words.first().is_some_and(is_allowed) && !starts_process(command)
}

/// The command's name, as the person knows it: that of tmux's command for a line that `fugue tmux` runs.
fn name(command: &Command) -> &str {
    match command {
        Command::Verb { name, .. } => name,
        Command::Own(words) if is_job(command) => words.get(1).map_or("tmux", String::as_str),
        Command::Own(words) => words.first().map_or("", String::as_str),
    }
}

#[cfg(test)]
mod tests {
    use fugue_protocol::SessionId;
    use fugue_tmux::steps::ShellStep;

    use super::*;
    use crate::command;
    use crate::tree::Tree;

    fn read(line: &str) -> Command {
        let nowhere = Tree::new(SessionId::from_bytes([1; 16]));
        command::read(line, &nowhere, &[]).unwrap_or_else(|why| panic!("{line}: {why}"))
    }

    fn of_program(host: Option<&str>) -> CommandOrigin {
        CommandOrigin::Program { host: host.map(str::to_owned) }
    }

    #[test]
    fn another_host_may_change_what_is_shown_of_it_and_nothing_else() {
        let refused = |line: &str| refusal(&read(line), &of_program(Some("gpu")), Some("gpu")).is_some();
        for line in [
            "attach work",
            "attach work 019a0000-0000-7000-8000-000000000001",
            "attach -t work",
            "choose-tree -Zs",
            "refresh-client",
            "redraw",
            "display-popup -w 50% --pane 019a0000-0000-7000-8000-000000000001 \
             --window 019a0000-0000-7000-8000-000000000002",
            "display-popup -C",
        ] {
            assert!(!refused(line), "{line}");
        }
        for line in [
            "run ls",
            "kill-server",
            "ask 'Password: ' '' 'run {answer}'",
            "confirm 'run ls'",
            "display-popup -- top",
            "display-popup -T '#(env > FILE)' -E true",
            "display-popup -t l2 -E 'touch x'",
            "display-popup -c client-1 -E true",
            "display-popup -b none top",
            "attach -c '#(touch x)' -t work",
            "attach -d -t work",
            "run-shell 'touch x'",
            "if-shell 'touch x' ''",
            "tmux run-shell 'touch x'",
            "display-message '#(touch x)'",
            "new-session -s more",
        ] {
            assert!(refused(line), "{line}");
        }
    }

    #[test]
    fn a_program_never_starts_a_process_whatever_the_flags() {
        let letters = ('a'..='z').chain('A'..='Z');
        let flags: Vec<String> = letters.map(|letter| format!("-{letter}")).collect();
        for name in fugue_tmux::command_table::COMMANDS.iter().flat_map(|row| row.names) {
            for flag in std::iter::once(&String::new()).chain(&flags) {
                for rest in ["'#(touch x)'", "'#(touch x)' true", "-E true", ""] {
                    let line = format!("{name} {flag} {rest}");
                    let nowhere = Tree::new(SessionId::from_bytes([1; 16]));
                    let Ok(command) = command::read(&line, &nowhere, &[]) else { continue };
                    for host in [None, Some("gpu")] {
                        let refused = refusal(&command, &of_program(host), host).is_some();
                        let is_popup = matches!(popup_content(&command), Some(PopupContent::Program { .. }));
                        assert!(refused || !(is_job(&command) || is_popup), "{line}");
                    }
                }
            }
        }
    }

    #[test]
    fn shell_commands_of_the_person_are_refused_while_another_host_is_shown() {
        let (command, directory) = ("touch x".to_owned(), None);
        let shell = Step::Shell(ShellStep { command, about: None, directory, background: false });
        assert_eq!(step_refusal(&shell, "run-shell", None), None);
        assert_eq!(
            step_refusal(&shell, "run-shell", Some("gpu")).as_deref(),
            Some("`run-shell` runs only on this host, but gpu is shown")
        );
        let args = serde_json::value::to_raw_value(&()).expect("null");
        let call = Step::Call { verb: "create-window", args };
        assert_eq!(
            step_refusal(&call, "new-window", Some("gpu")),
            None,
            "they go to the daemon that is shown"
        );
    }

    #[test]
    fn a_read_only_client_may_look_and_go() {
        let args = || serde_json::value::to_raw_value(&()).expect("null");
        let call = |verb| changes_something(&Step::Call { verb, args: args() });
        assert!(!call("list-panes") && !call("select-window") && call("kill-window"));
        assert!(!changes_something(&Step::Keys) && !changes_something(&Step::Client("choose-tree".into())));
        assert!(!call("list-paste-buffers") && call("remove-buffer"));
    }

    #[test]
    fn a_line_that_waited_runs_only_on_the_host_that_sent_it() {
        let late = refusal(&read("redraw"), &of_program(Some("gpu")), None);
        assert_eq!(late.as_deref(), Some("A program on gpu tried to run `redraw`; ignored"));
    }
}
