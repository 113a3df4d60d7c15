//! Replaying the journal: the world is rebuilt from the last checkpoint and the events after it. What a newer fugue wrote
//! is kept for it.

use fugue_core::World;
use rusqlite::OptionalExtension;

use super::checkpoint_age::CheckpointAge;
use super::database::CheckedDatabase;
use super::messages::{self, LoadedMessages};

/// The world that a journal holds.
#[derive(Default)]
pub(super) struct ReplayedWorld {
    pub(super) world: World,
    pub(super) age: CheckpointAge,
    /// The warning that something in it is known to newer versions only, unless the user was warned of that before.
    pub(super) warning: Option<String>,
}

/// Rebuilds the world. The rows have been checked, so a failure is not damage: a newer version wrote what this one cannot
/// do without, or SQLite cannot read now.
pub(super) fn replay(checked: &CheckedDatabase) -> Result<ReplayedWorld, String> {
    let database = &checked.database;
    let checkpoint = "SELECT after, body FROM world WHERE id = 1";
    let checkpoint: Option<(i64, String)> =
        database.query_row(checkpoint, [], |row| Ok((row.get(0)?, row.get(1)?))).optional().map_err(text)?;
    let (after, mut world, mut age) = match checkpoint {
        Some((after, body)) => {
            (after, World::read(&body).map_err(unreadable)?, CheckpointAge::new(body.len() as u64))
        }
        None => (0, World::default(), CheckpointAge::default()),
    };
    let mut rows = database.prepare("SELECT body FROM event WHERE id > ?1 ORDER BY id").map_err(text)?;
    for body in rows.query_map([after], |row| row.get::<_, String>(0)).map_err(text)? {
        let body = body.map_err(text)?;
        age.add(1, body.len() as u64);
        let event = serde_json::from_str(&body).map_err(unreadable)?;
        world.evolve_stored(event).map_err(unreadable)?;
    }
    world.check().map_err(unreadable)?;
    // Messages have tables of their own, written in the events' transactions, so they are just as recent.
    let LoadedMessages { store, unknown } =
        messages::load(database, checked.contents.tip.last_message).map_err(text)?;
    world.messages = store;
    let is_news = world.newer.is_news() || unknown > 0;
    let warning = warning(&world.newer.names(), unknown);
    let warning = warning.filter(|warning| is_news && !world.warnings.contains(warning));
    Ok(ReplayedWorld { world, age, warning })
}

fn text(why: rusqlite::Error) -> String {
    format!("cannot read the journal: {why}")
}

fn unreadable(why: impl std::fmt::Display) -> String {
    format!(
        "the journal has an entry that this version of fugue ({}) cannot read and that is not damaged, so a newer \
         version wrote it ({why}); nothing was changed. Start the newer version again",
        env!("CARGO_PKG_VERSION")
    )
}

/// The warning that parts of the journal wait for the version that wrote them.
fn warning(names: &[String], messages: usize) -> Option<String> {
    let state = (!names.is_empty())
        .then(|| format!("changes that this version does not know ({})", names.join(", ")));
    let messages = match messages {
        0 => None,
        1 => Some("1 message that this version cannot read".to_owned()),
        many => Some(format!("{many} messages that this version cannot read")),
    };
    let parts: Vec<_> = state.into_iter().chain(messages).collect();
    (!parts.is_empty()).then(|| {
        format!(
            "The journal has {}; a newer fugue wrote them. They are kept, and take effect after an upgrade",
            parts.join(" and ")
        )
    })
}
