//! The types that a setting can have: how they are read, shown and described.

use fugue_protocol::FleetHost;
use fugue_protocol::refusal::nearest;
use fugue_screen::LinkSchemes;
use fugue_screen::keys::Key;
use toml::Value;
use toml::de::DeValue;

use crate::choices::Choice;

/// A type that a setting can have.
pub(crate) trait SettingType: Sized {
    /// Describes the valid values, to follow "must be".
    fn expected() -> String;

    /// Reads a value of the file. The error follows the setting's name.
    fn read(value: &DeValue<'_>) -> Result<Self, String>;

    /// The value as TOML; nothing if it is not set.
    fn to_toml(&self) -> Option<Value>;
}

/// The error for a value of the wrong type.
fn unexpected<T: SettingType>() -> String {
    format!("must be {}", T::expected())
}

impl SettingType for bool {
    fn expected() -> String {
        "true or false".into()
    }

    fn read(value: &DeValue<'_>) -> Result<Self, String> {
        value.as_bool().ok_or_else(unexpected::<Self>)
    }

    fn to_toml(&self) -> Option<Value> {
        Some(Value::Boolean(*self))
    }
}

impl SettingType for usize {
    fn expected() -> String {
        "a whole number, at least 0".into()
    }

    fn read(value: &DeValue<'_>) -> Result<Self, String> {
        let number =
            value.as_integer().and_then(|number| i64::from_str_radix(number.as_str(), number.radix()).ok());
        number.and_then(|number| Self::try_from(number).ok()).ok_or_else(unexpected::<Self>)
    }

    fn to_toml(&self) -> Option<Value> {
        i64::try_from(*self).ok().map(Value::Integer)
    }
}

impl SettingType for String {
    fn expected() -> String {
        "a string".into()
    }

    fn read(value: &DeValue<'_>) -> Result<Self, String> {
        value.as_str().map(str::to_owned).ok_or_else(unexpected::<Self>)
    }

    fn to_toml(&self) -> Option<Value> {
        Some(Value::String(self.clone()))
    }
}

/// A setting that may be absent. An empty string counts as absent, so that nothing has to handle an empty name.
impl SettingType for Option<String> {
    fn expected() -> String {
        String::expected()
    }

    fn read(value: &DeValue<'_>) -> Result<Self, String> {
        String::read(value).map(|text| Some(text).filter(|text| !text.is_empty()))
    }

    fn to_toml(&self) -> Option<Value> {
        self.as_ref().and_then(SettingType::to_toml)
    }
}

/// The name of this host in a fleet. An empty string counts as absent.
impl SettingType for Option<FleetHost> {
    fn expected() -> String {
        "a host name".into()
    }

    fn read(value: &DeValue<'_>) -> Result<Self, String> {
        let name = value.as_str().ok_or_else(unexpected::<Self>)?;
        let parsed = (!name.is_empty()).then(|| name.parse()).transpose();
        parsed.map_err(|why| format!("{}: {why}", unexpected::<Self>()))
    }

    fn to_toml(&self) -> Option<Value> {
        self.as_ref().map(|host| Value::String(host.to_string()))
    }
}

impl SettingType for Key {
    fn expected() -> String {
        "a key name".into()
    }

    fn read(value: &DeValue<'_>) -> Result<Self, String> {
        let name = value.as_str().ok_or_else(unexpected::<Self>)?;
        name.parse().map_err(|why| format!("{}: {why}", unexpected::<Self>()))
    }

    fn to_toml(&self) -> Option<Value> {
        Some(Value::String(self.to_string()))
    }
}

/// A key that may be absent. An empty string counts as absent, and so does tmux's `None`.
impl SettingType for Option<Key> {
    fn expected() -> String {
        Key::expected()
    }

    fn read(value: &DeValue<'_>) -> Result<Self, String> {
        match value.as_str() {
            Some("" | "None") => Ok(None),
            _ => Key::read(value).map(Some),
        }
    }

    fn to_toml(&self) -> Option<Value> {
        self.as_ref().and_then(SettingType::to_toml)
    }
}

impl SettingType for LinkSchemes {
    fn expected() -> String {
        "a list of scheme names".into()
    }

    fn read(value: &DeValue<'_>) -> Result<Self, String> {
        let mut schemes = Self::default();
        for scheme in value.as_array().ok_or_else(unexpected::<Self>)? {
            let scheme = scheme.get_ref().as_str().ok_or_else(unexpected::<Self>)?;
            schemes.add(scheme).map_err(|why| format!("{}: {why}", unexpected::<Self>()))?;
        }
        Ok(schemes)
    }

    fn to_toml(&self) -> Option<Value> {
        Some(Value::Array(self.added().iter().cloned().map(Value::String).collect()))
    }
}

impl SettingType for Vec<String> {
    fn expected() -> String {
        "a list of strings".into()
    }

    fn read(value: &DeValue<'_>) -> Result<Self, String> {
        let texts = value.as_array().ok_or_else(unexpected::<Self>)?.iter();
        texts.map(|text| String::read(text.get_ref()).map_err(|_| unexpected::<Self>())).collect()
    }

    fn to_toml(&self) -> Option<Value> {
        Some(Value::Array(self.iter().cloned().map(Value::String).collect()))
    }
}

/// Words as "a, b or c".
pub fn alternatives(words: impl Iterator<Item = impl Into<String>>) -> String {
    let words: Vec<String> = words.map(Into::into).collect();
    match words.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => words.concat(),
    }
}

impl<T: Choice> SettingType for T {
    fn expected() -> String {
        alternatives(T::WORDS.iter().map(|(word, _)| format!("\"{word}\"")))
    }

    fn read(value: &DeValue<'_>) -> Result<Self, String> {
        let wrong = value.as_str().unwrap_or_default();
        let found = T::WORDS.iter().find(|(word, _)| *word == wrong);
        let near = || did_you_mean(wrong, T::WORDS.iter().map(|(word, _)| *word));
        found.map(|(_, value)| *value).ok_or_else(|| unexpected::<Self>() + &near())
    }

    fn to_toml(&self) -> Option<Value> {
        let found = T::WORDS.iter().find(|(_, value)| value == self);
        found.map(|(word, _)| Value::String((*word).into()))
    }
}

/// Returns `; did you mean "…"?`, or nothing if no name is similar.
pub(crate) fn did_you_mean<'a>(wrong: &str, names: impl Iterator<Item = &'a str>) -> String {
    nearest(wrong, names).map(|near| format!("; did you mean \"{near}\"?")).unwrap_or_default()
}
