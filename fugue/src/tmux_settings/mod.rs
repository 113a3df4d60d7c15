//! tmux's settings as fugue's: options and key bindings become entries of `config.toml`. `set-option`, `bind-key` and
//! `fugue import-tmux` share this.

mod bindings;
mod import;
mod option_commands;
mod option_table;
mod option_value;
mod status_format;
mod styles;

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use fugue_client::ThisMachine;
use fugue_tmux::format::expand_without_session;
use fugue_tmux::reader::{self, ScriptCommand};

pub(crate) use bindings::{bind, unbind, unbound_table};
pub(crate) use import::{command, run};
pub(crate) use option_table::{Counterpart, configured, counterpart, setting_of, toggled};

/// The largest file that is read: a file of settings is far smaller.
const LARGEST: u64 = 4 << 20;

/// Reads commands whose conditions are evaluated as far as that is possible without a session.
fn parse(text: &str) -> Result<Vec<ScriptCommand>, String> {
    let variable = |name: &str| std::env::var(name).ok();
    reader::parse(text, &variable, &|format| expand_without_session(format, &ThisMachine, &variable))
}

/// Reads a file of commands. What the caller's shell passes (`<(…)`) is a pipe with a writer; any other pipe is refused,
/// because it may have none.
pub(crate) fn read_file(path: &Path) -> io::Result<String> {
    if path.starts_with("/dev/fd") || path == Path::new("/dev/stdin") {
        let mut text = String::new();
        return File::open(path)?.take(LARGEST).read_to_string(&mut text).map(|_| text);
    }
    fugue_config::read_regular_text(path, LARGEST)
}
