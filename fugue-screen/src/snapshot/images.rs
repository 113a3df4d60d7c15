//! Images in a snapshot: what is known about them and where they are, but not their bytes. A snapshot is taken often and
//! must stay small; after it is restored, viewers see placeholders.

use crate::binary_format::{DecodeError, Reader, put_bytes, put_number};
use crate::grid::Grid;
use crate::images::{
    EARLY_ERRORS, Fit, HEAD_BYTES, IMAGE_BYTES, Images, KittyCommand, MOST_CHUNKS, MOST_IMAGES,
    MOST_PLACEMENTS, PixelRect, PixelSize, Placement, StoredImage, Transmission,
};
use crate::terminal::ScreenBuffers;

pub(super) fn put_images(out: &mut Vec<u8>, images: &Images, buffers: &ScreenBuffers) {
    put_number(out, images.store.last_key);
    put_number(out, u64::from(images.last_anchor));
    put_number(out, images.store.images.len() as u64);
    for image in &images.store.images {
        put_numbers(out, &[image.id, image.number, image.size.width, image.size.height]);
        put_number(out, image.key);
    }
    put_number(out, images.placements.len() as u64);
    images.placements.iter().for_each(|placement| put_placement(out, placement));
    for grid in [&buffers.grid, &buffers.hidden] {
        let anchors: Vec<u32> = grid.rows.iter().map(|row| row.anchor).collect();
        let used = anchors.iter().rposition(|anchor| *anchor != 0).map_or(0, |at| at + 1);
        put_number(out, used as u64);
        put_numbers(out, &anchors[..used]);
    }
    put_number(out, u64::from(images.pending.is_some()));
    if let Some(pending) = &images.pending {
        put_bytes(out, &pending.control);
        put_bytes(out, &pending.head);
        let error = EARLY_ERRORS.iter().position(|known| pending.error == Some(*known));
        put_numbers(out, &[pending.command.quiet, error.map_or(0, |at| at as u32 + 1)]);
        put_number(out, pending.received as u64);
        put_number(out, pending.chunks as u64);
    }
}

fn put_numbers(out: &mut Vec<u8>, numbers: &[u32]) {
    numbers.iter().for_each(|&number| put_number(out, u64::from(number)));
}

fn put_placement(out: &mut Vec<u8>, placement: &Placement) {
    let Placement { image, number, z, col, fit, rows, is_erasable } = placement;
    put_number(out, *image);
    let Fit { cols, rows: height, source, offset, is_scaled, cell } = fit;
    put_numbers(out, &[*number, z.cast_unsigned(), *col, *cols, *height, offset[0], offset[1]]);
    put_numbers(out, &[source.x, source.y, source.width, source.height, cell.width, cell.height]);
    put_numbers(out, &[u32::from(*is_scaled), u32::from(*is_erasable), rows.len() as u32]);
    put_numbers(out, rows);
}

pub(super) fn read_images(
    input: &mut Reader<'_>,
    images: &mut Images,
    buffers: &mut ScreenBuffers,
) -> Result<(), DecodeError> {
    (images.store.last_key, images.last_anchor) = (input.number()?.min(u64::MAX / 2), input.small()?);
    for _ in 0..input.count(5)? {
        let (id, number) = (input.small()?, input.small()?);
        let size = PixelSize { width: input.small()?, height: input.small()? };
        let image = StoredImage { key: input.number()?, id, number, size, data: None };
        if size.is_drawable() && images.store.images.len() < MOST_IMAGES {
            images.store.images.push_back(image);
        }
    }
    for _ in 0..input.count(17)? {
        let placement = read_placement(input)?;
        let image = images.store.get(placement.image);
        let fits = image.is_some_and(|image| is_consistent(&placement.fit, image.size));
        if fits && images.placements.len() < MOST_PLACEMENTS {
            images.placements.push(placement);
        }
    }
    read_anchors(input, &mut buffers.grid)?;
    read_anchors(input, &mut buffers.hidden)?;
    images.pending = if input.flag()? { read_pending(input)?.map(Box::new) } else { None };
    Ok(())
}

fn read_anchors(input: &mut Reader<'_>, grid: &mut Grid) -> Result<(), DecodeError> {
    for at in 0..input.count(1)? {
        let anchor = input.small()?;
        grid.rows.get_mut(at).into_iter().for_each(|row| row.anchor = anchor);
    }
    Ok(())
}

fn read_placement(input: &mut Reader<'_>) -> Result<Placement, DecodeError> {
    let (image, number, z) = (input.number()?, input.small()?, input.small::<u32>()?.cast_signed());
    let (col, cols, height) = (input.small::<u32>()?.min(1000), input.small()?, input.small()?);
    let offset = [input.small()?, input.small()?];
    let source =
        PixelRect { x: input.small()?, y: input.small()?, width: input.small()?, height: input.small()? };
    let cell = PixelSize { width: input.small()?, height: input.small()? };
    let (is_scaled, is_erasable) = (input.flag()?, input.flag()?);
    let rows = (0..input.count(1)?).map(|_| input.small()).collect::<Result<Vec<u32>, DecodeError>>()?;
    let fit = Fit { cols, rows: height, source, offset, is_scaled, cell };
    Ok(Placement { image, number, z, col, fit, rows, is_erasable })
}

/// Whether the numbers of a placement can be true, so that nothing overflows later.
fn is_consistent(fit: &Fit, image: PixelSize) -> bool {
    let side = |from: u32, length: u32, whole: u32| {
        length > 0 && from.checked_add(length).is_some_and(|end| end <= whole)
    };
    let cells = 1..=1000;
    let cell = 1..=256;
    side(fit.source.x, fit.source.width, image.width)
        && side(fit.source.y, fit.source.height, image.height)
        && cells.contains(&fit.cols)
        && cells.contains(&fit.rows)
        && cell.contains(&fit.cell.width)
        && cell.contains(&fit.cell.height)
        && fit.offset.iter().all(|offset| *offset <= 256)
}

fn read_pending(input: &mut Reader<'_>) -> Result<Option<Transmission>, DecodeError> {
    let (control, head) = (input.bytes()?, input.bytes()?);
    let (quiet, error) = (input.small()?, input.small::<usize>()?);
    let (received, chunks) = (input.small::<usize>()?, input.small::<usize>()?);
    Ok(KittyCommand::parse(control).map(|command| {
        let mut pending = Transmission::new(control, KittyCommand { quiet, ..command });
        pending.head = head.iter().copied().take(HEAD_BYTES).collect();
        (pending.received, pending.chunks) = (received.min(IMAGE_BYTES), chunks.min(MOST_CHUNKS));
        pending.error = error.checked_sub(1).and_then(|at| EARLY_ERRORS.get(at)).copied();
        pending.lose();
        pending
    }))
}
