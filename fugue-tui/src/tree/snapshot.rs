//! The tree as it was when a question, a prompt or a list opened. The command that it leads to is about what the person
//! saw then, wherever the focus moves until the answer.

use std::fmt;
use std::ops::Deref;
use std::rc::Rc;

use fugue_protocol::{PaneId, SessionId, WindowId};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::Tree;
use crate::draw;

/// A tree that does not change any more.
#[derive(Clone)]
pub(crate) struct TreeSnapshot(Rc<Tree>);

impl TreeSnapshot {
    pub(crate) fn of(tree: &Tree) -> Self {
        Self(Rc::new(tree.clone()))
    }

    /// Whether the person still looks at the pane that had the keyboard.
    pub(crate) fn is_still_at(&self, now: &Tree) -> bool {
        self.place() == now.place()
    }

    /// The target of a command that was there and is gone, with its name.
    pub(crate) fn lost_target(&self, args: &RawValue, now: &Tree) -> Option<String> {
        let args: Map<String, Value> = serde_json::from_str(args.get()).unwrap_or_default();
        let id = |field: &str| args.get(field).and_then(Value::as_str);
        self.lost_pane(id("pane"), now)
            .or_else(|| self.lost_window(id("window"), now))
            .or_else(|| self.lost_session(id("session"), now))
    }

    fn lost_pane(&self, id: Option<&str>, now: &Tree) -> Option<String> {
        let id = id?.parse::<PaneId>().ok().filter(|id| now.find_pane(*id).is_none())?;
        self.find_pane(id).map(|pane| format!("Pane “{}”", draw::label(pane)))
    }

    fn lost_window(&self, id: Option<&str>, now: &Tree) -> Option<String> {
        let id = id?.parse::<WindowId>().ok().filter(|id| now.find_window(*id).is_none())?;
        self.find_window(id).map(|window| format!("Window “{}:{}”", window.index, window.name))
    }

    fn lost_session(&self, id: Option<&str>, now: &Tree) -> Option<String> {
        let id = id?.parse::<SessionId>().ok().filter(|id| now.find_session(*id).is_none())?;
        self.find_session(id).map(|session| format!("Session “{}”", session.name))
    }
}

impl Deref for TreeSnapshot {
    type Target = Tree;

    fn deref(&self) -> &Tree {
        &self.0
    }
}

impl fmt::Debug for TreeSnapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TreeSnapshot({})", self.here)
    }
}

impl PartialEq for TreeSnapshot {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for TreeSnapshot {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::tests::session;
    use crate::command::{self, Command};

    fn args(line: &str, tree: &Tree) -> Box<RawValue> {
        match command::read(line, tree, &[]) {
            Ok(Command::Verb { args, .. }) => args,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn a_command_is_about_what_the_person_saw_and_names_what_is_gone() {
        let (first, second) = (session(1, Some("working"), 0), session(2, Some("working"), 0));
        let mut tree = Tree::new(first.session_id);
        tree.update(vec![first.clone(), second.clone()]);
        let before = TreeSnapshot::of(&tree);
        tree.here = second.session_id;
        assert!(!before.is_still_at(&tree));
        let lines = [
            ("close-pane", "Pane “codex”"),
            ("kill-window", "Window “0:one”"),
            ("rename-session x", "Session “s1”"),
        ];
        for (line, name) in lines {
            let args = args(line, &before);
            assert!(args.get().contains(&first.session_id.to_string()), "the same id in all of them: {line}");
            assert_eq!(before.lost_target(&args, &tree), None, "{line}");
            let mut gone = Tree::new(second.session_id);
            gone.update(vec![second.clone()]);
            assert_eq!(before.lost_target(&args, &gone).as_deref(), Some(name));
        }
    }
}
