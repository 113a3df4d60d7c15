//! Sessions, windows and panes for a model. A list of sessions is a short tree without whatever goes without saying, and
//! a change is answered with what was changed. Panes go by the last digits of their id.

use std::collections::BTreeSet;

use schemars::{JsonSchema, Schema};
use serde::Serialize;

use super::{ForModel, ModelContent, TextBudget, short_form};
use crate::names::PaneName;
use crate::views::{ExitStatus, Life, PaneList, PaneView, SessionList, SessionView, WindowView};
use crate::{AgentState, PaneId, SessionId, SessionName, Size, Tag, WindowId, WindowName};

/// The characters of a command that are shown.
const COMMAND_CHARS: usize = 60;

impl ForModel for PaneList {}

impl ForModel for SessionList {
    const RENDERED: bool = true;

    fn for_model(&self, _: TextBudget) -> Option<ModelContent> {
        // One session that was asked for is shown as it is, which fits the schema of the tree too.
        if self.detailed { None } else { short_form(&SessionTree::of(self)) }
    }

    fn schema() -> Schema {
        schemars::schema_for!(SessionTree)
    }
}

impl ForModel for SessionView {
    const RENDERED: bool = true;

    fn for_model(&self, _: TextBudget) -> Option<ModelContent> {
        short_form(&SessionChange { session_id: self.session_id, name: self.name.clone() })
    }

    fn schema() -> Schema {
        schemars::schema_for!(SessionChange)
    }
}

impl ForModel for WindowView {
    const RENDERED: bool = true;

    fn for_model(&self, _: TextBudget) -> Option<ModelContent> {
        let sized =
            |pane: &PaneView| Leaf { dimensions: Some(pane.dimensions), ..Leaf::of(pane, short(pane)) };
        short_form(&WindowChange {
            window_id: self.window_id,
            session_id: self.session_id,
            name: self.name.clone(),
            index: self.index,
            zoomed: self.zoomed,
            dimensions: self.dimensions,
            panes: self.panes.iter().map(sized).collect(),
        })
    }

    fn schema() -> Schema {
        schemars::schema_for!(WindowChange)
    }
}

impl ForModel for PaneView {
    const RENDERED: bool = true;

    fn for_model(&self, _: TextBudget) -> Option<ModelContent> {
        short_form(&PaneChange {
            pane_id: self.pane_id,
            window_id: self.window_id,
            session_id: self.session_id,
            name: self.name.clone(),
            command: shortened(&self.command),
            state: self.state,
            exit: self.exit,
        })
    }

    fn schema() -> Schema {
        schemars::schema_for!(PaneChange)
    }
}

/// All sessions.
#[derive(Serialize, JsonSchema)]
struct SessionTree {
    sessions: Vec<Root>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct Root {
    name: SessionName,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    tags: BTreeSet<Tag>,
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    unread: usize,
    windows: Vec<Branch>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct Branch {
    name: WindowName,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    active: bool,
    panes: Vec<Leaf>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct Leaf {
    pane_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PaneName")]
    name: Option<PaneName>,
    command: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Life")]
    state: Option<Life>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ExitStatus")]
    exit: Option<ExitStatus>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "LeafAgent")]
    agent: Option<LeafAgent>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Size")]
    dimensions: Option<Size>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    active: bool,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct LeafAgent {
    name: String,
    state: AgentState,
}

/// A session that was changed.
#[derive(Serialize, JsonSchema)]
struct SessionChange {
    session_id: SessionId,
    name: SessionName,
}

/// A window that was changed, and its panes, which may have been moved or resized.
#[derive(Serialize, JsonSchema)]
struct WindowChange {
    window_id: WindowId,
    session_id: SessionId,
    name: WindowName,
    #[schemars(schema_with = "crate::time::plain_integer")]
    index: usize,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    zoomed: bool,
    dimensions: Size,
    panes: Vec<Leaf>,
}

/// A pane that was changed.
#[derive(Serialize, JsonSchema)]
struct PaneChange {
    pane_id: PaneId,
    window_id: WindowId,
    session_id: SessionId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PaneName")]
    name: Option<PaneName>,
    command: String,
    state: Life,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ExitStatus")]
    exit: Option<ExitStatus>,
}

impl SessionTree {
    fn of(list: &SessionList) -> Self {
        let ids = PaneDigits::of(list);
        let branch = |window: &WindowView| Branch {
            name: window.name.clone(),
            active: window.active,
            panes: Leaf::all(window, |pane| ids.shown(pane)),
        };
        let root = |session: &SessionView| Root {
            name: session.name.clone(),
            tags: session.tags.clone(),
            unread: session.unread,
            windows: match session.windows.as_slice() {
                [only] => vec![Branch { active: false, ..branch(only) }],
                several => several.iter().map(branch).collect(),
            },
        };
        Self { sessions: list.sessions.iter().map(root).collect(), warnings: list.warnings.clone() }
    }
}

impl Leaf {
    fn of(pane: &PaneView, pane_id: String) -> Self {
        let agent = pane.agent.as_ref();
        Self {
            pane_id,
            name: pane.name.clone(),
            command: shortened(&pane.command),
            state: Some(pane.state).filter(|state| *state != Life::Running),
            exit: pane.exit,
            agent: agent.map(|agent| LeafAgent { name: agent.name.clone(), state: agent.state }),
            dimensions: None,
            active: pane.active,
        }
    }

    /// The panes of a window. Where there is no choice, none of them is marked as active.
    fn all(window: &WindowView, id: impl Fn(&PaneView) -> String) -> Vec<Self> {
        let alone = window.panes.len() == 1;
        let leaf = |pane: &PaneView| Self { active: pane.active && !alone, ..Self::of(pane, id(pane)) };
        window.panes.iter().map(leaf).collect()
    }
}

/// The last digits of the ids in a list, by which a pane is named if no other ends with them.
struct PaneDigits(BTreeSet<String>);

impl PaneDigits {
    fn of(list: &SessionList) -> Self {
        let panes =
            list.sessions.iter().flat_map(|session| &session.windows).flat_map(|window| &window.panes);
        let mut seen = BTreeSet::new();
        Self(panes.map(short).filter(|digits| !seen.insert(digits.clone())).collect())
    }

    /// The digits of a pane's id, or the whole id if another ends with the same digits.
    fn shown(&self, pane: &PaneView) -> String {
        Some(short(pane))
            .filter(|digits| !self.0.contains(digits))
            .unwrap_or_else(|| pane.pane_id.to_string())
    }
}

fn short(pane: &PaneView) -> String {
    pane.pane_id.short()
}

fn shortened(command: &str) -> String {
    match command.char_indices().nth(COMMAND_CHARS) {
        Some((end, _)) => format!("{}…", &command[..end]),
        None => command.to_owned(),
    }
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}
