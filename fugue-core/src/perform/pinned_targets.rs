//! A request that starts something is decided twice. What it left open is fixed by the first decision, since the
//! program was told then where it is: the second one means the same session and window, or refuses.

use fugue_protocol::Verb;
use fugue_protocol::verbs::{
    CreateLayout, CreatePane, CreateSession, CreateWindow, PaneChoice, RespawnPane, Run, RunParallel,
    WindowChoice,
};

use crate::effect::ChildSpec;

/// The same request, with what its child was told written out.
pub(crate) fn pinned(verb: Verb, child: &ChildSpec) -> Verb {
    match verb {
        Verb::CreateSession(verb) => CreateSession { name: Some(child.session_name.clone()), ..verb }.into(),
        Verb::CreateWindow(verb) => CreateWindow { session: Some(child.session.into()), ..verb }.into(),
        Verb::CreateLayout(verb) => CreateLayout { session: Some(child.session.into()), ..verb }.into(),
        Verb::CreatePane(verb) => CreatePane { choice: place(child), ..verb }.into(),
        Verb::Run(verb) => Run { session: Some(child.session.into()), ..verb }.into(),
        Verb::RespawnPane(verb) => RespawnPane { choice: PaneChoice::of(child.pane), ..verb }.into(),
        Verb::RunParallel(verb) => RunParallel { session: Some(child.session.into()), ..verb }.into(),
        other => other,
    }
}

fn place(child: &ChildSpec) -> WindowChoice {
    WindowChoice { session: Some(child.session.into()), window: Some(child.window.into()) }
}
