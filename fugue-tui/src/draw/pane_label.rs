//! How a pane is called: by its name, or else by its program and title.

use fugue_protocol::views::{Life, PaneView, program_in_pane};

/// The label of a pane: its name, or its program and title, and how the program ended.
pub(crate) fn label(pane: &PaneView) -> String {
    let label = name(pane);
    match (pane.state, pane.exit) {
        (Life::Exited, Some(exit)) => format!("{label} [{exit}]"),
        (Life::Lost, _) => format!("{label} [lost]"),
        _ => label,
    }
}

/// The name of a pane, or else its program and title.
pub(crate) fn name(pane: &PaneView) -> String {
    pane.name.as_ref().map_or_else(|| program_and_title(pane), ToString::to_string)
}

/// The program in the foreground and the title, which often names the program, too.
fn program_and_title(pane: &PaneView) -> String {
    let agent = pane.agent.as_ref().map(|agent| agent.name.as_str());
    match (program_in_pane(agent, pane.foreground.as_deref()), pane.title.as_str()) {
        (Some(program), "") => program.to_owned(),
        (Some(program), title) if !title.contains(program) => format!("{program} · {title}"),
        (None, "") => pane.command.clone(),
        (_, title) => title.to_owned(),
    }
}
