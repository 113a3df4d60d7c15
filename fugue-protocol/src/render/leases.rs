//! Leases and waits for people.

use super::messages::waited;
use super::{ForModel, ForPeople, PrintContext, PrintedReply, Verdict, row};
use crate::SessionName;
use crate::verbs::Arguments;
use crate::views::{Claimed, LeaseList, LeaseView, WaitGraph, WaitView};

impl ForModel for Claimed {}
impl ForPeople for Claimed {
    fn for_people(&self, context: &PrintContext) -> PrintedReply {
        let held = if self.held { "held" } else { "not held" };
        let waited = waited(self.outcome, &self.circle);
        PrintedReply::Text(format!("{held}: {}{waited}", lease(&self.lease, context)))
    }

    fn verdict(&self, _: &Arguments) -> Verdict {
        Verdict::of(!self.outcome.is_some_and(|outcome| outcome.is_in_vain()))
    }
}

impl ForModel for LeaseList {}
impl ForPeople for LeaseList {
    fn for_people(&self, context: &PrintContext) -> PrintedReply {
        match self.leases.as_slice() {
            [] => PrintedReply::Nothing("no leases"),
            leases => PrintedReply::Text(leases.iter().map(|view| lease(view, context)).collect()),
        }
    }
}

impl ForModel for WaitGraph {}
impl ForPeople for WaitGraph {
    fn for_people(&self, context: &PrintContext) -> PrintedReply {
        PrintedReply::Text(match self.waits.as_slice() {
            [] => "no waits\n".into(),
            waits => waits.iter().map(|view| wait(view, context)).collect(),
        })
    }
}

fn lease(lease: &LeaseView, context: &PrintContext) -> String {
    let holder = lease.session_name.as_ref().map_or("(outside)", SessionName::as_str);
    let note = lease.note.as_ref().map(|note| format!(" {note}")).unwrap_or_default();
    let until = (context.clock)(lease.expires_at);
    row(&format!("{} {holder} fence {} until {until}{note}", lease.name, lease.fence))
}

fn wait(wait: &WaitView, context: &PrintContext) -> String {
    let on = wait.on.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or ");
    let from = if on.is_empty() { on } else { format!(" from {on}") };
    let until = (context.clock)(wait.until);
    row(&format!("{} is waiting for {}{from} until {until}", wait.session_name, wait.waits_for))
}
