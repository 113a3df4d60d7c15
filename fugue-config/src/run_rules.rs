//! The setting `fleet.run`: what sessions of other hosts may start on this one.

use std::collections::BTreeMap;

use fugue_protocol::FleetHost;
use toml::Value;
use toml::de::DeValue;

use crate::value::SettingType;

/// The programs that each host (`host`) or session (`host/session`) may start.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunRules(pub BTreeMap<String, Vec<String>>);

impl SettingType for RunRules {
    fn expected() -> String {
        "a section with a list of programs for each host or host/session".into()
    }

    fn read(value: &DeValue<'_>) -> Result<Self, String> {
        let invalid = |why: &str| format!("must be {}{why}", Self::expected());
        let DeValue::Table(rules) = value else { return Err(invalid("")) };
        let rule = |who: &str, programs: &DeValue<'_>| {
            let is_name = who.parse::<FleetHost>().is_ok() || FleetHost::split(who).is_some();
            match Vec::<String>::read(programs) {
                Ok(programs) if is_name => Ok((who.to_owned(), programs)),
                Ok(_) => Err(invalid(&format!("; `{who}` is neither"))),
                Err(why) => Err(format!("is invalid: `{who}` {why}")),
            }
        };
        let rules = rules.iter().map(|(who, programs)| rule(who.get_ref(), programs.get_ref()));
        rules.collect::<Result<_, _>>().map(Self)
    }

    fn to_toml(&self) -> Option<Value> {
        let list =
            |programs: &Vec<String>| Value::Array(programs.iter().cloned().map(Value::String).collect());
        let rules = self.0.iter().map(|(who, programs)| (who.clone(), list(programs)));
        (!self.0.is_empty()).then(|| Value::Table(rules.collect()))
    }
}
