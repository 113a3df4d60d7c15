//! The rules for what sessions of other hosts may start on this one. Whatever no rule allows is refused.

use std::collections::BTreeMap;

use fugue_protocol::{FleetHost, SessionName};

/// Stands for every program, and for everything else that a request can ask for.
const ANYTHING: &str = "*";

/// The programs that a host (`host`) or one of its sessions (`host/session`) may start.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StartRules(BTreeMap<String, Vec<String>>);

impl StartRules {
    /// Rules from the user's settings.
    pub fn new(rules: BTreeMap<String, Vec<String>>) -> Self {
        Self(rules)
    }

    /// Whether a session of a host, named `host/session`, may start a program; none if only someone who may start
    /// anything may do this.
    pub(crate) fn allow(&self, host: &FleetHost, session: &SessionName, program: Option<&str>) -> bool {
        let applies = |who: &str| who == host.as_str() || who == session.as_str();
        let allowed = self.0.iter().filter(|(who, _)| applies(who)).flat_map(|(_, programs)| programs);
        let mut allowed = allowed.map(String::as_str);
        allowed.any(|one| one == ANYTHING || Some(one) == program)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_for_a_host_or_for_one_of_its_sessions() {
        let rules = [("desk", vec!["claude"]), ("desk/lead", vec!["*"])];
        let rules = rules.map(|(who, what)| (who.into(), what.into_iter().map(String::from).collect()));
        let rules = StartRules::new(rules.into());
        let allow = |session: &str, program: Option<&str>| {
            let (host, _) = FleetHost::split(session).unwrap();
            rules.allow(&host, &session.parse().unwrap(), program)
        };
        assert!(allow("desk/work", Some("claude")));
        assert!(!allow("desk/work", Some("bash")));
        assert!(!allow("desk/work", None));
        assert!(allow("desk/lead", Some("bash")));
        assert!(allow("desk/lead", None));
        assert!(!allow("gpu/lead", Some("claude")));
    }
}
