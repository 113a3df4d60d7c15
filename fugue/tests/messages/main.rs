//! Messages between agents, with the real daemon: they arrive even if the daemon is killed.

mod full_disk;
mod inbox_limits;
mod mcp_tools;
mod notifications;
mod repositories;
mod run_parallel;
#[allow(dead_code, reason = "the soak command tells all that was seen")]
mod soak;
mod timeline;
mod wait_recovery;

use fugue_testkit::TestServer;
use soak::{Plan, soak};

fn test_server() -> TestServer {
    TestServer::new(env!("CARGO_BIN_EXE_fugue"))
}

#[test]
fn acknowledged_messages_arrive_once_and_in_order_despite_daemon_kills() {
    let plan = Plan { senders: 4, receivers: 3, messages: 1_200, kills: 6 };
    let seen = soak(&test_server(), plan);
    assert_eq!((seen.acknowledged, seen.received, seen.kills), (plan.messages, plan.messages, plan.kills));
}
