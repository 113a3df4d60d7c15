//! An agent's state and the evidence for it, for people.

use super::{ForModel, ForPeople, PrintContext, PrintedReply, name_of};
use crate::agents::Explanation;

impl ForModel for Explanation {}
impl ForPeople for Explanation {
    fn for_people(&self, _: &PrintContext) -> PrintedReply {
        let rows = self.candidates.iter().map(|row| {
            let mark = if row.believed { "*" } else { " " };
            let reason = row.reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
            let because = Some(&row.because).filter(|because| !because.is_empty());
            let because = because.map(|because| format!(" - {because}")).unwrap_or_default();
            format!("{mark} {}: {}{reason}{because}\n", name_of(row.source), row.state)
        });
        let rows: String = rows.collect();
        let conversation = self.conversation.as_ref();
        let conversation = conversation.map(|own| format!("conversation: {} {}\n", own.agent, own.id));
        let conversation = conversation.unwrap_or_default();
        PrintedReply::Text(format!("{}\nrecognized by: {}\n{conversation}{rows}", self.why, self.known_by))
    }
}
