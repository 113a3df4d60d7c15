//! The user's rules for what agents ask. fugue gives the answer that a rule names, and records it in the audit log; what no
//! rule covers waits for the user.

use fugue_protocol::PaneId;
use fugue_protocol::dialogs::{ChoiceEffect, Dialog, DialogKind, OpenDialog};
use fugue_protocol::permission_rules::{PermissionRule, RuleVerdict};

use crate::caller::Caller;
use crate::edge_request::AnswerRequest;
use crate::effect::Effect;
use crate::scope::AuditEntry;
use crate::world::{Pane, World};

/// Characters by which a shell runs more than one command. In an `allow` rule, `*` does not match them.
const SHELL_OPERATORS: [char; 10] = [';', '&', '|', '<', '>', '$', '`', '(', ')', '\n'];

/// The user's rules.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PermissionRules {
    /// Those that deny come first.
    rules: Vec<PermissionRule>,
    /// Whether there are rules that cannot be read. One of them may deny anything, so nothing is allowed.
    is_incomplete: bool,
}

/// What the rules say to a dialog that one of them covers.
#[derive(Debug)]
pub(crate) struct Ruling {
    /// The answer; none if it is left to the user.
    pub(crate) effect: Option<Effect>,
    /// The line for the audit log.
    pub(crate) entry: AuditEntry,
}

impl PermissionRules {
    /// Creates rules. A `deny` rule takes precedence over an `allow` rule.
    pub fn new(rules: impl IntoIterator<Item = PermissionRule>) -> Self {
        let mut rules: Vec<_> = rules.into_iter().collect();
        rules.sort_by_key(|rule| std::cmp::Reverse(rule.verdict));
        Self { rules, is_incomplete: false }
    }

    /// The same rules, of which some may be missing because they cannot be read.
    pub fn incomplete(self, is_incomplete: bool) -> Self {
        Self { is_incomplete, ..self }
    }

    /// The rule that covers a dialog, and the number of its choice.
    fn decide(&self, agent: &str, dialog: &Dialog) -> Option<(&PermissionRule, usize)> {
        let command = dialog.command.as_deref().filter(|_| dialog.kind == DialogKind::Permission)?;
        let rule = self.rules.iter().find(|rule| covers(rule, agent, command))?;
        let effect = match rule.verdict {
            RuleVerdict::Allow => ChoiceEffect::Allow,
            RuleVerdict::Deny => ChoiceEffect::Deny,
        };
        Some((rule, dialog.only(effect)?))
    }

    /// What the rules say to the dialog in a pane; none if no rule covers it.
    pub(crate) fn ruling(&self, world: &World, pane: PaneId, open: &OpenDialog) -> Option<Ruling> {
        let known = world.panes.get(&pane)?;
        let agent = known.agent.view.as_ref()?;
        let (rule, choice) = self.decide(&agent.name, &open.dialog)?;
        let refusal = self.objection(rule, known, &open.dialog).map(str::to_owned);
        let by = format!("the rule `{}`", rule.text());
        let answer = Box::new(AnswerRequest { dialog: open.dialog.clone(), choice, text: None, by });
        let effect = refusal.is_none().then_some(Effect::AnswerDialog { pane, answer });
        let command = open.dialog.command.clone().unwrap_or_default();
        let entry = AuditEntry {
            verb: "permission-rule",
            caller: Caller::Outside,
            session: None,
            touched: vec![world.session_of(known).name.to_string()],
            detail: Some(format!("{} by rule `{}`: {command}", rule.verdict.name(), rule.text())),
            refusal,
        };
        Some(Ruling { effect, entry })
    }

    /// Why the rule that covers the dialog in a pane does not answer it, for people to read.
    pub(crate) fn why_not(&self, pane: &Pane) -> Option<String> {
        let dialog = &pane.dialog.as_deref()?.dialog;
        let (rule, _) = self.decide(&pane.agent.view.as_ref()?.name, dialog)?;
        let why = self.objection(rule, pane, dialog)?;
        Some(format!("rule `{}` does not answer: {why}", rule.text()))
    }

    /// Why a rule that covers a dialog must not answer it. Any program of the user can draw on a terminal, so the agent
    /// itself must have reported what it asks, in another way, and the screen must say the same.
    fn objection(&self, rule: &PermissionRule, pane: &Pane, dialog: &Dialog) -> Option<&'static str> {
        let shown = dialog.command.as_deref().map(str::trim);
        if rule.verdict == RuleVerdict::Allow && self.is_incomplete {
            return Some("another rule cannot be read, and might deny this");
        }
        match pane.agent.asked_command().map(str::trim) {
            None => Some("only the screen shows this command, and the agent has not reported it"),
            reported if reported == shown => None,
            Some(_) => Some("the agent has reported another command than its screen shows"),
        }
    }
}

fn covers(rule: &PermissionRule, agent: &str, command: &str) -> bool {
    let any = |c: char| rule.verdict == RuleVerdict::Deny || !SHELL_OPERATORS.contains(&c);
    (rule.agent == "*" || rule.agent == agent) && matches(&rule.command, command, &any)
}

/// Whether a text matches a pattern in which `*` stands for any number of certain characters. Takes time in proportion to
/// the lengths of both: the places in the pattern that can have been reached are advanced by each character.
fn matches(pattern: &str, text: &str, any: &impl Fn(char) -> bool) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let mut reached = vec![false; pattern.len() + 1];
    reached[0] = true;
    skip_stars(&pattern, &mut reached);
    for c in text.chars() {
        let mut next = vec![false; reached.len()];
        for (at, expected) in pattern.iter().enumerate().filter(|(at, _)| reached[*at]) {
            next[at] |= *expected == '*' && any(c);
            next[at + 1] |= *expected != '*' && *expected == c;
        }
        skip_stars(&pattern, &mut next);
        reached = next;
    }
    reached[pattern.len()]
}

/// A star may stand for nothing.
fn skip_stars(pattern: &[char], reached: &mut [bool]) {
    for (at, c) in pattern.iter().enumerate() {
        reached[at + 1] |= reached[at] && *c == '*';
    }
}

#[cfg(test)]
mod tests {
    use fugue_protocol::dialogs::DialogChoice;

    use super::*;

    fn rules(texts: &[(&str, RuleVerdict)]) -> PermissionRules {
        PermissionRules::new(texts.iter().filter_map(|(text, verdict)| PermissionRule::parse(text, *verdict)))
    }

    fn asks(command: Option<&str>) -> Dialog {
        let choice = |label: &str, effect| DialogChoice::new(label, effect);
        Dialog {
            kind: DialogKind::Permission,
            title: None,
            question: "Proceed?".into(),
            detail: Vec::new(),
            command: command.map(str::to_owned),
            choices: vec![choice("Yes", ChoiceEffect::Allow), choice("No", ChoiceEffect::Deny)],
            selected: 1,
        }
    }

    #[test]
    fn a_rule_covers_its_agent_and_its_command_and_nothing_that_is_chained_to_it() {
        let rules = rules(&[("claude: git status*", RuleVerdict::Allow), ("*: rm *", RuleVerdict::Deny)]);
        let choice =
            |agent: &str, command: &str| rules.decide(agent, &asks(Some(command))).map(|(_, choice)| choice);
        assert_eq!(choice("claude", "git status -s"), Some(1));
        assert_eq!(choice("codex", "git status -s"), None);
        for command in
            ["git status; id", "git status && id", "git status $(id)", "git status\nid", "git stash"]
        {
            assert_eq!(choice("claude", command), None, "{command}");
        }
        assert_eq!(choice("codex", "rm -r x && id"), Some(2));
    }

    #[test]
    fn what_denies_comes_first_and_a_dialog_without_a_command_is_the_users() {
        let rules = rules(&[("*: *", RuleVerdict::Allow), ("*: git push*", RuleVerdict::Deny)]);
        assert_eq!(rules.decide("claude", &asks(Some("git push"))).map(|(_, choice)| choice), Some(2));
        assert_eq!(rules.decide("claude", &asks(None)), None);
        let trust = Dialog { kind: DialogKind::Startup, ..asks(Some("x")) };
        assert_eq!(rules.decide("claude", &trust), None);
    }

    #[test]
    fn a_pattern_with_many_stars_takes_no_time() {
        let many = format!("*: touch {}b", "*a".repeat(60));
        let rules = rules(&[(&many, RuleVerdict::Deny)]);
        let decided =
            |end: &str| rules.decide("claude", &asks(Some(&format!("touch {}{end}", "a".repeat(200)))));
        assert!(decided("").is_none());
        assert!(decided("b").is_some());
    }
}
