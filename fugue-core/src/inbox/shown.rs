//! Messages as replies show them, without their bodies.

use fugue_protocol::SessionId;
use fugue_protocol::orchestration::Sender;
use fugue_protocol::views::{MessageReport, MessageView, ReceiptView, RecipientView};

use super::Letter;

/// Who sent a lost message again.
fn resender(by: Option<&Sender>) -> String {
    by.map_or_else(|| "(outside)".into(), |by| by.name.to_string())
}

impl Letter {
    /// The message, its body to be put in.
    pub(crate) fn view(&self) -> MessageView {
        let envelope = &self.envelope;
        let from = envelope.from.as_ref();
        MessageView {
            message_id: envelope.message,
            from_session_id: from.map(|from| from.session),
            from_session_name: from.map(|from| from.name.clone()),
            from_pane_id: from.map(|from| from.pane),
            from_claimed: from.is_some_and(|from| from.claimed),
            target: envelope.target.clone(),
            msg_type: envelope.msg_type.clone(),
            payload: None,
            bytes: envelope.bytes,
            sent_at: envelope.sent_at,
            expires_at: envelope.expires_at,
            reply_to: envelope.reply_to,
            resends: envelope.resends,
            resent_by: envelope.resends.map(|_| resender(envelope.resent_by.as_ref())),
            number: self.number,
        }
    }

    /// The message and what became of it.
    pub(crate) fn report(&self) -> MessageReport {
        let receipts = self.envelope.recipients.iter();
        let receipt = |session: SessionId| self.receipts.get(&session).cloned().unwrap_or_default();
        MessageReport {
            message: self.view(),
            receipts: receipts
                .map(|to| {
                    let receipt = receipt(to.session);
                    ReceiptView {
                        session_id: to.session,
                        session_name: to.name.clone(),
                        state: receipt.state,
                        how: receipt.how,
                        offered_at: receipt.offered_at,
                        settled_at: receipt.settled_at,
                        reply: receipt.reply,
                        reason: receipt.reason,
                        resent_as: receipt.resent_as,
                    }
                })
                .collect(),
        }
    }

    /// Who gets it.
    pub(crate) fn recipients(&self) -> Vec<RecipientView> {
        let to = self.envelope.recipients.iter();
        to.map(|to| RecipientView { session_id: to.session, session_name: to.name.clone(), reason: None })
            .collect()
    }
}
