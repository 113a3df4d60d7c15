//! Styles, clusters of several code points and hyperlinks, which cells refer to by number. Each pane has an interner.
//!
//! It only grows while cells are written. Compaction drops what no cell uses any more.

mod compaction;

pub(crate) use compaction::Compactor;

use std::collections::HashMap;
use std::hash::BuildHasher;
use std::sync::Arc;

use crate::cell::{Cell, CellContent};
use crate::char_width;
use crate::packed_style::PackedStyle;

/// Style numbers have 16 bits; further styles are drawn as the default style.
const MOST_STYLES: usize = u16::MAX as usize;
/// The limit for clusters and for links; further ones are drawn as plain characters.
const MOST_OTHERS: usize = 1 << 15;
/// The most bytes that the addresses of links take together: a thousand long ones, more than a screen shows.
const MOST_LINK_BYTES: usize = 4 << 20;
/// The most bytes in a cluster; the longest emoji in use have about forty.
const LONGEST_CLUSTER: usize = 64;
/// With fewer styles than this, compaction is not worth a pass over all cells.
const FIRST_COMPACTION: usize = 8192;
/// A cluster, or this many bytes of links, counts as this many styles.
const STYLES_PER_OTHER: usize = 8;
const LINK_BYTES: usize = 256;
/// The number of styles in an idle pane that are worth a pass over all cells.
const IDLE_STYLES: usize = 1024;
/// A pass over all cells costs about as much as drawing this many of them.
const MISSES_BORNE: usize = 8192;

/// The number of joins that are cached.
const JOINS: usize = 256;

/// A code point after a cell's content, and the cluster they form, if any.
#[derive(Clone, Copy, Debug, Default)]
struct JoinEntry {
    before: u32,
    c: char,
    joined: Option<Joined>,
}

/// A cluster that a join has formed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Joined {
    pub cluster: u32,
    pub wide: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Interner {
    pub styles: Vec<PackedStyle>,
    /// A hash table over `styles` with open addressing; 0 is an empty slot, since the default style is never looked up.
    slots: Vec<u16>,
    clusters: Vec<Box<str>>,
    cluster_numbers: HashMap<Box<str>, u32>,
    /// Results of recent joins: text repeats its clusters.
    joins: Vec<JoinEntry>,
    /// Link `n` of a style is entry `n - 1`.
    pub links: Vec<Arc<str>>,
    /// The number of bytes in `links`.
    link_bytes: usize,
    /// The numbers of links by the hash of their address. A map of addresses would store each of them twice.
    link_numbers: HashMap<u64, u16>,
    /// The number of entries at which compaction is worth trying.
    compact_at: usize,
    /// The number of entries that found no room. A few are drawn plainly; many are a reason for compaction.
    misses: usize,
}

impl Default for Interner {
    fn default() -> Self {
        Self {
            styles: vec![PackedStyle::default()],
            slots: Vec::new(),
            clusters: Vec::new(),
            cluster_numbers: HashMap::new(),
            joins: Vec::new(),
            links: Vec::new(),
            link_bytes: 0,
            link_numbers: HashMap::new(),
            compact_at: FIRST_COMPACTION,
            misses: 0,
        }
    }
}

impl Interner {
    /// An interner with nothing in it that uses the memory of another one's table.
    fn with_slots(mut slots: Vec<u16>) -> Self {
        slots.fill(0);
        Self { slots, ..Self::default() }
    }

    pub(crate) fn style(&self, number: u16) -> PackedStyle {
        self.styles.get(usize::from(number)).copied().unwrap_or_default()
    }

    pub(crate) fn style_number(&mut self, style: PackedStyle) -> u16 {
        if style == PackedStyle::default() {
            return 0;
        }
        if self.slots.len() < 2 * self.styles.len() + 2 {
            self.rebuild_slots();
        }
        let mask = self.slots.len() - 1;
        let mut at = (style.hash() >> 40) as usize & mask;
        loop {
            match self.slots[at] {
                0 => return self.add_style(style, at),
                number if self.styles[usize::from(number)] == style => return number,
                _ => at = (at + 1) & mask,
            }
        }
    }

    fn add_style(&mut self, style: PackedStyle, slot: usize) -> u16 {
        if self.styles.len() >= MOST_STYLES {
            self.misses += 1;
            return 0;
        }
        self.styles.push(style);
        self.slots[slot] = (self.styles.len() - 1) as u16;
        self.slots[slot]
    }

    fn rebuild_slots(&mut self) {
        let size = (4 * self.styles.len()).next_power_of_two().max(16);
        self.slots = vec![0; size];
        for number in 1..self.styles.len() {
            let mut at = (self.styles[number].hash() >> 40) as usize & (size - 1);
            while self.slots[at] != 0 {
                at = (at + 1) & (size - 1);
            }
            self.slots[at] = number as u16;
        }
    }

    pub(crate) fn cluster(&self, number: u32) -> &str {
        self.clusters.get(number as usize).map_or("", |text| text)
    }

    pub(crate) fn clusters(&self) -> &[Box<str>] {
        &self.clusters
    }

    pub(crate) fn cluster_number(&mut self, text: &str) -> Option<u32> {
        if let Some(&number) = self.cluster_numbers.get(text) {
            return Some(number);
        }
        if self.clusters.len() >= MOST_OTHERS {
            self.misses += 1;
            return None;
        }
        let number = self.clusters.len() as u32;
        self.clusters.push(text.into());
        self.cluster_numbers.insert(text.into(), number);
        Some(number)
    }

    /// Returns the cluster that a cell and a code point form, if any. `by_rules` follows Unicode's rules; without it
    /// everything joins, as in old terminals.
    pub(crate) fn join(&mut self, cell: Cell, c: char, by_rules: bool) -> Option<Joined> {
        if !by_rules {
            return self.join_anew(cell, c, false);
        }
        if self.joins.is_empty() {
            self.joins.resize(JOINS, JoinEntry::default());
        }
        let slot =
            (cell.code().wrapping_mul(0x9E37_79B1) ^ (c as u32).wrapping_mul(0x85EB_CA6B)) as usize >> 8;
        let JoinEntry { before, c: known, joined } = self.joins[slot % JOINS];
        if (before, known) == (cell.code(), c) && c != '\0' {
            return joined;
        }
        let joined = self.join_anew(cell, c, true);
        self.joins[slot % JOINS] = JoinEntry { before: cell.code(), c, joined };
        joined
    }

    fn join_anew(&mut self, cell: Cell, c: char, by_rules: bool) -> Option<Joined> {
        let mut text = String::new();
        self.push_text(cell, &mut text);
        if by_rules && !char_width::joins(&text, c) {
            return None;
        }
        if text.len() + c.len_utf8() > LONGEST_CLUSTER {
            // One mark more or less makes no difference to a character that has so many.
            let number = self.cluster_number(&text)?;
            return Some(Joined { cluster: number, wide: false });
        }
        text.push(c);
        let cluster = self.cluster_number(&text)?;
        Some(Joined { cluster, wide: by_rules && char_width::of_cluster(&text) == 2 })
    }

    /// Returns the number that styles use for a link; 0, no link, for an empty address or if there are too many.
    pub(crate) fn link_number(&mut self, address: &str) -> u16 {
        if address.is_empty() {
            return 0;
        }
        let hash = self.link_numbers.hasher().hash_one(address);
        if let Some(&number) = self.link_numbers.get(&hash)
            && self.link(number) == Some(address)
        {
            return number;
        }
        if self.links.len() >= MOST_OTHERS || self.link_bytes + address.len() > MOST_LINK_BYTES {
            self.misses += 1;
            return 0;
        }
        self.add_link(address);
        self.links.len() as u16
    }

    /// Adds a link under the next number, as in a snapshot, whatever there is already.
    pub(crate) fn add_link(&mut self, address: &str) {
        let hash = self.link_numbers.hasher().hash_one(address);
        self.links.push(address.into());
        self.link_bytes += address.len();
        self.link_numbers.insert(hash, self.links.len() as u16);
    }

    pub(crate) fn link(&self, number: u16) -> Option<&str> {
        self.links.get(usize::from(number).checked_sub(1)?).map(|link| &**link)
    }

    /// The same for those who keep it: thousands of cells may have one long address.
    pub(crate) fn shared_link(&self, number: u16) -> Option<Arc<str>> {
        self.links.get(usize::from(number).checked_sub(1)?).cloned()
    }

    /// Appends the content of a cell; a blank is a space.
    pub(crate) fn push_text(&self, cell: Cell, out: &mut String) {
        match cell.content() {
            CellContent::Blank => out.push(' '),
            CellContent::Char(c) => out.push(c),
            CellContent::Cluster(number) => out.push_str(self.cluster(number)),
        }
    }

    /// Appends the content of a cell as UTF-8. It is written by hand with lengths that the compiler knows: copying an
    /// unknown length is a call, and other scripts would need one for each cell.
    #[inline]
    pub(crate) fn push_bytes(&self, cell: Cell, out: &mut Vec<u8>) {
        let code = cell.code();
        let tail = |shift: u32| 0x80 | (code >> shift) as u8 & 0x3f;
        match code {
            0..0x80 => out.push((code as u8).max(b' ')),
            0x80..0x800 => out.extend_from_slice(&[0xc0 | (code >> 6) as u8, tail(0)]),
            0x800..0x1_0000 => out.extend_from_slice(&[0xe0 | (code >> 12) as u8, tail(6), tail(0)]),
            0x1_0000..0x11_0000 => {
                out.extend_from_slice(&[0xf0 | (code >> 18) as u8, tail(12), tail(6), tail(0)]);
            }
            _ => self.push_cluster(cell, out),
        }
    }

    fn push_cluster(&self, cell: Cell, out: &mut Vec<u8>) {
        if let CellContent::Cluster(number) = cell.content() {
            out.extend_from_slice(self.cluster(number).as_bytes());
        }
    }

    /// The length of a cell's content in bytes.
    #[inline]
    pub(crate) fn text_len(&self, cell: Cell) -> usize {
        match cell.content() {
            CellContent::Blank => 1,
            CellContent::Char(c) => c.len_utf8(),
            CellContent::Cluster(number) => self.cluster(number).len(),
        }
    }

    /// Whether compaction is worth it in a pane that is idle.
    pub(crate) fn is_large(&self) -> bool {
        self.fullness() >= IDLE_STYLES
    }

    /// Gives back the memory that is not in use.
    pub(crate) fn shrink(&mut self) {
        self.styles.shrink_to_fit();
        self.rebuild_slots();
    }

    #[inline]
    pub(crate) fn needs_compaction(&self) -> bool {
        self.fullness() >= self.compact_at || self.misses >= MISSES_BORNE
    }

    fn fullness(&self) -> usize {
        let links = self.links.len().max(self.link_bytes / LINK_BYTES);
        self.styles.len().max(STYLES_PER_OTHER * self.clusters.len().max(links))
    }

    /// Sets the next compaction to when the number of entries has doubled.
    pub(crate) fn schedule_compaction(&mut self) {
        self.compact_at = (2 * self.fullness()).max(FIRST_COMPACTION);
        self.misses = 0;
    }
}
