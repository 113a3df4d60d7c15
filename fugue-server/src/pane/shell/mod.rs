//! The processes in a pane: the program in the foreground, and commands that are run in a shell.

pub(crate) mod command_run;
pub(crate) mod foreground_process;
pub(crate) mod process_info;
pub(crate) mod shell_line;
pub(crate) mod shell_prompt;
