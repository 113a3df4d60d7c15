//! Windows with several panes, described as a whole.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::str::FromStr;

use clap::Args;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{KeyValue, Program, serde_errors};
use crate::names::PaneName;
use crate::views::OnExit;
use crate::{SessionRef, Side, WindowName};

/// Create a window with several panes.
///
/// If any part is invalid or a program cannot start, nothing is created.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
pub struct CreateLayout {
    /// The layout, as nested objects. A pane is {"name"?, "command"? or "argv"?, "cwd"?, "env"?, "on_exit"?}.
    /// A split is {"direction": "right" or "below", "children": [two or more parts]}. Any part may have a "ratio",
    /// which is its size relative to its siblings.
    pub layout: LayoutPart,
    /// Session name or UUID. Defaults to the current session.
    #[arg(long, short = 's')]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionRef")]
    pub session: Option<SessionRef>,
    /// Window name. Defaults to the name of the first program.
    #[arg(long, short = 'n')]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "WindowName")]
    pub name: Option<WindowName>,
    /// Do not switch to the new window.
    #[arg(long, short = 'd')]
    #[serde(default)]
    pub background: bool,
}

/// A part of a layout: a split if it has children, otherwise a pane.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", default, deny_unknown_fields)]
pub struct LayoutPart {
    /// The part's size relative to its siblings. Defaults to their average. If no sibling has one, a number from 10 to 99
    /// is a percentage, and a smaller one means that many times the size of a sibling.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<u32>,
    /// Where each child is placed: to the right of the previous one or below it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<Side>,
    /// The parts of a split, in order.
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "non_empty")]
    pub children: Vec<Self>,
    /// A pane's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<PaneName>,
    /// A pane's command line for the shell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Or a pane's program and arguments.
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "non_empty")]
    pub argv: Vec<String>,
    /// A pane's working directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// A pane's environment variables.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// What happens to a pane when its program exits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_exit: Option<OnExit>,
}

impl LayoutPart {
    /// The program of a pane.
    pub fn program(&self) -> Program {
        Program {
            cwd: self.cwd.clone(),
            env: self.env.iter().map(|(name, value)| KeyValue(name.clone(), value.clone())).collect(),
            on_exit: self.on_exit,
            command: self.command.clone(),
            argv: self.argv.clone(),
        }
    }

    /// Whether it has a field that only a pane can have.
    pub fn is_pane(&self) -> bool {
        let Self { name, command, argv, cwd, env, on_exit, .. } = self;
        name.is_some()
            || command.is_some()
            || !argv.is_empty()
            || cwd.is_some()
            || !env.is_empty()
            || on_exit.is_some()
    }
}

/// A command line gives a layout as JSON.
impl FromStr for LayoutPart {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let json = serde_json::from_str(text).map_err(|why| serde_errors::describe(&why.to_string()))?;
        serde_errors::read(json)
    }
}

/// Rejects an empty list, which is most likely a mistake.
fn non_empty<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Vec<T>, D::Error> {
    let list = Vec::deserialize(from)?;
    if list.is_empty() { Err(D::Error::custom("must not be empty; omit it instead")) } else { Ok(list) }
}

impl Serialize for LayoutPart {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, to)
    }
}

/// Only an object is accepted: serde would also read a list of field values, and `[]` would be a pane.
impl<'de> Deserialize<'de> for LayoutPart {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(LayoutPartVisitor)
    }
}

struct LayoutPartVisitor;

impl<'de> Visitor<'de> for LayoutPartVisitor {
    type Value = LayoutPart;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object that describes a pane or a split")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<LayoutPart, A::Error> {
        LayoutPart::deserialize(MapAccessDeserializer::new(map))
    }
}

/// A recursive schema would need `$ref`, which some clients cannot read: nested parts are plain objects.
impl JsonSchema for LayoutPart {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "LayoutPart".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "properties": {
                "direction": { "type": "string", "enum": ["right", "below"] },
                "children": { "type": "array", "items": { "type": "object" } },
                "ratio": { "type": "integer" },
                "name": { "type": "string" },
                "command": { "type": "string" },
                "argv": { "type": "array", "items": { "type": "string" } },
                "cwd": { "type": "string" },
                "env": { "type": "object", "additionalProperties": { "type": "string" } },
                "on_exit": { "type": "string", "enum": ["close", "keep", "keep_failed"] },
            },
        })
    }
}
