//! The client side of the daemon's socket: where the daemon listens, how it is started, and how a verb is called.
//!
//! Three connections wrap one session without I/O: [`Connection`] blocks, so that a one-shot command costs little more
//! than its process; [`PollConnection`] never blocks and is driven by the caller's poll loop, as in a terminal client;
//! [`AsyncConnection`] runs on tokio. [`SharedConnection`] lets many tasks call over one `AsyncConnection`.

mod async_connection;
mod call_error;
mod client_session;
mod connection;
mod daemon_watch;
mod env;
mod idempotency_key;
mod input_ledger;
mod ledger_memory;
mod machine;
mod pane_daemons;
mod paths;
mod poll_connection;
mod probes;
mod relay;
mod remote_host;
mod server_frame;
mod shared_connection;
mod socket;
mod ssh_line;
mod startup;
mod unresponsive_daemon;
mod upgrade;

pub use async_connection::{AsyncConnection, Endpoint};
pub use call_error::{CallError, PASSING_REFUSALS};
pub use connection::{Connection, ConnectionCloser};
pub use env::{Env, ancestors};
pub use fugue_keeper::is_stopped_with_file;
pub use idempotency_key::random_key;
pub use input_ledger::UndeliveredKeys;
pub use ledger_memory::LedgerMemory;
pub use machine::ThisMachine;
pub use pane_daemons::pane_daemons;
pub use paths::{DaemonName, Paths, StartPolicy};
pub use poll_connection::PollConnection;
pub use relay::{ask_relay, relay_socket, running_relay, try_relay_lock};
pub use remote_host::{HostName, RemoteHost};
pub use server_frame::ServerFrame;
pub use shared_connection::{Call, SharedConnection};
pub use ssh_line::{NO_DAEMON, ssh_command};
pub use startup::{
    connect, connect_or_start, daemon_socket, is_daemon_of_environment, is_running, may_have_left_sessions,
    wait_for_end,
};
pub use unresponsive_daemon::UnresponsiveDaemon;
pub use upgrade::{await_report, request_upgrade};
