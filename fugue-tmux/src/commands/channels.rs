//! `wait-for`: named channels that programs wait for, signal and lock.

use crate::context::{LineContext, Outcome};
use crate::flags::Flags;
use crate::steps::{ChannelAct, Step};

/// `wait-for`
pub(super) async fn wait_for(cx: &mut LineContext, given: &Flags) -> Outcome {
    let acts = [('S', ChannelAct::Signal), ('L', ChannelAct::Lock), ('U', ChannelAct::Unlock)];
    let act = acts.into_iter().find(|(letter, _)| given.has(*letter)).map(|(_, act)| act);
    let name = given.operand(0).to_owned();
    cx.act(Step::Channel { name, act: act.unwrap_or(ChannelAct::Wait) }).await?;
    Ok(String::new())
}
