//! The parser in a snapshot: what has arrived of an incomplete sequence.

use crate::binary_format::{DecodeError, Reader, put_bytes, put_number};
use crate::parser::{Params, Parser, STATES, Sequence};

impl Parser {
    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        put_number(out, self.state as u64);
        put_number(out, u64::from(self.overlong));
        put_bytes(out, &self.string);
        put_bytes(out, &self.partial);
        encode_sequence(&self.sequence, out);
    }

    pub(super) fn decode(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self {
            state: *STATES.get(input.small::<usize>()?).ok_or(DecodeError("unknown parser state"))?,
            overlong: input.flag()?,
            string: input.bytes()?.to_vec(),
            partial: input.bytes()?.iter().copied().take(3).collect(),
            sequence: decode_sequence(input)?,
        })
    }
}

fn encode_sequence(sequence: &Sequence, out: &mut Vec<u8>) {
    let (joined, full) = sequence.params.raw();
    put_number(out, u64::from(joined));
    put_number(out, u64::from(full));
    put_number(out, sequence.params.len() as u64);
    sequence.params.values().iter().for_each(|&value| put_number(out, u64::from(value)));
    for byte in [
        sequence.prefix,
        sequence.intermediates[0],
        sequence.intermediates[1],
        sequence.last,
        u8::from(sequence.malformed),
    ] {
        put_number(out, u64::from(byte));
    }
}

fn decode_sequence(input: &mut Reader<'_>) -> Result<Sequence, DecodeError> {
    let raw = (input.small()?, input.flag()?);
    let values = (0..input.count(1)?).map(|_| input.small()).collect::<Result<Vec<u16>, DecodeError>>()?;
    Ok(Sequence {
        params: Params::from_raw(&values, raw),
        prefix: input.small()?,
        intermediates: [input.small()?, input.small()?],
        last: input.small()?,
        malformed: input.flag()?,
    })
}
