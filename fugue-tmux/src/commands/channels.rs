//! `wait-for`: named channels that programs wait for, signal and lock.

use fugue_protocol::verbs::{ChannelAct, UseChannel};
use fugue_protocol::views::ChannelOutcome;

use crate::context::{LineContext, Outcome};
use crate::flags::Flags;

/// `wait-for`
pub(super) async fn wait_for(cx: &mut LineContext, given: &Flags) -> Outcome {
    let acts = [('S', ChannelAct::Signal), ('L', ChannelAct::Lock), ('U', ChannelAct::Unlock)];
    let act = acts.into_iter().find(|(letter, _)| given.has(*letter)).map(|(_, act)| act);
    let channel = given.operand(0).to_owned();
    let act = act.unwrap_or(ChannelAct::Wait);
    let wait = UseChannel { act, channel: channel.clone(), timeout_ms: None, idempotency_key: None };
    loop {
        match cx.call(&wait).await? {
            ChannelOutcome::Done => return Ok(String::new()),
            ChannelOutcome::NotLocked => return Err(format!("channel {channel} not locked")),
            // tmux waits for any time, and a call for a day.
            ChannelOutcome::Timeout => {}
        }
    }
}
