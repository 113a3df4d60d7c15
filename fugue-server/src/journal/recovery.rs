//! Opening the journal: the database and its copy are checked and compared, what is damaged is set aside and rebuilt from
//! the other, and the world is replayed.

use std::path::Path;

use fugue_core::World;
use fugue_protocol::Timestamp;
use rusqlite::Connection;

use super::checkpoint_age::CheckpointAge;
use super::copy_file::CopyFile;
use super::copy_reader::{self, CopyReader, ScannedCopy};
use super::copy_record::CopyRecord;
use super::damage_report::DamageReport;
use super::damaged_files::JournalPaths;
use super::database::{self, CheckedDatabase, OpenError};
use super::database_thread::JournalFile;
use super::format::FORMAT;
use super::rebuild;
use super::recovery_plan::{Findings, Plan};
use super::replay::{self, ReplayedWorld};
use super::tip::Tip;
use super::witness::{Testimony, Witness};

/// The repairs after which the journal is given up: each file is rebuilt at most once, and everything is created anew
/// after that.
const MAX_REPAIRS: usize = 6;

/// The state that the journal held at the start.
pub(crate) struct RecoveredState {
    /// The world as it was.
    pub(crate) world: World,
    /// What was stored since the last checkpoint of the world.
    pub(crate) age: CheckpointAge,
    /// The damage that was found, what was lost, and what only a newer version knows.
    pub(crate) warnings: Vec<String>,
    /// Whether something may be lost: then programs may be running that the journal does not know.
    pub(crate) lost: bool,
    /// The number of the last event.
    pub(crate) last_event: u64,
    /// The time of the last event.
    pub(crate) last_at: Timestamp,
}

impl JournalFile {
    /// Opens or creates the journal in a directory, and returns the state it holds. After each repair everything is
    /// examined again, so what is opened in the end has been checked as a whole.
    pub(super) fn open(directory: &Path) -> Result<(Self, RecoveredState), String> {
        let paths = JournalPaths::new(directory);
        paths.remove_unfinished();
        let (mut report, witness) = (DamageReport::default(), Testimony::read(&paths.witness));
        if paths.undo_exchange() {
            report.add(&paths.database, "it was swapped with its copy", None);
        }
        for _ in 0..MAX_REPAIRS {
            let examined = examine(&paths)?;
            let plan = examined.findings(&paths).plan();
            if plan == Plan::Create {
                return Self::create(witness, &paths, report);
            }
            let (Plan::Keep, Ok(database), Some(copy)) = (&plan, &examined.database, &examined.copy) else {
                repair(plan, examined, &paths, &mut report)?;
                continue;
            };
            match replay::replay(database) {
                Ok(replayed) => {
                    report.compare(witness, &database.contents.tip);
                    let copy = CopyFile::open(&paths.copy, copy).map_err(|why| why.to_string())?;
                    let database = examined.database.map_err(|why| why.to_string())?;
                    return Self::recovered(
                        (database.database, copy),
                        database.contents.tip,
                        replayed,
                        (&paths, report),
                    );
                }
                // Every row has its checksum, so nothing is damaged: it must not be discarded.
                Err(why) => return Err(why),
            }
        }
        Err(format!("cannot repair the journal in {}", directory.display()))
    }

    /// Creates the journal. What was just written need not be read again.
    fn create(
        witness: Option<Testimony>,
        paths: &JournalPaths,
        mut report: DamageReport,
    ) -> Result<(Self, RecoveredState), String> {
        let tip = Tip { journal: database::new_id(), ..Tip::default() };
        let database = database::create(&paths.database, tip.journal).map_err(|why| why.to_string())?;
        let copy = CopyFile::create(&paths.copy, &database, &tip)?;
        report.compare(witness, &tip);
        Self::recovered((database, copy), tip, ReplayedWorld::default(), (paths, report))
    }

    fn recovered(
        (database, copy): (Connection, CopyFile),
        tip: Tip,
        replayed: ReplayedWorld,
        (paths, report): (&JournalPaths, DamageReport),
    ) -> Result<(Self, RecoveredState), String> {
        let (last_event, last_at) = (tip.last_event, Timestamp::from_millis(tip.last_at));
        let mut file = Self::new(database, copy, paths, tip).map_err(|why| why.to_string())?;
        let witness = Witness::open(&paths.witness, &tip);
        file.witness =
            Some(witness.map_err(|why| format!("cannot write {}: {why}", paths.witness.display()))?);
        let ReplayedWorld { world, age, warning } = replayed;
        let (lost, warnings) = (report.is_loss(), report.warning().into_iter().chain(warning).collect());
        Ok((file, RecoveredState { world, age, warnings, lost, last_event, last_at }))
    }
}

/// The journal's files as they were found.
struct ExaminedFiles {
    database: Result<CheckedDatabase, OpenError>,
    copy: Option<ScannedCopy>,
}

impl ExaminedFiles {
    fn findings(&self, paths: &JournalPaths) -> Findings<'_> {
        Findings {
            database: self.database.as_ref().map(|found| &found.contents),
            is_database_new: self.database.as_ref().is_ok_and(|found| found.is_new),
            copy: self.copy.as_ref(),
            witness: Testimony::read(&paths.witness),
        }
    }
}

fn examine(paths: &JournalPaths) -> Result<ExaminedFiles, String> {
    let copy = CopyReader::open(&paths.copy).ok().map(copy_reader::scan);
    let known = copy.as_ref().filter(|copy| copy.contents.is_some()).map(|copy| copy.format.cast_signed());
    let database = match (database::open(&paths.database), known) {
        // The number itself is damaged: a newer fugue would have written a newer copy as well.
        (Err(OpenError::NewerFormat(_)), Some(..=FORMAT)) => {
            Err(OpenError::Damaged("its format version is invalid".into()))
        }
        (Err(OpenError::NewerFormat(format)), _) => return Err(newer(format)),
        (_, Some(format)) if format > FORMAT => return Err(newer(format)),
        (Err(OpenError::Temporary(why)), _) => return Err(why),
        (database, _) => database,
    };
    Ok(ExaminedFiles { database, copy })
}

fn newer(format: i64) -> String {
    format!(
        "the journal was written by a newer fugue (format {format}; this version supports up to {FORMAT})"
    )
}

/// Takes one step towards files that agree.
fn repair(
    plan: Plan,
    examined: ExaminedFiles,
    paths: &JournalPaths,
    report: &mut DamageReport,
) -> Result<(), String> {
    let ExaminedFiles { database, copy } = examined;
    match (plan, database, copy) {
        (Plan::CatchUp, Ok(database), Some(mut copy)) => {
            let last = copy.last.take();
            let file = CopyFile::open(&paths.copy, &copy).map_err(|why| why.to_string())?;
            catch_up(database, file, last, paths).map_err(|why| why.to_string())
        }
        (Plan::RebuildCopy { damage }, Ok(database), _) => {
            if let Some(damage) = damage {
                report.add(&paths.copy, &damage, paths.set_aside(&paths.copy)?);
            }
            CopyFile::create(&paths.copy, &database.database, &database.contents.tip).map(drop)
        }
        (Plan::RebuildDatabase { damage }, database, Some(copy)) => {
            drop(database);
            let lost_after = copy.lost_after();
            rebuild::database_from_copy(paths, &copy).map_err(|why| why.to_string())?;
            report.add(&paths.database, &damage, paths.set_aside(&paths.database)?);
            report.lose_after(lost_after);
            paths.install_database()
        }
        (Plan::StartOver { damage }, database, _) => {
            drop(database);
            start_over(&damage, paths, report)
        }
        // The caller keeps the files, or creates them.
        _ => Ok(()),
    }
}

/// Sets both files aside, so that new ones are created.
fn start_over(damage: &str, paths: &JournalPaths, report: &mut DamageReport) -> Result<(), String> {
    report.add(&paths.database, damage, paths.set_aside(&paths.database)?);
    report.keep(paths.set_aside(&paths.copy)?);
    report.lose_everything();
    paths.remove_witness();
    Ok(())
}

/// Commits the copy's last record to the database: the daemon was killed between the two.
fn catch_up(
    database: CheckedDatabase,
    copy: CopyFile,
    last: Option<CopyRecord>,
    paths: &JournalPaths,
) -> rusqlite::Result<()> {
    tracing::info!("Restored the last entry of the database from the copy of the journal");
    let mut file = JournalFile::new(database.database, copy, paths, database.contents.tip)?;
    match last {
        Some(CopyRecord::Batch { events, changes, .. }) => {
            file.commit(file.tip.after(&events, &changes), &events, &changes)
        }
        Some(CopyRecord::Checkpoint { batch, world }) => {
            file.commit_checkpoint(Tip { batch, ..file.tip }, &world)
        }
        _ => Ok(()),
    }
}
