//! Prompt marks in a snapshot.

use std::collections::VecDeque;

use crate::binary_format::{DecodeError, Reader, put_bytes, put_number};
use crate::geometry::Position;
use crate::prompt_marks::{PromptMark, PromptMarks};

pub(super) fn put_marks(out: &mut Vec<u8>, marks: &PromptMarks) {
    put_number(out, marks.list.len() as u64);
    for mark in &marks.list {
        put_position(out, Some(mark.prompt));
        [mark.input, mark.output, mark.end].iter().for_each(|&at| put_position(out, at));
        put_number(out, mark.exit.map_or(0, |exit| u64::from(exit as u32) + 1));
        put_number(out, mark.number << 1 | u64::from(mark.command.is_some()));
        put_bytes(out, mark.command.as_deref().unwrap_or_default().as_bytes());
        [mark.began, mark.ended].iter().for_each(|&time| put_time(out, time));
    }
}

fn put_position(out: &mut Vec<u8>, at: Option<Position>) {
    put_number(out, at.map_or(0, |at| at.line + 1));
    put_number(out, at.map_or(0, |at| at.offset as u64));
}

pub(super) fn read_marks(input: &mut Reader<'_>) -> Result<PromptMarks, DecodeError> {
    let mut list = VecDeque::new();
    for _ in 0..input.count(11)? {
        let prompt = read_position(input)?.ok_or(DecodeError("a prompt has no position"))?;
        let (typed, output, end) = (read_position(input)?, read_position(input)?, read_position(input)?);
        let exit = input.number()?.checked_sub(1).map(|exit| exit as u32 as i32);
        let (head, command) = (input.number()?, input.text()?);
        let (number, command) = (head >> 1, (head & 1 == 1).then(|| command.into()));
        let (began, ended) = (read_time(input)?, read_time(input)?);
        list.push_back(PromptMark { prompt, input: typed, output, end, exit, began, ended, command, number });
    }
    // The key is not in the snapshot; the caller sets it after restoring.
    Ok(PromptMarks { list, ..PromptMarks::default() })
}

/// Encodes a time, or that it is unknown.
fn put_time(out: &mut Vec<u8>, time: Option<u64>) {
    put_number(out, time.map_or(0, |time| time.saturating_add(1)));
}

fn read_time(input: &mut Reader<'_>) -> Result<Option<u64>, DecodeError> {
    match input.version() {
        1 => Ok(None),
        _ => Ok(input.number()?.checked_sub(1)),
    }
}

fn read_position(input: &mut Reader<'_>) -> Result<Option<Position>, DecodeError> {
    let (line, offset) = (input.number()?, input.small()?);
    Ok(line.checked_sub(1).map(|line| Position { line, offset }))
}
