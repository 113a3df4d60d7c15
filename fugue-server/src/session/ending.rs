//! The daemon's end, and what is left to do then.

use std::time::Duration;

use fugue_core::Input;
use fugue_protocol::views::Done;

use super::Manager;
use super::turn::Turn;
use crate::reply::Reply;
use crate::shells::Shells;

/// Whoever asked for the end may take so long to hear that it came.
const LAST_WORD: Duration = Duration::from_secs(2);

impl Manager {
    pub(super) fn shut_down(&mut self, reply: Reply) {
        self.ending = true;
        self.parting = Some(reply);
    }

    /// Closes everything, stores that, and answers whoever asked for it last of all. The keeper ends the programs when
    /// it sees this process end for good.
    pub(super) async fn end(mut self) {
        let mut turn = Turn::default();
        self.put(Input::CloseAll, &mut turn);
        self.finish(turn).await;
        self.way.close();
        self.surroundings.shells.iter().for_each(Shells::clear);
        if let Some(reply) = self.parting.take() {
            let unwritten = reply.unwritten();
            reply.done(&Done {});
            let _ = tokio::time::timeout(LAST_WORD, unwritten.empty()).await;
        }
    }

    /// A daemon whose keeper is gone can start nothing: it stays for the panes it holds, and no longer.
    pub(super) fn is_needless(&self) -> bool {
        self.orphaned && self.panes.is_empty()
    }
}
