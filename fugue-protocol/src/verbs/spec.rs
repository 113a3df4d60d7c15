//! What every verb has.

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::properties::{Nature, Properties};
use crate::render::{ForModel, ForPeople};

/// A verb: the arguments of a request, and the type of the reply. Implemented by the rows of `for_each_verb!`.
pub trait VerbSpec: Serialize + DeserializeOwned + JsonSchema + Args {
    /// Its name on the wire and on a command line.
    const NAME: &'static str;
    /// What it does to the state of the daemon.
    const NATURE: Nature;
    /// Its other properties.
    const PROPERTIES: Properties;
    /// The type of its reply, which knows how to show itself to people and to models.
    type Reply: Serialize + DeserializeOwned + JsonSchema + ForPeople + ForModel;
}
