//! `sort` along one dimension: row by row.
#![allow(unsafe_code, reason = "tasks write to different rows of several outputs")]

use bytemuck::Pod;
use cpu_runtime::Pool;
use cpu_vir::{Program, Storage};

use super::key::{self, KeyOrder, KeyVisitor, SortKey};
use super::program::Comparator;
use super::radix::{self, Word};
use crate::body::{Body, by_size};
use crate::layout::row_major;
use crate::movement::Permutation;
use crate::parallel::{Shared, ranges};
use crate::view::{numbers, numbers_mut, with_operands};
use crate::{KernelError, OpKernel, Shape, scratch};

const OP: &str = "sort";

/// Bits of a position within a row.
const POSITION: u32 = 32;

/// How rows are ordered.
#[derive(Clone, Debug)]
pub enum SortBody {
    /// By keys, the first of which that differs decides.
    Keys(Vec<SortKey>),
    /// By a loop program of one dimension that says whether one element goes strictly before another; it reads two
    /// elements of each input in turn (a0, b0, a1, b1, …), then captured scalars (stride 0).
    Program(Program),
}

enum How {
    /// One input, whose key is all there is to it.
    Values(SortKey),
    /// Keys and positions in one word of so many bits.
    Words(Vec<SortKey>, u32),
    /// Keys that fit no word.
    Keys(Vec<SortKey>),
    Program(Box<Comparator>),
}

/// Inputs: arrays of one shape, then scalars that the comparator captures. Outputs: the arrays, each row in the order of
/// the comparator; equal elements keep their order.
pub struct Sort {
    shapes: Vec<Shape>,
    captures: Vec<Shape>,
    how: How,
    size: usize,
    /// To rows along the last dimension and back, if they are along another.
    exchange: Option<(Permutation, Permutation)>,
}

impl Sort {
    /// # Errors
    /// When shapes differ, the dimension is out of range, or the comparator does not fit.
    pub fn prepare(inputs: &[Shape], dimension: usize, body: &SortBody) -> Result<Sort, KernelError> {
        let first = inputs.first().ok_or_else(|| KernelError::invalid(OP, "at least one input is needed"))?;
        first.check(OP)?;
        if inputs.iter().any(|shape| shape.dims != first.dims) || dimension >= first.rank() {
            return Err(KernelError::invalid(OP, format!("dimension {dimension} of inputs like {first}")));
        }
        let size = first.dims[dimension];
        if u32::try_from(size).is_err() {
            return Err(KernelError::unsupported(OP, format!("rows of {size} elements; sort parts and merge them")));
        }
        let mut captures = Vec::new();
        let how = match body {
            SortBody::Keys(keys) => {
                if keys.is_empty() || keys.iter().any(|key| key.operand >= inputs.len()) {
                    return Err(KernelError::invalid(OP, format!("keys {keys:?} for {} inputs", inputs.len())));
                }
                let storage = |key: &SortKey| inputs[key.operand].storage;
                let bits = keys.iter().map(|key| key::bits(storage(key))).sum::<u32>() + POSITION;
                match keys.as_slice() {
                    [key] if inputs.len() == 1 && has_values(storage(key), key.order) => How::Values(*key),
                    _ if bits <= 128 => How::Words(keys.clone(), bits),
                    _ => How::Keys(keys.clone()),
                }
            }
            SortBody::Program(program) => {
                let storages: Vec<Storage> = inputs.iter().map(|shape| shape.storage).collect();
                let pairs: Vec<Storage> = storages.iter().flat_map(|storage| [*storage; 2]).collect();
                let body = Body::prepare(OP, program, &pairs, &[Storage::Bool])?;
                captures = body.captures().to_vec();
                How::Program(Box::new(Comparator::new(body, storages)))
            }
        };
        let rank = first.rank();
        let outer: usize = first.dims[..dimension].iter().product();
        let inner: usize = first.dims[dimension + 1..].iter().product();
        let exchange = (dimension + 1 < rank && inner > 1).then(|| {
            let turn = |rows: usize, columns: usize| {
                let steps = row_major(&[outer, columns, rows]);
                let steps = [steps[0] as isize, steps[2] as isize, steps[1] as isize];
                Permutation::new(&[outer, rows, columns], &steps, 0)
            };
            (turn(inner, size), turn(size, inner))
        });
        Ok(Sort { shapes: inputs.to_vec(), captures, how, size, exchange })
    }

    /// Shapes of the results: those of the inputs.
    pub fn results(&self) -> &[Shape] {
        &self.shapes
    }

    /// Sorts rows that are contiguous.
    fn sort(&self, pool: &Pool, inputs: &[&[u8]], captures: &[&[u8]], outputs: &mut [&mut [u8]]) {
        let elements = self.shapes[0].elements();
        if elements == 0 {
            return;
        }
        if let How::Program(comparator) = &self.how {
            let order = comparator.order(inputs, captures, elements, self.size);
            for ((input, output), shape) in inputs.iter().zip(outputs).zip(&self.shapes) {
                by_size!(shape.storage.size(), W => {
                    let (from, to) = (numbers::<W>(input), numbers_mut::<W>(output));
                    to.iter_mut().zip(&order).for_each(|(to, &at)| *to = from[at]);
                });
            }
            return;
        }
        let outs: Vec<Shared<'_, u8>> = outputs.iter_mut().map(|out| Shared::new(out)).collect();
        let depth = u64::from(usize::BITS - self.size.leading_zeros());
        ranges(pool, elements / self.size, self.size as u64 * depth * 1_500, &|start, end| {
            for row in start..end {
                let range = |shape: &Shape| {
                    let bytes = self.size * shape.storage.size();
                    (row * bytes, bytes)
                };
                let inputs: Vec<&[u8]> = inputs
                    .iter()
                    .zip(&self.shapes)
                    .map(|(input, shape)| &input[range(shape).0..][..range(shape).1])
                    .collect();
                let mut outputs: Vec<&mut [u8]> = outs
                    .iter()
                    .zip(&self.shapes)
                    // SAFETY: every row is handed out once.
                    .map(|(out, shape)| unsafe { out.part(range(shape).0, range(shape).1) })
                    .collect();
                self.sort_row(&inputs, &mut outputs);
            }
        });
    }

    fn sort_row(&self, inputs: &[&[u8]], outputs: &mut [&mut [u8]]) {
        match &self.how {
            How::Values(key) => match self.shapes[0].storage.size() {
                8 => self.sort_values::<u64>(*key, inputs[0], outputs[0]),
                _ => self.sort_values::<u32>(*key, inputs[0], outputs[0]),
            },
            How::Words(keys, bits) => match *bits <= 64 {
                true => self.sort_words::<u64>(keys, *bits, inputs, outputs),
                false => self.sort_words::<u128>(keys, *bits, inputs, outputs),
            },
            How::Keys(keys) => self.sort_keys(keys, inputs, outputs),
            How::Program(_) => unreachable!("sorted all rows at once"),
        }
    }

    /// Sorts the keys themselves, and turns them back into elements.
    fn sort_values<W: Word>(&self, key: SortKey, input: &[u8], output: &mut [u8]) {
        let storage = self.shapes[0].storage;
        scratch::with(2 * self.size, |memory: &mut [W]| {
            let (words, spare) = memory.split_at_mut(self.size);
            key::visit(input, storage, false, key, Fill { words: &mut *words, replace: true });
            radix::sort(words, spare, 0, 8 * storage.size() as u32);
            write_values(storage, key, words, input, output);
        });
    }

    fn sort_words<W: Word>(&self, keys: &[SortKey], bits: u32, inputs: &[&[u8]], outputs: &mut [&mut [u8]]) {
        scratch::with(2 * self.size, |memory: &mut [W]| {
            let (words, spare) = memory.split_at_mut(self.size);
            for (index, part) in self.parts(keys).into_iter().enumerate() {
                let (key, imaginary) = part;
                let fill = Fill { words: &mut *words, replace: index == 0 };
                key::visit(inputs[key.operand], self.shapes[key.operand].storage, imaginary, key, fill);
            }
            words.iter_mut().enumerate().for_each(|(i, word)| *word = word.append(POSITION, i as u64));
            radix::sort(words, spare, POSITION, bits);
            self.write(words.iter().map(|word| word.low() as u32 as usize), inputs, outputs);
        });
    }

    /// The parts of the keys: complex numbers have two.
    fn parts(&self, keys: &[SortKey]) -> Vec<(SortKey, bool)> {
        let complex = |key: &SortKey| self.shapes[key.operand].storage.is_complex();
        keys.iter().flat_map(|key| (0..1 + usize::from(complex(key))).map(|part| (*key, part == 1))).collect()
    }

    fn sort_keys(&self, keys: &[SortKey], inputs: &[&[u8]], outputs: &mut [&mut [u8]]) {
        let columns: Vec<Vec<u64>> = self
            .parts(keys)
            .into_iter()
            .map(|(key, imaginary)| {
                let mut words = vec![0u64; self.size];
                let fill = Fill { words: &mut words, replace: true };
                key::visit(inputs[key.operand], self.shapes[key.operand].storage, imaginary, key, fill);
                words
            })
            .collect();
        let mut order: Vec<u32> = (0..self.size as u32).collect();
        order.sort_by(|&a, &b| {
            let pairs = columns.iter().map(|column| column[a as usize].cmp(&column[b as usize]));
            pairs.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
        });
        self.write(order.iter().map(|&i| i as usize), inputs, outputs);
    }

    /// Every output in an order.
    fn write(&self, order: impl Iterator<Item = usize> + Clone, inputs: &[&[u8]], outputs: &mut [&mut [u8]]) {
        for ((input, output), shape) in inputs.iter().zip(outputs).zip(&self.shapes) {
            by_size!(shape.storage.size(), W => {
                let (from, to) = (numbers::<W>(input), numbers_mut::<W>(output));
                to.iter_mut().zip(order.clone()).for_each(|(to, at)| *to = from[at]);
            });
        }
    }
}

/// Whether a row of this type is sorted as its keys alone.
fn has_values(storage: Storage, order: KeyOrder) -> bool {
    storage == Storage::F32 || storage == Storage::F64 || !storage.is_complex() && key::is_exact(storage, order)
}

/// Elements from sorted keys. What keys do not tell apart, zeros and NaNs, comes from the input in its order.
fn write_values<W: Word>(storage: Storage, key: SortKey, words: &[W], input: &[u8], output: &mut [u8]) {
    let bits = 8 * storage.size() as u32;
    let flip = if key.descending { u64::MAX >> (64 - bits) } else { 0 };
    let keys = words.iter().map(|word| word.low() ^ flip);
    macro_rules! whole {
        ($U:ident $sign:expr) => {
            numbers_mut::<$U>(output).iter_mut().zip(keys).for_each(|(to, key)| *to = key as $U ^ $sign)
        };
    }
    match storage {
        Storage::F32 => {
            let (from, to) = (numbers::<f32>(input), numbers_mut::<f32>(output));
            to.iter_mut().zip(keys).for_each(|(to, key)| *to = key::to_f32(key as u32));
            if key.order == KeyOrder::Numeric {
                restore(from, to, |x| *x == 0.0);
                restore(from, to, |x| x.is_nan());
            }
        }
        Storage::F64 => {
            let (from, to) = (numbers::<f64>(input), numbers_mut::<f64>(output));
            let number = |key: u64| f64::from_bits(key ^ ((!key as i64 >> 63) as u64 | 1 << 63));
            to.iter_mut().zip(keys).for_each(|(to, key)| *to = number(key));
            if key.order == KeyOrder::Numeric {
                restore(from, to, |x| *x == 0.0);
                restore(from, to, |x| x.is_nan());
            }
        }
        Storage::I64 => whole!(u64 1 << 63),
        Storage::U64 => whole!(u64 0),
        Storage::I32 => whole!(u32 1 << 31),
        Storage::U32 => whole!(u32 0),
        Storage::I16 => whole!(u16 1 << 15),
        Storage::U16 => whole!(u16 0),
        Storage::I2 | Storage::I4 | Storage::I8 => whole!(u8 1 << 7),
        _ => whole!(u8 0),
    }
}

/// Puts the elements that a test picks out back as the input has them, in its order.
fn restore<T: Copy>(from: &[T], to: &mut [T], picks: impl Fn(&T) -> bool) {
    let mut originals = from.iter().filter(|x| picks(x));
    if originals.clone().next().is_some() {
        to.iter_mut().filter(|x| picks(x)).zip(&mut originals).for_each(|(to, from)| *to = *from);
    }
}

/// Writes keys into words, below what is there.
struct Fill<'a, W> {
    words: &'a mut [W],
    replace: bool,
}

impl<W: Word> KeyVisitor for Fill<'_, W> {
    type Output = ();

    fn visit<T: Pod + Send + Sync>(self, row: &[T], first: usize, step: usize, bits: u32, key: impl Fn(T) -> u64) {
        let elements = row[first..].iter().step_by(step);
        if self.replace {
            self.words.iter_mut().zip(elements).for_each(|(word, x)| *word = W::of(key(*x)));
        } else {
            self.words.iter_mut().zip(elements).for_each(|(word, x)| *word = word.append(bits, key(*x)));
        }
    }
}

impl OpKernel for Sort {
    fn run(&self, pool: &Pool, inputs: &[&[u8]], outputs: &mut [&mut [u8]]) -> Result<(), KernelError> {
        let shapes: Vec<&Shape> = self.shapes.iter().chain(&self.captures).collect();
        let results: Vec<&Shape> = self.shapes.iter().collect();
        with_operands((&shapes, inputs), (&results, outputs), |inputs, outputs| {
            let (inputs, captures) = inputs.split_at(self.shapes.len());
            let Some((there, back)) = &self.exchange else {
                self.sort(pool, inputs, captures, outputs);
                return Ok(());
            };
            // Each array begins at a multiple of 64 bytes.
            let lengths: Vec<usize> = self.shapes.iter().map(|shape| shape.bytes().next_multiple_of(64)).collect();
            let total: usize = lengths.iter().sum();
            scratch::with(2 * total, |memory: &mut [u8]| {
                let (turned, sorted) = memory.split_at_mut(total);
                let (mut turned, mut sorted) =
                    (cut(turned, &lengths, &self.shapes), cut(sorted, &lengths, &self.shapes));
                for ((from, to), shape) in inputs.iter().zip(&mut turned).zip(&self.shapes) {
                    by_size!(shape.storage.size(), W => there.run(pool, numbers::<W>(from), numbers_mut::<W>(to)));
                }
                let turned: Vec<&[u8]> = turned.iter().map(|bytes| &**bytes).collect();
                self.sort(pool, &turned, captures, &mut sorted);
                for ((from, to), shape) in sorted.iter().zip(outputs).zip(&self.shapes) {
                    by_size!(shape.storage.size(), W => back.run(pool, numbers::<W>(from), numbers_mut::<W>(to)));
                }
            });
            Ok(())
        })
    }
}

/// Cuts memory into arrays.
fn cut<'a>(mut memory: &'a mut [u8], lengths: &[usize], shapes: &[Shape]) -> Vec<&'a mut [u8]> {
    let mut next = |(length, shape): (&usize, &Shape)| {
        let (piece, rest) = std::mem::take(&mut memory).split_at_mut(*length);
        memory = rest;
        &mut piece[..shape.bytes()]
    };
    lengths.iter().zip(shapes).map(&mut next).collect()
}
