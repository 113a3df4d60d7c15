//! The scenes: what is done to an agent, and what must be told of it after each step.

use super::stage::GEMINI_SESSION;

/// One scene with one agent.
pub(super) struct Scene {
    pub(super) name: &'static str,
    pub(super) agent: &'static str,
    pub(super) directory: &'static str,
    pub(super) command: String,
    pub(super) steps: Vec<Step>,
}

/// What is done, or what is checked.
pub(super) enum Step {
    /// Text is typed and submitted.
    Prompt(String),
    Keys(&'static [&'static str]),
    /// The agent is killed: alone, or with its process group.
    Kill {
        group: bool,
    },
    /// One of these states is told, with this text in its reason, after the screen shows this text.
    Told(&'static [&'static str], &'static str, &'static str),
    /// No agent is told of any more.
    Gone,
    /// A command can be run in the shell.
    Run,
}

use Step::{Gone, Keys, Kill, Prompt, Run, Told};

const REST: &[&str] = &["idle", "complete"];

fn command(agent: &str) -> &'static str {
    match agent {
        "claude" => "claude --permission-mode default",
        "codex" => "codex --no-daemon --enable default_mode_request_user_input",
        "gemini" => "gemini",
        _ => "opencode",
    }
}

/// The text on the screen of an agent that is ready.
fn ready(agent: &str) -> &'static str {
    match agent {
        "claude" => "❯",
        "codex" => "Ask Codex",
        "gemini" => "Type your message",
        _ => "ctrl+p commands",
    }
}

fn tool(agent: &str) -> Step {
    Prompt(
        match agent {
            "claude" => r#"@call Bash {"command":"sleep 4 && touch made"}"#,
            "codex" => {
                r#"@call exec_command {"cmd":"sleep 4 && touch made","sandbox_permissions":"require_escalated"}"#
            }
            "gemini" => r#"@call run_shell_command {"command":"sleep 4 && touch made"}"#,
            _ => r#"@call bash {"command":"sleep 4 && touch made","description":"make it"}"#,
        }
        .into(),
    )
}

fn question(agent: &str) -> Step {
    let tool = match agent {
        "claude" => "AskUserQuestion",
        "codex" => "request_user_input",
        "gemini" => "ask_user",
        _ => "question",
    };
    let options = r#"[{"label":"red","description":"warm"},{"label":"blue","description":"cold"}]"#;
    Prompt(format!(
        r#"@call {tool} {{"questions":[{{"id":"color","question":"Which color","header":"Color","type":"choice","multiSelect":false,"options":{options}}}]}}"#
    ))
}

fn quit(agent: &str) -> Step {
    match agent {
        "claude" => Prompt("/exit".into()),
        "opencode" => Keys(&["C-c"]),
        _ => Prompt("/quit".into()),
    }
}

/// The scenes of one agent.
pub(super) fn scenes(agent: &'static str) -> Vec<Scene> {
    let scene = |name, steps: Vec<Step>| {
        let ready = Told(REST, "", ready(agent));
        let steps = std::iter::once(ready).chain(steps).collect();
        Scene { name, agent, directory: "proj", command: command(agent).into(), steps }
    };
    let prompt = |text: &str| Prompt(text.into());
    // OpenCode may take long to begin its first turn.
    let busy = if agent == "opencode" { "esc interrupt" } else { "" };
    let working = |reason| Told(&["working"], reason, busy);
    let error = if agent == "opencode" { "bad request" } else { "bad request said the model" };
    let interrupt: &[&str] = if agent == "opencode" { &["Escape", "Escape"] } else { &["Escape"] };
    let mut all = vec![
        scene("idle", Vec::new()),
        scene("work", vec![prompt("@delay 4 @plain go"), working(""), Told(REST, "", "DONE")]),
        scene(
            "permission",
            vec![
                tool(agent),
                Told(&["blocked"], "touch made", permission(agent)),
                Keys(&["Enter"]),
                working(""),
                Told(REST, "", "DONE"),
            ],
        ),
        scene("question", vec![question(agent), Told(&["waiting_for_input"], "Which color", asks(agent))]),
        scene("HTTP 400", vec![prompt("@status 400 go"), Told(&["error"], error, "bad request")]),
        scene(
            "HTTP 429",
            vec![prompt("@status 429 @retry 20 go"), Told(&["working"], retry(agent).0, retry(agent).1)],
        ),
        scene(
            "interrupted",
            vec![prompt("@delay 20 @plain go"), working(""), Keys(interrupt), Told(REST, "", "")],
        ),
        scene("quit", vec![quit(agent), Gone, Run]),
        scene("killed", vec![prompt("@delay 30 @plain go"), working(""), Kill { group: false }, Gone]),
        scene(
            "killed with its process group",
            vec![prompt("@delay 30 @plain go"), working(""), Kill { group: true }, Gone, Run],
        ),
    ];
    let wrapped = format!("sh ~/start.sh {}", command(agent));
    all.push(Scene { command: wrapped, ..scene("quit, when started by a script", vec![quit(agent), Gone]) });
    if agent == "claude" {
        let kill = vec![prompt("@delay 30 @plain go"), working(""), Kill { group: false }, Gone, Run];
        let command = format!("CLAUDE_CODE_NO_FLICKER=1 {}", command(agent));
        all.push(Scene { command, ..scene("killed in full screen", kill) });
        let sleep = prompt(r#"@call Bash {"command":"sleep 8","run_in_background":true}"#);
        let works = Told(&["working"], "still running", "still running");
        all.push(scene("background work", vec![sleep, works, Told(REST, "", "completed")]));
    }
    all.extend(starts(agent));
    all.push(plan(agent));
    if agent == "codex" {
        let patch = r"*** Begin Patch\n*** Add File: /root/outside\n+hello\n*** End Patch\nEOP\n";
        let prompt = Prompt(format!(r#"@call exec_command {{"cmd":"apply_patch <<'EOP'\n{patch}"}}"#));
        let asks = Told(&["blocked"], "make the following edits", "make the following edits?");
        all.push(scene("patch", vec![prompt, asks]));
    }
    if agent == "opencode" {
        let first = vec![
            prompt("@delay 20 @plain go"),
            working(""),
            Keys(&["Escape"]),
            Told(&["working"], "", "again"),
        ];
        all.push(scene("first Esc", first));
    }
    all
}

/// What is told of an agent that retries, and what its screen shows. Gemini CLI shows nothing.
fn retry(agent: &str) -> (&'static str, &'static str) {
    match agent {
        "claude" => ("attempt", "etrying in"),
        "codex" => ("429", "econnecting"),
        "gemini" => ("", ""),
        _ => ("rate limit", "would exceed"),
    }
}

/// The text on the screen of an agent that asks for permission.
fn permission(agent: &str) -> &'static str {
    match agent {
        "claude" => "Do you want to proceed",
        "codex" => "Would you like to run",
        "gemini" => "Allow once",
        _ => "Permission required",
    }
}

/// The text on the screen of an agent that asks a question.
fn asks(agent: &str) -> &'static str {
    match agent {
        "codex" => "enter to submit",
        "opencode" => "esc dismiss",
        _ => "Enter to select",
    }
}

/// The dialog with which an agent asks whether its plan is good.
fn plan(agent: &'static str) -> Scene {
    let ready = Told(REST, "", ready(agent));
    let prompt = |text: &str| Prompt(text.into());
    let (command, steps): (String, _) = match agent {
        "claude" => (
            "claude --permission-mode plan".into(),
            vec![
                ready,
                prompt(r#"@call ExitPlanMode {"plan":"Paint it red"}"#),
                Told(&["blocked"], "plan", "Exit plan mode?"),
            ],
        ),
        "codex" => (
            command(agent).into(),
            vec![
                ready,
                prompt("/plan"),
                prompt(r"@say <proposed_plan>\n# Paint it red\n</proposed_plan>"),
                Told(&["blocked"], "Implement this plan?", "Implement this plan?"),
            ],
        ),
        "gemini" => (
            format!("gemini --approval-mode plan --session-id {GEMINI_SESSION}"),
            vec![
                ready,
                prompt(r#"@call exit_plan_mode {"plan_filename":"plan.md"}"#),
                Told(&["blocked"], "Ready to start implementation?", "Ready to start"),
            ],
        ),
        _ => (
            "OPENCODE_EXPERIMENTAL_PLAN_MODE=1 opencode --agent plan".into(),
            vec![
                ready,
                prompt("@call plan_exit {}"),
                Told(&["waiting_for_input"], "switch to the build agent", "esc dismiss"),
            ],
        ),
    };
    Scene { name: "plan", agent, directory: "proj", command, steps }
}

/// The dialogs before an agent is ready.
fn starts(agent: &'static str) -> Vec<Scene> {
    let dialog = |name, directory, command: &str, told| Scene {
        name,
        agent,
        directory,
        command: command.into(),
        steps: vec![told],
    };
    let own = command(agent);
    match agent {
        "claude" => {
            vec![dialog("startup dialog", "strange", own, Told(&["blocked"], "trust", "Enter to confirm"))]
        }
        "gemini" => {
            vec![dialog("startup dialog", "strange", own, Told(&["blocked"], "trust", "Do you trust"))]
        }
        "codex" => vec![
            dialog(
                "startup dialog",
                "hooks",
                own,
                Told(&["blocked"], "Hooks need review", "Hooks need review"),
            ),
            dialog(
                "trust",
                "strange",
                "CODEX_HOME=~/.codex-new codex --no-daemon",
                Told(&["blocked"], "Trust this folder?", "Trust this folder?"),
            ),
        ],
        _ => Vec::new(),
    }
}
