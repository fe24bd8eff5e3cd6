//! Damaged programs give errors: never a panic, never a hang.

use std::path::Path;
use std::time::{Duration, Instant};

use stablehlo::bytecode::read;

mod shared_facts;

/// Some small programs that together have sdy, composites, custom calls, regions and old bytecode versions.
fn programs(dir: &Path) -> Vec<Vec<u8>> {
    let mut files: Vec<_> = std::fs::read_dir(dir)
        .expect("the corpus")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "mlirbc"))
        .collect();
    files.sort();
    files.iter().step_by(97).map(|path| std::fs::read(path).expect("a program")).collect()
}

#[test]
fn a_program_cut_anywhere_is_an_error() {
    let Some(dir) = shared_facts::path("stablehlo/corpus") else { return };
    let mut cuts = 0;
    for program in programs(&dir).iter().filter(|p| p.len() < 4000) {
        assert!(read(program).is_ok());
        for len in 0..program.len() {
            assert!(read(&program[..len]).is_err(), "cut to {len} bytes");
            cuts += 1;
        }
    }
    println!("{cuts} cut programs were refused");
    assert!(cuts > 10_000);
}

/// xorshift64*: the same changes in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % n
    }
}

#[test]
fn a_changed_program_reads_or_is_an_error() {
    let Some(dir) = shared_facts::path("stablehlo/corpus") else { return };
    let programs = programs(&dir);
    let mut random = Random(0x5EED);
    let (mut read_anyway, mut refused, mut slowest) = (0, 0, Duration::ZERO);
    for _ in 0..30_000 {
        let mut bytes = programs[random.below(programs.len())].clone();
        for _ in 0..=random.below(3) {
            let at = random.below(bytes.len());
            match random.below(4) {
                0 => bytes[at] ^= 1 << random.below(8),
                1 => bytes[at] = random.below(256) as u8,
                2 => bytes[at] = 0,
                _ => {
                    bytes.remove(at);
                }
            }
        }
        let start = Instant::now();
        match read(&bytes) {
            Ok(module) => {
                read_anyway += 1;
                for op in module.walk(module.root()).map(|op| module.op(op)) {
                    assert!(module.value_types_text(op.results()).len() < 1 << 20);
                    assert!(!op.loc_text().is_empty());
                }
            }
            Err(error) => {
                refused += 1;
                assert!(!error.to_string().is_empty());
            }
        }
        slowest = slowest.max(start.elapsed());
    }
    println!("{refused} changed programs refused, {read_anyway} read, slowest {slowest:?}");
    assert!(refused > 1000 && read_anyway > 1000);
    assert!(slowest < Duration::from_secs(5));
}

#[test]
fn random_bytes_are_an_error() {
    let mut random = Random(1);
    for len in 0..400 {
        for _ in 0..20 {
            let mut bytes: Vec<u8> = (0..len).map(|_| random.below(256) as u8).collect();
            assert!(read(&bytes).is_err());
            let head = b"ML\xEFR\x0DStableHLO_v1.18.0\0";
            bytes.splice(0..0, head.iter().copied());
            assert!(read(&bytes).is_err());
        }
    }
}
