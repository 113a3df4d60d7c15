//! Messages as replies show them, without their payloads.

use fugue_protocol::SessionId;
use fugue_protocol::agent_messages::Sender;
use fugue_protocol::views::{MessageReport, MessageView, ReceiptView, RecipientView};

use super::StoredMessage;

/// The name of the session that resent a lost message.
fn resender(by: Option<&Sender>) -> String {
    by.map_or_else(|| "(outside)".into(), |by| by.name.to_string())
}

impl StoredMessage {
    /// The message without its payload.
    pub(crate) fn view(&self) -> MessageView {
        let header = &self.header;
        let from = header.from.as_ref();
        MessageView {
            message_id: header.message,
            from_session_id: from.map(|from| from.session),
            from_session_name: from.map(|from| from.name.clone()),
            // A pane on another host means nothing here.
            from_pane_id: from.filter(|_| header.origin.is_none()).map(|from| from.pane),
            from_user: header.from_user,
            from_claimed: from.is_some_and(|from| from.claimed),
            target: header.target.clone(),
            msg_type: header.msg_type.clone(),
            payload: None,
            payload_hidden: false,
            bytes: header.bytes,
            sent_at: header.sent_at,
            expires_at: header.expires_at,
            reply_to: header.reply_to,
            resends: header.resends(),
            resent_by: header.resends().map(|_| resender(header.resent_by())),
            number: self.number,
        }
    }

    /// The message with its delivery states.
    pub(crate) fn report(&self) -> MessageReport {
        let receipts = self.header.recipients.iter();
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

    /// The recipients.
    pub(crate) fn recipients(&self) -> Vec<RecipientView> {
        let to = self.header.recipients.iter();
        to.map(|to| RecipientView { session_id: to.session, session_name: to.name.clone(), reason: None })
            .collect()
    }
}
