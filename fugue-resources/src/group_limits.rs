//! What the programs of a group may use.

use std::collections::BTreeMap;

/// Something whose use is limited or weighted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Control {
    /// The bytes of memory beyond which a program of the group is killed.
    MemoryMax,
    /// The bytes of memory beyond which the group is slowed down and its memory reclaimed.
    MemoryHigh,
    /// The share of the processors, of 1 to 10,000; the default is 100.
    CpuWeight,
    /// The number of processes and threads.
    TasksMax,
    /// The share of the disks, of 1 to 10,000; the default is 100.
    IoWeight,
}

/// The values that are set; what is not there is not limited.
pub type GroupLimits = BTreeMap<Control, u64>;

impl Control {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::MemoryMax, Self::MemoryHigh, Self::CpuWeight, Self::TasksMax, Self::IoWeight];

    /// The property of a systemd unit.
    pub(crate) fn property(self) -> &'static str {
        match self {
            Self::MemoryMax => "MemoryMax",
            Self::MemoryHigh => "MemoryHigh",
            Self::CpuWeight => "CPUWeight",
            Self::TasksMax => "TasksMax",
            Self::IoWeight => "IOWeight",
        }
    }

    /// The file of a group.
    pub(crate) fn file(self) -> &'static str {
        match self {
            Self::MemoryMax => "memory.max",
            Self::MemoryHigh => "memory.high",
            Self::CpuWeight => "cpu.weight",
            Self::TasksMax => "pids.max",
            Self::IoWeight => "io.weight",
        }
    }

    /// What the file says while nothing is set.
    pub(crate) fn unlimited_in_file(self) -> &'static str {
        match self {
            Self::CpuWeight | Self::IoWeight => "100",
            Self::MemoryMax | Self::MemoryHigh | Self::TasksMax => "max",
        }
    }
}

/// The number for a limit that is taken away again: systemd's `infinity`, which for a weight means that none is set.
pub(crate) const NOT_LIMITED: u64 = u64::MAX;

/// Limits as words, for the body of a request to the keeper.
pub(crate) fn to_words(limits: &GroupLimits) -> Vec<String> {
    Control::ALL.iter().map(|control| limits.get(control).map_or("-".into(), u64::to_string)).collect()
}

/// Reads what [`to_words`] wrote. Words of later versions are left out.
pub(crate) fn from_words<'a>(words: impl Iterator<Item = &'a str>) -> GroupLimits {
    let pairs = Control::ALL.into_iter().zip(words);
    pairs.filter_map(|(control, word)| Some((control, word.parse().ok()?))).collect()
}
