//! Throughput of output, compared with the parser alone and with copying alone.
//!
//! Read the figures as ratios: `screen` to `vte` of the same corpus in the same run.

mod corpora;

use std::hint::black_box;

use corpora::{CORPORA, filled};
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use fugue_screen::{Limits, Screen, Size};

/// The size of a daemon's reads from a PTY.
const CHUNK: usize = 4096;

struct Null;
impl vte::Perform for Null {}

fn throughput(c: &mut Criterion) {
    for (name, add) in CORPORA {
        let corpus = filled(add);
        let mut group = c.benchmark_group(name);
        group.throughput(Throughput::Bytes(corpus.len() as u64));
        group.sample_size(20);
        group.bench_function("memcpy", |b| b.iter(|| black_box(corpus.to_vec())));
        group.bench_function("vte", |b| {
            b.iter(|| {
                let mut parser = vte::Parser::new();
                corpus.chunks(CHUNK).for_each(|chunk| parser.advance(black_box(&mut Null), chunk));
            });
        });
        // A pane that has run for a while, so that its history is full.
        let mut old = Screen::new(Size { cols: 200, rows: 50 }, Limits::default());
        (0..4).for_each(|_| corpus.chunks(CHUNK).for_each(|chunk| old.feed(chunk)));
        group.bench_function("screen", |b| {
            b.iter_batched_ref(
                || old.clone(),
                |screen| corpus.chunks(CHUNK).for_each(|chunk| screen.feed(chunk)),
                BatchSize::LargeInput,
            );
        });
        group.finish();
    }
}

criterion_group!(benches, throughput);
criterion_main!(benches);
