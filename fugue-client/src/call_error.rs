//! The reasons why a call got no reply.

use std::fmt;
use std::io;

use fugue_protocol::refusal::{CommandLineWords, Hint, HintWords, Refused};
use fugue_protocol::verbs::{CreateSession, GetServerStatus, Nature, VerbInfo};

use crate::remote_host::HostName;
use crate::unresponsive_daemon::UnresponsiveDaemon;

/// How the place of a daemon on another host begins; the host follows.
pub(crate) const ON_HOST: &str = "on ";

/// The reason why a call got no reply.
#[derive(Debug)]
pub enum CallError {
    /// The daemon refused the request.
    Refused(Box<Refused>),
    /// No daemon is running at this place (`at SOCKET`, `on HOST`), and none was to be started.
    NoDaemon(String),
    /// The daemon is running and does not answer.
    Unresponsive(Box<UnresponsiveDaemon>),
    /// The connection broke before the answer came. Whether the request was carried out is unknown.
    Lost(io::Error),
    /// Something on this machine that the call needs cannot be used, such as the socket's directory.
    Local(String),
    /// The daemon sent something that this version cannot read.
    Malformed(String),
    /// The request was sent and for this reason got no answer. Whether it was carried out is unknown.
    Unanswered(Box<Self>),
}

/// The codes of refusals that say nothing about the request: the daemon cannot carry out any now.
pub const PASSING_REFUSALS: [&str; 4] =
    ["storage_full", "shutting_down", "unfinished", "too_many_connections"];

/// What is said of a request that was sent and not answered.
const MAY_HAVE_TAKEN_EFFECT: &str = "the request may have taken effect";

impl CallError {
    /// Whether the daemon could not be asked, so that the same call may work later.
    pub fn is_temporary(&self) -> bool {
        match self {
            Self::Lost(_) | Self::Unresponsive(_) => true,
            Self::Refused(refused) => {
                self.is_failed_start() || PASSING_REFUSALS.contains(&refused.code.as_str())
            }
            Self::Unanswered(why) => why.is_temporary(),
            Self::NoDaemon(_) | Self::Local(_) | Self::Malformed(_) => false,
        }
    }

    /// Whether the daemon refused the request because it is shutting down, before or while it carried it out.
    pub fn is_shutdown(&self) -> bool {
        let codes = ["shutting_down", "unfinished"];
        matches!(self, Self::Refused(refused) if codes.contains(&refused.code.as_str()))
    }

    /// Whether the daemon refused the request because it is shutting down, before it began to carry it out.
    pub fn is_shutdown_before_start(&self) -> bool {
        matches!(self, Self::Refused(refused) if refused.code == "shutting_down")
    }

    /// Whether the daemon cannot be started. The keeper says so in its place.
    pub fn is_failed_start(&self) -> bool {
        matches!(self, Self::Refused(refused) if refused.code == "daemon_cannot_start")
    }

    /// The error as it is told about a daemon on another host: a different version there is repaired in another way, and
    /// what the shell there prints when it starts is taken for a reply.
    pub(crate) fn about_host(self, host: Option<&HostName>) -> Self {
        match (self, host) {
            (Self::Refused(refused), Some(host)) if refused.code == "version_mismatch" => {
                Self::Refused(Box::new(other_version(host, *refused)))
            }
            (Self::Malformed(why), Some(host)) => {
                let test = format!("`ssh {} true` must print nothing", host.address);
                Self::Malformed(format!("{why} ({test}, such as from ~/.bashrc there)"))
            }
            (error, _) => error,
        }
    }

    /// The error as it is told about a request for this verb that was sent: nobody knows whether it was carried out. A
    /// request that only reads changes nothing, and a daemon that refuses it, or is not there, has not carried it out.
    pub(crate) fn after_sending(self, verb: &str) -> Self {
        let only_reads = VerbInfo::by_name_or_alias(verb).is_some_and(|verb| verb.nature == Nature::Reads);
        match self {
            Self::Unresponsive(_) | Self::Local(_) | Self::Malformed(_) if !only_reads => {
                Self::Unanswered(Box::new(self))
            }
            // That the connection was lost says as much.
            other => other,
        }
    }

    /// The same error for one more caller: `io::Error` cannot be cloned.
    pub(crate) fn copy(&self) -> Self {
        match self {
            Self::Refused(refused) => Self::Refused(refused.clone()),
            Self::NoDaemon(place) => Self::NoDaemon(place.clone()),
            Self::Unresponsive(daemon) => Self::Unresponsive(daemon.clone()),
            Self::Lost(why) => Self::Lost(why.kind().into()),
            Self::Local(why) => Self::Local(why.clone()),
            Self::Malformed(why) => Self::Malformed(why.clone()),
            Self::Unanswered(why) => Self::Unanswered(Box::new(why.copy())),
        }
    }

    /// One sentence that names what failed, without the next step.
    pub fn message(&self) -> String {
        match self {
            Self::Refused(refused) => refused.message.clone(),
            Self::NoDaemon(place) => format!("No fugue daemon is running {place}"),
            Self::Unresponsive(daemon) => daemon.message(),
            Self::Lost(why) => format!("Lost the connection to the daemon before it replied: {why}"),
            Self::Local(why) => why.clone(),
            Self::Malformed(why) => format!("Cannot read the daemon's reply: {why}"),
            Self::Unanswered(why) => {
                let message = why.message();
                // The reasons of ssh bring their own hint.
                let (sentence, rest) = message.split_at(message.find('\n').unwrap_or(message.len()));
                format!("{sentence}; {MAY_HAVE_TAKEN_EFFECT}{rest}")
            }
        }
    }

    /// The next step in the language of a surface.
    pub fn hint_in(&self, words: &impl HintWords) -> Option<String> {
        match self {
            Self::Refused(refused) => refused.hint_in(words),
            Self::NoDaemon(place) if place.starts_with(ON_HOST) => {
                let host = &place[ON_HOST.len()..];
                Some(words.hint(&Hint::text(format!(
                    "`fugue --host {host} new -d` starts one and creates a session"
                ))))
            }
            Self::NoDaemon(_) => {
                Some(words.hint(&Hint::use_verb::<CreateSession>("starts one and creates a session")))
            }
            Self::Unresponsive(daemon) => Some(daemon.hint()),
            Self::Lost(_) => Some(format!("{MAY_HAVE_TAKEN_EFFECT}; check before you try again")),
            Self::Unanswered(why) => why.hint_in(words),
            Self::Local(_) => None,
            Self::Malformed(_) => {
                let version = words.hint(&Hint::use_verb::<GetServerStatus>("shows the daemon's version"));
                Some(format!(
                    "{version}; if it is this one's, `fugue debug-bundle` writes a file for a bug report"
                ))
            }
        }
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message())?;
        self.hint_in(&CommandLineWords).map_or(Ok(()), |hint| write!(f, "\nhint: {hint}"))
    }
}

impl std::error::Error for CallError {}

impl From<Refused> for CallError {
    fn from(refused: Refused) -> Self {
        Self::Refused(Box::new(refused))
    }
}

/// The error for something that this version cannot read or write.
pub(crate) fn malformed(why: impl fmt::Display) -> CallError {
    CallError::Malformed(why.to_string())
}

/// The refusal of a daemon on another host that speaks another protocol, with the command that helps here.
fn other_version(host: &HostName, refused: Refused) -> Refused {
    let number =
        |name: &str| refused.detail.get(name).and_then(serde_json::Value::as_u64).unwrap_or_default();
    let text = |name: &str| refused.detail.get(name).and_then(|text| text.as_str()).unwrap_or("?").to_owned();
    let (ours, theirs) = (number("theirs"), number("ours"));
    let name = &host.name;
    let (age, hint) = match theirs < ours {
        true => (
            "older",
            format!(
                "`fugue hosts install {name}` installs this version there and upgrades its daemon; programs keep running"
            ),
        ),
        false => ("newer", "update fugue on this host".to_owned()),
    };
    let versions =
        format!("{}, protocol {theirs}; this is {}, protocol {ours}", text("version"), text("client"));
    let message = format!("fugue on {name} is {age} ({versions})");
    Refused { message, hint: Some(hint), hints: Vec::new(), ..refused }
}

#[cfg(test)]
mod tests {
    use fugue_protocol::Refusal;

    use super::*;

    fn stopped() -> CallError {
        CallError::Unresponsive(Box::new(UnresponsiveDaemon {
            process: Some(("daemon", 42)),
            is_stopped: true,
            is_connected: true,
            log: "/state/log".into(),
            host: None,
        }))
    }

    #[test]
    fn an_error_is_a_sentence_and_the_next_step() {
        assert_eq!(
            stopped().to_string(),
            "The daemon (pid 42) is stopped\nhint: run `kill -CONT 42` to resume it"
        );
    }

    #[test]
    fn text_that_the_shell_of_another_host_prints_is_a_likely_reason_for_an_unreadable_reply() {
        let host = HostName { name: "box".into(), address: "ann@box".into() };
        let unreadable = || CallError::Malformed("unknown kind of frame: 111".into());
        assert_eq!(
            unreadable().about_host(Some(&host)).message(),
            "Cannot read the daemon's reply: unknown kind of frame: 111 \
             (`ssh ann@box true` must print nothing, such as from ~/.bashrc there)"
        );
        let here = "Cannot read the daemon's reply: unknown kind of frame: 111";
        assert_eq!(unreadable().about_host(None).message(), here);
    }

    #[test]
    fn a_daemon_that_shuts_down_refuses_what_it_has_not_begun_and_what_it_has_not_finished() {
        let refused = |code: &str| {
            let refused = Refused { code: code.into(), ..Refused::from(&Refusal::ShuttingDown) };
            CallError::Refused(Box::new(refused))
        };
        for (code, is_shutdown) in [("shutting_down", true), ("unfinished", true), ("storage_full", false)] {
            assert_eq!(refused(code).is_shutdown(), is_shutdown, "{code}");
            assert_eq!(refused(code).is_shutdown_before_start(), code == "shutting_down");
        }
    }

    #[test]
    fn a_request_that_was_sent_may_have_taken_effect_unless_it_only_reads() {
        assert_eq!(
            stopped().after_sending("send-input").to_string(),
            "The daemon (pid 42) is stopped; the request may have taken effect\nhint: run `kill -CONT 42` to resume it"
        );
        assert_eq!(stopped().after_sending("list-sessions").to_string(), stopped().to_string());
        let cut = CallError::Local("Cannot reach box: reset\nhint: `ssh box true` shows why".into());
        assert_eq!(
            cut.after_sending("run").to_string(),
            "Cannot reach box: reset; the request may have taken effect\nhint: `ssh box true` shows why"
        );
        let refused = CallError::NoDaemon("on box".into()).after_sending("run").to_string();
        assert!(!refused.contains("may have"), "{refused}");
    }
}
