//! Messages between agents, with the real daemon: they arrive, whatever is killed.

mod agents;
mod bounds;
mod full;
mod parallel;
mod patience;
mod places;
#[allow(dead_code, reason = "the soak command tells all that was seen")]
mod soak;
mod telling;
mod timeline;

use fugue_testkit::House;
use soak::{Plan, soak};

fn house() -> House {
    House::new(env!("CARGO_BIN_EXE_fugue"))
}

#[test]
fn what_was_acknowledged_arrives_once_and_in_order_though_the_daemon_is_killed() {
    let plan = Plan { senders: 4, receivers: 3, messages: 1_200, kills: 6 };
    let seen = soak(&house(), plan);
    assert_eq!((seen.acknowledged, seen.received, seen.kills), (plan.messages, plan.messages, plan.kills));
}
