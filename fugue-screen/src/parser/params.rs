//! The parameters of a control sequence, with sub-parameters (`4:3`), and the bytes around them.

/// Further parameters are dropped; no sequence in use has as many.
const MOST: usize = 32;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Params {
    values: [u16; MOST],
    len: usize,
    /// Bit `n`: value `n` is a sub-parameter of the one before.
    joined: u32,
    full: bool,
}

impl Params {
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.len = 0;
        self.joined = 0;
        self.full = false;
    }

    #[inline]
    pub(crate) fn digit(&mut self, digit: u8) {
        if self.full {
            return;
        }
        if self.len == 0 {
            self.begin(false);
        }
        let value = &mut self.values[self.len - 1];
        *value = value.saturating_mul(10).saturating_add(u16::from(digit - b'0'));
    }

    #[inline]
    pub(crate) fn separator(&mut self, joined: bool) {
        if self.len == 0 {
            self.begin(false);
        }
        self.begin(joined);
    }

    fn begin(&mut self, joined: bool) {
        if self.len == MOST {
            self.full = true;
            return;
        }
        self.values[self.len] = 0;
        self.joined |= u32::from(joined) << self.len;
        self.len += 1;
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The parameter at `at`; an absent one is 0.
    #[inline]
    pub(crate) fn get(&self, at: usize) -> u16 {
        if at < self.len { self.values[at] } else { 0 }
    }

    /// The parameter at `at`; an absent one and 0 are `default`.
    #[inline]
    pub(crate) fn or(&self, at: usize, default: u16) -> usize {
        match self.get(at) {
            0 => usize::from(default),
            n => usize::from(n),
        }
    }

    /// Whether value `at` is a sub-parameter.
    #[inline]
    pub(crate) fn is_joined(&self, at: usize) -> bool {
        at < self.len && self.joined & (1 << at) != 0
    }

    pub(crate) fn values(&self) -> &[u16] {
        &self.values[..self.len]
    }

    pub(crate) fn raw(&self) -> (u32, bool) {
        (self.joined, self.full)
    }

    pub(crate) fn from_raw(values: &[u16], (joined, full): (u32, bool)) -> Self {
        let len = values.len().min(MOST);
        let mut params = Self { len, joined, full, ..Self::default() };
        params.values[..len].copy_from_slice(&values[..len]);
        params
    }
}

/// A control sequence, an escape sequence, or the header of a device control string.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sequence {
    pub params: Params,
    /// `<`, `=`, `>`, `?`, or 0.
    pub prefix: u8,
    /// Up to two intermediate bytes; 0 where there is none.
    pub intermediates: [u8; 2],
    /// The final byte, which selects the function.
    pub last: u8,
    /// The sequence has too many intermediate bytes and is ignored.
    pub malformed: bool,
}

impl Sequence {
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.params.clear();
        self.prefix = 0;
        self.intermediates = [0; 2];
        self.malformed = false;
    }

    pub(crate) fn collect(&mut self, byte: u8) {
        match self.intermediates {
            [0, _] => self.intermediates[0] = byte,
            [_, 0] => self.intermediates[1] = byte,
            _ => self.malformed = true,
        }
    }
}
