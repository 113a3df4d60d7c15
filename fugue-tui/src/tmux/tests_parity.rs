//! tmux's commands compared with fugue's: each is translated, or refused with what to do instead.

use fugue_protocol::SessionId;
use fugue_protocol::verbs::NAMES;

use super::{COMMANDS, table, translate};
use crate::command;
use crate::command::client_commands::OWN;
use crate::tree::Tree;

fn is_ours(name: &str) -> bool {
    NAMES.contains(&name) || OWN.iter().any(|(own, _)| *own == name)
}

fn translated(line: &str) -> Result<String, String> {
    let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    let nowhere = Tree::new(SessionId::from_bytes([1; 16]));
    translate(&words, &nowhere, is_ours).map_or(Ok(line.to_owned()), |words| Ok(words?.join(" ")))
}

#[test]
fn every_tmux_command_is_translated_or_refused_with_an_alternative() {
    let known = |name: &str| is_ours(name) || super::exact_row(name).is_some();
    let names = table::COMMANDS.iter().flat_map(|row| row.names).copied();
    let missing: Vec<_> = names.filter(|name| !known(name)).collect();
    assert_eq!(missing, Vec::<&str>::new());
}

#[test]
fn every_translation_is_a_fugue_command() {
    for row in COMMANDS {
        if let super::Translation::Line(line) = row.becomes {
            let name = line.split_whitespace().next().unwrap_or_default();
            assert!(is_ours(name), "{line}");
        }
    }
}

#[test]
fn common_tmux_commands_have_the_same_effect() {
    let lines = [
        ("split-window -h", "create-pane --right"),
        ("split -h", "create-pane --right"),
        ("splitw -hb -c /tmp", "create-pane --left --cwd /tmp"),
        ("split-window -b", "create-pane --above"),
        ("split-window -v -l 30%", "create-pane --below --percent 30"),
        ("split-window -dh top", "create-pane -d --right --command top"),
        ("neww -n logs -- tail -f x", "create-window -n logs -- tail -f x"),
        ("select-pane -L", "focus-pane --left --wrap"),
        ("select-pane -t +", "focus-pane -t +"),
        ("last-pane", "focus-pane -t {last-pane}"),
        ("selectw -t :3", "select-window -w 3"),
        ("next", "select-window -w {next-window}"),
        ("killp", "close-pane"),
        ("kill-session", "kill-session -s {session-name}"),
        ("rename-window -t 2 x", "rename-window -w 2 -- x"),
        ("resize-pane -L 5", "resize-pane --left --by 5"),
        ("resizep -Z", "zoom-pane"),
        ("resizep -x 20", "tmux resizep -x 20"),
        ("swap-pane", "tmux swap-pane"),
        ("swapp -s 1", "tmux swapp -s 1"),
        ("swap-window -d -t 1", "tmux swap-window -d -t 1"),
        ("select-layout tiled", "select-layout tiled"),
        ("select-layout -E", "tmux select-layout -E"),
        ("join-pane -h -s other:1.0", "join-pane --right -t other:1.0 --beside {this-pane}"),
        ("rotate-window", "rotate-panes --backward"),
        ("rotatew -D", "rotate-panes"),
        ("movew -t 4", "move-window --index 4"),
        ("neww -n #S-x cat", "tmux neww -n #S-x cat"),
        ("movew -t work:4", "move-window --to-session work --index 4"),
        ("switch-client -t work", "attach work"),
        ("switchc -n", "attach {next-session}"),
        ("switchc -T mine", "key-table mine"),
        ("send-prefix -2", "send-prefix -2"),
        ("new -s more", "new-session -s more"),
        ("new -d -s more", "create-session -s more"),
        ("new -s a.b:c", "new-session -s a_b_c"),
        ("rename-session a.b:c", "rename-session -- a_b_c"),
        ("rename-session -- a.b", "rename-session -- a_b"),
        ("send-keys -t 1 ls Enter", "send-input -t 1 --key Enter -- ls"),
        ("popup -E -w 50% htop", "display-popup -E -w 50% -- htop"),
        ("detach", "detach"),
        ("display hello there", "say hello there"),
        ("command-prompt -I hello", "command-prompt hello"),
        ("choose-tree -Zs -O name", "choose-tree --sessions"),
        ("choose-window -Z", "choose-tree"),
        ("choose-session", "choose-tree --sessions"),
        ("find-window -Z two", "find-window two"),
        ("findw -rC two", "find-window -r -C two"),
        ("display -p '#S'", "tmux display -p '#S'"),
        ("lsw -F x", "tmux lsw -F x"),
        ("set -g mouse on", "tmux set -g mouse on"),
        ("bind x kill-pane", "tmux bind x kill-pane"),
        ("if-shell true detach", "tmux if-shell true detach"),
        ("kill-pane -a", "tmux kill-pane -a"),
        ("run make", "tmux run make"),
        ("wait -S done", "tmux wait -S done"),
        ("capture-pane -b x", "tmux capture-pane -b x"),
        ("join-pane -t :0", "join-pane --beside :0 -t {marked-or-this-pane}"),
        ("new-window -t :5", "tmux new-window -t :5"),
        ("split-window -h -c #{pane_current_path}", "create-pane --right"),
        ("split-window -h -c #{b:x}", "tmux split-window -h -c #{b:x}"),
        ("split-window -fh -l 20", "create-pane --full --right --cells 20"),
        ("send-keys a Enter b", "tmux send-keys a Enter b"),
        ("list-keys -N d", "tmux list-keys -N d"),
        // fugue's own commands stay the same.
        ("select-window -w 3", "select-window -w 3"),
        ("split-window --right", "split-window --right"),
        ("run --timeout-ms 1000 make", "run --timeout-ms 1000 make"),
        ("confirm close-pane", "confirm close-pane"),
        ("move-pane", "move-pane"),
        ("detach-client 3", "detach-client 3"),
    ];
    for (line, becomes) in lines {
        assert_eq!(translated(line).as_deref(), Ok(becomes), "{line}");
        command::check(line, &[("split-window", "create-pane")])
            .unwrap_or_else(|why| panic!("{line}: {why}"));
    }
}

#[test]
fn a_line_without_a_counterpart_names_an_alternative() {
    assert_eq!(
        translated("linkw -t 1"),
        Err("fugue has no `link-window`: a window belongs to one session: attach another client to that session, or use `move-window`".into())
    );
    assert_eq!(
        translated("list-keys a b"),
        Err("command list-keys: too many arguments (need at most 1)".into())
    );
    assert_eq!(translated("clock-mode -x"), Err("`clock-mode -x` is not supported: use `clock`".into()));
}

#[test]
fn a_command_prompt_with_a_command_asks_for_its_text() {
    let nowhere = Tree::new(SessionId::from_bytes([1; 16]));
    let words = |words: &[&str]| {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        translate(&words, &nowhere, is_ours).expect("tmux's").map(|words| words.join("|"))
    };
    assert_eq!(
        words(&["command-prompt", "-I", "#W", "rename-window '%%'"]),
        Ok("ask|(rename-window) |{window-name}|rename-window {answer}".into())
    );
    assert_eq!(
        words(&["command-prompt", "-p", "name:", "new-session -s \"%1\""]),
        Ok("ask|name: ||new-session -s {answer}".into())
    );
    assert_eq!(
        words(&["command-prompt", "-p", "a,b", "swap-pane -s '%1' -t '%2'"]),
        Err("fugue has no `command-prompt` with several prompts: use `ask`, which prompts for one value"
            .into())
    );
    assert_eq!(
        words(&["choose-tree", "join-pane -s '%%'"]),
        Err("fugue has no `choose-tree` with a command: fugue's lists have fixed actions".into())
    );
}

#[test]
fn a_semicolon_at_the_end_of_a_word_does_not_end_the_command() {
    let job = |words: &[&str]| {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        super::job(&words).join("|")
    };
    assert_eq!(job(&["run", "echo a;"]), r"tmux|run|echo a\;");
    assert_eq!(job(&["bind", "y", "a;", "b"]), r"tmux|bind|y|a|\;|b");
    assert_eq!(job(&["bind", "y", "a", ";", "b"]), r"tmux|bind|y|a|\;|b");
}
