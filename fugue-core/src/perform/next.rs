//! The verb that only the next version has (`tools/next_version.rs`).

use fugue_protocol::verbs::MarkSession;
use fugue_protocol::views::Entries;
use fugue_protocol::{Event, Refusal};

use super::Perform;
use crate::decision::Decision;
use crate::request_context::RequestContext;
use crate::world::World;

impl Perform for MarkSession {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<Entries>, Refusal> {
        let session = world.session_or_own(self.session.as_ref(), context)?.id;
        let marked = self.mark.map(|mark| Event::SessionMarked { session, mark });
        let show = move |world: &World| {
            let mark = world.marks.get(&session).map(|mark| ("mark".to_owned(), mark.clone()));
            Entries { session_id: session, entries: mark.into_iter().collect() }
        };
        Ok(Decision::after(show).events(marked))
    }
}
