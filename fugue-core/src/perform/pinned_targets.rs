//! Requests that start a program are decided twice. The first decision fixes what the request left open, because the
//! program is told its session and window: the second decision uses the same ones or refuses.

use fugue_protocol::Verb;
use fugue_protocol::verbs::{
    CreateLayout, CreatePane, CreateSession, CreateWindow, PaneChoice, RespawnPane, RestorePanes,
    ResumeAgent, Run, RunParallel, SpawnAgent, WindowChoice,
};

use crate::effect::ChildSpec;

/// The request with its session, window or name filled in from the child.
pub(crate) fn pinned(verb: Verb, child: &ChildSpec) -> Verb {
    match verb {
        Verb::CreateSession(verb) => CreateSession { name: Some(child.session_name.clone()), ..verb }.into(),
        Verb::CreateWindow(verb) => CreateWindow { session: Some(child.session.into()), ..verb }.into(),
        Verb::CreateLayout(verb) => CreateLayout { session: Some(child.session.into()), ..verb }.into(),
        Verb::CreatePane(verb) => CreatePane { choice: place(child), ..verb }.into(),
        Verb::Run(verb) => Run { session: Some(child.session.into()), ..verb }.into(),
        Verb::RespawnPane(verb) => RespawnPane { choice: PaneChoice::of(child.pane), ..verb }.into(),
        Verb::ResumeAgent(_) => ResumeAgent { choice: PaneChoice::of(child.pane).into() }.into(),
        Verb::RestorePanes(verb) if verb.pane.is_some() => {
            RestorePanes { pane: Some(child.pane.into()), session: None, ..verb }.into()
        }
        Verb::RestorePanes(verb) if !verb.all => {
            RestorePanes { session: Some(child.session.into()), ..verb }.into()
        }
        Verb::SpawnAgent(verb) if verb.pane.is_some() => SpawnAgent { place: place(child), ..verb }.into(),
        Verb::SpawnAgent(verb) => SpawnAgent { name: Some(child.session_name.clone()), ..verb }.into(),
        Verb::RunParallel(verb) => RunParallel { session: Some(child.session.into()), ..verb }.into(),
        other => other,
    }
}

fn place(child: &ChildSpec) -> WindowChoice {
    WindowChoice { session: Some(child.session.into()), window: Some(child.window.into()) }
}
