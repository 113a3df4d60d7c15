//! The decision what to do with the journal's files, given what was found in them. Pure.
//!
//! Every append goes to the copy first, so a kill leaves the copy one batch ahead of the database, or with an incomplete
//! record at its end. Everything else that does not agree is damage.

use super::contents::Contents;
use super::copy_reader::{CopyEnd, ScannedCopy};
use super::copy_record::CopyRecord;
use super::database::OpenError;
use super::witness::Testimony;

/// What was found.
pub(super) struct Findings<'a> {
    pub(super) database: Result<&'a Contents, &'a OpenError>,
    /// Whether the database was empty, or of a format that had no copy.
    pub(super) is_database_new: bool,
    pub(super) copy: Option<&'a ScannedCopy>,
    /// It shows which of two files belongs to another journal.
    pub(super) witness: Option<Testimony>,
}

/// The next step towards files that agree.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Plan {
    /// They agree.
    Keep,
    /// The copy's last record is to be committed to the database.
    CatchUp,
    /// There are no files yet.
    Create,
    /// The copy is to be written from the database. Without damage, there was none yet.
    RebuildCopy { damage: Option<String> },
    /// The database is to be rebuilt from the copy, as far as that can be read.
    RebuildDatabase { damage: String },
    /// Neither can be read.
    StartOver { damage: String },
}

impl Findings<'_> {
    /// Decides what to do next.
    pub(super) fn plan(&self) -> Plan {
        let copied = self.copy.and_then(|copy| Some((copy, copy.contents.as_ref()?)));
        match (self.database, copied) {
            (Ok(database), Some((copy, copied))) => self.compare(database, copy, copied),
            (Ok(database), None) => self.rebuild_copy(database),
            (Err(error), Some(_)) => Plan::RebuildDatabase { damage: error.to_string() },
            (Err(OpenError::Missing), None) if self.copy.is_none() && self.witness.is_none() => Plan::Create,
            (Err(error), None) => {
                Plan::StartOver { damage: format!("{error}, and its copy is damaged as well") }
            }
        }
    }

    /// Without a copy, the database stands alone; the witness shows whether it is this journal's.
    fn rebuild_copy(&self, database: &Contents) -> Plan {
        if self.witness.is_some_and(|witness| witness.journal != database.tip.journal) {
            let damage = "it is empty or belongs to another journal, and its copy cannot be read".to_owned();
            return Plan::StartOver { damage };
        }
        let damage = match self.copy {
            Some(ScannedCopy { end: CopyEnd::Damaged(why), .. }) => Some(why.clone()),
            Some(_) => Some("it is incomplete".to_owned()),
            None if self.is_database_new || database.tip.batch == 0 => None,
            None => Some("it is missing".to_owned()),
        };
        Plan::RebuildCopy { damage }
    }

    fn compare(&self, database: &Contents, copy: &ScannedCopy, copied: &Contents) -> Plan {
        let rebuild_database = |damage: &str| Plan::RebuildDatabase { damage: damage.to_owned() };
        let rebuild_copy = |damage: &str| Plan::RebuildCopy { damage: Some(damage.to_owned()) };
        if database.tip.journal != copied.tip.journal {
            let journal = self.witness.map(|witness| witness.journal);
            return if journal == Some(copied.tip.journal) || self.is_database_new {
                rebuild_database("it belongs to another journal")
            } else {
                rebuild_copy("it belongs to another journal")
            };
        }
        let ahead = copied.tip.batch.checked_sub(database.tip.batch);
        match (&copy.end, ahead) {
            (CopyEnd::Damaged(why), None | Some(0)) => rebuild_copy(why),
            (_, None) => rebuild_copy("its last entries are missing"),
            (_, Some(0)) if database == copied => Plan::Keep,
            (_, Some(0)) => rebuild_database("it does not match its copy"),
            (CopyEnd::Complete | CopyEnd::Torn, Some(1)) if is_append(copy.last.as_ref()) => Plan::CatchUp,
            (_, Some(_)) => rebuild_database("its last entries are missing"),
        }
    }
}

fn is_append(record: Option<&CopyRecord>) -> bool {
    matches!(record, Some(CopyRecord::Batch { .. } | CopyRecord::Checkpoint { .. }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::tip::Tip;

    const OURS: [u8; 16] = [1; 16];
    const FOREIGN: [u8; 16] = [2; 16];
    const WITNESS: Testimony = Testimony { journal: OURS, batch: 5 };

    fn contents(journal: [u8; 16], batch: u64) -> Contents {
        Contents::at(Tip { journal, batch, ..Tip::default() })
    }

    fn copy(contents: Option<Contents>, end: CopyEnd) -> ScannedCopy {
        let last = Some(CopyRecord::Checkpoint { batch: 1, world: String::new() });
        ScannedCopy { format: 3, contents, end, last, length: 0, snapshot_length: 0, sum: 0 }
    }

    fn plan(database: Result<u64, OpenError>, copied: Option<ScannedCopy>) -> Plan {
        let database = database.map(|batch| contents(OURS, batch));
        let findings = Findings {
            database: database.as_ref(),
            is_database_new: false,
            copy: copied.as_ref(),
            witness: Some(WITNESS),
        };
        findings.plan()
    }

    fn complete(batch: u64) -> Option<ScannedCopy> {
        Some(copy(Some(contents(OURS, batch)), CopyEnd::Complete))
    }

    fn rebuilds_copy(plan: &Plan) -> bool {
        matches!(plan, Plan::RebuildCopy { damage: Some(_) })
    }

    fn rebuilds_database(plan: &Plan) -> bool {
        matches!(plan, Plan::RebuildDatabase { .. })
    }

    #[test]
    fn a_kill_between_the_two_writes_is_no_damage() {
        assert_eq!(plan(Ok(5), complete(5)), Plan::Keep);
        assert_eq!(plan(Ok(5), complete(6)), Plan::CatchUp);
        assert_eq!(plan(Ok(5), Some(copy(Some(contents(OURS, 5)), CopyEnd::Torn))), Plan::Keep);
    }

    #[test]
    fn the_file_that_lags_behind_is_rebuilt() {
        assert!(rebuilds_copy(&plan(Ok(6), complete(5))));
        assert!(rebuilds_copy(&plan(Ok(6), None)));
        assert!(rebuilds_database(&plan(Ok(5), complete(7))));
        assert!(rebuilds_database(&plan(Err(OpenError::Missing), complete(7))));
        let damaged = |batch| Some(copy(Some(contents(OURS, batch)), CopyEnd::Damaged("x".into())));
        assert!(rebuilds_copy(&plan(Ok(5), damaged(4))));
        assert!(rebuilds_database(&plan(Ok(5), damaged(6))), "what can be read of it reaches further");
    }

    #[test]
    fn a_file_of_another_journal_is_rebuilt_whichever_it_is() {
        let foreign = Some(copy(Some(contents(FOREIGN, 5)), CopyEnd::Complete));
        assert!(rebuilds_copy(&plan(Ok(5), foreign)));
        let (database, ours) = (contents(FOREIGN, 5), copy(Some(contents(OURS, 5)), CopyEnd::Complete));
        let findings = Findings {
            database: Ok(&database),
            is_database_new: false,
            copy: Some(&ours),
            witness: Some(WITNESS),
        };
        assert!(rebuilds_database(&findings.plan()));
    }

    #[test]
    fn only_when_nothing_can_be_read_everything_is_created_anew() {
        let damaged = || OpenError::Damaged("x".into());
        let unreadable = || Some(copy(None, CopyEnd::Torn));
        assert!(matches!(plan(Err(damaged()), unreadable()), Plan::StartOver { .. }));
        assert!(matches!(plan(Err(OpenError::Missing), None), Plan::StartOver { .. }), "there was a journal");
        let empty = contents(FOREIGN, 0);
        let emptied =
            Findings { database: Ok(&empty), is_database_new: true, copy: None, witness: Some(WITNESS) };
        assert!(matches!(emptied.plan(), Plan::StartOver { .. }), "it was not empty before");
        let nothing = Findings {
            database: Err(&OpenError::Missing),
            is_database_new: false,
            copy: None,
            witness: None,
        };
        assert_eq!(nothing.plan(), Plan::Create);
    }
}
