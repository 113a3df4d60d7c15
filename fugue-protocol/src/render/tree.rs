//! Sessions, windows, panes and clients for people.

use super::{ForModel, ForPeople, PrintContext, PrintedReply, Remark, default_rendering, restore, row};
use crate::agents::AgentView;
use crate::views::{
    BufferName, ChannelOutcome, ClientList, ClientView, DaemonMetrics, Done, Entries, EnvironmentView,
    GlobalEnvironment, HookList, Identity, Life, OptionList, OptionOutcome, PaneCreated, PaneList, PaneView,
    PasteBuffer, PasteBufferList, PipeOutcome, ServerStatus, SessionList, SessionView, Subscribed, Tags,
    WindowView,
};

default_rendering!(
    BufferName,
    ChannelOutcome,
    DaemonMetrics,
    Done,
    Entries,
    EnvironmentView,
    GlobalEnvironment,
    HookList,
    Identity,
    OptionList,
    OptionOutcome,
    PasteBuffer,
    PasteBufferList,
    PipeOutcome,
    ServerStatus,
    Subscribed,
    Tags
);

impl ForPeople for SessionList {
    fn for_people(&self, _: &PrintContext) -> PrintedReply {
        match self.sessions.is_empty() {
            true => PrintedReply::Nothing("no sessions"),
            false => PrintedReply::Text(self.sessions.iter().map(session).collect()),
        }
    }

    /// The warnings that were not dismissed: a script that reads the list must not take one for a session.
    fn remarks(&self) -> Vec<Remark> {
        let remark = |warning: &String| Remark {
            text: format!("warning: {warning} (`fugue dismiss-warnings` dismisses it)"),
            people_only: false,
        };
        self.warnings.iter().map(remark).collect()
    }
}

impl ForPeople for SessionView {
    fn for_people(&self, _: &PrintContext) -> PrintedReply {
        PrintedReply::Text(session(self))
    }
}

impl ForModel for ClientList {}
impl ForPeople for ClientList {
    fn for_people(&self, _: &PrintContext) -> PrintedReply {
        lines(&self.clients, "no clients", client)
    }
}

impl ForPeople for PaneList {
    fn for_people(&self, _: &PrintContext) -> PrintedReply {
        let session = |view: &PaneView| self.session_names.get(&view.session_id);
        let placed = |view: &PaneView| match session(view) {
            Some(name) => format!("{name} {}", pane(view)),
            None => pane(view),
        };
        lines(&self.panes, "no panes", placed)
    }
}

impl ForPeople for PaneView {
    fn for_people(&self, _: &PrintContext) -> PrintedReply {
        PrintedReply::Text(pane(self))
    }
}

impl ForModel for PaneCreated {}
impl ForPeople for PaneCreated {
    fn for_people(&self, _: &PrintContext) -> PrintedReply {
        let worktree = self.worktree.as_ref().map(|own| format!(" in {}", own.path)).unwrap_or_default();
        let note = self.note.as_ref().map(|note| format!(" ({note})")).unwrap_or_default();
        PrintedReply::Text(row(&format!("pane {} {}{worktree}{note}", self.pane_id, self.dimensions)))
    }
}

impl ForPeople for WindowView {
    /// The window, and its panes below it.
    fn for_people(&self, _: &PrintContext) -> PrintedReply {
        let zoomed = if self.zoomed { ", zoomed" } else { "" };
        let panes: String = self.panes.iter().map(|view| format!("  {}", pane(view))).collect();
        let head = row(&format!("{}: {} {}{zoomed}", self.index, self.name, self.dimensions));
        PrintedReply::Text(head + &panes)
    }
}

fn lines<T>(items: &[T], none: &'static str, line: impl Fn(&T) -> String) -> PrintedReply {
    match items {
        [] => PrintedReply::Nothing(none),
        items => PrintedReply::Text(items.iter().map(line).collect()),
    }
}

fn session(session: &SessionView) -> String {
    let panes: usize = session.windows.iter().map(|window| window.panes.len()).sum();
    let tags: String = session.tags.iter().map(|tag| format!(" [{tag}]")).collect();
    let count = |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
    let (windows, panes) = (count(session.windows.len(), "window"), count(panes, "pane"));
    let agents =
        session.windows.iter().flat_map(|window| &window.panes).filter_map(|pane| pane.agent.as_ref());
    let agents = counted(agents.map(|agent| format!("{} {}", agent.name, agent.state_words())));
    let clients = match session.clients {
        0 => String::new(),
        clients => format!(" ({})", count(clients, "client")),
    };
    let unread = if session.unread > 0 { format!(" ({} unread)", session.unread) } else { String::new() };
    let own = session.own_worktree.as_ref().map(|own| format!(" (worktree {})", own.path));
    let own = own.unwrap_or_default();
    row(&format!("{}: {windows}, {panes}{agents}{tags}{own}{clients}{unread}", session.name))
}

/// Texts after commas, each once with its number.
fn counted(texts: impl Iterator<Item = String>) -> String {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for text in texts {
        match counts.iter_mut().find(|(known, _)| *known == text) {
            Some((_, count)) => *count += 1,
            None => counts.push((text, 1)),
        }
    }
    let times = |count: usize| if count > 1 { format!("{count} ") } else { String::new() };
    counts.into_iter().map(|(text, count)| format!(", {}{text}", times(count))).collect()
}

fn client(client: &ClientView) -> String {
    let read_only = if client.read_only { " (read-only)" } else { "" };
    row(&format!("{}: {} {}{read_only}", client.client, client.session_name, client.dimensions))
}

fn agent(agent: &AgentView) -> String {
    let reason = agent.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
    format!(" [{} {}{reason}]", agent.name, agent.state_words())
}

fn pane(pane: &PaneView) -> String {
    let state = match (pane.state, pane.exit) {
        (Life::Exited, Some(exit)) => format!("{exit}"),
        (Life::Lost, _) => "lost".into(),
        _ => format!("pid {}", pane.pid.unwrap_or_default()),
    };
    let name = pane.name.as_ref().map(|name| format!(" {name}")).unwrap_or_default();
    let active = if pane.active { " (active)" } else { "" };
    let muted = if pane.muted { " (muted)" } else { "" };
    let closed = if pane.closed { " (closed)" } else { "" };
    let agent = pane.agent.as_ref().map(agent).unwrap_or_default();
    let lost = pane.lost.as_ref().map(|lost| {
        let cwd = pane.cwd.as_ref().map(|cwd| format!(" in {cwd}")).unwrap_or_default();
        format!("{cwd}{}", restore::was(lost))
    });
    let lost = lost.unwrap_or_default();
    let PaneView { number, dimensions, command, .. } = pane;
    row(&format!("%{number}{name} [{dimensions}] {state} {command}{agent}{lost}{active}{muted}{closed}"))
}
