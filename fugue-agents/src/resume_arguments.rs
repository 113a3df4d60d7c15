//! The arguments of agents that may be repeated when a conversation is resumed. Each agent's are in its module.
//!
//! Only flags that are known to be safe to repeat are kept: an unknown one may take a value, or belong to the prompt.

use crate::start::AgentStart;

/// Which arguments of an agent may be repeated.
#[derive(Debug)]
pub(crate) struct ResumeArguments {
    /// The known flags.
    pub(crate) flags: &'static [(&'static str, FlagKind)],
    /// Subcommands and flags with which the agent holds no conversation in its terminal.
    pub(crate) one_shot: &'static [&'static str],
    /// Whether arguments that are not flags are directories; otherwise they are the prompt, which was answered already.
    pub(crate) keeps_words: bool,
}

/// What becomes of a flag when a conversation is resumed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FlagKind {
    /// It is repeated.
    Keep,
    /// It is repeated with its value.
    KeepValue,
    /// It is repeated with all words up to the next flag.
    KeepWords,
    /// It is dropped.
    Drop,
    /// It is dropped with its value, if it has one.
    DropValue,
}

use FlagKind::{Drop, DropValue, Keep, KeepValue, KeepWords};

impl ResumeArguments {
    /// Those of an agent of whose arguments nothing is known.
    pub(crate) const UNKNOWN: Self = Self { flags: &[], one_shot: &[], keeps_words: false };

    /// What becomes of a flag; none if nothing is known about it.
    fn kind(&self, name: &str, start: &AgentStart) -> Option<FlagKind> {
        let known = self.flags.iter().find(|(flag, _)| *flag == name).map(|(_, kind)| *kind);
        // The flags of the start, in the user's own row.
        known.or_else(|| {
            start.flag(name).map(|flag| match (flag.is_kept, flag.has_value) {
                (true, true) => KeepValue,
                (true, false) => Keep,
                (false, true) => DropValue,
                (false, false) => Drop,
            })
        })
    }

    /// The arguments to repeat, and the unknown flags that are dropped; none if the agent held no conversation.
    pub(crate) fn repeatable(
        &self,
        arguments: &[String],
        start: &AgentStart,
    ) -> Option<(Vec<String>, Vec<String>)> {
        let (mut kept, mut dropped) = (Vec::new(), Vec::new());
        let mut words = arguments.iter().peekable();
        let mut is_first = true;
        while let Some(word) = words.next() {
            let (name, has_value) =
                word.split_once('=').map_or((word.as_str(), false), |(name, _)| (name, true));
            if word == "--" {
                break;
            }
            if !is_flag(word) {
                if std::mem::take(&mut is_first) && self.one_shot.contains(&word.as_str()) {
                    return None;
                }
                kept.extend(self.keeps_words.then(|| word.clone()));
                continue;
            }
            if self.one_shot.contains(&name) {
                return None;
            }
            let kind = self.kind(name, start);
            let mut values = Vec::new();
            let most = match kind {
                Some(KeepValue | DropValue) if !has_value => 1,
                Some(KeepWords) if !has_value => usize::MAX,
                _ => 0,
            };
            while values.len() < most
                && let Some(value) = words.next_if(|next| !is_flag(next))
            {
                values.push(value.clone());
            }
            match kind {
                Some(Keep | KeepValue | KeepWords) => kept.extend([word.clone()].into_iter().chain(values)),
                Some(Drop | DropValue) => {}
                // Flag and value are one word, so that it cannot be mistaken for something else.
                None if has_value => kept.push(word.clone()),
                None => dropped.push(word.clone()),
            }
        }
        Some((kept, dropped))
    }
}

fn is_flag(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-')
}
