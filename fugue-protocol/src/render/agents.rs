//! An agent's state and the evidence for it, for people.

use super::{ForModel, ForPeople, PrintContext, PrintedReply, name_of, row};
use crate::agents::Explanation;

impl ForModel for Explanation {}
impl ForPeople for Explanation {
    fn for_people(&self, _: &PrintContext) -> PrintedReply {
        let rows = self.candidates.iter().map(|one| {
            let mark = if one.believed { "*" } else { " " };
            let reason = one.reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
            let because = Some(&one.because).filter(|because| !because.is_empty());
            let because = because.map(|because| format!(" - {because}")).unwrap_or_default();
            row(&format!("{mark} {}: {}{reason}{because}", name_of(one.source), one.state))
        });
        let rows: String = rows.collect();
        let conversation = self.conversation.as_ref();
        let conversation = conversation.map(|own| format!("conversation: {} {}\n", own.agent, own.id));
        let conversation = conversation.unwrap_or_default();
        PrintedReply::Text(format!("{}\nrecognized by: {}\n{conversation}{rows}", self.why, self.known_by))
    }
}
