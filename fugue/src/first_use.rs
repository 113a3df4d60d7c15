//! What a person who is new to fugue is told: hints on the status line for the first few visits, and one offer to connect
//! the agents that are installed.

use std::fs::{self, DirBuilder};
use std::io::{IsTerminal, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;

use fugue_client::{DaemonName, Env};
use serde::{Deserialize, Serialize};

use crate::{help, setup};

/// The file beside the daemons' state directories.
const FILE: &str = "first-use.json";

/// The number of visits with hints.
const HINTED_VISITS: u32 = 5;

/// What was shown so far.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct FirstUse {
    /// The number of visits, up to those with hints.
    visits: u32,
    /// Whether the agents were offered to be connected.
    setup_offered: bool,
}

impl FirstUse {
    fn read() -> Self {
        let text = file().and_then(|file| fs::read_to_string(file).ok()).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    }

    /// Writes it; returns whether that worked.
    fn write(&self) -> bool {
        let Some(file) = file() else { return false };
        if let Some(directory) = file.parent() {
            let _ = DirBuilder::new().mode(0o700).recursive(true).create(directory);
        }
        serde_json::to_string(self).is_ok_and(|text| fs::write(file, text).is_ok())
    }
}

fn file() -> Option<PathBuf> {
    let paths = DaemonName::default().paths(&Env::own()).ok()?;
    Some(paths.state.parent()?.join(FILE))
}

/// Counts a visit; returns whether it is one of the first, in which hints are shown.
pub(crate) fn begin_visit() -> bool {
    let mut first_use = FirstUse::read();
    if first_use.visits >= HINTED_VISITS {
        return false;
    }
    first_use.visits += 1;
    // If the count cannot be kept, the hints would never go away.
    first_use.write()
}

/// Offers once to connect the agents that are installed but not connected.
pub(crate) fn offer_setup() {
    let mut first_use = FirstUse::read();
    if first_use.setup_offered || !std::io::stderr().is_terminal() {
        return;
    }
    let agents = setup::unconnected();
    if agents.is_empty() {
        return;
    }
    first_use.setup_offered = true;
    if first_use.write() && wants_setup(&agents) {
        setup::run_at_once();
    }
}

fn wants_setup(agents: &[&str]) -> bool {
    let installed = match agents {
        [one] => format!("{one} is installed but not connected to fugue. Connected, it reports its state"),
        [rest @ .., last] => {
            let rest = rest.join(", ");
            format!(
                "{rest} and {last} are installed but not connected to fugue. Connected, they report their state"
            )
        }
        [] => return false,
    };
    let text = format!(
        "{installed} and can message other agents. This is asked only once; `fugue setup` does it later."
    );
    let rows = fugue_tui::wrapped(&text, help::output_width()).join("\n");
    let _ = write!(std::io::stderr(), "{rows}\nConnect now? [y/N] ");
    let mut answer = String::new();
    let _ = std::io::stdin().read_line(&mut answer);
    matches!(answer.trim(), "y" | "Y" | "yes")
}
