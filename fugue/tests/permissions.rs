//! What agents ask the user: dialogs are listed, answered if they are still the same, and protected from other agents.
//! The agents are stand-ins that show captured screens of the real ones.

use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

use fugue_testkit::{TestServer, until};
use serde_json::{Value, json};

const FUGUE: &str = env!("CARGO_BIN_EXE_fugue");

/// Shows a dialog whose selection the arrow keys move, writes down the choice when Enter is pressed, and then shows the
/// empty input field. SIGUSR1 replaces the dialog by another one. With a third word, it reports the dialog first, as the
/// agent of that name does in its hook.
const STAND_IN: &str = r#"#!/bin/sh
screens=$1
tty >tty
command='{"hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"touch made-it && sleep 1"}}'
[ -z "$3" ] || echo "$command" | "$2" hook "$3"
show() { printf '\033[2J\033[H'; sed 's/$/\r/' "$screens/$1.ansi"; }
trap 'show permission-edit' USR1
echo $$ >pid
stty raw -echo
selected=1; show permission-command
while key=$(dd bs=8 count=1 2>/dev/null); do
  case "$key" in
    *B | *C) selected=2; show permission-second ;;
    *A | *D) selected=1; show permission-command ;;
    "$(printf '\r')") echo "$selected" >>answers; show empty ;;
    ?*) echo "key $key" >>answers ;;
  esac
done
"#;

/// Asks a question as Claude Code does, whose second choice is a field. It writes down what is submitted, and shows the
/// empty input field once there is a file `react`.
const QUESTION: &str = r#"#!/bin/sh
screens=$1
rule=$(printf '─%.0s' $(seq 80))
stty raw -echo
selected=1 text='Type something.'
mark() { [ "$selected" = "$1" ] && printf '❯' || printf ' '; }
show() {
  printf '\033[2J\033[H%s\r\n ☐ Color\r\n\r\nWhich color do you like?\r\n\r\n' "$rule"
  printf '%s 1. Red\r\n%s 2. %s\r\n%s\r\n' "$(mark 1)" "$(mark 2)" "$text" "$rule"
  printf '%s 3. Chat about this\r\n\r\nEnter to select · Esc to cancel' "$(mark 3)"
}
show
while key=$(dd bs=64 count=1 2>/dev/null); do
  case "$key" in
    *B) selected=$((selected + 1)); show ;;
    "$(printf '\r')")
      echo "$selected $text" >>answers
      until [ -e react ]; do sleep 0.05; done
      printf '\033[2J\033[H'; sed 's/$/\r/' "$screens/empty.ansi"; cat >/dev/null ;;
    ?*) text=$key; show ;;
  esac
done
"#;

/// An agent that asks for permission, in a session of its name.
struct Asking {
    server: TestServer,
    pane: String,
}

fn asking(agent: &str, config: &str) -> Asking {
    reporting(agent, config, "")
}

/// The same, for an agent that reports its dialog with the hook of this agent.
fn reporting(agent: &str, config: &str, hook: &str) -> Asking {
    played(STAND_IN, agent, config, hook)
}

/// The same, for an agent that is played by this program.
fn played(text: &str, agent: &str, config: &str, hook: &str) -> Asking {
    let server = TestServer::new(FUGUE);
    std::fs::create_dir_all(server.path().join("config/fugue")).expect("a directory");
    std::fs::write(server.path().join("config/fugue/config.toml"), config).expect("a configuration");
    let program = server.path().join(agent);
    std::fs::write(&program, text).expect("a program");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("its mode");
    let screens = format!("{}/../fugue-agents/captured/{agent}", env!("CARGO_MANIFEST_DIR"));
    let words = [program.to_str().expect("a path"), &screens, FUGUE, hook];
    let pane = server.session(agent, &words);
    Asking { server, pane }
}

impl Asking {
    fn listed(&self) -> Vec<Value> {
        let list = self.server.json(&["permissions"]);
        list["permissions"].as_array().expect("a list").clone()
    }

    /// Waits for the dialog, and returns it and its id.
    fn dialog(&self) -> (String, Value) {
        until("the dialog is listed", || self.listed().iter().any(|one| one["dialog_id"].is_string()));
        let one = self.listed().remove(0);
        (one["dialog_id"].as_str().expect("an id").to_owned(), one)
    }

    fn answers(&self) -> String {
        std::fs::read_to_string(self.server.path().join("answers")).unwrap_or_default()
    }
}

#[test]
fn a_dialog_of_each_agent_is_listed_with_its_choices_and_answered() {
    for (agent, second) in [
        ("claude", "Yes, and always allow access to"),
        ("codex", "Yes, and don't ask again"),
        ("gemini", "Allow for this session"),
        ("opencode", "Allow always"),
    ] {
        let asking = asking(agent, "");
        let (id, one) = asking.dialog();
        assert_eq!((&one["agent"], &one["session_name"]), (&json!(agent), &json!(agent)));
        assert_eq!(one["dialog"]["command"], "touch made-it && sleep 1", "{one}");
        let text = asking.server.ok(&["permissions"]);
        assert!(text.contains(&format!("{id}  {agent}  {agent}  since ")) && text.contains(second), "{text}");
        let refused = asking.server.refused(&["answer-permission", &id, "perhaps"]);
        assert!(refused.contains("The dialog has no option `perhaps`"), "{refused}");
        let answered = asking.server.json(&["answer-permission", &id, second]);
        assert!(answered["choice"].as_str().is_some_and(|choice| choice.starts_with(second)), "{answered}");
        assert_eq!(asking.answers(), "2\n", "{agent}: one Enter on the second choice, and no other key");
        until("nothing is asked any more", || asking.listed().is_empty());
        let refused = asking.server.refused(&["answer-permission", &id, "1"]);
        assert!(refused.contains(&format!("Dialog not found: {id}")), "{refused}");
    }
}

#[test]
fn a_question_is_answered_in_ones_own_words_and_a_second_answer_names_the_first() {
    let asking = played(QUESTION, "claude", "", "");
    let (id, one) = asking.dialog();
    assert_eq!(one["dialog"]["choices"][1]["takes_text"], true, "{one}");
    assert!(asking.server.ok(&["permissions"]).contains("    2 Type something.  (with --text)\n"));
    let refused = asking.server.refused(&["answer-permission", &id, "2"]);
    assert!(refused.contains("`Type something.` is a field for an answer of your own"), "{refused}");
    assert!(refused.contains("hint: use `--text '…'` to type your own answer"), "{refused}");
    let refused = asking.server.refused(&["answer-permission", &id, "1", "--text", "green"]);
    assert!(refused.contains("The choice `Red` takes no text"), "{refused}");
    assert_eq!(asking.answers(), "", "nothing was pressed");
    let words = ["answer-permission", &id, "2", "--text", "like grass"];
    std::thread::scope(|scope| {
        let first = scope.spawn(|| asking.server.ok(&words));
        until("the first answer is submitted", || !asking.answers().is_empty());
        let second = asking.server.refused(&["answer-permission", &id, "1"]);
        assert!(
            second.contains("The dialog has already been answered with `like grass` by the user"),
            "{second}"
        );
        std::fs::write(asking.server.path().join("react"), "").expect("a file");
        assert!(first.join().expect("an answer").starts_with("answered: like grass"));
    });
    assert_eq!(asking.answers(), "2 like grass\n");
}

#[test]
fn the_list_of_agents_asks_for_an_answer_in_ones_own_words() {
    let asking = played(QUESTION, "claude", "", "");
    asking.server.ok(&["new", "-d", "-s", "mine", "--", "sh"]);
    asking.dialog();
    let mut terminal = asking.server.terminal(&["attach", "-s", "mine"], 80, 24);
    terminal.shows(" mine ");
    terminal.prefix("A");
    terminal.shows("2 Type something.");
    terminal.send("2");
    terminal.shows("Your answer:");
    std::fs::write(asking.server.path().join("react"), "").expect("a file");
    terminal.send("-- it's green\r");
    terminal.shows("answered: -- it's green");
    assert!(terminal.picture().contains("╭─ Agents"), "the list stays: {}", terminal.picture());
    assert_eq!(asking.answers(), "2 -- it's green\n");
}

#[test]
fn a_dialog_that_has_changed_is_not_answered() {
    let asking = asking("claude", "");
    let (id, _) = asking.dialog();
    let pid = std::fs::read_to_string(asking.server.path().join("pid")).expect("its process");
    // The stand-in reacts to a signal when its read ends, so a key makes it look.
    fugue_testkit::signal("USR1", pid.trim().parse().expect("a number"));
    asking.server.ok(&["send-input", "-t", &asking.pane, "x"]);
    until("the other dialog is shown", || asking.server.text(&asking.pane).contains("new.txt"));
    let refused = asking.server.refused(&["answer-permission", &id, "1"]);
    assert!(
        refused.contains("has changed; no answer was sent") || refused.contains("Dialog not found"),
        "{refused}"
    );
    assert_eq!(asking.answers(), "key x\n");
    let (other, one) = asking.dialog();
    assert!(other != id && one["dialog"]["question"].as_str().is_some_and(|text| text.contains("new.txt")));
}

#[test]
fn an_agent_cannot_end_or_answer_an_agent_that_waits_for_the_user() {
    let asking = asking("claude", "");
    let (server, pane) = (&asking.server, asking.pane.as_str());
    let (id, _) = asking.dialog();
    let other = server.session("other", &["sh"]);
    let from_other = |words: &[&str]| {
        let output = server.command_for(&other, words).output().expect("fugue runs");
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let ways: [&[&str]; 7] = [
        &["close-pane", "-t", pane],
        &["kill-session", "-s", "claude"],
        &["respawn-pane", "-t", pane, "--kill"],
        &["send-input", "-t", pane, "1"],
        &["run", "-t", pane, "true"],
        &["answer-permission", &id, "1"],
        &["shutdown"],
    ];
    for words in ways {
        let (done, why) = from_other(words);
        let says = ["waiting for the user", "asking the user for permission", "Only the user may answer"];
        assert!(!done && says.iter().any(|text| why.contains(text)), "{words:?}: {why}");
    }
    assert_eq!((asking.answers().as_str(), asking.listed().len()), ("", 1), "nothing has happened");
    let log = std::fs::read_to_string(server.state_dir().join("audit.log")).expect("a log");
    let entries = log.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let refused: Vec<_> = entries.filter(|entry| entry["outcome"] == "refused").collect();
    for words in ways {
        assert!(refused.iter().any(|entry| entry["verb"] == words[0]), "{words:?}: {log}");
    }
    server.ok(&["close-pane", "-t", pane]);
    assert!(asking.listed().is_empty(), "the user may");
}

#[test]
fn a_rule_of_the_user_answers_and_is_recorded() {
    let rules = "[permissions]\n\"codex: touch * && sleep *\" = \"allow\"\n\"claude: *\" = \"deny\"\n";
    let asking = reporting("codex", rules, "codex");
    until("the rule answers", || asking.answers() == "1\n");
    let log = std::fs::read_to_string(asking.server.state_dir().join("audit.log")).expect("a log");
    let line: Value = serde_json::from_str(log.lines().last().expect("a line")).expect("JSON");
    assert_eq!(line["verb"], "permission-rule");
    assert_eq!(
        line["detail"], "allow by rule `codex: touch * && sleep *`: touch made-it && sleep 1",
        "{line}"
    );
}

#[test]
fn no_rule_answers_a_dialog_that_another_program_draws_over_the_real_one() {
    let asking = reporting("claude", "[permissions]\n\"claude: git status*\" = \"allow\"\n", "claude");
    let (_, one) = asking.dialog();
    assert_eq!(one["dialog"]["command"], "touch made-it && sleep 1", "{one}");
    let screens = format!("{}/../fugue-agents/captured/claude", env!("CARGO_MANIFEST_DIR"));
    let terminal = std::fs::read_to_string(asking.server.path().join("tty")).expect("its terminal");
    let draw = |screen: &str, edit: &str| {
        let screen = format!("{screens}/{screen}.ansi");
        let line =
            format!("{{ printf '\\033[2J\\033[H'; sed '{edit}; s/$/\\r/' {screen}; }} >{}", terminal.trim());
        asking.server.session("painter", &["sh", "-c", &line]);
    };
    draw("permission-command", "s/touch made-it && sleep 1/git status              /");
    until("the forged dialog is seen", || asking.dialog().1["dialog"]["command"] == "git status");
    let why = "the agent has reported another command than its screen shows";
    assert!(
        asking.dialog().1["rule"].as_str().is_some_and(|rule| rule.ends_with(why)),
        "{}",
        asking.dialog().1
    );
    let log = || std::fs::read_to_string(asking.server.state_dir().join("audit.log")).unwrap_or_default();
    until("the audit log says so", || log().contains(why));
    // An empty input field instead of the dialog does not let other programs type either.
    let other = asking.server.session("other", &["sh"]);
    draw("empty", "");
    until("no dialog is seen", || asking.listed().iter().all(|one| one["dialog_id"].is_null()));
    let words = ["send-input", "-t", &asking.pane, "-k", "Enter"];
    let output = asking.server.command_for(&other, &words).output().expect("fugue runs");
    let why = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(why.contains("is asking the user for permission"), "{why}");
    assert_eq!(asking.answers(), "");
}

#[test]
fn no_rule_applies_behind_a_terminal_within_the_terminal() {
    let server = TestServer::new(FUGUE);
    std::fs::create_dir_all(server.path().join("config/fugue")).expect("a directory");
    let rules = "[permissions]\n\"claude: touch * && sleep *\" = \"allow\"\n";
    std::fs::write(server.path().join("config/fugue/config.toml"), rules).expect("a configuration");
    let program = server.path().join("claude");
    let reporting =
        STAND_IN.replace("stty raw", "printf '\\033]7501;state=idle:app=claude-code\\007'\nstty raw");
    std::fs::write(&program, reporting).expect("a program");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("its mode");
    let screens = format!("{}/../fugue-agents/captured/claude", env!("CARGO_MANIFEST_DIR"));
    let pane = server.session("work", &["script", "-q", "-c", "bash --norc --noprofile", "/dev/null"]);
    server.ok(&["send-input", "-t", &pane, &format!("./claude {screens}"), "--submit"]);
    let asking = Asking { server, pane };
    let (id, one) = asking.dialog();
    assert!(one["dialog"]["command"].is_null(), "{one}");
    asking.server.ok(&["answer-permission", &id, "2"]);
    assert_eq!(asking.answers(), "2\n", "no rule has answered before");
    let pid = std::fs::read_to_string(asking.server.path().join("pid")).expect("its process");
    fugue_testkit::signal("KILL", pid.trim().parse().expect("a number"));
    let agent = || asking.server.json(&["list-panes"])["panes"][0]["agent"].clone();
    until("the agent is gone", || agent().is_null());
    let print =
        format!("clear; cat {screens}/permission-command.ansi; printf '\\033]2;shown\\007'; sleep 600");
    asking.server.ok(&["send-input", "-t", &asking.pane, &print, "--submit"]);
    until("the title is known", || asking.server.json(&["list-panes"])["panes"][0]["title"] == "shown");
    assert!(asking.listed().is_empty() && agent().is_null(), "{:?}", asking.listed());
}

#[test]
fn the_list_is_printed_again_when_it_changes() {
    let asking = asking("gemini", "");
    let (id, _) = asking.dialog();
    let mut command = asking.server.command(&["permissions", "--watch", "--json"]);
    let mut child = command.stdout(Stdio::piped()).spawn().expect("fugue runs");
    let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
    let mut next =
        || -> Value { serde_json::from_str(&lines.next().expect("a line").expect("text")).expect("JSON") };
    assert_eq!(next()["permissions"][0]["dialog_id"], id.as_str());
    asking.server.ok(&["answer-permission", &id, "1"]);
    assert!((0..5).any(|_| next()["permissions"] == json!([])), "it ends with an empty list");
    child.kill().expect("it runs until it is interrupted");
    let _ = child.wait();
}

#[test]
fn a_dialog_is_answered_from_the_list_of_agents_in_the_client() {
    let asking = asking("claude", "");
    asking.dialog();
    asking.server.ok(&["new", "-d", "-s", "mine", "--", "sh"]);
    let mut terminal = asking.server.terminal(&["attach", "mine"], 100, 40);
    terminal.shows(" mine ");
    terminal.prefix("A");
    terminal.shows("1 Yes");
    terminal.shows("2 Yes, and always allow access");
    terminal.shows("Do you want to proceed?");
    terminal.send("always");
    terminal.until("the choice alone", |terminal| !terminal.picture().contains("1 Yes"));
    terminal.send("\r");
    terminal.shows("answered: Yes, and always allow access");
    assert_eq!(asking.answers(), "2\n");
}

#[test]
fn a_digit_in_the_list_of_agents_answers_the_selected_one_and_the_list_stays() {
    let asking = asking("claude", "");
    asking.dialog();
    asking.server.ok(&["new", "-d", "-s", "mine", "--", "sh"]);
    let mut terminal = asking.server.terminal(&["attach", "mine"], 100, 40);
    terminal.shows(" mine ");
    terminal.prefix("A");
    terminal.shows("2 Yes, and always allow access");
    terminal.shows("Enter go there  Space mark  C-a mark all  1-4 answer  Esc close");
    // A mark changes nothing: a dialog is answered alone.
    terminal.send("\x01");
    terminal.shows("1 marked");
    terminal.send("2");
    terminal.shows("answered: Yes, and always allow access");
    assert_eq!(asking.answers(), "2\n");
    terminal.until("the choices are gone", |terminal| !terminal.picture().contains("2 Yes, and always"));
    assert!(terminal.picture().contains("╭─ Agents"), "{}", terminal.picture());
}

#[test]
fn the_list_in_the_client_follows_what_agents_ask() {
    let asking = asking("claude", "");
    let (id, _) = asking.dialog();
    asking.server.ok(&["new", "-d", "-s", "mine", "--", "sh"]);
    let mut terminal = asking.server.terminal(&["attach", "mine"], 100, 40);
    terminal.shows(" mine ");
    terminal.prefix("A");
    terminal.shows("2 Yes, and always allow access");
    let asks = |text: &str| text.contains("2 Yes, and always allow access");
    asking.server.ok(&["answer-permission", &id, "1"]);
    terminal.until("the choices are gone", |terminal| !asks(&terminal.picture()));
    // The stand-in shows its dialog again.
    asking.server.ok(&["send-input", "-t", &asking.pane, "--key", "Up"]);
    terminal.until("the choices are back", |terminal| asks(&terminal.picture()));
}
