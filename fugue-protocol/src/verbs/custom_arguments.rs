//! Argument types with a command-line form of their own.

use std::ops::Deref;
use std::str::FromStr;

use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Args, Command, FromArgMatches};
use serde::{Deserialize, Serialize};

use super::PaneChoice;
use crate::{PaneRef, Side};

/// `--right`, `--below`, `--left`, `--above`, or `--direction SIDE`.
impl Args for Side {
    fn group_id() -> Option<clap::Id> {
        Some("side".into())
    }

    fn augment_args(command: Command) -> Command {
        let direction = Arg::new("direction")
            .long("direction")
            .value_name("SIDE")
            .value_parser(Self::from_str)
            .help("Side: right (or horizontal), below (or vertical), left or above");
        let group =
            ArgGroup::new("side").multiple(false).arg("direction").args(Self::ALL.map(|(_, name, _)| name));
        Self::ALL
            .iter()
            .fold(command.arg(direction), |command, (side, name, letter)| {
                let arg = Arg::new(*name).long(*name).short(*letter).action(ArgAction::SetTrue);
                command.arg(arg.help(format!("Short for `--direction {side}`")))
            })
            .group(group)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Side {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let flagged = Self::ALL.iter().find(|(_, name, _)| matches.get_flag(name)).map(|(side, _, _)| *side);
        let missing =
            || clap::Error::raw(clap::error::ErrorKind::MissingRequiredArgument, "no side was given\n");
        flagged.or_else(|| matches.get_one::<Self>("direction").copied()).ok_or_else(missing)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// A pane that can be named without a flag on the command line: `explain PANE`, or `explain -t PANE`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PaneOperand(PaneChoice);

impl From<PaneChoice> for PaneOperand {
    fn from(choice: PaneChoice) -> Self {
        Self(choice)
    }
}

impl Deref for PaneOperand {
    type Target = PaneChoice;

    fn deref(&self) -> &PaneChoice {
        &self.0
    }
}

/// The argument without a flag, beside those of [`PaneChoice`].
const PANE_OPERAND: &str = "pane_operand";

impl Args for PaneOperand {
    fn augment_args(command: Command) -> Command {
        let operand = Arg::new(PANE_OPERAND)
            .value_name("PANE")
            .value_parser(PaneRef::from_str)
            .conflicts_with("pane")
            .help("Short for `--pane PANE`");
        PaneChoice::augment_args(command).arg(operand)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for PaneOperand {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let PaneChoice { pane, session } = PaneChoice::from_arg_matches(matches)?;
        let pane = pane.or_else(|| matches.get_one(PANE_OPERAND).cloned());
        Ok(Self(PaneChoice { pane, session }))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
