//! The inboxes of agents: ways in which a line reaches an agent from outside its terminal. They are used elsewhere; here is
//! what is known of them.

use std::path::PathBuf;

use serde_json::Value;

/// An inbox of an agent.
#[derive(Debug)]
pub enum AgentInbox {
    /// A socket that the agent hands to its child processes.
    Socket(SocketInbox),
    /// A queue for each conversation, to which a command of the agent adds.
    Queue(QueueInbox),
    /// fugue's own plugin in the agent submits what `fugue hook` passes on.
    Plugin,
}

/// A socket that an agent names in the environment of its child processes.
#[derive(Debug)]
pub struct SocketInbox {
    /// The variable with its path.
    pub path: &'static str,
    /// The variable with the token that comes first.
    pub token: &'static str,
    /// The variable with the id of the conversation, which may be an old one.
    pub conversation: &'static str,
    /// The variable with the directory of the project.
    pub project: &'static str,
    /// The file, in the agent's own directory, with the current conversation of the process with this id.
    pub process_file: fn(u32) -> PathBuf,
    /// Reads the id of the conversation from that file.
    pub process_conversation: fn(&Value) -> Option<&str>,
    /// The record, in the agent's own directory, that the conversation with this id will have in this project.
    pub new_record: fn(&str, &str) -> PathBuf,
    /// The lines to write, given the token and a text.
    pub lines: fn(Option<&str>, &str) -> String,
    /// How a line of the record begins that only says that a text was queued.
    pub queued: &'static str,
}

/// A queue for each conversation.
#[derive(Debug)]
pub struct QueueInbox {
    /// The directory with a lock file for each conversation that a process writes, in the agent's own directory.
    pub locks: &'static str,
    /// The arguments of the agent that add a text to the queue of a conversation.
    pub arguments: fn(&str, &str) -> Vec<String>,
    /// How a line of the record begins that only says that a text was queued.
    pub queued: &'static str,
    /// The member of a call's metadata that names the conversation.
    pub call_names: &'static str,
}
