//! The states that are reported for the real agents in each scene, compared with their screens. The agents are large, so this
//! runs only on request: `FUGUE_STAGE_KIT` is the directory of `scene_llm.py`, the scripted model, and `FUGUE_STAGE` has
//! the agents in `node_modules`. `FUGUE_AGENTS=claude,codex` and `FUGUE_SCENES=idle,quit` choose some; `FUGUE_RENEW=1`
//! writes the table in `docs/evidence/agents.md`. It takes some minutes, so run it with `cargo test -p fugue --test agent_matrix`.

mod scenes;
mod stage;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use fugue_testkit::{TestServer, signal};
use scenes::{Scene, Step};
use serde_json::Value;
use stage::Stage;

const AGENTS: [&str; 4] = ["claude", "codex", "gemini", "opencode"];

/// The longest that an agent may take for a step; they are slow to start on a busy machine.
const PATIENCE: Duration = Duration::from_secs(90);

/// What was told in a scene.
struct Row {
    scene: &'static str,
    agent: &'static str,
    told: String,
    is_right: bool,
}

#[test]
#[ignore = "needs the agents: FUGUE_STAGE_KIT and FUGUE_STAGE"]
fn real_agents_have_the_states_that_their_screens_show() {
    let stage = Stage::from_environment();
    let chosen = |variable: &str, name: &str| {
        std::env::var(variable).map_or(true, |names| names.split(',').any(|chosen| chosen == name))
    };
    let agents = AGENTS.iter().filter(|agent| chosen("FUGUE_AGENTS", agent));
    let scenes =
        agents.flat_map(|agent| scenes::scenes(agent)).filter(|scene| chosen("FUGUE_SCENES", scene.name));
    let rows: Vec<_> = scenes.map(|scene| play(&stage, &scene)).collect();
    if std::env::var_os("FUGUE_RENEW").is_some() {
        renew(&rows);
    }
    let wrong: Vec<_> =
        rows.iter().filter(|row| !row.is_right).map(|row| (row.agent, row.scene, &row.told)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn play(stage: &Stage, scene: &Scene) -> Row {
    let server = TestServer::new(env!("CARGO_BIN_EXE_fugue"));
    stage.set_codex_hook(scene.directory == "hooks");
    let directory = if scene.directory == "hooks" { "proj" } else { scene.directory };
    let pane = server.session("work", &["bash", "--norc"]);
    let start = format!("{}; cd {}", stage.environment(), stage.directory(directory).display());
    server.ok(&["run", "-t", &pane, &start]);
    server.ok(&["send-input", "-t", &pane, &scene.command, "--submit"]);
    let mut row = Row { scene: scene.name, agent: scene.agent, told: String::new(), is_right: true };
    for step in &scene.steps {
        // Every scene but one begins with an agent that is ready.
        if scene.name != "idle" && row.told.contains("idle") && !row.told.contains('→') {
            row.told.clear();
        }
        row.take(step, &server, &pane);
        if !row.is_right {
            break;
        }
    }
    let home = stage.directory("").display().to_string();
    // OpenCode shows paths without the first slash.
    row.told = row.told.replace(&home, "~/").replace(home.trim_start_matches('/'), "~/");
    println!("{} · {}: {}{}", row.agent, row.scene, if row.is_right { "" } else { "WRONG " }, row.told);
    row
}

impl Row {
    fn take(&mut self, step: &Step, server: &TestServer, pane: &str) {
        match step {
            Step::Prompt(text) => drop(server.run(&["send-input", "-t", pane, text, "--submit"])),
            Step::Keys(keys) => {
                for key in *keys {
                    server.run(&["send-input", "-t", pane, "-k", key]);
                }
            }
            Step::Kill { group } => kill(server, *group),
            Step::Told(states, reason, shown) => self.wait_for_state(server, pane, (states, reason, shown)),
            Step::Gone => self.check("no agent", || agent(server).is_null()),
            Step::Run => self.check("shell usable", || {
                // A killed program is in the foreground until it is gone and the shell has noticed.
                server.run(&["run", "-t", pane, "echo usable"]).out.contains("usable")
            }),
        }
    }

    /// Waits for a state, and for the text on the screen that shows that it is true.
    fn wait_for_state(
        &mut self,
        server: &TestServer,
        pane: &str,
        (states, reason, shown): (&[&str], &str, &str),
    ) {
        let (begun, mut seen_at) = (Instant::now(), None);
        loop {
            if seen_at.is_none() && screen(server, pane).contains(shown) {
                seen_at = Some(Instant::now());
            }
            let agent = agent(server);
            let (state, told) = (text(&agent["state"]), text(&agent["reason"]));
            let is_right = states.contains(&state) && told.contains(reason);
            // An agent that shows a dialog before it is ready has not been ready.
            let is_early = ["startup dialog", "trust"].contains(&self.scene) && state == "idle";
            if (is_right && seen_at.is_some()) || is_early || begun.elapsed() > PATIENCE {
                let told = if told.is_empty() {
                    String::new()
                } else {
                    format!(" “{}”", told.replace('|', "/"))
                };
                return self.tell(&format!("{state}{told}"), seen_at.unwrap_or(begun), is_right);
            }
        }
    }

    fn check(&mut self, told: &str, mut is_right: impl FnMut() -> bool) {
        let begun = Instant::now();
        while !is_right() && begun.elapsed() < PATIENCE {}
        self.tell(told, begun, is_right());
    }

    /// Adds what was told, and how long that took.
    fn tell(&mut self, told: &str, since: Instant, is_right: bool) {
        let arrow = if self.told.is_empty() { "" } else { " → " };
        let _ = write!(self.told, "{arrow}{told} {:.1} s", since.elapsed().as_secs_f64());
        self.is_right = is_right;
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn agent(server: &TestServer) -> Value {
    server.json(&["list-panes"])["panes"][0]["agent"].clone()
}

fn screen(server: &TestServer, pane: &str) -> String {
    server.ok(&["get-output", "-t", pane, "--mode", "screen"])
}

/// Kills the program that the pane's shell runs.
fn kill(server: &TestServer, group: bool) {
    let shell = server.json(&["list-panes"])["panes"][0]["pid"].as_u64().expect("a process id");
    let children =
        std::fs::read_to_string(format!("/proc/{shell}/task/{shell}/children")).expect("its children");
    let child: u32 = children.split_whitespace().next().and_then(|pid| pid.parse().ok()).expect("a child");
    match group {
        true => drop(std::process::Command::new("kill").args(["-KILL", "--", &format!("-{child}")]).status()),
        false => signal("KILL", child),
    }
}

/// The path of the page with the table.
fn page_path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/evidence/agents.md")
}

/// Puts these rows into the table in `docs/evidence/agents.md`. What was not played this time stays as it is.
fn renew(rows: &[Row]) {
    let page = std::fs::read_to_string(page_path()).expect("the page");
    let (before, rest) = page.split_once("<!-- states -->\n").expect("the beginning of the table");
    let (old, after) = rest.split_once("<!-- end of states -->").expect("the end of the table");
    let mut cells: Vec<Vec<String>> = old.lines().skip(2).map(cells_of).collect();
    for row in rows {
        let at = cells.iter().position(|line| line[0] == row.scene).unwrap_or_else(|| {
            cells.push(
                [&[row.scene], ["–"; AGENTS.len()].as_slice()]
                    .concat()
                    .iter()
                    .map(ToString::to_string)
                    .collect(),
            );
            cells.len() - 1
        });
        let column = AGENTS.iter().position(|agent| *agent == row.agent).expect("a column");
        cells[at][column + 1].clone_from(&row.told);
    }
    let mut table =
        "| scenario | Claude Code | Codex | Gemini CLI | OpenCode |\n|---|---|---|---|---|\n".to_owned();
    cells.iter().for_each(|line| table += &format!("| {} |\n", line.join(" | ")));
    let page = format!("{before}<!-- states -->\n{table}<!-- end of states -->{after}");
    std::fs::write(page_path(), page).expect("the page is written");
}

fn cells_of(line: &str) -> Vec<String> {
    line.trim_matches(['|', ' ']).split(" | ").map(|cell| cell.trim().to_owned()).collect()
}
